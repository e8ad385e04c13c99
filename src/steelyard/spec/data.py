"""Profiles: the conventions of a library, or of an edition of the defaults, as data."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.metrics import Metric
from steelyard.text import say, term
from steelyard.text.errors import MetricError, SteelyardError, asking
from steelyard.text.errors.forms import unknown

_HERE = Path(__file__).parent
FOLDERS = [_HERE / "editions", _HERE / "profiles"]  # a file NAME.toml in one of them is a profile
TABLES = ("conventions", "metrics", "names", "without_cutoff", "with_cutoff", "refused", "faults")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The conventions of one version of a library.

    Its ``edition`` fills the other fields. An edition is a profile too, with every field of every metric.
    """

    name: str
    source: str
    edition: str
    conventions: Mapping[str, Any]
    metrics: Mapping[str, Mapping[str, Any]]  # by their names, with @k where a cutoff is required
    names: Mapping[str, str] = field(default_factory=dict)  # of the library, such as P_{k}: our text
    without_cutoff: Mapping[str, str] = field(default_factory=dict)
    with_cutoff: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)  # why metrics are not reproduced
    faults: Mapping[str, str] = field(default_factory=dict)  # known faults of a metric, or of "all"
    further: str = ""  # where its other metrics are measured
    library: str = ""  # as its authors write it
    version: str = ""
    proven: bool = False  # whether its numbers are compared with the library itself
    exact: str = "float64"  # how exactly the library computes or prints: float64, float32, 4 (decimals)
    place: int = 99  # among libraries, the best known first

    @property
    def is_edition(self) -> bool:
        return self.edition == self.name

    def fields(self, metric: Metric) -> dict[str, Any]:
        """The fields of a metric; an error if the library has no such metric."""
        name = metric.key()
        if name in self.refused:
            raise asking.refused_by_profile(profile=self.name, label=str(metric), why=self.refused[name])
        if name not in self.metrics and not self.is_edition:
            raise self.lacks(metric)
        other = self.with_cutoff if getattr(metric, "k", None) is None else self.without_cutoff
        if name in other:
            raise asking.other_cutoff(profile=self.name, label=str(metric), remedy=term(other[name]))
        stated = {**self.conventions, **self.metrics.get(name, {})}
        return {field: value for field, value in stated.items() if field in vars(metric)}

    def has(self, metric: Metric) -> bool:
        try:
            self.fields(metric)
        except MetricError:
            return False
        return True

    def lacks(self, metric: Metric | str) -> SteelyardError:
        return asking.not_in_profile(
            self.name, str(metric), sorted(self.metrics), list(self.names), further=self.further
        )


def profiles() -> dict[str, Profile]:
    return _read_all(tuple(FOLDERS))


def profile(name: str) -> Profile:
    """The profile of that name, whatever its case.

    >>> profile("trec_eval").conventions["ties"]
    'item_desc'
    """
    known, folded = profiles(), str(name).casefold()
    if folded not in known:
        by_version = {f"{one.name}:{one.version.partition('.')[0]}": one for one in known.values()}
        if folded in by_version:
            return by_version[folded]
        raise unknown(say("unknown profile '{name}'", name=str(name)), name, sorted(known))
    return known[folded]


@cache
def _read_all(folders: tuple[Path, ...]) -> dict[str, Profile]:
    files = [file for folder in folders for file in sorted(folder.glob("*.toml"))]
    read = {data["name"]: data for data in (tomllib.loads(file.read_text("utf-8")) for file in files)}
    return {name: _made(completed(data, read)) for name, data in read.items()}


def completed(data: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The data of a file, completed from the one that it is ``like``.

    Another version of a library takes everything. Another library takes the conventions, also those of
    metrics that both have, but neither names nor faults.
    """
    if "like" not in data:
        return dict(data)
    base = completed(others[data["like"]], others)
    same = data.get("library", base.get("library")) == base.get("library")
    metrics = {
        name: {**base["metrics"].get(name, {}), **fields} for name, fields in data.get("metrics", {}).items()
    }
    merged = {key: value for key, value in base.items() if same or key in ("edition", "conventions")} | {
        key: value for key, value in data.items() if key not in TABLES
    }
    for key in TABLES:
        merged[key] = {**merged.get(key, {}), **data.get(key, {})}
    merged["metrics"] = {**(base["metrics"] if same else {}), **metrics}
    return merged


def _made(data: Mapping[str, Any]) -> Profile:
    known = {field.name for field in dataclasses.fields(Profile)}
    held = {key: value for key, value in data.items() if key in known}
    return Profile(**{"edition": data["name"], **held})
