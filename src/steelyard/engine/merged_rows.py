"""The rows of several parts put together, under the names that those of one have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from steelyard.arrays import Floats, Ints
from steelyard.engine import partial_units
from steelyard.engine.classified import Classified
from steelyard.engine.columns import Class, grouped
from steelyard.engine.influence import UNNAMED, Condensed, Units
from steelyard.engine.merged_accounts import (
    check_types,
    merged_coverage,
    merged_names,
    merged_notes,
    merged_slices,
    merged_tally,
)
from steelyard.engine.partial_groups import added_groups, are_many, only_groups
from steelyard.engine.partial_rows import (
    HIGHEST,
    LOWEST,
    MOVES,
    PartialRows,
    RowPiece,
    binned,
    condensed,
    numbers_among,
    order_key,
)
from steelyard.engine.partial_units import in_buckets
from steelyard.engine.protocol import Need
from steelyard.engine.row_states import RowStates
from steelyard.engine.rows import Rows
from steelyard.engine.scored import Rated, RowSums, Scored
from steelyard.engine.scored_parts import DISTINCT, GroupedRows
from steelyard.engine.slices import Slices
from steelyard.text import Message, say
from steelyard.text.errors import merging

if TYPE_CHECKING:
    from steelyard.engine.score_counts import OrderTotals

KINDS: dict[type, Message] = {
    Scored: say("scores // what was predicted"),
    Classified: say("classes // what was predicted"),
    Rated: say("ratings // what was predicted"),
    GroupedRows: say("scores // what was predicted"),
}


def merge_rows(parts: Sequence[PartialRows], metrics: Mapping[str, Any], *, whole: bool) -> PartialRows:
    """The rows of several parts as those of one."""
    first = parts[0]
    slices, codes = merged_slices([part.slices for part in parts])
    pieces, piece_of = list[RowPiece](), dict[str, int]()
    groups: dict[tuple[int, ...], list[str]] = {}
    for label in first.piece_of:
        groups.setdefault(tuple(part.piece_of[label] for part in parts), []).append(label)
    for places, labels in groups.items():
        mine = [part.pieces[at] for part, at in zip(parts, places, strict=True)]
        forms = {piece.form for piece in mine}
        states, form = [piece.state for piece in mine], mine[0].form
        as_units = sum(state.n_rows for state in states if state.units is None)
        if forms == {"rows", "sums"} or (form == "rows" and as_units > partial_units.MOST_UNITS):
            reductions = [[metrics[label].reduced_to(state) for label in labels] for state in states]
            if all(isinstance(one, RowSums) for several in reductions for one in several):
                form = "sums"
                states = [
                    state if piece.form == form else condensed(state, several)
                    for state, piece, several in zip(states, mine, reductions, strict=True)
                ]
        elif forms == {"groups"} and are_many(states):
            for label in labels:
                metric = metrics[label]
                added = _joined([added_groups(state, metric) for state in states], codes, whole=whole)
                piece_of[label] = len(pieces)
                pieces.append(RowPiece(form=form, state=added_groups(added, metric)))
            continue
        elif len(forms) > 1:
            raise merging.units_of_groups(metrics=labels)
        state = _joined(states, codes, whole=whole)
        if form in ("sums", "bins"):
            keys = _keys_of(state, [metrics[label] for label in labels if label not in first.placed])
            state = condensed(state, keys, apart=state.units is not None and state.units.code is not None)
        piece_of |= dict.fromkeys(labels, len(pieces))
        pieces.append(RowPiece(form=form, state=state))
    return replace(
        first,
        pieces=tuple(pieces),
        piece_of=piece_of,
        state_notes={
            label: tuple(dict.fromkeys(note for part in parts for note in part.state_notes[label]))
            for label in first.state_notes
        },
        slices=None if slices is None else slices.keys,
        coverage=merged_coverage([part.coverage for part in parts], slices),
        tally=merged_tally([part.tally for part in parts]),
        names=merged_names([part.names for part in parts]),
        notes=merged_notes([part.notes for part in parts]),
    )


def _keys_of(state: Any, metrics: Sequence[Any]) -> list[RowSums]:
    """What keeps entries apart that were kept apart before."""
    if isinstance(state, Scored) and any(metric.by_score for metric in metrics):
        return [RowSums(keys=(order_key(state, None),))]
    return [one for metric in metrics if isinstance(one := metric.reduced_to(state), RowSums)]


def _joined(states: Sequence[Any], codes: Sequence[Ints] | None, *, whole: bool) -> Any:
    """The entries of several states one after the other."""
    first = states[0]
    kinds = {type(state) for state in states}
    if len(kinds) > 1:
        one, other, *_ = sorted(KINDS[kind] for kind in kinds)
        raise merging.kinds_differ(one=one, other=other)
    units = _joined_units([state.units for state in states], whole=whole)
    changes: dict[str, Any] = {"n_rows": sum(state.n_rows for state in states), "units": units}
    weighted = {state.weight is not None for state in states}
    changes["weight"] = None
    if True in weighted:
        changes["weight"] = np.concatenate([state.weights for state in states])
    if first.segment is not None:
        numbers = [np.zeros(0, np.int64)] * len(states) if codes is None else codes
        changes["segment"] = np.concatenate(
            [
                np.append(code, -1)[state.segment]  # entries of no slice stay without
                for state, code in zip(states, numbers, strict=True)
            ]
        )
        changes["n_segments"] = max(int(code.max(initial=-1)) for code in numbers) + 1
    if isinstance(first, Classified):
        changes |= _joined_classes(cast("Sequence[Classified]", states))
    else:
        names = ("label", "score") if isinstance(first, Scored) else ("truth", "predicted")
        changes |= {name: np.concatenate([getattr(state, name) for state in states]) for name in names}
    if isinstance(first, Scored):
        precisions = {state.precision for state in states}
        if len(precisions) > 1:
            raise merging.types_differ(what="score", one=min(precisions), other=max(precisions))
        changes |= _joined_groups(cast("Sequence[Scored]", states), units, whole=whole)
    if isinstance(first, GroupedRows):
        kind = type(first.values)
        values = {
            one.name: np.concatenate([getattr(state.values, one.name) for state in states])
            for one in fields(kind)
        }
        changes["values"] = kind(**values)
    if first.condensed is not None:
        held = [state.condensed for state in states]
        changes["condensed"] = Condensed(
            count=np.concatenate([one.count for one in held]),
            terms=pl.concat([one.terms for one in held]),
            n_rows=sum(one.n_rows for one in held),
            scores=np.unique(np.concatenate([one.scores for one in held]))[:DISTINCT],
            lowest=sum(one.lowest for one in held),
        )
    return replace(first, **changes)


def _joined_units(units: Sequence[Units | None], *, whole: bool) -> Units | None:
    there = [one for one in units if one is not None]
    if not there:
        return None
    columns = [one and (one.column or "") for one in units]
    if len(set(columns)) > 1:
        raise merging.units_differ(
            one=str(columns[0]), other=str(next(c for c in columns if c != columns[0]))
        )
    if all(one.code is None for one in there):  # without intervals
        return replace(there[0], n=sum(one.n for one in there))
    if any(one.buckets for one in there):
        there = [one if one.buckets else _bucketed(one) for one in there]
        return replace(there[0], code=np.concatenate([one.code for one in there if one.code is not None]))
    names, code = joined_names(there, "unit", whole=whole)
    return replace(there[0], n=len(names), code=code, names=names, unnamed=sum(one.unnamed for one in there))


def _bucketed(units: Units) -> Units:
    return in_buckets(units, np.zeros(0), many_units=True)


def joined_names(units: Sequence[Units], what: str, *, whole: bool) -> tuple[pl.Series, Ints]:
    """The names of the units of all parts, rising, and the number of each entry among them."""
    series = [cast("pl.Series", one.names) for one in units]
    if any(one.unnamed for one in units):  # rows without a name have another one in each part
        series = [
            pl.select(
                pl.when(names.str.starts_with(UNNAMED))
                .then(names.str.replace(UNNAMED, f"{UNNAMED}{at}.", literal=True))
                .otherwise(names)
            ).to_series()
            for at, names in enumerate(one.cast(pl.String) for one in series)
        ]
    check_types([{what: names.dtype} for names in series])
    every = pl.concat([names.alias(series[0].name) for names in series])
    number, names = grouped(every)
    used = np.bincount(number, minlength=len(names))
    if whole and used.max(initial=0) > 1:
        raise merging.not_whole(what=what, name=str(names[int(used.argmax())]))
    ends = np.cumsum([len(names) for names in series])[:-1]
    codes = [
        place[one.code]
        for place, one in zip(np.split(number, ends), units, strict=True)
        if one.code is not None
    ]
    return names, np.concatenate(codes)


def _joined_groups(states: Sequence[Scored], units: Units | None, *, whole: bool) -> dict[str, Any]:
    if any(state.group is None for state in states):
        return {}
    if units is not None and units.buckets and isinstance(states[0], GroupedRows):
        return {"group": units.code, "n_groups": units.n}
    same = all(state.units is not None and state.units.code is state.group for state in states)
    if same and units is not None and not isinstance(states[0], GroupedRows):
        return {"group": units.code, "n_groups": units.n, "groups": units.names}
    known = [Units(n=one.n_groups, code=one.group, names=one.groups) for one in states]
    names, code = joined_names(known, "group", whole=whole)
    return {"group": code, "n_groups": len(names), "groups": names}


def _joined_classes(states: Sequence[Classified]) -> dict[str, Any]:
    """The classes of all parts, and the truth and the predictions by their places among them."""
    first, names = states[0], [state.classes for state in states]
    if len({(state.named, state.others, state.one_label) for state in states}) > 1 or any(
        own != names[0]
        for own in names
        if first.named or first.probability is not None or not first.one_label
    ):
        other = next((own for own in names if own != names[0]), names[0])
        raise merging.classes_differ(one=names[0], other=other)
    changes: dict[str, Any] = {}
    for name in ("truth", "predicted", "probability"):
        columns = [getattr(state, name) for state in states]
        if any(column is None for column in columns):
            continue
        changes[name] = np.concatenate(columns)
    if all(own == names[0] for own in names):
        return changes
    if len({type(one) for own in names for one in own}) > 1:
        one, other = (next(own for own in names if isinstance(own[0], kind)) for kind in (str, int))
        raise merging.classes_differ(one=one, other=other)
    every: tuple[Class, ...] = tuple(sorted(set().union(*names)))
    places = [np.array([every.index(one) for one in own], np.int64) for own in names]
    for name in ("truth", "predicted"):
        changes[name] = np.concatenate(
            [place[getattr(state, name)] for place, state in zip(places, states, strict=True)]
        )
    return {**changes, "classes": every}


_ROUNDED = 1e-6


@dataclass(frozen=True, kw_only=True)
class MergedRows(Rows):
    """The rows of several parts under the names that those of one have."""

    parts: PartialRows
    labels: Mapping[object, str]  # of each metric
    totals: MergedRows | OrderTotals | None = None  # of a first pass
    _made: dict[tuple[int, bool], Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, parts: PartialRows, labels: Mapping[object, str], totals: MergedRows | OrderTotals | None = None
    ) -> MergedRows:
        keys = parts.slices
        if parts.placed and totals is None:
            raise merging.totals_missing(metric=parts.placed[0])
        if parts.placed and totals is not None and totals.tally != parts.tally:
            raise merging.totals_of_other_rows(n=parts.tally.rows, m=totals.tally.rows)
        return cls(
            parts=parts,
            labels=labels,
            totals=totals,
            states=cast("RowStates", None),
            tables=(),
            tally=parts.tally,
            names=parts.names,
            slices=None if keys is None else Slices.of_keys(keys),
            coverage=parts.coverage,
            table_notes=parts.notes,
        )

    @property
    def weighted(self) -> bool:
        return self.parts.weighted

    @property
    def score_column(self) -> str | None:
        return self.parts.score_column

    def likely_score(self) -> str | None:
        return self.parts.likely_score

    def state_notes(self, need: Need, _state: Any) -> Sequence[Message]:
        return self.parts.state_notes[self.labels[need.metric]]

    def thresholded(self, need: Need) -> bool:
        return self.parts.thresholded[self.labels[need.metric]]

    def inputs(self) -> dict[str, pl.DataFrame]:
        return {}

    def state(self, need: Need) -> Any:
        if self._is_placed(need):
            assert self.totals is not None
            return self.totals.state(need)
        return self._state(need, sliced=False)

    def split(self, need: Need, _state: Any) -> tuple[pl.DataFrame | None, Any]:
        if self._is_placed(need):
            assert self.totals is not None
            return self.totals.split(need, _state)
        return (None, None) if self.slices is None else (self.slices.labels, self._state(need, sliced=True))

    def moved(self, need: Need) -> list[tuple[Any, Floats]] | None:
        if not self._is_placed(need):
            return None
        found = []
        for sliced in (False,) if self.slices is None else (False, True):
            state = self._state(need, sliced=sliced)
            name = MOVES[sliced].format(self.labels[need.metric])
            if name not in state.condensed.terms.columns:  # no intervals were asked for
                return None
            moves = state.condensed.terms[name].to_numpy()
            each = state.weights * np.nan_to_num(moves)
            # those of the same rows add up to 0
            if abs(each.sum()) > _ROUNDED * max(float(np.abs(each).sum()), 1.0):
                raise merging.totals_changed()
            found.append((state, moves))
        return found

    @property
    def bits(self) -> int | None:
        return self.parts.bits

    def has(self, _metric: Any, _need: Need) -> bool:  # parts without intervals keep counts of their own
        return False

    def moves(self, _label: str, metric: Any, need: Need, part: Any, slices: Slices | None) -> Floats | None:
        """How much each row of a part moves the value of all rows, or with ``slices`` that of its slice."""
        every = self.state(need) if slices is None else self.split(need, None)[1]
        part = part if self.bits is None else binned(part, self.bits)
        if slices is not None:
            part = replace(part, segment=numbers_among(slices, self.slices)[part.segment])
        return metric.moves_among(part, every, metric.measure(every))  # type: ignore[no-any-return]

    def bound(self, metric: Any, need: Need) -> float | None:
        """How far a value from bins of scores may be from that of the scores, in the whole and in slices.

        The value lies between those of the best and of the worst order within the bins.
        """
        if self.parts.bits is None or not metric.by_score:
            return None
        widest = 0.0
        for rows in (self.state(need), *([] if self.slices is None else [self.split(need, None)[1]])):
            known, place = np.unique(rows.score, return_inverse=True)
            code = rows.segments * len(known) + place.reshape(-1)
            low, high = np.full((2, rows.n_segments * len(known)), np.inf)
            np.minimum.at(low, code, rows.condensed.terms[LOWEST].to_numpy())
            np.minimum.at(high, code, -rows.condensed.terms[HIGHEST].to_numpy())
            mixed = (low < -high)[code]  # bins of one score are no ranges
            # of a range the best and the worst order; what is mixed in the worst has the remainder 1
            best, worst = (
                replace(rows, score=4.0 * place.reshape(-1) + mixed * np.where(rows.label == first, 2, 1))
                for first in (1, 0)
            )
            ends = metric.measure(best), metric.lowest_in_bins(worst, worst.table.score % 4 == 1)
            gaps = np.abs(np.stack(ends) - metric.measure(rows))
            widest = max(widest, float(np.nan_to_num(gaps).max(initial=0.0)))
        return widest

    def _is_placed(self, need: Need) -> bool:
        return self.labels[need.metric] in self.parts.placed

    def _state(self, need: Need, *, sliced: bool) -> Any:
        at = self.parts.piece_of[self.labels[need.metric]]
        if (at, sliced) not in self._made:
            self._made[at, sliced] = self._state_of(self.parts.pieces[at], sliced=sliced)
        return self._made[at, sliced]

    def _state_of(self, piece: RowPiece, *, sliced: bool) -> Any:
        state = piece.state
        if piece.form == "groups":
            state = only_groups(state, state.segment >= 0 if sliced else state.segment < 0)
        if sliced:
            assert self.slices is not None
            return replace(state, n_segments=len(self.slices))
        return replace(state, segment=None, n_segments=1)
