"""Evaluate tables larger than memory: reduce them part by part, then measure what is left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any
from uuid import uuid4

import polars as pl

from steelyard import kernels
from steelyard.api.evaluate import measure, opened
from steelyard.api.partial import INTERVALS, shown_queries
from steelyard.engine import partial as engine_of_parts
from steelyard.engine import partial_units
from steelyard.engine.batches import Split
from steelyard.engine.bound import SHARE, memory_of, rows_of_a_part
from steelyard.engine.partial import RowPlaces, States
from steelyard.engine.partial_rows import Ways
from steelyard.engine.protocol import OF_LISTS, Call, Need
from steelyard.engine.rows import Rows
from steelyard.engine.score_counts import OrderTotals
from steelyard.engine.slices import check_number
from steelyard.engine.streamed import Batch
from steelyard.engine.temporary import temporary_folder
from steelyard.progress import Progress, Tell, reporting
from steelyard.result.result import Result, Results, check_by
from steelyard.spec import Plan
from steelyard.text import Message, say, sentences
from steelyard.text.errors import SteelyardError, measuring
from steelyard.text.errors.base import MergeError

_BYTES_OF_A_SCORE = 40  # that is held, with what is counted at it
_BYTES_MEASURED_SCORE = 160  # more while it is measured
_LEAST = 2**28  # bytes that the program takes anyway
_BYTES_MEASURED = 100  # of a row that is kept, while it is measured
_BYTES_KEPT = 40  # of a row that is kept to be measured at the end
STEPS = 100
_ALONE = ""  # the name of what is no score column among others
_note = sentences(
    progress="pass {n} of {of}: {rows:,} rows, {rate:,.0f} rows per second, {left:,.0f} s left",
)


def run_in_parts(plan: Plan, call: Call, progress: Progress = None) -> Result | Results:
    """The result of a plan on tables that are read in parts, or a result for each score column by name."""
    call.check()
    memory = memory_of(call)
    call = call if call.where is None else replace(call.opened(), where=None)
    call, unread = call.needed([metric.need for metric in plan.metrics])
    with (
        temporary_folder(call.temp_dir) as folder,
        reporting(progress, STEPS + len(plan.asked) + 2) as tell,
        kernels.watched() as missed,
    ):
        tell(say("reading"))
        split = Split.of(call, plan.wanted, folder, rows_of_a_part(memory))
        _check_intervals(plan, split)
        passes = _Passes(plan, split, memory, tell, ordered=_ordered(plan, split, memory))
        passes.run()
        found = {name: one.result(name, split, unread, missed, tell) for name, one in passes.systems.items()}
    if _ALONE in found:
        return found[_ALONE]
    check_by(plan.by)
    return Results(found)


def _check_intervals(plan: Plan, split: Split) -> None:
    """Refuse intervals by resampling of more rows than are kept."""
    ci = plan.certainty.ci
    of_rows = [one.label for one in plan.metrics if one.need.reads not in OF_LISTS]
    if of_rows and INTERVALS.get(ci) == "rows" and split.n_rows > partial_units.MOST_UNITS:
        raise measuring.rows_in_parts(metric=of_rows[0], ci=ci, n=split.n_rows)


def _ordered(plan: Plan, split: Split, memory: int) -> bool:
    """Whether the order of scores is counted: where the rows themselves would take too much memory."""
    if plan.certainty.ci != "none" and split.rows_are_units and split.n_rows <= partial_units.MOST_UNITS:
        return False
    by_order = any(one.need.reads == "scores" and one.metric.by_order for one in plan.metrics)  # type: ignore[attr-defined]
    return by_order and split.n_rows * _BYTES_KEPT > memory * SHARE


@dataclass(eq=False)
class _Collected:
    """The merged states of one score column so far."""

    plan: Plan
    totals: OrderTotals = field(default_factory=OrderTotals)
    groups: dict[object, OrderTotals] = field(default_factory=dict)  # those with more rows than a part
    states: list[States] = field(default_factory=list)
    many_units: bool | None = None
    places: RowPlaces = field(default_factory=RowPlaces)

    @property
    def asked(self) -> list[tuple[str, Any, Need]]:
        return [(one.label, one.metric, one.need) for one in self.plan.metrics]

    @property
    def by_order(self) -> list[tuple[str, Any, Need]]:
        return [one for one in self.asked if one[2].reads == "scores" and one[1].by_order]

    @property
    def by_group(self) -> list[tuple[str, Any, Need]]:
        return [one for one in self.asked if one[2].groups]

    def has_many_units(self, rows: Rows | None, part: Batch, split: Split) -> bool:
        """Whether there are more units than are kept one by one, estimated from the first part."""
        if self.many_units is None and part.n_rows:
            units = None if rows is None else rows.states.unit_column
            parts = split.n_rows / part.n_rows if split.by_key else 1.0
            n_units = split.n_rows if units is None else units.n_unique() * parts
            self.many_units = n_units > partial_units.MOST_UNITS
        return bool(self.many_units)

    def totals_of(self, group: object) -> OrderTotals:
        return self.groups.setdefault(group, OrderTotals())

    def add(self, states: States) -> None:
        """Merge parts of like sizes, so that what is large is seldom merged."""
        self.states.append(states)
        if states.lists is not None:  # they are small, and merged once
            return
        while len(self.states) > 1 and 2 * _size(self.states[-1]) >= _size(self.states[-2]):
            self.states[-2:] = [engine_of_parts.merge(self.states[-2:], self.asked)]

    def result(
        self, name: str, split: Split, notes: Sequence[Message], missed: Collection[Message], tell: Tell
    ) -> Result:
        states = engine_of_parts.merge(self.states, self.asked)
        self.states.clear()
        self.check_all_rows(states, name, split)
        totals = self.totals if states.rows is not None and states.rows.placed else None
        engine = engine_of_parts.merged_engine(states, self.asked, totals)
        return measure(self.plan, engine, notes, missed, tell)

    def check_all_rows(self, states: States, name: str, split: Split) -> None:
        """Refuse tables that lack what a part may lack. The first rows lack it too and give the error."""
        if states.lists is not None and states.lists.slices is not None:
            check_number(states.lists.slices, states.lists.queries.height, of_queries=True)
        if states.rows is not None and states.rows.slices is not None:
            check_number(states.rows.slices, states.rows.tally.rows, of_queries=False)
        needs = [need for _, _, need in self.asked]
        if not _lack_something(states, needs):
            return
        call = split.first_rows()
        _, engine = opened(self.plan, (call.systems() or {_ALONE: call})[name], _quiet)
        of_lists = [engine.reader(need).state(need) for need in needs if need.reads in OF_LISTS]
        if engine.lists is not None:
            engine.lists.notes(of_lists, graded=True)


def _lack_something(states: States, needs: Sequence[Need]) -> bool:
    """Whether all rows lack a partner, label, weight or slice, or all queries a judgement or baseline."""
    lists, rows = states.lists, states.rows
    lacking = [one.slices is not None and one.slices.height < 2 for one in (lists, rows) if one is not None]
    if rows is not None:
        lacking.append(rows.tally.rows in (0, rows.tally.unlabelled, rows.tally.weightless))
    if lists is not None:
        tally = lists.counted[0].tally if lists.counted else lists.lists[0][1]
        relevant = any(need.align is not None and need.align.grades == "relevant" for need in needs)
        baselines = [state.background.baseline_offsets for state, _ in lists.lists]
        lacking += [
            lists.judged and tally.queries_judged == tally.queries_missing,
            relevant and lists.max_grade < 1,
            any(one is not None and not one[-1] for one in baselines),
        ]
    return any(lacking)


def _size(states: States) -> int:
    return 0 if states.rows is None else sum(piece.state.n_rows for piece in states.rows.pieces)


@dataclass(eq=False)
class _PassProgress:
    """Tells how far the passes over all rows are."""

    tell: Tell
    passes: int
    n_rows: int
    number: int = 0
    rows: int = 0  # of the pass
    told: int = 0
    begun: float = field(default_factory=monotonic)

    def begin(self, number: int) -> None:
        self.number, self.rows = number, 0

    def add(self, rows: int) -> None:
        self.rows += rows
        done, every = self.number * self.n_rows + self.rows, self.passes * self.n_rows
        steps = done * STEPS // every
        if steps <= self.told:
            return
        seconds = max(monotonic() - self.begun, 1e-9)
        figures = {"n": self.number + 1, "of": self.passes, "rows": self.rows}
        stage = _note("progress", **figures, rate=done / seconds, left=(every - done) * seconds / done)
        for _ in range(steps - self.told):
            self.tell(stage)
        self.told = steps


@dataclass(eq=False)
class _Passes:
    """The passes over all parts that the metrics of a plan need."""

    plan: Plan
    split: Split
    memory: int
    tell: Tell
    ordered: bool  # whether the order of scores is counted, and rows are not kept
    systems: dict[str, _Collected] = field(default_factory=dict)

    def run(self) -> None:
        passes = [self._hold, self._count] if self.ordered or self.split.may_have_large_groups else []
        every: list[_Step] = [*passes, self._collect]
        progress = _PassProgress(self.tell, len(every), self.split.n_rows)
        for n, step in enumerate(every):
            progress.begin(n)
            for part in self.split.parts():
                self._on(part, step)
                progress.add(part.n_rows)
                if step == self._hold and self._hold_too_much():
                    break
            if step == self._hold and self._turned():
                progress.begin(n)
                for part in self.split.parts():
                    self._on(part, step)
                    progress.add(part.n_rows)
                    self._check_held()
            self.split.check_unchanged()
            if step == self._hold:
                self._check_held()
                for totals in self._totals():
                    totals.settle()

    def _totals(self) -> list[OrderTotals]:
        return [one for system in self.systems.values() for one in (system.totals, *system.groups.values())]

    def _hold_too_much(self) -> bool:
        return self._needed_for_scores() > max(self.memory, _LEAST)

    def _needed_for_scores(self) -> int:
        sizes = [totals.size for totals in self._totals()]
        measured = max((whole for whole, _ in sizes), default=0)  # one after the other
        return _BYTES_MEASURED_SCORE * measured + _BYTES_OF_A_SCORE * sum(every for _, every in sizes)

    def _turned(self) -> bool:
        """Whether the scores of the other class must be held, since it is the rarer one after all."""
        if not any(totals.is_wrong for totals in self._totals()):
            return False
        for totals in self._totals():
            totals.turn()
        return True

    def _check_held(self) -> None:
        if self._hold_too_much():
            system = next(iter(self.systems.values()))
            n = sum(totals.size[0] for totals in self._totals())
            needed, most = self._needed_for_scores() / 1e9, max(self.memory, _LEAST) / 1e9
            metric = (system.by_order or system.by_group)[0][0]
            raise measuring.too_many_scores(metric=metric, n=n, needed=needed, memory=most)

    def _on(self, part: Batch, step: _Step) -> None:
        try:
            for name, call in (part.call.systems() or {_ALONE: part.call}).items():
                step(self._system(name), call, part)
        except MergeError:
            raise
        except SteelyardError as error:
            with suppress(pl.exceptions.PolarsError):  # the source cannot be read again
                again = part.found_again()
                for name, call in (again.systems() or {_ALONE: again}).items():
                    step(replace(self._system(name), states=[]), call, part)
            raise error from None

    def _system(self, name: str) -> _Collected:
        return self.systems.setdefault(name, _Collected(self.plan))

    def _hold(self, system: _Collected, call: Call, part: Batch) -> None:
        self._read_order(system, call, part, lambda totals, rows, asked: totals.hold(rows, asked))

    def _count(self, system: _Collected, call: Call, part: Batch) -> None:
        self._read_order(system, call, part, lambda totals, rows, _: totals.count(rows))

    def _read_order(self, system: _Collected, call: Call, part: Batch, see: Callable[..., None]) -> None:
        wanted = [(system.totals, system.by_order)] if self.ordered else []
        if part.group is not None:
            wanted.append((system.totals_of(part.group), system.by_group))
        needs = list(dict.fromkeys(need for _, asked in wanted for _, _, need in asked))
        if not needs:
            return
        system.plan, engine = opened(system.plan, call, _quiet, only=needs)
        for totals, asked in wanted:
            see(totals, engine.rows, asked)

    def _collect(self, system: _Collected, call: Call, part: Batch) -> None:
        system.plan, engine = plan, engine = opened(system.plan, call, _quiet)
        if engine.rows is not None:
            system.totals.name_units(engine.rows)
        group = None
        if part.group is not None and system.by_group:
            group = system.groups[part.group]
        ways = Ways(
            whole=True,
            intervals=INTERVALS.get(plan.certainty.ci, "sums"),
            totals=system.totals if self.ordered and system.by_order else None,
            group=group,
            in_batches=True,
            many_units=system.has_many_units(engine.rows, part, self.split),
        )
        system.places.rows = part.places
        states = engine_of_parts.collect(
            engine,
            system.asked,
            uuid4().hex,
            whole="queries",
            ways=ways,
            places=system.places,
            best_and_worst=lambda: shown_queries(plan, engine),
        )
        self._check_kept(states)
        system.add(states)

    def _check_kept(self, states: States) -> None:
        """Refuse metrics whose rows are kept, where all rows would take more memory than they may."""
        needed, most = self.split.n_rows * _BYTES_MEASURED, max(self.memory, _LEAST)
        if states.rows is None or needed <= most:
            return
        for label, at in states.rows.piece_of.items():
            if states.rows.pieces[at].form == "rows":
                n, gb = self.split.n_rows, 1e9
                raise measuring.rows_are_kept(metric=label, n=n, needed=needed / gb, memory=most / gb)


_Step = Callable[[_Collected, Call, Batch], None]


def _quiet(_stage: Message) -> None:
    pass
