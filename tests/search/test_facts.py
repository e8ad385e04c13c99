"""What nothing depends on: with it settled a metric has the value that it had, whatever its words."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.api.evaluate import opened
from steelyard.conventions import Certainty, tries
from steelyard.engine.protocol import Call
from steelyard.metrics.base import MetricRequest
from steelyard.search.facts import Facts, Trials
from steelyard.spec import EDITION, Plan, profile
from steelyard.text.errors import MetricError, SteelyardError

from ..examples import examples

NEAR = (2.0, 2.0 - 1e-12, 2.0 - 2e-12, 1.0, -1.0, 1e-300, 0.0, -math.inf)
GRADES = (1, 1, 1, 2, 0, -1, 0.5)
OF_LISTS = ("mrr", "map@2", "ndcg", "ndcg@3", "r_precision", "bpref", "precision@2", "err@3")
OF_SCORES = ("auc", "pr_auc", "logloss", "brier")
OF_CLASSES = ("f1", "precision", "recall", "accuracy", "mcc")
MANY = 100
_UNTRIED = ("k", "floor", "beta", "threshold")


def read(predictions, truth, *metrics, **call):
    """The values of tables that were read once, and the metrics as the data settles them."""
    asked = tuple(MetricRequest.of(sy.metric(metric)) for metric in metrics)
    plan = Plan(asked=asked, profile=profile(EDITION), call={}, certainty=Certainty(ci="none"))
    given = Call(predictions=predictions, truth=truth, **call)
    _, engine = opened(plan, given, lambda _: None)
    values = Trials(engine, Facts.of(engine, [type(one.metric) for one in asked]))
    return values, plan.settled(engine.settled).metrics


def outcome(values, one):
    """A value, or why there is none."""
    values.measure([one])
    return values.why_refused(one), values.of(one)


def changed(one, **changes):
    return replace(one, metric=one.metric.replace(**changes), stated=one.stated | set(changes))


def words(metric, name):
    """Every choice of a field, and some numbers where it takes numbers."""
    field = next(field for field in dataclasses.fields(metric) if field.name == name)
    if name == "depth":
        return [None, 1, 2, 3, 5]
    if name == "rel":
        return [1, 2]
    return [] if callable(field.metadata.get("tries")) else tries(field, None)


def check_settled(values, one):
    """What is settled has the same value; it is refused where the metric itself is, and nowhere else."""
    for for_good in (True, False):
        metric = values.facts.settled(one, for_good=True) if for_good else values.settled(one)
        if metric == one.metric:
            continue
        (refused, value), (why, found) = outcome(values, one), outcome(values, replace(one, metric=metric))
        assert (why is None) == (refused is None), (str(one.metric), str(metric), why, refused)
        assert found == pytest.approx(value, abs=1e-12, nan_ok=True), (str(one.metric), str(metric))


def check_words(values, one, draw):
    """Every word of a field that is drawn, beside words that are drawn for some others."""
    names = [name for name in one.metric.values() if name not in _UNTRIED and words(one.metric, name)]
    name, *others = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
    beside = {other: draw(st.sampled_from(words(one.metric, other))) for other in others}
    for word in words(one.metric, name):
        try:
            made = changed(one, **{**beside, name: word})
        except MetricError:  # choices that mean nothing together
            continue
        check_settled(values, made)


@st.composite
def tables(draw):
    """Two tables with ties, doubled rows, queries of one side alone, and scores that float32 joins."""
    names = st.sampled_from(["q", "r", "s", "7"])
    items = st.sampled_from(["7", "8", "9", "10", "11"])
    scores = st.sampled_from(draw(st.sampled_from([NEAR, NEAR[:2], (5.0, 4.0, 3.0, 2.0, 1.0)])))
    said = draw(st.lists(st.tuples(names, items, scores), min_size=1, max_size=9))
    grades = st.sampled_from(draw(st.sampled_from([GRADES, GRADES[:3], GRADES[:4], GRADES[:5]])))
    true = draw(st.lists(st.tuples(names, items, grades), min_size=1, max_size=9))
    if draw(st.booleans()):
        said, true = ({row[:2]: row for row in rows}.values() for rows in (said, true))
    run = pl.DataFrame(list(said), ["query", "item", "score"], orient="row")
    truth = pl.DataFrame(
        [(query, item, float(grade)) for query, item, grade in true],
        ["query", "item", "relevance"],
        orient="row",
    )
    if draw(st.booleans()):  # ids that are numbers
        run, truth = (
            table.with_columns(
                pl.col("item").cast(pl.Int64),
                pl.col("query").replace_strict({"q": 1, "r": 2, "s": 3, "7": 7}, return_dtype=pl.Int64),
            )
            for table in (run, truth)
        )
    return run, truth


@given(tables(), st.sampled_from(OF_LISTS), st.data())
@examples(MANY)
def test_lists_of_two_tables(both, metric, data):
    try:
        values, (one,) = read(*both, metric)
    except SteelyardError:
        return
    check_words(values, one, data.draw)


@given(tables(), st.sampled_from(OF_LISTS), st.data())
@examples(MANY // 2)
def test_lists_by_rank_beside_lists_by_score(both, metric, data):
    run, truth = both
    ranks = data.draw(st.lists(st.integers(1, 3), min_size=run.height, max_size=run.height))
    try:
        values, asked = read(
            run.with_columns(rank=pl.Series(ranks)), truth, metric, sy.metric(metric).replace(order="rank")
        )
    except SteelyardError:
        return
    for one in asked:
        check_words(values, one, data.draw)


@given(st.data(), st.sampled_from(OF_LISTS))
@examples(MANY // 2)
def test_lists_of_one_table_with_grades(data, metric):
    rows = data.draw(
        st.lists(
            st.tuples(st.sampled_from("qrs"), st.sampled_from(NEAR), st.sampled_from((0, 1, 2, -1))),
            min_size=1,
            max_size=9,
        )
    )
    table = pl.DataFrame(rows, ["query", "score", "relevance"], orient="row")
    try:
        values, (one,) = read(table, None, metric)
    except SteelyardError:
        return
    check_words(values, one, data.draw)


@given(st.data(), st.sampled_from(OF_LISTS))
@examples(MANY // 2)
def test_lists_of_two_matrices(data, metric):
    shape = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 4)))
    n = shape[0] * shape[1]
    pool = data.draw(st.sampled_from([NEAR, NEAR[:2], (3.0, 2.0, 1.0)]))
    grades = data.draw(st.sampled_from([(0, 1), (1,), (1, 2), (0, 1, 2), (-1, 0, 1)]))
    scores, labels = (
        np.array(data.draw(st.lists(st.sampled_from(some), min_size=n, max_size=n))).reshape(shape)
        for some in (pool, grades)
    )
    try:
        values, (one,) = read(scores, labels, metric)
    except SteelyardError:
        return
    check_words(values, one, data.draw)


@st.composite
def logs(draw):
    """Rows of two classes, of one alone or of three, and what their columns mean; with weights or without."""
    n = draw(st.integers(2, 7))

    def column(*words):
        return draw(st.lists(st.sampled_from(words), min_size=n, max_size=n))

    table = {"label": column(*draw(st.sampled_from([(0, 1), (1,), (0,), (0, 1, 2)])))}
    columns = {"label": "label"}
    if draw(st.booleans()):
        table["score"] = column(0.0, 0.25, 0.5, 1.0)
        columns["score"] = "score"
    else:
        each = column((0.5, 0.5, 0.0), (0.25, 0.25, 0.5), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        table |= {str(at): [row[at] for row in each] for at in range(3)}
        columns["probability"] = ["0", "1", "2"]
    if draw(st.booleans()):
        table["called"] = column(0, 1)
        columns["predicted"] = "called"
    if draw(st.booleans()):
        table["weight"] = column(0.0, 1.0, 2.0)
        columns["weight"] = "weight"
    return pl.DataFrame(table), columns


@given(logs(), st.sampled_from((*OF_SCORES, *OF_CLASSES)), st.data())
@examples(2 * MANY)
def test_rows(log, metric, data):
    table, columns = log
    try:
        values, (one,) = read(table, None, metric, columns=columns)
    except SteelyardError:
        return
    check_words(values, one, data.draw)


NEXT_TO = {"a": 2.0, "b": 2.0, "c": 2 - 1e-12, "d": 2 - 1e-12}
MATRIX = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
SMALL = {
    "ties that single precision joins": ({"q": NEXT_TO}, {"q": {"a": 1, "b": 1, "c": 1, "d": 2}}),
    "grades below 1": ({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 0, "b": 1, "c": 2}}),
    "a matrix of 0 and 1": (MATRIX, np.array([[0, 1, 0], [0, 0, 0]])),
}


@pytest.mark.parametrize("case", SMALL)
def test_every_two_words_of_the_stages(case):
    values, (one,) = read(*SMALL[case], "mrr")
    fields = ("unexpected", "unjudged", "grades", "order", "ties", "scores", "undefined")
    every = [(name, word) for name in fields for word in words(one.metric, name)]
    for (name, word), (other, beside) in combinations(every, 2):
        if name != other:
            check_settled(values, changed(one, **{name: word, other: beside}))
