"""Hints that point the right way."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from steelyard.read.table import Source

from ..tables import each_row

TRUTH = {"q": {"a": 1}}
TWICE = pl.DataFrame(
    {
        "query": ["q"] * 4,
        "item": ["a", "b", "a", "b"],
        "score": [0.9, 0.8, 0.1, 0.7],
    }
)


def refused(*given, **options) -> sy.SteelyardError:
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(*given, **options)
    return caught.value


@each_row(
    ("name", "near"),
    [
        ("precison@5", "precision@5"),
        ("recal@5", "recall@5"),
        ("nddcg", "ndcg"),
        ("mmr", "mrr"),
        ("acc", "accuracy"),
    ],
)
def test_a_slip_has_a_near_name(name, near):
    assert f"did you mean '{near}'?" in refused({"q": ["a"]}, TRUTH, name).message


@each_row(
    "name", ["kappa", "hinge", "mean_average_precision", "bleu", "quality", "mape", "MAPE", "rmsle", "msle"]
)
def test_what_is_near_to_nothing_gets_no_hint(name):
    assert refused({"q": ["a"]}, TRUTH, name).message == f"unknown metric '{name}'"


def test_no_metric_at_all():
    remedy = refused({"label": [1, 0], "score": [0.5, 0.1]}).remedy
    assert "auc and logloss for clicks" in remedy
    assert "task='ctr'" in remedy
    assert "ndcg@10" in remedy


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("model", ["bm25", "bm25", "dense", "dense"]),
        ("run_id", [1, 1, 2, 2]),
        ("whatever", ["x", "x", "y", "y"]),
    ],
)
def test_several_systems_in_one_table(column, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = TWICE.with_columns(pl.Series(column, values))
    run.write_csv("run.csv")
    run.write_parquet("run.parquet")
    for source in (run, run.lazy(), run.to_pandas(), run.to_arrow(), "run.csv", "run.parquet"):
        error = refused(source, TRUTH, "mrr")
        assert f"column '{column}' tells them apart: '{values[0]}' and '{values[2]}'" in error.message
        assert "evaluate one at a time" in error.remedy
        assert "duplicates=best" not in error.remedy


def test_further_columns_are_read_in_one_pass():
    row = pl.int_range(60)
    run = pl.concat([TWICE] * 15).with_columns(
        query=row // 4,
        **{f"same_{number}": pl.lit(number) for number in range(30)},
        **{f"time_{number}": row + number for number in range(30)},
        half=row // 2 % 2,
    )
    loaded: list[list[str]] = []

    def load(wanted):
        loaded.append(list(wanted))
        return run.select(wanted)

    source = Source(
        name="run",
        columns=tuple(run.columns),
        load=load,
        peek=lambda wanted, rows: run.select(wanted).head(rows),
    )
    error = refused(source, {0: {"a": 1}}, "mrr")
    assert "column 'half' tells them apart: '0' and '1'" in error.message
    read, looked = loaded
    assert read == ["query", "item", "score"]
    assert set(looked) == {"half", *(f"same_{number}" for number in range(30))}


def test_a_column_that_cannot_be_read_hides_no_other():
    run = TWICE.to_pandas().assign(notes=[1, "x", b"y", None], whatever=["x", "x", "y", "y"])
    assert "column 'whatever' tells them apart: 'x' and 'y'" in refused(run, TRUTH, "mrr").message


def test_the_remedy_for_several_systems_works():
    run = TWICE.with_columns(model=pl.Series(["bm25", "bm25", "dense", "dense"]))
    remedy = refused(run, TRUTH, "mrr").remedy
    asked = remedy[remedy.index("frame.filter") : remedy.index(" in Polars")]
    one = eval(asked, {"frame": run, "pl": pl})
    assert sy.evaluate(one, TRUTH, "mrr")["mrr"] == 1


def test_several_systems_matched_row_by_row():
    truth = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "label": [1, 0]})
    error = refused(TWICE.with_columns(system=pl.Series([1, 1, 2, 2])), truth, "auc")
    assert "column 'system' tells them apart: '1' and '2'" in error.message
    assert "evaluate one at a time" in error.remedy


@pytest.mark.parametrize(
    "further",
    [
        {},
        {"time": [11, 12, 13, 14]},  # a time tells rows apart, and is no system
        {"model": ["m"] * 4},
        {"model": ["x", "y", "x", "y"]},
        {"weight": [1, 1, 2, 2]},
        {"seen": [0.5, 0.5, 0.6, 0.6]},
    ],
)
def test_rows_that_are_simply_doubled(further):
    error = refused(
        TWICE.with_columns(**{name: pl.Series(one) for name, one in further.items()}), TRUTH, "mrr"
    )
    assert "tells them apart" not in error.message
    assert "pass duplicates=best" in error.remedy
    assert "several systems" in error.remedy
