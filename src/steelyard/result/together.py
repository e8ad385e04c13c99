"""Results side by side, compared without being asked: in one chart, or on one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.arguments import is_one_of
from steelyard.render.system import PagePart
from steelyard.result.compared import Comparison, systems_of
from steelyard.result.result import Result
from steelyard.stats.testing import Procedure
from steelyard.text import say
from steelyard.text.errors import SteelyardError, showing

if TYPE_CHECKING:
    from steelyard.render.charts import Chart


def drawn(name: str, results: Mapping[str, Result], **options: Any) -> Chart:
    from steelyard.render import charts

    if not is_one_of(name, ["forest", "slice_differences"]):
        return charts.chart(name, results, **options)
    charts.check(name, results, options)
    if len(results) != 2:
        raise showing.needs_two(name=name, n=len(results))
    return _by_default(results, list(results)[1]).chart(name, **options)


def page_parts(results: Mapping[str, Result]) -> list[PagePart]:
    """What a page shows of results: side by side those that share a metric, compared with their first.

    Where they cannot be compared, it says why.
    """
    from steelyard.render.side_by_side import side_by_side

    every = list(results.values())
    parts = []
    for part in side_by_side(systems_of(results)):
        found = {system.name: every[system.place] for system in part.systems}
        if len(found) > 1:
            try:
                part = _by_default(found, part.systems[0].name).onto(part)
            except SteelyardError as error:
                why = say("The systems are not compared: {why}.", why=error.said)
                part = replace(part, notes=(*part.notes, why))
        parts.append(part)
    return parts


def _by_default(results: Mapping[str, Result], baseline: str) -> Comparison:
    return Comparison.of(results, baseline, Procedure(level=results[baseline].plan.certainty.level))
