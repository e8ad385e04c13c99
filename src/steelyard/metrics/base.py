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
from steelyard.engine.scored import RowSums
from steelyard.metrics.fields import Fields
from steelyard.metrics.steps import Parts, no_steps
from steelyard.text import Message, say

EDITION = "steelyard:2026"

Weighs = Literal["rows", "queries"]
Direction = Literal["higher", "lower", "nearest_1", "none"]
# from influence on a scale (score … logit), by order for medians, else by resampling units
Interval = Literal["score", "t", "log", "log_rest", "logit", "order", "percentile", "basic", "bca", "none"]

F = TypeVar("F", bound=Callable[..., Any])

FILL = {"zero": 0.0, "zero_seen": 0.0, "half": 0.5, "one": 1.0}
ABSTRACT_METHODS: dict[str, None] = {}  # names of methods that a subclass must define, in order


def abstract(*others: str) -> Callable[[F], F]:
    """Mark a method that every metric must define, unless it defines one of ``others``."""

    def mark(method: F) -> F:
        ABSTRACT_METHODS[method.__name__] = None
        method.renamed = others  # type: ignore[attr-defined]
        return method

    return mark


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Metric(Fields, Undefinable):
    """A metric as a value: frozen, hashable, with one text form and one full form.

    Fields that differ from their defaults win over the conventions of a call or a profile. Two optional
    methods save work. ``prepare(state)`` computes what the value and its influence share. ``redrawn(state)``
    returns a function from many draws of the units to values, with a row per value and a column per draw.
    """

    decimal_at: ClassVar[str] = ""  # the field that a number with a decimal point after @ states
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    direction: ClassVar[Direction] = "higher"  # which values are better
    limits: ClassVar[Interval] = "percentile"  # the default method for the interval
    biased: ClassVar[bool] = False  # whether a small sample alone makes the value larger or smaller
    tested: ClassVar[str] = "randomisation"  # the default test for two systems
    reads: ClassVar[Reads]  # what rows are reduced to before the formula sees them
    unit: ClassVar[str] = "rows"  # the units of a value: queries, rows or groups
    weighs: ClassVar[Weighs | None] = None  # what has weights; a slice is a share of them
    charts: ClassVar[tuple[str, ...]] = ()  # charts of this metric alone
    needs_judged_zeros: ClassVar[bool] = False  # whether it reads hits with a grade of 0
    always_told: ClassVar[tuple[str, ...]] = ()  # fields that a result shows even at their defaults
    untried: ClassVar[tuple[str, ...]] = ()  # fields that an explanation does not vary
    other_metric: ClassVar[Mapping[tuple[str, str], str]] = {}  # (field, word): the metric that text means

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

    def check(self) -> None:
        """Refuse, before any data is read, a combination of fields that has no value."""

    @abstract()
    def need(self, stated: Collection[str] = ()) -> Need:
        """The data that this metric reads; ``stated`` are the fields that the caller named."""
        raise NotImplementedError(f"{type(self).__name__} must define need")

    def for_truth(self, max_grade: float) -> Self:
        """The same metric, with fields that depend on the whole truth filled in."""
        return self

    def each(self, state: Any) -> Floats | None:
        """The value of each unit, such as a query; None if the value is not a mean over units."""
        return None

    def units(self, state: Any) -> pl.Series | None:
        """The names of those units."""
        return None

    @abstract()
    def measure(self, state: Any, each: Floats | None = None) -> Floats:
        """One value, or a row of values, per segment; ``each`` are the values of the units, if known."""
        raise NotImplementedError(f"{type(self).__name__} must define measure")

    def entries(self, state: Any) -> list[tuple[str | int, ...]]:
        """The name of each value of a row, such as its class; empty for one value per segment."""
        return []

    @abstract()
    def covered(self, state: Any, values: Floats, each: Floats | None = None) -> tuple[Ints, Ints]:
        """How many units each value uses, and how many it skips because they are undefined."""
        raise NotImplementedError(f"{type(self).__name__} must define covered")

    @property
    def monotone(self) -> bool:
        """Whether moving a better grade above a worse one never lowers the value; False if unknown."""
        return False

    @property
    def without_expected(self) -> str:
        """Why ``ties=expected`` is not supported; empty if it is."""
        return ""

    @property
    def undefined_when(self) -> str:
        """When the value is undefined, as a clause of a sentence; empty if never."""
        return say("there is nothing to divide by")

    @property
    def pooled(self) -> bool:
        """Whether sums over all queries are divided once."""
        return getattr(self, "pooling", "query") == "pooled"

    def within(self) -> tuple[float, float]:
        """The smallest and the largest possible value, given the fields."""
        return self.bounds

    def interval(self) -> Interval:
        """The default method for the interval."""
        return self.limits

    def influence(self, state: Any, values: Floats, each: Floats | None = None) -> Influence | None:
        """How much each unit moves the values of ``measure``; None if unknown."""
        return None

    def reduced_to(self, state: Any) -> RowSums | Literal["groups"] | None:
        """The sums over rows, or values of groups, that it is made of; None if it needs the rows."""
        return None

    def facts(self, state: Any, label: str = "") -> list[Message]:
        """Notes about the value; ``label`` is the name of the metric in them."""
        return []

    def support(self, state: Any) -> Mapping[str, Floats | Ints] | None:
        """What the value of each segment uses, by name, such as the number of groups."""
        return None

    def extra_figures(self, state: Any) -> Mapping[str, Floats]:
        """Further figures of each segment that readings of the value use, by name."""
        return {}

    def told_fields(self) -> tuple[str, ...]:
        """The fields that a result states even where they are defaults."""
        return self.always_told

    def steps(self, state: Any) -> Parts:
        """The steps that lead to a value, as ``explain`` shows them; by default the value alone."""
        return no_steps(self.name, self.measure(state)[0])

    def idle(self, state: Any) -> set[str]:
        """The fields that cannot matter for this data; an explanation leaves them out."""
        return set()

    def without_effect(self, state: Any) -> set[str]:
        """The fields that change no value on this data, shown or not."""
        return self.idle(state)

    def choices(self, state: Any) -> list[tuple[str, Any]]:
        """The alternatives that an explanation tries, each a field and a value."""
        return [
            (field.name, value)
            for field in self.own_fields()
            if field.name not in self.untried
            for value in conventions.tries(field, state)
            if value != getattr(self, field.name)
        ]


