"""err against gdeval (through ir_measures), called live."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

import steelyard as sy

SEEDS = range(6)
HIGHEST = 4  # gdeval has no other
ROUNDED = 0.5e-5 + 1e-12  # gdeval prints 5 decimals


def graded_collection(seed):
    """Topics and judgements that gdeval reads: numbers for topics, whole grades up to 4; ties, gaps, -1."""
    draw = np.random.default_rng(seed)
    items = [f"d{n}" for n in range(40)]
    run, qrels = {}, {}
    for query in map(str, range(1, 26)):
        if draw.random() < 0.9:
            shown = draw.permutation(items)[: draw.integers(1, 41)]
            run[query] = {str(item): float(draw.integers(0, 8)) for item in shown}
        if draw.random() < 0.9:
            judged = draw.permutation(items)[: draw.integers(1, 25)]
            qrels[query] = {str(item): int(draw.choice([-1, 0, 0, 1, 2, 3, 4])) for item in judged}
    return run, qrels


@pytest.mark.parametrize("seed", SEEDS)
def test_err(seed):
    """gdeval orders ties by id, descending, and has no value for a query that was not run."""
    run, qrels = graded_collection(seed)
    measures = {k: ir_measures.ERR @ k for k in (1, 3, 20)}
    compared = 0
    peer = {}
    for one in ir_measures.gdeval.iter_calc(list(measures.values()), qrels, run):
        if one.query_id in run and one.query_id in qrels:
            peer[one.measure["cutoff"], one.query_id] = one.value
    for k in measures:
        result = sy.evaluate(run, qrels, sy.ERR(k=k, max_grade=HIGHEST, item_order="text"), missing="skip")
        for query, _, value in result.per_query().iter_rows():
            assert value == pytest.approx(peer[k, query], rel=0, abs=ROUNDED), (k, query)
            compared += 1
    assert compared == len(peer) == len(measures) * len(run.keys() & qrels.keys())
