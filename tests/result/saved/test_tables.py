"""Every array of every state is a column of a table, and comes back to the bit."""

from __future__ import annotations

import dataclasses
import json
from io import BytesIO
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from polars.testing import assert_frame_equal, assert_series_equal
from polars.testing.parametric import series

import steelyard as sy
from steelyard.engine import kept, memory
from steelyard.engine.classified import Classified
from steelyard.engine.ranked import Ranked
from steelyard.engine.scored import Rated, Scored, ScoreTable
from steelyard.result.result import Result
from steelyard.result.saved import from_tables, to_tables
from steelyard.result.stored import LAYOUTS, TableReader, TableWriter, stored_fields
from steelyard.result.stored import STATES as KINDS_OF_STATES
from steelyard.stats.intervals import Limits
from steelyard.stats.measured import Measured, TieRange
from steelyard.text.errors import OutputError

from ...classified import of_labels

KINDS = {"bins", "certainty", "grades", "items", "lists", "queries", "rows", "slices", "units", "values"}
STORED = {Measured, Limits, TieRange, Result, *LAYOUTS, *KINDS_OF_STATES.values()}


def through(tables: dict[str, dict[str, pl.Series]]) -> dict[str, pl.DataFrame]:
    """Tables after the way through parquet."""
    found = {}
    for name, columns in tables.items():
        file = BytesIO()
        pl.DataFrame(columns).write_parquet(file)
        found[name] = pl.read_parquet(BytesIO(file.getvalue()))
    return found


def again(state: Any) -> Any:
    writer = TableWriter()
    node = writer.part(state)
    assert {name.split("-")[0] for name in writer.tables} <= KINDS
    return TableReader(through(writer.tables), []).part(type(state), json.loads(json.dumps(node)))


def assert_same(one: Any, other: Any, place: str = "") -> None:
    """Equal to the bit, field by field."""
    assert type(one) is type(other), place
    if type(one) in STORED:
        for field in stored_fields(type(one)):
            if field not in ("left", "lists"):  # made again, of the states and of the tables
                assert_same(getattr(one, field), getattr(other, field), f"{place}.{field}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes()), place
        assert not other.flags.writeable, place
    elif isinstance(one, pl.Series | pl.DataFrame):
        assert one.equals(other, null_equal=True), place
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), place
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_same(left, right, f"{place}[{at}]")
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            assert_same(one[key], other[key], f"{place}[{key!r}]")
    else:
        assert one == other or (one != one and other != other), place


