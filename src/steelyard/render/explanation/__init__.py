"""A metric's arithmetic, step by step: how one value came about, as text, Markdown and HTML."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl

from steelyard.conventions import plain
from steelyard.engine.classified import Classified
from steelyard.engine.influence import Segmented
from steelyard.engine.kept import Binned, DroppedRows, ListSummary
from steelyard.engine.memory import Lists, ShownList
from steelyard.engine.scored import Scored
from steelyard.engine.top_lists import TopLists
from steelyard.metrics import Metric
from steelyard.metrics.base import FILL
from steelyard.metrics.classes.averages import curve_steps
from steelyard.metrics.curves.rows import roc
from steelyard.metrics.rows.auc import AUC
from steelyard.metrics.steps import (
    UNDEFINED,
    By,
    Column,
    Line,
    Number,
    Of,
    Parts,
    Quantity,
    Steps,
    key_of,
    reduced,
    sum_of,
    worked_out,
)
from steelyard.metrics.steps.rows import SCORES, RowValues, score_steps, walked
from steelyard.printable import encoded
from steelyard.stats.measured import Measured
from steelyard.text import Message, say, term
from steelyard.text.errors import SteelyardError, writing
from steelyard.text.errors.forms import check_language


@dataclass(frozen=True, kw_only=True)
class Other:
    """What another choice would have given."""

    text: str  # field=choice, or the whole metric where the choice gives it another name
    field: str
    metric: Metric
    value: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Explanation:
    """How one value came about: formula, conventions, steps, arithmetic, and what other choices would give.

    ``explained`` are the fields of the metric that are put into words; ``values`` has one number, or several
    where the metric has one per class. ``facts`` say how much there was, ``notes`` what to mind.
    """

    metric: Metric
    of: str  # the query that was measured, or nothing
    steps: tuple[Steps, ...]
    lines: tuple[Line, ...]
    values: tuple[float, ...]
    explained: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()
    facts: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
    lang: str = "en"
    label: str = ""  # the name of the metric in a library, if it was asked for by that name

    @property
    def value(self) -> float:
        """The value as the metric gives it; NaN where it is undefined or there are several."""
        return self.values[0] if len(self.values) == 1 else math.nan

    def recomputed(self) -> float:
        """The value from the steps alone."""
        results = self.recomputed_values()
        return results[0] if len(results) == 1 else math.nan

    def recomputed_values(self) -> tuple[float, ...]:
        """Every value from the steps alone: what tables or lines of results give, or the last line."""
        told = [steps for steps in self.steps if steps.results]
        if told:
            columns = [[steps.column(name).cells for name in steps.results] for steps in told]
            return tuple(float(cell) for part in columns for row in zip(*part, strict=True) for cell in row)
        results = [line for line in self.lines if line.result] or list(self.lines[-1:])
        return tuple(self.line_value(line) for line in results)

    def line_value(self, line: Line) -> float:
        """What a line of arithmetic gives."""
        return worked_out(line.arithmetic, self.number)

    def number(self, operand: Quantity) -> float:
        """The number behind a name."""
        if isinstance(operand, By):
            return self.line_value(self.line(operand))
        if isinstance(operand, Of):
            return reduced(self.column(operand), operand.how)
        assert isinstance(operand, Number)
        return float(operand.value)

    def line(self, operand: By) -> Line:
        """The line that gave an operand."""
        return next(line for line in self.lines if line.key == key_of(operand.line))

    def column(self, operand: Of) -> Column:
        """The column that an operand is read off."""
        steps = next(steps for steps in self.steps if steps.key == key_of(operand.steps))
        return steps.column(operand.column)

    def place(self, operand: Of) -> tuple[int, int]:
        """The place of an operand's column: the table, and the column in it."""
        at = next(at for at, steps in enumerate(self.steps) if steps.key == key_of(operand.steps))
        return at, self.steps[at].columns.index(self.column(operand))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, lang: str | None = None, width: int | None = None) -> str:
        """The explanation in aligned columns, sentences wrapped to ``width``."""
        from steelyard.render.explanation.page import text

        return text(self, self._language(lang), width)

    def to_markdown(self, lang: str | None = None) -> str:
        """The explanation as Markdown."""
        from steelyard.render.explanation.page import markdown

        return markdown(self, self._language(lang))

    def to_html(self, lang: str | None = None) -> str:
        """The explanation as a piece of HTML."""
        from steelyard.render.explanation.page import html

        return html(self, self._language(lang))

    def _language(self, asked: str | None) -> str:
        if asked is None:
            return self.lang
        check_language(asked)
        return asked

    def _repr_html_(self) -> str:
        return self.to_html()


