"""Rows of every kind, and the forms of every metric that reads them."""

from __future__ import annotations

import dataclasses
from functools import cache
from itertools import product

import numpy as np

from steelyard.conventions import LABELLED_FIELDS
from steelyard.engine.scored import Rated, Scored
from steelyard.metrics import ClassMetric, RankingMetric, RatingMetric, by_name
from steelyard.metrics.lists.base import ListMetric

from ...classified import of_labels, of_matrices, of_probabilities

ROW_METRICS = {
    name: cls
    for name, cls in by_name().items()
    if not issubclass(cls, RankingMetric | ListMetric) and cls.__module__.startswith("steelyard.")
}
NUMBERS = {
    "max_fpr": (None, 0.3, 1.0),
    "clip": (1e-15, 0.05, None),
    "base_rate": ("observed", 0.2, 0.9),
    "bins": (1, 4, 40),
    "threshold": (0.5, 0.3),
    "beta": (1.0, 0.5, 2.0),
    "k": (1, 2, None),
}
# fields of which one decides what another does: all values of the first with all values of the second
PAIRS = (
    ("average", "undefined_class"),
    ("average", "unnamed"),
    ("average", "beta"),
    ("average", "max_fpr"),
    ("average", "rule"),
    ("average", "thresholds"),
    ("max_fpr", "partial"),
    ("rule", "thresholds"),
    ("thresholds", "strict"),
    ("threshold", "strict"),
    ("weight", "single_class"),
    ("bins", "binning"),
    ("clip", "base"),
    ("clip", "base_rate"),
    ("k", "class_ties"),
    ("normalise", "unnamed"),
)


@cache
def forms(name, **fixed):
    """The metric by default, with each other value of each field, and with each pair of `PAIRS`."""
    cls = ROW_METRICS[name]
    taken = {}
    for field in dataclasses.fields(cls):
        if field.name in {"undefined", *LABELLED_FIELDS, *fixed}:
            continue
        words = field.metadata.get("meaning")
        numbers = NUMBERS.get(field.name) or field.metadata.get("tries")
        taken[field.name] = numbers if words is None else _values(field, words)
    changes = [{}]
    changes += [{field: value} for field, values in taken.items() for value in values]
    for one, other in PAIRS:
        changes += [{one: a, other: b} for a, b in product(taken.get(one, ()), taken.get(other, ()))]
    return tuple(dict.fromkeys(cls(**{**fixed, **change}) for change in changes))


def _values(field, words):
    return [word == "true" for word in words] if field.metadata.get("flag") else list(words)


def states(name):
    """Rows that a metric may be asked of."""
    cls = ROW_METRICS[name]
    if issubclass(cls, RatingMetric):
        return RATED
    return [*SCORED, *CLASSIFIED] if issubclass(cls, ClassMetric) else [*SCORED, *PROBABLE]


def scored(label, score, group=None, **fields):
    group = np.zeros(len(label), np.int64) if group is None else np.asarray(group)
    n_groups = int(group.max(initial=-1)) + 1
    return Scored.of(np.asarray(label, np.uint8), np.asarray(score), group=group, n_groups=n_groups, **fields)


def drawn_scores(seed, n, *, digits=1, groups=4, weights=False, kind=np.float64):
    draw = np.random.default_rng(seed)
    score = np.round(draw.random(n), digits).astype(kind)
    label = (draw.random(n) < 0.2 + 0.5 * score).astype(np.uint8)
    weight = np.round(draw.random(n) * 3, 1) if weights else None
    return scored(label, score, draw.integers(0, groups, n), weight=weight)


def drawn_probabilities(seed, n, classes, *, weights=False, digits=1):
    draw = np.random.default_rng(seed)
    given = np.round(draw.dirichlet(np.ones(len(classes)), n), digits)
    given[:, 0] += 1 - given.sum(axis=1)  # a row of probabilities adds up to 1
    given = np.where(given < 0, 0.0, given)
    given /= given.sum(axis=1, keepdims=True)
    truth = draw.integers(0, len(classes), n)
    weight = np.round(draw.random(n) * 3, 1) if weights else None
    return of_probabilities(np.array(classes)[truth], given, classes=classes, weight=weight)


