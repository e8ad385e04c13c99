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
from steelyard.render import forms, markup, output, text
from steelyard.render.as_dict import comparison_as_dict
from steelyard.render.side_by_side import best_values
from steelyard.render.system import PagePart, System
from steelyard.render.versus import Versus
from steelyard.result.result import Result
from steelyard.stats.comparable import check_comparable
from steelyard.stats.compare import contrasts, pairs_of
from steelyard.stats.compare_notes import compare_notes, tested
from steelyard.stats.differences import COLUMNS, WORKINGS, lost_slices, not_common, table, with_common
from steelyard.stats.moved import Moved, moved
from steelyard.stats.significance import verdicts
from steelyard.stats.testing import CORRECTIONS, Procedure, units_needed
from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import OutputError, asking, comparing
from steelyard.text.errors.forms import must_be, unknown
from steelyard.text.labels import how_many, named, worth_saying
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.render.charts import Chart, Compared

_MOST = 2**31  # queries, or items of a list; there are never more


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Comparison:
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
        from_best: bool = False,
    ) -> Comparison:
        """Compare results under their names, by all metrics that they share, or by some of them.

        ``one_truth`` says that all saw the same truth, ``one_log`` that all are columns of one table.
        ``from_best`` compares how far values are from 1, where that is the best one.
        """
        check_comparable(results, one_truth=one_truth, one_log=one_log, paired=testing.paired)
        by = next(iter(results.values())).by
        for column in by:
            if column in COLUMNS:
                raise asking.result_column(column=column)
        measured = {
            name: [one for one in result.measured if labels is None or one.label in labels]
            for name, result in results.items()
        }
        found = contrasts(measured, pairs_of(list(results), baseline), testing)
        if not found:
            first = next(iter(results))
            raise comparing.no_common_metric(systems=list(results), first=first, has=list(results[first]))
        if from_best:
            found = [one.from_best for one in found]
        kept = {
            name: replace(result, measured=tuple(one.kept() for one in result.measured))
            for name, result in results.items()
        }
        return cls(
            results=kept,
            baseline=baseline,
            testing=testing,
            tests={one.label: one.test for one in found if one.test and one.places is None},
            rows=table(found, verdicts(found, testing), by, testing),
            notes=(*compare_notes(found), *notes_of(results)),
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

        ``value`` is the system's, ``difference`` how much more that is than the baseline's, with its interval
        ``ci_low`` to ``ci_high``; ``p`` how likely chance alone makes one as large, ``p_corrected`` the same
        corrected for its family of tests: those of the whole, or those of all slices. ``effect`` is the
        difference in standard deviations of a unit's. ``better``, ``same`` and ``worse`` count the units,
        ``n`` are those that both systems have; of independent samples ``n`` are those of both together.
        ``detectable`` is the smallest difference that so many units show four times out of five, and
        ``detectable_corrected`` the same with the other tests of its family. What is not known is null.
        """
        return named_whole(self.rows.drop(WORKINGS), self.by)

    def __getitem__(self, asked: str | Metric | tuple[Any, ...]) -> dict[str, Any]:
        """The row of a metric, a system and its baseline, over everything or of a slice.

        What leaves no choice may be left out: ``cmp["mrr"]`` of two systems, ``cmp["mrr", "new"]`` against a
        baseline, ``cmp["mrr", "new", "old"]``, ``cmp["mrr", "new", {"country": "JP"}]``. The class of a
        metric that has a value for each is named as a slice is: ``cmp["f1(average=none)", {"class": "no"}]``.
        """
        return self._row(asked if isinstance(asked, tuple) else (asked,))

    def _row(self, asked: tuple[Any, ...]) -> dict[str, Any]:
        return self._found(asked).drop(WORKINGS).row(0, named=True)

    def _found(self, asked: tuple[Any, ...]) -> pl.DataFrame:
        """The one row that is meant."""
        metric = asked[0] if asked else None
        names = [one for one in asked[1:] if not isinstance(one, Mapping)]
        places = [one for one in asked[1:] if isinstance(one, Mapping)]
        if not asked or len(names) > 2 or len(places) > 1:
            raise comparing.too_many_names(n=len(asked))
        label = self._first.label(metric)  # type: ignore[arg-type]  # whatever it is
        at = places[0] if places else {}
        rows = self._at({name: value for name, value in at.items() if name not in CLASS_COLUMNS})
        rows = rows.filter(pl.col("metric") == label)
        if not rows.height:
            raise asking.not_in_result(str(metric), [name for name, _ in self.metrics])
        rows = self._of_class(rows, {name: at[name] for name in CLASS_COLUMNS if name in at})
        for name, column in zip(names, ("system", "baseline"), strict=False):
            if not is_one_of(name, self.results):
                raise comparing.unknown_system(name, self.systems)
            known = rows[column].unique(maintain_order=True).to_list()
            if name not in known:
                raise comparing.not_compared(system=name, names=known)
            rows = rows.filter(pl.col(column) == name)
        if rows.height > 1:
            raise comparing.several_differences(metric=label, n=rows.height)
        return rows

    def _at(self, place: Mapping[Any, Any]) -> pl.DataFrame:
        return rows_of_slice(self.rows, self.by, place) if place else self._whole

    def _of_class(self, rows: pl.DataFrame, named: Mapping[str, Any]) -> pl.DataFrame:
        """The rows of a class, of which there must be one where the metric has a value for each."""
        label = rows["metric"][0]
        for column in CLASS_COLUMNS:
            held = rows[column].drop_nulls() if column in rows.columns else rows["metric"].clear()
            known = held.unique(maintain_order=True).to_list()
            if not known:
                if column in named:
                    raise asking.not_a_slice(dict(named), self.by)
                continue
            if column not in named:
                raise comparing.class_not_named(metric=label, column=column, name=known[0])
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
        return row["metric"], row["system"], row["baseline"]

    def moved(
        self,
        metric: str | Metric,
        system: str | None = None,
        n: int = 5,
        *,
        baseline: str | None = None,
        items: int = 10,
    ) -> tuple[Moved, ...]:
        """The queries that moved most: ``n`` that gained, then ``n`` that lost, with what was shown to them.

        ``items`` of each list are given, in their order.

        >>> import steelyard as sy
        >>> old, new = {"q": ["b", "a"], "r": ["c"]}, {"q": ["a", "b"], "r": ["c"]}
        >>> (one,) = sy.compare({"old": old, "new": new}, {"q": ["a"], "r": ["c"]}, "mrr").moved("mrr")
        >>> one.query, one.baseline, one.value, [item.item for item in one.shown]
        ('q', 0.5, 1.0, ['a', 'b'])
        """
        counts = []
        for name, given in (("n", n), ("items", items)):
            count = whole_of(given)
            if count is None or count < 1:
                raise must_be(name, say("a whole number above 0"), given)
            counts.append(min(count, _MOST))
        self._check_pairs()
        label, one, other = self._pair(metric, system, baseline)
        mine, its = self.results[one], self.results[other]
        sides = [next(found for found in side.measured if found.label == label) for side in (mine, its)]
        return moved(sides[0], sides[1], (mine.lists, its.lists), *counts)

    def _check_pairs(self) -> None:
        if not self.testing.paired:
            raise comparing.not_in_pairs()

    def needed(
        self,
        metric: str | Metric,
        difference: float,
        system: str | None = None,
        *,
        baseline: str | None = None,
        at: Mapping[str, object] | None = None,
    ) -> int | None:
        """How many units would show a difference of this size four times out of five, perhaps in a slice.

        None where nothing is known of how units differ, or where no number of them would do. ``at`` names the
        slice, or the class of a metric that has a value for each.
        """
        wanted = number_of(difference)
        if not wanted or not math.isfinite(wanted):
            raise comparing.not_a_difference(value=repr(difference))
        named = (one for one in (system, baseline, at) if one is not None)
        deviation = self._found((metric, *named))["deviation"][0]
        if deviation is None:
            return None
        found = float(units_needed(deviation, wanted, self.testing.level))
        return int(found) if math.isfinite(found) else None

    def lost_slices(self) -> pl.DataFrame:
        """The slices where a system that is better on the whole is worse, the worst first.

        Their rows are those of ``table``, with the difference on the whole beside them.
        """
        ways = {label: metric.direction for label, metric in self.metrics}
        return lost_slices(self.rows, self.by, ways)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        return comparison_as_dict(self, self.rows.drop(WORKINGS), self._first, self._families)

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON; what is not known is null. ``indent`` is None for one line."""
        return forms.json_text(self.to_dict(), indent)

    def to_csv(self) -> str:
        """The tidy table as CSV; what is not known is an empty field, and text is never a formula."""
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
            told=lambda: forms.READ[form](
                self.versus(lang=lang, wide=form == "latex" if wide is None else wide)
            ),
        )

    def versus(self, *, lang: str = ENGLISH, wide: bool = False, verbose: bool = False) -> Versus:
        """All that this comparison shows, as one value; ``lang`` is the language in which forms tell it.

        ``verbose`` has notes that say that nothing changes, too.
        """
        if not is_flag(wide):
            raise must_be("wide", say("True or False"), wide, kind=OutputError)
        return Versus(
            title=say("steelyard {version} · {systems:and}", version=VERSION, systems=list(self.systems)),
            facts=self._facts(),
            conventions=self._first.told(),
            tested=self.tested,
            notes=worth_saying(self.notes, verbose=verbose),
            by=self.by,
            rows=self.rows,
            values=self._values(),
            on_own_units=not_common(self.rows, self.by),
            systems=self.systems,
            baseline=self.baseline,
            directions={label: metric.direction for label, metric in self.metrics},
            level=self.testing.level,
            lang=lang,
            wide=wide,
        )

    def chart(self, name: str, *, metric: str | Metric | None = None, system: str | None = None) -> Chart:
        """A chart of the differences: ``forest``, ``slice_differences``, ``difference`` or ``scatter``.

        ``forest`` has a row for each metric, or, with ``metric``, one for each slice. The others are of one
        ``system`` and its baseline; ``metric`` says by which one queries are shown.

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
        first = self.metrics[0][0] if label is None else label
        _, one, other = self._pair(first, system, None)
        if name == "slice_differences":
            return charts.slice_differences(self.shown().of(one, other))
        self._check_pairs()
        pair = {one: self.results[one], other: self.results[other]}
        return charts.chart(name, pair, metric=label)

    def report(self, path: str | Path, *, title: str | None = None, lang: str = ENGLISH) -> None:
        """Write the report: one HTML file with the comparison, and with what each system's own has.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``.
        """
        from steelyard.render import page
        from steelyard.render.side_by_side import side_by_side

        parts = side_by_side(systems_of(self.results))
        page.write([self.onto(part) for part in parts], path, title=title, lang=lang)

    def onto(self, part: PagePart) -> PagePart:
        """The part of a page that shows these systems, in their order, with the comparison of them."""
        names = [system.name for system in part.systems]
        return replace(part, compared=self.shown(names))

    def shown(self, names: Sequence[str] | None = None) -> Compared:
        """All that charts and the page show of it; ``names`` are those that the systems have there."""
        from steelyard.render import charts

        called = dict(zip(self.results, names or self.results, strict=True))
        own = set(notes_of(self.results))
        made = charts.Compared(
            rows=self.rows.with_columns(pl.col("system", "baseline").replace(called)),
            metrics=dict(self.metrics),
            by=self.by,
            level=self.testing.level,
            told=self.tested,
            correction=None if self.testing.correct == "none" else CORRECTIONS[self.testing.correct],
            notes=tuple(note for note in self.notes if note not in own),
            names={str(name): name for name in called.values()},
        )
        if not self.testing.paired:
            return made
        systems = {called[name]: result for name, result in self.results.items()}
        return replace(made, each=tuple(charts.of_first_metric(systems, made.pairs, made.metrics)))

    @property
    def tested(self) -> Message:
        """By which tests, how corrected, in a few words."""
        return tested(self.testing, self.tests, *self._families)

    @property
    def _families(self) -> tuple[int, int]:
        """How many tests are corrected together: those of the whole, and those of slices."""
        whole = self._whole["p"].count()
        return whole, self.rows["p"].count() - whole

    def _facts(self) -> tuple[Message, ...]:
        against = say("against {baseline}", baseline=self.baseline) if self.baseline else say("every pair")
        most = self._whole["n"].max()
        systems = say("{n:,} systems", n=len(self.results))
        if not isinstance(most, int):
            return systems, against
        queries = set(self._first.units().values()) == {"queries"} and self._first.unit is None
        counted = how_many(most, "queries") if queries else say("{n:,} {n:unit|units}", n=most)
        return systems, against, counted

    def _values(self) -> pl.DataFrame:
        systems = [
            replace(system, rows=with_common(system.rows, self.rows, name, self.by), place=place)
            for place, (name, one) in enumerate(self.results.items())
            for system in [one.system(name)]
        ]
        classes = [name for name in CLASS_COLUMNS if name in self.rows.columns]
        return best_values(systems, self.by, classes, [label for label, _ in self.metrics])

    def __repr__(self) -> str:
        return text.full(self.versus(), limit=text.TERMINAL_ROWS)

    def _repr_html_(self) -> str:
        return markup.html(self.versus())


def systems_of(results: Mapping[str, Result]) -> list[System]:
    """All that results show, under their names, and what tells their truths apart where they are several."""
    if len(results) == 1:
        return [one.system(name) for name, one in results.items()]
    return [replace(one.system(name), fingerprint=one.fingerprint) for name, one in results.items()]


def notes_of(results: Mapping[str, Result]) -> tuple[Message, ...]:
    """What was said of the systems: once what holds for all, else under the name of each."""
    every = list(results.values())
    shared = [note for note in every[0].notes if all(note in one.notes for one in every[1:])]
    own = [named(name, note) for name, one in results.items() for note in one.notes if note not in shared]
    return (*shared, *own)
