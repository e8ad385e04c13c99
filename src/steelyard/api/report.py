"""One report of several results, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from steelyard.messages.errors import writing
from steelyard.result.result import Result, named_results
from steelyard.result.together import page_parts
from steelyard.show import page


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
    named = named_results(results)
    if not named:
        raise writing.nothing_to_report()
    page.write(page_parts(named), path, title=title, lang=lang)
