"""Check the data files of editions and profiles: ``python tools/profiles.py [FOLDER ...]``.

Unknown keys, metrics, fields, values and editions are printed with their place, an edition must state every
field of every metric, and no two files have one name. Anything that does not fit ends in exit code 1.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.metrics import Metric, by_name
from steelyard.metrics.registry import parse
from steelyard.spec.libraries import FOLDERS, TABLES, Profile, as_compared, completed, with_numbers
from steelyard.text.errors import SteelyardError

_NEEDED = {"name", "source", "conventions", "metrics"}
_KEYS = {"like", *(field.name for field in dataclasses.fields(Profile))}
_KINDS = {"proven": bool, "place": int} | dict.fromkeys(TABLES, dict)  # all others are text
_WORDS = {bool: "true or false", int: "a whole number", dict: "a table", str: "text"}
_OF_TEXT = ("names", "without_cutoff", "with_cutoff", "refused", "faults")
_FIGURE = re.compile(r"\{([a-z_]+)\}")
_BY_CALL = {"k", "order"}  # the cutoff is the metric's own, the order that of the columns there are


def problems(file: Path, folders: Sequence[Path] = ()) -> Iterator[str]:
    """What is wrong with the file of a profile, beside those that are shipped and those of some folders."""
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        yield f"{file.name}: {error}"
        return
    others = [other for other in files(*FOLDERS, *folders) if other != file.resolve()]
    if "like" in data:
        bases = _bases(others)
        if data["like"] not in bases:
            yield f"{file.name}: is like '{data['like']}', which there is not"
            return
        data = completed(data, bases)
    for what in (*_shape(data), *_among(data, others)):
        yield f"{file.name}: {what}"
    conventions, metrics, without_cutoff, faults = (
        _table(data, key) for key in ("conventions", "metrics", "without_cutoff", "faults")
    )
    known = by_name()
    whole = _is_edition(data)
    named = known if whole else {name: known[name] for name in metrics if name in known}
    for name in sorted({*metrics, *without_cutoff, *faults} - {*known, "all"}):
        yield f"{file.name}: there is no metric '{name}'"
    for name, other in _same_names(_table(data, "names")):
        yield f"{file.name}: [names] {name} is read as {other} is"
    for name, meant in _table(data, "names").items():
        yield from (f"{file.name}: [names] {name}: {what}" for what in _meanings(name, meant, metrics))
    for field, value in conventions.items():
        takers = [cls for cls in named.values() if field in _field_names(cls)]
        if not takers:
            yield f"{file.name}: [conventions] {field}: no metric has such a field"
        refused = (what for cls in takers for what in _misfits(cls, {field: value}))
        yield from (f"{file.name}: [conventions] {what}" for what in list(refused)[:1])
    for name in metrics:
        fields = _table(metrics, name)
        refused = _misfits(known[name], fields) if name in known else iter(())
        yield from (f"{file.name}: [metrics.{name}] {what}" for what in refused)
    if whole:
        for name, cls in known.items():
            if not cls.__module__.startswith("steelyard."):
                continue
            for field in sorted(_field_names(cls) - {*conventions, *_table(metrics, name), *_BY_CALL}):
                yield f"{file.name}: [metrics.{name}] lacks '{field}', and an edition has every field"


def _same_names(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names that differ in spaces, quotes, case or the order of arguments alone: the first is taken."""
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(as_compared(name).casefold(), name)
        if other != name:
            yield name, other


def files(*folders: Path) -> list[Path]:
    """The files of some folders, each once."""
    return list(dict.fromkeys(file for folder in folders for file in sorted(folder.resolve().glob("*.toml"))))


def _shape(data: Mapping[str, Any]) -> Iterator[str]:
    """Keys that are lacking, unknown, or of another kind than they should be."""
    for key in sorted(_NEEDED - set(data)):
        yield f"lacks '{key}'"
    for key in sorted(set(data) - _KEYS):
        yield f"has a key '{key}' that is none of {', '.join(sorted(_KEYS))}"
    for key in sorted(set(data) & _KEYS):
        kind = _KINDS.get(key, str)
        if not isinstance(data[key], kind):
            yield f"'{key}' must be {_WORDS[kind]}; it is {data[key]!r}"
    for name, fields in _table(data, "metrics").items():
        if not isinstance(fields, dict):
            yield f"[metrics] {name} must be a table; it is {fields!r}"
    for key in _OF_TEXT:
        for name, said in _table(data, key).items():
            if not isinstance(said, str):
                yield f"[{key}] {name} must be text; it is {said!r}"


def _among(data: Mapping[str, Any], others: Sequence[Path]) -> Iterator[str]:
    """A name that another file has, or an edition that none has."""
    editions = set()
    for other in others:
        for name, read in _bases([other]).items():
            if name == str(data.get("name")):
                yield f"its name '{data.get('name')}' is that of {other.name}, too"
            if _is_edition(read):
                editions.add(name)
    if not _is_edition(data) and data["edition"] not in editions:
        yield f"there is no edition '{data['edition']}'; there is {', '.join(sorted(editions))}"


def _bases(others: Sequence[Path]) -> dict[str, Mapping[str, Any]]:
    """The data of other files, by name; one that cannot be read is said of itself."""
    found = {}
    for other in others:
        try:
            read = tomllib.loads(other.read_text("utf-8"))
        except tomllib.TOMLDecodeError:
            continue
        found[str(read.get("name"))] = read
    return found


def _meanings(name: str, meant: object, metrics: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with what a library's own name is said to mean."""
    if not isinstance(meant, str):
        return
    for figure in sorted(set(_FIGURE.findall(meant)) ^ set(_FIGURE.findall(name))):
        yield f"'{{{figure}}}' stands on one side only"
    try:
        found = with_numbers(meant, parse)
    except SteelyardError as error:
        yield error.message
        return
    yield from (f"[metrics] has no {one.metric.key()}" for one in found if one.metric.key() not in metrics)


def _is_edition(data: Mapping[str, Any]) -> bool:
    return "like" not in data and data.get("edition", data.get("name")) == data.get("name")


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A table, empty where something else stands in its place."""
    found = data.get(key, {})
    return found if isinstance(found, dict) else {}


def _misfits(cls: type[Metric], fields: Mapping[str, Any]) -> Iterator[str]:
    cutoff = {"k": 2} if "k" in _field_names(cls) else {}  # which some choices need
    for field, value in fields.items():
        try:
            cls(**{**cutoff, field: value})
        except SteelyardError as error:
            yield f"{field}: {error.message}"


def _field_names(cls: type[Metric]) -> set[str]:
    return {field.name for field in dataclasses.fields(cls)}


def main() -> int:
    folders = [Path(name) for name in sys.argv[1:]] or FOLDERS
    found = [problem for file in files(*folders) for problem in problems(file, folders)]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
