"""Rows to weigh, with values worked by hand, and what scikit-learn makes of the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import log, sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest

sk = pytest.importorskip("sklearn.metrics")

# Six impressions of three users.
LOG = {
    "user_id": ["u1", "u1", "u1", "u2", "u2", "u3"],
    "clicked": [1, 0, 0, 1, 0, 1],
    "p": [0.8, 0.3, 0.85, 0.4, 0.1, 0.9],
}
CLICKS: dict[str, float] = {
    # 0.8 stands above 0.3 and 0.1, so does 0.4, and 0.9 above all three
    "auc": (2 + 2 + 3) / 9,
    # u1 has one of two pairs in order and three rows, u2 its one pair and two rows; u3 has one class only
    "gauc": (3 * 1 / 2 + 2 * 1) / 5,
    "logloss": -(log(0.8) + log(0.7) + log(0.15) + log(0.4) + log(0.9) + log(0.9)) / 6,
    "calibration": (0.8 + 0.3 + 0.85 + 0.4 + 0.1 + 0.9) / 3,
    "brier": (0.2**2 + 0.3**2 + 0.85**2 + 0.6**2 + 0.1**2 + 0.1**2) / 6,
    # 0.9, then 0.8 behind 0.85, then 0.4
    "pr_auc": (1 / 1 + 2 / 3 + 3 / 4) / 3,
    # at 0.5: 0.8 and 0.9 rightly, 0.85 wrongly called a click, 0.4 missed
    "f1": 2 / 3,
    "accuracy": 4 / 6,
    "rmse": sqrt((0.2**2 + 0.3**2 + 0.85**2 + 0.6**2 + 0.1**2 + 0.1**2) / 6),
    "mae": (0.2 + 0.3 + 0.85 + 0.6 + 0.1 + 0.1) / 6,
}


def check(result: Any, expected: dict[str, float] = CLICKS) -> None:
    """Whether a result has these values, and no others."""
    assert list(result) == list(expected)
    assert dict(result) == pytest.approx(expected, rel=1e-12)


# Two classes called by a model that knows a third.
ANIMALS = ["cat", "dog", "dog", "cow", "cat"]
GUESSES = ["cat", "cat", "dog", "dog", "cat"]

# Three classes, sorted: cat, cow, dog.
CHANCES = [[0.7, 0.1, 0.2], [0.5, 0.2, 0.3], [0.1, 0.2, 0.7], [0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]


def _call(score: np.ndarray, threshold: float = 0.5) -> np.ndarray:
    return (score >= threshold).astype(int)


# metric, what scikit-learn calls it, of labels, scores and weights
PEERS: dict[str, Callable[..., float]] = {
    "auc": lambda y, s, w: sk.roc_auc_score(y, s, sample_weight=w) if len(set(y)) > 1 else np.nan,
    "pr_auc": lambda y, s, w: sk.average_precision_score(y, s, sample_weight=w) if any(y) else np.nan,
    "logloss": lambda y, s, w: sk.log_loss(y, s.astype(np.float64), sample_weight=w, labels=[0, 1]),
    "brier": lambda y, s, w: sk.brier_score_loss(y, s.astype(np.float64), sample_weight=w, pos_label=1),
    "f1": lambda y, s, w: sk.f1_score(y, _call(s), sample_weight=w, zero_division=np.nan),
    "f1(threshold=0.3)": lambda y, s, w: sk.f1_score(y, _call(s, 0.3), sample_weight=w, zero_division=np.nan),
    "precision": lambda y, s, w: sk.precision_score(y, _call(s), sample_weight=w, zero_division=np.nan),
    "recall": lambda y, s, w: sk.recall_score(y, _call(s), sample_weight=w, zero_division=np.nan),
    "accuracy": lambda y, s, w: sk.accuracy_score(y, _call(s), sample_weight=w),
    "rmse": lambda y, s, w: sk.root_mean_squared_error(y, s.astype(np.float64), sample_weight=w),
    "mae": lambda y, s, w: sk.mean_absolute_error(y, s.astype(np.float64), sample_weight=w),
    "r2": lambda y, s, w: (
        sk.r2_score(y, s.astype(np.float64), sample_weight=w) if len(set(y)) > 1 else np.nan
    ),
}


def peer(metric: str, label: Any, score: Any, weight: Any = None) -> float:
    """The value of scikit-learn on these rows; rows of weight 0 are no rows, as they are not here."""
    y, s = np.asarray(label), np.asarray(score)
    w = None if weight is None else np.asarray(weight, float)
    if w is not None:
        y, s, w = y[w > 0], s[w > 0], w[w > 0]
    if not len(y):
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(PEERS[metric](y, s, w))


def drawn(seed: int, n: int = 600, slices: int = 8) -> pl.DataFrame:
    """Clicks with tied scores, weights of which some are 0, and slices of every size."""
    random = np.random.default_rng(seed)
    chance = random.random(n).round(2)
    return pl.DataFrame(
        {
            "label": (random.random(n) < chance).astype(int),
            "score": np.clip(chance + random.normal(0, 0.2, n), 0.01, 0.99).round(2),
            "w": random.integers(0, 4, n) * random.choice([0.5, 1.0], n),
            "country": [f"c{at:02}" for at in (random.random(n) ** 3 * slices).astype(int)],
            "new": random.random(n) < 0.2,
        }
    )