Again = Callable[[Metric], ShownList]
Measure = Callable[[Any], float | None]  # None where there is no one value

_SEARCHED = 5_000  # of many queries, those that are compared with a slip of the pen

# where the same lists can be ranked again
_RANKED_AGAIN = {
    "ties": ("item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"),
    "unjudged": ("nonrelevant", "drop"),
    "judgements": ("all", "retrieved"),
}


def explain_list(
    metric: Metric, shown: ShownList, *, again: Again | None = None, lang: str = "en"
) -> Explanation:
    """How the value of one list came about; ``again`` ranks the same list under other conventions."""
    asked = metric.for_truth(shown.ranked.max_grade)
    further = tuple(_tried(asked, asked.choices(shown), lambda other: _of_list(other, shown)))
    if again is not None:
        further += _ranked_otherwise(asked, shown, again)
    facts = say(
        "items shown {shown:,} · judged {judged:,} · with a grade above 0: {graded:,}",
        key="list_facts",
        shown=int(shown.ranked.retrieved[0]),
        judged=int(shown.ranked.judged[0]),
        graded=int((shown.ranked.judged_grade > 0).sum()),
    )
    also = {"ties"} if again is not None and getattr(asked, "order", "") != "given" else set()
    return _made(
        asked,
        asked.steps(shown),
        of=shown.query,
        values=(_of_list(asked, shown),),
        explained=_told(asked, asked.idle(shown), also),
        others=further,
        facts=(facts,),
        lang=lang,
    )


def explain_rows(
    metric: Metric,
    state: Segmented | TopLists,
    *,
    of: str = "",
    thresholded: bool = False,
    lang: str = "en",
) -> Explanation:
    """How the value of labelled rows came about; ``of`` is the group they belong to.

    ``thresholded`` says that classes were scores.
    """
    values = _values(metric, state)
    further: tuple[Other, ...] = ()
    if len(values) == 1:
        further = tuple(_tried(metric, metric.choices(state), lambda other: _of_rows(other, state)))
    facts = [state.sizes()]
    if state.weight is not None and not (of and isinstance(state, TopLists)):
        weight = float(state.weights.sum())
        note = say("total weight {weight:g}; counts are sums of weights", key="weight_fact", weight=weight)
        facts.append(note)
    fields = _told(metric, set() if thresholded else metric.idle(state))
    parts = metric.steps(state)
    return _made(
        metric,
        dataclasses.replace(parts, notes=(*parts.notes, *metric.facts(state))),
        of=of,
        values=tuple(values),
        explained=fields,
        others=further,
        facts=tuple(facts),
        lang=lang,
    )


def _made(metric: Metric, parts: Parts, **fields: Any) -> Explanation:
    """An explanation, with the reason if the value is undefined, and a line for what it counts instead."""
    explanation = Explanation(
        metric=metric, steps=parts.steps, lines=parts.lines, notes=parts.notes, **fields
    )
    recomputed = explanation.recomputed_values()
    if not recomputed or not all(map(math.isnan, recomputed)):
        return explanation
    why = say("{why}, so that the value is undefined.", key="undefined", why=term(metric.undefined_when))
    notes = (*explanation.notes, why)
    fill = FILL.get(metric.undefined)
    if fill is None or math.isnan(explanation.value):
        return dataclasses.replace(explanation, notes=notes)
    note = say(
        "an undefined value counts {value:g} here (undefined={choice}).",
        key="filled",
        value=fill,
        choice=metric.undefined,
    )
    lines = (*explanation.lines, Line(Number(fill, "filled")))
    return dataclasses.replace(explanation, lines=lines, notes=(*notes, note))


