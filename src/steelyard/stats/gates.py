"""Gates: rules on a result, and a verdict in plain words on each rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from steelyard.arguments import number_of, slice_value
from steelyard.engine.protocol import Tally
from steelyard.engine.slices import in_sentence
from steelyard.metrics.base import Direction, gained
from steelyard.stats.significance import DropLimits, Mode, Slice, doubt_of
from steelyard.text import Message, say, sentences
from steelyard.text.errors import asking
from steelyard.text.labels import apart, finite, how_many, in_table, named, rounded

Outcome = Literal["failed", "passed"]

OUTCOMES: dict[Outcome, Message] = {"failed": say("failed"), "passed": say("passed")}
Kind = Literal["max_drop", "min", "max", "min_coverage"]

MODES: tuple[Mode, ...] = ("point", "harm", "non_inferior")
COVERAGE = "truth coverage"  # the name that the rule on it has in place of a metric
_SAME = 1e-12  # values and limits that differ by less are equal


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule on a metric: the largest drop from the baseline, or the least or greatest value.

    ``min_coverage`` is a rule on the predictions: the least share of the truth that they cover.

    >>> Rule.of("max_drop", "ndcg@10", "0.5%")
    Rule(kind='max_drop', metric='ndcg@10', limit=0.5, percent=True)
    >>> Rule.of("min", "auc", 0.7).sentence
    'min 0.7'
    """

    kind: Kind
    metric: str
    limit: float
    percent: bool = False  # of the baseline's value, or of the truth

    @classmethod
    def of(cls, kind: Kind, metric: str, given: object) -> Rule:
        """The rule of a metric with its limit: a number, or text such as ``0.5%``."""
        text = given.strip() if isinstance(given, str) else ""
        percent = text.endswith("%")
        limit = number_of(given)
        if isinstance(given, str):
            digits = text.removesuffix("%")
            try:
                limit = float(digits) if digits.isascii() and "_" not in digits else None
            except ValueError:
                limit = None
        if limit is None or not math.isfinite(limit):
            raise asking.bad_limit(kind, metric, given)
        if percent and kind in ("min", "max"):
            raise asking.percent_of_nothing(rule=kind, metric=metric, limit=text)
        if kind == "min_coverage" and not 0 <= limit <= (100 if percent else 1):
            raise asking.not_a_share(limit=text or given)
        if kind == "max_drop" and limit < 0:
            raise asking.negative_drop(metric=metric, limit=text or given)
        return cls(kind=kind, metric=metric, limit=limit, percent=percent)

    @property
    def allowed(self) -> str:
        return f"{self.limit:g} %" if self.percent else f"{self.limit:.12g}"

    @property
    def sentence(self) -> Message:
        return say("{rule} {limit}", rule=self.kind, limit=self.allowed)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether one metric passes one rule, over everything or in one slice.

    ``drop`` is how much worse the value is than the baseline's, below 0 if it is better. ``drop_low`` and
    ``drop_high`` are its interval at the ``level``. ``units_to_decide`` is how many units would move that
    interval to one side of the limit if the drop stayed the same. A verdict is true if the rule passed.
    """

    rule: Rule
    metric: str
    names: Mapping[str, str]  # of its slice, by column, as tables have them; empty for the whole
    value: float
    baseline: float | None
    drop: float | None
    n: int
    unit: str
    outcome: Outcome
    sentence: Message
    mode: Mode | None = None  # None for rules that compare with no baseline
    limits: DropLimits | None = None
    units_to_decide: int | None = None

    def __bool__(self) -> bool:
        return self.outcome == "passed"

    @property
    def drop_low(self) -> float | None:
        """The lower end of the drop's interval."""
        return None if self.limits is None else self.limits.low

    @property
    def drop_high(self) -> float | None:
        """The upper end of the drop's interval."""
        return None if self.limits is None else self.limits.high

    @property
    def level(self) -> float | None:
        return None if self.limits is None else self.limits.level

    @property
    def name(self) -> Message:
        """The metric, the rule and the slice."""
        rule = say("{metric} {rule}", metric=self.metric, rule=self.rule.sentence)
        if not self.names:
            return rule
        return say("{asked} · {slice}", asked=rule, slice=in_sentence(self.names.values()))

    @property
    def slice(self) -> dict[str, str | None]:
        """The slice by the values of its columns, None where it has none; empty for the whole."""
        return {column: slice_value(name) for column, name in self.names.items()}

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; a number that is not finite is None, as JSON has no other."""
        numbers = {name: finite(getattr(self, name)) for name in NUMBERS}
        return {
            "metric": self.metric,
            "rule": self.rule.to_dict(),
            "mode": self.mode,
            "slice": self.slice,
            **numbers,
            "units_to_decide": self.units_to_decide,
            "n": self.n,
            "unit": self.unit,
            "outcome": self.outcome,
            "text": str(self.sentence),
        }


NUMBERS = ("value", "baseline", "drop", "drop_low", "drop_high", "level")  # of a verdict


def coverages(tally: Tally) -> dict[str, tuple[int, int]]:
    """How many queries and rows of the truth have predictions, and how many there are.

    >>> coverages(Tally.of(queries_judged=200, queries_missing=199))
    {'queries': (1, 200)}
    """
    answered = tally.queries_judged - tally.queries_missing - tally.queries_emptied
    counts = {
        "queries": (answered, tally.queries_judged),
        "rows": (tally.rows, tally.rows + tally.unmatched_truth),
    }
    return {unit: counts[unit] for unit, name in _COUNTED.items() if name in tally.held and counts[unit][1]}


_COUNTED = {"queries": "queries_missing", "rows": "unmatched_truth"}


def coverage_verdict(
    rule: Rule | None,
    unit: str,
    mine: tuple[int, int],
    base: tuple[int, int] | None,
    names: Mapping[str, str] | None = None,
) -> Verdict:
    """Whether the predictions cover the required share of the truth, or else the baseline's.

    Without a ``rule`` and a baseline the whole truth must be covered. ``names`` are those of a slice.
    """
    base = base if rule is None else None
    rule = rule or Rule(kind="min_coverage", metric=COVERAGE, limit=base[0] / base[1] if base else 1.0)
    share = mine[0] / mine[1]
    least = rule.limit / 100 if rule.percent else rule.limit
    figures: dict[str, Any] = {
        "n": mine[0],
        "of_truth": how_many(mine[1], unit),
        "share": f"{apart(100 * share, 100 * least, 1)} %",
        "limit": f"{apart(100 * least, 100 * share, 1)} %",
    }
    message = say(
        "{n:,} of {of_truth} in the truth have predictions ({share}); at least {limit} is required"
        if base is None
        else "{n:,} of {of_truth} in the truth have predictions ({share}); the baseline has {limit}",
        **figures,
    )
    failed = _above(least, share)
    if failed:
        message = say("{said}; allow fewer with min_coverage (--min-coverage)", said=message)
    if names:
        message = named(in_sentence(names.values()), message)
    return Verdict(
        rule=rule,
        metric=COVERAGE,
        names=names or {},
        value=share,
        baseline=None if base is None else base[0] / base[1],
        drop=None,
        n=mine[1],
        unit=unit,
        outcome="failed" if failed else "passed",
        sentence=message,
    )


@dataclass(frozen=True, kw_only=True)
class Values:
    """One metric of a result: its value and its number of units in the whole and in each slice."""

    label: str
    direction: Direction
    unit: str
    at: Mapping[Slice, tuple[float, int]]

    @classmethod
    def of(cls, label: str, rows: pl.DataFrame, by: Sequence[str], direction: Direction, unit: str) -> Values:
        """The values from the rows of a result; a metric with a value per class is refused."""
        mine = rows.filter(rows["metric"] == label)
        if "class" in mine.columns and mine["class"].null_count() < mine.height:
            raise asking.value_per_class(metric=label)
        keys = zip(*(mine[name].to_list() for name in by), strict=True) if by else [()]
        held = zip(mine["value"].to_list(), mine["n"].to_list(), strict=True)
        return cls(label=label, direction=direction, unit=unit, at=dict(zip(keys, held, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The values that rules on one metric compare, and how."""

    mine: Values
    base: Values | None
    by: tuple[str, ...]
    mode: Mode = "point"
    limits: Mapping[Slice, DropLimits] = field(default_factory=dict)  # of the drops

    def judge(self, rule: Rule) -> list[Verdict]:
        """A verdict on the whole, then one on each slice."""
        if rule.kind == "max_drop" and self.mine.direction == "none":
            raise asking.no_worse_side(metric=self.mine.label)
        theirs = self.base.at if self.base is not None else {}
        return [self._verdict(rule, at) for at in dict.fromkeys([*self.mine.at, *theirs])]

    def _verdict(self, rule: Rule, at: Slice) -> Verdict:
        value, n = self.mine.at.get(at, (math.nan, 0))
        base, of_base = None, n
        if self.base and rule.kind == "max_drop":
            base, of_base = self.base.at.get(at, (math.nan, 0))
        whole = all(name is None for name in at)
        if whole:
            self._check_whole(rule, value, base)
        drop = None if base is None else -gained(value, base, self.mine.direction) + 0.0
        known = None if drop is None else self.limits.get(at)
        allowed = rule.limit * abs(base) / 100 if rule.percent and base is not None else rule.limit
        outcome, message = self._judged(rule, value, base, drop, allowed, known)
        counted = how_many(n, self.mine.unit)
        if of_base != n and drop is not None and math.isfinite(drop):
            message = say(
                "{said}; it is measured on {n}, the baseline on {of_base}",
                said=message,
                n=counted,
                of_base=how_many(of_base, self.mine.unit),
            )
        names = {} if whole else {column: str(name) for column, name in zip(self.by, at, strict=True)}
        if names:
            message = named(say("{slice} ({n})", slice=in_sentence(names.values()), n=counted), message)
        return Verdict(
            rule=rule,
            metric=self.mine.label,
            names=names,
            value=value,
            baseline=base,
            drop=drop,
            n=n,
            unit=self.mine.unit,
            outcome=outcome,
            sentence=message,
            mode=None if drop is None else self.mode,
            limits=known,
            units_to_decide=None if known is None or drop is None else known.needed(drop, allowed),
        )

    def _check_whole(self, rule: Rule, value: float, base: float | None) -> None:
        if math.isnan(value):
            raise asking.no_value_to_check(metric=self.mine.label)
        if base is not None and not math.isfinite(base):
            raise asking.no_baseline_value(metric=self.mine.label, value=in_table(base))
        if rule.percent and base == 0:
            raise asking.percent_of_zero(metric=self.mine.label, limit=rule.allowed)

    def _judged(
        self,
        rule: Rule,
        value: float,
        base: float | None,
        drop: float | None,
        allowed: float,
        known: DropLimits | None,
    ) -> tuple[Outcome, Message]:
        label = self.mine.label
        if base is None or drop is None:
            return _against_limit(rule, label, value)
        unknown = {
            "no_values": math.isnan(base) and math.isnan(value),
            "no_baseline_value": math.isnan(base),
            "no_value": math.isnan(value),
            "both_infinite": math.isnan(drop),
        }
        for key, holds in unknown.items():
            if holds:
                figures = {"value": in_table(value), "baseline": in_table(base)}
                return "failed", _sentence(key, metric=label, **figures)
        change = _change(rule, label, self.mine.direction, value, base, drop, allowed)
        beyond = _above(drop, allowed, value, base)
        if known is not None and known.left_out:
            return "failed", say("{said}; cannot be decided: {doubt}", said=change, doubt=doubt_of(known))
        if not math.isfinite(drop) or (self.mode == "harm" and not beyond):
            return "failed" if beyond else "passed", change
        if self.mode == "point":
            return "failed" if beyond else "passed", _with_limits(change, known, drop, allowed)
        if doubt := doubt_of(known):
            return "failed", say("{said}; cannot be decided: {doubt}", said=change, doubt=doubt)
        assert known is not None
        shown = known.low > allowed
        fails = shown if self.mode == "harm" else not known.high < allowed
        change = _with_limits(change, known, drop, allowed)
        ending = say("a drop beyond the limit is shown") if shown else _UNDECIDED[self.mode, fails]
        return "failed" if fails else "passed", say("{said}; {ending}", said=change, ending=ending)


