"""One report of several results, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from steelyard import processes
from steelyard.comparison import Testing, named_results, side_by_side
from steelyard.messages import say
from steelyard.messages.errors import SteelyardError, writing
from steelyard.result.compared import Comparison
from steelyard.result.result import Result
from steelyard.show import page
from steelyard.show.system import Part, System


def report(
    results: Mapping[str, Result] | Sequence[Result] | Result,
    path: str | Path,
    *,
    title: str | None = None,
    lang: str = "en",
) -> None:
    """Write one HTML file that shows several results side by side, each under its name.

    Results that share a metric stand in one table and in the same charts, and are compared with the first of
    them, as ``compare`` does it unless told otherwise; those that share none stand apart. A list of results
    is named by what was read for each.

    >>> import steelyard as sy
    >>> truth = {"q": {"a": 1}}
    >>> old = sy.evaluate({"q": {"b": 2, "a": 1}}, truth, "mrr")
    >>> new = sy.evaluate({"q": {"a": 2, "b": 1}}, truth, "mrr")
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     sy.report({"old": old, "new": new}, Path(folder, "report.html"))
    ...     Path(folder, "report.html").read_text("utf-8")[:15]
    '<!doctype html>'
    """
    named = named_results(results, Result)
    if not named:
        raise writing.nothing_to_report()
    processes.check()
    parts = side_by_side([_system(name, result, len(named) > 1) for name, result in named.items()])
    page.write([_compared(part, list(named.values())) for part in parts], path, title=title, lang=lang)


def _system(name: str, result: Result, compared: bool) -> System:
    found = result.system(name)
    return replace(found, fingerprint=result.fingerprint) if compared else found


def _compared(part: Part, results: Sequence[Result]) -> Part:
    """The same with the other systems compared with the first; or with why they cannot be."""
    if len(part.systems) < 2:
        return part
    found = {system.name: results[system.place] for system in part.systems}
    baseline = part.systems[0].name
    level = found[baseline].request.certainty.level
    try:
        return Comparison.of(found, baseline, Testing(level=level)).onto(part)
    except SteelyardError as error:
        why = say("The systems are not compared: {why}.", why=error.said)
        return replace(part, notes=(*part.notes, why))
