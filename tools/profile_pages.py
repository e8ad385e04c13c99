"""The parts of the documentation that are made from profiles, and from what their libraries answered."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from steelyard import spec
from steelyard.conventions import plain
from steelyard.metrics import Metric, by_name
from steelyard.render.catalogue import libraries, proof
from steelyard.spec.libraries import with_numbers

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.agreement import Summary, kept  # noqa: E402 - it stands beside the package
from conformance.table import reasons  # noqa: E402

_WORDS = {"agrees": "agrees", "neither": "both refuse", "refused": "refused", "differs": "differs"}


def libraries_part(_path: Path) -> str:
    """Every library with its version, and how its profile is proven."""
    found = kept()
    rows = []
    for one in libraries():
        counts = [sum(cell[status] for cell in found.get(one.name, {}).values()) for status in _WORDS]
        cells = [str(count) if one.name in found else "" for count in counts]
        rows.append([f"`{one.name}`", one.library, one.version, str(proof(one)), *cells])
    return table(["profile", "library", "version", "proof", *_WORDS.values()], rows)


def matrix_part(_path: Path) -> str:
    """For every metric, each library that has it: its name, what it sets differs from the default, proof."""
    found, parts = kept(), []
    for key in by_name():
        rows = [row for one in libraries() for row in _rows(one, key, found.get(one.name, {}))]
        if rows:
            parts.append(
                f"### {key}\n\n{table(['library', 'its name', 'differs from the default', ''], rows)}"
            )
    return "\n\n".join(parts)


def _rows(one: spec.Profile, key: str, found: Summary) -> list[list[str]]:
    names: dict[str, list[str]] = {}
    for name in one.names:
        metric = _meant(one, name)
        if metric is not None and metric.key() == key:
            names.setdefault(_differing(metric), []).append(f"`{name}`")
    if not names and key not in one.metrics:
        return []
    state = _state(one, key, found)
    rows = [["", ", ".join(own), differing, ""] for differing, own in names.items()]
    if not rows:
        rows = [["", "", _differing(_with(one, by_name()[key])), ""]]
    rows[0][0], rows[0][3] = f"`{one.name}`", state
    return rows


def _meant(one: spec.Profile, name: str) -> Metric | None:
    """The metric that a library's name means, with some numbers for its figures."""
    if name in one.refused:
        return None
    return with_numbers(name, lambda written: spec.metric(f"{one.name}:{written}"))


def _with(one: spec.Profile, cls: type[Metric]) -> Metric:
    return cls(**one.fields(cls()))


def _differing(metric: Metric) -> str:
    fields = {name: value for name, value in metric.differing().items() if name not in ("k", "order")}
    return ", ".join(f"`{name}={plain(value)}`" for name, value in fields.items())


def _state(one: spec.Profile, key: str, found: Summary) -> str:
    if key in found:
        cell = found[key]
        return ", ".join(f"{cell[status]} {word}" for status, word in _WORDS.items() if cell[status])
    return "stated, not compared" if one.proven else "unproven"


def reasons_part(_path: Path) -> str:
    """What is not reproduced and why, and what is known to be wrong, library by library."""
    found, parts = kept(), []
    for one in libraries():
        said = [f"- {_named(names)}: {why}" for why, names in reasons(found.get(one.name, {})).items()]
        said += [f"- {_named([name])} is refused: {why}" for name, why in one.refused.items()]
        said += [f"- {_named([name])} has no cutoff: {why}" for name, why in one.without_cutoff.items()]
        said += [f"- a fault of {_named([name])}: {why}" for name, why in one.faults.items()]
        if said:
            parts.append("\n".join([f"### {one.name}", "", *said]))
    return "\n\n".join(parts)


def _named(names: list[str]) -> str:
    return ", ".join("all metrics" if name == "all" else f"`{name}`" for name in names)


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


PARTS: dict[str, Callable[[Path], str]] = {
    "libraries": libraries_part,
    "matrix": matrix_part,
    "reasons": reasons_part,
}
