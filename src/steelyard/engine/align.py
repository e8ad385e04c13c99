"""Predictions meet truth under stated conventions, and what stands before each hit is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.arrays import Flags, Floats, Ints
from steelyard.conventions import Align, Duplicates, Order
from steelyard.engine.coding import Doubled, Encoded, EncodedGrid, GridSide, Side, masked
from steelyard.engine.labelled import telling_apart
from steelyard.engine.protocol import Tally
from steelyard.text import some
from steelyard.text.errors import reading

_FEW = 3  # ids that an error names


@dataclass(frozen=True, kw_only=True)
class Aligned:
    """The rows to be ranked, grouped by query, each with its judgement."""

    queries: pl.Series  # evaluated, as they were met
    offsets: Ints
    retrieved: Ints  # per query, how many of its rows are ranked: of a matrix, those above -inf
    entry: Ints | None  # where each row stands among the grouped predictions
    strength: Floats  # the higher stands first
    hit_row: Ints  # the ranked rows with a grade other than 0, ascending
    hit_grade: Floats
    judgement: Ints | None  # per row: index into `grade`, or -1; None of a matrix
    judged_offsets: Ints
    grade: Floats  # the judgements, grouped by query
    zeros: Ints  # per query, further judgements of grade 0
    predictions: Side | GridSide
    tally: Tally

    def rows(self, at: Ints) -> Ints:  # numbers in the predictions table
        return self.predictions.rows(at if self.entry is None else self.entry[at])

    def judged_rows(self) -> tuple[Ints, Floats]:  # those of grade 0 too, and their grades
        assert self.judgement is not None
        row = np.flatnonzero(self.judgement >= 0)
        return row, self.grade[self.judgement[row]]


def align(encoded: Encoded, convention: Align, order: Order, *, alone: bool = False) -> Aligned:
    """Apply the align conventions; what they decide is tallied.

    ``alone`` says that the lists mean something by themselves, whatever the truth has.
    """
    predictions, truth = encoded.predictions, encoded.truth
    in_predictions = np.diff(predictions.offsets) > 0
    grade, judged = _judgements(encoded, convention)
    if convention.grades != "as_given":
        check_grades(grade, convention, truth.table.name, part=truth.table.part)
    judgement = encoded.judgement
    in_truth = np.diff(truth.offsets) > 0
    if convention.grades == "relevant":
        grade, judged, judgement, in_truth = _relevant_alone(encoded, grade, judged)
    if not alone:
        _check_queries(encoded, convention, in_predictions, in_truth)
    if len(encoded.doubled.again) or len(encoded.doubled_truth.again):
        _check_doubled(encoded, convention)

    strength = _strength(predictions, order)
    kept, removed = _kept_rows(encoded, convention, order, strength)
    alive = kept

    evaluated = in_truth & (in_predictions if convention.missing == "skip" else True)
    if convention.unexpected == "keep":
        evaluated = evaluated | in_predictions
    if (in_predictions & ~evaluated).any():
        alive = alive & np.repeat(evaluated, np.diff(predictions.offsets))
    judged_rows = judgement >= 0
    if convention.unjudged == "drop_negative":
        judged_rows &= ~np.isin(judgement, np.flatnonzero(grade < 0))
    unjudged = alive & ~judged_rows
    if convention.unjudged != "nonrelevant":
        alive = alive & judged_rows
    n_unmixed = 0
    if convention.judgements == "mixed":
        relevant_rows = np.isin(judgement, np.flatnonzero(grade > 0))
        unmixed = evaluated & ~_mixed(predictions.offsets, alive, relevant_rows)
        n_unmixed, evaluated = int(unmixed.sum()), evaluated & ~unmixed
        left = np.repeat(evaluated, np.diff(predictions.offsets))
        alive, unjudged = alive & left, unjudged & left
    if convention.judgements != "all":
        judged = _only(judged, judgement[alive])
    counted = judged & np.repeat(evaluated, np.diff(truth.offsets))
    grades = grade[counted]

    entry = None if alive.all() else np.flatnonzero(alive)
    if entry is not None:
        strength, judgement = strength[entry], judgement[entry]
    if not counted.all():
        judgement = _through(np.where(counted, np.cumsum(counted) - 1, -1), judgement)
    offsets = _surviving(predictions.offsets, entry, evaluated)
    judged_offsets = _surviving(truth.offsets, np.flatnonzero(counted), evaluated)
    hit_row = np.flatnonzero(judgement >= 0)
    hit_grade = grades[judgement[hit_row]]
    hit_row, hit_grade = hit_row[hit_grade != 0], hit_grade[hit_grade != 0]
    relevant = np.concatenate(([0], np.cumsum(grades > 0)))
    n_queries = int(evaluated.sum())

    tally = Tally.of(
        predictions=predictions.table.frame.height,
        judgements=truth.table.frame.height,
        queries=n_queries,
        queries_predicted=int(in_predictions.sum()),
        queries_judged=int(in_truth.sum()),
        queries_missing=int((in_truth & ~in_predictions).sum()),
        queries_unexpected=int((in_predictions & ~in_truth).sum()),
        queries_without_relevant=int((np.diff(relevant[judged_offsets]) == 0).sum()),
        doubled_predictions=len(encoded.doubled.again),
        doubled_judgements=len(encoded.doubled_truth.again),
        **removed,
        unjudged=int(np.count_nonzero(unjudged)),
        retrieved=len(judgement),
        hits=len(hit_row),
    )
    if not kept.all():
        ranked = np.diff(np.concatenate(([0], np.cumsum(kept)))[predictions.offsets])
        if emptied := int((in_truth & in_predictions & (ranked == 0)).sum()):
            tally = tally.also(queries_emptied=emptied)
    if n_unmixed:
        tally = tally.also(queries_unmixed=n_unmixed)
    return Aligned(
        queries=encoded.queries.filter(pl.Series(evaluated)),
        offsets=offsets,
        retrieved=np.diff(offsets),
        entry=entry,
        strength=strength,
        hit_row=hit_row,
        hit_grade=hit_grade,
        judgement=judgement,
        judged_offsets=judged_offsets,
        grade=grades,
        zeros=np.zeros(n_queries, np.int64),
        predictions=predictions,
        tally=tally,
    )


def _kept_rows(
    encoded: Encoded, convention: Align, order: Order, strength: Floats
) -> tuple[Flags, dict[str, int]]:
    """Which rows may be ranked, and how many are not, by the reason."""
    side = encoded.predictions
    alive = np.ones(len(side.key), bool)
    n_masked = n_excluded = n_matched = 0
    if "score" in side.table.frame.columns:
        shown = (strength if order == "score" else side.column("score")) > -np.inf
        n_masked = len(shown) - int(np.count_nonzero(shown))
        alive = shown
    if encoded.excluded is not None:
        removed = alive & encoded.excluded
        n_excluded = int(removed.sum())
        alive &= ~removed
    if convention.self_match == "drop" and side.items is not None:
        same = _self_matched(encoded) & alive
        n_matched = int(same.sum())
        alive &= ~same
    if convention.duplicates != "error" and len(encoded.doubled.again):
        alive[_not_chosen(encoded.doubled, strength, alive, convention.duplicates)] = False
    return alive, {"masked": n_masked, "excluded": n_excluded, "self_matched": n_matched}


def _not_chosen(doubled: Doubled, strength: Floats, alive: Flags, chosen: Duplicates) -> Ints:
    """Of entries that stand twice, all but the first, the last or the best one that is still alive."""
    firsts = np.unique(doubled.first)
    entry = np.concatenate((firsts, doubled.again))
    group = np.concatenate((firsts, doubled.first))
    worth = {"best": -strength[entry], "last": -entry}.get(chosen, np.zeros(len(entry)))
    order = np.lexsort((entry, worth, ~alive[entry], group))
    further = np.zeros(len(order), bool)
    further[1:] = group[order][1:] == group[order][:-1]
    return entry[order[further]]


def _self_matched(encoded: Encoded) -> Flags:
    side = encoded.predictions
    query, item = (side.table.frame[name] for name in ("query", "item"))
    if query.dtype.is_integer() != item.dtype.is_integer():
        return np.zeros(len(side.key), bool)
    same: Flags = (query == item).to_numpy()
    return same[side.rows(np.arange(len(side.key)))]


def _judgements(encoded: Encoded, convention: Align) -> tuple[Floats, Flags]:  # doubled ones count once
    grade = encoded.truth.column("relevance")
    doubled = encoded.doubled_truth
    judged = np.ones(len(grade), bool)
    judged[doubled.again] = False
    # where every judgement that counts is worth 1, it does not matter which of them is kept
    if len(doubled.again) and (convention.duplicates == "best" or convention.grades == "relevant"):
        grade = grade.copy()
        np.maximum.at(grade, doubled.first, grade[doubled.again])
    elif len(doubled.again) and convention.duplicates == "last":
        grade = grade.copy()
        order = np.argsort(doubled.again)  # of values for one place the last stays
        grade[doubled.first[order]] = grade[doubled.again[order]]
    return grade, judged


def _relevant_alone(encoded: Encoded, grade: Floats, judged: Flags) -> tuple[Floats, Flags, Ints, Flags]:
    """Grades, which entries count, the judgement of each row and which queries have any: of relevant ones."""
    relevant = grade >= 1
    judgement = _through(np.where(relevant, np.arange(len(grade)), -1), encoded.judgement)
    counts = np.concatenate(([0], np.cumsum(judged & relevant)))
    in_truth = np.diff(counts[encoded.truth.offsets]) > 0
    return np.where(relevant, 1.0, grade), judged & relevant, judgement, in_truth


def check_grades(grade: Floats, convention: Align, name: str, *, part: bool = False) -> None:
    match convention.grades:
        case "as_given":
            return
        case "whole":
            fits, refusal = grade == np.floor(grade), reading.grade_not_whole
        case "not_negative":
            fits, refusal = grade >= 0, reading.grade_negative
        case "natural":
            fits, refusal = (grade == np.floor(grade)) & (grade >= 0), reading.grade_not_natural
        case "binary":
            fits, refusal = (grade == 0) | (grade == 1), reading.grade_not_binary
        case "relevant":
            if len(grade) and not part and not (grade >= 1).any():
                raise reading.nothing_relevant(name=name)
            return
    if not fits.all():
        raise refusal(name=name, grade=float(grade[~fits][0]))


def _strength(side: Side, order: Order) -> Floats:  # the highest first
    if order == "given":
        return -side.rows(np.arange(len(side.key))).astype(np.float64)
    if order not in side.table.frame.columns:
        raise reading.order_needs_column(name=side.table.name, order=order)
    column = side.column(order)
    return column if order == "score" else 0.0 - column


def _check_queries(encoded: Encoded, convention: Align, in_predictions: Flags, in_truth: Flags) -> None:
    predictions, truth = encoded.predictions.table.name, encoded.truth.table.name
    ids = encoded.queries
    if not (in_predictions & in_truth).any() and not encoded.predictions.table.part:
        left, right = (ids.filter(pl.Series(side)).head(2).to_list() for side in (in_predictions, in_truth))
        raise reading.nothing_in_common(predictions=predictions, truth=truth, left=left, right=right)
    missing, unexpected = in_truth & ~in_predictions, in_predictions & ~in_truth
    if convention.missing == "error" and missing.any():
        first = ids.filter(pl.Series(missing)).head(_FEW).to_list()
        n = int(missing.sum())
        raise reading.missing_queries(n=n, name=predictions, first=some(first, _FEW, n))
    if convention.unexpected == "error" and unexpected.any():
        first = ids.filter(pl.Series(unexpected)).head(_FEW).to_list()
        n = int(unexpected.sum())
        raise reading.unexpected_queries(n=n, name=truth, first=some(first, _FEW, n))


def _check_doubled(encoded: Encoded, convention: Align) -> None:
    if convention.duplicates not in ("error", "judged_once"):
        return
    sides = ((encoded.predictions, encoded.doubled), (encoded.truth, encoded.doubled_truth))
    for side, doubled in sides if convention.duplicates == "error" else sides[:1]:
        if not len(doubled.again):
            continue
        table = side.table
        rows, firsts = side.rows(doubled.again), side.rows(doubled.first)
        row, first = (int(which[np.argmin(rows)]) for which in (rows, firsts))
        query, item = table.frame["query"][row], table.frame["item"][row]
        both = pl.Series(np.union1d(rows, firsts))
        error = reading.doubled_rows(
            n=len(rows),
            name=table.name,
            query=query,
            item=item,
            first=table.place(first),
            again=table.place(row),
        )
        raise reading.told_apart(error, telling_apart(table, ("query", "item"), both))


def _mixed(offsets: Ints, alive: Flags, relevant: Flags) -> Flags:  # with both a relevant item and another
    rows, hits = (
        np.diff(np.concatenate(([0], np.cumsum(some)))[offsets]) for some in (alive, alive & relevant)
    )
    return (hits > 0) & (hits < rows)


def _only(judged: Flags, judgement: Ints) -> Flags:
    supplied = np.zeros(len(judged), bool)
    supplied[judgement[judgement >= 0]] = True
    return judged & supplied


def _through(numbers: Ints, at: Ints) -> Ints:
    """``numbers[at]``, with -1 where ``at`` is -1."""
    found = np.full(len(at), -1)
    known = np.flatnonzero(at >= 0)  # few: most rows have no judgement
    found[known] = numbers[at[known]]
    return found


def _surviving(offsets: Ints, entry: Ints | None, evaluated: Flags) -> Ints:
    """The offsets of evaluated queries once only the given entries are left."""
    left = offsets if entry is None else np.searchsorted(entry, offsets)
    if evaluated.all():
        return left
    return np.concatenate(([0], np.cumsum(np.diff(left)[evaluated])))


def align_grid(matrices: EncodedGrid, convention: Align, order: Order, *, as_rows: bool = False) -> Aligned:
    """Matrices as they are; under rare conventions, or ``as_rows``, every cell becomes a row."""
    grid = matrices.grid
    n_queries, _ = grid.shape
    as_rows = as_rows or order != "score" or convention.unjudged == "drop_negative"
    if as_rows or convention.judgements == "mixed" or convention.grades == "relevant":
        long = align(matrices.encoded(np.arange(n_queries)), convention, order)
        tally = long.tally.also(masked=matrices.n_masked, excluded=matrices.n_excluded)
        return replace(long, tally=tally)

    check_grades(grid.grade, convention, matrices.truth.table.name)
    scores, n_matched = grid.scores, 0
    if convention.self_match == "drop":
        scores, n_matched = masked(scores, np.arange(min(grid.shape)) * (grid.shape[1] + 1))
    retrieved = np.count_nonzero(scores > -np.inf, axis=1).astype(np.int64)
    emptied = int((retrieved == 0).sum())
    strength, cell, grade = scores.reshape(-1), grid.cell, grid.grade
    shown = strength[cell] > -np.inf
    of_query = np.diff(np.searchsorted(cell, grid.starts))
    shown_of_query = np.diff(np.searchsorted(cell[shown], grid.starts))
    # a whole grid has judged all other cells with 0; of another one they have no judgement
    others = retrieved - shown_of_query
    zeros = grid.shape[1] - of_query if grid.whole else np.zeros_like(retrieved)
    hit_row, hit_grade = cell[shown], grade[shown]
    entry, offsets = None, grid.starts
    if convention.unjudged == "drop" and not grid.whole:  # only judged cells are rows
        entry, offsets = hit_row, np.searchsorted(hit_row, grid.starts)
        strength, retrieved = strength[entry], shown_of_query
        hit_row = np.arange(len(entry))
    if convention.judgements == "retrieved":
        cell, grade = cell[shown], hit_grade
        zeros = others if grid.whole else zeros
    judged_offsets = np.searchsorted(cell, grid.starts)
    relevant = np.concatenate(([0], np.cumsum(grade > 0)))
    tally = Tally.of(
        predictions=grid.scores.size,
        judgements=grid.n_judgements,
        queries=n_queries,
        queries_predicted=n_queries,
        queries_judged=n_queries,
        queries_missing=0,
        queries_unexpected=0,
        queries_without_relevant=int((np.diff(relevant[judged_offsets]) == 0).sum()),
        doubled_predictions=0,
        doubled_judgements=0,
        masked=matrices.n_masked,
        excluded=matrices.n_excluded,
        self_matched=n_matched,
        unjudged=0 if grid.whole else int(others.sum()),
        retrieved=int(retrieved.sum()),
        hits=int(np.count_nonzero(hit_grade)),
    )
    if emptied:
        tally = tally.also(queries_emptied=emptied)
    return Aligned(
        queries=matrices.queries,
        offsets=offsets,
        retrieved=retrieved,
        entry=entry,
        strength=strength,
        hit_row=hit_row[hit_grade != 0],
        hit_grade=hit_grade[hit_grade != 0],
        judgement=None,
        judged_offsets=judged_offsets,
        grade=grade,
        zeros=zeros,
        predictions=matrices.predictions,
        tally=tally,
    )
