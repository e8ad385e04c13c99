"""Expected reciprocal rank."""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import choice, number
from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Hits, Ranked, places
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.base import RankingMetric, cutoff
from steelyard.metrics.ranking.gains import max_grade_field, with_highest_grade
from steelyard.metrics.registry import register
from steelyard.metrics.steps import Column, Line, sum_of
from steelyard.metrics.steps.lists import LIST, ListParts, read
from steelyard.text import say

_CERTAIN = 45  # e^-45 is below what a number resolves beside 1
_SHARED = say("the items of a tie share what it adds by their chances to stop.", key="shared_tie")


class Stops(NamedTuple):
    """Each hit: the chance to stop at it, to come as far as its tie, and what it adds to the value."""

    stop: Floats
    reach: Floats
    adds: Floats


@register("err", zh="期望倒数排名")
class ERR(RankingMetric):
    """How early a reader is satisfied, who reads from the top and stops at an item that satisfies.

    An item satisfies with chance ``(2^grade - 1) / 2^max_grade``. Over the first k, the sum of ``1 / rank``
    times the chance to stop there: to be satisfied by that item and by none above it; then the mean over
    queries. With ``decay`` the factor is ``decay^(rank - 1)`` instead, as in pFound. Never undefined: without
    a grade above 0 it is 0.

    Examples
    --------
    The highest grade is 1, so that half of the readers stop at a relevant item: 1/2 + 1/2 * 1/2 / 3

    >>> ERR(k=10).of([1, 0, 1]) == 1 / 2 + 1 / 2 * 1 / 2 / 3
    True

    Of grades up to 2, a 2 satisfies three readers of four:

    >>> ERR(k=10).of([2, 1]) == 3 / 4 + 1 / 4 * 1 / 4 / 2
    True

    pFound of chances to satisfy: a reader who is not satisfied by the first item reads on with chance 0.85.

    >>> ERR(stop="linear", max_grade=1, decay=0.85).of([0.5, 1]) == 0.5 + 0.85 * 0.5
    True
    """

    k: int | None = cutoff()
    max_grade: float | Literal["truth"] = max_grade_field()
    stop: Literal["exp2", "linear"] = choice(
        default="exp2",
        about="The chance that an item satisfies.",
        meaning={
            "exp2": "(2^grade - 1) / 2^max_grade (Chapelle et al. 2009)",
            "linear": "grade / max_grade",
        },
    )
    decay: float | None = number(
        default=None,
        meaning="the chance to read on after an item that does not satisfy (pFound)",
        above=0,
        at_most=1,
        words={"none": "stopping at a rank counts 1 / rank"},
        tries=(None, 0.85),
    )

    at = "required"
    undefined_when = ""
    monotone = True

    def for_truth(self, max_grade: float) -> Self:
        return with_highest_grade(self, max_grade)

    def per_query(self, ranked: Ranked) -> Floats:
        hits = ranked.hits.where(ranked.hits.grade > 0)
        return ranked.sum_by_query(hits.query, self.stops(hits, ranked).adds)

    def stops(self, hits: Hits, ranked: Ranked) -> Stops:
        highest = max(ranked.max_grade, 0.0) if self.max_grade == "truth" else float(self.max_grade)
        grade = np.maximum(hits.grade, 0.0)
        if self.stop == "exp2":
            stop = np.exp2(grade - highest) - np.exp2(-highest)
        else:
            stop = grade / (highest or 1.0)
        starts, sizes = hits.ties()
        tie = np.repeat(np.arange(len(starts)), sizes)
        passed = np.multiply.reduceat(1 - stop, starts) if len(starts) else np.ones(0)
        reach = _products_before(passed, hits.query[starts])[tie]

        within = hits.within(ranked.limit(self.k))
        worth = np.where(within > 0, stop * _worth(hits.before + 1, self.decay), 0.0)
        chosen = (hits.tied > 1) & (stop > 0)
        if chosen.any():
            total = np.bincount(tie, stop, minlength=len(starts))[tie]
            each = _open_ties(hits.where(chosen), within[chosen], stop[chosen], self.decay)
            worth[chosen] = each * ratio(stop[chosen], total[chosen])
        return Stops(stop, reach, reach * worth)

    def important(self, shown: ShownList) -> Flags:
        return shown.known > 0

    def list_parts(self, shown: ShownList) -> ListParts:
        some = read(shown, self.k)
        stops = self.stops(some.hits, shown.ranked)
        adds = (
            say("chance to stop here / rank", key="adds")
            if self.decay is None
            else say("chance to stop here · {decay:g}^(rank - 1)", key="adds", decay=self.decay)
        )
        columns = (
            Column.of(say("chance to satisfy", key="stop"), stops.stop, "decimal"),
            Column.of(say("chance to come here", key="reach"), stops.reach, "decimal"),
            Column.of(adds, stops.adds, "decimal"),
        )
        notes = (_SHARED,) if (some.tied > 1).any() else ()
        return ListParts(columns=columns, lines=(Line(sum_of(LIST, "adds")),), total=("adds",), notes=notes)


def _products_before(values: Floats, query: Ints) -> Floats:
    """The product of the earlier values of the same query, in passes of doubling length."""
    place = places(query)
    product = np.ones(len(values))
    product[place > 0] = values[np.flatnonzero(place > 0) - 1]
    step, longest = 1, place.max(initial=0)
    while step < longest:
        later = np.flatnonzero(place > step)
        product[later] *= product[later - step]
        step *= 2
    return product


def _worth(rank: Ints, decay: float | None) -> Floats:
    return 1 / rank if decay is None else np.power(decay, rank - 1.0)


def _open_ties(hits: Hits, within: Ints, stop: Floats, decay: float | None) -> Floats:
    """What the tie of each hit adds for a reader who reaches it, averaged over its orders.

    With u(j) the chance to have stopped in the first j places, this is
    ``sum of (u(j) - u(j - 1)) * worth(before + j)``, summed by parts so that nothing cancels.
    """
    starts, sizes = hits.ties()
    tied, before = hits.tied[starts], hits.before[starts]
    # u(j) is 1 to the last bit where j is so large that (1 - mean chance)^j is nothing
    mean = np.add.reduceat(stop, starts) / tied
    length = np.minimum(within[starts], np.ceil(1 - _CERTAIN / np.log1p(-np.clip(mean, 1e-300, 0.99))))
    length = length.astype(np.int64)
    owner = np.repeat(np.arange(len(starts)), length)
    place = places(owner) + 1
    stopped = np.zeros(len(owner))
    at = np.arange(len(owner))
    for number_in_tie in range(int(sizes.max())):  # one item more of each tie at a time
        at = at[number_in_tie < sizes[owner[at]]]
        chance = stop[starts[owner[at]] + number_in_tie]
        size = (tied - sizes)[owner[at]] + number_in_tie + 1
        j = place[at]
        above = np.where(j > 1, stopped[at - 1], 0.0)
        more = ((size - j) * stopped[at] + j * (chance + (1 - chance) * above)) / size
        stopped[at] = np.where(j <= size, more, 0.0)
    rank = before[owner] + place
    # the share that a rank is worth more than the next
    lost = 1 / (rank + 1.0) if decay is None else 1 - decay
    weight = _worth(rank, decay) * np.where(place == length[owner], 1.0, lost)
    value = np.bincount(owner, stopped * weight, minlength=len(starts))
    return np.repeat(value, sizes)