LABELS, SCORES = np.array([1, 0, 1, 0], np.uint8), np.array([0.9, 0.9, 0.4, 0.1], np.float32)
STATES = {
    "ranked": Ranked.of_lists([[3, 0, 1], [0, 0]], [[3, 0, 1, 2], [0, 0, 1]]),
    "scored": Scored.of(
        LABELS, SCORES, weight=np.array([1.0, 0.5, 2.0, 0.0]), group=np.arange(4) % 2, n_groups=2
    ),
    "table": ScoreTable.of(Scored.of(LABELS, SCORES)),
    "texts": of_labels(np.array(["b", "a"]), np.array(["a", "a"])),
    "calls": Classified.of_scored(Scored.of(LABELS, SCORES), 0.5, strict=False),
    "rated": Rated.of(
        np.array([1.0, np.inf]), np.array([-0.0, 5e-324]), segment=np.array([0, 1]), n_segments=2
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_states(name):
    assert_same(STATES[name], again(STATES[name]))


def test_what_was_worked_out_is_not_stored():
    scored = STATES["scored"]
    assert scored.rows.tolist() == [3]  # a row of weight 0 is none
    assert {"rows", "weights"} <= set(scored.__dict__)
    assert not {"rows", "weights"} & set(again(scored).__dict__)


def test_values_from_a_loaded_state():
    ranked = again(STATES["ranked"])
    # 3 and 1 stand at ranks 1 and 3; the best order of what is judged is 3, 2, 1
    expected = (3 / 1 + 1 / 2) / (3 / 1 + 2 / np.log2(3) + 1 / 2)
    assert sy.NDCG(k=3).per_query(ranked).tolist() == [pytest.approx(expected), 0.0]
    scored = again(STATES["scored"])
    # weights 1 and 2 are positive; the tie with 0.5 counts half, and 0.4 loses to it; weight 0 is no row
    assert scored.auc.tolist() == [pytest.approx((1 * 0.5 * 0.5) / (3 * 0.5))]


PLACE = np.arange(60)
LOG = pl.DataFrame(
    {
        "label": (PLACE * 7 % 5 < 2).astype(int),
        "score": PLACE * 13 % 31 / 31,
        "query": PLACE % 6,
        "country": np.where(PLACE % 6 < 3, "JP", "DE"),
        "w": 1 + PLACE % 3,
    }
)
RUN = {f"q{at}": {f"d{one}": float((7 * one + at) % 11) for one in range(8)} for at in range(14)}
TRUTH = {f"q{at}": {f"d{one}": (one + at) % 3 for one in range(0, 8, 2)} for at in range(15)}
LISTS = ["coverage@2", "diversity@2", "novelty@2", "serendipity@2"]
BESIDE = {
    "catalog": ["a", "b", "c", "d"],
    "features": {"a": ["x"], "b": ["y"], "c": ["x", "y"], "d": ["y"]},
    "history": {"u": ["a", "b"], "v": ["c"]},
    "baseline_lists": {"u": ["a"], "v": ["b", "a"]},
}
RESULTS = {
    "rankings": lambda: sy.evaluate(RUN, TRUTH, ["ndcg@5", "map", "precision(pooling=pooled)@3"]),
    "excluded": lambda: sy.evaluate(RUN, TRUTH, "mrr", exclude={"q1": ["d0"]}, ties="expected"),
    "rows": lambda: sy.evaluate(LOG, metrics=["auc", "gauc", "logloss", "f1", "rmse"], by="country"),
    "weights": lambda: sy.evaluate(LOG, metrics=["auc", "ece", "gauc"], weights="w", by="country"),
    "units": lambda: sy.evaluate(LOG, metrics=["auc", "ece"], unit="query", ci="bootstrap"),
    "classes": lambda: sy.evaluate(
        predictions=list("abca"), truth=list("abcc"), metrics=["f1(average=none)", "confusion", "mcc"]
    ),
    "probabilities": lambda: sy.evaluate([[0.2, 0.8], [0.6, 0.4]], ["x", "y"], ["auc", "logloss"]),
    "ratings": lambda: sy.evaluate(predictions=[3.0, 4.0], truth=[3, 5], metrics=["rmse", "r2"]),
    "no intervals": lambda: sy.evaluate(RUN, TRUTH, "ndcg@5", ci="none"),
    "lists": lambda: sy.evaluate({"u": ["a", "b"], "v": ["a", "c"]}, {"u": ["b"]}, LISTS, **BESIDE),
    "vectors": lambda: sy.evaluate(
        {"u": ["a", "b"], "v": ["b", "a"]}, metrics="diversity@2", features={"a": [1.0, 0.5], "b": [0.0, 2.0]}
    ),
}


def kinds_in(value: Any) -> set[type]:
    """The stored classes in a value."""
    if type(value) in STORED:
        return {type(value)}.union(*(kinds_in(getattr(value, name)) for name in stored_fields(type(value))))
    return set[type]().union(*map(kinds_in, value)) if isinstance(value, tuple | list) else set()


def test_results(monkeypatch):
    """Field by field; of many rows a result keeps bins, summaries and a few lists instead."""
    found = {kind for evaluate in RESULTS.values() for kind in kinds_in(checked(evaluate()).measured)}
    for module in (kept, memory):
        monkeypatch.setattr(module, "KEPT", 3)
    found |= {kind for evaluate in RESULTS.values() for kind in kinds_in(checked(evaluate()).measured)}
    of_tables = {kind for kind, layout in LAYOUTS.items() if layout.table}
    assert of_tables | set(KINDS_OF_STATES.values()) <= found


def checked(result: Result) -> Result:
    """The result, which comes back from its tables as it was."""
    manifest, tables = to_tables({one.name: getattr(result, one.name) for one in dataclasses.fields(Result)})
    assert {table.split("-")[0] for table in tables} <= KINDS
    loaded = Result(**from_tables(json.loads(json.dumps(manifest)), through(tables)))
    assert_same(result, loaded)
    assert loaded.to_html() == result.to_html()
    for one, other in zip(result.measured, loaded.measured, strict=True):
        assert_same(one.influences, other.influences)
    return result


def test_what_is_shared_is_stored_once_and_comes_back_shared():
    result = sy.evaluate(LOG, metrics=["auc", "logloss"], by="country")
    manifest, tables = to_tables({one.name: getattr(result, one.name) for one in dataclasses.fields(Result)})
    assert list(tables["rows"]) == ["label", "score", "unit", "slice"]
    assert "rows-2" not in tables
    auc, logloss = from_tables(manifest, through(tables))["measured"]
    assert auc.state is logloss.state
    assert auc.parts.label is auc.state.label


def test_a_stored_field_is_an_array_a_state_or_plain():
    """A field that is no such value, and is not marked as UNSTORED, is refused when a result is saved."""
    with pytest.raises(OutputError, match="a object cannot be saved"):
        again(dataclasses.replace(STATES["rated"], n_segments=object()))
    with pytest.raises(OutputError, match="a object cannot be saved"):
        TableWriter().state(object())


numbers = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(endianness="="),
    arrays.unsigned_integer_dtypes(endianness="="),
    arrays.floating_dtypes(endianness="=", sizes=(16, 32, 64)),
)
shapes = arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=4)


