"""What the gain metrics share: a grade becomes a gain, a rank becomes a discount."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice, number, plain
from steelyard.engine.memory import ShownList, rank_texts
from steelyard.engine.ranked import Hits, Ranked, places
from steelyard.kernels.count import discount_sum, discounts
from steelyard.metrics.ranking.base import RankingMetric, cutoff
from steelyard.metrics.steps import Column, Line, Of, Steps
from steelyard.metrics.steps.lists import LIST, ListParts, limited, read
from steelyard.text import Message, say
from steelyard.text.errors import asking, measuring

AnyRanking = TypeVar("AnyRanking", bound=RankingMetric)
Discount = Literal["log2", "jarvelin"]

GAINS = {
    "linear": "the grade itself (Järvelin and Kekäläinen 2002)",
    "exp2": "2^grade - 1 (Burges et al. 2005)",
    "binary": "1 for every grade above 0",
}
_LARGEST_EXP2 = 1023
_LARGEST_SQUARED = 1e150  # intervals take squares of values

IDEAL = say("best order", key="ideal")
DCG_OF_LIST = Of(LIST, "contribution", named=say("DCG"))
IDEAL_DCG = Of(IDEAL, "contribution", named=say("ideal DCG"))


def discount_choice() -> Any:
    return choice(
        default="log2",
        meaning={
            "log2": "1 / log2(rank + 1)",
            "jarvelin": "1 for ranks 1 and 2, then 1 / log2(rank) (Järvelin and Kekäläinen 2002)",
        },
    )


def max_grade_field(**words: str) -> Any:
    return number(
        default="truth",
        meaning="the highest grade there is",
        above=0,
        words={"truth": "the highest grade in the whole truth", **words},
    )


def with_highest_grade(metric: AnyRanking, highest: float) -> AnyRanking:
    """The metric with ``max_grade`` from the whole truth; a stated one must not be lower."""
    stated = metric.values()["max_grade"]
    if stated == "truth":
        return metric.replace(max_grade=highest) if highest > 0 else metric
    if stated != "query" and highest > stated:
        raise measuring.grade_above_maximum(label=str(metric), grade=plain(highest), maximum=plain(stated))
    return metric


def _pairs(text: str) -> list[list[str]]:
    return [pair.split(":") for pair in text.split("/")]


def mapping_text(owner: str, value: object) -> str | None:
    """A mapping from grade to gain as text, by ascending grade; None if it is not a mapping."""
    if not isinstance(value, Mapping) and ":" not in str(value):
        return None
    allowed = say(
        "{words} or a mapping such as 1:3/2:9 with grades above 0 and gains of 0 or more",
        words=[repr(word) for word in GAINS],
    )
    try:
        pairs = list(value.items()) if isinstance(value, Mapping) else _pairs(str(value))
        mapping = {float(grade): float(gain) for grade, gain in pairs}
    except (TypeError, ValueError):
        raise asking.bad_value(owner, "gain", value, allowed) from None
    fits = all(0 < grade < math.inf and 0 <= gain < math.inf for grade, gain in mapping.items())
    if not mapping or not fits or len(mapping) < len(pairs):
        raise asking.bad_value(owner, "gain", value, allowed)
    return "/".join(f"{plain(grade)}:{plain(gain)}" for grade, gain in sorted(mapping.items()))


class IdealItems(NamedTuple):
    """The items of an ideal by query, best grade first, and how many of each query count."""

    query: Ints
    grade: Floats
    limit: Floats | float


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class GainMetric(RankingMetric):
    """A metric that adds up gains; a grade of 0 or less has none.

    ``gain`` is also given as a mapping from grade to gain: ``{1: 3, 2: 9}``, in text ``gain=1:3/2:9``.
    """

    k: int | None = cutoff()
    gain: str = choice(default="linear", meaning=GAINS, other=mapping_text)

    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    shares_places: ClassVar[bool] = True

    @property
    def monotone(self) -> bool:
        """Whether a better grade is never worth less."""
        gains = [] if self.gain in GAINS else [gain for _, gain in self._mapping()]
        return gains == sorted(gains)

    def _mapping(self) -> list[tuple[float, float]]:
        return [(float(grade), float(gain)) for grade, gain in _pairs(self.gain)]

    def gains(self, grade: Floats) -> Floats:
        if self.gain == "linear":
            return np.maximum(grade, 0.0)
        if self.gain == "binary":
            return (grade > 0).astype(np.float64)
        if self.gain == "exp2":
            largest = grade.max(initial=0.0)
            if largest > _LARGEST_EXP2:
                raise measuring.gain_overflows(label=str(self), grade=plain(float(largest)))
            return np.exp2(np.maximum(grade, 0.0)) - 1.0
        known, gain = (np.array(column) for column in zip(*self._mapping(), strict=True))
        at = np.searchsorted(known, grade)
        matched = known[np.minimum(at, len(known) - 1)] == grade
        if not np.all(matched | (grade <= 0)):
            raise measuring.grade_without_gain(
                label=str(self), grade=plain(float(grade[~matched & (grade > 0)][0]))
            )
        return np.where(grade > 0, gain[np.minimum(at, len(known) - 1)], 0.0)

    def discounted(self, ranked: Ranked, discount: str) -> Floats:
        """The sum of discounted gains of the first k per query, in expectation over open ties."""
        hits = ranked.hits
        with np.errstate(over="ignore"):
            worth = self.contributions(hits, hits.within(ranked.limit(self.k)), discount)
        return self.finite(ranked.sum_by_query(hits.query, worth), ranked.max_grade)

    def finite(self, total: Floats, highest: float) -> Floats:
        """Sums of gains, refused where they, or the squares of unbounded values, are no number."""
        largest = _LARGEST_SQUARED if math.isinf(self.bounds[1]) else np.finfo(np.float64).max
        if (total > largest).any():
            raise measuring.gain_overflows(label=str(self), grade=plain(highest))
        return total

    def contributions(self, hits: Hits, within: Ints, discount: str) -> Floats:
        """The gain times the discount of each hit, averaged over the places of an open tie."""
        return self.gains(hits.grade) * summed_discounts(hits.before, within, discount) / hits.tied

    def best_possible(self, ranked: Ranked, discount: str, items: IdealItems) -> Floats:
        query, _, gain, weight = self.best_order(discount, items)
        return self.finite(ranked.sum_by_query(query, gain * weight), ranked.max_grade)

    def best_order(self, discount: str, items: IdealItems) -> tuple[Ints, Floats, Floats, Floats]:
        """Query, grade, gain and discount of the items in their best order; 0 beyond the limit."""
        query, grade, gain = items.query, items.grade, self.gains(items.grade)
        if self.gain not in GAINS:
            order = np.lexsort((-gain, query))
            query, grade, gain = query[order], grade[order], gain[order]
        place = places(query)
        cut = items.limit[query] if isinstance(items.limit, np.ndarray) else items.limit
        weight = np.where(place < cut, discounts(place + 1, discount), 0.0)
        return query, grade, gain, weight

    def important(self, shown: ShownList) -> Flags:
        return self.gains(shown.known) > 0

    def discounted_parts(self, shown: ShownList, discount: str) -> ListParts:
        some = read(shown, self.k)
        within = some.within(self.k)
        worth = self.contributions(some.hits, within, discount)
        each = summed_discounts(some.before, within, discount) / some.tied
        columns = (
            *_products(self.gains(some.known), each, worth),
            Column.of(say("running"), np.cumsum(worth), "decimal"),
        )
        total, name = ("contribution",), DCG_OF_LIST.named
        return ListParts(columns=columns, lines=(Line(DCG_OF_LIST),), total=total, total_name=name)

    def best_steps(self, discount: str, items: IdealItems) -> Steps:
        _, grade, gain, weight = self.best_order(discount, items)
        counted = weight > 0
        place = np.arange(int(counted.sum()))
        return ideal_steps(place, np.ones_like(place), grade[counted], gain[counted], weight[counted])


def ideal_steps(before: Ints, tied: Ints, grade: Floats, gain: Floats, discount: Floats) -> Steps:
    table = Steps(
        name=IDEAL,
        columns=(
            Column.of(say("rank"), rank_texts(before, tied), "rank"),
            Column.of(say("grade"), grade),
            *_products(gain, discount, gain * discount),
        ),
        total=("contribution",),
        total_name=IDEAL_DCG.named,
        beside=True,
        spare=("discount",),  # the list beside it has them
    )
    return limited(table, gain > 0)


def _products(gain: Floats, discount: Floats, worth: Floats) -> list[Column]:
    return [
        Column.of(say("gain"), gain),
        Column.of(say("discount"), discount, "decimal"),
        Column.of(say("gain × discount", key="contribution"), worth, "decimal"),
    ]


def judged_notes(shown: ShownList) -> tuple[Message, ...]:
    missing = len(shown.ranked.judged_grade) - int((shown.known != 0).sum())
    note = say("graded items that were judged but not shown: {n:,}.", key="not_retrieved", n=missing)
    return (note,) if missing > 0 else ()


def summed_discounts(before: Ints, within: Ints, discount: str) -> Floats:
    if within.max(initial=0) <= 1:
        return discount_sum(before, within, discount)
    # the hits of one tie share its sum, and so do like ties of other queries
    kinds, kind = np.unique(np.stack((before, within)), axis=1, return_inverse=True)
    return discount_sum(kinds[0], kinds[1], discount)[kind.reshape(-1)]
