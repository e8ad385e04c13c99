"""bpref and infap against pytrec_eval, rbp against cwl-eval, judged against ir_measures: each called live."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given

import steelyard as sy

from ..examples import examples
from .agreement import assert_same, by_measure
from .made import collection, small_collections

SEEDS = range(6)


def check(measure, run, qrels, level):
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}, relevance_level=level).evaluate(run)
    peer = {measure: {query: values[measure] for query, values in found.items()}}
    mine = sy.evaluate(run, qrels, f"trec_eval:{measure.lower()}", rel=level)
    assert_same(by_measure(mine, [measure]), peer)


@pytest.mark.parametrize("measure", ["bpref", "infAP"])
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_of_trec_eval(seed, level, measure):
    check(measure, *collection(seed), level)


@pytest.mark.parametrize("measure", ["bpref", "infAP"])
@given(drawn=small_collections())
@examples(60)
def test_of_trec_eval_on_anything(measure, drawn):
    for level in (1, 2):
        check(measure, *drawn, level)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("seed", SEEDS)
def test_rbp(seed, p):
    """cwl-eval takes gains between 0 and 1, here the grade over the highest, and is given lists in order."""
    draw = np.random.default_rng(seed)
    grades = draw.integers(0, 4, int(draw.integers(1, 60)))
    ranking = Ranking("q", gains=list(grades / 3), costs=[1.0] * len(grades))
    measure = RBPCWLMetric(p)
    measure.measure(ranking)
    assert sy.RBP(p=p, max_grade=3).of(grades) == pytest.approx(measure.expected_utility, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_judged(seed):
    """ir_measures orders ties by id, ascending, and leaves out queries that were not judged or not run."""
    run, qrels = collection(seed)
    measures = {k: ir_measures.Judged @ k for k in (1, 3, 10)}
    peer = {str(k): {} for k in measures}
    for one in ir_measures.iter_calc(list(measures.values()), qrels, run):
        if one.query_id in run:
            peer[str(one.measure["cutoff"])][one.query_id] = one.value
    texts = [f"judged@{k}" for k in measures]
    result = sy.evaluate(run, qrels, texts, ties="item_asc", missing="skip", item_order="text")
    assert_same(by_measure(result, list(peer)), peer)
