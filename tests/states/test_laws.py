"""What holds for every state: the empty one adds nothing, and bytes come back as they were."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from steelyard.messages.errors import ReadError
from steelyard.metrics import RMSE, Brier
from steelyard.states import Classified, ConfusionTable, GroupTable, Reduced, ScoreTable, Sums
from steelyard.states.arrow_bytes import pack

from .parts import rated, scored, seeds, split, together


def classes(random):
    n = int(random.integers(1, 40))
    names = np.array(["a", "b", "猫"])
    return Classified.of_labels(
        random.choice(names, n),
        random.choice(names, n),
        weight=random.choice([0.0, 0.5, 2.0], n),
        segment=random.integers(0, 3, n),
        n_segments=4,
    )


MAKERS = {
    "sums": lambda random: Sums.of(scored(random, weighted=True), Brier.terms),
    "sums of ratings": lambda random: Sums.of(rated(random, weighted=True), RMSE.terms),
    "score table": lambda random: ScoreTable.of(scored(random)),
    "weighted score table": lambda random: ScoreTable.of(scored(random, weighted=True)),
    "group table": lambda random: GroupTable.of(scored(random)),
    "weighted group table": lambda random: GroupTable.of(scored(random, weighted=True)),
    "confusion table": lambda random: ConfusionTable.of(classes(random)),
    "reduced": lambda random: Reduced.of(scored(random), Brier.terms, scores=True, groups=True),
    "reduced to sums": lambda random: Reduced.of(rated(random), RMSE.terms),
}
EVERY = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@EVERY
@settings(max_examples=40)
@given(seed=seeds)
def test_the_empty_state_adds_nothing(make, seed):
    state = make(np.random.default_rng(seed))
    empty = type(state).empty()
    assert empty.merge(state) == state
    assert state.merge(empty) == state
    assert empty.merge(empty) == empty


@EVERY
@settings(max_examples=40)
@given(seed=seeds)
def test_bytes_come_back_as_the_state(make, seed):
    state = make(np.random.default_rng(seed))
    again = type(state).from_bytes(state.to_bytes())
    assert again == state
    assert again.to_bytes() == state.to_bytes()
    assert again.merge(state) == state.merge(again)
    empty = type(state).empty()
    assert type(state).from_bytes(empty.to_bytes()) == empty


@EVERY
def test_states_of_other_rows_are_not_equal(make):
    one, other = (make(np.random.default_rng(seed)) for seed in (1, 2))
    assert one != other
    assert one != one.merge(other)
    assert one != "state"


@settings(max_examples=60)
@given(seed=seeds)
def test_counts_do_not_depend_on_the_order_of_merging(seed):
    random = np.random.default_rng(seed)
    rows = scored(random)
    parts = split(random, rows)
    for make in (ScoreTable.of, GroupTable.of):
        states = [make(part) for part in parts]
        assert together(random, states) == make(rows) == type(states[0]).merged(states)


@EVERY
def test_bytes_of_another_kind(make):
    state = make(np.random.default_rng(1))
    other = ScoreTable if isinstance(state, Reduced) else Reduced
    with pytest.raises(ReadError, match=f"^these bytes hold '{state.kind}', not '{other.kind}'\n"):
        other.from_bytes(state.to_bytes())


@EVERY
def test_bytes_of_another_version(make):
    state = make(np.random.default_rng(1))
    later = pack(state.kind, 7, state.columns())
    said = f"^these bytes hold version 7 of '{state.kind}'; this Steelyard reads version {state.version}\n"
    with pytest.raises(ReadError, match=said):
        type(state).from_bytes(later)


def broken(state):
    data, columns = state.to_bytes(), state.columns()
    frame = pl.read_ipc(data)
    lacking = dict(list(columns.items())[1:])
    return {
        "nothing": b"",
        "text": b"score table",
        "the beginning": data[:40],
        "almost all": data[:-9],
        "the end": data[20:],
        "no kind": written(frame.drop("kind")),
        "no row": written(frame.head(0)),
        "two rows": written(pl.concat([frame, frame])),
        "a column less": pack(state.kind, 1, lacking),
        "a column more": pack(state.kind, 1, {**columns, "more": 1}),
        "another type": pack(state.kind, 1, {**columns, "n_segments": 1.0}),
    }


def written(frame):
    out = frame.write_ipc(None)
    return out.getvalue()


@pytest.mark.parametrize("how", broken(ScoreTable.empty()))
def test_broken_bytes(how):
    state = ScoreTable.of(scored(np.random.default_rng(1)))
    said = "these bytes hold no score table: they are cut off, changed or of another format"
    with pytest.raises(ReadError, match=f"^{re.escape(said)}\n"):
        ScoreTable.from_bytes(broken(state)[how])


def test_columns_that_do_not_fit_together():
    state = Sums.of(scored(np.random.default_rng(1), n=9))
    short = {**state.columns(), "sums": np.ones(3)}
    with pytest.raises(ReadError, match="these bytes hold no sums"):
        Sums.from_bytes(pack("sums", state.version, short))


def test_a_changed_digit_is_seen():
    state = ScoreTable.of(scored(np.random.default_rng(1), n=9))
    frame = pl.read_ipc(state.to_bytes())
    changed = frame.with_columns(pl.col("positives").list.eval(pl.element() + 1))
    with pytest.raises(ReadError, match="these bytes hold no score table"):
        ScoreTable.from_bytes(written(changed))
