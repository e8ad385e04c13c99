"""What is in the data, and the values of conventions on it: each is measured once, if it can matter."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard import kernels
from steelyard.arrays import Floats
from steelyard.conventions import Align, Rank, tries
from steelyard.engine.align import check_grades
from steelyard.engine.classified import Classified
from steelyard.engine.coding import EncodedGrid
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Need
from steelyard.engine.ranked import Counted, strength_of
from steelyard.engine.rankings import Rankings
from steelyard.engine.rows import Rows
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.search.claim import Change
from steelyard.stats.run import value_of
from steelyard.text.errors import SteelyardError, asking

_DEPTHS = (100, 1000)
_MOST_GRADES = 20
_UNTRIED = ("k", "floor")
_DECIDING = {"threshold", "strict"}  # to state one decides what is read, whether or not it then acts


_FIELDS = {field.name: field for stage in (Align, Rank) for field in dataclasses.fields(stage)}
_LENIENT = {
    name: field.metadata.get("lenient") or next(value for value in tries(field, None) if value != "error")
    for name, field in _FIELDS.items()
}
# rows as they were given have no two at one place, whatever their scores are
_NEVER_TIED: dict[str, Any] = {name: _LENIENT[name] for name in ("ties", "scores", "item_order")}


@dataclass(frozen=True)
class Facts:
    """What a search needs to know of the data besides the values.

    ``idle`` are the fields that nothing depends on, each with the value that stands for all its values except
    those of ``refusing``. ``alike`` are single values of other fields that come to the same as another. Each
    metric of ``rows`` says itself which of its fields are idle.
    """

    idle: Mapping[str, Any] = field(default_factory=dict)
    grades: tuple[float, ...] = ()  # above 0
    order: str = ""  # of the lists by default
    longest: int | None = None  # list
    refusing: frozenset[Change] = frozenset()
    alike: Mapping[Change, Any] = field(default_factory=dict)
    rows: Rows | None = None
    _states: dict[tuple[Need, str, bool], Any] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Memory, kinds: list[type[Metric]]) -> Facts:
        known = cls()
        first = next((one for one in kinds if one.reads == "hits"), None)
        if engine.lists is not None and first is not None:
            known = _of_rankings(engine.lists, first())
        if engine.rows is not None:
            idle = {} if engine.rows.tally.unlabelled else {"unlabelled": "error"}
            if engine.rows.states.weight is None:
                idle["row_weights"] = "use"
            known = replace(known, idle={**known.idle, **idle}, rows=engine.rows)
        return known

    def idle_of(self, metric: Metric) -> dict[str, Any]:
        order = getattr(metric, "order", "")
        # of the further lists that a metric of lists may read nothing is known
        known = {} if metric.reads == "lists" else dict(self.idle)
        if order != self.order:
            known = {name: value for name, value in known.items() if name not in _NEVER_TIED}
        return known | _NEVER_TIED if order == "given" else known

    def settled(self, one: MetricRequest, *, for_good: bool = False) -> Metric:
        """The metric with one value for each field that nothing depends on.

        ``for_good`` keeps fields that would matter once another field is changed.
        """
        metric = one.metric
        if self.rows is not None and metric.weighs == "rows":
            metric = self._settled_by_rows(one, self.rows, for_good=for_good)
        values, idle = metric.values(), self.idle_of(metric)
        changes = {
            name: idle[name] if name in idle else self.alike[name, value]
            for name, value in values.items()
            if (name in idle or (name, value) in self.alike) and (name, value) not in self.refusing
        }
        if values.get("order") == "given":
            changes |= _NEVER_TIED  # nor is a score refused that is not looked at
        depth = getattr(metric, "depth", None)
        reaches_all = depth is not None and self.longest is not None and depth >= self.longest
        if reaches_all and metric.reads == "hits" and not for_good:
            expects = metric.replace(depth=None).without_expected
            changes |= {"depth": None} if expects == metric.without_expected else {}
        changes = {name: value for name, value in changes.items() if value != values[name]}
        return metric.replace(**changes) if changes else metric

    def _settled_by_rows(self, one: MetricRequest, rows: Rows, *, for_good: bool) -> Metric:
        metric, need = one.metric, one.metric.need(one.stated)
        key = need, need.labels, need.several_labels
        if key not in self._states:
            try:
                self._states[key] = rows.state(need)
            except SteelyardError:
                self._states[key] = None
        state = self._states[key]
        if state is None:
            return metric
        if not for_good:
            idle = metric.without_effect(state) - _DECIDING
        elif isinstance(state, Classified):
            idle = set()
        else:  # how curves of several classes become one, where there is one curve
            idle = metric.idle(state) & {"average", "undefined_class"}
        defaults = {field.name: field.default for field in dataclasses.fields(metric) if field.name in idle}
        return metric.replace(**defaults, labels="any")  # labels that are not refused are as any others


def _of_rankings(reader: Rankings, metric: Metric) -> Facts:
    lenient = metric.replace(**{**_LENIENT, **reader.settled})
    try:
        counted = reader.counted(lenient.need())
    except SteelyardError:  # tables without a query in common: every search will say so
        return Facts()
    tally = counted.tally
    idle: dict[str, Any] = {}
    if not tally.doubled_predictions + tally.doubled_judgements:
        idle["duplicates"] = "first"
    if not tally.queries_missing:
        idle["missing"] = "keep"
    grades = _grades(reader)
    all_relevant = bool((grades >= 1).all())  # else grades=relevant takes judgements away
    if not tally.queries_unexpected and all_relevant:
        idle["unexpected"] = "ignore"
    if not tally.unjudged and all_relevant:
        idle["unjudged"] = "nonrelevant"
    if (grades == 1).all():
        idle["grades"] = "as_given"
    allowed = {word: _allows(word, grades) for word in _FIELDS["grades"].metadata["refusing"][1:]}
    if _none_matches_itself(reader):
        idle["self_match"] = "keep"
    idle |= _of_order(reader, lenient, counted)
    order = reader.settled["order"]
    positive = bool((counted.strength > 0).all()) and not isinstance(reader.encoded, EncodedGrid)
    refusing = {("grades", word) for word, fits in allowed.items() if not fits}
    return Facts(
        idle=idle,
        grades=tuple(grades[grades > 0].tolist()),
        order=order,
        longest=int(counted.ranked.retrieved.max(initial=0)),
        # a cell that is taken out of a matrix has a score that is not above 0
        refusing=frozenset(refusing | (set() if positive or order != "score" else {("scores", "positive")})),
        alike={("grades", word): "as_given" for word, fits in allowed.items() if fits},
    )


def _grades(reader: Rankings) -> Floats:
    found, grid = np.unique(reader.grades), reader.grid
    if grid is not None and grid.whole and len(grid.cell) < grid.scores.size:
        return np.union1d(found, [0.0])
    return found


def _allows(word: Any, grades: Floats) -> bool:
    try:
        check_grades(grades, Align(grades=word), "")
    except SteelyardError:
        return False
    return True


def _of_order(reader: Rankings, lenient: Metric, counted: Counted) -> dict[str, Any]:
    """The idle fields of the order; single precision must not merge scores."""
    idle: dict[str, Any] = {}
    tally, by_score = counted.tally, reader.settled["order"] == "score"
    aligned = counted.aligned
    assert aligned is not None
    single = strength_of(aligned, Rank(scores="float32")) if by_score else aligned.strength
    few, many = (
        kernels.tied_and_distinct(aligned.offsets, scores)[1] for scores in (single, aligned.strength)
    )
    merged = few < many
    if not by_score or not (merged or tally.doubled_predictions):
        idle["scores"] = "as_given"
    if not (tally.tied or merged or tally.doubled_predictions):
        idle["ties"] = lenient.values()["ties"]
    items = reader.predictions.frame.get_column("item", default=None)
    if "ties" in idle or (items is not None and items.dtype == pl.String):
        idle["item_order"] = "native"
    return idle


def _none_matches_itself(reader: Rankings) -> bool:
    if isinstance(reader.encoded, EncodedGrid):
        return False
    frame = reader.predictions.frame
    if "item" not in frame.columns or frame["query"].dtype != frame["item"].dtype:
        return frame.height > 0 and "item" not in frame.columns
    return not (frame["query"] == frame["item"]).any()


def choices(metric: Metric, fixed: Collection[str], facts: Facts) -> list[Change]:
    """Every other value of each field that may change, without those that refuse data or change nothing."""
    untried = {*fixed, *_UNTRIED, *facts.idle_of(metric)}
    return [
        (field.name, value)
        for field in dataclasses.fields(metric)
        if field.name not in untried
        for value in _values(metric, field, facts)
        if value != getattr(metric, field.name)
    ]


def _values(metric: Metric, field: dataclasses.Field[Any], facts: Facts) -> list[Any]:
    if field.name == "rel":
        return list(facts.grades[:_MOST_GRADES])
    if field.name == "depth":
        depths = sorted({*_DEPTHS, *([metric.values()["k"]] if metric.values().get("k") else [])})
        return [None, *(depth for depth in depths if facts.longest is None or depth < facts.longest)]
    if field.name == "order":
        return ["given"]
    if callable(field.metadata.get("tries")):
        return []
    tried = tries(field, None)
    return [value for value in tried if value not in field.metadata.get("refusing", ("error",))]


Key = tuple[Metric, bool]  # whether a threshold was stated decides what it acts on


@dataclass(frozen=True)
class Trials:
    """What was measured so far; metrics that refuse the data have no value but a reason."""

    engine: Memory
    facts: Facts
    found: dict[Key, float] = field(default_factory=dict)
    refused: dict[Key, SteelyardError] = field(default_factory=dict)

    def measure(self, asked: Iterable[MetricRequest]) -> None:
        """Measure what was not measured yet, metrics of one alignment together; then clear the caches."""
        new = {key: request for request in asked if (key := self.key(request)) not in self.found}
        steps = {key: _steps(request.need) for key, request in new.items()}
        before = ("", "")
        for key in sorted(new, key=steps.__getitem__):
            if steps[key] != before:
                self.engine.clear_caches(aligned=steps[key][0] != before[0])
                before = steps[key]
            self.found[key] = self._value(key, new[key])
        self.engine.clear_caches()

    def settled(self, one: MetricRequest) -> Metric:
        """The metric with one value for each field that nothing depends on.

        ``undefined`` is such a field where a metric of rows is defined.
        """
        metric = self.facts.settled(one)
        if metric.weighs != "rows" or metric.undefined == "nan":
            return metric
        undefined_as_nan = replace(one, metric=metric.replace(undefined="nan"))
        self.measure([undefined_as_nan])
        return metric if math.isnan(self.of(undefined_as_nan)) else undefined_as_nan.metric

    def of(self, one: MetricRequest) -> float:
        """A value that was measured; NaN where it is undefined or refused."""
        return self.found[self.key(one)]

    def why_refused(self, one: MetricRequest) -> SteelyardError | None:
        return self.refused.get(self.key(one))

    def key(self, one: MetricRequest) -> Key:
        return one.metric, one.states("threshold", "strict")

    def _value(self, key: Key, one: MetricRequest) -> float:
        try:
            value = value_of(one, self.engine)
        except SteelyardError as error:
            error.__context__ = None  # which would keep all that was read, as the traceback would
            self.refused[key] = error.with_traceback(None)
            return math.nan
        if value.ndim:
            self.refused[key] = asking.claimed_of_classes(metric=str(one.metric))
            return math.nan
        return float(value)


def _steps(need: Need) -> tuple[str, str]:
    """The choices that need another alignment, and those that only need another order."""
    if need.align is None or need.rank is None:
        return "", ""
    return f"{need.align} {need.rank.order} {need.judged_zeros}", f"{need.rank.scores} {need.rank}"
