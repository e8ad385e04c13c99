"""The same small data from every kind of source gives the same numbers, worked out here by hand."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from math import inf, log2
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy

SCORES = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 0.7, "d": 0.6}}
GRADES = {"q1": {"b": 2, "c": 1, "z": 1}, "q2": {"a": 1}}

# q1 shows a (not judged), b (2), c (1) and lacks z (1); q2 shows a (1), d (not judged).
EXPECTED = {
    "mrr": (1 / 2 + 1 / 1) / 2,
    "precision@2": (1 / 2 + 1 / 2) / 2,
    "recall@2": (1 / 3 + 1 / 1) / 2,
    "f1@2": (2 * 1 / (3 + 2) + 2 * 1 / (1 + 2)) / 2,
    "hit_rate@1": (0 + 1) / 2,
    "map": ((1 / 2 + 2 / 3) / 3 + 1) / 2,
    "r_precision": (2 / 3 + 1 / 1) / 2,
    "cg@3": (0 + 2 + 1 + 1) / 2,
    "dcg@3": (2 / log2(3) + 1 / log2(4) + 1) / 2,
    "idcg@3": (2 + 1 / log2(3) + 1 / log2(4) + 1) / 2,
    "ndcg@3": ((2 / log2(3) + 1 / log2(4)) / (2 + 1 / log2(3) + 1 / log2(4)) + 1) / 2,
}


def rows(nested: dict[str, dict[str, float]], value: str) -> dict[str, list[Any]]:
    flat = [(query, item, number) for query, items in nested.items() for item, number in items.items()]
    query, item, number = map(list, zip(*flat, strict=True))
    return {"query": query, "item": item, value: number}


RUN, TRUTH = rows(SCORES, "score"), rows(GRADES, "relevance")
Pair = tuple[Any, Any]


def check(result: sy.Result) -> None:
    assert {name: result[name] for name in EXPECTED} == pytest.approx(EXPECTED, abs=1e-12)


def lists(_: Path) -> Pair:
    return {query: list(items) for query, items in SCORES.items()}, GRADES


def lazy(_: Path) -> Pair:
    return pl.LazyFrame(RUN), pl.LazyFrame(TRUTH)


def shuffled(_: Path) -> Pair:
    """Rows of a query need not stand together."""
    return pl.DataFrame(RUN)[[4, 2, 0, 3, 1]], pl.DataFrame(TRUTH)[[3, 1, 2, 0]]


def pandas_categories(_: Path) -> Pair:
    return pd.DataFrame(RUN).astype({"item": "category"}), pd.DataFrame(TRUTH, index=[7, 7, 8, 9])


def files(form: str) -> Callable[[Path], Pair]:
    def written(folder: Path) -> Pair:
        for name, data in (("run", RUN), ("truth", TRUTH)):
            frame, path = pl.DataFrame(data), folder / f"{name}.{form}"
            if form == "parquet":
                frame.write_parquet(path)
            elif form == "arrow":
                frame.write_ipc(path)
            elif form == "jsonl":
                frame.write_ndjson(path)
            else:
                text = frame.write_csv(separator="\t" if form.startswith("tsv") else ",").encode()
                path.write_bytes(gzip.compress(text) if form.endswith("gz") else text)
        return folder / f"run.{form}", str(folder / f"truth.{form}")

    return written


def trec(folder: Path) -> Pair:
    run = zip(RUN["query"], RUN["item"], RUN["score"], strict=True)
    (folder / "x.run").write_text("".join(f"{q}\tQ0  {d} 0 {s} tag\n" for q, d, s in run))
    qrels = zip(TRUTH["query"], TRUTH["item"], TRUTH["relevance"], strict=True)
    (folder / "qrels").write_text("# judged by hand\n\n" + "".join(f"{q} 0 {d} {g}\n" for q, d, g in qrels))
    return folder / "x.run", folder / "qrels"


def several_files(folder: Path) -> Pair:
    run = pl.DataFrame(RUN)
    run[:2].write_csv(folder / "part1.csv")
    run[2:].write_csv(folder / "part2.csv")
    pl.DataFrame(TRUTH).write_parquet(folder / "truth.parquet")
    return folder / "part*.csv", [folder / "truth.parquet"]


SOURCES: dict[str, Callable[[Path], Pair]] = {
    "dicts": lambda _: (SCORES, GRADES),
    "lists": lists,
    "polars": lambda _: (pl.DataFrame(RUN), pl.DataFrame(TRUTH)),
    "polars, shuffled": shuffled,
    "polars, lazy": lazy,
    "pandas": lambda _: (pd.DataFrame(RUN), pd.DataFrame(TRUTH)),
    "pandas categories": pandas_categories,
    "pyarrow": lambda _: (pa.table(RUN), pa.table(TRUTH)),
    "a dict and a frame": lambda _: (SCORES, pl.DataFrame(TRUTH)),
    "parquet": files("parquet"),
    "arrow": files("arrow"),
    "csv": files("csv"),
    "csv.gz": files("csv.gz"),
    "tsv": files("tsv"),
    "jsonl": files("jsonl"),
    "trec": trec,
    "several files": several_files,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source_gives_the_same_numbers(kind, tmp_path):
    predictions, truth = SOURCES[kind](tmp_path)
    check(sy.evaluate(predictions, truth, list(EXPECTED)))


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(pl.DataFrame(RUN).write_csv().encode())

    monkeypatch.setattr(sys, "stdin", Stdin())
    result = sy.evaluate("-", GRADES, list(EXPECTED))
    check(result)
    assert result.names.predictions == "standard input"


# Items a, b, c, d, z are columns 0 to 4; what was not retrieved is masked.
SCORE_MATRIX = np.array([[0.9, 0.8, 0.1, -inf, -inf], [0.7, -inf, -inf, 0.6, -inf]])
LABEL_MATRIX = np.array([[0, 2, 1, 0, 1], [1, 0, 0, 0, 0]])


def test_two_matrices():
    result = sy.evaluate(SCORE_MATRIX, LABEL_MATRIX, list(EXPECTED))
    check(result)
    assert result.tally.masked == 5
    assert result.per_query()["query"].unique().sort().to_list() == [0, 1]


def test_a_matrix_of_another_shape_is_an_error():
    with pytest.raises(sy.SteelyardError, match=r"shape \(2, 5\) and the label matrix \(2, 4\)"):
        sy.evaluate(SCORE_MATRIX, LABEL_MATRIX[:, :4], "mrr")


# One table with the labels inside; z was judged and not retrieved.
LABELLED = {
    "user_id": ["q1", "q1", "q1", "q1", "q2", "q2"],
    "film_id": ["a", "b", "c", "z", "a", "d"],
    "label": [0, 2, 1, 1, 1, 0],
    "pred": [0.9, 0.8, 0.1, -inf, 0.7, 0.6],
}


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table])
def test_one_labelled_table_with_item_ids(make):
    result = sy.evaluate(make(LABELLED), metrics=list(EXPECTED))
    check(result)
    assert result.spec()["mrr"]["ties"] == "item_desc"
    assert result.names.truth is None
    assert " against " not in repr(result)


def test_one_labelled_table_without_item_ids():
    table = pl.DataFrame(LABELLED).drop("film_id")
    result = sy.evaluate(table, metrics=list(EXPECTED))
    check(result)
    assert result.spec()["mrr"]["ties"] == "expected"


def test_without_item_ids_ties_are_averaged():
    table = pl.DataFrame({"qid": [1, 1, 1, 2], "grade": [1, 0, 0, 1], "pred": [0.5, 0.5, 0.5, 0.1]})
    result = sy.evaluate(table, metrics=["mrr", "recall@1"], columns={"label": "grade", "score": "pred"})
    # Query 1: its item stands at 1, 2 or 3 with the same chance; query 2 is perfect.
    assert result["mrr"] == pytest.approx(((1 + 1 / 2 + 1 / 3) / 3 + 1) / 2, abs=1e-15)
    assert result["recall@1"] == pytest.approx((1 / 3 + 1) / 2, abs=1e-15)
    assert "the mean over all orders of tied items" in repr(result)


def test_without_item_ids_other_ties_must_not_need_items():
    table = pl.DataFrame({"qid": [1, 1], "grade": [0, 1], "pred": [0.5, 0.5]})
    for ties, value in {"given": 1 / 2, "optimistic": 1, "pessimistic": 1 / 2, "expected": 3 / 4}.items():
        assert sy.evaluate(table, metrics="mrr", ties=ties)["mrr"] == value
    for ties in ("item_desc", "item_asc"):
        with pytest.raises(sy.SteelyardError, match=f"no item column, so ties={ties} has nothing to order"):
            sy.evaluate(table, metrics="mrr", ties=ties)


def test_without_item_ids_nothing_can_be_excluded():
    table = pl.DataFrame({"qid": [1, 1], "grade": [0, 1], "pred": [0.5, 0.4]})
    with pytest.raises(sy.SteelyardError, match="predictions has no column that could be the item"):
        sy.evaluate(table, metrics="mrr", exclude={1: [7]})


def test_truth_without_grades_counts_every_row_as_relevant():
    result = sy.evaluate(SCORES, {query: set(items) for query, items in GRADES.items()}, ["mrr", "cg@3"])
    assert result["mrr"] == EXPECTED["mrr"]
    assert result["cg@3"] == (1 + 1 + 1) / 2  # b and c of q1, a of q2, each worth 1
    assert "truth has no relevance column: every row counts as grade 1." in result.notes


def test_columns_by_name():
    run = pl.DataFrame({"u": RUN["query"], "m": RUN["item"], "s1": RUN["score"], "s2": [0.0] * 5})
    truth = pl.DataFrame({"who": TRUTH["query"], "what": TRUTH["item"], "stars": TRUTH["relevance"]})
    columns = {
        "predictions.query": "u",
        "truth.query": "who",
        "predictions.item": "m",
        "truth.item": "what",
        "score": "s1",
        "label": "stars",
    }
    check(sy.evaluate(run, truth, list(EXPECTED), columns=columns))


def test_column_names_for_the_exclude_and_the_weights_table():
    run = pl.DataFrame(RUN).rename({"query": "person", "item": "thing"})
    truth = pl.DataFrame(TRUTH).rename({"query": "person", "item": "thing"})
    result = sy.evaluate(
        run,
        truth,
        "mrr",
        columns={"query": "person", "item": "thing", "weight": "times"},
        exclude=pl.DataFrame({"person": ["q1"], "thing": ["a"]}),
        weights=pl.DataFrame({"person": ["q1", "q2"], "times": [3, 1]}),
    )
    assert result["mrr"] == 1.0  # without a, b leads the list of q1
    assert result.tally.excluded == 1


def test_a_column_named_for_a_role_must_be_somewhere():
    with pytest.raises(
        sy.SteelyardError, match="neither predictions nor truth has a column 'scoer'"
    ) as error:
        sy.evaluate(pl.DataFrame(RUN), pl.DataFrame(TRUTH), "mrr", columns={"score": "scoer"})
    assert error.value.message.endswith("; did you mean 'score'?")
