"""What an evaluation gives: numbers, each with the full specification that produced it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard import processes, storage
from steelyard.align import Tally
from steelyard.arguments import is_flag, is_one_of
from steelyard.ask import Request
from steelyard.comparison.names import free_name, named_results
from steelyard.curves import Curve
from steelyard.engines.call import Names
from steelyard.engines.lists import Lists
from steelyard.engines.local import Local
from steelyard.engines.rankings import Ranking
from steelyard.kernels.fingerprint import fingerprint
from steelyard.measure.coverage import group_coverage
from steelyard.measure.curves import curve_of
from steelyard.measure.measured import Measured, tidy
from steelyard.measure.readings import Reading
from steelyard.measure.slice_figures import readings_of
from steelyard.measure.slices import is_whole, named_whole, rows_of_slice
from steelyard.measure.words import conventions_of, facts_of
from steelyard.messages import ENGLISH, Message, say
from steelyard.messages.errors import OutputError, SteelyardError, asking, measuring, showing, writing
from steelyard.messages.errors.forms import must_be, unknown
from steelyard.messages.errors.languages import check_language
from steelyard.metrics import Metric
from steelyard.show import markup, output, text
from steelyard.show.as_dict import as_dict
from steelyard.show.system import System
from steelyard.show.wide import Wide, spec_text, wide_table, with_units
from steelyard.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from steelyard.show.charts import Chart
    from steelyard.show.explanation import Explanation


_WIDEST_INDENT = 100


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result:
    """The numbers of one evaluation, with their conventions, tally and notes.

    It is data: what was measured, under which conventions, and what became of the tables.

    >>> import steelyard as sy
    >>> result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["mrr", "hit_rate@1"])
    >>> result["mrr"]
    0.5
    >>> result.table().select("metric", "value").rows()
    [('mrr', 0.5), ('hit_rate@1', 0.0)]
    """

    request: Request
    by_data: Mapping[str, Any]  # what the data settled of it
    names: Names
    measured: tuple[Measured, ...]
    rankings: tuple[Ranking, ...]  # every convention that lists were ranked under, with its tally
    tally: Tally  # what was read and what became of it, under the first convention
    max_grade: float
    rows: pl.DataFrame
    facts: tuple[Message, ...]  # how much was read, in a few words
    said: tuple[Reading, ...]
    notes: tuple[Message, ...]
    lists: Lists | None = None  # the lists themselves; None where nothing was ranked
    known_fingerprint: str | None = None
    truth: pl.DataFrame | None = field(default=None, repr=False, compare=False)  # to take a fingerprint of

    @classmethod
    def of(
        cls, request: Request, measured: Sequence[Measured], engine: Local, notes: tuple[Message, ...]
    ) -> Result:
        """The result of what an engine has measured."""
        rows = tidy(measured, request.by)
        return cls(
            request=request,
            by_data=engine.settled,
            names=engine.names,
            measured=tuple(one.kept() for one in measured),
            rankings=engine.rankings,
            tally=engine.tally,
            max_grade=engine.max_grade,
            rows=rows,
            facts=facts_of(measured, engine.tally, two_tables=engine.names.truth is not None),
            said=readings_of(measured, rows, request.by),
            notes=notes,
            lists=engine.kept_lists(measured),
            truth=engine.truth,
        )

    def __getitem__(self, asked: str | Metric | tuple[str | Metric, Mapping[str, object]]) -> float:
        """The value over everything, by the metric's text or the metric itself; or that of a slice.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "country": ["JP", "JP", "DE", "DE"]}
        >>> result = sy.evaluate(log, metrics="auc", by="country")
        >>> result["auc"], result["auc", {"country": "JP"}]
        (0.75, 1.0)
        """
        processes.check()
        rows = self._whole
        if isinstance(asked, tuple) and len(asked) == 2:
            asked, at = asked
            rows = rows_of_slice(self.rows, self.by, at)
        label = self.label(asked)
        found = rows.filter(pl.col("metric") == label)["value"]
        if len(found) != 1:
            raise measuring.one_value_asked(label=label, n=len(found))
        return float(found[0])

    def get(
        self, asked: str | Metric | tuple[str | Metric, Mapping[str, object]], default: float | None = None
    ) -> float | None:
        """The value over everything, or of a slice, or ``default`` where there is none."""
        try:
            return self[asked]
        except SteelyardError:
            return default

    def items(self) -> list[tuple[str, float]]:
        """The labels of the metrics that are one number, with their values."""
        return [(label, self[label]) for label in self]

    def __getstate__(self) -> dict[str, Any]:
        processes.check()
        return {**self.__dict__, "known_fingerprint": self.fingerprint, "truth": None}

    @property
    def fingerprint(self) -> str | None:
        """What tells this truth from others, whatever the order of its rows; None where it is very long.

        Of rankings it is that of the judgements, of rows in two tables that of the truth; of one table with
        the labels inside, and of arrays, that of the labels in the order of the rows. Of several labels per
        row there is none.

        >>> import steelyard as sy
        >>> run, truth = {"q": ["a", "b"]}, {"q": {"a": 1, "b": 0}}
        >>> one = sy.evaluate(run, truth, "mrr")
        >>> other = sy.evaluate(run, {"q": {"b": 0, "a": 1}}, "mrr")
        >>> one.fingerprint == other.fingerprint
        True
        """
        processes.check()
        if self.known_fingerprint is None and self.truth is not None:
            query, item = (self.truth.get_column(name, default=None) for name in ("query", "item"))
            found = fingerprint(query, item, self.truth.to_series(-1))
            object.__setattr__(self, "known_fingerprint", found)
        return self.known_fingerprint

    def slim(self) -> Result:
        """The numbers alone, without the lists and the states that curves and explanations are made from.

        >>> import steelyard as sy
        >>> sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr").slim()["mrr"]
        0.5
        """
        processes.check()
        measured = tuple(one.slim() for one in self.measured)
        return replace(self, measured=measured, lists=None, known_fingerprint=self.fingerprint, truth=None)

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
        processes.check()
        whole = replace(self, known_fingerprint=self.fingerprint)
        output.write_bytes(output.path_of(path), storage.to_bytes("result", FORM, whole, CLASSES))

    @property
    def profile(self) -> str:
        """The profile that filled what the call did not state."""
        return self.request.profile.name

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that it is sliced by."""
        return self.request.by

    @property
    def _whole(self) -> pl.DataFrame:
        return self.rows.filter(is_whole(self.rows, self.by))

    @property
    def metrics(self) -> tuple[tuple[str, Metric], ...]:
        """Each metric under its label, every convention written in."""
        return tuple((one.label, one.metric) for one in self.measured)

    def __contains__(self, asked: object) -> bool:
        """Whether there is one value for a metric or its text, over everything or in a slice."""
        return self.get(asked) is not None  # type: ignore[arg-type]

    def keys(self) -> list[str]:
        """The labels of the metrics that are one number, so that ``dict(result)`` works."""
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return (one.label for one in self.measured if not one.entries)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def per_query(self) -> pl.DataFrame:
        """One row per query and metric, for gauc per group; undefined values are NaN."""
        processes.check()
        parts = [
            pl.DataFrame(
                {
                    "query": one.units.alias("query"),
                    "metric": pl.repeat(one.label, len(one.units), dtype=pl.String, eager=True),
                    "value": one.each,
                }
            )
            for one in self.measured
            if one.units is not None
        ]
        if not parts:
            raise asking.nothing_per_query([one.label for one in self.measured])
        return pl.concat(parts)

    def group_coverage(self) -> pl.DataFrame:
        """How many groups each value of gauc rests on, as a tidy frame.

        Its columns: slice columns, metric, ``used`` (the groups that count), ``all_positive`` and
        ``all_negative`` (groups of one class that are left out; each group is counted once) and
        ``share_of_rows``, the rows of the groups that count.

        >>> import steelyard as sy
        >>> log = {"query": ["u", "u", "v"], "label": [1, 0, 1], "score": [0.8, 0.2, 0.7]}
        >>> sy.evaluate(log, metrics="gauc").group_coverage().rows()
        [('gauc', 1, 1, 0, 0.6666666666666666)]
        """
        processes.check()
        found = group_coverage(self.measured, self.by)
        if not found.width:
            raise measuring.no_groups(labels=[one.label for one in self.measured])
        return named_whole(found, self.by)

    def readings(self) -> tuple[Reading, ...]:
        """What the numbers say together, each with the figures and the thresholds it rests on.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.7, 0.3]}
        >>> print(*sy.evaluate(log, metrics=["auc", "ne", "calibration"]).readings())
        order and probabilities both serve (auc 1.0000 ≥ 0.7; ne 0.4183 < 1; calibration 1.0000 in 0.9–1.1).
        """
        processes.check()
        return self.said

    def curve(self, name: str | Metric, *, sliced: bool = False, **options: Any) -> Curve:
        """A curve as data: ``roc``, ``precision_recall``, ``calibration``, ``gain``, or ``ndcg`` at every k.

        With ``sliced`` there is one for each slice, told apart by the slice columns.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7]}
        >>> sy.evaluate(log, metrics="auc").curve("roc").frame.select("fpr", "tpr").rows()
        [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
        """
        if not is_flag(sliced):
            raise asking.bad_value("curve", "sliced", sliced, say("True or False"))
        processes.check()
        if sliced and not any(
            one.slices is not None and one.metric.weighs == "rows" for one in self.measured
        ):
            raise showing.no_slices(name=str(name))
        return curve_of(name, self.measured, sliced=bool(sliced), **options)

    def spec(self) -> dict[str, dict[str, Any]]:
        """The complete specification of each metric, every stage included."""
        under = {"edition": self.request.edition.name, "profile": self.profile}
        return {label: {**metric.spec(), **under} for label, metric in self.metrics}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        processes.check()
        groups = group_coverage(self.measured, self.by)
        return as_dict(
            profile=self.profile,
            names=self.names,
            rows=self.plain_table(),
            by=self.by,
            units=self.units(),
            groups=groups,
            spec=self.spec(),
            tally=self.tally,
            rankings=self.rankings,
            readings=self.readings(),
            notes=self.notes,
        )

    def plain_table(self) -> pl.DataFrame:
        """The tidy table with null for NaN and for infinity, which JSON cannot hold."""
        processes.check()
        finite = pl.when(pl.col("value").is_finite()).then(pl.col("value"))
        return self.rows.with_columns(finite.alias("value"))

    def units(self) -> dict[str, str]:
        """What each metric runs over: queries, rows or groups."""
        return {one.label: one.metric.unit for one in self.measured}

    def told(self) -> Message:
        """The profile, ties and missing queries, and every choice that differs from the house's."""
        usual = self.request.edition.fields
        return conventions_of(self.profile, self.measured, usual, self.names.weights, self.names.exclude)

    def label(self, asked: str | Metric) -> str:
        """The label under which a metric stands in this result, by its text or the metric itself."""
        labels = [label for label, _ in self.metrics]
        if isinstance(asked, str) and asked in labels:
            return asked
        if not isinstance(asked, str | Metric):
            raise asking.not_a_metric(asked)
        (wanted,) = self.request.again(asked).settle(self.by_data)
        for label, metric in self.metrics:
            if metric == wanted.metric.for_truth(self.max_grade):
                return label
        raise asking.not_in_result(str(asked), labels)

    def chart(
        self, name: str, *, other: Result | Mapping[str, Result] | None = None, **options: Any
    ) -> Chart:
        """A chart that a notebook shows and that can be saved: ``roc``, ``calibration``, ``slices``, ….

        ``other`` results, under their names, are drawn beside this one; ``difference`` shows how the queries
        of two differ. ``metric`` says which one, where a chart shows one. Needs ``steelyard[report]``.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7]}
        >>> chart = sy.evaluate(log, metrics="auc").chart("roc")
        >>> chart.table.select("fpr", "tpr").row(2)
        (0.5, 0.5)
        """
        from steelyard import comparison
        from steelyard.show import charts

        processes.check()
        if options.get("metric") is not None:
            options["metric"] = self.label(options["metric"])
        systems = self._beside(other)
        if is_one_of(name, ["difference"]):
            return comparison.difference(systems, **options)
        return charts.chart(name, systems, **options)

    def charts(self, other: Result | Mapping[str, Result] | None = None) -> list[str]:
        """The charts that the data supports.

        >>> import steelyard as sy
        >>> sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr").charts()
        ['metric_at_k', 'per_query']
        """
        from steelyard.show import charts

        processes.check()
        return charts.available(*self._beside(other).values())

    def _beside(self, other: Result | Mapping[str, Result] | None) -> dict[str, Result]:
        """The result and others, each under a name of its own."""
        mine = self.names.predictions
        if isinstance(other, Result):
            return {mine: self, free_name(other.names.predictions, {mine}): other}
        others = {} if other is None else named_results(other, Result)
        return {free_name(mine, others): self, **others}

    def explain(self, metric: str | Metric, query: object = None, *, lang: str = "en") -> Explanation:
        """How the value of one query came about, step by step; for a metric of rows, that of all rows.

        >>> import steelyard as sy
        >>> result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, "mrr")
        >>> result.explain("mrr", "q").recomputed()
        0.5
        """
        from steelyard.show.explanation.measured import explain_measured

        processes.check()
        label = self.label(metric)
        one = next(one for one in self.measured if one.label == label)
        return explain_measured(one, self.lists, query, lang)

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON; NaN is null. ``indent`` spaces stand before each level, None for one line."""
        if not (indent is None or (type(indent) is int and 0 <= indent <= _WIDEST_INDENT)):
            remedy = say("give one from 0 to {most}", most=_WIDEST_INDENT)
            raise must_be("indent", say("None or a whole number"), indent, remedy=remedy, kind=OutputError)
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def table(self, *, wide: bool = False, least: int = 0) -> pl.DataFrame:
        """A tidy frame: slice columns, metric, value, ci_low, ci_high, n, of, undefined.

        The whole reads ``(all)`` in the slice columns. ``n`` counts what a value runs over, which ``of``
        names: queries, rows or groups; ``undefined`` those it had to leave out. Where a metric has a value
        per class, a column ``class`` says which, and for the confusion matrix a column ``predicted``.

        ``wide`` gives instead one row per slice, with a column per metric and one for how much it holds: the
        whole, then the worst slice by the first metric. Those that hold less than ``least`` are left out.
        """
        processes.check()
        shape = self._wide(wide, least)
        return with_units(self.rows, self.by, self.units()) if shape is None else shape.frame

    def _wide(self, wide: bool, least: int) -> Wide | None:
        if not is_flag(wide):
            raise must_be("wide", say("True or False"), wide, kind=OutputError)
        if not wide and least:
            raise showing.least_of_wide()
        if not wide:
            return None
        directions = {label: metric.direction for label, metric in self.metrics}
        return wide_table(self.rows, self.by, self.units(), directions, least)

    def to_csv(self, *, wide: bool = False, least: int = 0) -> str:
        """The tidy table as CSV, with the specification of each metric as text in a column ``spec``.

        An undefined value is an empty field, and text is never a formula. ``wide`` and ``least`` are those of
        ``table``; the wide table has no specifications.
        """
        table = self.table(wide=wide, least=least)
        if not wide:
            said = {label: spec_text(spec) for label, spec in self.spec().items()}
            spec = table["metric"].replace_strict(list(said), list(said.values()), return_dtype=pl.String)
            table = table.with_columns(spec.alias("spec"))
        return output.frame_as_csv(table)

    def to_pandas(self) -> pd.DataFrame:
        """The tidy table as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise writing.pandas_missing() from None
        return pd.DataFrame(
            {
                column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
                for column in self.table()
            }
        )

    def to_markdown(self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """The table as Markdown, in a language such as ``zh``; ``wide`` and ``least`` as in ``table``."""
        return markup.markdown(self.system(lang=lang, wide=wide, least=least))

    def to_latex(self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """The table as LaTeX (booktabs)."""
        return markup.latex(self.system(lang=lang, wide=wide, least=least))

    def to_text(self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """The table alone, in aligned columns."""
        return text.table(self.system(lang=lang, wide=wide, least=least))

    def write(
        self,
        path: str | Path,
        form: str | None = None,
        *,
        lang: str = ENGLISH,
        wide: bool = False,
        least: int = 0,
    ) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names.

        A name without an ending gets JSON.
        """
        target = output.path_of(path)
        if form is None:
            output.check_ending(target)
            form = output.form_of(target) or "json"
        output.write_text(target, self.render(form, lang=lang, wide=wide, least=least) + "\n")

    def render(self, form: str, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """One of the forms as text: table, json, csv, markdown or latex.

        Headings are in the language ``lang``; json and csv, which programs read, are the same in all.
        ``wide`` and ``least`` are those of ``table``; json is the same with them.
        """
        shape: dict[str, Any] = {"wide": wide, "least": least}
        forms: dict[str, Callable[[], str]] = {
            "table": lambda: self.to_text(lang=lang, **shape),
            "json": self.to_json,
            "csv": lambda: self.to_csv(**shape).rstrip("\n"),
            "markdown": lambda: self.to_markdown(lang=lang, **shape),
            "latex": lambda: self.to_latex(lang=lang, **shape),
        }
        if not is_one_of(form, forms):
            raise unknown(say("unknown format '{name}'", name=str(form)), form, forms, kind=OutputError)
        check_language(lang)
        return forms[form]()

    def report(self, path: str | Path, *, title: str | None = None, lang: str = "en") -> None:
        """Write the report: one HTML file with numbers, charts, lists and the full specification.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``.
        """
        from steelyard.comparison import side_by_side
        from steelyard.show import page

        page.write(side_by_side([self.system()]), path, title=title, lang=lang)

    def to_html(self, *, title: str | None = None, lang: str = "en") -> str:
        """The report as text; the same result gives the same text."""
        from steelyard.comparison import side_by_side
        from steelyard.show import page

        return page.html(side_by_side([self.system()]), title=title, lang=lang)

    def system(
        self, name: str | None = None, *, lang: str = ENGLISH, wide: bool = False, least: int = 0
    ) -> System:
        """All that this result shows, as one value, under the name it has beside others.

        ``lang`` is the language in which the forms tell it; ``wide`` and ``least`` are those of ``table``.
        """
        processes.check()
        check_language(lang)
        return System(
            title=self._title(),
            facts=self.facts,
            conventions=self.told(),
            readings=self.readings(),
            notes=self.notes,
            by=self.by,
            rows=self.rows,
            units=self.units(),
            name=self.names.predictions if name is None else name,
            predictions=self.names.predictions,
            truth=self.names.truth,
            spec=self.spec(),
            tally=self.tally.to_dict(),
            measured=self.measured,
            lists=self.lists,
            wide=self._wide(wide, least),
            lang=lang,
        )

    def _title(self) -> Message:
        said, true = self.names.predictions, self.names.truth
        if true is None:
            return say("steelyard {version} · {predictions}", version=VERSION, predictions=said)
        return say(
            "steelyard {version} · {predictions} against {truth}",
            version=VERSION,
            predictions=said,
            truth=true,
        )

    def __repr__(self) -> str:
        return text.full(self.system(), limit=text.TERMINAL_ROWS)

    def _repr_html_(self) -> str:
        return markup.html(self.system())


FORM = "1.0"  # of saved results: what is of another first number cannot be read
CLASSES = {**storage.HELD, "result": Result}