def checked_values(
    result: Any, n: int, refuse: Callable[[Message | str], Exception], *, dimensions: Collection[int] = (1,)
) -> Floats:
    """The result of a metric's formula as ``n`` numbers, or an error from ``refuse``."""
    if np.ma.is_masked(result):
        raise refuse(say("masked values"))
    try:
        values = np.asarray(result)
        if not np.iscomplexobj(values):
            values = values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise refuse(type(result).__name__) from None
    if np.iscomplexobj(values):
        raise refuse(say("complex numbers"))
    if values.ndim not in dimensions or len(values) != n:
        raise refuse(say("shape {shape}", shape=str(values.shape)))
    return values


def gained(value: Any, against: Any, way: Direction) -> Any:
    """How much better a value is than another; NaN for a metric without a better direction.

    Takes numbers, arrays and columns of frames.

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
    """A metric, the fields that the user stated for it, and its label.

    A stated field wins over the conventions of a call, a profile and an edition. A text states the fields
    that it names. A metric object states the fields that differ from their defaults. ``fixed`` are fields
    that the name implies: f1 is fbeta with beta 1. ``profile`` holds for this metric alone and wins over
    the call; ``called`` is the name that its library uses.

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
        return cls(metric, frozenset(metric.differing()), str(metric))

    @property
    def heading(self) -> str:
        """The label if it names a library or uses a library's name; else empty."""
        return self.label if self.profile or self.called else ""

    @cached_property
    def need(self) -> Need:
        return self.metric.need(self.stated)

    def states(self, *fields: str) -> bool:
        return not self.stated.isdisjoint(fields)
