"""One report of several results, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from steelyard import processes
from steelyard.errors import writing
from steelyard.report import page
from steelyard.result import Result


def report(
    results: Mapping[str, Result] | Result,
    path: str | Path,
    *,
    title: str | None = None,
    lang: str = "en",
) -> None:
    """Write one HTML file that shows several results side by side, each under its name.

    Results that share a metric stand in one table and in the same charts; the others apart.

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
    named = {results.names.predictions: results} if isinstance(results, Result) else dict(results)
    if not named:
        raise writing.nothing_to_report()
    for name, result in named.items():
        if not isinstance(result, Result):
            raise writing.not_a_result(str(name), type(result).__name__)
    processes.check()
    page.write([result.system(str(name)) for name, result in named.items()], path, title=title, lang=lang)
