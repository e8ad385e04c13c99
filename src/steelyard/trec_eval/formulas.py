"""The value of each measure for every topic: by a metric of Steelyard where there is one, else by a formula.

Values are printed with four decimals, so the last bit of a sum shows where a value ends in a 5. Average
precision and F are therefore computed in trec_eval's order; the metrics round differently in that bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine.ranked import best_first, places
from steelyard.kernels.means import ratio
from steelyard.metrics.ranking.bpref import Bpref
from steelyard.metrics.ranking.hit_rate import HitRate
from steelyard.metrics.ranking.infap import InfAP
from steelyard.metrics.ranking.iprecision import Rounding, best_precision, hits_needed
from steelyard.metrics.ranking.mrr import MRR
from steelyard.metrics.ranking.ndcg import NDCG
from steelyard.metrics.ranking.precision import PrecisionAt
from steelyard.metrics.ranking.r_precision import RPrecision
from steelyard.metrics.ranking.recall import RecallAt
from steelyard.text.errors import as_trec_eval
from steelyard.trec_eval.files import places_among
from steelyard.trec_eval.measures import FLOOR, MEASURES, OF_PREFERENCES, MeasureAsked
from steelyard.trec_eval.topics import Preferred, Topics

Formula = Callable[[Topics, MeasureAsked], Floats]
AtEach = Callable[[Topics, float], Floats]  # for one parameter


def values(topics: Topics, asked: MeasureAsked) -> Iterator[Floats]:
    name = asked.measure.of or asked.name
    if not asked.measure.of:
        yield from _values(topics, name, asked)
        return
    of_judges = [_values(judge, name, asked) for judge in topics.judges]
    places = [places_among(judge.names, topics.names) for judge in topics.judges]
    for each in zip(*of_judges, strict=True):  # the mean over the judges
        total, n_judges = np.zeros(topics.n), np.zeros(topics.n)
        for place, value in zip(places, each, strict=True):
            total[place] += value
            n_judges[place] += 1
        yield share_of(total, n_judges)


def _values(topics: Topics, name: str, asked: MeasureAsked) -> list[Floats]:
    if name in _AT_EACH:
        return [_AT_EACH[name](topics, parameter) for parameter in asked.values]
    return [_ALONE[name](topics, asked)]


def relstrings(topics: Topics, asked: MeasureAsked) -> list[str]:
    """One sign per document, for the first documents of each topic: its grade, or a minus if not judged."""
    hits, length = topics.graded.hits, max(int(asked.values[0]), 0)
    length = min(length, int(topics.retrieved.max(initial=0)))
    first = hits.before < length
    grade = hits.grade[first].astype(np.int64)
    signs = np.full((topics.n, length), "-")
    signs[hits.query[first], hits.before[first]] = np.select(
        [grade > 9, grade < 0], [">", "."], grade.astype("U1")
    )
    return ["".join(row[:n]) for row, n in zip(signs.tolist(), topics.retrieved.tolist(), strict=True)]


def _average_precision(topics: Topics, k: float = np.inf) -> Floats:
    return share_of(_precisions(topics, k), topics.relevant)


def _precisions(topics: Topics, k: float = np.inf) -> Floats:
    groups = topics.relevance.groups(1)
    precision = (groups.relevant_before + 1) / (groups.before + 1)
    return topics.sums(groups.query, precision * (groups.before < k))


def _logarithm(value: Floats) -> Floats:
    return np.log(np.maximum(value, FLOOR))


def _bpref(topics: Topics) -> Floats:
    return Bpref(undefined="zero").each(topics.relevance)


def _precision_at_recall(topics: Topics, share: float) -> Floats:
    rounding: Rounding = "trec9" if topics.conventions.edition == 9 else "trec10"
    return best_precision(topics.relevance, hits_needed(share, topics.relevant, rounding), 1)


def _mean_precision_at_recalls(topics: Topics, asked: MeasureAsked) -> Floats:
    """The mean over any recalls; the metric has eleven, and adds from the other end."""
    recalls = sorted(asked.values, reverse=True)
    total = sum((_precision_at_recall(topics, recall) for recall in recalls), np.zeros(topics.n))
    return total / len(recalls)


def _precision_at_multiple(topics: Topics, share: float) -> Floats:
    """Precision at a multiple of the number of relevant documents."""
    cut = np.floor(share * topics.relevant + 0.9)
    groups = topics.relevance.groups(1)
    return share_of(topics.sums(groups.query, groups.before < cut[groups.query]), cut)


def _utility(topics: Topics, asked: MeasureAsked) -> Floats:
    if len(asked.values) != 4:
        raise as_trec_eval.not_four_numbers(n=len(asked.values))
    found, relevant, retrieved = topics.found, topics.relevant, topics.retrieved
    rest = topics.conventions.collection + found - retrieved - relevant
    counts = (found, retrieved - found, relevant - found, rest)
    parts = (worth * count for worth, count in zip(asked.values, counts, strict=True))
    return np.where(topics.missing, 0.0, sum(parts, np.zeros(topics.n)))


def _binary_gain(topics: Topics) -> Floats:
    """The mean over relevant documents of 1 divided by the logarithm of the nonrelevant ones above."""
    groups = topics.relevance.groups(1)
    others = groups.before - groups.relevant_before
    return share_of(topics.sums(groups.query, 1.0 / np.log2(2.0 + others)), topics.relevant)


def _set_f(topics: Topics, asked: MeasureAsked) -> Floats:
    precision, recall = share_of(topics.found, topics.retrieved), share_of(topics.found, topics.relevant)
    x = asked.values[0]
    return share_of((x + 1.0) * precision * recall, x * precision + recall)


def _yaap(topics: Topics) -> Floats:
    total = _precisions(topics)
    return np.log((1.0 + total) / (1.0 + topics.relevant - total))


def _judged(topics: Topics, k: float = np.inf) -> Floats:
    hits = topics.graded.hits
    return topics.sums(hits.query, (hits.grade >= 0) & (hits.before < k))


def _rank_biased(topics: Topics, asked: MeasureAsked) -> Floats:
    """Rank-biased precision; unlike the metric with gains of grade 0, negative gains and no normalisation."""
    gained = _gained(topics, asked)
    weight = _chances(topics, asked.p)[gained.before]
    return (1.0 - asked.p) * topics.sums(gained.query, gained.scaled() * weight)


def _rank_biased_rest(topics: Topics, asked: MeasureAsked) -> Floats:
    """How much higher RBP could be if all unjudged documents had the highest grade; 0 without any."""
    hits, retrieved, chances = topics.graded.hits, topics.retrieved, _chances(topics, asked.p)
    query = np.repeat(np.arange(topics.n), retrieved)
    weight = chances[places(query)]
    first = np.cumsum(retrieved) - retrieved
    weight[(first[hits.query] + hits.before)[hits.grade >= 0]] = 0.0
    rest = chances[retrieved] + (1.0 - asked.p) * topics.sums(query, weight)
    return np.where(retrieved > _judged(topics), rest, 0.0)


def _chances(topics: Topics, p: float) -> Floats:
    """The chance that a reader reaches each rank, multiplied rank by rank as trec_eval does."""
    return np.append(1.0, np.full(topics.retrieved.max(initial=0), p)).cumprod()


def _gained(topics: Topics, asked: MeasureAsked) -> Gained:
    return Gained.of(topics, asked.gains(topics.conventions.edition))


def _of_preferences(topics: Topics, asked: MeasureAsked) -> Floats:
    """How many preferences are fulfilled, or which share: of all, of each pair, of each judge's."""
    preferred = topics.preferred
    assert preferred is not None  # the format of the judgements was checked
    counts = preferred.counts
    _, kind, *kept = asked.name.split("_")
    if kind == "num":
        count = {"poss": "possible", "ful": "fulfilled", "ful_ret": "fulfilled_ret"}["_".join(kept[1:])]
        return preferred.by_topic(counts[count])
    if "Rnonrel" in kept:
        return _with_as_many(preferred, "_ret" if "ret" in kept else "")
    suffix = f"_{kept[0]}" if kept else ""
    fulfilled, possible = "fulfilled_ret" if suffix == "_ret" else "fulfilled", f"possible{suffix}"
    if kind == "pair":
        return share_of(preferred.pairs[fulfilled], preferred.pairs[possible])
    if kind == "simp":
        return share_of(preferred.by_topic(counts[fulfilled]), preferred.by_topic(counts[possible]))
    return _mean_share(preferred, counts[fulfilled], counts[possible])


