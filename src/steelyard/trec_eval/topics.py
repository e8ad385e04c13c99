"""The evaluated topics: the documents of each in order, with their judgements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import Align, Rank, Scores
from steelyard.engine.align import align
from steelyard.engine.coding import Doubled, Side, encode
from steelyard.engine.ranked import Ranked, count, places, settle
from steelyard.read import Table
from steelyard.text.errors import as_trec_eval
from steelyard.text.errors.forms import Refusal
from steelyard.trec_eval.files import UNJUDGED, Judgements, Preferences, Run, Trouble
from steelyard.trec_eval.prefs import Preferred, preferred


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
    encoded = encode(_table(run.frame, run.name), _table(qrels.coded, qrels.name))
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


def _table(frame: pl.DataFrame, name: str) -> Table:
    return Table(frame=frame, name=name, untyped=True)


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
