"""Partial results: evaluate a part of the data, save it, merge the parts into one result."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from steelyard import kernels, processes
from steelyard.api.evaluate import measure, opened, prepared
from steelyard.arguments import is_one_of, number_of
from steelyard.engine import partial as engine_of_parts
from steelyard.engine.columns import Class
from steelyard.engine.memory import Memory
from steelyard.engine.merged_rows import MergedRows
from steelyard.engine.partial import States, Whole
from steelyard.engine.partial_rows import Ways
from steelyard.engine.protocol import OF_LISTS, Call
from steelyard.metrics import Metric
from steelyard.progress import Progress, reporting
from steelyard.read import is_matrix
from steelyard.read.folders import paths
from steelyard.read.sources import predictions_first
from steelyard.render import output
from steelyard.result import partial_file
from steelyard.result.result import Result
from steelyard.spec import EDITION, Plan, with_task
from steelyard.stats.run import best_and_worst, measured, tolerance_note
from steelyard.text import Message, say
from steelyard.text.errors import merging
from steelyard.text.errors.forms import must_be, one_of

WHOLE = ("units", "rows")
_SPARE_BITS, _FEWEST_BITS = 12, 14
INTERVALS: Mapping[str, Literal["none", "sums", "rows"]] = {
    "none": "none",
    "bootstrap": "rows",
    "bca": "rows",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class Partial:
    """One part of the data, reduced to what its metrics need: small, mergeable, ready to be saved or sent.

    >>> import steelyard as sy
    >>> truth = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> first = sy.partial({"q1": ["a", "b"]}, {"q1": truth["q1"]}, "mrr")
    >>> second = sy.partial({"q2": ["a", "b"]}, {"q2": truth["q2"]}, "mrr")
    >>> sy.merge([first, second])["mrr"]
    0.75
    """

    plan: Plan
    states: States
    notes: tuple[Message, ...] = ()

    def __repr__(self) -> str:
        labels = ", ".join(metric.label for metric in self.plan.metrics)
        return f"<partial result of {len(self.states.ids)} part(s): {labels}>"

    def save(self, path: str | Path) -> None:
        """Keep the part in a file that ``sy.merge`` and ``steelyard merge`` read."""
        target = output.path_of(path)
        output.check_writable(target)
        output.write_bytes(target, self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of such a file."""
        return partial_file.to_bytes(self.plan, self.states, self.notes)

    @classmethod
    def of_bytes(cls, data: bytes, name: str = "the part") -> Partial:
        """The part that ``to_bytes`` wrote."""
        if not isinstance(data, bytes):
            raise merging.not_a_part(what=type(data).__name__)
        plan, states, notes = partial_file.of_bytes(data, name)
        return cls(plan=plan, states=states, notes=notes)

    def merge(self, *others: Partial) -> Partial:
        """Merge with other parts into one part, which can be merged further."""
        parts = _parts([self, *others])
        for part in parts[1:]:
            partial_file.check_same_plan(self.plan, part.plan)
        states = engine_of_parts.merge([part.states for part in parts], _asked(self.plan))
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        return replace(self, states=states, notes=notes)

    def result(self, totals: Partial | None = None, progress: Progress = None) -> Result:
        """The result of all that went in; ``totals`` are the merged parts of a first pass."""
        processes.check()
        known = None if totals is None else _first_pass(_merged(totals), self.plan, self.states.totals)
        engine = engine_of_parts.merged_engine(self.states, _asked(self.plan), known)
        with reporting(progress, steps=len(self.plan.asked) + 3) as tell, kernels.watched() as missed:
            result = measure(self.plan, engine, self.notes, missed, tell)
        rows = known or engine.rows  # the value comes from the first pass, where there is one
        if not isinstance(rows, MergedRows):
            return result
        return _within_tolerance(result, rows, self.states.tolerance)


def _first_pass(totals: Partial, plan: Plan, ids: Sequence[str] | None = None) -> MergedRows:
    """The rows of a first pass, if it fits a second pass with this plan and, if given, these parts."""
    if ids is not None and set(ids) != set(totals.states.ids):
        raise merging.other_totals()
    without = replace(plan, certainty=replace(plan.certainty, ci="none"))
    partial_file.check_same_plan(totals.plan, without)
    rows = engine_of_parts.merged_engine(totals.states, _asked(totals.plan)).rows
    if not isinstance(rows, MergedRows):
        raise merging.not_a_part(what=say("a first pass without metrics of rows"))
    return rows


@predictions_first
def partial(
    predictions: Any,
    truth: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = (),
    *,
    whole: Whole = "units",
    totals: Partial | str | os.PathLike[str] | None = None,
    tolerance: float | None = None,
    task: str | None = None,
    columns: Mapping[str, Any] | None = None,
    scores: str | None = None,
    by: str | Sequence[str] | Any = (),
    classes: Sequence[Class] | None = None,
    exclude: Any = None,
    weights: Any = None,
    catalog: Any = None,
    features: Any = None,
    history: Any = None,
    item_groups: Any = None,
    baseline_lists: Any = None,
    where: str | None = None,
    storage_options: Mapping[str, str] | None = None,
    ci: str = "auto",
    level: float = 0.95,
    unit: str | None = None,
    seed: int = 0,
    profile: str = EDITION,
    conventions: Mapping[str, Any] | None = None,
    progress: Progress = None,
    **further: Any,
) -> Partial:
    """Evaluate one part of the data; ``sy.merge`` makes the result of all parts.

    The arguments are those of ``sy.evaluate``. ``whole="units"`` says that all rows of a query, a user and a
    unit are in one part, the truth too; ``whole="rows"`` allows any rows, for metrics of rows.

    auc, pr_auc and ks depend on the order of all scores, so a part keeps its scores. Two arguments make it
    smaller. ``tolerance=0.0001`` keeps ranges of scores: the value is proven to be that near, and a note says
    how near. ``totals`` are the merged parts of a first pass with ``ci="none"``: parts of a second pass then
    keep only sums for each user, and intervals are exact.

    >>> import steelyard as sy
    >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.3, 0.4, 0.6]}
    >>> halves = [{name: values[at : at + 2] for name, values in log.items()} for at in (0, 2)]
    >>> sy.merge([sy.partial(half, metrics="auc", whole="rows") for half in halves])["auc"]
    0.75
    """
    arguments = dict(locals())
    notes: tuple[Message, ...] = ()
    if task is not None:
        arguments["metrics"], note = with_task(metrics, task, profile, arguments)
        notes = () if note is None else (note,)
    first = None if totals is None else _merged(totals)
    return part_of(*prepared(arguments), whole, first, tolerance, notes, progress)


