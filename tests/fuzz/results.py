"""All that can be asked of a result, asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import steelyard as sy

_CURVES = ["roc", "precision_recall", "calibration", "gain", "lift", "score_histogram", "ndcg", "recall"]


def every_form(result: sy.Result) -> None:
    """Ask a result for each of its forms; what it has not is refused."""
    for form in ("table", "csv", "markdown", "latex"):
        result.render(form)
    result._repr_html_()
    result.system(lang="zh")
    _or_refused(result.per_query)
    for name in result.charts():
        result.chart(name)
    for name in _CURVES:
        _or_refused(lambda name=name: result.curve(name))
        _or_refused(lambda name=name: result.curve(name, sliced=True))
    query = None
    if result.rankings:
        query = result.per_query()["query"].to_list()[0]
    for label, _ in result.metrics:
        _or_refused(lambda label=label: repr(result.explain(label, query)))


def _or_refused(ask: Callable[[], object]) -> None:
    with contextlib.suppress(sy.SteelyardError):
        ask()
