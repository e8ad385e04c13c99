"""The caller's data is never changed."""

from __future__ import annotations

import copy
from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import steelyard as sy

RUN = {
    "query": ["q2", "q1", "q1", "q2", "q1"],
    "item": ["a", "b", "a", "b", "a"],
    "score": [-0.0, 0.5, -inf, 0.0, 0.25],
    "device": ["tv", "pc", "pc", "tv", "pc"],
}
TRUTH = {"query": ["q2", "q1", "q1"], "item": ["a", "a", "a"], "relevance": [1, 2, 3]}
OPTIONS = {"duplicates": "best", "by": "device", "exclude": {"q2": ["b"]}, "weights": {"q1": 1, "q2": 2}}
METRICS = ["ndcg@10", "mrr(ties=expected)", "map(depth=1)", "precision(scores=float32)@2"]


def test_polars():
    run, truth = pl.DataFrame(RUN), pl.DataFrame(TRUTH)
    before = run.clone(), truth.clone()
    sy.evaluate(run, truth, METRICS, **OPTIONS)
    assert_frame_equal(run, before[0])
    assert_frame_equal(truth, before[1])
    assert np.signbit(run["score"].to_numpy()).tolist() == [True, False, True, False, False]


def test_pandas():
    run, truth = pd.DataFrame(RUN), pd.DataFrame(TRUTH)
    before = run.copy(), truth.copy()
    sy.evaluate(run, truth, METRICS, **OPTIONS)
    pd.testing.assert_frame_equal(run, before[0])
    pd.testing.assert_frame_equal(truth, before[1])


def test_matrices():
    scores = np.array([[0.5, -inf, 0.1], [0.2, 0.2, -0.0]])
    labels = np.array([[0, 1, 2], [1, 0, 0]])
    before = scores.copy(), labels.copy()
    scores.flags.writeable = labels.flags.writeable = False
    sy.evaluate(scores, labels, METRICS, exclude={0: [2]})
    np.testing.assert_array_equal(scores, before[0])
    np.testing.assert_array_equal(labels, before[1])


def test_dicts_and_options():
    run, truth = {"q": {"b": 1.0, "a": 1.0}}, {"q": {"a": 1, "z": 0}}
    options = {"weights": {"q": 3}, "exclude": {"q": ["b"]}, "conventions": {"judgements": "retrieved"}}
    everything = (run, truth, METRICS, options)
    before = copy.deepcopy(everything)
    sy.evaluate(run, truth, METRICS, **options)
    assert everything == before
    assert list(run["q"]) == ["b", "a"]


def test_files(tmp_path):
    pl.DataFrame(RUN).write_parquet(tmp_path / "run.parquet")
    pl.DataFrame(TRUTH).write_csv(tmp_path / "truth.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    sy.evaluate(tmp_path / "run.parquet", tmp_path / "truth.csv", METRICS, **OPTIONS)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_result_is_frozen():
    result = sy.evaluate({"q": ["a"]}, {"q": ["a"]}, "mrr")
    with pytest.raises(AttributeError):
        result.profile = "another"  # type: ignore[misc]
    assert result != sy.evaluate({"q": ["a"]}, {"q": ["a"]}, "mrr")
    assert len({result, result}) == 1