_sentence = sentences(
    no_values="{metric} has no value here and in the baseline, so nothing can be decided",
    no_baseline_value="{metric} is {value}; the baseline has no value here, so nothing can be decided",
    no_value="{metric} has no value here; the baseline's is {baseline}",
    both_infinite="{metric} is {value}, and the baseline's is {baseline}, so nothing can be decided",
)
_UNDECIDED = {  # by mode, and whether the rule fails
    ("harm", False): say("no drop beyond the limit is shown"),
    ("non_inferior", True): say("a drop beyond the limit is not ruled out"),
    ("non_inferior", False): say("a drop beyond the limit is ruled out"),
}


def _with_limits(change: Message, known: DropLimits | None, drop: float, allowed: float) -> Message:
    if known is None or doubt_of(known) or known.low == known.high:
        return change
    low, high = (apart(end, allowed) for end in (known.low, known.high))
    tail = 100 * (1 - known.level)
    decimals = max(2, 1 - math.floor(math.log10(tail)))
    level = f"{100 * known.level:.{decimals}f}".rstrip("0").rstrip(".")
    change = say(
        "{said}; {level} interval of the drop {low} to {high}",
        said=change,
        level=f"{level} %",
        low=low,
        high=high,
    )
    needed = known.needed(drop, allowed)
    if needed is None:
        return change
    return say("{said}; about {n:,} {n:unit|units} would decide", said=change, n=rounded(needed))