def drawn_matrices(seed, n, *, weights=False):
    draw = np.random.default_rng(seed)
    truth, called = (draw.integers(0, 2, (n, 3)) for _ in range(2))
    return of_matrices(truth, called, weight=draw.random(n) if weights else None)


def drawn_ratings(seed, n, *, weights=False):
    draw = np.random.default_rng(seed)
    truth = draw.integers(1, 6, n).astype(np.float64)
    weight = np.round(draw.random(n) * 2, 1) if weights else None
    return Rated.of(truth, np.round(truth + draw.normal(size=n), 1), weight=weight)


def labels(truth, called, **fields):
    return of_labels(np.array(truth), np.array(called), **fields)


SCORED = [
    scored([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.1]),
    scored([1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.1, 0.1], [0, 0, 1, 1, 3]),
    scored([1, 1], [0.3, 0.4]),
    scored([0, 0, 0], [0.0, 0.2, 0.2]),
    scored([], np.zeros(0)),
    scored([1, 0, 1], [0.0, 1.0, 1.0]),
    scored([1, 0], [0.3, 0.4], weight=np.zeros(2)),
    scored([1, 0, 0, 1], [0.0, 0.6, 0.6, 0.2], [0, 0, 1, 1], weight=np.array([0.0, 2.0, 0.5, 1.0])),
    drawn_scores(1, 40),
    drawn_scores(2, 300, digits=3, groups=60, kind=np.float32),
    drawn_scores(3, 60, weights=True),
    drawn_scores(4, 300, digits=3, groups=60, weights=True),
]
PROBABLE = [
    drawn_probabilities(1, 6, ["a", "b", "c"]),
    drawn_probabilities(2, 80, ["a", "b", "c"], weights=True),
    drawn_probabilities(3, 60, list(range(8)), digits=3),
    of_probabilities(
        np.array(["a", "b"]), np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), classes=["a", "b", "c"]
    ),
    of_probabilities(np.array(["a"]), np.array([[0.4, 0.6]]), classes=["a", "b"]),
]
MANY_CLASSES = drawn_probabilities(4, 90, list(range(30)), digits=3)
CLASSIFIED = [
    *PROBABLE,
    MANY_CLASSES,
    labels(list("aaaaabbbcc"), list("aaabcbbacc")),
    labels([0, 1, 1, 0], [0, 1, 0, 0]),
    labels([0, 1, 1, 0], [0, 1, 0, 0], weight=np.array([0.5, 2.0, 1.0, 0.0])),
    labels(["no", "yes", "yes"], ["no", "no", "no"], classes=["no", "yes"]),
    labels(["a"], ["a"]),
    labels(np.zeros(0, np.int64), np.zeros(0, np.int64)),
    labels(["a", "b"], ["a", "d"], classes=["a", "b", "c", "d"]),
    labels(np.arange(60) % 20, np.arange(60) % 17),
    labels(["sum", "hit", "value"], ["hit", "hit", "value"]),
    drawn_matrices(1, 20),
    drawn_matrices(2, 30, weights=True),
]
RATED = [
    Rated.of(np.array([3.0, 5.0, 2.0, 7.0]), np.array([2.5, 5.0, 4.0, 8.0])),
    Rated.of(np.array([4.0, 4.0]), np.array([4.0, 5.0])),
    Rated.of(np.array([4.0]), np.array([3.0])),
    Rated.of(np.zeros(0), np.zeros(0)),
    Rated.of(np.array([1.0, 3.0]), np.array([1.5, 2.0]), weight=np.array([0.0, 0.0])),
    Rated.of(np.array([1e9 + 1, 1e9 + 3, 1e9 + 4]), np.array([1e9 + 1, 1e9 + 2, 1e9 + 4])),
    drawn_ratings(1, 15),
    drawn_ratings(2, 500),
    drawn_ratings(3, 500, weights=True),
]
