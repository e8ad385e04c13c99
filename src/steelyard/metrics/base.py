"""What every metric is: what its author may define, and what results and explanations ask of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
import polars as pl

from steelyard import conventions
from steelyard.arrays import Floats, Ints
from steelyard.conventions import Undefinable
from steelyard.engine.influence import Influence
from steelyard.engine.protocol import Need, Reads
from steelyard.metrics.fields import Fields
from steelyard.metrics.steps.arithmetic import Parts
from steelyard.text import Message, say

EDITION = "steelyard:2026"

Weighs = Literal["rows", "queries"]
Direction = Literal["higher", "lower", "nearest_1", "none"]
# how an interval is made: from influence, on a scale; of medians by order; else by resampling units
Interval = Literal["score", "t", "log", "log_rest", "logit", "order", "percentile", "basic", "bca", "none"]

F = TypeVar("F", bound=Callable[..., Any])

FILL = {"zero": 0.0, "zero_seen": 0.0, "half": 0.5, "one": 1.0}
ABSTRACT_METHODS: dict[str, None] = {}  # the names of methods that some base class leaves open, in order


def abstract(*others: str) -> Callable[[F], F]:
    """Mark a method that every metric must define, unless it defines one of ``others`` anew."""

    def mark(method: F) -> F:
        ABSTRACT_METHODS[method.__name__] = None
        method.instead = others  # type: ignore[attr-defined]
        return method

    return mark


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Metric(Fields, Undefinable):
    """A metric as a value: frozen, hashable, with one text form and one full form.

    Fields that differ from their defaults win over the conventions of a call or a profile; the others give
    way. Two methods are used only where a metric has them, to save work: ``prepare(state)`` computes what the
    value and its influence share, and ``redrawn(state)`` gives a function from many draws of the units to
    their values, a row per value and a column per draw.
    """

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
    always_told: ClassVar[tuple[str, ...]] = ()  # fields that a result states even where they are defaults
    untried: ClassVar[tuple[str, ...]] = ()  # fields whose other choices an explanation does not try
    undefined_when: ClassVar[str] = "there is nothing to divide by"
    instead: ClassVar[Mapping[tuple[str, str], str]] = {}  # a field's word that text means another metric by
    also_called: ClassVar[Mapping[str, str]] = {}  # other names that text may use for a field

    @classmethod
    def key(cls) -> str:
        """The name under which it is registered: with ``@k`` where a cutoff is required."""
        return f"{cls.name}@k" if cls.at == "required" else cls.name

    def spec(self) -> dict[str, Any]:
        """The complete specification, every stage included: what a result stores.

        >>> from steelyard.metrics import NDCG
        >>> spec = NDCG(k=10).spec()
        >>> spec["metric"], spec["k"], spec["gain"], spec["ties"], spec["edition"]
        ('ndcg', 10, 'linear', 'item_desc', 'steelyard:2026')
        """
        return {"metric": self.name, **self.values(), "edition": EDITION}

    # ------------------------------------------------------------------ what it reads, and its value

    def check(self) -> None:
        """Refuse what can be seen to go wrong before anything is read."""

    @abstract()
    def need(self, stated: Collection[str] = ()) -> Need:
        """What this metric reads; ``stated`` are the fields that the caller named."""
        raise NotImplementedError(f"{type(self).__name__} must define need")

    def for_truth(self, max_grade: float) -> Self:
        """The same metric with what depends on the whole truth written in."""
        return self

    def each(self, state: Any) -> Floats | None:
        """The value of each unit, such as a query; None where a value is no mean over units."""
        return None

    def units(self, state: Any) -> pl.Series | None:
        """The names of those units."""
        return None

    @abstract()
    def measure(self, state: Any, each: Floats | None = None) -> Floats:
        """A value, or a row of values, per segment; ``each`` are the values of its units, where known."""
        raise NotImplementedError(f"{type(self).__name__} must define measure")

    def entries(self, state: Any) -> list[tuple[str | int, ...]]:
        """What each value of a row of values stands for; empty where there is one value per segment."""
        return []

    @abstract()
    def covered(self, state: Any, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        """How many units each value uses, and how many it leaves out, as they are undefined."""
        raise NotImplementedError(f"{type(self).__name__} must define covered")

    @property
    def monotone(self) -> bool:
        """Whether a better grade above a worse one never lowers the value; False where that is not known."""
        return False

    @property
    def without_expected(self) -> str:
        """Why there is no expected value over ties; empty where there is one."""
        return ""

    @property
    def pooled(self) -> bool:
        """Whether all queries are one: sums first, then one division."""
        return getattr(self, "pooling", "query") == "pooled"

    # ------------------------------------------------------------------ its interval

    def within(self) -> tuple[float, float]:
        """The least and the greatest possible value, given its fields."""
        return self.bounds

    def interval(self) -> Interval:
        """How its interval is made, unless a call says otherwise."""
        return self.limits

    def influence(self, state: Any, values: Floats, each: Floats | None = None) -> Influence | None:
        """How much each unit moves the values of ``measure``; None where that is not known."""
        return None

    # ------------------------------------------------------------------ what a reader is shown

    def facts(self, state: Any, label: str = "") -> list[Message]:
        """What a reader should know beside the value; ``label`` is how the metric is called there."""
        return []

    def support(self, state: Any) -> Mapping[str, Floats | Ints] | None:
        """What the value of each segment uses, by name, where a reader would ask."""
        return None

    def extra_figures(self, state: Any) -> Mapping[str, Floats]:
        """Further figures of each segment that readings of the value use, by name."""
        return {}

    def told_fields(self) -> tuple[str, ...]:
        """The fields that a result states even where they are defaults."""
        return self.always_told

    def steps(self, state: Any) -> Parts:
        """The steps that lead to a value, as ``explain`` shows them."""
        raise NotImplementedError(f"{type(self).__name__} must define steps")

    def idle(self, state: Any) -> set[str]:
        """The fields that nothing of what was measured depends on, so that an explanation leaves them out."""
        return set()

    def without_effect(self, state: Any) -> set[str]:
        """The fields that change no value on this data, shown or not."""
        return self.idle(state)

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        """Every other choice of its own fields, each a field and a value: what an explanation tries."""
        return [
            (field.name, one)
            for field in self.own_fields()
            if field.name not in self.untried
            for one in conventions.tries(field, state)
            if one != getattr(self, field.name)
        ]


def checked_values(
    given: Any, n: int, refuse: Callable[[Message | str], Exception], *, dimensions: Collection[int] = (1,)
) -> Floats:
    """What the formula of a metric gave, if that is ``n`` numbers; else ``refuse`` says what it was."""
    if np.ma.is_masked(given):
        raise refuse(say("masked values"))
    try:
        values = np.asarray(given)
        if values.dtype.kind != "c":
            values = values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise refuse(type(given).__name__) from None
    if values.dtype.kind == "c":
        raise refuse(say("complex numbers"))
    if values.ndim not in dimensions or len(values) != n:
        raise refuse(say("shape {shape}", shape=str(values.shape)))
    return values


def gained(value: Any, against: Any, way: Direction) -> Any:
    """By how much a value is better than another; NaN where the metric has no better side.

    Numbers, arrays and columns of frames are all taken.

    >>> gained(0.5, 0.25, "higher"), gained(0.5, 0.25, "lower"), gained(1.5, 0.75, "nearest_1")
    (0.25, -0.25, -0.25)
    >>> gained(0.5, 0.25, "none")
    nan
    """
    if way == "nearest_1":
        return abs(against - 1) - abs(value - 1)
    gain = against - value if way == "lower" else value - against
    return gain * float("nan") if way == "none" else gain


@dataclass(frozen=True)
class MetricRequest:
    """A metric, the fields that were stated for it, and the label it goes by.

    What was stated wins over the conventions of a call, of a profile and of an edition. A text states the
    fields that it names; a metric that is given as a value states those that differ from the default,
    so that equal metrics are the same wish. ``fixed`` are fields that the name itself means: f1 is fbeta
    with beta 1. ``profile`` is that of this metric alone, which wins over the call, and ``called`` the name
    that its library has for it.

    >>> from steelyard.metrics import NDCG
    >>> MetricRequest.of(NDCG(k=10, gain="exp2", ties="item_desc")).stated == {"k", "gain"}
    True
    """

    metric: Metric
    stated: frozenset[str]
    label: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict, compare=False)
    profile: str = ""
    called: str = ""

    @classmethod
    def of(cls, metric: Metric) -> MetricRequest:
        """A metric that was given as a value."""
        return cls(metric, frozenset(metric.differing()), str(metric))

    @property
    def heading(self) -> str:
        """The label where a library is named in it or its name for the metric; nothing otherwise."""
        return self.label if self.profile or self.called else ""

    @cached_property
    def need(self) -> Need:
        return self.metric.need(self.stated)

    def states(self, *fields: str) -> bool:
        return not self.stated.isdisjoint(fields)
