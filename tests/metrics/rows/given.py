"""The rows that the tests of click metrics share, and every form of every click metric."""

from __future__ import annotations

import dataclasses

import numpy as np

from steelyard.metrics import RowMetric, by_name
from steelyard.states import Scored

# values of fields that are numbers, or that other tests cover; the other fields list their words
FURTHER = {
    "max_fpr": (0.3,),
    "thresholds": (7,),
    "scores": (),  # curves alone read rounded scores here: see PAIRS
    "strict": (),  # acts on thresholds only: see PAIRS
    "clip": (1e-3, None),
    "base_rate": (0.2,),
    "bins": (1, 4),
    "average": (),  # concerns several classes
    "row_weights": (),  # see test_row_weights.py
    "equal_scores": (),  # the other choice refuses tied rows of both classes
}
# fields that act on each other
PAIRS = {
    "auc": [
        {"max_fpr": 0.3, "partial": "raw"},
        {"max_fpr": 0.3, "thresholds": 7},
        {"thresholds": 7, "strict": True},
        {"scores": "float32"},
    ],
    "pr_auc": [
        {"thresholds": 7, "strict": True},
        {"thresholds": 7, "rule": "davis"},
        {"scores": "float32"},
    ],
    "gauc": [
        {"weight": weight, "single_class": single}
        for weight in ("clicks", "pairs", "uniform")
        for single in ("half", "zero")
    ],
    "logloss": [{"base": 2, "clip": 1e-3}],
    "ece": [{"binning": "width", "bins": 4}],
    "mce": [{"binning": "width", "bins": 4}],
}
REGISTERED = {name: cls for name, cls in by_name().items() if issubclass(cls, RowMetric)}


def variants(name):
    """The metric as it is by default, with each field changed alone, and with named pairs of fields."""
    cls = REGISTERED[name]
    every = [cls()]
    for field in dataclasses.fields(cls):
        if field.name != "undefined":
            values = FURTHER.get(field.name, field.metadata.get("meaning"))
            assert values is not None, f"the tests do not know which values {name}({field.name}=) takes"
            every += [cls(**{field.name: value}) for value in values]
    return list(dict.fromkeys([*every, *(cls(**pair) for pair in PAIRS.get(name, ()))]))


EVERY = [metric for name in REGISTERED for metric in variants(name)]


def arguments(metric, labels, scores, groups=None):
    """What ``of`` takes: groups only where the metric needs them (one for all if none are given)."""
    if not metric.needs_groups:
        return {"predictions": scores, "truth": labels}
    groups = ["all"] * len(labels) if groups is None else groups
    return {"predictions": scores, "truth": labels, "groups": groups}


def drawn(seed, n=None, *, decimals=2, kind=np.float64, weighted=False, both=True):
    """Random labels, tied scores in [0, 1], and whole weights, some of them 0."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 80)) if n is None else n
    label = (random.random(n) < 0.4).astype(np.uint8)
    if both:
        label[:2] = 0, 1
    score = random.random(n).round(decimals).astype(kind)
    weight = random.integers(0, 4, n).astype(float) if weighted else None
    if weight is not None and both:
        weight[:2] = 1, 2
    return label, score, weight


def segmented(label, score, **fields):
    return Scored.of(np.asarray(label, np.uint8), np.asarray(score), **fields)
