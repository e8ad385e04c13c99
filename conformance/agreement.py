"""What came of the comparison, kept for the documentation: by library and metric, how often, and why not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import steelyard as sy
from conformance.judged import Cell
from conformance.recorded import HERE
from steelyard.spec import profile
from steelyard.spec.libraries import own

FILE = HERE / "agreement.json"
Summary = dict[str, dict[str, Any]]  # by metric: how many cells of each status, and the sentences why


def summary(cells: Iterable[Cell]) -> Summary:
    """The cells of one library, by our name of the metric."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(metric_of(cell), []).append(cell)
    return {metric: _counted(some) for metric, some in sorted(found.items())}


def metric_of(cell: Cell) -> str:
    """Our name of the metric that a library's name means."""
    try:
        found = own(profile(cell.profile), cell.name)
    except sy.SteelyardError:  # refused under that name
        return cell.name
    return found[0].metric.key() if found else cell.name


def _counted(cells: list[Cell]) -> dict[str, Any]:
    counts = Counter(cell.status for cell in cells)
    figures = {status: counts[status] for status in ("agrees", "neither", "refused", "differs")}
    return {**figures, "why": list(dict.fromkeys(cell.why for cell in cells if cell.why))}


def kept() -> dict[str, Summary]:
    """What was found of every library, as it is kept."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def keep(found: Mapping[str, Summary]) -> None:
    """Keep what was found of some libraries beside what is kept of others."""
    FILE.write_text(
        json.dumps({**kept(), **found}, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8"
    )
