"""A comparison in your hands: differences with their tests, as a table in any form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.arguments import is_flag, is_one_of, number_of, whole_of
from steelyard.arrays import Copied
from steelyard.engine.slices import CLASS_COLUMNS, is_whole, named_whole, rows_of_slice
from steelyard.metrics import Metric
from steelyard.render import forms, output, text
from steelyard.render.compared import Compared
from steelyard.render.forms import comparison_as_dict
from steelyard.render.side_by_side import best_values, side_by_side
from steelyard.render.system import BEST, PagePart
from steelyard.result.result import Result
from steelyard.result.written import Written
from steelyard.stats.comparable import check_comparable
from steelyard.stats.compare import compare_notes, contrasts, pairs_of, tested
from steelyard.stats.comparison_table import (
    DEVIATION,
    RESERVED,
    WORKINGS,
    Moved,
    lost_slices,
    moved,
    not_common,
    table,
    with_common,
)
from steelyard.stats.significance import verdicts
from steelyard.stats.testing import CORRECTIONS, Procedure, units_needed
from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import OutputError, asking
from steelyard.text.errors.forms import must_be, unknown
from steelyard.text.labels import how_many, named, worth_saying
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.render.charts import Chart

_MOST = 2**31  # queries, or items of a list; there are never more


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Comparison(Written):
    """Two or more systems on the same units: their differences, and which are statistically significant.

    It is data, as a result is. Without a ``baseline`` every pair of systems is compared.

    >>> import steelyard as sy
    >>> truth = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}
    >>> old = {"q1": ["b", "a"], "q2": ["a", "b"], "q3": ["c", "a"]}
    >>> new = {"q1": ["a", "b"], "q2": ["b", "a"], "q3": ["c", "b"]}
    >>> cmp = sy.compare({"old": old, "new": new}, truth, "mrr", baseline="old")
    >>> cmp["mrr", "new"]["difference"], cmp["mrr", "new"]["p"]
    (0.333..., 0.5)
    """

    results: Copied[dict[str, Result]] = Copied()  # of each system, under its name
    baseline: str | None
    testing: Procedure
    tests: Copied[dict[str, str]] = Copied()  # the test of each metric that has one
    rows: Copied[pl.DataFrame] = Copied()
    notes: tuple[Message, ...]

    @classmethod
    def of(
        cls,
        results: Mapping[str, Result],
        baseline: str | None,
        testing: Procedure,
        labels: Sequence[str] | None = None,
        *,
        one_truth: bool = False,
        one_log: bool = False,
    ) -> Comparison:
        """Compare results under their names, by all metrics that they share or by ``labels``.

        ``one_truth`` says that all saw the same truth, ``one_log`` that all are columns of one table.
        """
        check_comparable(results, one_truth=one_truth, one_log=one_log, paired=testing.paired)
        first = next(iter(results))
        by = results[first].by
        for column in by:
            if column in (*RESERVED, BEST):
                raise asking.result_column(column=column)
        measured = {
            name: [metric for metric in result.measured if labels is None or metric.label in labels]
            for name, result in results.items()
        }
        compared = contrasts(measured, pairs_of(list(results), baseline), testing)
        if not compared:
            raise asking.no_common_metric(systems=list(results), first=first, has=list(results[first]))
        kept = {
            name: replace(result, measured=tuple(metric.kept() for metric in result.measured))
            for name, result in results.items()
        }
        return cls(
            results=kept,
            baseline=baseline,
            testing=testing,
            tests={one.label: one.test for one in compared if one.test and one.places is None},
            rows=table(compared, verdicts(compared, testing), by, testing),
            notes=(*compare_notes(compared), *notes_of(results)),
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.results)

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that it is sliced by."""
        return self._first.by

    @property
    def metrics(self) -> tuple[tuple[str, Metric], ...]:
        """Each metric that was compared, under its label."""
        compared = set(self.rows["metric"])
        return tuple((label, metric) for label, metric in self._first.metrics if label in compared)

    @property
    def _first(self) -> Result:
        return next(iter(self.results.values()))

    def table(self) -> pl.DataFrame:
        """A tidy frame: a row for each metric, slice, system and the baseline it is compared with.

        ``difference`` is the system's ``value`` minus the baseline's, with its interval ``ci_low`` to
        ``ci_high``. ``p`` is its p-value, ``p_corrected`` the same corrected for its family of tests: those
        of the whole, or those of all slices. ``effect`` is the difference in standard deviations of a unit's.
        ``better``, ``same`` and ``worse`` count units; ``n`` counts those that both systems have, for
        independent samples those of both together. ``detectable`` is the smallest difference found with 80 %
        power, ``detectable_corrected`` the same among the other tests of its family. Unknown values are null.
        """
        return named_whole(self.rows.drop(WORKINGS), self.by)

    def __getitem__(self, asked: str | Metric | tuple[Any, ...]) -> dict[str, Any]:
        """The row of a metric, a system and its baseline, over everything or of a slice.

        A name may be left out where there is one choice: ``cmp["mrr"]`` of two systems, ``cmp["mrr", "new"]``
        against a baseline, ``cmp["mrr", "new", "old"]``, ``cmp["mrr", "new", {"country": "JP"}]``. A class is
        named as a slice is: ``cmp["f1(average=none)", {"class": "no"}]``.
        """
        return self._row(asked if isinstance(asked, tuple) else (asked,)).drop(WORKINGS).row(0, named=True)

    def _row(self, asked: tuple[Any, ...]) -> pl.DataFrame:
        metric = asked[0] if asked else None
        names = [name for name in asked[1:] if not isinstance(name, Mapping)]
        places = [place for place in asked[1:] if isinstance(place, Mapping)]
        if not asked or len(names) > 2 or len(places) > 1:
            raise asking.too_many_names(n=len(asked))
        label = self._first.label(metric)  # type: ignore[arg-type]  # whatever it is
        at = places[0] if places else {}
        place = {name: value for name, value in at.items() if name not in CLASS_COLUMNS}
        rows = rows_of_slice(self.rows, self.by, place) if place else self._whole
        rows = rows.filter(pl.col("metric") == label)
        if not rows.height:
            raise asking.not_in_result(str(metric), [name for name, _ in self.metrics])
        rows = self._of_class(rows, {name: at[name] for name in CLASS_COLUMNS if name in at})
        for name, column in zip(names, ("system", "baseline"), strict=False):
            if not is_one_of(name, self.results):
                raise asking.unknown_system(name, self.systems)
            known = rows[column].unique(maintain_order=True).to_list()
            if name not in known:
                raise asking.not_compared(system=name, names=known)
            rows = rows.filter(pl.col(column) == name)
        if rows.height > 1:
            raise asking.several_differences(metric=label, n=rows.height)
        return rows

    def _of_class(self, rows: pl.DataFrame, named: Mapping[str, Any]) -> pl.DataFrame:
        """The rows of a class, which must be named where the metric has a value for each."""
        label = rows["metric"][0]
        for column in CLASS_COLUMNS:
            held = rows[column].drop_nulls() if column in rows.columns else rows["metric"].clear()
            known = held.unique(maintain_order=True).to_list()
            if not known:
                if column in named:
                    raise asking.not_a_slice(dict(named), self.by)
                continue
            if column not in named:
                raise asking.class_not_named(metric=label, column=column, name=known[0])
            name = str(named[column])
            if name not in known:
                raise asking.no_such_slice(column, name, known)
            rows = rows.filter(pl.col(column) == name)
        return rows

    @property
    def _whole(self) -> pl.DataFrame:
        return self.rows.filter(is_whole(self.rows, self.by))

    def _pair(self, metric: str | Metric, system: str | None, baseline: str | None) -> tuple[str, str, str]:
        row = self._row((metric, *(name for name in (system, baseline) if name is not None)))
        return row["metric"][0], row["system"][0], row["baseline"][0]

    def moved(
        self,
        metric: str | Metric,
        system: str | None = None,
        n: int = 5,
        *,
        baseline: str | None = None,
        items: int = 10,
    ) -> tuple[Moved, ...]:
        """The queries that moved most: ``n`` that gained, then ``n`` that lost, with their lists' ``items``.

        >>> import steelyard as sy
        >>> old, new = {"q": ["b", "a"], "r": ["c"]}, {"q": ["a", "b"], "r": ["c"]}
        >>> (one,) = sy.compare({"old": old, "new": new}, {"q": ["a"], "r": ["c"]}, "mrr").moved("mrr")
        >>> one.query, one.baseline, one.value, [item.item for item in one.shown]
        ('q', 0.5, 1.0, ['a', 'b'])
        """
        counts = []
        for name, value in (("n", n), ("items", items)):
            count = whole_of(value)
            if count is None or count < 1:
                raise must_be(name, say("a whole number above 0"), value)
            counts.append(min(count, _MOST))
        self._check_pairs()
        label, *pair = self._pair(metric, system, baseline)
        results = [self.results[name] for name in pair]
        mine, its = (next(one for one in result.measured if one.label == label) for result in results)
        return moved(mine, its, (results[0].lists, results[1].lists), *counts)

    def _check_pairs(self) -> None:
        if not self.testing.paired:
            raise asking.not_in_pairs()

    def needed(
        self,
        metric: str | Metric,
        difference: float,
        system: str | None = None,
        *,
        baseline: str | None = None,
        at: Mapping[str, object] | None = None,
    ) -> int | None:
        """How many units find a difference of this size with 80 % power.

        None where it is unknown how units differ, or where no number of units is enough. ``at`` names the
        slice, or the class of a metric that has a value for each.
        """
        wanted = number_of(difference)
        if not wanted or not math.isfinite(wanted):
            raise asking.not_a_difference(value=repr(difference))
        names = (name for name in (system, baseline, at) if name is not None)
        deviation = self._row((metric, *names))[DEVIATION][0]
        if deviation is None:
            return None
        units = float(units_needed(deviation, wanted, self.testing.level))
        return int(units) if math.isfinite(units) else None

    def lost_slices(self) -> pl.DataFrame:
        """The rows of ``table`` for slices where a system that is better overall is worse, the worst first.

        The column ``overall`` has the difference over everything.
        """
        return lost_slices(self.rows, self.by)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        return comparison_as_dict(self, self.rows.drop(WORKINGS), self._first, self._families)

    def to_csv(self) -> str:
        """The tidy table as CSV; an unknown value is an empty field, and text is never a formula."""
        return output.frame_as_csv(self.table())

    def to_text(self, *, lang: str = ENGLISH, wide: bool = False) -> str:
        """The table alone, in aligned columns; ``wide`` has a row for each system, a column per metric."""
        return self.render("table", lang=lang, wide=wide)

    def to_markdown(self, *, lang: str = ENGLISH, wide: bool = False) -> str:
        """The table as Markdown; ``wide`` as in ``to_text``, with the best in bold."""
        return self.render("markdown", lang=lang, wide=wide)

    def to_latex(self, *, lang: str = ENGLISH, wide: bool = True) -> str:
        """The table as LaTeX (booktabs): a row for each system, the best in bold, daggers beside them."""
        return self.render("latex", lang=lang, wide=wide)

    def write(
        self, path: str | Path, form: str | None = None, *, lang: str = ENGLISH, wide: bool | None = None
    ) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names."""
        forms.write(path, form, lambda form: self.render(form, lang=lang, wide=wide))

    def render(self, form: str, *, lang: str = ENGLISH, wide: bool | None = None) -> str:
        """One of the forms as text: table, json, csv, markdown or latex; latex is wide unless told not to."""
        return forms.rendered(
            form,
            lang,
            json=self.to_json,
            csv=self.to_csv,
            table=lambda: forms.READ[form](
                self.shown(lang=lang, wide=form == "latex" if wide is None else wide)
            ),
        )

    def shown(self, *, lang: str = ENGLISH, wide: bool = False, verbose: bool = False) -> Compared:
        """All that an output shows of this comparison, as one value, in the language ``lang``.

        ``verbose`` adds notes that say that nothing changes.
        """
        if not is_flag(wide):
            raise must_be("wide", say("True or False"), wide, kind=OutputError)
        return Compared(
            title=say("steelyard {version} · {systems:and}", version=VERSION, systems=list(self.systems)),
            facts=self._facts(),
            conventions=self._first.conventions_line(),
            notes=worth_saying(self.notes, verbose=verbose),
            by=self.by,
            rows=self.rows,
            level=self.testing.level,
            lang=lang,
            metrics=dict(self.metrics),
            tested=self.tested,
            correction=None if self.testing.correct == "none" else CORRECTIONS[self.testing.correct],
            baseline=self.baseline,
            titles={str(name): name for name in self.results},
            values=self._values() if wide else None,
            on_own_units=not_common(self.rows, self.by) if wide else (),
        )

    def chart(self, name: str, *, metric: str | Metric | None = None, system: str | None = None) -> Chart:
        """A chart of the differences: ``forest``, ``slice_differences``, ``difference`` or ``scatter``.

        ``forest`` has a row for each metric, or, with ``metric``, one for each slice. The others show one
        ``system`` and its baseline, by ``metric``.

        >>> import steelyard as sy
        >>> old, new = {"q": ["b", "a"], "r": ["c"]}, {"q": ["a", "b"], "r": ["c"]}
        >>> sy.compare({"old": old, "new": new}, {"q": ["a"], "r": ["c"]}, "mrr").chart("forest")
        Chart(forest: Differences from old, 1 rows)
        """
        from steelyard.render import charts

        known = charts.of("two")
        if not is_one_of(name, known):
            raise unknown(say("a comparison has no chart '{name}'", name=str(name)), name, known)
        label = None if metric is None else self._first.label(metric)
        if name == "forest":
            return charts.forest(self.shown(), label)
        _, *pair = self._pair(self.metrics[0][0] if label is None else label, system, None)
        if name == "slice_differences":
            return charts.slice_differences(self.shown().of(*pair))
        self._check_pairs()
        return charts.chart(name, {system: self.results[system] for system in pair}, metric=label)

    def report(self, path: str | Path, *, title: str | None = None, lang: str = ENGLISH) -> None:
        """Write the report, with the comparison and the report of each system, as one HTML file.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``.
        """
        from steelyard.render import page

        parts = side_by_side([result.system(name) for name, result in self.results.items()])
        page.write([self.onto(part) for part in parts], path, title=title, lang=lang)

    def onto(self, part: PagePart) -> PagePart:
        """The part of a page that shows these systems, in their order, with their comparison."""
        from steelyard.render import charts

        titles = dict(zip(self.results, (system.name for system in part.systems), strict=True))
        of_systems = set(notes_of(self.results))
        compared = replace(
            self.shown(),
            rows=self.rows.with_columns(pl.col("system", "baseline").replace(titles)),
            titles={str(title): title for title in titles.values()},
            notes=tuple(note for note in self.notes if note not in of_systems),
        )
        if self.testing.paired:
            results = {titles[name]: result for name, result in self.results.items()}
            each = charts.of_first_metric(results, compared.pairs, compared.metrics)
            compared = replace(compared, each=tuple(each))
        return replace(part, compared=compared)

    @property
    def tested(self) -> Message:
        """By which tests, how corrected, in a few words."""
        return tested(self.testing, self.tests, *self._families)

    @property
    def _families(self) -> tuple[int, int]:
        """How many tests are corrected together: those of the whole, and those of slices."""
        n = self._whole["p"].count()
        return n, self.rows["p"].count() - n

    def _facts(self) -> tuple[Message, ...]:
        against = say("against {baseline}", baseline=self.baseline) if self.baseline else say("every pair")
        most = self._whole["n"].max()
        systems = say("{n:,} systems", n=len(self.results))
        if not isinstance(most, int):
            return systems, against
        queries = set(self._first.units().values()) == {"queries"} and self._first.unit is None
        return systems, against, how_many(most, "queries") if queries else say("{n:,} {n:unit|units}", n=most)

    def _values(self) -> pl.DataFrame:
        systems = []
        for place, (name, result) in enumerate(self.results.items()):
            system = result.system(name)
            rows = with_common(system.rows, self.rows, name, self.by)
            systems.append(replace(system, rows=rows, place=place))
        classes = [name for name in CLASS_COLUMNS if name in self.rows.columns]
        return best_values(systems, self.by, classes, [label for label, _ in self.metrics])

    def __repr__(self) -> str:
        return text.full(self.shown(), limit=text.TERMINAL_ROWS)

    def _repr_html_(self) -> str:
        return text.html(self.shown())


def notes_of(results: Mapping[str, Result]) -> tuple[Message, ...]:
    """The notes on the systems: those that hold for all once, the others under the name of each."""
    first, *others = results.values()
    shared = [note for note in first.notes if all(note in other.notes for other in others)]
    own = [
        named(name, note) for name, result in results.items() for note in result.notes if note not in shared
    ]
    return (*shared, *own)
