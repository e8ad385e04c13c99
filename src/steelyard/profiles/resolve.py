"""Everything is resolved before anything is computed: text, then call, then profile, then house."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.errors import asking
from steelyard.metrics import Metric
from steelyard.metrics.grammar import parse, split_profile
from steelyard.profiles.profile import HOUSE, Profile, profile


@dataclass(frozen=True)
class Asked:
    """A metric as it was asked for and as it will be computed."""

    label: str
    metric: Metric


def metrics(given: str | Metric | Iterable[str | Metric]) -> list[Metric]:
    """Metrics from text or objects; ``ndcg@5,10`` gives two.

    >>> [str(m) for m in metrics(["ndcg@5,10", "mrr"])]
    ['ndcg@5', 'ndcg@10', 'mrr']
    """
    try:
        several: list[Any] = [given] if isinstance(given, str | Metric) else list(given)
    except TypeError:
        raise asking.not_a_metric(given) from None
    return [metric for one in several for metric in _each(one)]


def metric(text: str | Metric) -> Metric:
    """The one metric that a text names.

    >>> metric("ndcg(gain=exp2)@10")
    NDCG(k=10, gain='exp2')
    >>> metric("trec_eval:map").missing
    'skip'
    """
    found = _each(text)
    if len(found) > 1:
        raise asking.several_metrics(str(text), len(found))
    return found[0]


def resolve(
    asked: Sequence[Metric], profile_name: str, call: Mapping[str, Any], by_data: Mapping[str, Any]
) -> list[Asked]:
    """Fill every field of every metric: what the metric states, then the call, the profile, the house.

    ``by_data`` are the house's choices where the data leaves only one (lists without scores stand in the
    order given; without item ids, ties are averaged).
    """
    chosen = profile(profile_name)
    known = set().union(*(_field_names(one) for one in asked)) - {"k"}
    for name in call:
        if name not in known:
            raise asking.no_metric_has(name, [str(one) for one in asked], sorted(known))
    resolved = [_resolved(one, chosen, call, by_data) for one in asked]
    return list({one.metric: one for one in resolved}.values())


def _resolved(one: Metric, chosen: Profile, call: Mapping[str, Any], by_data: Mapping[str, Any]) -> Asked:
    known = _field_names(one)
    # where the data leaves one choice, it is the house's; another library's own rule stands
    fields = {**profile(HOUSE).fields(one), **by_data}
    if chosen.name != HOUSE:
        fields |= chosen.fields(one)
    baseline = {name: value for name, value in {**fields, **call}.items() if name in known}
    stated = {name: getattr(one, name) for name in one.stated}
    cutoff: dict[str, Any] = {"k": getattr(one, "k", None)} if "k" in known else {}
    metric = type(one)(**{**baseline, **cutoff, **stated})
    # every field is stated now; which of them the caller gave is still asked for
    object.__setattr__(metric, "_by_caller", one.stated | (set(call) & known))
    return Asked(metric.text(metric.normalised(baseline)), metric)


def _field_names(metric: Metric) -> set[str]:
    return {field.name for field in dataclasses.fields(metric)}


def _each(one: str | Metric) -> list[Metric]:
    if isinstance(one, Metric):
        return [one]
    if not isinstance(one, str):
        raise asking.not_a_metric(one)
    name, rest = split_profile(one)
    found = parse(rest)
    if name is None:
        return found
    chosen = profile(name)
    return [_with_profile(metric, chosen) for metric in found]


def _with_profile(metric: Metric, chosen: Profile) -> Metric:
    known = _field_names(metric)
    fields = {name: value for name, value in chosen.fields(metric).items() if name in known}
    if chosen.name == HOUSE:
        fields.pop("ties", None)  # the house leaves them to the data where there are no item ids
    return type(metric)(**{**fields, **{name: getattr(metric, name) for name in metric.stated}})


__all__ = ["HOUSE", "Asked", "metric", "metrics", "resolve"]
