"""What each measure is for every topic: by a metric of Steelyard where it has one, else by a line or two.

A value is printed with four decimals, so that the last bit of a sum shows where it ends in a 5. Average
precision and F are therefore computed as trec_eval does it; the metrics, which also know open ties, round
otherwise in that bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.engine.ranked import places
from steelyard.messages.errors import as_trec_eval
from steelyard.metrics.bpref import Bpref
from steelyard.metrics.hit_rate import HitRate
from steelyard.metrics.infap import InfAP
from steelyard.metrics.iprecision import Rounding, best_precision, hits_needed
from steelyard.metrics.mrr import MRR
from steelyard.metrics.ndcg import NDCG
from steelyard.metrics.precision import PrecisionAt
from steelyard.metrics.r_precision import RPrecision
from steelyard.metrics.recall import RecallAt
from steelyard.trec_eval.files import places_among
from steelyard.trec_eval.gains import Gained, share_of
from steelyard.trec_eval.measures import MEASURES, OF_PREFERENCES
from steelyard.trec_eval.parameters import MeasureAsked
from steelyard.trec_eval.prefs import Preferred
from steelyard.trec_eval.topics import Topics

FLOOR = 0.00001  # the least value in trec_eval's geometric means, whatever the house takes

Formula = Callable[[Topics, MeasureAsked], Floats]
AtEach = Callable[[Topics, float], Floats]  # for one parameter


def values(topics: Topics, asked: MeasureAsked) -> Iterator[Floats]:
    """For each printed name of a measure the value of every topic."""
    name = asked.measure.of or asked.name
    measures: list[Callable[[Topics], Floats]] = [lambda some: _ALONE[name](some, asked)]
    if name in _AT_EACH:
        measures = [_at(_AT_EACH[name], one) for one in asked.values]
    for measure in measures:
        yield _mean_of_judges(topics, measure) if asked.measure.of else measure(topics)


def _at(measure: AtEach, parameter: float) -> Callable[[Topics], Floats]:
    return lambda topics: measure(topics, parameter)


def _mean_of_judges(topics: Topics, measure: Callable[[Topics], Floats]) -> Floats:
    total, many = np.zeros(topics.n), np.zeros(topics.n)
    for judge in topics.judges:
        at = places_among(judge.names, topics.names)
        total[at] += measure(judge)
        many[at] += 1
    return share_of(total, many)


def relstrings(topics: Topics, asked: MeasureAsked) -> list[str]:
    """The grades of the first documents of each topic, a sign for each; a minus is one without judgement."""
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
    """The precision at each relevant document of the first k, added up and divided by all there are."""
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
    """The highest precision from the document on that reaches a share of the relevant ones."""
    rounding: Rounding = "trec9" if topics.conventions.edition == 9 else "trec10"
    return best_precision(topics.relevance, hits_needed(share, topics.relevant, rounding), 1)


def _mean_precision_at_recalls(topics: Topics, asked: MeasureAsked) -> Floats:
    """The mean at recalls that may be any; the metric has eleven, and adds from the other end."""
    recalls = sorted(asked.values, reverse=True)
    total = np.zeros(topics.n)
    for recall in recalls:
        total += _precision_at_recall(topics, recall)
    return total / len(recalls)


def _precision_at_multiple(topics: Topics, share: float) -> Floats:
    """Precision where as many documents are read as there are relevant ones, times a number."""
    cut = np.floor(share * topics.relevant + 0.9)
    groups = topics.relevance.groups(1)
    return share_of(topics.sums(groups.query, groups.before < cut[groups.query]), cut)


def _utility(topics: Topics, asked: MeasureAsked) -> Floats:
    """What the documents are worth that are relevant or not, retrieved or not."""
    if len(asked.values) != 4:
        raise as_trec_eval.not_four_numbers(n=len(asked.values))
    found, relevant, retrieved = topics.found, topics.relevant, topics.retrieved
    rest = topics.conventions.collection + found - retrieved - relevant
    counts = (found, retrieved - found, relevant - found, rest)
    total = np.zeros(topics.n)
    for worth, many in zip(asked.values, counts, strict=True):
        total = total + worth * many
    return np.where(topics.missing, 0.0, total)


def _binary_gain(topics: Topics) -> Floats:
    """Each relevant document divided by the logarithm of the others above it, averaged over all there are."""
    groups = topics.relevance.groups(1)
    others = groups.before - groups.relevant_before
    return share_of(topics.sums(groups.query, 1.0 / np.log2(2.0 + others)), topics.relevant)


def _set_f(topics: Topics, asked: MeasureAsked) -> Floats:
    """The harmonic mean of precision and recall; the parameter is how much more recall counts."""
    precision, recall = share_of(topics.found, topics.retrieved), share_of(topics.found, topics.relevant)
    x = asked.values[0]
    return share_of((x + 1.0) * precision * recall, x * precision + recall)


def _yaap(topics: Topics) -> Floats:
    """The logarithm of the odds that average precision makes."""
    total = _precisions(topics)
    return np.log((1.0 + total) / (1.0 + topics.relevant - total))


def _judged(topics: Topics, k: float = np.inf) -> Floats:
    hits = topics.graded.hits
    return topics.sums(hits.query, (hits.grade >= 0) & (hits.before < k))


def _unjudged(topics: Topics, k: float) -> Floats:
    return (np.minimum(topics.retrieved, k) - _judged(topics, k)) / k


def _rank_biased(topics: Topics, asked: MeasureAsked) -> Floats:
    """What a reader gains per document looked at, who goes on to the next one with chance p.

    The metric divides by the highest gain, and knows neither gains of grade 0 nor negative ones.
    """
    gained = _gained(topics, asked)
    weight = _chances(topics, asked.p)[gained.before]
    return (1.0 - asked.p) * topics.sums(gained.query, gained.scaled() * weight)


def _rank_biased_rest(topics: Topics, asked: MeasureAsked) -> Floats:
    """How much more it could be, were all the others of the highest grade; 0 where all were judged."""
    hits, retrieved, chances = topics.graded.hits, topics.retrieved, _chances(topics, asked.p)
    query = np.repeat(np.arange(topics.n), retrieved)
    weight = chances[places(query)]
    first = np.cumsum(retrieved) - retrieved
    weight[(first[hits.query] + hits.before)[hits.grade >= 0]] = 0.0
    rest = chances[retrieved] + (1.0 - asked.p) * topics.sums(query, weight)
    return np.where(retrieved > _judged(topics), rest, 0.0)


def _chances(topics: Topics, p: float) -> Floats:
    """The chance that a reader gets to each rank, multiplied up rank by rank as trec_eval does."""
    return np.append(1.0, np.full(topics.retrieved.max(initial=0), p)).cumprod()


def _gained(topics: Topics, asked: MeasureAsked) -> Gained:
    return Gained.of(topics, asked.gains(topics.conventions.edition))


def _of_preferences(topics: Topics, asked: MeasureAsked) -> Floats:
    """How many preferences are fulfilled, or which share: of all, of each pair, of each judge's."""
    some = topics.preferred
    assert some is not None  # the format of the judgements was checked
    _, kind, *kept = asked.name.split("_")
    if kind == "num":
        count = {"poss": "possible", "ful": "fulfilled", "ful_ret": "fulfilled_ret"}["_".join(kept[1:])]
        return some.by_topic(some.counts[count])
    if "Rnonrel" in kept:
        return _with_as_many(some, "_ret" if "ret" in kept else "")
    suffix = f"_{kept[0]}" if kept else ""
    fulfilled, possible = "fulfilled_ret" if suffix == "_ret" else "fulfilled", f"possible{suffix}"
    if kind == "pair":
        return share_of(some.pairs[fulfilled], some.pairs[possible])
    if kind == "simp":
        return share_of(some.by_topic(some.counts[fulfilled]), some.by_topic(some.counts[possible]))
    return _mean_share(some, some.counts[fulfilled], some.counts[possible])


def _mean_share(some: Preferred, fulfilled: Ints, possible: Ints) -> Floats:
    """The mean share of the judges; one without preferences counts 0."""
    shares = share_of(fulfilled.astype(np.float64), possible)
    return some.by_topic(shares) / some.by_topic(np.ones(len(shares)))


def _with_as_many(some: Preferred, suffix: str) -> Floats:
    """The mean share of the judges, were there as many nonrelevant documents as relevant ones.

    Those that are lacking stand behind all that were retrieved; below 0 they are too many. A topic one of
    whose judges has no preference left is 0, as trec_eval has it.
    """
    names = ("relevant", "nonrelevant", "fulfilled", "possible", "fulfilled_limited", "possible_limited")
    relevant, others, *counts = (some.counts[f"{name}{suffix}"] for name in names)
    lacking = relevant - others
    fulfilled = np.where(lacking < 0, counts[2], counts[0] + some.counts["relevant_ret"] * lacking)
    possible = np.where(lacking < 0, counts[3], counts[1] + some.counts["relevant"] * lacking)
    none = some.by_topic((possible == 0).astype(np.float64)) > 0
    return np.where(none, 0.0, _mean_share(some, fulfilled, possible))


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
    "unj": _unjudged,
}
