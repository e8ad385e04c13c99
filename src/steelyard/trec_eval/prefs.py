"""Preferences: which documents each judge puts above which, and how many of these the ranking fulfils."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.ranked import Ranked
from steelyard.kernels.means import segment_sum
from steelyard.text.errors import as_trec_eval
from steelyard.text.errors.forms import Refusal
from steelyard.trec_eval.files import Preferences, Trouble

OF_PAIRS = ("fulfilled", "fulfilled_ret", "possible", "possible_imp", "possible_ret")


@dataclass(frozen=True)
class Preferred:
    """The preferences of every group, which is all that one judge says of one topic.

    ``counts`` are by group: ``possible`` preferences, those that the ranking has ``fulfilled``, and documents
    by level. ``_ret`` counts preferences between retrieved documents, ``_imp`` those with at least one.
    ``_limited`` leaves out the last nonrelevant documents, so that there are no more than relevant ones.
    ``pairs`` has the counts of ``OF_PAIRS`` by topic: a pair of documents counts the share of judges who
    agree.
    """

    topic: Ints  # of each group
    counts: dict[str, Ints]
    pairs: dict[str, Floats]
    trouble: Trouble | None
    n_topics: int

    def by_topic(self, values: Ints | Floats) -> Floats:
        return segment_sum(values, self.topic, self.n_topics)


def preferred(preferences: Preferences, graded: Ranked) -> Preferred:
    """Count the preferences of the evaluated topics; ``graded`` has numbers of documents for grades."""
    of_topic = preferences.frame.partition_by("query", as_dict=True)
    starts = np.searchsorted(graded.hits.query, np.arange(graded.n_queries + 1))
    retrieved = np.split(graded.hits.grade.astype(np.int64), starts[1:-1])
    trouble, topic, counts, pairs = None, [], [], []
    for number, query in enumerate(graded.queries):
        lines, place = _placed(of_topic[query,], retrieved[number])
        size, n_retrieved = int(place.max()) + 1, len(retrieved[number])
        opinions = np.zeros(size * size, np.int64)
        for said in lines.sort("judge").partition_by("judge", maintain_order=True):
            whole = said["subgroup"].n_unique() == 1
            group = _of_whole(said, n_retrieved) if whole else _of_subgroups(said, n_retrieved)
            topic.append(number)
            counts.append(group.counts())
            better, worse = (group.place[at] for at in np.nonzero(group.prefers))
            opinions += np.bincount(better * size + worse, minlength=size * size)
            if trouble is None and group.wrong is not None:
                item, refusal = group.wrong
                figures = {"name": preferences.name, "judge": said["judge"][0], "item": item}
                trouble = Trouble(query, refusal, figures)
        pairs.append(_of_pairs(opinions.reshape(size, size), n_retrieved))
    return Preferred(
        topic=np.array(topic),
        counts={name: np.array([one[name] for one in counts]) for name in counts[0]},
        pairs=dict(zip(OF_PAIRS, np.array(pairs).T, strict=True)),
        trouble=trouble,
        n_topics=graded.n_queries,
    )


def _placed(lines: pl.DataFrame, retrieved: Ints) -> tuple[pl.DataFrame, Ints]:
    """The lines of a topic with the place of each document: by rank, then those not retrieved by name."""
    document = lines["document"].to_numpy()
    documents = np.append(retrieved, np.setdiff1d(document, retrieved))
    order = np.argsort(documents)
    place = order[np.searchsorted(documents, document, sorter=order)]
    return lines.with_columns(pl.Series("place", place), pl.col("level") + 0.0), place  # -0.0 is 0.0


@dataclass(frozen=True)
class _Group:
    """What one judge says of one topic, by document: its place, its level, and which it is preferred to."""

    place: Ints
    level: Floats
    found: Flags  # whether it was retrieved
    prefers: Flags  # the one, then the other
    nonrelevant: Flags
    wrong: tuple[str, Refusal] | None

    def counts(self) -> dict[str, int]:
        found, relevant = self.found, self.level > 0
        right, both = np.triu(self.prefers) & found[:, None], found[:, None] & found
        flags = dict(
            fulfilled=right,
            fulfilled_ret=right & found,
            possible=self.prefers,
            possible_imp=self.prefers & (found[:, None] | found),
            possible_ret=self.prefers & both,
            relevant=relevant,
            relevant_ret=relevant & found,
            nonrelevant=self.nonrelevant,
            nonrelevant_ret=self.nonrelevant & found,
        )
        counts = {name: int(np.count_nonzero(flag)) for name, flag in flags.items()}
        return counts | self.limited(right, counts)

    def limited(self, right: Flags, _: dict[str, int]) -> dict[str, int]:
        """The preferences without the nonrelevant documents behind as many as are relevant."""
        kept = ~self.nonrelevant | (np.cumsum(self.nonrelevant) <= np.count_nonzero(self.level > 0))
        found, both = self.found, kept[:, None] & kept
        flags = dict(
            fulfilled_limited=right & both,
            possible_limited=self.prefers & both,
            fulfilled_limited_ret=right & found & both,
            possible_limited_ret=self.prefers & found[:, None] & found & both,
        )
        return {name: int(np.count_nonzero(flag)) for name, flag in flags.items()}


class _Whole(_Group):
    """A group without subgroups; a document that stands in two lines counts twice."""

    def limited(self, right: Flags, counts: dict[str, int]) -> dict[str, int]:
        """The same as trec_eval counts it where there are no subgroups.

        It takes the lowest level for that of all nonrelevant documents, and keeps as many as are relevant.
        Every document of the group is set against these, even one of the same level.
        """
        limited = {}
        first = np.searchsorted(self.place, self.place)  # the first line of the same document
        for suffix, found in (("", np.ones(len(self.level), bool)), ("_ret", self.found)):
            lowest = (self.level == self.level.min()) & found
            kept = lowest & (np.cumsum(lowest) <= counts[f"relevant{suffix}"])
            size, n_lowest, n_kept = (int(np.count_nonzero(some)) for some in (found, lowest, kept))
            above = np.minimum(first, np.count_nonzero(self.found))
            fulfilled = counts[f"fulfilled{suffix}"] - int(np.count_nonzero(right[:, lowest]))
            limited[f"fulfilled_limited{suffix}"] = fulfilled + int(above[kept].sum())
            possible = counts[f"possible{suffix}"] - (size - n_lowest) * n_lowest
            limited[f"possible_limited{suffix}"] = possible + size * n_kept
        return limited


def _of_whole(lines: pl.DataFrame, n_retrieved: int) -> _Group:
    lines = lines.sort("place", "level")
    place, level = lines["place"].to_numpy(), lines["level"].to_numpy()
    twice = np.flatnonzero((place[1:] == place[:-1]) & (level[1:] != level[:-1]))
    return _Whole(
        place,
        level,
        found=place < n_retrieved,
        prefers=level[:, None] > level,
        nonrelevant=~(level > 0),
        wrong=(lines["item"][int(twice[0])], as_trec_eval.two_levels) if len(twice) else None,
    )


def _of_subgroups(lines: pl.DataFrame, n_retrieved: int) -> _Group:
    """A group with all its preferences, those that follow from others included."""
    lines = lines.sort("place", "subgroup", "level", descending=[False, False, True])
    known = lines.unique("place", keep="last", maintain_order=True)  # the level that trec_eval reads last
    prefers = np.zeros((known.height, known.height), bool)
    for subgroup in lines.partition_by("subgroup"):
        number = np.searchsorted(known["place"].to_numpy(), subgroup["place"].to_numpy())
        level = subgroup["level"].to_numpy()
        better, worse = np.nonzero(level[:, None] > level)
        prefers[number[better], number[worse]] = True
    prefers = _closed(prefers)
    # a document at level 0 that the line before or after it puts above 0
    place, relevant = lines["place"].to_numpy(), lines["level"].to_numpy() > 0
    zero = lines["level"].to_numpy() == 0
    mixed = (zero[:-1] & relevant[1:]) | (relevant[:-1] & zero[1:])
    mixed = np.flatnonzero((place[1:] == place[:-1]) & mixed)
    wrong, itself = None, np.flatnonzero(np.diagonal(prefers))
    if len(mixed):
        wrong = lines["item"][int(mixed[0])], as_trec_eval.relevant_and_not
    elif len(itself):
        wrong = known["item"][int(itself[0])], as_trec_eval.preferred_to_itself
    place, level = known["place"].to_numpy(), known["level"].to_numpy()
    return _Group(place, level, place < n_retrieved, prefers, nonrelevant=level == 0, wrong=wrong)


def _closed(prefers: Flags) -> Flags:
    """With all that follows: who prefers a to b and b to c prefers a to c."""
    np.fill_diagonal(prefers, False)  # a document at two levels of a subgroup, which trec_eval lets pass
    while True:
        reach = prefers.astype(np.float32)
        further = prefers | (reach @ reach > 0)
        if (further == prefers).all():
            return prefers
        prefers = further


def _of_pairs(opinions: Ints, n_retrieved: int) -> tuple[float, ...]:
    """Add up the share of judges who agree on each pair; ``opinions`` counts judges by better and worse.

    The shares are added in trec_eval's order, as the last bit of a sum shows where a value ends in a 5.
    """
    judged = np.triu(opinions + opinions.T)
    both, one, none = (
        judged[:n_retrieved, :n_retrieved],
        judged[:n_retrieved, n_retrieved:],
        judged[n_retrieved:],
    )
    agree = opinions[:n_retrieved]
    shares = [
        agree[:, :n_retrieved][both > 0] / both[both > 0],
        agree[:, n_retrieved:][one > 0] / one[one > 0],
    ]
    sums = np.cumsum(np.concatenate([[0.0], *shares]))
    n_both, n_imp = len(shares[0]), len(shares[0]) + len(shares[1])
    return sums[-1], sums[n_both], n_imp + float(np.count_nonzero(none)), n_imp, n_both
