"""What an evaluation gives: numbers, each with the full specification that produced it."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard import processes
from steelyard.arguments import is_one_of
from steelyard.messages import ENGLISH, Message, say
from steelyard.messages.errors import OutputError, writing
from steelyard.messages.errors.forms import must_be, unknown
from steelyard.messages.errors.languages import check_language
from steelyard.metrics import Metric
from steelyard.numbers import Numbers
from steelyard.show import Document, markup, output, text
from steelyard.show.labels import again
from steelyard.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from steelyard.show.charts import Chart
    from steelyard.show.explanation import Explanation
    from steelyard.show.page import System


_WIDEST_INDENT = 100


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(Numbers):
    """The numbers of one evaluation, with their conventions, tally and notes.

    >>> import steelyard as sy
    >>> result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["mrr", "hit_rate@1"])
    >>> result["mrr"]
    0.5
    >>> result.table().select("metric", "value").rows()
    [('mrr', 0.5), ('hit_rate@1', 0.0)]
    """

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
        from steelyard.show import charts

        processes.check()
        if options.get("metric") is not None:
            options["metric"] = self.label(options["metric"])
        return charts.chart(name, self._beside(other), **options)

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
            return {mine: self, _free(other.names.predictions, {mine}): other}
        others = {} if other is None else named_results(other)
        return {_free(mine, others): self, **others}

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

    def to_csv(self) -> str:
        """The tidy table as CSV; an undefined value is an empty field, and text is never a formula."""
        processes.check()
        return output.frame_as_csv(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """The tidy table as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise writing.pandas_missing() from None
        return pd.DataFrame(
            {
                column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
                for column in self.rows
            }
        )

    def to_markdown(self, *, lang: str = ENGLISH) -> str:
        """The table as Markdown, in a language such as ``zh``."""
        return markup.markdown(self.document(lang))

    def to_latex(self, *, lang: str = ENGLISH) -> str:
        """The table as LaTeX (booktabs)."""
        return markup.latex(self.document(lang))

    def to_text(self, *, lang: str = ENGLISH) -> str:
        """The table alone, in aligned columns."""
        return text.table(self.document(lang))

    def write(self, path: str | Path, form: str | None = None, *, lang: str = ENGLISH) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names.

        A name without an ending gets JSON.
        """
        target = output.path_of(path)
        if form is None:
            output.check_ending(target)
            form = output.form_of(target) or "json"
        output.write_text(target, self.render(form, lang=lang) + "\n")

    def render(self, form: str, *, lang: str = ENGLISH) -> str:
        """One of the forms as text: table, json, csv, markdown or latex.

        Headings are in the language ``lang``; json and csv, which programs read, are the same in all.
        """
        forms: dict[str, Callable[[], str]] = {
            "table": lambda: self.to_text(lang=lang),
            "json": self.to_json,
            "csv": lambda: self.to_csv().rstrip("\n"),
            "markdown": lambda: self.to_markdown(lang=lang),
            "latex": lambda: self.to_latex(lang=lang),
        }
        if not is_one_of(form, forms):
            raise unknown(say("unknown format '{name}'", name=str(form)), form, forms, kind=OutputError)
        check_language(lang)
        return forms[form]()

    def report(self, path: str | Path, *, title: str | None = None, lang: str = "en") -> None:
        """Write the report: one HTML file with numbers, charts, lists and the full specification.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``.
        """
        from steelyard.show import page

        page.write([self.system(self.names.predictions)], path, title=title, lang=lang)

    def to_html(self, *, title: str | None = None, lang: str = "en") -> str:
        """The report as text; the same result gives the same text."""
        from steelyard.show import page

        return page.html([self.system(self.names.predictions)], title=title, lang=lang)

    def system(self, name: str) -> System:
        """What this result gives to a report, under the name it has there."""
        from steelyard.show.page import System

        return System(
            name=name,
            document=self.document(),
            measured=self.measured,
            readings=self.readings(),
            spec=self.spec(),
            tally=self.counts(),
            predictions=self.names.predictions,
            truth=self.names.truth,
            lists=self.lists,
        )

    def document(self, lang: str = ENGLISH) -> Document:
        """All that this result shows, as one value; ``lang`` is the language in which the forms tell it."""
        processes.check()
        check_language(lang)
        return Document(
            lang=lang,
            title=self._title(),
            facts=tuple(self.facts()),
            conventions=self.told(),
            readings=tuple(reading.said for reading in self.readings()),
            notes=self.notes,
            by=self.by,
            rows=self.rows,
            units=self.units(),
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
        return text.full(self.document(), limit=text.TERMINAL_ROWS)

    def _repr_html_(self) -> str:
        return markup.html(self.document())


def named_results(given: Result | Mapping[str, Result] | Sequence[Result]) -> dict[str, Result]:
    """Results under their names: those of a mapping, else the names of what was read, told apart."""
    if isinstance(given, Result):
        return {given.names.predictions: given}
    if isinstance(given, Mapping):
        named = [(str(name), result) for name, result in given.items()]
    elif isinstance(given, list | tuple):
        named = [
            (
                result.names.predictions
                if isinstance(result, Result)
                else say("number {place}", place=place),
                result,
            )
            for place, result in enumerate(given, 1)
        ]
    else:
        raise writing.not_results(type(given).__name__)
    found: dict[str, Result] = {}
    for name, result in named:
        if not isinstance(result, Result):
            raise writing.not_a_result(name=name, found=type(result).__name__)
        found[_free(name, found)] = result
    return found


def _free(name: str, taken: Container[str]) -> str:
    """The name, or, where others have it, the first of ``name (2)``, ``name (3)``, … that none has."""
    return next(one for one in chain([name], (again(name, nth) for nth in count(2))) if one not in taken)
