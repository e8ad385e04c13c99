"""Check the data files of editions and profiles: ``python tools/profiles.py [FOLDER ...]``.

Unknown keys, metrics, fields and values are printed with their place, and an edition must state every field
of every metric. Anything that does not fit ends in exit code 1.
"""

from __future__ import annotations

import dataclasses
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard.ask.data import FOLDERS
from steelyard.errors import SteelyardError
from steelyard.metrics import Metric, by_name

_NEEDED = {"name", "source", "conventions", "metrics"}
_KEYS = _NEEDED | {"edition", "without_cutoff"}
_BY_CALL = {"k", "order"}  # the cutoff is the metric's own, the order that of the columns there are


def problems(file: Path) -> Iterator[str]:
    """What is wrong with the file of a profile, each with its place."""
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        yield f"{file.name}: {error}"
        return
    for key in sorted(_NEEDED - set(data)):
        yield f"{file.name}: lacks '{key}'"
    for key in sorted(set(data) - _KEYS):
        yield f"{file.name}: has a key '{key}' that is none of {', '.join(sorted(_KEYS))}"
    known = by_name()
    stated, whole = data.get("metrics", {}), "edition" not in data
    named = known if whole else {name: known[name] for name in stated if name in known}
    for name in sorted({*stated, *data.get("without_cutoff", {})} - set(known)):
        yield f"{file.name}: there is no metric '{name}'"
    for field, value in data.get("conventions", {}).items():
        takers = [cls for cls in named.values() if field in _field_names(cls)]
        if not takers:
            yield f"{file.name}: [conventions] {field}: no metric has such a field"
        yield from _misfits(f"{file.name}: [conventions]", takers[:1], {field: value})
    for name, fields in stated.items():
        yield from _misfits(f"{file.name}: [metrics.{name}]", [known[name]] if name in known else [], fields)
    if whole:
        for name, cls in known.items():
            if not cls.__module__.startswith("steelyard."):
                continue
            said = {
                *data.get("conventions", {}),
                *stated.get(name, {}),
                "k",
                "order",
            }
            for field in sorted(_field_names(cls) - said):
                yield f"{file.name}: [metrics.{name}] lacks '{field}', and an edition has every field"


def _misfits(place: str, classes: list[type[Metric]], fields: Mapping[str, Any]) -> Iterator[str]:
    for cls in classes:
        for field, value in fields.items():
            try:
                cls(**{field: value})
            except SteelyardError as error:
                yield f"{place} {field}: {error.message}"


def _field_names(cls: type[Metric]) -> set[str]:
    return {field.name for field in dataclasses.fields(cls)}


def main() -> int:
    folders = [Path(name) for name in sys.argv[1:]] or FOLDERS
    found = [
        problem for folder in folders for file in sorted(folder.glob("*.toml")) for problem in problems(file)
    ]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
