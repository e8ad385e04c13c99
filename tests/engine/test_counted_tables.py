"""Rows of single precision are sorted as integers; the table is the one that sorting scores gives."""

import numpy as np
import pytest

from steelyard.engine.scored import Scored, ScoreTable


def rows(seed: int, n: int, segments: int) -> tuple[Scored, Scored]:
    random = np.random.default_rng(seed)
    label = (random.random(n) < 0.3).astype(np.uint8)
    score = np.round(random.normal(size=n), 1).astype(np.float32)
    score[: n // 10] = -0.0
    score[n // 10 : n // 5] = 0.0
    score[n // 5 : n // 4] = -np.inf
    where = {} if segments == 1 else {"segment": random.integers(0, segments, n), "n_segments": segments}
    return Scored.of(label, score, **where), Scored.of(label, score.astype(np.float64), **where)


@pytest.mark.parametrize("segments", [1, 3, 500])
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_single_and_double_precision_make_one_table(n, segments):
    single, double = (ScoreTable.of(one) for one in rows(n, n, segments))
    for name in ("owner", "score", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(single, name), getattr(double, name))
        assert getattr(single, name).dtype == getattr(double, name).dtype
    assert (single.n_segments, single.counted) == (double.n_segments, double.counted)


def test_by_hand():
    label = np.array([1, 0, 1, 0, 1], np.uint8)
    score = np.array([0.5, -2.0, 0.5, 0.5, -0.0], np.float32)
    table = ScoreTable.of(Scored.of(label, score, segment=np.array([1, 0, 1, 1, 0]), n_segments=2))
    assert table.owner.tolist() == [0, 0, 1]
    assert table.score.tolist() == [-2.0, 0.0, 0.5]
    assert table.positives.tolist() == [0, 1, 2]
    assert table.negatives.tolist() == [1, 0, 1]
