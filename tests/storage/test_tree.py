"""Plain data comes back from its tree and its columns as it was."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from polars.testing import assert_frame_equal, assert_series_equal
from polars.testing.parametric import dataframes, series

import steelyard as sy
from steelyard.arrays import UNSTORED
from steelyard.messages import listed, say, term
from steelyard.messages.errors import OutputError
from steelyard.metrics import by_name
from steelyard.metrics.base import Asked
from steelyard.printable import Shown
from steelyard.storage import to_bytes
from steelyard.storage.sealed import unseal
from steelyard.storage.tree import UndefinedMetricError, from_tree, stored_fields, to_tree

from ..tables import each_row


def again(value: Any, classes: Mapping[str, type] | None = None) -> Any:
    """The value after the way through the bytes of a file."""
    _, frame = unseal(to_bytes("value", "1.0", value, classes or {}))
    columns = {column.name: column[0] for column in frame.drop("tree")}
    return from_tree(json.loads(frame["tree"][0]), columns, classes or {})


def same(one: Any, other: Any) -> bool:
    """Whether two values are of one type and equal, parts included; NaN is NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, float):
        return one.hex() == other.hex()
    return bool(one == other)


finest = st.integers(-720, 720).map(lambda minutes: timezone(timedelta(minutes=minutes)))
simple = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.characters(categories=["Cs"])  # half a character, as names of files may have one
    | st.binary()
    | st.dates()
    | st.datetimes(timezones=st.none() | finest)
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
keys = st.text() | st.integers() | st.tuples(st.text(), st.booleans()) | st.dates()
plain = st.recursive(
    simple,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.frozensets(st.text() | st.integers(), max_size=4)
    ),
    max_leaves=20,
)


@given(plain)
def test_plain_values(value):
    assert same(again(value), value)


def test_odd_values():
    values = [10**5000, -(2**63), 2**64, -0.0, 5e-324, "\udc80", "at", {"at": 0}, {1: {}}]
    assert same(again(values), values)


kinds = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(endianness="?"),
    arrays.unsigned_integer_dtypes(endianness="?"),
    arrays.floating_dtypes(endianness="?"),
    arrays.complex_number_dtypes(),
    arrays.unicode_string_dtypes(min_len=1),
    arrays.byte_string_dtypes(min_len=1),
    arrays.datetime64_dtypes(),
)
shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)


@given(kinds.flatmap(lambda kind: arrays.arrays(kind, shapes)))
def test_arrays(array):
    found = again(array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    assert not found.flags.writeable


def test_arrays_that_are_no_block_of_memory():
    grid = np.arange(24).reshape(4, 6)
    for view in (grid[::2, 1::3], grid.T, np.broadcast_to(np.array([1.5]), (2, 3)), np.asfortranarray(grid)):
        np.testing.assert_array_equal(again(view), view)


@given(
    st.sampled_from([np.float32(0.1), np.int64(7), np.bool_(True), np.str_("é"), np.datetime64("2026-01-02")])
)
def test_numbers_of_numpy_stay_such(number):
    found = again({"n": number})["n"]
    assert type(found) is type(number)
    assert found == number


@given(series(excluded_dtypes=[pl.Object]))
def test_series(column):
    assert_series_equal(again(column), column, categorical_as_str=False)


@given(dataframes(max_cols=4, excluded_dtypes=[pl.Object]))
def test_frames(frame):
    assert_frame_equal(again(frame), frame)


MESSAGES = [
    say("{n:,} {n:row|rows} excluded.", key="excluded", n=3),
    say("{said} ({labels}).", key="held", said=say("left out", key="skip"), labels=["ndcg@10", "mrr"]),
    say("did you mean rel={likely}?", likely=Shown(2.0, "2")),
    say("{share} of them", share=Shown(0.5, say("half"))),
    listed([say("lists"), "b", "c", "d"], 3),
    say("{value} at {when}", value=np.float64(0.25), when=date(2026, 1, 2)),
    say("braces {query: {item: score}}"),
    term("hits in the first n // 2 places {of"),
]


@each_row("said", MESSAGES)
def test_messages_come_back_with_what_they_are_made_of(said):
    found = again(said)
    assert type(found) is type(said)
    assert (found, found.template, found.key) == (said, said.template, said.key)
    assert found.told("zh") == said.told("zh")
    assert found.to_dict() == said.to_dict()


def test_a_message_is_told_in_chinese():
    said = say(
        "{n:,} {n:query|queries} of the truth without predictions: {fate}", n=1200, fate=say("left out")
    )
    assert again((said,))[0].told("zh") == "标注中有 1,200 个查询没有预测：不计入"


def test_every_metric():
    every = [kind(k=7) if kind.at == "required" else kind() for kind in by_name().values()]
    assert again(every) == every
    assert [metric.spec() for metric in again(every)] == [metric.spec() for metric in every]


def test_metrics_with_conventions_of_their_own():
    texts = ["ndcg(gain=1:3/2:9.5, ties=expected)@5", "f1(average=macro)", "trec_eval:map", "ece(bins=7)"]
    metrics = tuple(map(sy.metric, texts))
    assert again(metrics) == metrics


@dataclass(frozen=True, kw_only=True)
class Place:
    """A value as a result has them: fields, a cache, and what is worked out on demand."""

    name: str
    at: np.ndarray
    depth: int | None = 5
    more: Any = None
    shared: dict[Any, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False, metadata=UNSTORED
    )
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False, metadata=UNSTORED)

    @cached_property
    def total(self) -> float:
        return float(self.at.sum())


