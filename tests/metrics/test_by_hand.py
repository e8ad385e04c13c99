"""Every metric there is, from tables to its value, against arithmetic by hand; a new one has its own test."""

from __future__ import annotations

from math import log, log2, sqrt

import pytest

import steelyard as sy
from steelyard.metrics import by_name

from .own import file_of

# shown are grades 0, 2, 1 of the judged 3, 2, 1, 0, and grade 0 of the judged 1, 0
RANKED = (
    {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0}},
    {"q1": {"a": 0, "b": 2, "c": 1, "d": 3}, "q2": {"x": 0, "y": 1}},
)
DCG = 2 / log2(3) + 1 / log2(4)
IDEAL = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)

# by score 1 0 1 | 0 1 1 0 about the threshold: 2 true and 1 false positives, 2 true and 2 false negatives
CLICKS = {
    "user": ["u", "u", "v", "v", "v", "v", "v"],
    "label": [1, 0, 1, 0, 1, 1, 0],
    "score": [0.9, 0.8, 0.6, 0.2, 0.25, 0.3, 0.4],
}
LOSS = -(log(0.9) + log(1 - 0.8) + log(0.6) + log(1 - 0.2) + log(0.25) + log(0.3) + log(1 - 0.4)) / 7
ENTROPY = -(4 / 7 * log(4 / 7) + 3 / 7 * log(3 / 7))
LOW_GAP = 2 / 4 - (0.2 + 0.25 + 0.3 + 0.4) / 4  # of the bin up to 0.5
HIGH_GAP = (0.9 + 0.8 + 0.6) / 3 - 2 / 3

ANIMALS = {"label": ["cat", "dog", "cow"], "probs": [[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2]]}
RATINGS = {"label": [3, 5, 2, 7], "score": [2.5, 5, 4, 8]}
SQUARES = 0.5**2 + 0**2 + 2**2 + 1**2

BY_HAND = {  # name: what is asked for, of what, its values
    "precision@k": ("precision@2", RANKED, [(1 / 2 + 0) / 2]),
    "recall@k": ("recall@2", RANKED, [(1 / 3 + 0) / 2]),
    "fbeta@k": ("fbeta(beta=2)@2", RANKED, [(5 * (1 / 2 * 1 / 3) / (4 * 1 / 2 + 1 / 3) + 0) / 2]),
    "hit_rate": ("hit_rate@2", RANKED, [(1 + 0) / 2]),
    "r_precision": ("r_precision", RANKED, [(2 / 3 + 0) / 2]),
    "mrr": ("mrr", RANKED, [(1 / 2 + 0) / 2]),
    "map": ("map", RANKED, [((1 / 2 + 2 / 3) / 3 + 0) / 2]),
    "cg": ("cg", RANKED, [(0 + 2 + 1 + 0) / 2]),
    "dcg": ("dcg", RANKED, [(DCG + 0) / 2]),
    "idcg": ("idcg@3", RANKED, [(IDEAL + 1) / 2]),
    "ndcg": ("ndcg@3", RANKED, [(DCG / IDEAL + 0) / 2]),
    "auc": ("auc", CLICKS, [(3 + 2 + 1 + 1) / (4 * 3)]),
    "gauc": ("gauc", CLICKS, [(2 * 1 / 1 + 5 * (2 + 1 + 1) / (3 * 2)) / 7]),
    "pr_auc": ("pr_auc", CLICKS, [(1 / 1 + 2 / 3 + 3 / 5 + 4 / 6) / 4]),
    "ks": ("ks", CLICKS, [4 / 4 - 2 / 3]),
    "logloss": ("logloss", CLICKS, [LOSS]),
    "ne": ("ne", CLICKS, [LOSS / ENTROPY]),
    "rig": ("rig", CLICKS, [1 - LOSS / ENTROPY]),
    "brier": ("brier", CLICKS, [(0.1**2 + 0.8**2 + 0.4**2 + 0.2**2 + 0.75**2 + 0.7**2 + 0.4**2) / 7]),
    "calibration": ("calibration", CLICKS, [(0.9 + 0.8 + 0.6 + 0.2 + 0.25 + 0.3 + 0.4) / 4]),
    "copc": ("copc", CLICKS, [4 / (0.9 + 0.8 + 0.6 + 0.2 + 0.25 + 0.3 + 0.4)]),
    "ece": ("ece(bins=2, binning=width)", CLICKS, [(4 * LOW_GAP + 3 * HIGH_GAP) / 7]),
    "mce": ("mce(bins=2, binning=width)", CLICKS, [LOW_GAP]),
    "accuracy": ("accuracy", CLICKS, [(2 + 2) / 7]),
    "precision": ("precision", CLICKS, [2 / 3]),
    "recall": ("recall", CLICKS, [2 / 4]),
    "fbeta": ("fbeta(beta=2)", CLICKS, [5 * (2 / 3 * 2 / 4) / (4 * 2 / 3 + 2 / 4)]),
    "specificity": ("specificity", CLICKS, [2 / 3]),
    "jaccard": ("jaccard", CLICKS, [2 / (2 + 1 + 2)]),
    "fpr": ("fpr", CLICKS, [1 / 3]),
    "balanced_accuracy": ("balanced_accuracy", CLICKS, [(2 / 4 + 2 / 3) / 2]),
    "mcc": ("mcc", CLICKS, [(2 * 2 - 1 * 2) / sqrt((2 + 1) * (2 + 2) * (2 + 1) * (2 + 2))]),
    "confusion": ("confusion", CLICKS, [2, 1, 2, 2]),
    "top_accuracy@k": ("top_accuracy@2", ANIMALS, [2 / 3]),
    "rmse": ("rmse", RATINGS, [sqrt(SQUARES / 4)]),
    "mse": ("mse", RATINGS, [SQUARES / 4]),
    "mae": ("mae", RATINGS, [(0.5 + 0 + 2 + 1) / 4]),
    "r2": ("r2", RATINGS, [1 - SQUARES / (1.25**2 + 0.75**2 + 2.25**2 + 2.75**2)]),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_metric_is_what_it_is_by_hand(name):
    text, given, values = BY_HAND[name]
    said, true = given if isinstance(given, tuple) else (given, None)
    more = {"classes": ["cat", "dog", "cow"]} if given is ANIMALS else {}
    result = sy.evaluate(said, true, text, **more)
    assert type(sy.metric(text)) is by_name()[name]
    assert result.table()["value"].to_list() == pytest.approx(values, rel=1e-14)


def without_an_example():
    """Metrics that are neither among those above nor have worked examples in a test of their own."""
    for name, cls in by_name().items():
        file = file_of(cls)
        own = file.exists() and "\nWORKED = [" in file.read_text("utf-8")
        if name not in BY_HAND and not own and cls.__module__.startswith("steelyard."):
            yield name


def test_every_metric_is_among_them():
    assert set(BY_HAND) <= set(by_name())
    assert not list(without_an_example())
