"""Texts of metrics: a metric whose text is read as itself, or a refusal."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

import steelyard as sy
from steelyard.metrics import LabelledMetric, Metric, registry
from steelyard.metrics.lists.base import ListMetric

from .case import Case, FindError, check_value, rng_of
from .odd import NUMBERS, TEXTS, spoiled

_PROFILES = ["steelyard:2026", "trec_eval", "trec-eval", "house", "sklearn", "house:1"]
_SOUP = ["@", "(", ")", "=", ",", ":", " ", "@all", "@10", "k", "ties", "expected", *TEXTS, *NUMBERS]
_SHARED = {field.name for base in (sy.RankingMetric, LabelledMetric) for field in dataclasses.fields(base)}


def draw(seed: int) -> Case:
    rng = rng_of("grammar", seed)
    text = metric_text(rng)
    return Case(f"sy.metric({text!r})", lambda: _check(text))


def metric_text(rng: Random) -> str:
    """A text that names a metric, or nearly does."""
    if rng.random() < 0.08:
        return "".join(rng.choice([*_SOUP, *_names()]) for _ in range(rng.randint(0, 8)))
    text = well_formed(rng)
    return spoiled(rng, text, _SOUP) if rng.random() < 0.35 else text


def well_formed(rng: Random) -> str:
    """A name of a metric with fields and cutoffs, whose values are mostly those it takes."""
    cutoff = rng.random() < 0.5
    name = rng.choice(_names(cutoff))
    entry = registry.find(name, cutoff=cutoff)
    fields = [field for field in dataclasses.fields(entry.metric) if field.name not in {"k", *entry.fixed}]
    if rng.random() < 0.5:  # those that the metric alone has, its thresholds and mappings
        fields = [field for field in fields if field.name not in _SHARED]
    some = rng.sample(fields, min(len(fields), rng.choice([0, 0, 1, 1, 2, 3])))
    inside = ", ".join(f"{field.name}={value_text(rng, field)}" for field in some)
    cutoffs = rng.choice(["1", "2", "3", "10", "all", "5,10"] if rng.random() < 0.8 else NUMBERS)
    at = f"@{cutoffs}" if cutoff else ""
    prefix = f"{rng.choice(_PROFILES)}:" if rng.random() < 0.1 else ""
    if inside and rng.random() < 0.3:
        return f"{prefix}{name}{at}:{inside}"
    return f"{prefix}{name}({inside}){at}" if inside or rng.random() < 0.1 else f"{prefix}{name}{at}"


def value_text(rng: Random, field: dataclasses.Field[Any]) -> str:
    """A value for a field: one that it takes, or one that it may not."""
    known = [*field.metadata.get("meaning", {}), *field.metadata.get("words", {})]
    if known and rng.random() < 0.8:
        return rng.choice(known)
    if field.name == "gain" and rng.random() < 0.7:
        return "/".join(f"{rng.choice(NUMBERS)}:{rng.choice(NUMBERS)}" for _ in range(rng.randint(1, 3)))
    return rng.choice(NUMBERS if rng.random() < 0.9 else TEXTS)


def _names(cutoff: bool = False) -> list[str]:
    registry.load_all()
    return sorted(registry._with_cutoff if cutoff else registry._without_cutoff)


def _check(text: str) -> None:
    metric = sy.metric(text)
    again = sy.metric(str(metric))
    if again != metric or str(again) != str(metric) or hash(again) != hash(metric):
        raise FindError(f"the text of {metric.name} is not read as itself; {metric!r} and {again!r}")
    repr(metric), metric.spec(), metric._repr_html_()
    check_value(metric, sample_value(metric))


def sample_value(metric: Metric) -> Any:
    """The value of a metric on a few rows that suit it."""
    if isinstance(metric, ListMetric):
        return _sample_of_lists(metric)
    if not isinstance(metric, LabelledMetric):
        return metric.of([[2, 0, 1], [0, 3]], [[2, 1, 1], [3]])
    if isinstance(metric, sy.RatingMetric):
        return metric.of(predictions=[2.5, 5, 4, 8], truth=[3, 5, 2, 7])
    if isinstance(metric, sy.TopAccuracy):
        return metric.of([[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]], ["a", "b", "c"])
    if isinstance(metric, sy.ClassMetric):
        value = metric.of([0.8, 0.3, 0.4, 0.6], [1, 0, 1, 0])
        return [] if isinstance(metric, sy.Confusion) else value
    return metric.of([0.8, 0.3, 0.4, 0.6], [1, 0, 1, 0], ["u", "u", "v", "v"])


def _sample_of_lists(metric: ListMetric) -> Any:
    tables: dict[str, Any] = {
        "truth": {"u": {"a": 2}, "v": {"b": 1}},
        "catalog": ["a", "b", "c", "d"],
        "features": {"a": "x", "b": "y", "c": "x"},
        "history": {"u": ["c"], "v": ["a", "b"]},
        "item_groups": {"a": "p", "b": "q", "c": "p"},
    }
    lists = {"u": ["a", "b"], "v": ["c", "a"]}
    value = metric.of(lists, **tables)
    return list(value.values()) if isinstance(value, dict) else value