def _mean_share(preferred: Preferred, fulfilled: Ints, possible: Ints) -> Floats:
    """The mean share of the judges; one without preferences counts 0."""
    shares = share_of(fulfilled.astype(np.float64), possible)
    return preferred.by_topic(shares) / preferred.by_topic(np.ones(len(shares)))


def _with_as_many(preferred: Preferred, suffix: str) -> Floats:
    """The mean share of the judges with as many nonrelevant documents as relevant ones.

    Missing ones stand behind all retrieved documents. A topic is 0 if one of its judges has no preference
    left.
    """
    names = ("relevant", "nonrelevant", "fulfilled", "possible", "fulfilled_limited", "possible_limited")
    relevant, others, *counts = (preferred.counts[f"{name}{suffix}"] for name in names)
    lacking = relevant - others
    fulfilled = np.where(lacking < 0, counts[2], counts[0] + preferred.counts["relevant_ret"] * lacking)
    possible = np.where(lacking < 0, counts[3], counts[1] + preferred.counts["relevant"] * lacking)
    none = preferred.by_topic((possible == 0).astype(np.float64)) > 0
    return np.where(none, 0.0, _mean_share(preferred, fulfilled, possible))


_ALONE: dict[str, Formula] = {
    "num_q": lambda topics, _: np.ones(topics.n),
    "num_ret": lambda topics, _: topics.retrieved.astype(np.float64),
    "num_rel": lambda topics, _: topics.relevant,
    "num_rel_ret": lambda topics, _: topics.found,
    "num_nonrel_judged_ret": lambda topics, _: _judged(topics) - topics.found,
    "map": lambda topics, _: _average_precision(topics),
    "gm_map": lambda topics, _: _logarithm(_average_precision(topics)),
    "yaap": lambda topics, _: _yaap(topics),
    "Rprec": lambda topics, _: RPrecision(undefined="zero").each(topics.relevance),
    "bpref": lambda topics, _: _bpref(topics),
    "gm_bpref": lambda topics, _: _logarithm(_bpref(topics)),
    "recip_rank": lambda topics, _: MRR(undefined="zero").each(topics.relevance),
    "infAP": lambda topics, _: InfAP(undefined="zero").each(topics.relevance),
    "11pt_avg": _mean_precision_at_recalls,
    "utility": _utility,
    "binG": lambda topics, _: _binary_gain(topics),
    "G": lambda topics, asked: _gained(topics, asked).normalised_gain(),
    "dcg": lambda topics, asked: _gained(topics, asked).dcg,
    "ideal_dcg": lambda topics, asked: _gained(topics, asked).ideal_dcg,
    "ndcg": lambda topics, asked: _gained(topics, asked).ndcg(),
    "ndcg_rel": lambda topics, asked: _gained(topics, asked).ndcg_rel(),
    "Rndcg": lambda topics, asked: _gained(topics, asked).at_steps(),
    "set_P": lambda topics, _: share_of(topics.found, topics.retrieved),
    "set_recall": lambda topics, _: share_of(topics.found, topics.relevant),
    "set_relative_P": lambda topics, _: share_of(topics.found, np.minimum(topics.retrieved, topics.relevant)),
    "set_map": lambda topics, _: share_of(topics.found * topics.found, topics.retrieved * topics.relevant),
    "set_F": _set_f,
    "rbp": _rank_biased,
    "rbp_resid": _rank_biased_rest,
    **dict.fromkeys((one.name for one in MEASURES if one.formats == OF_PREFERENCES), _of_preferences),
}
_AT_EACH: dict[str, AtEach] = {
    "P": lambda topics, k: PrecisionAt(k=int(k)).each(topics.relevance),
    "recall": lambda topics, k: RecallAt(k=int(k), undefined="zero").each(topics.relevance),
    "relative_P": lambda topics, k: PrecisionAt(k=int(k), denominator="achievable", undefined="zero").each(
        topics.relevance
    ),
    "success": lambda topics, k: HitRate(k=int(k), undefined="zero").each(topics.relevance),
    "map_cut": _average_precision,
    "ndcg_cut": lambda topics, k: NDCG(k=int(k), undefined="zero").each(topics.graded),
    "iprec_at_recall": _precision_at_recall,
    "Rprec_mult": _precision_at_multiple,
    "unj": lambda topics, k: (np.minimum(topics.retrieved, k) - _judged(topics, k)) / k,
}


