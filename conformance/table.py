"""The table of metrics and libraries: agrees, differs by design, refused, not offered."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase

from conformance.agreement import Summary
from steelyard.spec import profile

SIGNS = {
    "=": "agrees in every case",
    "~": "agrees, but for cases that are refused, with the reason below",
    "d": "agrees, but for cases that differ by design, with the reason below",
    "x": "refused in every case",
    ".": "not offered by the library",
}


def table(found: Mapping[str, Summary]) -> str:
    """A row per metric and a column per library, then every sentence that explains a cell."""
    if not found:
        return "no library has answered"
    names = sorted(found, key=lambda name: (profile(name).place, name))
    letters = dict(zip(names, _letters(), strict=False))
    metrics = sorted({metric for one in found.values() for metric in one})
    lines = [f"{letters[name]}  {_title(name)}" for name in names]
    lines += ["", f"{'metric':<18} {' '.join(f'{letters[name]:<2}' for name in names)}".rstrip()]
    for metric in metrics:
        signs = [sign(found[name], metric) for name in names]
        lines.append(f"{metric:<18} {'  '.join(signs)}")
    lines += ["", *(f"{mark}  {meaning}" for mark, meaning in SIGNS.items()), ""]
    for name in names:
        for why, some in reasons(found[name]).items():
            lines.append(f"{name} ({', '.join(some)}): {why}")
    return "\n".join(lines)


def sign(of: Summary, metric: str) -> str:
    """One cell of the table."""
    if metric not in of:
        return "."
    one = of[metric]
    if not one["agrees"]:
        return "d" if one["differs"] else "x"
    return "d" if one["differs"] else "~" if one["refused"] else "="


def reasons(of: Summary) -> dict[str, list[str]]:
    """Every sentence that explains something of a library, with the metrics it holds for."""
    found: dict[str, list[str]] = {}
    for metric, one in of.items():
        for why in one["why"]:
            found.setdefault(why, []).append(metric)
    return found


def _title(name: str) -> str:
    one = profile(name)
    return f"{name} ({one.version}; {'to 1e-9' if one.exact == 'float64' else f'exact to {one.exact}'})"


def _letters() -> list[str]:
    return [*ascii_uppercase, *(f"A{letter}" for letter in ascii_uppercase)]
