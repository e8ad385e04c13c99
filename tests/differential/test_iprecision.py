"""Interpolated precision against pytrec_eval, called live."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given

import steelyard as sy

from ..examples import examples
from ..tables import each_row
from .agreement import assert_same, by_measure
from .made import collection, small_collections

RECALLS = [f"{tenth / 10:.1f}" for tenth in range(11)]
TEXTS = ["trec_eval:11pt", *(f"trec_eval:iprecision@{recall}" for recall in RECALLS)]
NAMES = ["11pt_avg", *(f"iprec_at_recall_{recall}0" for recall in RECALLS)]


def check(run, qrels, level):
    measures = {"iprec_at_recall", "11pt_avg"}
    found = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(run)
    peer = {name: {query: values[name] for query, values in found.items()} for name in NAMES}
    assert_same(by_measure(sy.evaluate(run, qrels, TEXTS, rel=level), NAMES), peer)


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_iprecision(seed, level):
    """Ties, items without judgement, grades below 0, queries that were not run or not judged."""
    check(*collection(seed), level)


@given(drawn=small_collections())
@examples(60)
def test_iprecision_of_anything(drawn):
    for level in (1, 2):
        check(*drawn, level)


@each_row("relevant", range(1, 60))
def test_how_many_hits_reach_a_recall(relevant):
    """Hit h stands at rank h(h + 1) / 2, so that each has a precision of its own."""
    ranks = np.cumsum(np.arange(1, relevant + 1))
    places = range(1, int(ranks[-1]) + 1)
    run = {"q": {f"d{place}": -float(place) for place in places}}
    check(run, {"q": {f"d{rank}": 1 for rank in ranks}}, 1)


@each_row("recall", [0.05, 0.15, 0.33, 0.35, 0.5, 0.55, 0.95])
def test_other_recalls(recall):
    """trec_eval takes any recall with two decimals: -m iprec_at_recall.0.35."""
    run, qrels = collection(1)
    name = f"iprec_at_recall_{recall:.2f}"
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"iprec_at_recall.{recall}"}).evaluate(run)
    peer = {name: {query: values[name] for query, values in found.items()}}
    assert_same(by_measure(sy.evaluate(run, qrels, f"trec_eval:iprecision@{recall}"), [name]), peer)
