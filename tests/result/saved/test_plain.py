"""Plain values come back from JSON as they were."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.engine.protocol import Tally
from steelyard.metrics import by_name
from steelyard.metrics.base import MetricRequest
from steelyard.printable import Shown
from steelyard.result.stored import (
    LAYOUTS,
    TableReader,
    TableWriter,
    UndefinedMetricError,
    from_json,
    to_json,
)
from steelyard.spec.plan import ask
from steelyard.text import listed, say, term
from steelyard.text.errors import OutputError

from ...tables import each_row


def again(value: Any) -> Any:
    """The value after the way through the text of a manifest."""
    return from_json(json.loads(json.dumps(to_json(value), allow_nan=False)))


def again_by_fields(value: Any) -> Any:
    """A value with fields after the same way."""
    node = json.loads(json.dumps(TableWriter().part(value), allow_nan=False))
    return TableReader({}, []).part(type(value), node)


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
    values = [-(2**63), 2**64, -0.0, 5e-324, "\udc80", "tuple", {"tuple": 0}, {1: {}}]
    assert same(again(values), values)


@pytest.mark.parametrize(
    "number", [np.float32(0.1), np.int64(7), np.bool_(True), np.str_("é"), np.datetime64("2026-01-02")]
)
def test_numbers_of_numpy_stay_such(number):
    found = again({"n": number})["n"]
    assert type(found) is type(number)
    assert found == number


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


@pytest.mark.parametrize("said", MESSAGES)
def test_messages_come_back_with_what_they_are_made_of(said):
    found = again(said)
    assert type(found) is type(said)
    assert (found, found.template, found.key) == (said, said.template, said.key)
    assert found.render("zh") == said.render("zh")
    assert found.to_dict() == said.to_dict()


def test_a_message_is_told_in_chinese():
    said = say("{n:,} {n:query has|queries have} no predictions: {fate}", n=1200, fate=say("left out"))
    assert again((said,))[0].render("zh") == "标注中有 1,200 个查询没有预测：不计入"


def test_every_metric():
    every = [kind(k=7) if kind.at == "required" else kind() for kind in by_name().values()]
    assert again(every) == every
    assert [metric.spec() for metric in again(every)] == [metric.spec() for metric in every]


def test_metrics_with_conventions_of_their_own():
    texts = ["ndcg(gain=1:3/2:9.5, ties=expected)@5", "f1(average=macro)", "trec_eval:map", "ece(bins=7)"]
    metrics = tuple(map(sy.metric, texts))
    assert again(metrics) == metrics


def test_later_fields_are_ignored_and_earlier_files_take_defaults():
    node = TableWriter().part(Tally(predictions=3, rows=2))
    node |= {"added": 1, "also": {"a form of next year": 1}}
    del node["rows"]
    assert TableReader({}, []).part(Tally, node) == Tally(predictions=3)
    metric = to_json(sy.NDCG(k=3))
    metric["metric"][2]["added"] = "x"
    assert from_json(metric) == sy.NDCG(k=3)


def test_a_metric_that_nobody_registered():
    node = to_json(sy.NDCG(k=3))
    node["metric"][0] = "our_own"
    with pytest.raises(UndefinedMetricError, match="our_own"):
        from_json(node)


def test_a_request_for_a_metric():
    asked = MetricRequest(sy.FBeta(beta=1.0), frozenset({"beta", "average"}), "f1", {"beta": 1.0})
    assert again_by_fields(asked) == asked
    assert again_by_fields(asked).fixed == {"beta": 1.0}


def test_a_plan():
    plan = ask(["ndcg(gain=1:3/2:9)@5,10", "auc", "f1"], by=["country"], classes=[0, 1])
    found = again_by_fields(plan)
    assert found == plan
    assert found.metrics == plan.metrics
    assert [one.fixed for one in found.asked] == [one.fixed for one in plan.asked]


def test_every_stored_class_is_a_frozen_value():
    assert all(kind.__dataclass_params__.frozen for kind in LAYOUTS)


@dataclass(frozen=True)
class Unlisted:
    n: int = 1


@each_row(
    ("value", "named"),
    [
        (Unlisted(), "a Unlisted cannot be saved"),
        (len, "a builtin_function_or_method cannot be saved"),
        (Path("x"), "a PosixPath cannot be saved"),
        (np.array([1.0]), "a ndarray cannot be saved"),
    ],
)
def test_what_cannot_be_stored_is_refused(value, named):
    with pytest.raises(OutputError, match=f"^{named}"):
        to_json({"x": [value]})


@pytest.mark.parametrize(
    "node",
    [
        {"call": "os.system"},
        {"class": "os.system"},
        {"dict": [[1]]},
        {"message": ["{n}", {"m": 1}, ""]},
        {"shown": []},
        {"scalar": ["O", "00"]},
        {"decimal": "1,5"},
        {"date": "2026-99-99"},
        {},
        {"tuple": [], "list": []},
    ],
)
def test_json_that_was_written_by_hand_runs_nothing(node):
    """Whatever it says, it ends in an error of the kinds that a reader of files turns into a sentence."""
    with pytest.raises((ValueError, TypeError, LookupError, ArithmeticError)):
        from_json(node)


def test_types_that_look_alike():
    value = {
        "day": date(2026, 1, 2),
        "moment": datetime(2026, 1, 2),
        "hour": time(1),
        "number": Decimal("1E+2"),
    }
    assert same(again(value), value)
