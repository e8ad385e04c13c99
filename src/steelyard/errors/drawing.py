"""What a user is told when a chart cannot be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.errors.base import MetricError, OutputError, nearest


class NothingToDrawError(MetricError):
    """A chart that the data leaves nothing to draw in."""


def unknown_chart(name: object, known: Sequence[str]) -> MetricError:
    guess = nearest(name, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(f"unknown chart '{name}'{hint}", remedy=f"known: {', '.join(known)}")


def unknown_option(name: str, option: str, known: Sequence[str]) -> MetricError:
    guess = nearest(option, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(
        f"the chart '{name}' has no option '{option}'{hint}",
        remedy=f"it has: {', '.join(known)}" if known else "it has none",
    )


def unknown_language(lang: object, known: Sequence[str]) -> MetricError:
    return MetricError(f"unknown language '{lang}'", remedy=f"known: {', '.join(known)}")


def not_supported(name: str, system: str, needs: str, remedy: str) -> MetricError:
    of = f" of '{system}'" if system else ""
    return MetricError(
        f"the chart '{name}' needs {needs}, which this result{of} does not have", remedy=remedy
    )


def nothing_to_draw(name: str, why: str) -> NothingToDrawError:
    return NothingToDrawError(f"there is nothing to draw in the chart '{name}': {why}", remedy="leave it out")


def not_drawn(name: str, why: str) -> OutputError:
    reason = [line.strip() for line in why.splitlines() if line.strip()]
    return OutputError(
        f"vl-convert could not draw the chart '{name}': {' '.join(reason[:2])}",
        remedy="please report it, with the names that the chart shows",
    )


def metric_not_there(name: str, metric: str, known: Sequence[str]) -> MetricError:
    guess = nearest(metric, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(
        f"the chart '{name}' cannot show '{metric}'{hint}",
        remedy=f"it can show: {', '.join(known)}" if known else "ask for the same metric in all results",
    )


def needs_two(name: str, count: int) -> MetricError:
    return MetricError(
        f"the chart '{name}' shows two results; got {count}",
        remedy=f"give the other one: result.chart('{name}', other=...)",
    )


def ids_differ(one: str, other: str) -> MetricError:
    return MetricError(
        f"the queries of the two results differ in type: {one} and {other}",
        remedy="read both with ids of one type",
    )


def slices_differ(system: str, one: Sequence[str], other: Sequence[str]) -> MetricError:
    return MetricError(
        f"the results are sliced by {', '.join(one)}, but '{system}' by {', '.join(other)}",
        remedy="slice all of them by the same columns",
    )


def no_systems(name: str) -> MetricError:
    return MetricError(f"the chart '{name}' was given no result", remedy="give one at least, under its name")


def not_chart_and_file(text: str) -> MetricError:
    return MetricError(
        f"--chart takes NAME=FILE; got '{text}'",
        remedy="write for example --chart roc=roc.svg, or --chart 'slices(auc)=slices.png'",
    )


def of_two_results(name: str) -> MetricError:
    return MetricError(
        f"the chart '{name}' shows two results, and `steelyard evaluate` has one",
        remedy=f"in Python: result.chart('{name}', other=...)",
    )


def takes_no_metric(name: str) -> MetricError:
    return MetricError(f"the chart '{name}' shows no single metric", remedy=f"write {name}=FILE")


def written_twice(path: Path) -> OutputError:
    return OutputError(f"two outputs would both be written to {path}", remedy="give each a file of its own")


def unknown_ending(path: Path, known: Sequence[str]) -> OutputError:
    return OutputError(
        f"cannot write the chart {path}: its ending does not say in which format",
        remedy=f"known: {', '.join(known)}",
    )


def unknown_form(ending: object, known: Sequence[str]) -> OutputError:
    return OutputError(f"a chart has no form {ending!r}", remedy=f"known: {', '.join(known)}")


def bad_scale(scale: object, most: int) -> OutputError:
    return OutputError(
        f"scale is {scale!r}, and must be a number", remedy=f"give one above 0, at most {most}"
    )


def extra_missing() -> OutputError:
    return OutputError(
        "charts are drawn by altair and vl-convert-python, which are not installed",
        remedy="pip install 'steelyard[report]'",
    )
