"""The results of several systems that were evaluated in one call, each under its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from steelyard.arguments import is_one_of
from steelyard.arrays import Copied
from steelyard.render import output
from steelyard.render.as_dict import HEADER
from steelyard.render.side_by_side import SYSTEM, together, with_system
from steelyard.render.system import PagePart, System
from steelyard.result.result import Result
from steelyard.result.written import TableForms
from steelyard.stats.testing import Procedure
from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import SteelyardError, asking, comparing, showing

if TYPE_CHECKING:
    from steelyard.render.charts import Chart
    from steelyard.result.compared import Comparison


@dataclass(frozen=True, repr=False, eq=False)
class Results(TableForms, Mapping[str, Result]):
    """A mapping from the name of each system to its result, with the tables and the page of all of them.

    >>> import steelyard as sy
    >>> log = {"clicked": [1, 0, 1, 0], "old": [0.8, 0.3, 0.4, 0.6], "new": [0.7, 0.2, 0.8, 0.6]}
    >>> results = sy.evaluate(log, metrics="auc", columns={"score": ["old", "new"]})
    >>> results["new"]["auc"]
    1.0
    >>> results.table().select("system", "metric", "value").rows()
    [('old', 'auc', 0.75), ('new', 'auc', 1.0)]
    """

    results: Copied[dict[str, Result]] = Copied()

    def __post_init__(self) -> None:
        for result in self.results.values():
            check_by(result.by)  # a slice column may come from a table beside the runs

    def __getitem__(self, name: str) -> Result:
        if not is_one_of(name, self.results):
            raise comparing.unknown_system(name, list(self))
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __contains__(self, name: object) -> bool:
        return is_one_of(name, self.results)

    def get(self, name: object, default: Any = None) -> Any:
        """The result of a system, or ``default`` where there is none of that name."""
        return self.results[str(name)] if name in self else default

    def table(self, *, wide: bool = False, least: int = 0) -> pl.DataFrame:
        """The tables of all systems below one another, with a column ``system`` before the others."""
        return with_system([(name, result.table(wide=wide, least=least)) for name, result in self.items()])

    def per_query(self) -> pl.DataFrame:
        """One row per system, query and metric."""
        return with_system([(name, result.per_query()) for name, result in self.items()])

    def chart(self, name: str, **options: Any) -> Chart:
        """A chart of all systems, as that of a result: ``roc``, ``slices``, ``trade_off``, ….

        Of two, ``difference`` and ``scatter`` show how their queries differ, ``forest`` and
        ``slice_differences`` which differences are statistically significant. Needs the ``report`` extra.
        """
        if options.get("metric") is not None:
            options["metric"] = next(iter(self.values())).label(options["metric"])
        return drawn(name, self.results, **options)

    def noting(self, note: Message) -> Results:
        """The same with one more note on each."""
        return Results({name: result.noting(note) for name, result in self.items()})

    def save(self, path: str | Path) -> NoReturn:  # noqa: ARG002 - as that of a result
        """Refused, since a file holds one result: ``results["name"].save("name.steelyard")`` saves each."""
        raise asking.saved_alone(n=len(self), name=next(iter(self)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists: ``systems`` holds that of each result."""
        systems = [{SYSTEM: str(name), **result.to_dict()} for name, result in self.items()]
        return {**HEADER, "systems": systems}

    def to_csv(self, *, wide: bool = False, least: int = 0) -> str:
        """The table as CSV, as that of a result."""
        parts = [(name, result.csv_table(wide=wide, least=least)) for name, result in self.items()]
        return output.frame_as_csv(with_system(parts))

    def system(
        self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0, verbose: bool = False
    ) -> System:
        """All systems as one, whose rows say which they are of."""
        return together(
            [
                result.system(name, lang=lang, wide=wide, least=least, verbose=verbose)
                for name, result in self.items()
            ]
        )

    def _parts(self) -> list[PagePart]:
        return page_parts(self.results)


def check_by(by: Sequence[str]) -> None:
    if SYSTEM in by:
        raise asking.result_column(column=SYSTEM)


def drawn(name: str, results: Mapping[str, Result], **options: Any) -> Chart:
    from steelyard.render import charts

    if not is_one_of(name, ["forest", "slice_differences"]):
        return charts.chart(name, results, **options)
    charts.check(name, results, options)
    if len(results) != 2:
        raise showing.needs_two(name=name, n=len(results))
    return _by_default(results, list(results)[1]).chart(name, **options)


def page_parts(results: Mapping[str, Result]) -> list[PagePart]:
    """Results that share a metric side by side, compared with the first; a note where that is refused."""
    from steelyard.render.side_by_side import side_by_side
    from steelyard.result.compared import systems_of

    every = list(results.values())
    parts = []
    for part in side_by_side(systems_of(results)):
        shown = {system.name: every[system.place] for system in part.systems}
        if len(shown) > 1:
            try:
                part = _by_default(shown, part.systems[0].name).onto(part)
            except SteelyardError as error:
                why = say("The systems are not compared: {why}.", why=error.said)
                part = replace(part, notes=(*part.notes, why))
        parts.append(part)
    return parts


def _by_default(results: Mapping[str, Result], baseline: str) -> Comparison:
    from steelyard.result.compared import Comparison

    return Comparison.of(results, baseline, Procedure(level=results[baseline].plan.certainty.level))
