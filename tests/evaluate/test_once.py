"""What several metrics read is made once."""

from __future__ import annotations

import numpy as np
import polars as pl

import steelyard as sy
from steelyard.engine import rankings, row_states

TRUTH = {"q": {"a": 1, "b": 2}, "r": {"c": 1}}
RUN = {"q": {"a": 0.5, "b": 0.5, "d": 0.1}, "r": {"c": 0.5}}


def test_rankings_that_differ_in_ties_alone_are_counted_once(monkeypatch):
    calls = []
    monkeypatch.setattr(
        rankings,
        "count",
        lambda *given, _count=rankings.count, **kw: calls.append(given) or _count(*given, **kw),
    )
    metrics = ["mrr", "mrr(ties=expected)", "mrr(ties=pessimistic)", "ndcg(depth=1)@5"]
    result = sy.evaluate(RUN, TRUTH, metrics)
    assert len(calls) == 1
    assert len(result.rankings) == 4
    sy.evaluate(RUN, TRUTH, ["mrr", "mrr(scores=float32)", "mrr(missing=skip)"])
    assert len(calls) == 1 + 3


def test_matrices_of_labels_are_read_once_for_each_threshold(monkeypatch):
    made = []
    of_columns = row_states.of_columns
    monkeypatch.setattr(
        row_states, "of_columns", lambda *given, **kw: made.append(1) or of_columns(*given, **kw)
    )
    truth, said = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0.9, 0.2], [0.6, 0.7], [0.2, 0.8]])
    f1 = sy.evaluate(
        said, truth, ["f1(average=micro)", "precision(average=micro)", "f1(average=micro, threshold=0.1)"]
    )
    assert len(made) == 2
    # at 1/2 four are called, one of them wrongly, and one is missed; at 0.1 all six are
    assert list(dict(f1).values()) == [2 * 3 / (4 + 4), 3 / 4, 2 * 4 / (6 + 4)]


def test_slices_of_rows_are_made_once_for_all_metrics_of_a_state():
    log = pl.DataFrame({"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "c": ["x", "x", "y", "y"]})
    auc, brier = sy.evaluate(log, metrics=["auc", "brier"], by="c").measured
    assert auc.parts is brier.parts