@dataclass(frozen=True)
class Gained:
    """The gains of the retrieved judged documents, and those of the ideal order.

    A gain may be 0 or negative, and grade 0 may have one; the ideal order has the positive gains alone.
    ``worth`` is a gain divided by its discount. The metrics have no such gains, and round differently.
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
        return share_of(self.dcg, self.ideal_dcg)

    def ndcg_rel(self) -> Floats:
        """The mean nDCG at the rank of each document with a gain; of the whole list if not retrieved."""
        there_are = self.topics.sums(self.ideal_query, np.ones(len(self.ideal_query)))
        gained = self.gain > 0
        here = running(self.query, self.worth)[gained]
        ideal_here = self._ideal_sums(self.ideal_worth)[gained]
        counted = self.query[gained]
        lost = there_are - self.topics.sums(counted, np.ones(len(counted)))
        total = self.topics.sums(counted, share_of(here, ideal_here)) + lost * self.ndcg()
        return share_of(np.maximum(total, 0.0), there_are)

    def at_steps(self) -> Floats:
        """The mean nDCG over the ranks where the gain of the ideal order falls.

        The end of the list counts too, if it is more than one document after the last of these.
        """
        query, gain, place = self.ideal_query, self.ideal_gain, self.ideal_place
        many = np.bincount(query, minlength=self.topics.n)
        last = np.ones(len(query), bool)
        last[:-1] = (query[1:] != query[:-1]) | (gain[1:] != gain[:-1])
        step = places(query[last])
        total, steps = np.zeros(self.topics.n), np.zeros(self.topics.n)
        for number in range(int(step.max(initial=-1)) + 1):  # one for each different gain
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
        """Each gain by the logarithm of what a reader has spent and not got back, as a share of all gains.

        A document costs its gain in the ideal order, and at least 1.
        """
        cost = self.before + 1.0 + self._ideal_sums(np.maximum(self.ideal_gain - 1.0, 0.0))
        spent = 2.0 + cost - running(self.query, self.gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.gain == 0, 0.0, self.gain / np.log2(spent))
        return share_of(
            self.topics.sums(self.query, each), self.topics.sums(self.ideal_query, self.ideal_gain)
        )

    def _ideal_sums(self, values: Floats) -> Floats:
        """For each retrieved document the sum of the values of the ideal order down to its rank."""
        so_far = np.append(running(self.ideal_query, values), 0.0)
        many = np.bincount(self.ideal_query, minlength=self.topics.n)
        first = np.cumsum(many) - many
        taken = np.minimum(self.before + 1, many[self.query])
        return np.where(taken > 0, so_far[first[self.query] + taken - 1], 0.0)

    def scaled(self) -> Floats:
        """The gains; where a topic has gains outside of 0 to 1, its lowest becomes 0 and its highest 1.

        The levels of a topic are those from 0 to its highest grade, and those that were given a gain.
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
    """The running sum of the values of each topic.

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