def _told(metric: Metric, idle: set[str], also: Collection[str] = ()) -> tuple[str, ...]:
    """The fields to describe: its own, and those that differ from the default."""
    own = [field.name for field in metric.own_fields()]
    differing = [
        field.name
        for field in dataclasses.fields(metric)
        if field.name not in own and (field.name in also or getattr(metric, field.name) != field.default)
    ]
    return tuple(name for name in [*own, *differing] if name not in {"k", *idle})


def _of_list(metric: Any, shown: ShownList) -> float:
    asked = metric.for_truth(shown.ranked.max_grade)
    return float(asked.each(shown.ranked)[0])


def _of_rows(metric: Any, state: Segmented | TopLists) -> float | None:
    values = _values(metric, state)
    return values[0] if len(values) == 1 else None


def _values(metric: Metric, state: Segmented | TopLists) -> list[float]:
    each = metric.each(state) if isinstance(state, TopLists) else None
    values = metric.measure(state)[0] if each is None else each[0]
    return list(np.atleast_1d(values).reshape(-1).tolist())


def _ranked_otherwise(metric: Metric, shown: ShownList, again: Again) -> tuple[Other, ...]:
    """The value under other rankings: ties, unjudged items, judgements of other items."""
    wanted = {
        "ties": getattr(metric, "order", "") != "given"
        and bool((again(metric.replace(ties="expected")).tied > 1).any()),
        "unjudged": bool(np.isnan(shown.grade).any())
        or getattr(metric, "unjudged", "nonrelevant") != "nonrelevant",
        "judgements": int(shown.ranked.judged[0]) > int((~np.isnan(shown.grade)).sum())
        or getattr(metric, "judgements", "all") != "all",
    }
    further = [
        (name, value)
        for name, choices in _RANKED_AGAIN.items()
        for value in choices
        if wanted[name] and value != getattr(metric, name)
    ]
    return tuple(_tried(metric, further, lambda other: _of_list(other, again(other))))


def _tried(metric: Metric, found: list[tuple[str, Any]], measure: Measure) -> Iterator[Other]:
    """The value under each other choice; one that is not possible is left out."""
    for name, value in found:
        try:
            other = metric.replace(**{name: value})
            result = measure(other)
        except SteelyardError:  # two fields that do not go together, a gain that lacks a grade …
            continue
        if result is not None:
            text = f"{name}={'all' if name == 'k' and value is None else plain(value)}"
            renamed = other.short_name != metric.short_name  # f1 has no other beta: that is fbeta
            yield Other(text=str(other) if renamed else text, field=name, metric=other, value=result)


def explain_measured(measured: Measured, lists: Lists | None, query: object, lang: str) -> Explanation:
    """How one value came about: that of a query, or of all rows."""
    check_language(lang)
    if measured.metric.reads == "lists" and measured.each is not None:
        if isinstance(measured.state, ListSummary | DroppedRows):
            raise writing.rows_not_kept(label=measured.label)
        chosen = _found(measured, query, None)
        at = np.flatnonzero((measured.unit_names == chosen).to_numpy())
        return explain_rows(measured.metric, measured.state.only(at), of=str(chosen), lang=lang)
    if measured.metric.reads != "hits":
        if query is not None:
            of_lists = measured.metric.reads == "lists"
            raise (writing.query_of_all if of_lists else writing.query_of_rows)(label=measured.label)
        return explain_row_measured(measured, lang=lang)
    if lists is None:
        raise writing.rows_not_kept(label=measured.label)
    chosen = _found(measured, query, lists)
    lists.check(chosen)
    (shown,) = lists.shown(measured.need, [chosen])
    return explain_list(
        measured.metric, shown, again=lambda other: lists.shown(other.need(), [chosen])[0], lang=lang
    )