class Pair(NamedTuple):
    one: Any
    other: Any


CLASSES = {"place": Place, "pair": Pair}


def test_caches_are_not_stored():
    place = Place(name="a", at=np.array([1.0, 2.0]))
    assert place.total == 3.0
    place.shared["big"] = place._cache["big"] = np.zeros(10)
    tree, columns = to_tree(place, CLASSES)
    assert list(columns) == ["0"]
    assert list(tree["objects"][-1]["fields"]) == stored_fields(Place) == ["name", "at", "depth", "more"]
    found = again(place, CLASSES)
    assert (found.name, found.at.tolist(), found.depth) == ("a", [1.0, 2.0], 5)
    assert found.shared == found._cache == {}
    assert "total" not in found.__dict__


def test_what_is_shared_is_stored_once_and_comes_back_shared():
    at, frame = np.arange(5), pl.DataFrame({"query": ["a", "b"]})
    place = Place(name="a", at=at, more=frame)
    value = (place, {"again": place}, at, frame, Pair(at, [frame]))
    tree, columns = to_tree(value, CLASSES)
    assert (len(columns), len(tree["objects"])) == (2, 4)
    first, second, found, table, pair = again(value, CLASSES)
    assert first is second["again"]
    assert first.at is found is pair.one
    assert first.more is table is pair.other[0]


def test_equal_arrays_are_two_where_they_were_two():
    one, other = again((np.arange(3), np.arange(3)))
    assert one is not other


def test_later_fields_are_passed_over_and_earlier_files_take_defaults():
    tree, columns = to_tree(Place(name="a", at=np.arange(2), depth=9), CLASSES)
    fields = tree["objects"][-1]["fields"]
    tree["objects"].append({"class": "a class of next year", "fields": {}})
    fields["added"] = {"at": len(tree["objects"]) - 1}
    fields["also"] = {"a form of next year": 1}
    del fields["depth"]
    found = from_tree(tree, columns, CLASSES)
    assert (found.name, found.depth) == ("a", 5)


def test_later_fields_of_a_metric_are_passed_over():
    tree, columns = to_tree(sy.NDCG(k=3), {})
    tree["value"]["fields"]["added"] = "x"
    assert from_tree(tree, columns, {}) == sy.NDCG(k=3)


def test_a_metric_that_nobody_registered():
    tree, columns = to_tree(sy.NDCG(k=3), {})
    tree["value"]["metric"] = "our_own"
    with pytest.raises(UndefinedMetricError, match="our_own"):
        from_tree(tree, columns, {})


def test_what_was_asked():
    asked = Asked(sy.FBeta(beta=1.0), frozenset({"beta", "average"}), "f1", {"beta": 1.0})
    found = again(asked, {"asked": Asked})
    assert found == asked
    assert found.fixed == {"beta": 1.0}


@dataclass(frozen=True)
class Unlisted:
    n: int = 1


@each_row(
    ("value", "named"),
    [
        (Unlisted(), "a Unlisted cannot be saved"),
        (len, "a builtin_function_or_method cannot be saved"),
        (Path("x"), "a PosixPath cannot be saved"),
        (np.array(["a", None], object), "a NumPy array of object cannot be saved"),
        (np.zeros(2, [("a", "i4")]), "a NumPy array of"),
        (np.ma.masked_array([1, 2], [True, False]), "a MaskedArray cannot be saved"),
        (pl.Series([object()], dtype=pl.Object), "a Polars series of Object cannot be saved"),
        (pl.LazyFrame({"a": [1]}), "a LazyFrame cannot be saved"),
    ],
)
def test_what_cannot_be_stored_is_refused(value, named):
    with pytest.raises(OutputError, match=f"^{named}"):
        to_tree({"x": [value]}, CLASSES)


@each_row(
    "node",
    [
        {"at": 0},
        {"at": "0"},
        {"call": "os.system"},
        {"class": "os.system"},
        {"dict": [[1]]},
        {"message": ["{n}", {"m": 1}, ""]},
        {"shown": []},
        {"scalar": {"array": "0", "dtype": "O", "shape": []}},
        {},
    ],
)
def test_a_tree_that_was_made_by_hand_runs_nothing(node):
    """Whatever it says, it ends in an error of the kinds that a reader of files turns into a sentence."""
    circle = {"class": "place", "fields": {"name": {"at": 0}}}
    columns = {"0": pl.Series("0", [1, 2])}
    with pytest.raises((ValueError, TypeError, LookupError, RecursionError)):
        from_tree({"value": node, "objects": [circle]}, columns, CLASSES)


def test_a_stored_class_is_a_frozen_value():
    value = again(Place(name="a", at=np.arange(2)), CLASSES)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.name = "b"
    with pytest.raises(ValueError, match="read-only"):
        value.at[0] = 1


def test_types_that_look_alike():
    value = {
        "day": date(2026, 1, 2),
        "moment": datetime(2026, 1, 2),
        "hour": time(1),
        "number": Decimal("1E+2"),
    }
    assert same(again(value), value)