@given(numbers.flatmap(lambda kind: arrays.arrays(kind, shapes)))
def test_arrays(array):
    writer = TableWriter()
    node = writer.column("rows", "label", array, {})
    found = TableReader(through(writer.tables), []).column(node)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(found, array)
    assert not found.flags.writeable


def test_arrays_that_are_no_block_of_memory():
    grid = np.arange(24).reshape(4, 6)
    for view in (grid[::2, 1::3], grid.T, np.broadcast_to(np.array([1.5]), (2, 3)), np.asfortranarray(grid)):
        writer = TableWriter()
        node = writer.column("rows", "label", view, {})
        np.testing.assert_array_equal(TableReader(through(writer.tables), []).column(node), view)


@given(series(excluded_dtypes=[pl.Object, pl.Null, pl.Categorical, pl.Enum, pl.Struct, pl.Array, pl.List]))
def test_names(names):
    writer = TableWriter()
    node = writer.column("units", "unit", names, {})
    assert_series_equal(TableReader(through(writer.tables), []).column(node), names)


@pytest.mark.parametrize(
    ("array", "named"),
    [
        (np.array(["a", None], object), "a NumPy array of object cannot be saved"),
        (np.zeros(2, [("a", "i4")]), "a NumPy array of"),
        (pl.Series([object()], dtype=pl.Object), "a Polars series of Object cannot be saved"),
    ],
)
def test_what_no_column_can_hold_is_refused(array, named):
    with pytest.raises(OutputError, match=f"^{named}"):
        TableWriter().column("rows", "label", array, {})


def test_the_lists_are_two_tables():
    result = RESULTS["excluded"]()
    _, tables = to_tables({one.name: getattr(result, one.name) for one in dataclasses.fields(Result)})
    predictions = pl.DataFrame(tables["lists"])
    assert predictions.filter("excluded").select("query", "item").rows() == [("q1", "d0")]
    truth = pl.DataFrame(tables["lists-2"])
    expected = [
        (query, item, float(grade)) for query, items in TRUTH.items() for item, grade in items.items()
    ]
    assert_frame_equal(truth, pl.DataFrame(expected, schema=truth.schema, orient="row"))