def explain_row_measured(measured: Measured, *, of: str = "", lang: str = "en") -> Explanation:
    if isinstance(measured.state, Binned | ListSummary | DroppedRows):
        raise writing.rows_not_kept(label=measured.label)
    return explain_rows(measured.metric, measured.state, of=of, thresholded=measured.thresholded, lang=lang)


def _found(measured: Measured, query: object, lists: Lists | None) -> object:
    """The query that was asked for, or the only one."""
    queries = measured.unit_names
    if query is None:
        if len(queries) == 1:
            return queries[0]
        raise writing.query_needed(measured.label, len(queries), _worth_a_try(measured, lists))
    text = encoded(str(query)).decode()
    asked = pl.Series([text]).cast(queries.dtype, strict=False)
    if asked.cast(pl.String)[0] == str(query) and (queries == asked[0]).any():
        return asked[0]
    raise writing.unknown_query(query, near(queries, text), len(queries), queries.head(3).to_list())


def _worth_a_try(measured: Measured, lists: Lists | None) -> list[tuple[Message, object]]:
    """The queries with the best, the median and the worst value, of those whose lists were kept."""
    some = lists is not None and lists.some
    there = measured.unit_names.is_in(lists.encoded.queries.implode()).to_numpy() if lists and some else True
    defined = np.flatnonzero(~np.isnan(measured.values) & there)
    order = defined[np.argsort(measured.values[defined], kind="stable")]
    if not len(order):
        return []
    best, worst = (0, -1) if measured.metric.direction == "lower" else (-1, 0)
    labels: dict[object, Message] = {}
    for what, place in ((say("best"), best), (say("worst"), worst), (say("median"), len(order) // 2)):
        labels.setdefault(measured.unit_names[int(order[place])], what)
    return [(what, query) for query, what in labels.items()]


def near(queries: pl.Series, query: str) -> list[str]:
    names = queries.cast(pl.String)
    likely = names.filter(names.str.starts_with(query[:2]) | names.str.contains(query, literal=True))
    known = pl.concat([likely.head(_SEARCHED), names.head(_SEARCHED)]).unique(maintain_order=True).to_list()
    return get_close_matches(query, known, n=3, cutoff=0.6)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class ROC(AUC):
    """How many good rows you catch for the bad ones you let in, as you lower the bar."""

    name = "roc"
    zh = "ROC曲线"

    def idle(self, state: Any) -> set[str]:
        return {field.name for field in self.own_fields()}

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        return []

    def steps(self, state: Scored | Classified) -> Parts:
        if isinstance(state, Classified):  # a curve for each class: their areas
            return curve_steps(self, state)
        frame = roc(state)
        if not frame.height:
            return Parts(lines=(UNDEFINED,))
        walk = {name: frame[name].to_numpy() for name in frame.columns}
        width = np.diff(walk["fpr"], prepend=0.0)
        height = (walk["tpr"] + np.concatenate(([0.0], walk["tpr"]))[:-1]) / 2
        values = [
            RowValues(say("threshold"), walk["threshold"], "range", "rank"),
            RowValues(say("positives so far"), walk["positives"], "last"),
            RowValues(say("negatives so far"), walk["negatives"], "last"),
            RowValues(say("TPR", key="tpr"), walk["tpr"], "last"),
            RowValues(say("FPR", key="fpr"), walk["fpr"], "last"),
            RowValues(say("width"), width, "sum"),
            RowValues(say("mean height"), height),
            RowValues(say("area"), width * height, "sum"),
        ]
        made = score_steps(values, walked(len(width)), ("width", "area"))
        line = Line(sum_of(SCORES, "area"), say("area under the curve"))
        return Parts(steps=(made,), lines=(line,))
