"""Measures in which each grade has a gain: the grade itself, or what a parameter gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

    A gain may be 0 or negative, and grade 0 may have one; the best order has the positive ones alone, best
    first. What was not judged has none. ``worth`` is a gain with its discount. No metric has such
    gains, and they multiply by a discount, which rounds otherwise.
    """

    topics: Topics
    of_grade: Mapping[int, float]
    query: Ints
    before: Ints
    gain: Floats
    worth: Floats
    ideal_query: Ints
    ideal_gain: Floats
    ideal_place: Ints
    ideal_worth: Floats

    @classmethod
    def of(cls, topics: Topics, of_grade: Mapping[int, float]) -> Gained:
        hits, judged = topics.graded.hits, topics.graded.judged_grade
        gain, best = np.maximum(hits.grade, 0.0), np.maximum(judged, 0.0)
        for level, given in of_grade.items():
            gain[hits.grade == level] = given
            best[judged == level] = given
        query, best = best_first(topics.graded.judged_query[best > 0], best[best > 0])
        place = places(query)
        worth, most = gain / np.log2(hits.before + 2.0), best / np.log2(place + 2.0)
        return cls(topics, of_grade, hits.query, hits.before, gain, worth, query, best, place, most)

    @property
    def dcg(self) -> Floats:
        return self.topics.sums(self.query, self.worth)

    @property
    def ideal_dcg(self) -> Floats:
        return self.topics.sums(self.ideal_query, self.ideal_worth)

    def ndcg(self) -> Floats:
        """The discounted gains as a share of those of the best order; 0 where these are 0."""
        return share_of(self.dcg, self.ideal_dcg)

    def ndcg_rel(self) -> Floats:
        """The nDCG at the rank of each document with a gain, averaged over all of them there are.

        One that was not retrieved counts with the nDCG of the whole list.
        """
        there_are = self.topics.sums(self.ideal_query, np.ones(len(self.ideal_query)))
        gained = self.gain > 0
        here = running(self.query, self.worth)[gained]
        ideal_here = self._ideal_sums(self.ideal_worth)[gained]
        counted = self.query[gained]
        lost = there_are - self.topics.sums(counted, np.ones(len(counted)))
        total = self.topics.sums(counted, share_of(here, ideal_here)) + lost * self.ndcg()
        return share_of(np.maximum(total, 0.0), there_are)

    def at_steps(self) -> Floats:
        """The nDCG wherever the gain of the best order falls, averaged.

        The end of the list counts too, where it comes more than one document after the last of these.
        """
        query, gain, place = self.ideal_query, self.ideal_gain, self.ideal_place
        many = np.bincount(query, minlength=self.topics.n)
        last = np.ones(len(query), bool)
        last[:-1] = (query[1:] != query[:-1]) | (gain[1:] != gain[:-1])
        step = places(query[last])
        total, steps = np.zeros(self.topics.n), np.zeros(self.topics.n)
        for number in range(int(step.max(initial=-1)) + 1):  # as many as there are different gains
            at = np.flatnonzero(last)[step == number]
            cut = np.zeros(self.topics.n, np.int64)
            cut[query[at]] = place[at] + 1
            here = self.topics.sums(self.query, self.worth * (self.before < cut[self.query]))
            total += share_of(here, self.topics.sums(query, self.ideal_worth * (place < cut[query])))
            steps += cut > 0
        longer = self.topics.retrieved > many + 1
        total += np.where(longer, self.ndcg(), 0.0)
        steps += longer & (many > 0)
        return np.where(self.topics.relevant > 0, share_of(total, steps), 0.0)

    def normalised_gain(self) -> Floats:
        """Each gain divided by the logarithm of what a reader has spent and not got back by then.

        A document costs its gain in the best order, and 1 at least. The sum is divided by all gains.
        """
        cost = self.before + 1.0 + self._ideal_sums(np.maximum(self.ideal_gain - 1.0, 0.0))
        spent = 2.0 + cost - running(self.query, self.gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.gain == 0, 0.0, self.gain / np.log2(spent))
        return share_of(
            self.topics.sums(self.query, each), self.topics.sums(self.ideal_query, self.ideal_gain)
        )

    def _ideal_sums(self, values: Floats) -> Floats:
        """For each retrieved document the values of the best order down to its rank, added up."""
        so_far = np.append(running(self.ideal_query, values), 0.0)
        many = np.bincount(self.ideal_query, minlength=self.topics.n)
        first = np.cumsum(many) - many
        taken = np.minimum(self.before + 1, many[self.query])
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
