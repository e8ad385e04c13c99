"""Ties by item compare ids by the type that the predictions give them, whatever the other tables have."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import steelyard as sy

# items 9 and 10 are tied, and 9 is relevant: as text '9' stands above '10', as a number below it
RUN = pl.DataFrame({"query": [1, 1], "item": [9, 10], "score": [0.5, 0.5]})
TRUTH = pl.DataFrame({"query": [1], "item": [9], "relevance": [1]})
TEXT, NUMBER = 1 / 1, 1 / 2
PREDICTIONS = {
    "csv": TEXT,
    "tsv": TEXT,
    "trec": TEXT,
    "parquet": NUMBER,
    "arrow": NUMBER,
    "jsonl": NUMBER,
    "frame": NUMBER,
    "lazy": NUMBER,
    "pandas": NUMBER,
    "pyarrow": NUMBER,
    "dict": NUMBER,
}
OTHERS = ["csv", "tsv", "trec", "parquet", "arrow", "jsonl", "frame", "lazy", "pandas", "pyarrow", "dict"]


def given(frame: pl.DataFrame, door: str, name: str):
    """The same table through one of the doors."""
    match door:
        case "csv":
            frame.write_csv(f"{name}.csv")
        case "tsv":
            frame.write_csv(f"{name}.tsv", separator="\t")
        case "parquet":
            frame.write_parquet(f"{name}.parquet")
        case "arrow":
            frame.write_ipc(f"{name}.arrow")
        case "jsonl":
            frame.write_ndjson(f"{name}.jsonl")
        case "trec":
            lines = [
                f"{row[0]} Q0 {row[1]} 1 {row[2]} tag\n" if name == "run" else f"{row[0]} 0 {row[1]} 1\n"
                for row in frame.iter_rows()
            ]
            Path(f"{name}.trec").write_text("".join(lines))
        case "frame":
            return frame
        case "lazy":
            return frame.lazy()
        case "pandas":
            return frame.to_pandas()
        case "pyarrow":
            return frame.to_arrow()
        case "dict":
            return {1: dict(zip(frame["item"], frame[:, 2], strict=True))}
    return f"{name}.{door}"


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("door", PREDICTIONS)
def test_the_predictions_own_type_decides(door, other, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, truth = given(RUN, door, "run"), given(TRUTH, other, "truth")
    assert sy.evaluate(run, truth, "mrr")["mrr"] == PREDICTIONS[door]
    # the other way round
    turned = sy.evaluate(given(RUN, door, "run"), given(TRUTH, other, "truth"), "mrr", ties="item_asc")
    assert turned["mrr"] == TEXT + NUMBER - PREDICTIONS[door]


@pytest.mark.parametrize("door", PREDICTIONS)
def test_what_is_excluded_decides_nothing(door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = pl.DataFrame({"query": [1], "item": [7]})
    for exclude in (seen, given(seen.with_columns(x=1), "csv", "seen")):
        result = sy.evaluate(given(RUN, door, "run"), TRUTH, "mrr", exclude=exclude)
        assert result["mrr"] == PREDICTIONS[door]


@pytest.mark.parametrize("door", PREDICTIONS)
def test_as_text_where_that_is_the_convention(door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for other in OTHERS:
        run, truth = given(RUN, door, "run"), given(TRUTH, other, "truth")
        assert sy.evaluate(run, truth, "mrr", item_order="text")["mrr"] == TEXT


def test_an_item_that_is_its_query_by_the_types_of_the_predictions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = given(pl.DataFrame({"query": [7, 7], "item": [7, 8], "score": [0.9, 0.5]}), "csv", "run")
    # the first item is removed whether or not the truth has text for queries and integers for items
    for truth in ({"7": {8: 1}}, {"7": {"8": 1}}, {7: {8: 1}}, {7: {"8": 1}}):
        result = sy.evaluate(run, truth, "mrr", self_match="drop")
        assert (result["mrr"], result.tally.self_matched) == (1, 1)
