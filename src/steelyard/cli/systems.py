"""``[NAME=]RUN …``: several systems on the command line or in a run file, each under its name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.messages.errors import SteelyardError, asking

if TYPE_CHECKING:
    from steelyard.metrics.base import Asked
    from steelyard.read import Opened

_COMPRESSED = (".gz", ".zst")


def systems_of(given: Sequence[Any]) -> dict[str, Any]:
    """Runs under their names: NAME=RUN, else that of the file without its ending, or with its folder.

    A run is text, or a list of files that are one table; a run file may give it with its name.

    >>> list(systems_of(["runs/old.run", "new=runs/v2.run"]))
    ['old', 'new']
    >>> list(systems_of(["old/p.run", "new/p.run"]))
    ['old/p.run', 'new/p.run']
    """
    parts = [_named(one) for one in given]
    stems = Counter(name or _stem(run) for name, run in parts)
    found: dict[str, Any] = {}
    for name, run in parts:
        called = name or (_stem(run) if stems[_stem(run)] == 1 else _text(run))
        if called in found:
            raise asking.same_name(name=called) if name else asking.same_run(run=called)
        found[called] = run
    return found


def are_several(given: Sequence[Any]) -> bool:
    """Whether there is more than one run, or a run file gives one its name."""
    return len(given) > 1 or isinstance(given[0], tuple)


def run_and_truth(
    given: Sequence[Any], asked: Sequence[Asked], columns: Mapping[str, Any]
) -> tuple[Opened, Opened] | None:
    """Two files as a run and its truth; None where they are systems.

    They are systems where one has a name, where the first has labels of its own, or where no metric needs the
    truth. Two runs without truth are an error.
    """
    from steelyard import read

    needs = [one.metric.need() for one in asked]
    if all(need.reads == "lists" and "truth" not in need.tables for need in needs):
        return None
    if len(given) != 2 or any(isinstance(one, list | tuple) or _named(one)[0] for one in given):
        return None
    read.check_sources(*given)
    run, truth = map(read.Opened, given)
    if read.may_have(run, "predictions", columns, "label"):
        return None
    ordered = read.may_have(truth, "truth", columns, "score", "rank")
    if ordered and not read.may_have(truth, "truth", columns, "label"):
        raise asking.two_runs(one=_text(given[0]), other=_text(given[1]))
    return run, truth


def _named(given: Any) -> tuple[str | None, Any]:
    """The name that was given, if any, and the run; a path that exists has an = of its own."""
    if isinstance(given, tuple):
        return given
    if not isinstance(given, str):
        return None, given
    name, equals, run = given.partition("=")
    if not equals or not run or not name.isidentifier() or _exists(given):
        return None, given
    return name, run


def _exists(text: str) -> bool:
    from steelyard.read.files import paths

    try:
        return any(Path(path).exists() for _, path in paths(text)[1])
    except (SteelyardError, OSError, ValueError):  # a pattern that finds nothing, a name that no file has
        return False


def _text(run: Any) -> str:
    return os.fspath(run) if isinstance(run, str | os.PathLike) else ", ".join(run)


def _stem(run: Any) -> str:
    path = Path(run[0] if isinstance(run, list) else run)
    return Path(path.stem).stem if path.suffix.lower() in _COMPRESSED else path.stem
