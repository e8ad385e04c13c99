"""Results that were saved, and one report of several, side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard import processes
from steelyard.result import saved as storage
from steelyard.result.result import Result, named_results


def is_result(given: Any) -> bool:
    return isinstance(given, Result) or (isinstance(given, str | os.PathLike) and storage.is_saved(given))


def load(path: str | Path) -> Result:
    """The result that ``result.save`` wrote to a file; no code of the file is run.

    >>> import steelyard as sy
    >>> from tempfile import TemporaryDirectory
    >>> result = sy.evaluate({"label": [1, 0, 1], "score": [0.9, 0.4, 0.3]}, metrics="auc")
    >>> with TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/run.steelyard")
    ...     sy.load(f"{folder}/run.steelyard").curve("roc").frame.equals(result.curve("roc").frame)
    True
    """
    processes.check()
    return Result(**storage.read(path))


def report(
    results: Mapping[str, Result] | Sequence[Result] | Result,
    path: str | Path,
    *,
    title: str | None = None,
    lang: str = "en",
) -> None:
    """Write one HTML page of several results, side by side.

    Results that share a metric are in the same tables and charts, and are compared with the first by the
    defaults of ``sy.compare``. A list of results is named by their predictions.

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
    from steelyard.render import page
    from steelyard.result.result import page_parts
    from steelyard.text.errors import writing

    named = named_results(results)
    if not named:
        raise writing.nothing_to_report()
    page.write(page_parts(named), path, title=title, lang=lang)
