"""The evaluated topics: the documents of each in order, with their judgements or preferences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import Align, Rank, Scores
from steelyard.engine.align import align
from steelyard.engine.coding import Doubled, Side, encode
from steelyard.engine.ranked import Ranked, count, places, settle
from steelyard.kernels.means import segment_sum
from steelyard.read import Table
from steelyard.text.errors import as_trec_eval
from steelyard.text.errors.forms import Refusal
from steelyard.trec_eval.files import UNJUDGED, Judgements, Preferences, Run, Trouble


@dataclass(frozen=True)
class TopicRules:
    edition: int = 10
    complete: bool = False  # every judged topic counts, also one that the run lacks
    judged_only: bool = False
    level: int = 1  # the lowest grade that is relevant
    most: int | None = None  # documents of each topic
    collection: int = 0  # number of documents

    @property
    def scores(self) -> Scores:
        return "float32" if self.edition == 9 else "as_given"


@dataclass(frozen=True, kw_only=True)
class Topics:
    """Every evaluated topic, by ascending name."""

    names: pl.Series
    graded: Ranked  # judged documents with their grades, -1 for one of the pool without a grade
    relevance: Ranked  # the same with 1 for relevant and 0 for not relevant
    missing: Flags  # topics without a line in the run, which are empty lists
    judges: tuple[Topics, ...]  # the same with the judgements of one judge, if several are averaged
    doubled: pl.DataFrame  # query and item of the repeated lines of the run
    doubled_judgements: pl.DataFrame
    judgements: Judgements
    conventions: TopicRules

    @property
    def n(self) -> int:
        return len(self.names)

    @property
    def retrieved(self) -> Ints:
        return self.graded.retrieved

    @property
    def relevant(self) -> Floats:
        return self.relevance.n_relevant(1)

    @property
    def found(self) -> Floats:
        return self.relevance.relevant_in(None, 1)

    @cached_property
    def preferred(self) -> Preferred | None:
        if not isinstance(self.judgements, Preferences):
            return None
        return preferred(self.judgements, self.graded)

    def sums(self, query: Ints, values: Floats | Flags) -> Floats:
        return self.graded.sum_by_query(query, values)


def topics(run: Run, qrels: Judgements, conventions: TopicRules) -> Topics:
    lists = Table(frame=run.frame, name=run.name, untyped=True)
    encoded = encode(lists, Table(frame=qrels.coded, name=qrels.name, untyped=True))
    in_truth = np.diff(encoded.truth.offsets) > 0
    in_run = np.diff(encoded.predictions.offsets) > 0
    empty_lists = conventions.complete and conventions.edition > 9  # trec_eval 9 only counts these topics
    evaluated = in_truth if empty_lists else in_truth & in_run
    if not evaluated.any():
        raise as_trec_eval.no_topic_in_common(run=run.name, qrels=qrels.name)
    meeting = Align(missing="keep" if empty_lists else "skip", duplicates="best")
    order = Rank(ties=qrels.ties, item_order="text", scores=conventions.scores)
    counted = count(align(encoded, meeting, "score", alone=True), order, 0.0)
    ranked = settle(counted, order)
    graded = _cut(_regraded(ranked, lambda codes: np.where(codes > 0, codes - 1, UNJUDGED)), conventions)
    lowest = max(conventions.level, 0)
    present = encoded.queries.filter(pl.Series(in_run))
    return Topics(
        names=counted.ranked.queries,
        graded=graded,
        relevance=_regraded(graded, lambda grade: np.where(grade >= lowest, 1.0, np.minimum(grade, 0.0))),
        missing=~counted.ranked.queries.is_in(present.implode()).to_numpy(),
        judges=tuple(
            topics(run, one, conventions)
            for one in qrels.of_each_judge
            if one.frame["query"].is_in(counted.ranked.queries.implode()).any()
        ),
        doubled=_doubled(encoded.predictions, encoded.doubled),
        doubled_judgements=_doubled(encoded.truth, encoded.doubled_truth),
        judgements=qrels,
        conventions=conventions,
    )


def twice(run: Run, topics: Topics) -> Trouble | None:
    """The first topic with a document twice among the evaluated ones, and the first such document by name."""
    doubled = topics.doubled.filter(pl.col("query").is_in(topics.names.implode()))
    if not doubled.height:
        return None
    rows = run.frame.filter(pl.col("query").is_in(doubled["query"].unique().implode()))
    score = pl.col("score") if topics.conventions.scores == "as_given" else pl.col("score").cast(pl.Float32)
    rows = rows.sort("query", score, "item", descending=[False, True, topics.judgements.ties == "item_desc"])
    if topics.conventions.most is not None:
        rows = rows.filter(pl.int_range(pl.len()).over("query") < topics.conventions.most)
    return _first(
        rows.filter(pl.struct("query", "item").is_duplicated()), run.name, as_trec_eval.doubled_in_run
    )


def misjudged(topics: Topics) -> Trouble | None:
    """The first topic whose judgements contradict each other or repeat a document."""
    judged = topics.judgements
    if topics.preferred is not None:
        return topics.preferred.trouble
    if judged.by_judge:
        return None
    doubled = topics.doubled_judgements.filter(pl.col("query").is_in(topics.names.implode()))
    return _first(doubled, judged.name, as_trec_eval.doubled_in_qrels)


def _first(doubled: pl.DataFrame, name: str, refusal: Refusal) -> Trouble | None:
    for query, item in doubled.select("query", "item").sort("query", "item").head(1).rows():
        return Trouble(query, refusal, {"name": name, "item": item})
    return None


def _doubled(side: Side, doubled: Doubled) -> pl.DataFrame:
    return side.table.frame[side.rows(doubled.again)].select("query", "item")


def _regraded(ranked: Ranked, grades: Callable[[Floats], Floats]) -> Ranked:
    """The same documents with other grades in the same order."""
    judged = grades(ranked.judged_grade)
    return replace(
        ranked,
        hits=replace(ranked.hits, grade=grades(ranked.hits.grade)),
        judged_grade=judged,
        max_grade=float(judged.max(initial=0.0)),
        of_truth={},
        _cache={},
    )


def _cut(ranked: Ranked, conventions: TopicRules) -> Ranked:
    """The first documents of each topic; only judged ones if the flags ask for it."""
    hits, retrieved = ranked.hits, ranked.retrieved
    if conventions.most is not None:
        most = max(conventions.most, 0)
        hits, retrieved = hits.where(hits.before < most), np.minimum(retrieved, most)
    if conventions.judged_only:
        hits = hits.where(hits.grade >= 0)
        hits = replace(hits, before=places(hits.query))
        retrieved = np.bincount(hits.query, minlength=len(retrieved))
    return replace(ranked, hits=hits, retrieved=retrieved, _cache={})


# --- preferences: which documents each judge puts above which, and how many of these the ranking fulfils

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
        lines, n_retrieved = _placed(of_topic[query,], retrieved[number]), len(retrieved[number])
        groups: list[_Group | _Whole] = []
        for said in lines.sort("judge").partition_by("judge", maintain_order=True):
            whole = said["subgroup"].n_unique() == 1
            group = _of_whole(said, n_retrieved) if whole else _of_subgroups(said, n_retrieved)
            groups.append(group)
            topic.append(number)
            counts.append(group.counts())
            if trouble is None and group.wrong is not None:
                item, refusal = group.wrong
                figures = {"name": preferences.name, "judge": said["judge"][0], "item": item}
                trouble = Trouble(query, refusal, figures)
        pairs.append(_of_pairs(groups, n_retrieved))
    return Preferred(
        topic=np.array(topic),
        counts={name: np.array([of_group[name] for of_group in counts]) for name in counts[0]},
        pairs=dict(zip(OF_PAIRS, np.array(pairs).T, strict=True)),
        trouble=trouble,
        n_topics=graded.n_queries,
    )


def _placed(lines: pl.DataFrame, retrieved: Ints) -> pl.DataFrame:
    """The lines of a topic with the place of each document: by rank, then those not retrieved by name."""
    document = lines["document"].to_numpy()
    documents = np.append(retrieved, np.setdiff1d(document, retrieved))
    order = np.argsort(documents)
    place = order[np.searchsorted(documents, document, sorter=order)]
    return lines.with_columns(pl.Series("place", place), pl.col("level") + 0.0)  # -0.0 is 0.0


@dataclass(frozen=True)
class _Group:
    """What one judge says of one topic in subgroups, by document in the order of places."""

    place: Ints
    level: Floats
    found: Flags  # whether it was retrieved
    prefers: Flags  # the one, then the other
    wrong: tuple[str, Refusal] | None

    def counts(self) -> dict[str, int]:
        found, relevant, others = self.found, self.level > 0, self.level == 0
        right, both = np.triu(self.prefers) & found[:, None], found[:, None] & found
        kept = ~others | (np.cumsum(others) <= np.count_nonzero(relevant))
        limited = kept[:, None] & kept
        flags = dict(
            fulfilled=right,
            fulfilled_ret=right & found,
            fulfilled_limited=right & limited,
            fulfilled_limited_ret=right & found & limited,
            possible=self.prefers,
            possible_imp=self.prefers & (found[:, None] | found),
            possible_ret=self.prefers & both,
            possible_limited=self.prefers & limited,
            possible_limited_ret=self.prefers & both & limited,
            relevant=relevant,
            relevant_ret=relevant & found,
            nonrelevant=others,
            nonrelevant_ret=others & found,
        )
        return {name: int(np.count_nonzero(flag)) for name, flag in flags.items()}


@dataclass(frozen=True)
class _Whole:
    """What one judge says of one topic without subgroups; a document that stands in two lines counts twice.

    Preferences are counted level by level, as a matrix of a large group would need too much memory.
    """

    place: Ints
    level: Floats
    found: Flags
    wrong: tuple[str, Refusal] | None

    @property
    def prefers(self) -> Flags:
        prefers: Flags = self.level[:, None] > self.level
        return prefers

    def counts(self) -> dict[str, int]:
        found, level, every = self.found, self.level, np.ones(len(self.level), bool)
        counts = dict.fromkeys(OF_PAIRS, 0)
        for suffix, some in (("", every), ("_ret", found)):
            counts[f"relevant{suffix}"] = _number(some & (level > 0))
            counts[f"nonrelevant{suffix}"] = _number(some & ~(level > 0))
            for value in np.unique(level):
                at, lower = level == value, some & (level < value)
                behind = _number(lower) - np.cumsum(lower)
                counts[f"fulfilled{suffix}"] += int(behind[at & found].sum())
                counts[f"possible{suffix}"] += _number(at & some) * _number(lower)
                if not suffix:
                    missing = _number(at & ~found) * _number(lower & ~found)
                    counts["possible_imp"] += _number(at) * _number(lower) - missing
            counts |= self._limited(suffix, some, counts)
        return counts

    def _limited(self, suffix: str, some: Flags, counts: Mapping[str, int]) -> dict[str, int]:
        """The counts without the last nonrelevant documents, as trec_eval has them without subgroups.

        It takes the lowest level for that of all nonrelevant documents, and keeps as many as are relevant.
        Every document of the group is set against these, even one of the same level.
        """
        first = np.searchsorted(self.place, self.place)  # the first line of the same document
        above = np.minimum(first, _number(self.found))
        lowest = (self.level == self.level.min()) & some
        right = np.cumsum(self.found & (self.level > self.level.min()))[lowest].sum()
        kept = lowest & (np.cumsum(lowest) <= counts[f"relevant{suffix}"])
        size, n_lowest, n_kept = map(_number, (some, lowest, kept))
        fulfilled = counts[f"fulfilled{suffix}"] - int(right) + int(above[kept].sum())
        possible = counts[f"possible{suffix}"] - (size - n_lowest) * n_lowest + size * n_kept
        return {f"fulfilled_limited{suffix}": fulfilled, f"possible_limited{suffix}": possible}


def _number(flags: Flags) -> int:
    return int(np.count_nonzero(flags))


def _of_whole(lines: pl.DataFrame, n_retrieved: int) -> _Whole:
    lines = lines.sort("place", "level")
    place, level = lines["place"].to_numpy(), lines["level"].to_numpy()
    twice = np.flatnonzero((place[1:] == place[:-1]) & (level[1:] != level[:-1]))
    wrong = (lines["item"][int(twice[0])], as_trec_eval.two_levels) if len(twice) else None
    return _Whole(place, level, place < n_retrieved, wrong)


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
    return _Group(place, level, place < n_retrieved, prefers, wrong)


def _closed(prefers: Flags) -> Flags:
    """With all that follows: who prefers a to b and b to c prefers a to c."""
    np.fill_diagonal(prefers, False)  # a document at two levels of a subgroup, which trec_eval lets pass
    while True:
        reach = prefers.astype(np.float32)
        further = prefers | (reach @ reach > 0)
        if (further == prefers).all():
            return prefers
        prefers = further


def _of_pairs(groups: Sequence[_Group | _Whole], n_retrieved: int) -> tuple[float, ...]:
    """Add up the share of judges who agree on each pair.

    The shares are added in trec_eval's order, as the last bit of a sum shows where a value ends in a 5.
    """
    first = groups[0]
    if len(groups) == 1 and isinstance(first, _Whole):  # who agrees with himself
        once = np.append(True, first.place[1:] != first.place[:-1])
        counts = _Whole(first.place[once], first.level[once], first.found[once], None).counts()
        return tuple(float(counts[name]) for name in OF_PAIRS)
    size = max(int(group.place[-1]) for group in groups) + 1
    opinions = np.zeros((size, size), np.int32)  # how many judges prefer one document to another
    for group in groups:
        np.add.at(opinions, np.ix_(group.place, group.place), group.prefers)
    judged = np.triu(opinions + opinions.T)
    both, one = judged[:n_retrieved, :n_retrieved], judged[:n_retrieved, n_retrieved:]
    agree = opinions[:n_retrieved]
    shares = [
        agree[:, :n_retrieved][both > 0] / both[both > 0],
        agree[:, n_retrieved:][one > 0] / one[one > 0],
    ]
    sums = np.cumsum(np.concatenate([[0.0], *shares]))
    n_both, n_imp = len(shares[0]), len(shares[0]) + len(shares[1])
    none = np.count_nonzero(judged[n_retrieved:])
    return sums[-1], sums[n_both], n_imp + float(none), n_imp, n_both
