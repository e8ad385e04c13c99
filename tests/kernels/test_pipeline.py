"""The whole pipeline: kernels and twins, keys that collide, and ties worked by hand."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.engine import coding
from steelyard.kernels import forced

from ..examples import examples
from ..tables import each_row

METRICS = [
    "precision@3",
    "recall@3",
    "f1@3",
    "hit_rate@3",
    "mrr",
    "map@3",
    "map(denominator=hits)@3",
    "cg@2",
    "dcg@3",
    "idcg",
    "ndcg(gain=exp2)",
    "r_precision",
]
TIES = ["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"]


@st.composite
def tables(draw):
    """Runs and truth full of ties and doubled rows, queries in any order."""
    queries = st.sampled_from(["q1", "q2", "q3", "q4"])
    items = st.sampled_from([f"d{n}" for n in range(12)])
    said = draw(
        st.lists(
            st.tuples(queries, items, st.sampled_from([0.0, 0.5, 1.0, 2.0, -math.inf])),
            min_size=1,
            max_size=50,
        )
    )
    true = draw(st.lists(st.tuples(queries, items, st.sampled_from([-1, 0, 1, 2])), max_size=20))
    query = said[0][0]
    true = [(query, "d1", 1), *true]
    return (
        pl.DataFrame(said, schema=["query", "item", "score"], orient="row"),
        pl.DataFrame(true, schema=["query", "item", "relevance"], orient="row"),
    )


def numbers(result):
    table, per_query = result.table(), result.per_query()
    ends = [table[name].fill_null(-1.0) for name in ("ci_low", "ci_high", "tie_low", "tie_high")]
    return (
        [column.to_numpy().tobytes() for column in (table["value"], per_query["value"], *ends)],
        table.drop("value", *(end.name for end in ends)).rows(),
        per_query.drop("value").rows(),
        result.tally,
        result.notes,
    )


@examples(40)
@given(
    drawn=tables(),
    ties=st.sampled_from(TIES),
    duplicates=st.sampled_from(["first", "best"]),
    seen=st.sampled_from([None, {"q1": ["d1", "d2"], "q9": ["d1"]}]),
)
def test_kernels_and_twins_give_the_same_bits(drawn, ties, duplicates, seen):
    def run():
        return sy.evaluate(*drawn, METRICS, ties=ties, duplicates=duplicates, exclude=seen)

    with forced("twin"):
        twin = run()
    with forced("kernel"):
        kernel = run()
    assert numbers(twin) == numbers(kernel)


@pytest.mark.parametrize("ids", ["text", "integers"])
@pytest.mark.parametrize("ties", TIES)
def test_kernels_and_twins_agree_on_a_larger_run(ties, ids):
    draw = np.random.default_rng(2026)
    n = 20_000
    said = pl.DataFrame(
        {
            "query": draw.integers(0, 300, n),
            "item": draw.integers(0, 500, n),
            "score": draw.integers(0, 40, n) / 8,
        }
    ).unique(["query", "item"], keep="first", maintain_order=True)
    true = pl.DataFrame(
        {
            "query": draw.integers(0, 320, 4_000),
            "item": draw.integers(0, 500, 4_000),
            "relevance": draw.integers(-1, 4, 4_000),
        }
    ).unique(["query", "item"], keep="first", maintain_order=True)
    if ids == "text":
        said, true = (
            frame.with_columns(query=pl.format("q{}", "query"), item=pl.format("d{}", "item"))
            for frame in (said, true)
        )
    with forced("twin"):
        twin = sy.evaluate(said, true, METRICS, ties=ties)
    with forced("kernel"):
        kernel = sy.evaluate(said, true, METRICS, ties=ties)
    assert numbers(twin) == numbers(kernel)


@pytest.mark.parametrize("scores", ["as_given", "float32"])
def test_kernels_and_twins_agree_on_zeros(scores):
    # in single precision the two smallest become 0.0 and -0.0
    said = {"q": {"a": 1e-60, "b": -1e-60, "c": 0.0, "d": -0.0}}
    results = []
    for side in ("twin", "kernel"):
        with forced(side):
            results.append(sy.evaluate(said, {"q": {"a": 1}}, METRICS, conventions={"scores": scores}))
    assert results[0].tally.tied == (2 if scores == "as_given" else 4)
    assert numbers(results[0]) == numbers(results[1])


# ------------------------------------------------------------------------------- keys that collide


def as_one(column):
    return np.zeros(len(column), np.uint64)


def by_length(column):
    return column.str.len_bytes().to_numpy().astype(np.uint64)


@pytest.mark.parametrize("side", ["twin", "kernel"])
@pytest.mark.parametrize("colliding", [as_one, by_length])
@examples(20)
@given(drawn=tables(), seen=st.sampled_from([None, {"q1": ["d1", "d2"], "q9": ["d1"]}]))
def test_colliding_keys_change_nothing(colliding, side, drawn, seen):
    options = {"duplicates": "best", "exclude": seen}
    right = sy.evaluate(*drawn, METRICS, **options)
    with pytest.MonkeyPatch.context() as patch, forced(side):
        patch.setattr(coding, "hashed", colliding)
        assert numbers(sy.evaluate(*drawn, METRICS, **options)) == numbers(right)


def test_colliding_keys_are_no_doubled_rows(monkeypatch):
    monkeypatch.setattr(coding, "hashed", as_one)
    said, true = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "z": 1}}
    result = sy.evaluate(said, true, ["mrr", "recall@all"], exclude={"q": ["a"]})
    assert result["mrr"] == 1.0
    assert result["recall@all"] == 1 / 2
    assert result.tally.doubled_predictions == result.tally.doubled_judgements == 0
    assert result.tally.excluded == 1


# ------------------------------------------------------------------------------- ties worked by hand


def run(groups, unseen=0):
    """A query from tie groups of grades; what was not shown is relevant."""
    said, true, n = {}, {f"z{n}": 1 for n in range(unseen)}, 0
    for place, group in enumerate(groups):
        for grade in group:
            said[f"d{n}"] = -float(place)
            true[f"d{n}"] = grade
            n += 1
    return {"q": said}, {"q": true}


ONE = run([[1, 0, 0]])
TWO = run([[0], [1, 1, 0, 0]], unseen=1)
THREE = run([[1, 0, 0], [1, 1, 0, 0, 0]], unseen=1)
FOUR = run([[1], [0], [1, 0]])
FIVE = run([[1], [1, 1, 0, 0]])

WORKED = [  # spec/ties.md, section 6: metric, expected, worst, best
    (ONE, "precision@2", F(1, 3), F(0), F(1, 2)),
    (ONE, "recall@2", F(2, 3), F(0), F(1)),
    (ONE, "f1@2", F(4, 9), F(0), F(2, 3)),
    (ONE, "hit_rate@2", F(2, 3), F(0), F(1)),
    (ONE, "mrr@2", F(1, 2), F(0), F(1)),
    (ONE, "map@2", F(1, 2), F(0), F(1)),
    (ONE, "map(denominator=k)@2", F(1, 4), F(0), F(1, 2)),
    (ONE, "mrr", F(11, 18), F(1, 3), F(1)),
    (ONE, "map", F(11, 18), F(1, 3), F(1)),
    (TWO, "precision@3", F(1, 3), F(0), F(2, 3)),
    (TWO, "recall@3", F(1, 3), F(0), F(2, 3)),
    (TWO, "f1@3", F(1, 3), F(0), F(2, 3)),
    (TWO, "hit_rate@3", F(5, 6), F(0), F(1)),
    (TWO, "mrr@3", F(13, 36), F(0), F(1, 2)),
    (TWO, "map@3", F(17, 108), F(0), F(7, 18)),
    (TWO, "mrr@5", F(29, 72), F(1, 4), F(1, 2)),
    (TWO, "map@5", F(317, 1080), F(13, 60), F(7, 18)),
    (THREE, "precision@5", F(9, 25), F(1, 5), F(3, 5)),
    (THREE, "recall@5", F(9, 20), F(1, 4), F(3, 4)),
    (THREE, "fbeta(beta=2)@5", F(3, 7), F(5, 21), F(5, 7)),
    (THREE, "r_precision", F(7, 20), F(1, 4), F(1, 2)),
    (THREE, "mrr@5", F(11, 18), F(1, 3), F(1)),
    (THREE, "map@5", F(223, 900), F(1, 12), F(21, 40)),
    (THREE, "map(denominator=k)@5", F(223, 1125), F(1, 15), F(21, 50)),
    (FOUR, "map@3", F(2, 3), F(1, 2), F(5, 6)),
    (FOUR, "dcg(gain=exp2)@3", F(5, 4), F(1), F(3, 2)),
    (FIVE, "map@3", F(17, 27), F(1, 3), F(1)),
    (FIVE, "precision@3", F(2, 3), F(1, 3), F(1)),
]


@each_row(("tables", "metric", "expected", "worst", "best"), WORKED)
def test_ties_worked_by_hand(tables, metric, expected, worst, best):
    for ties, value in (("expected", expected), ("pessimistic", worst), ("optimistic", best)):
        assert sy.evaluate(*tables, metric, ties=ties)[metric] == pytest.approx(float(value), abs=1e-15)


@each_row(
    ("tables", "k", "expected"),
    [(TWO, 3, F(3, 8)), (THREE, 5, F(3017, 5400)), (FOUR, 3, F(11, 12)), (FIVE, 3, F(17, 18))],
)
def test_precision_over_the_hits_alone(tables, k, expected):
    metric = f"map(denominator=hits)@{k}"
    assert sy.evaluate(*tables, metric, ties="expected")[metric] == pytest.approx(float(expected), abs=1e-15)


@each_row(
    ("tables", "k", "last_first", "first_first"),
    [
        # best grade first and worst grade first, which are not best and worst here
        (TWO, 3, F(0), (F(1, 2) + F(2, 3)) / 2),
        (THREE, 5, F(1, 3), (1 + F(2, 4) + F(3, 5)) / 3),
        (FOUR, 3, F(1), (1 + F(2, 3)) / 2),
        (FIVE, 3, F(1), F(1)),
    ],
)
def test_precision_over_the_hits_in_the_two_orders_by_grade(tables, k, last_first, first_first):
    metric = f"map(denominator=hits)@{k}"
    for ties, value in (("pessimistic", last_first), ("optimistic", first_first)):
        assert sy.evaluate(*tables, metric, ties=ties)[metric] == pytest.approx(float(value), abs=1e-15)


def test_discounted_gains_of_a_divided_tie():
    # two of four at the ranks 2 and 3, each place relevant with chance 1/2
    value = sy.evaluate(*TWO, "dcg(gain=exp2)@3", ties="expected")["dcg(gain=exp2)@3"]
    assert value == pytest.approx((1 / math.log2(3) + 1 / 2) / 2, abs=1e-15)
    assert value == pytest.approx(0.565464876785729, abs=1e-14)


def test_graded_gains_of_a_divided_tie():
    said, true = run([[3, 1, 0], [2, 0]])
    ideal = 7 + 3 / math.log2(3) + 1 / 2
    first = (7 + 1) / 3 * (1 + 1 / math.log2(3) + 1 / 2)
    value = sy.evaluate(said, true, "ndcg(gain=exp2)@4", ties="expected")["ndcg(gain=exp2)@4"]
    assert value == pytest.approx((first + 3 / 2 / math.log2(5)) / ideal, abs=1e-15)
    assert value == pytest.approx(0.673760903636626, abs=1e-14)
    said, true = run([[3, 1, 0]])
    value = sy.evaluate(said, true, "ndcg(gain=exp2)@2", ties="expected")["ndcg(gain=exp2)@2"]
    assert value == pytest.approx(0.569936580465622, abs=1e-14)


def test_a_tie_far_down_a_long_list():
    # example 10: a million rows stand before two tied relevant ones
    n = 1_000_000
    said = pl.DataFrame(
        {
            "query": np.zeros(n + 2, np.int64),
            "item": np.arange(n + 2),
            "score": np.append(np.arange(n, 0, -1.0), [0.0, 0.0]),
        }
    )
    true = pl.DataFrame({"query": [0, 0], "item": [n, n + 1], "relevance": [1, 1]})
    value = sy.evaluate(said, true, "map", ties="expected")["map"]
    assert value == pytest.approx(1500002 / 500001500001 / 2, rel=1e-15)
