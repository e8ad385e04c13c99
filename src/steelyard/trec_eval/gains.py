"""Measures in which each grade has a gain: the grade itself, or what a parameter gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine.ranked import best_first, places
from steelyard.kernels.means import ratio
from steelyard.trec_eval.topics import Topics


@dataclass(frozen=True)
class Gained:
    """The gains of the judged documents that were retrieved, and those of the best order there is.

    A gain may be 0 or negative, and grade 0 may have one; the best order has the positive ones alone. What
    was not judged has none. No metric of Steelyard has such gains, so that what is made of them stands here.
    """

    topics: Topics
    of_grade: Mapping[int, float]

    @cached_property
    def query(self) -> Ints:
        """The topic of each judged document that was retrieved."""
        return self.topics.graded.hits.query

    @cached_property
    def before(self) -> Ints:
        """How many documents stand above it."""
        return self.topics.graded.hits.before

    @cached_property
    def gain(self) -> Floats:
        """What it is worth."""
        return self._gains(self.topics.graded.hits.grade)

    @cached_property
    def ideal(self) -> tuple[Ints, Floats, Ints]:
        """The positive gains of all judged documents, best first: their topics, gains and places."""
        judged = self.topics.graded
        gain = self._gains(judged.judged_grade)
        query, gain = best_first(judged.judged_query[gain > 0], gain[gain > 0])
        return query, gain, places(query)

    def _gains(self, grade: Floats) -> Floats:
        gain = np.maximum(grade, 0.0)
        for level, given in self.of_grade.items():
            gain[grade == level] = given
        return gain

    def added(self, query: Ints, values: Floats) -> Floats:
        """Values added up by topic."""
        return self.topics.sums(query, values)

    @cached_property
    def worth(self) -> Floats:
        """The discounted gain of each document."""
        return discounted(self.gain, self.before)

    @cached_property
    def ideal_worth(self) -> Floats:
        """The same of the best order."""
        _, gain, place = self.ideal
        return discounted(gain, place)

    def dcg(self) -> Floats:
        """The discounted gains of each topic."""
        return self.added(self.query, self.worth)

    def ideal_dcg(self) -> Floats:
        """The same of the best order."""
        return self.added(self.ideal[0], self.ideal_worth)

    def ndcg(self) -> Floats:
        """The discounted gains as a share of those of the best order; 0 where these are 0."""
        return share_of(self.dcg(), self.ideal_dcg())

    def ndcg_rel(self) -> Floats:
        """The nDCG at the rank of each document with a gain, averaged over all of them there are.

        One that was not retrieved counts with the nDCG of the whole list.
        """
        query, _, _ = self.ideal
        there_are = self.added(query, np.ones(len(query)))
        gained = self.gain > 0
        here = running(self.query, self.worth)[gained]
        ideal_here = self._ideal_sum_at(self.ideal_worth, self.before + 1)[gained]
        counted = self.query[gained]
        lost = there_are - self.added(counted, np.ones(len(counted)))
        total = self.added(counted, share_of(here, ideal_here)) + lost * self.ndcg()
        return share_of(np.maximum(total, 0.0), there_are)

    def at_steps(self) -> Floats:
        """The nDCG wherever the gain of the best order falls, averaged.

        The end of the list counts too, where it comes more than one document after the last of these.
        """
        query, gain, place = self.ideal
        many = np.bincount(query, minlength=self.topics.n)
        last = np.ones(len(query), bool)
        last[:-1] = (query[1:] != query[:-1]) | (gain[1:] != gain[:-1])
        step = places(query[last])
        total, steps = np.zeros(self.topics.n), np.zeros(self.topics.n)
        for number in range(int(step.max(initial=-1)) + 1):  # as many as there are different gains
            at = np.flatnonzero(last)[step == number]
            cut = np.zeros(self.topics.n, np.int64)
            cut[query[at]] = place[at] + 1
            total += share_of(*self._sums_before(cut))
            steps += cut > 0
        longer = self.topics.retrieved > many + 1
        total += np.where(longer, self.ndcg(), 0.0)
        steps += longer & (many > 0)
        return np.where(self.topics.relevant > 0, share_of(total, steps), 0.0)

    def _sums_before(self, cut: Ints) -> tuple[Floats, Floats]:
        """The discounted gains of the first documents of each topic, and those of the best order."""
        query, _, place = self.ideal
        here = self.added(self.query, self.worth * (self.before < cut[self.query]))
        return here, self.added(query, self.ideal_worth * (place < cut[query]))

    def normalised_gain(self) -> Floats:
        """Each gain divided by the logarithm of what a reader has spent and not got back by then.

        A document costs its gain in the best order, and 1 at least. The sum is divided by all gains.
        """
        query, gain, _ = self.ideal
        cost = self.before + 1.0 + self._ideal_sum_at(np.maximum(gain - 1.0, 0.0), self.before + 1)
        spent = 2.0 + cost - running(self.query, self.gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.gain == 0, 0.0, self.gain / np.log2(spent))
        return share_of(self.added(self.query, each), self.added(query, gain))

    def _ideal_sum_at(self, values: Floats, rank: Ints) -> Floats:
        """For each retrieved document the values of the best order down to some rank, added up."""
        query, _, _ = self.ideal
        so_far = np.append(running(query, values), 0.0)
        many = np.bincount(query, minlength=self.topics.n)
        first = np.cumsum(many) - many
        taken = np.minimum(rank, many[self.query])
        return np.where(taken > 0, so_far[first[self.query] + taken - 1], 0.0)

    def scaled(self) -> Floats:
        """The gains from 0 to 1 wherever those of a topic go beyond: its least is 0 then, its greatest 1.

        A topic has every level from 0 to its highest grade, and those that were given a gain.
        """
        judged = self.topics.graded
        known = judged.judged_grade >= 0
        highest = np.full(self.topics.n, -1.0)
        np.maximum.at(highest, judged.judged_query[known], judged.judged_grade[known])
        lowest = next(level for level in count() if level not in self.of_grade)
        for level in sorted(self.of_grade, reverse=True):  # the gain of any other level is the level itself
            highest = np.where(highest == level, level - 1.0, highest)
        given = list(self.of_grade.values())
        least = np.where(highest >= lowest, lowest, np.inf).clip(max=min(given, default=np.inf))
        greatest = np.where(highest >= lowest, highest, -np.inf).clip(min=max(given, default=-np.inf))
        beyond = ((least < 0) | (greatest > 1))[self.query]
        with np.errstate(invalid="ignore"):
            scaled = (self.gain - least[self.query]) / (greatest - least)[self.query]
        return np.where(beyond & (self.topics.graded.hits.grade >= 0), scaled, self.gain)


def discounted(gain: Floats, before: Ints) -> Floats:
    """A gain below so many others; the metrics multiply by a discount, which rounds otherwise."""
    worth: Floats = gain / np.log2(before + 2.0)
    return worth


def running(query: Ints, values: Floats) -> Floats:
    """The sum of the values of each topic so far, one after the other.

    >>> running(np.array([0, 0, 1]), np.array([0.5, 0.25, 2.0]))
    array([0.5 , 0.75, 2.  ])
    """
    frame = pl.DataFrame({"query": query, "values": values})
    return frame.select(pl.col("values").cum_sum().over("query")).to_series().to_numpy()


def share_of(part: Floats, whole: Floats | Ints) -> Floats:
    """A quotient, 0 where there is nothing to divide by.

    >>> share_of(np.array([1.0, 1.0]), np.array([4, 0]))
    array([0.25, 0.  ])
    """
    return np.nan_to_num(ratio(part, whole))
