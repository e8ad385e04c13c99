"""The rows that the tests of click metrics share, and the forms of every click metric."""

from __future__ import annotations

import dataclasses

import numpy as np

from steelyard.engine.scored import Scored
from steelyard.metrics import RowMetric, by_name

FURTHER = {
    "max_fpr": (None, 0.3),
    "thresholds": (None,),  # how scores are read stands by itself below
    "strict": (False,),
    "scores": ("as_given",),
    "clip": (1e-15, 1e-3, None),
    "base_rate": ("observed", 0.2),
    "bins": (15, 1, 4),
    "average": ("ovr_macro",),  # a matter of several classes
    "row_weights": ("use",),  # the other stands by itself in test_row_weights.py
    "equal_scores": ("half",),  # the other is an error where rows of both classes are tied
}
# of curves alone: gauc and logloss have scores rounded when rows are read
READ = (
    {"thresholds": 7},
    {"thresholds": 7, "strict": True},
    {"thresholds": 7, "max_fpr": 0.3},
    {"thresholds": 7, "rule": "davis"},
    {"thresholds": None, "scores": "float32"},
)
# fields of which one decides what another does: all values of the first with all values of the second
PAIRS = (
    ("max_fpr", "partial"),
    ("weight", "single_class"),
    ("bins", "binning"),
    ("clip", "base"),
    ("clip", "base_rate"),
    ("base_rate", "base"),
)
# fields that act when rows are read, or only with several classes: one metric tries their values for all
ELSEWHERE = ("unlabelled", "labels", "undefined_class")
REGISTERED = {name: cls for name, cls in by_name().items() if issubclass(cls, RowMetric)}


def values_of(cls):
    """The values that each field of a metric takes in the tests, the default first."""
    values = {
        field.name: [*FURTHER.get(field.name, field.metadata.get("meaning", ()))]
        for field in dataclasses.fields(cls)
        if field.name != "undefined"
    }
    assert all(values.values()), f"the tests do not know which values the fields of {cls.name} take"
    return values


def variants(name):
    """The metric by default, with each other value of each field, and with each pair of `PAIRS`."""
    cls = REGISTERED[name]
    values = values_of(cls)
    if name != "auc":
        values |= {field: values[field][:1] for field in ELSEWHERE if field in values}
    changes = [{}]
    changes += [{field: value} for field, some in values.items() for value in some[1:]]
    for one, other in PAIRS:
        changes += [{one: a, other: b} for a in values.get(one, [])[1:] for b in values.get(other, [])[1:]]
    changes += [read for read in READ if set(read) <= set(values)]
    return list(dict.fromkeys(cls(**change) for change in changes))


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
