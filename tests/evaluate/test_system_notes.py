"""Several systems in one table are not read as one in silence."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

TRUTH = {"ann": {"b": 1}, "bob": {"a": 1}}
# each system has an item of its own: no row names a query and an item again
APART = {"query": ["ann", "ann"], "item": ["a", "b"], "score": [1.0, 0.9]}


def notes(predictions, **options) -> list[str]:
    return [one for one in sy.evaluate(predictions, TRUTH, "mrr", **options).notes if "several values" in one]


@pytest.mark.parametrize("column", ["system", "model", "run", "run_id", "Tag"])
def test_a_column_of_systems(column):
    (note,) = notes(pl.DataFrame({**APART, column: ["A", "B"]}))
    assert note.startswith(f"column '{column}' has several values within a query ('A' and 'B')")
    assert "evaluate each from its own file" in note


def test_on_every_door(tmp_path):
    frame = pl.DataFrame({**APART, "system": [1, 2]})
    frame.write_csv(tmp_path / "run.csv")
    frame.write_parquet(tmp_path / "run.parquet")
    parts = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for at, part in enumerate(parts):
        frame[at : at + 1].write_csv(part)
    for given in (frame, frame.to_pandas(), frame.to_arrow(), parts):
        assert len(notes(given)) == 1
    for given in ("run.csv", "run.parquet"):
        assert len(notes(tmp_path / given)) == 1


def test_the_tag_of_a_trec_run(tmp_path):
    run = tmp_path / "two.run"
    run.write_text("# two runs\nann Q0 a 1 1.0 A\n\nann Q0 b 1 0.9 B\n")
    (note,) = notes(run)
    assert note.startswith("column 'tag' has several values within a query ('A' and 'B')")


def test_the_tag_tells_doubled_lines_apart(tmp_path):
    run = tmp_path / "two.run"
    run.write_text("ann Q0 a 1 1.0 A\nann Q0 b 2 0.9 A\nann Q0 b 1 0.9 B\nann Q0 a 2 0.8 B\n")
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(run, TRUTH, "mrr")
    assert "column 'tag' tells them apart: 'A' and 'B'" in caught.value.message
    assert "evaluate one at a time" in caught.value.remedy


@pytest.mark.parametrize(
    "columns",
    [
        {"system": ["A", "A"]},  # one system
        {"system": ["A", None]},
        {"colour": ["red", "blue"]},  # of the items
        {"query": ["ann", "bob"], "system": ["A", "B"]},  # each query was served by one
        {"system": [["A"], ["B"]]},
    ],
)
def test_nothing_is_said_of_others(columns):
    assert notes(pl.DataFrame({**APART, **columns}, strict=False)) == []


def test_many_values_are_of_the_items():
    items = [f"i{number:02}" for number in range(21)]  # more than 20 of them
    cars = pl.DataFrame({"query": ["ann"] * 21, "item": items, "score": range(21), "model": items})
    assert notes(cars) == []


def test_a_run_without_tags(tmp_path):
    run = tmp_path / "untagged.run"
    run.write_text("ann Q0 a 1 1.0\nann Q0 b 2 0.9\n")
    assert notes(run) == []
