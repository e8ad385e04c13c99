"""The table of metrics and libraries: agrees, differs by design, refused, not offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import steelyard as sy
from conformance.judged import Cell
from steelyard.ask import profile
from steelyard.ask.own_names import own


def metric_of(cell: Cell) -> str:
    """Our name of the metric that a library's name means."""
    try:
        found = own(profile(cell.profile), cell.name)
    except sy.SteelyardError:  # refused under that name
        return cell.name
    return found[0].metric.key() if found else cell.name


def table(cells: Iterable[Cell]) -> str:
    """A line per metric and library: in how many cases they agree, and what explains the others."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.name != "*":
            found.setdefault((metric_of(cell), cell.profile), []).append(cell)
    lines = [f"{'metric':<18} {'library':<22} agrees refused differs  why"]
    for (metric, name), some in sorted(found.items()):
        counts = Counter(cell.status for cell in some)
        whys = list(dict.fromkeys(cell.why for cell in some if cell.why))
        figures = f"{counts['agrees']:>6} {counts['refused']:>7} {counts['differs']:>7}"
        lines.append(f"{metric:<18} {name:<22} {figures}  {_first(whys)}".rstrip())
        lines += [f"{'':<18} {'':<22} {'':>22}  {why}" for why in whys[1:]]
    return "\n".join(lines)


def _first(whys: Sequence[str]) -> str:
    return whys[0] if whys else ""
