"""What a benchmark found, for people and as JSON."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib.metadata import version
from typing import Any

from bench.measure import Runs

PACKAGES = ("steelyard", "numpy", "polars", "numba", "pytrec_eval-terrier", "ir_measures")


@dataclass(frozen=True)
class Target:
    """Something promised, and whether it was kept."""

    text: str
    found: str
    met: bool

    def __str__(self) -> str:
        return f"{'met' if self.met else 'NOT met':7}  {self.text}: {self.found}"


@dataclass(frozen=True)
class Report:
    """One benchmark: a table, the targets, and further lines."""

    name: str
    about: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    targets: list[Target] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        table = [f"  {line}" for line in _aligned([self.header, *self.rows])]
        further = [f"  {line}" for line in (*self.lines, *self.targets)]
        return "\n".join([f"{self.name}: {self.about}", *table, *further])

    def markdown(self) -> str:
        """The table for a page, with the targets below."""
        rows = [f"| {' | '.join(row)} |" for row in (self.header, ("---",) * len(self.header), *self.rows)]
        return "\n".join([f"{self.about}:", "", *rows, "", *(f"- {target}" for target in self.targets)])

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for ``--json``."""
        return {
            "name": self.name,
            "about": self.about,
            "figures": self.figures,
            "targets": [asdict(target) for target in self.targets],
        }


PROCESS_HEADER = ("", "median", "min", "max", "peak memory")


def process_rows(measured: Sequence[Runs]) -> list[tuple[str, ...]]:
    """The usual table: a row per contender."""
    return [
        (
            one.name,
            f"{one.median:.3f} s",
            f"{min(one.seconds):.3f} s",
            f"{max(one.seconds):.3f} s",
            f"{one.peak_mb:,.0f} MB",
        )
        for one in measured
    ]


def process_figures(measured: Sequence[Runs]) -> dict[str, Any]:
    """Every run, so that others can compute what they like."""
    return {
        one.name: {"seconds": one.seconds, "median": one.median, "peak_mb": one.peak_mb} for one in measured
    }


def environment() -> dict[str, str]:
    """What the figures depend on besides the code."""
    load = " ".join(f"{one:.2f}" for one in os.getloadavg())
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": str(len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()),
        "load": load,
    }


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
