"""What each result gives to the page, and which of them stand side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from steelyard.engines.lists import Lists
from steelyard.measure.measured import Measured
from steelyard.measure.readings import Reading
from steelyard.metrics import Metric
from steelyard.show.document import Document


@dataclass(frozen=True, kw_only=True)
class System:
    """One evaluated system: its numbers, its words, and what its charts and lists are made from."""

    name: str
    document: Document
    measured: tuple[Measured, ...]
    readings: tuple[Reading, ...]
    spec: Mapping[str, Mapping[str, Any]]
    tally: Mapping[str, int]
    predictions: str
    truth: str | None = None
    lists: Lists | None = None

    @property
    def rows(self) -> pl.DataFrame:
        """The tidy table."""
        return self.document.rows

    @property
    def by(self) -> tuple[str, ...]:
        """The slice columns."""
        return self.document.by

    @property
    def metrics(self) -> dict[str, Metric]:
        """Each metric under its label."""
        return {one.label: one.metric for one in self.measured}

    @property
    def whole(self) -> pl.DataFrame:
        """The rows over everything."""
        return self.rows.filter([pl.col(name).is_null() for name in self.by]) if self.by else self.rows


@dataclass(frozen=True)
class Placed:
    """A system with its place among all of the page, which gives it its colour and its switch."""

    place: int
    system: System


Part = tuple[Placed, ...]


def parts(systems: Sequence[System]) -> list[Part]:
    """Systems that share a metric, directly or through others, stand in one table; the rest apart."""
    groups: list[tuple[set[str], list[Placed]]] = []
    for place, system in enumerate(systems):
        labels, members = set(system.metrics), [Placed(place, system)]
        for group in [group for group in groups if group[0] & labels]:
            groups.remove(group)
            labels, members = labels | group[0], [*group[1], *members]
        groups.append((labels, members))
    ordered = [tuple(sorted(members, key=lambda one: one.place)) for _, members in groups]
    return sorted(ordered, key=lambda part: part[0].place)


def labels(part: Part) -> dict[str, Metric]:
    """Every metric of the systems, in the order in which they were asked for."""
    found: dict[str, Metric] = {}
    for placed in part:
        for label, metric in placed.system.metrics.items():
            found.setdefault(label, metric)
    return found