def rules_of(kind: Kind, given: object) -> list[Rule]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise asking.not_limits(kind, given)
    return [Rule.of(kind, str(metric), limit) for metric, limit in given.items()]


def in_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """What failed, then what passed; each in the order of the rules."""
    return sorted(verdicts, key=lambda verdict: list(OUTCOMES).index(verdict.outcome))


def _above(one: float, limit: float, *values: float) -> bool:
    """Whether a number is above a limit by more than the rounding of its values."""
    return one - limit > _SAME * max([1.0, *(abs(value) for value in values if math.isfinite(value))])


def _against_limit(rule: Rule, label: str, value: float) -> tuple[Outcome, Message]:
    if math.isnan(value):
        return "failed", say("{metric} has no value here, so no rule on it can pass", metric=label)
    least = rule.kind == "min"
    fails = _above(rule.limit, value, value) if least else _above(value, rule.limit, value)
    message = say(
        "{metric} is {value}; at least {limit} is wanted"
        if least
        else "{metric} is {value}; at most {limit} is wanted",
        metric=label,
        value=apart(value, rule.limit),
        limit=rule.allowed,
    )
    return "failed" if fails else "passed", message


def standing(direction: Direction, drop: float, amount: str) -> Message:
    if direction == "nearest_1":
        if drop < 0:
            return say("{amount} nearer to 1 than", amount=amount)
        return say("{amount} further from 1 than", amount=amount)
    if (drop > 0) == (direction == "higher"):
        return say("{amount} below", amount=amount)
    return say("{amount} above", amount=amount)


def _change(
    rule: Rule, label: str, direction: Direction, value: float, base: float, drop: float, allowed: float
) -> Message:
    if not _above(abs(drop), 0.0, value, base):
        return say("{metric} is {value}, as the baseline's is", metric=label, value=in_table(value))
    if not rule.percent:
        amount = apart(abs(drop), allowed)
    elif base:
        amount = f"{apart(100 * abs(drop / base), rule.limit, 1)} %"
    else:  # of a slice
        amount = in_table(abs(drop))
    change = say(
        "{metric} is {value}, {standing} the baseline's {baseline}",
        metric=label,
        value=apart(value, base),
        standing=standing(direction, drop, amount),
        baseline=apart(base, value),
    )
    if drop < 0:
        return change
    if allowed == 0:
        return say("{said}; nothing worse is allowed", said=change)
    return say("{said}; at most {limit} is allowed", said=change, limit=rule.allowed)