def part_of(
    plan: Plan,
    call: Call,
    whole: Whole = "units",
    totals: Partial | None = None,
    tolerance: float | None = None,
    notes: Sequence[Message] = (),
    progress: Progress = None,
) -> Partial:
    """The part that a plan makes of the tables of a call."""
    if not is_one_of(whole, WHOLE):
        raise one_of("whole", whole, WHOLE)
    bits = None if tolerance is None else _bits(tolerance)
    if bits is not None and plan.certainty.ci != "none":
        raise merging.tolerance_with_intervals(ci=plan.certainty.ci)
    if is_matrix(call.predictions) and any(one.need.reads in OF_LISTS for one in plan.metrics):
        raise merging.no_ids()
    if systems := call.systems():
        raise merging.one_system(n=len(systems), names=list(systems))
    call, unread = call.needed([metric.need for metric in plan.metrics])
    with reporting(progress, steps=3) as tell, kernels.watched() as missed:
        plan, engine = opened(plan, call, tell)
        states = engine_of_parts.collect(
            engine,
            _asked(plan),
            uuid4().hex,
            whole=whole,
            ways=Ways(
                whole=whole == "units",
                intervals=INTERVALS.get(plan.certainty.ci, "sums"),
                totals=None if totals is None else _first_pass(totals, plan),
                bits=bits,
            ),
            totals=None if totals is None else totals.states,
            tolerance=tolerance,
            best_and_worst=lambda: shown_queries(plan, engine),
        )
        every = (*notes, *unread, *sorted(missed))
        return Partial(plan=plan, states=states, notes=every)


def shown_queries(plan: Plan, engine: Memory) -> list[object]:
    """The queries whose lists are kept to be shown: the best and the worst by the first metric of hits."""
    first = next((one for one in plan.metrics if one.need.reads == "hits"), None)
    if first is None:
        return []
    return best_and_worst([measured(first, engine, replace(plan.certainty, ci="none"))])


def _bits(tolerance: float) -> int:
    """How many leading bits of scores a tolerance needs: more than it seems, since scores crowd together."""
    share = number_of(tolerance)
    if share is None or not 0 < share < 1:
        raise must_be("tolerance", say("a number between 0 and 1, such as 0.0001"), tolerance)
    return min(max(math.ceil(-math.log2(share)) + _SPARE_BITS, _FEWEST_BITS), 32)


def _within_tolerance(result: Result, rows: MergedRows, tolerance: float | None) -> Result:
    """The result with a note on how exact values from bins of scores are; refused beyond the tolerance."""
    for one in result.plan.metrics:
        bound = rows.bound(one.metric, one.need) if one.need.reads == "scores" else None
        if not bound:
            continue
        if tolerance is not None and bound > tolerance:
            raise merging.tolerance_missed(metric=one.label, bound=bound, tolerance=tolerance)
        note = tolerance_note(one.label, bound, rows.parts.bits)
        result = result.noting(note)
    return result


def merge(
    parts: Iterable[Partial | str | os.PathLike[str]],
    *,
    totals: Partial | str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Result:
    """The result of all parts: partial results, or the files that they were saved in.

    ``totals`` are the merged parts of a first pass, where the parts were made with them.

    >>> import steelyard as sy
    >>> from tempfile import TemporaryDirectory
    >>> days = [{"label": [1, 0], "score": [0.8, 0.6]}, {"label": [1, 0], "score": [0.5, 0.1]}]
    >>> with TemporaryDirectory() as folder:
    ...     for n, day in enumerate(days):
    ...         sy.partial(day, metrics="auc", whole="rows").save(f"{folder}/day-{n}.state")
    ...     sy.merge(f"{folder}/day-{n}.state" for n in range(2))["auc"]
    0.75
    """
    processes.check()
    return _merged(parts).result(None if totals is None else _merged(totals), progress)


def _merged(parts: Any) -> Partial:
    first, *others = _parts([parts] if isinstance(parts, Partial | str | os.PathLike) else parts)
    return first.merge(*others)


def _parts(parts: Iterable[Partial | str | os.PathLike[str]]) -> list[Partial]:
    """Parts, and the files that parts were saved in, as parts."""
    found = []
    for part in parts if hasattr(parts, "__iter__") else [parts]:
        if isinstance(part, str | os.PathLike):
            for _, path in paths(os.fspath(part))[1]:
                plan, states, notes = partial_file.read(path)
                found.append(Partial(plan=plan, states=states, notes=notes))
        elif isinstance(part, Partial):
            found.append(part)
        else:
            raise merging.not_a_part(what=type(part).__name__)
    if not found:
        raise merging.no_parts()
    return found


def _asked(plan: Plan) -> list[tuple[str, Any, Any]]:
    return [(one.label, one.metric, one.need) for one in plan.metrics]
