"""Results in your hands: saved, as tables in any form, as charts and as a page; of one system or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from steelyard import processes
from steelyard.arguments import is_flag, is_one_of
from steelyard.arrays import Copied
from steelyard.metrics import Metric
from steelyard.render import output
from steelyard.render.forms import HEADER, as_dict
from steelyard.render.side_by_side import SYSTEM, side_by_side, title_of, together, with_system
from steelyard.render.system import PagePart, System
from steelyard.render.table import Wide, check_least, flat_values, spec_text, wide_table, with_units
from steelyard.result import saved as storage
from steelyard.result.data import ResultData
from steelyard.result.written import TableForms
from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import OutputError, SteelyardError, asking, writing
from steelyard.text.errors.forms import check_language, must_be
from steelyard.text.labels import worth_saying
from steelyard.text.names import free_name

if TYPE_CHECKING:
    import pandas as pd

    from steelyard.render.charts import Chart
    from steelyard.render.explanation import Explanation
    from steelyard.result.compared import Comparison
    from steelyard.stats.gap import Gap


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(TableForms, ResultData):
    """The numbers of one evaluation, with their conventions, tally and notes.

    >>> import steelyard as sy
    >>> result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["mrr", "hit_rate@1"])
    >>> result["mrr"]
    0.5
    >>> result.table().select("metric", "value").rows()
    [('mrr', 0.5), ('hit_rate@1', 0.0)]
    """

    def save(self, path: str | Path) -> None:
        """Keep the whole result in a file, which ``steelyard.load`` gives back.

        >>> import steelyard as sy
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> result = sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr")
        >>> with TemporaryDirectory() as folder:
        ...     result.save(Path(folder, "run.steelyard"))
        ...     sy.load(Path(folder, "run.steelyard"))["mrr"]
        0.5
        """
        target = output.path_of(path)
        output.check_writable(target)
        output.write_bytes(
            target, storage.to_bytes({field.name: getattr(self, field.name) for field in fields(self)})
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        return as_dict(self)

    def noting(self, note: Message) -> Result:
        """The same with one more note."""
        return replace(self, notes=(*self.notes, note))

    def chart(
        self, name: str, *, other: Result | Mapping[str, Result] | None = None, **options: Any
    ) -> Chart:
        """A chart that a notebook shows and that can be saved: ``roc``, ``calibration``, ``slices``, ….

        ``other`` results are drawn as well, under their names. ``difference`` and ``scatter`` show how the
        queries of two differ, ``forest`` and ``slice_differences`` which differences are statistically
        significant. ``metric`` names the metric of a chart that shows one. Needs the ``report`` extra.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7]}
        >>> chart = sy.evaluate(log, metrics="auc").chart("roc")
        >>> chart.table.select("fpr", "tpr").row(2)
        (0.5, 0.5)
        """
        if options.get("metric") is not None:
            options["metric"] = self.label(options["metric"])
        return drawn(name, self._with_others(other), **options)

    def charts(self, other: Result | Mapping[str, Result] | None = None) -> list[str]:
        """The charts that the data supports.

        >>> import steelyard as sy
        >>> sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr").charts()
        ['metric_at_k', 'per_query']
        """
        from steelyard.render import charts

        return charts.available(*self._with_others(other).values())

    def _with_others(self, other: Result | Mapping[str, Result] | None) -> dict[str, Result]:
        """The result and others, each under a name of its own."""
        mine = self.names.predictions
        if isinstance(other, Result):
            return {mine: self, free_name(other.names.predictions, {mine}): other}
        others = {} if other is None else named_results(other)
        return {free_name(mine, others): self, **others}

    def gap(self, metric: str | Metric, by: str | Sequence[str] | None = None) -> Gap:
        """The best and the worst slice of a metric, their difference and their ratio.

        ``by`` may name the slice columns, which must be those of the result. Slices without a value are
        skipped and counted.

        >>> import steelyard as sy
        >>> run, bought = {"u": ["a", "b"], "v": ["a"], "w": ["b", "a"]}, {"u": ["b"], "v": ["a"], "w": ["b"]}
        >>> result = sy.evaluate(run, bought, "mrr", by={"u": "JP", "v": "JP", "w": "DE"})
        >>> result.gap("mrr")
        mrr by slice: best DE 1.0000, worst JP 0.7500; difference 0.2500, ratio 0.7500.
        >>> result.gap("mrr").worst.slice
        {'slice': 'JP'}
        """
        from steelyard.stats.gap import gap

        label = self.label(metric)
        return gap(label, self.rows, self.by, dict(self.metrics)[label].direction, by)

    def explain(self, metric: str | Metric, query: object = None, *, lang: str = "en") -> Explanation:
        """The computation of one query's value, step by step; for a metric of rows, that of all rows.

        >>> import steelyard as sy
        >>> result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, "mrr")
        >>> result.explain("mrr", "q").recomputed()
        0.5
        """
        from steelyard.render.explanation import explain_measured

        processes.check()
        label = self.label(metric)
        measured = next(one for one in self.measured if one.label == label)
        heading = next((asked.heading for asked in self.plan.metrics if asked.label == label), "")
        return replace(explain_measured(measured, self.lists, query, lang), label=heading)

    def table(self, *, wide: bool = False, least: int = 0) -> pl.DataFrame:
        """A tidy frame: slice columns, metric, value, ci_low, ci_high, n, of, undefined.

        The whole reads ``(all)`` in the slice columns. ``n`` counts the queries, rows or groups of a value
        (``of`` says which), ``undefined`` those that are skipped. A metric with a value per class has a
        column ``class``, and the confusion matrix a column ``predicted``.

        ``wide`` gives one row per slice and a column per metric: the whole, then the worst slice by the first
        metric. Slices smaller than ``least`` are omitted.
        """
        wide_form = self._wide(wide, least)
        return with_units(self.rows, self.by, self.units()) if wide_form is None else wide_form.frame

    def _wide(self, wide: bool, least: int) -> Wide | None:
        if not is_flag(wide):
            raise must_be("wide", say("True or False"), wide, kind=OutputError)
        if not wide and check_least(least):
            raise writing.least_of_wide()
        if not wide:
            return None
        directions = {label: metric.direction for label, metric in self.metrics}
        return wide_table(self.rows, self.by, self.units(), directions, least)

    def flat(self) -> dict[str, float]:
        """Every value under a name that experiment trackers accept: ``mlflow.log_metrics(result.flat())``.

        Slices and classes follow the metric, with ``/`` between. Other signs become ``_``; two values of one
        name are an error. Undefined and infinite values are omitted.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "country": ["JP", "JP", "DE", "DE"]}
        >>> sy.evaluate(log, metrics="auc", by="country").flat()
        {'auc': 0.75, 'auc/country/DE': 0.0, 'auc/country/JP': 1.0}
        """
        return flat_values(self.rows, self.by)

    def to_csv(self, *, wide: bool = False, least: int = 0) -> str:
        """The tidy table as CSV, with the specification of each metric as text in a column ``spec``.

        An undefined value is an empty field, and text is never a formula. ``wide`` and ``least`` are those of
        ``table``; the wide table has no specifications.
        """
        return output.frame_as_csv(self.csv_table(wide=wide, least=least))

    def csv_table(self, *, wide: bool = False, least: int = 0) -> pl.DataFrame:
        """The table that CSV is written from: the tidy one, with specifications."""
        table = self.table(wide=wide, least=least)
        if wide:
            return table
        texts = {label: spec_text(spec) for label, spec in self.spec().items()}
        spec = table["metric"].replace_strict(list(texts), list(texts.values()), return_dtype=pl.String)
        return table.with_columns(spec.alias("spec"))

    def to_pandas(self, *, wide: bool = False, least: int = 0) -> pd.DataFrame:
        """The tidy table as a pandas frame; ``wide`` and ``least`` as in ``table``."""
        try:
            import pandas as pd
        except ImportError:
            raise writing.pandas_missing() from None
        return pd.DataFrame(
            {
                column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
                for column in self.table(wide=wide, least=least)
            }
        )

    def system(
        self,
        name: str | None = None,
        *,
        lang: str = ENGLISH,
        wide: bool = False,
        least: int = 0,
        verbose: bool = False,
    ) -> System:
        """All that this result shows, as one value, under a name among others.

        ``wide`` and ``least`` are those of ``table``; ``verbose`` adds notes that say that nothing changes.
        """
        check_language(lang)
        return System(
            title=title_of(self.names.predictions, self.names.truth),
            facts=self.facts,
            conventions=self.conventions_line(),
            readings=self.readings(),
            notes=worth_saying(self.notes, verbose=verbose),
            by=self.by,
            rows=self.rows,
            units=self.units(),
            name=self.names.predictions if name is None else name,
            predictions=self.names.predictions,
            truth=self.names.truth,
            fingerprint=self.fingerprint,
            spec=self.spec(),
            tally=self.tally.to_dict(),
            measured=self.measured,
            lists=self.lists,
            wide=self._wide(wide, least),
            level=self.plan.certainty.level,
            lang=lang,
        )

    def _parts(self) -> list[PagePart]:
        return side_by_side([self.system()])


def named_results(given: Result | Mapping[str, Result] | Sequence[Result]) -> dict[str, Result]:
    """Results under their names: those of a mapping, else the names of what was read, told apart."""
    if isinstance(given, Result):
        return {given.names.predictions: given}
    if isinstance(given, Mapping):
        named = [(str(name), result) for name, result in given.items()]
    elif isinstance(given, list | tuple):
        named = [
            (one.names.predictions if isinstance(one, Result) else say("number {place}", place=place), one)
            for place, one in enumerate(given, 1)
        ]
    else:
        raise writing.not_results(found=type(given).__name__)
    results: dict[str, Result] = {}
    for name, result in named:
        if not isinstance(result, Result):
            raise writing.not_a_result(name=name, found=type(result).__name__)
        results[free_name(name, results)] = result
    return results


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
            raise asking.unknown_system(name, list(self))
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
        raise writing.needs_two(name=name, n=len(results))
    return _by_default(results, list(results)[1]).chart(name, **options)


def page_parts(results: Mapping[str, Result]) -> list[PagePart]:
    """Results that share a metric side by side, compared with the first; a note where that is refused."""
    every = list(results.values())
    parts = []
    for part in side_by_side([result.system(name) for name, result in results.items()]):
        shown = {system.name: every[system.place] for system in part.systems}
        if len(shown) > 1:
            try:
                part = _by_default(shown, part.systems[0].name).onto(part)
            except SteelyardError as error:
                why = say("The systems are not compared: {why}.", why=error.sentence)
                part = replace(part, notes=(*part.notes, why))
        parts.append(part)
    return parts


def _by_default(results: Mapping[str, Result], baseline: str) -> Comparison:
    from steelyard.result.compared import Comparison
    from steelyard.stats.testing import Procedure

    return Comparison.of(results, baseline, Procedure(level=results[baseline].plan.certainty.level))
