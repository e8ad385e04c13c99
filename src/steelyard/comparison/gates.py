"""Gates: rules that a result has to keep, and a verdict with plain words on each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from steelyard.arguments import number_of, slice_value
from steelyard.measure.slices import in_sentence
from steelyard.messages import Message, say
from steelyard.messages.errors import gating
from steelyard.metrics.base import Direction
from steelyard.metrics.direction import gained
from steelyard.show.gate import OUTCOMES, Outcome
from steelyard.show.labels import how_many, in_table, named

Kind = Literal["max_drop", "min", "max"]
Slice = tuple[str | None, ...]  # a value per slice column; all None for the whole

KINDS: tuple[Kind, ...] = ("max_drop", "min", "max")
_SAME = 1e-12  # values and limits that differ by less are equal
_MOST_DECIMALS = 12


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What a metric must keep: a largest drop from the baseline, a least or a greatest value.

    >>> Rule.of("max_drop", "ndcg@10", "0.5%")
    Rule(kind='max_drop', metric='ndcg@10', limit=0.5, percent=True)
    >>> Rule.of("min", "auc", 0.7).told
    'min 0.7'
    """

    kind: Kind
    metric: str
    limit: float
    percent: bool = False  # of the baseline's value

    @classmethod
    def of(cls, kind: Kind, metric: str, given: object) -> Rule:
        """The rule of a metric and what was given as its limit: a number, or text such as ``0.5%``."""
        text = given.strip() if isinstance(given, str) else ""
        percent = text.endswith("%")
        limit = _number(text.removesuffix("%")) if isinstance(given, str) else number_of(given)
        if limit is None or not math.isfinite(limit):
            raise gating.bad_limit(kind, metric, given)
        if percent and kind != "max_drop":
            raise gating.percent_of_nothing(rule=kind, metric=metric, limit=text)
        if kind == "max_drop" and limit < 0:
            raise gating.negative_drop(metric=metric, limit=text or given)
        return cls(kind=kind, metric=metric, limit=limit, percent=percent)

    @property
    def allowed(self) -> str:
        """The limit as people write it."""
        return f"{self.limit:g} %" if self.percent else f"{self.limit:.12g}"

    @property
    def told(self) -> Message:
        """The rule in a few words."""
        return say("{rule} {limit}", rule=self.kind, limit=self.allowed)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether one metric keeps one rule, over everything or in one slice.

    ``drop`` is how much worse the value is than the baseline's, in the direction of the metric: below 0
    where it is better. ``p`` is that of a paired test, corrected for all tests of the gate, where only a
    significant drop fails.
    """

    rule: Rule
    metric: str
    names: Mapping[str, str]  # of its slice, by column, as tables have them; empty for the whole
    value: float
    baseline: float | None
    drop: float | None
    p: float | None
    n: int
    unit: str
    outcome: Outcome
    said: Message

    @property
    def name(self) -> Message:
        """What was asked, where: the metric, the rule and the slice."""
        asked = say("{metric} {rule}", metric=self.metric, rule=self.rule.told)
        if not self.names:
            return asked
        return say("{asked} · {slice}", asked=asked, slice=in_sentence(self.names.values()))

    @property
    def slice(self) -> dict[str, str | None]:
        """The slice by the values of its columns, None where it has none; empty for the whole."""
        return {column: slice_value(name) for column, name in self.names.items()}

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; a number that is not finite is None, as JSON has no other."""
        numbers = {name: _finite(getattr(self, name)) for name in ("value", "baseline", "drop", "p")}
        return {
            "metric": self.metric,
            "rule": self.rule.to_dict(),
            "slice": self.slice,
            **numbers,
            "n": self.n,
            "unit": self.unit,
            "outcome": self.outcome,
            "text": str(self.said),
        }


