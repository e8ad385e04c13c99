"""A library's conventions as data: which fields it fills, and for which metrics."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from steelyard.arguments import is_one_of
from steelyard.errors import MetricError, asking
from steelyard.metrics import EDITION, Metric, RankingMetric

HOUSE = EDITION


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The conventions of one library, with the version they were read from."""

    name: str
    source: str
    conventions: Mapping[str, Any]
    metrics: Mapping[str, Mapping[str, Any]]
    without_cutoff: Mapping[str, str]

    def fields(self, metric: Metric) -> dict[str, Any]:
        """What this profile states for a metric; an error if the library has no such metric."""
        k = getattr(metric, "k", None)
        # precision and recall also name metrics of classes, which no library of rankings has
        known = metric.name in self.metrics and isinstance(metric, RankingMetric)
        if not known and self.name != HOUSE:
            raise asking.not_in_profile(self.name, str(metric), sorted(self.metrics))
        if metric.name in self.without_cutoff and k is not None:
            raise asking.not_in_profile(self.name, str(metric), [], self.without_cutoff[metric.name])
        return {**self.conventions, **self.metrics.get(metric.name, {})}

    def has(self, metric: Metric) -> bool:
        """Whether the library has such a metric."""
        try:
            self.fields(metric)
        except MetricError:
            return False
        return True


@cache
def profiles() -> dict[str, Profile]:
    """Every profile that ships with the package, by name."""
    folder = resources.files("steelyard.profiles")
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    read = [_read(tomllib.loads(folder.joinpath(name).read_text("utf-8"))) for name in files]
    return {profile.name: profile for profile in read}


def profile(name: str) -> Profile:
    """The profile of that name.

    >>> profile("trec_eval").conventions["ties"]
    'item_desc'
    """
    known = profiles()
    if not is_one_of(name, known):
        raise asking.unknown_profile(str(name), sorted(known))
    return known[name]


def _read(data: Mapping[str, Any]) -> Profile:
    return Profile(
        name=data["name"],
        source=data["source"],
        conventions=data["conventions"],
        metrics=data["metrics"],
        without_cutoff=data.get("without_cutoff", {}),
    )
