"""What every metric is: a frozen value whose fields are its conventions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
import polars as pl

from steelyard import conventions
from steelyard.arrays import Floats, Ints
from steelyard.conventions import Align, Average, Rank, Undefinable, choice, number, plain
from steelyard.engine.influence import Influence
from steelyard.engine.need import Need, Reads
from steelyard.engine.ranked import Ranked
from steelyard.engine.shown import ShownList
from steelyard.engine.top_lists import TopLists
from steelyard.kernels.drawn_sums import Often
from steelyard.kernels.exact import exact_sums
from steelyard.kernels.means import ratio, segment_mean
from steelyard.messages import Message
from steelyard.messages.errors import asking, measuring
from steelyard.metrics.formula import checked_values, left_open
from steelyard.steps.arithmetic import Parts, no_steps
from steelyard.steps.lists import list_steps, read_notes

EDITION = "house:2026"
_MOST_LEVELS = 5

Pooling = Literal["query", "pooled"]
Cutoff = Literal["required", "optional", "never"]
Weighs = Literal["rows", "queries"]
Direction = Literal["higher", "lower", "nearest_1", "none"]
# how an interval is made: from influence, on a scale; of medians by order; else by resampling units
Interval = Literal["score", "t", "log", "log_rest", "logit", "order", "percentile", "basic", "bca", "none"]

_SHARED = {
    *conventions.ALIGN_FIELDS,
    *conventions.RANK_FIELDS,
    *conventions.LABELLED_FIELDS,
    *conventions.AVERAGE_FIELDS,
}
FILL = {"zero": 0.0, "zero_seen": 0.0, "half": 0.5, "one": 1.0}


def cutoff() -> Any:
    """The field ``k``: how many of each list are read."""
    return number(
        default=None,
        meaning="reads the first k of each list",
        above=0,
        words={"all": "whole lists"},
        whole=True,
    )


def relevance_level() -> Any:
    """The field ``rel``: the lowest grade that counts as relevant."""
    return number(
        default=1.0,
        meaning="a judged item is relevant when its grade is at least this",
        above=0,
        tries=_grades,
    )


def _grades(state: ShownList | TopLists) -> list[float]:
    """The grades that occur, as levels of relevance."""
    grades = state.ranked.judged_grade if isinstance(state, ShownList) else state.relevant_grade
    assert grades is not None
    return list(np.unique(grades[grades > 0])[:_MOST_LEVELS].tolist())


def pooling_choice() -> Any:
    """The field ``pooling``: a mean over queries, or all queries as one."""
    return choice(
        default="query",
        meaning={"query": "the mean over queries", "pooled": "sums over all queries, then one division"},
    )


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Metric(Undefinable):
    """A metric as a value: frozen, hashable, with one text form and one full form.

    Fields that are not as the house has them win over the conventions of a call or a profile; the others
    give way.
    """

    name: ClassVar[str]
    zh: ClassVar[str] = ""
    at: ClassVar[Cutoff] = "optional"
    decimal_at: ClassVar[str] = ""  # the field that a number with a decimal point after @ states
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"  # which values are better
    limits: ClassVar[Interval] = "percentile"  # how its interval is made, unless a call says otherwise
    biased: ClassVar[bool] = False  # whether few units alone make the value larger or smaller
    tested: ClassVar[str] = "randomisation"  # how two systems are compared, unless a call says otherwise
    reads: ClassVar[Reads]  # what rows are reduced to before the formula sees them
    unit: ClassVar[str] = "rows"  # what a value runs over: queries, rows or groups
    weighs: ClassVar[Weighs | None] = None  # what has a weight, and a slice a share of
    charts: ClassVar[tuple[str, ...]] = ()  # those that show what it measures and no other metric does
    needs_judged_zeros: ClassVar[bool] = False  # whether hits with a grade of 0 are among those it reads
    always_told: ClassVar[tuple[str, ...]] = ()  # fields that a result states though they are the house's
    undefined_when: ClassVar[str] = "there is nothing to divide by"
    instead: ClassVar[Mapping[tuple[str, str], str]] = {}  # a field's word that text means another metric by

    also_called: ClassVar[Mapping[str, str]] = {}  # other names that text may use for a field

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = self._normalised(field, getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        self._check()

    def _normalised(self, field: dataclasses.Field[Any], value: object) -> Any:
        owner = getattr(self, "name", type(self).__name__)  # the classes that others build on have none
        checked = conventions.check_field(owner, field, value)
        return None if field.name == "k" and checked == "all" else checked

    def normalised(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Values for some of this metric's fields, as the fields would hold them.

        A value that the metric holds already was checked when the metric was made.
        """
        held = vars(self)
        by_name = type(self).__dataclass_fields__
        return {
            name: value
            if type(value) is type(held[name]) and value == held[name]
            else self._normalised(by_name[name], value)
            for name, value in fields.items()
        }

    def _check(self) -> None:
        """Refuse combinations of fields that mean nothing."""

    @classmethod
    def key(cls) -> str:
        """The name under which it is registered: with ``@k`` where a cutoff is required."""
        return f"{cls.name}@k" if cls.at == "required" else cls.name

    def differing(self, baseline: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The fields that are not as ``baseline`` has them, which is the house unless it says otherwise."""
        usual = {field.name: field.default for field in dataclasses.fields(self)} | dict(baseline or {})
        return {name: value for name, value in self.values().items() if value != usual[name]}

    def told_fields(self) -> tuple[str, ...]:
        """The fields that are told beside a value even where they are the house's."""
        return self.always_told

    def meaning(self, name: str) -> str | None:
        """What the value of a field means, in words; None where the field is a number."""
        field = next(field for field in dataclasses.fields(self) if field.name == name)
        said: Mapping[str, str] = field.metadata.get("meaning", {})
        return said.get(plain(getattr(self, name)))

    @property
    def monotone(self) -> bool:
        """Whether putting a better grade above a worse one never lowers the value.

        A metric that does not say so is taken for one that might be lowered.
        """
        return False

    @property
    def pooled(self) -> bool:
        """Whether all queries are one: sums first, then one division."""
        return getattr(self, "pooling", "query") == "pooled"

    @property
    def without_expected(self) -> str:
        """Why there is no expected value over ties; empty where there is one."""
        return ""

    @property
    def has_expected(self) -> bool:
        """Whether there is a value for ties that stand open: the mean over all their orders."""
        return not self.without_expected

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; only what changes is checked."""
        if type(self).__post_init__ is not Metric.__post_init__ or not changes.keys() <= vars(self).keys():
            return type(self)(**{**self.values(), **changes})
        made = object.__new__(type(self))
        vars(made).update(self.values(), **self.normalised(changes))
        made._check()
        return made

    def for_truth(self, max_grade: float) -> Self:
        """The same metric with what depends on the whole truth written in."""
        return self

    def values(self) -> dict[str, Any]:
        """Every field with its value."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @left_open()
    def need(self, stated: Collection[str] = ()) -> Need:
        """What this metric reads; ``stated`` are the fields that the caller named."""
        raise NotImplementedError(f"{type(self).__name__} must define need")

    def check(self) -> None:
        """Refuse what can be seen to go wrong before anything is read."""

    def each(self, state: Any) -> Floats | None:
        """The value of each unit, such as a query; None where a value is no mean over units."""
        return None

    def units(self, state: Any) -> pl.Series | None:
        """The names of those units."""
        return None

    @left_open()
    def measure(self, state: Any, each: Floats | None = None) -> Floats:
        """A value, or a row of values, per segment; ``each`` are the values of its units, where known."""
        raise NotImplementedError(f"{type(self).__name__} must define measure")

    @left_open()
    def covered(self, state: Any, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        """How many units each value rests on, and how many it leaves out, as they are undefined."""
        raise NotImplementedError(f"{type(self).__name__} must define covered")

    def within(self) -> tuple[float, float]:
        """The least and the greatest value that there can be, with the choices that are made."""
        return self.bounds

    def interval(self) -> Interval:
        """How its interval is made, unless a call says otherwise."""
        return self.limits

    def prepare(self, state: Any) -> None:
        """Work out what both the value and its influence need, where that is less work than one by one."""

    def influence(self, state: Any, values: Floats, each: Floats | None = None) -> Influence | None:
        """How much each unit moves the values, which are those of ``measure``; None where nobody knows."""
        return None

    def redrawn(self, state: Any) -> Callable[[Often], Floats] | None:
        """What makes the values of many draws of the units at once: a row per value, a column per draw.

        None where every draw must be measured.
        """
        return None

    def entries(self, state: Any) -> list[tuple[str | int, ...]]:
        """What each value of a row of values stands for; empty where there is one value per segment."""
        return []

    def rests_on(self, state: Any) -> Mapping[str, Floats | Ints] | None:
        """What the value of each segment rests on, by name, where a reader would ask."""
        return None

    def facts(self, state: Any, label: str = "") -> list[Message]:
        """What a reader should know beside the value; ``label`` is how the metric is called there."""
        return []

    def beside(self, state: Any) -> Mapping[str, Floats]:
        """Further figures of each segment that readings of the value rest on, by name."""
        return {}

    def steps(self, state: Any) -> Parts:
        """The steps that lead to a value, as ``explain`` tells them."""
        raise NotImplementedError(f"{type(self).__name__} must define steps")

    @property
    def short_name(self) -> str:
        """Its name as text has it, without fields and cutoff."""
        return str(self).partition("(")[0].partition("@")[0]

    @classmethod
    def own_fields(cls) -> list[dataclasses.Field[Any]]:
        """The fields that are not those of every metric."""
        return [field for field in dataclasses.fields(cls) if field.name not in _SHARED]

    def idle(self, state: Any) -> set[str]:
        """The fields that nothing of what was measured depends on, so that an explanation leaves them out."""
        return set()

    def without_effect(self, state: Any) -> set[str]:
        """The fields that change no value on this data, told or not."""
        return self.idle(state)

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        """Every other choice of its own fields, each a field and a value: what an explanation tries."""
        found = [(field.name, one) for field in self.own_fields() for one in conventions.tries(field, state)]
        return [(name, one) for name, one in found if one != getattr(self, name)]

    def spec(self) -> dict[str, Any]:
        """The complete specification, every stage included: what a result stores.

        >>> from steelyard.metrics import NDCG
        >>> spec = NDCG(k=10).spec()
        >>> spec["metric"], spec["k"], spec["gain"], spec["ties"], spec["edition"]
        ('ndcg', 10, 'linear', 'item_desc', 'house:2026')
        """
        return {"metric": self.name, **self.values(), "edition": EDITION}

    def text(self, baseline: Mapping[str, object] | None = None) -> str:
        """The text form, with the fields that differ from ``baseline`` (the house defaults)."""
        return self._text({name: value for name, value in self.differing(baseline).items() if name != "k"})

    def _text(self, fields: Mapping[str, object]) -> str:
        inside = ", ".join(f"{name}={plain(value)}" for name, value in fields.items())
        k = getattr(self, "k", None)
        at = f"@{k}" if k is not None else "@all" if self.at == "required" else ""
        return f"{self.name}({inside}){at}" if inside else f"{self.name}{at}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        shown = sorted(self.differing().items(), key=lambda one: one[0] != "k")
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"

    def _repr_html_(self) -> str:
        from steelyard.metrics.notebook import html

        return html(self)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class QueryMetric(Metric, Average):
    """A metric with one value per query, then a mean; ``per_query`` gives the values of a state."""

    unit: ClassVar[str] = "queries"
    weighs: ClassVar[Weighs | None] = "queries"

    @left_open("each")
    def per_query(self, state: Any) -> Floats:
        raise NotImplementedError(f"{type(self).__name__} must define per_query")

    def each(self, state: Any) -> Floats:
        """One value per query, with undefined values as the convention says."""
        n = state.n_queries
        values = checked_values(
            self.per_query(state),
            n,
            lambda found: measuring.wrong_shape(label=str(self), found=found, n=n),
        )
        return self._filled(values, state) + 0.0  # a zero has no sign

    def units(self, state: Any) -> pl.Series:
        queries: pl.Series = state.queries
        return queries

    def measure(self, state: Any, each: Floats | None = None) -> Floats:
        """One value per segment of queries: the mean of their values."""
        values = self.each(state) if each is None else each
        return (
            segment_mean(values, state.segments, state.n_segments, state.weight, self.mean, self.floor) + 0.0
        )

    def covered(self, state: Any, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        undefined = np.isnan(self.each(state) if each is None else each)
        segment, counts = state.segments, state.counts
        n, left_out = (
            np.bincount(segment[some], minlength=state.n_segments)
            for some in (counts & ~undefined, counts & undefined)
        )
        return n, left_out

    def interval(self) -> Interval:
        """By score where values are bounded, by order of medians, else by Student's t."""
        if self.mean != "arithmetic":
            return "order" if self.mean == "median" else "log"
        return "score" if np.isfinite(self.within()).all() else "t"

    def influence(self, state: Any, values: Floats, each: Floats | None = None) -> Influence | None:
        """That of a mean over queries; of a median there is none."""
        if self.mean == "median":
            return None
        found = self.each(state) if each is None else each
        weight = np.where(np.isnan(found), 0.0, state.weights)
        found = np.where(weight > 0, found, 0.0)
        cells = state.cells
        if self.mean == "arithmetic":
            return Influence.of_ratio(cells, cells.sums(weight * found), cells.sums(weight), values)
        logs, size = np.log(np.maximum(found, self.floor)), np.log(values)
        of_logs = Influence.of_ratio(cells, cells.sums(weight * logs), cells.sums(weight), size)
        return dataclasses.replace(of_logs, moves=of_logs.moves * cells.spread(values), each=None)

    def _filled(self, values: Floats, state: Any) -> Floats:
        undefined = np.isnan(values)
        if self.undefined == "nan" or not undefined.any():
            return values
        if self.undefined == "error":
            if self.pooled:  # only the pooled value counts
                return values
            first = state.queries[int(np.flatnonzero(undefined)[0])]
            raise measuring.undefined_query(label=str(self), query=first, n=int(undefined.sum()))
        return np.where(undefined, FILL[self.undefined], values)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class RankingMetric(QueryMetric, Rank, Align):
    """A metric with one value per query, then a mean.

    A subclass gives ``per_query``: the value of each query, NaN where it is undefined.
    """

    reads: ClassVar[Reads] = "hits"
    always_told: ClassVar[tuple[str, ...]] = ("ties", "missing")
    shares_places: ClassVar[bool] = False  # whether hits of one place mean something, which ties=last makes

    def align(self) -> Align:
        return Align(**{name: getattr(self, name) for name in conventions.ALIGN_FIELDS})

    def rank(self) -> Rank:
        return Rank(**{name: getattr(self, name) for name in conventions.RANK_FIELDS})

    def need(self, stated: Collection[str] = ()) -> Need:
        return Need(
            reads=self.reads,
            metric=str(self),
            align=self.align(),
            rank=self.rank(),
            judged_zeros=self.needs_judged_zeros,
        )

    @left_open("each", "parts")
    def per_query(self, ranked: Ranked) -> Floats:
        """The value of each query, NaN where it is undefined; unless a metric says how, its parts divided."""
        return ratio(*self.parts(ranked))

    def each(self, ranked: Ranked) -> Floats:
        """One value per query, with undefined values as the convention says."""
        if ranked.expected:
            self.check()
            if not self.has_expected:
                raise measuring.no_expected_form(label=str(self), why=self.without_expected)
        return super().each(ranked)

    def measure(self, ranked: Ranked, each: Floats | None = None) -> Floats:
        """One value per segment of queries: the mean of their values, or their sums divided."""
        values = self.each(ranked) if each is None else each
        if not self.pooled:
            return super().measure(ranked, values)
        segment, n = ranked.segments, ranked.n_segments
        weight = ranked.weights
        over, under = (exact_sums(part * weight, segment, n) for part in self.parts(ranked))
        pooled = ratio(over, under)
        if self.undefined == "error" and np.isnan(pooled).all():
            raise measuring.undefined_pooled(label=str(self))
        return np.where(np.isnan(pooled), FILL.get(self.undefined, np.nan), pooled)

    def interval(self) -> Interval:
        if not self.pooled:
            return super().interval()
        return "logit" if np.isfinite(self.within()).all() else "log"

    def influence(self, ranked: Ranked, values: Floats, each: Floats | None = None) -> Influence | None:
        if not self.pooled:
            return super().influence(ranked, values, each)
        cells, weight = ranked.cells, ranked.weights
        over, under = (cells.sums(part * weight) for part in self.parts(ranked))
        return Influence.of_ratio(cells, over, under, values)

    def check(self) -> None:
        """Refuse ties that the metric cannot take, and a level of relevance that no grade reaches.

        With a mean over queries that is no sum ``expected`` is not the mean over all orders.
        """
        if self.ties == "expected" and self.mean != "arithmetic" and not self.pooled:
            raise measuring.no_expected_mean(label=str(self), mean=self.mean)
        if self.ties == "last" and not self.shares_places:
            raise measuring.no_shared_places(label=str(self))
        rel = getattr(self, "rel", 1)
        if self.grades == "relevant" and rel > 1:
            raise asking.level_above_relevant(label=str(self), rel=plain(rel))

    def steps(self, shown: ShownList) -> Parts:
        """The steps that lead to the value of one list; of a metric that has none, the list and its value."""
        k = getattr(self, "k", None)
        table = list_steps(shown, k, (), important=shown.known != 0)
        return no_steps(self.name, self.each(shown.ranked), (table,), read_notes(shown, k))

    def parts(self, ranked: Ranked) -> tuple[Floats, Floats]:
        """Numerators and denominators of each query; what a pooled metric adds up."""
        raise NotImplementedError(f"{type(self).__name__} must define per_query, or parts to divide")

    def of(
        self,
        grades: Sequence[float] | Sequence[Sequence[float]],
        judged: Sequence[float] | Sequence[Sequence[float]] | None = None,
    ) -> float:
        """The value for grades in ranked order: one list, or the mean over several.

        ``judged`` are the grades of all judged items, shown or not; without it the items shown are
        all there are.

        >>> from steelyard.metrics import MAP
        >>> MAP(k=5).of([1, 1, 0, 0, 0], judged=[1, 1, 1])
        0.6666666666666666
        """
        self.check()
        ranked = Ranked.of_lists(grades, judged, self.depth, zeros=self.needs_judged_zeros)
        return float(self.for_truth(ranked.max_grade).measure(ranked)[0])