@dataclass(frozen=True, kw_only=True)
class Values:
    """One metric of a result: its value in the whole and in each slice, and on how many units it rests."""

    label: str
    direction: Direction
    unit: str
    at: Mapping[Slice, tuple[float, int]]

    @classmethod
    def of(cls, label: str, rows: pl.DataFrame, by: Sequence[str], direction: Direction, unit: str) -> Values:
        """The same from the rows of a result; a metric with a value per class has no one value."""
        mine = rows.filter(rows["metric"] == label)
        if "class" in mine.columns and mine["class"].null_count() < mine.height:
            raise gating.value_per_class(metric=label)
        keys = zip(*(mine[name].to_list() for name in by), strict=True) if by else [()]
        held = zip(mine["value"].to_list(), mine["n"].to_list(), strict=True)
        return cls(label=label, direction=direction, unit=unit, at=dict(zip(keys, held, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Rules on one metric: what is judged, what it is judged against, and how."""

    mine: Values
    base: Values | None
    by: tuple[str, ...]
    p: Mapping[Slice, float] | None = None  # of the difference, where only a significant drop fails
    alpha: float = 0.05

    def judge(self, rule: Rule) -> list[Verdict]:
        """A verdict on the whole, then one on each slice."""
        if rule.kind == "max_drop" and self.mine.direction == "none":
            raise gating.no_worse_side(metric=self.mine.label)
        theirs = self.base.at if rule.kind == "max_drop" and self.base is not None else {}
        every = [*self.mine.at, *(at for at in theirs if at not in self.mine.at)]
        return [self._verdict(rule, at) for at in every]

    def _verdict(self, rule: Rule, at: Slice) -> Verdict:
        value, n = self.mine.at.get(at, (math.nan, 0))
        base, of_base = None, n
        if self.base and rule.kind == "max_drop":
            base, of_base = self.base.at.get(at, (math.nan, 0))
        whole = all(name is None for name in at)
        if whole:
            self._check_whole(rule, value, base)
        drop = None if base is None else -gained(value, base, self.mine.direction) + 0.0
        p = self.p.get(at, math.nan) if self.p is not None and base is not None else None
        outcome, said = self._judged(rule, value, base, drop, p, n, whole=whole)
        if of_base != n and drop is not None and math.isfinite(drop):
            said = say(
                "{said}; it rests on {n}, and the baseline's on {of_base}",
                said=said,
                n=how_many(n, self.mine.unit),
                of_base=how_many(of_base, self.mine.unit),
            )
        names = {} if whole else {column: str(name) for column, name in zip(self.by, at, strict=True)}
        if names:
            counted = how_many(n, self.mine.unit)
            said = named(say("{slice} ({n})", slice=in_sentence(names.values()), n=counted), said)
        return Verdict(
            rule=rule,
            metric=self.mine.label,
            names=names,
            value=value,
            baseline=base,
            drop=drop,
            p=p,
            n=n,
            unit=self.mine.unit,
            outcome=outcome,
            said=said,
        )

    def _check_whole(self, rule: Rule, value: float, base: float | None) -> None:
        """Refuse a rule that cannot be judged over everything."""
        if math.isnan(value):
            raise gating.no_value_to_check(metric=self.mine.label)
        if base is not None and not math.isfinite(base):
            raise gating.no_baseline_value(metric=self.mine.label, value=in_table(base))
        if rule.percent and base == 0:
            raise gating.percent_of_zero(metric=self.mine.label, limit=rule.allowed)

    def _judged(
        self,
        rule: Rule,
        value: float,
        base: float | None,
        drop: float | None,
        p: float | None,
        n: int,
        *,
        whole: bool,
    ) -> tuple[Outcome, Message]:
        label = self.mine.label
        if base is None or drop is None:
            return _against_limit(rule, label, value)
        if math.isnan(base):
            return "not_tested", say(
                "{metric} has no value in the baseline here, and is not tested", metric=label
            )
        if math.isnan(value):
            return "failed", say(
                "{metric} has no value here; the baseline's is {baseline}",
                metric=label,
                baseline=in_table(base),
            )
        allowed = rule.limit * abs(base) / 100 if rule.percent else rule.limit
        said = _change(rule, label, self.mine.direction, value, base, drop, allowed)
        if not _above(drop, allowed, value, base):
            return "passed", said
        if p is None or not math.isfinite(value):
            return "failed", said
        if math.isnan(p) and n > 1 and whole:
            raise gating.not_testable(metric=label)
        if math.isnan(p):
            return "passed", say("{said}; too few to test, so it passes", said=said)
        if p < self.alpha:
            return "failed", say("{said}; the difference is significant (p {p})", said=said, p=_p(p))
        return "passed", say(
            "{said}; the difference is not significant (p {p}), so it passes", said=said, p=_p(p)
        )


def rules_of(kind: Kind, given: object) -> list[Rule]:
    """The rules of one kind, from a mapping of metrics to limits."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise gating.not_limits(kind, given)
    return [Rule.of(kind, str(metric), limit) for metric, limit in given.items()]


def in_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """What failed, what was not tested, what passed; each in the order of the rules."""
    ranks = {outcome: place for place, outcome in enumerate(OUTCOMES)}
    return sorted(verdicts, key=lambda one: ranks[one.outcome])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _above(one: float, limit: float, *values: float) -> bool:
    """Whether a number is above a limit by more than the rounding of the values it was made from."""
    return one - limit > _SAME * max([1.0, *(abs(value) for value in values if math.isfinite(value))])


def _against_limit(rule: Rule, label: str, value: float) -> tuple[Outcome, Message]:
    if math.isnan(value):
        return "not_tested", say("{metric} has no value here, and is not tested", metric=label)
    figures = {"metric": label, "value": _apart(value, rule.limit), "limit": rule.allowed}
    if rule.kind == "min":
        outcome: Outcome = "failed" if _above(rule.limit, value, value) else "passed"
        return outcome, say("{metric} is {value}; at least {limit} is wanted", **figures)
    outcome = "failed" if _above(value, rule.limit, value) else "passed"
    return outcome, say("{metric} is {value}; at most {limit} is wanted", **figures)


def _change(
    rule: Rule, label: str, direction: Direction, value: float, base: float, drop: float, allowed: float
) -> Message:
    """How a value stands to the baseline's, and how much worse it may be, where it is worse."""
    if not _above(abs(drop), 0.0, value, base):
        return say("{metric} is {value}, as the baseline's is", metric=label, value=in_table(value))
    if not rule.percent:
        amount = _apart(abs(drop), allowed)
    elif base:
        amount = f"{_apart(100 * abs(drop / base), rule.limit, 1)} %"
    else:  # of a slice
        amount = in_table(abs(drop))
    said = say(
        "{metric} is {value}, {standing} the baseline's {baseline}",
        metric=label,
        value=_apart(value, base),
        standing=_standing(direction, drop, amount),
        baseline=_apart(base, value),
    )
    if drop < 0:
        return said
    if allowed == 0:
        return say("{said}; nothing worse is allowed", said=said)
    return say("{said}; at most {limit} is allowed", said=said, limit=rule.allowed)


def _standing(direction: Direction, drop: float, amount: str) -> Message:
    """On which side of another value one stands, and how far from it."""
    if direction == "nearest_1":
        if drop < 0:
            return say("{amount} nearer to 1 than", amount=amount)
        return say("{amount} further from 1 than", amount=amount)
    if (drop > 0) == (direction == "higher"):
        return say("{amount} below", amount=amount)
    return say("{amount} above", amount=amount)


def _apart(value: float, other: float, decimals: int = 4) -> str:
    """A number with as many decimals as tell it from another one.

    >>> _apart(0.41234, 0.5), _apart(0.50001, 0.5), _apart(0.504, 0.5, 1), _apart(0.5, 0.5)
    ('0.4123', '0.50001', '0.504', '0.5000')
    """
    if not math.isfinite(value) or not math.isfinite(other) or value == other:
        return in_table(value) if decimals == 4 else f"{value:.{decimals}f}"
    for places in range(decimals, _MOST_DECIMALS):
        if f"{value:.{places}f}" != f"{other:.{places}f}":
            return f"{value:.{places}f}"
    return f"{value:.{decimals}f}"


def _p(p: float) -> str:
    """A p-value as a sentence has it.

    >>> _p(0.0312), _p(0.00004)
    ('= 0.031', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
