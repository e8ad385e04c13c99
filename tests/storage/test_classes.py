"""Everything a result is made of can be stored, and holds no functions."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard import storage
from steelyard.ask.plan import ask
from steelyard.engine.classified import Classified
from steelyard.engine.ranked import Ranked
from steelyard.engine.rated import Rated
from steelyard.engine.score_table import ScoreTable
from steelyard.engine.scored import Scored
from steelyard.storage.tree import stored_fields

FUNCTIONS = {collections.abc.Callable, types.FunctionType, types.MethodType}


def parts(hint: Any) -> list[Any]:
    """A type and all that it is made of."""
    inner = [
        one for argument in get_args(hint) for one in (argument if isinstance(argument, list) else [argument])
    ]
    return [hint, get_origin(hint), *(part for one in inner for part in parts(one))]


def test_no_class_holds_a_function():
    held = {
        (name, field): get_type_hints(kind)[field]
        for name, kind in storage.HELD.items()
        for field in stored_fields(kind)
    }
    assert not {place for place, hint in held.items() if any(one in FUNCTIONS for one in parts(hint))}


def test_every_class_is_a_frozen_value_with_a_name_of_its_own():
    kinds = list(storage.HELD.values())
    assert [one for one in kinds if not issubclass(one, tuple) and not one.__dataclass_params__.frozen] == []
    assert len(set(kinds)) == len(kinds)


def test_what_is_left_out_is_a_cache():
    left = {
        (name, field.name)
        for name, kind in storage.HELD.items()
        if dataclasses.is_dataclass(kind)
        for field in dataclasses.fields(kind)
        if field.name not in stored_fields(kind)
    }
    assert {field for _, field in left} <= {"shared", "_cache", "of_truth", "sources"}


def again(value: Any, tmp_path) -> Any:
    file = tmp_path / "value.steelyard"
    file.write_bytes(storage.to_bytes("value", "1.0", value, storage.HELD))
    return storage.read(file, "value", "1.0", storage.HELD)


def assert_same(one: Any, other: Any) -> None:
    """Equal to the bit, field by field."""
    assert type(one) is type(other)
    if type(one) in storage.HELD.values():
        for field in stored_fields(type(one)):
            assert_same(getattr(one, field), getattr(other, field))
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
        assert not other.flags.writeable
    elif isinstance(one, pl.Series | pl.DataFrame):
        assert one.equals(other, null_equal=True)
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    else:
        assert one == other or (one != one and other != other)


LABELS, SCORES = np.array([1, 0, 1, 0], np.uint8), np.array([0.9, 0.9, 0.4, 0.1], np.float32)
STATES = {
    "ranked": Ranked.of_lists([[3, 0, 1], [0, 0]], [[3, 0, 1, 2], [0, 0, 1]]),
    "scored": Scored.of(
        LABELS, SCORES, weight=np.array([1.0, 0.5, 2.0, 0.0]), group=np.arange(4) % 2, n_groups=2
    ),
    "table": ScoreTable.of(Scored.of(LABELS, SCORES)),
    "texts": Classified.of_labels(np.array(["b", "a"]), np.array(["a", "a"])),
    "calls": Classified.of_scored(Scored.of(LABELS, SCORES), 0.5, strict=False),
    "rated": Rated.of(
        np.array([1.0, np.inf]), np.array([-0.0, 5e-324]), segment=np.array([0, 1]), n_segments=2
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_states(name, tmp_path):
    assert_same(STATES[name], again(STATES[name], tmp_path))


def test_what_was_worked_out_is_not_stored(tmp_path):
    scored = STATES["scored"]
    assert scored.rows.tolist() == [3]  # a row of weight 0 is none
    assert {"rows", "weights"} <= set(scored.__dict__)
    assert not {"rows", "weights"} & set(again(scored, tmp_path).__dict__)


def test_values_from_a_loaded_state(tmp_path):
    ranked = again(STATES["ranked"], tmp_path)
    # 3 and 1 stand at ranks 1 and 3; the best order of what is judged is 3, 2, 1
    expected = (3 / 1 + 1 / 2) / (3 / 1 + 2 / np.log2(3) + 1 / 2)
    assert sy.NDCG(k=3).per_query(ranked).tolist() == [pytest.approx(expected), 0.0]
    scored = again(STATES["scored"], tmp_path)
    # weights 1 and 2 are positive; the tie with 0.5 counts half, and 0.4 loses to it; weight 0 is no row
    assert scored.auc.tolist() == [pytest.approx((1 * 0.5 * 0.5) / (3 * 0.5))]


def test_a_call(tmp_path):
    plan = ask(["ndcg(gain=1:3/2:9)@5,10", "auc", "f1"], by=["country"], classes=[0, 1])
    found = again(plan, tmp_path)
    assert found == plan
    assert found.metrics == plan.metrics
    assert [one.fixed for one in found.asked] == [one.fixed for one in plan.asked]


def test_a_profile_is_stored_with_what_it_said(tmp_path):
    request = ask("map", "trec_eval")
    said = {**request.profile.conventions, "ties": "item_asc"}
    other = dataclasses.replace(request, profile=dataclasses.replace(request.profile, conventions=said))
    assert again(other, tmp_path).profile.conventions["ties"] == "item_asc"
