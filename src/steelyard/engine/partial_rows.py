"""Rows of one part, reduced to what their metrics need, and the rows of several parts put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.engine import partial_units
from steelyard.engine.classified import Classified
from steelyard.engine.columns import in_single
from steelyard.engine.influence import Condensed, Units
from steelyard.engine.partial_groups import added_groups, of_groups, of_large_group, within_units
from steelyard.engine.partial_units import in_buckets, used_units
from steelyard.engine.protocol import Names, Need, Tally
from steelyard.engine.rows import Rows
from steelyard.engine.scored import Rated, RowSums, RowTerm, Scored
from steelyard.engine.scored_parts import distinct_scores
from steelyard.engine.slices import Slices
from steelyard.kernels.group import distinct
from steelyard.kernels.means import ratio, segment_sum
from steelyard.kernels.rows import ordered_bits, prefix_edges
from steelyard.text import Message
from steelyard.text.errors import measuring, merging

if TYPE_CHECKING:
    from steelyard.engine.merged_rows import MergedRows
    from steelyard.engine.score_counts import OrderTotals


Form = Literal["rows", "sums", "bins", "groups"]


@dataclass(frozen=True, kw_only=True)
class RowPiece:
    """The rows that some metrics read: as they are, as sums for each unit, or as one entry for each group.

    ``bins`` are sums for each range of scores. Entries of groups without a slice are those of the whole:
    their ``segment`` is -1.
    """

    form: Form
    state: Any  # Scored, Classified or Rated, with the slice of each entry as its segment


@dataclass(frozen=True, kw_only=True)
class PartialRows:
    """All that one part, or several, say of metrics of rows."""

    pieces: tuple[RowPiece, ...]
    piece_of: Mapping[str, int]  # by the label of the metric
    placed: tuple[str, ...]  # the metrics whose values come from a first pass
    bits: int | None  # of scores, where these are in bins
    thresholded: Mapping[str, bool]
    state_notes: Mapping[str, tuple[Message, ...]]
    slices: pl.DataFrame | None  # the values of each slice
    coverage: pl.DataFrame | None
    tally: Tally
    names: Names
    notes: tuple[Message, ...]
    weighted: bool
    score_column: str | None
    likely_score: str | None


class Ways(NamedTuple):
    """How rows are reduced: what parts hold, what intervals need, and what is known of all parts.

    With ``bits`` scores that matter by their order only are kept to so many leading bits.
    """

    whole: bool
    intervals: Literal["none", "sums", "rows"]
    totals: MergedRows | OrderTotals | None = None
    bits: int | None = None
    group: OrderTotals | None = None  # scores of the one group here, if other parts hold more of its rows
    in_batches: bool = False  # whether rows are too many to be kept
    many_units: bool = False  # whether all parts have more than are kept one by one


def collect_rows(rows: Rows, asked: Sequence[tuple[str, Any, Need]], ways: Ways) -> PartialRows:
    """The rows of one part; ``asked`` are labels, metrics and needs."""
    states = {label: rows.state(need) for label, _, need in asked}
    pieces, piece_of, placed = list[RowPiece](), dict[str, int](), list[str]()
    for first, state in states.items():
        if first in piece_of:
            continue
        group = [(label, metric, need) for label, metric, need in asked if states[label] is state]
        parts = rows.split(group[0][2], state)[1]
        parts = state if parts is None else parts
        both = (state, parts)
        reductions = {
            label: _reduction(label, metric, need, both, rows.slices, ways) for label, metric, need in group
        }
        forms = {label: reduction.form for label, reduction in reductions.items()}
        if "rows" in forms.values():  # which serve all
            forms = dict.fromkeys(forms, "rows")
        for form in dict.fromkeys(forms.values()):
            mine = [label for label in forms if forms[label] == form]
            piece_of |= dict.fromkeys(mine, len(pieces))
            placed += [label for label in mine if form == "sums" and reductions[label].placed]
            sums = [sums for label in mine if (sums := reductions[label].sums) is not None]
            if form == "groups" and ways.group is not None:
                need = next(need for label, _, need in group if label == mine[0])
                reduced = of_large_group(state, need, ways.group)
            else:
                reduced = _reduced(form, both, sums, ways)
            if form == "groups" and ways.many_units:
                for label, metric, _ in group:
                    if label in mine:
                        piece_of[label] = len(pieces)
                        pieces.append(RowPiece(form=form, state=added_groups(reduced, metric)))
            else:
                pieces.append(RowPiece(form=form, state=reduced))
    slices = rows.slices
    if ways.group is not None and slices is not None:  # the group has slices that this part does not have
        number, slices = numbers_among(slices, ways.group.slices), ways.group.slices
        pieces = [piece if piece.form == "groups" else _renumbered(piece, number) for piece in pieces]
    return PartialRows(
        pieces=tuple(pieces),
        piece_of=piece_of,
        placed=tuple(placed),
        bits=ways.bits,
        thresholded={
            label: need.threshold is not None and rows.states.thresholded(need) for label, _, need in asked
        },
        state_notes={label: tuple(rows.states.notes(states[label])) for label, _, _ in asked},
        slices=None if slices is None else slices.keys,
        coverage=rows.coverage,
        tally=rows.tally,
        names=rows.names,
        notes=tuple(rows.notes()),
        weighted=rows.states.weight is not None,
        score_column=rows.score_column,
        likely_score=rows.likely_score(),
    )


class Reduction(NamedTuple):
    """How the rows of one metric are reduced; ``placed`` says that its value comes from a first pass."""

    form: Form
    sums: RowSums | None = None
    placed: bool = False


def _reduction(
    label: str, metric: Any, need: Need, rows: tuple[Any, Any], slices: Slices | None, ways: Ways
) -> Reduction:
    """``rows`` are those of the whole, and the same in slices."""
    state, parts = rows
    if ways.intervals == "rows":
        return Reduction("rows")
    if isinstance(state, Scored) and metric.by_score:
        if ways.bits is not None and not metric.has_bound:
            raise merging.no_tolerance(metric=label)
        if ways.intervals == "none":
            if ways.totals is not None and ways.totals.has(metric, need):
                return Reduction("sums", RowSums(), placed=True)
            key = (order_key(state, ways.bits),)
            if ways.bits is None:
                return Reduction("sums", RowSums(keys=key))
            score = state.score.astype(np.float64)
            ends = tuple(RowTerm(name, lambda _: score) for name in _ENDS)
            return Reduction("bins", RowSums(keys=key, terms=ends))
        if ways.totals is not None and (terms := _moves(label, metric, need, rows, slices, ways.totals)):
            return Reduction("sums", RowSums(terms=terms), placed=True)
        return Reduction("rows")
    reduction = metric.reduced_to(parts)
    if reduction == "groups":
        apart = ways.intervals == "none" or (isinstance(state, Scored) and within_units(state))
        if ways.in_batches and not apart:
            raise measuring.group_in_two_units(metric=label)
        return Reduction("groups" if ways.whole and apart else "rows")
    few = state.units is None and state.n_rows <= partial_units.MOST_UNITS and not ways.many_units
    few = few and ways.intervals != "none"
    return Reduction("rows") if few or reduction is None else Reduction("sums", reduction)


def order_key(state: Scored, bits: int | None) -> Ints:
    """Integers in the order of the scores, or of their leading bits."""
    if bits is None:
        ordered = ordered_bits(state.score)
        return ordered.view(np.int64) if ordered.dtype == np.uint64 else ordered.astype(np.int64)
    return (ordered_bits(in_single(state.score)) >> np.uint32(32 - bits)).astype(np.int64)


def binned(state: Scored, bits: int) -> Scored:
    """The same with the lowest score of each bin as the score of its rows, in single precision."""
    score = prefix_edges(order_key(state, bits), bits, np.float32).astype(np.float32)
    return replace(state, score=score, precision="float32")


def _moves(
    label: str,
    metric: Any,
    need: Need,
    rows: tuple[Any, Any],
    slices: Slices | None,
    totals: MergedRows | OrderTotals,
) -> tuple[RowTerm, ...] | None:
    """How much each row moves the value of the whole, and that of its slice, once all scores are known."""
    terms = []
    for part, of in ((rows[0], None), *([] if slices is None else [(rows[1], slices)])):
        moves = totals.moves(label, metric, need, part, of)
        if moves is None:
            return None
        terms.append(RowTerm(MOVES[of is not None].format(label), lambda _, moves=moves: moves))  # type: ignore[misc]
    return tuple(terms)


MOVES = ("moves of {}", "moves of {} in slices")


def numbers_among(slices: Slices, every: Slices | None) -> Ints:
    """The number of each slice among those of all parts."""
    if every is None or every.labels.columns != slices.labels.columns:
        raise merging.totals_changed()
    known = every.labels.with_row_index("number")
    found = slices.labels.join(
        known, on=slices.labels.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    if found["number"].null_count():
        raise merging.totals_changed()
    return found["number"].to_numpy().astype(np.int64)


def _reduced(form: Form, rows: tuple[Any, Any], sums: Sequence[RowSums], ways: Ways) -> Any:
    state, parts = rows
    if form == "groups":
        return of_groups(state, parts)
    if form == "rows":
        return _plain(parts)
    scores, lowest = distinct_scores(parts), getattr(parts, "n_lowest", 0)
    if form == "bins":
        assert ways.bits is not None
        parts = binned(parts, ways.bits)
    made = condensed(parts, sums, apart=ways.intervals != "none", many_units=ways.many_units)
    return replace(made, condensed=replace(made.condensed, scores=scores, lowest=lowest))


def _plain(state: Any) -> Any:
    """The same without units and groups that have no row."""
    changes: dict[str, Any] = {}
    if state.units is not None:
        changes["units"] = used_units(state.units)
    group = getattr(state, "group", None)
    if group is not None:
        of_units = state.units is not None and state.units.code is group
        known = used_units(Units(n=state.n_groups, code=group, names=state.groups))
        known = changes["units"] if of_units else known
        changes |= {"group": known.code, "n_groups": known.n, "groups": known.names}
    return replace(state, **changes)


def condensed(state: Any, wanted: Sequence[RowSums], *, apart: bool = True, many_units: bool = False) -> Any:
    """The rows of each unit and slice that metrics do not tell apart as one entry, with the sums of terms.

    Without ``apart`` only the name of the units is kept.
    """
    old, units = state.condensed, state.units
    if apart:
        units = in_buckets(units, getattr(state, _TRUTH[type(state)]), many_units=many_units)
    code_of = units.code if apart and units is not None else None
    columns = [part for part in (state.segment, code_of) if part is not None]
    columns += [getattr(state, name) for name in _KEYS[type(state)]]
    columns += [key for sums in wanted for key in sums.keys]
    code = np.zeros(state.n_rows, np.int64)
    for column in columns:
        values, place = distinct(column.astype(np.int64))
        _, code = distinct(code * len(values) + place)
    n = int(code.max(initial=-1)) + 1
    first = np.zeros(n, np.int64)
    first[code[::-1]] = np.arange(state.n_rows)[::-1]
    weight = segment_sum(state.weights, code, n)
    if old is None:
        terms = {term.name: term.each(state) for sums in wanted for term in sums.terms}
    else:
        terms = {name: old.terms[name].to_numpy() for name in old.terms.columns}
    means = {name: ratio(segment_sum(state.weighed(each), code, n), weight) for name, each in terms.items()}
    for name, kind in _ENDS.items():
        if name in terms:
            means[name] = terms[name][first]
            kind.at(means[name], code, terms[name])
    counts = state.weights > 0 if old is None else old.count
    if units is not None and code_of is None:
        units = Units(n=n, column=units.column)
    elif units is not None and code_of is not None:
        units = used_units(replace(units, code=code_of[first]))
    return replace(
        state,
        n_rows=n,
        weight=weight,
        segment=None if state.segment is None else state.segment[first],
        units=units,
        **{name: getattr(state, source)[first] for name, source in _ARRAYS[type(state)].items()},
        **_LEFT[type(state)],
        condensed=Condensed(
            count=segment_sum(counts, code, n).astype(np.int64),
            terms=pl.DataFrame(means),
            n_rows=state.n_rows if old is None else old.n_rows,
            scores=np.zeros(0) if old is None else old.scores,
            lowest=0 if old is None else old.lowest,
        ),
    )


# terms that keep the least or the greatest value of all rows instead of the mean
LOWEST, HIGHEST = "lowest score", "highest score"
_ENDS = {LOWEST: np.minimum, HIGHEST: np.maximum}
_TRUTH = {Scored: "label", Classified: "truth", Rated: "truth"}
_KEYS: dict[type, tuple[str, ...]] = {Scored: ("label",), Classified: ("truth", "called"), Rated: ()}
# the arrays of an entry, and where they come from; and what is not kept
_ARRAYS: dict[type, dict[str, str]] = {
    Scored: {"label": "label", "score": "score"},
    Classified: {"truth": "truth", "predicted": "called"},
    Rated: {"truth": "truth", "predicted": "predicted"},
}
_LEFT: dict[type, dict[str, Any]] = {
    Scored: {"group": None, "n_groups": 0, "groups": None},
    Classified: {"probability": None},
    Rated: {},
}


def _renumbered(piece: RowPiece, number: Ints) -> RowPiece:
    segment = number[piece.state.segment]
    return replace(piece, state=replace(piece.state, segment=segment, n_segments=len(number)))
