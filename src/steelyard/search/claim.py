"""What somebody claims: a printed number, the metric it means, and the ways in which libraries have it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from steelyard import read, spec
from steelyard.arguments import number_of
from steelyard.conventions import plain
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.registry import parse, split_profile
from steelyard.spec import EDITION, Plan, Profile
from steelyard.spec.libraries import form_in, names_for, offered_by, own, with_fields
from steelyard.text.errors import MetricError, SteelyardError, asking

MOST_DIGITS = 15  # of a float64, all of which can be trusted
MOST_CLAIMS = 100  # a search for so many takes half a minute
COLUMNS = ("metric", "value")
SLACK = {"float32": 2e-6}  # by how much a library's own arithmetic may be off, beside 1
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Claim:
    """A metric and its claimed value, at the precision in which it was printed.

    >>> claim = Claim.of("map@10", "0.302")
    >>> claim.low, claim.high, claim.fits(0.30249), claim.fits(0.3026)
    (0.3015, 0.3025, True, False)
    """

    metric: str
    printed: str
    value: float
    half: float  # a unit of the last digit

    @classmethod
    def of(cls, metric: object, given: object) -> Claim:
        """A claim from a metric's text and a number, or a number as text; ``30%`` is 0.3."""
        if not isinstance(metric, str):
            raise asking.metric_not_text(metric)
        text = given.strip() if isinstance(given, str) else None
        number = _decimal(text.removesuffix("%") if text else given)
        if number is None:
            raise asking.value_not_number(metric, given)
        digits = number.as_tuple().digits
        if len(digits) > MOST_DIGITS and isinstance(given, float):
            number = Context(prec=MOST_DIGITS).create_decimal(number)
        elif len(digits) > MOST_DIGITS:
            rounded = Context(prec=MOST_DIGITS).create_decimal(number)
            raise asking.too_many_digits(
                metric=metric, n=len(digits), most=MOST_DIGITS, rounded=f"{rounded:f}"
            )
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        percent = 2 if text and text.endswith("%") else 0
        half = float(f"5e{exponent - 1 - percent}")
        if not (half and math.isfinite(half) and math.isfinite(float(number))):
            raise asking.beyond_numbers(metric=metric, printed=str(given).strip())
        number = number.scaleb(-percent)
        return cls(metric.strip(), text if text else f"{number:f}", float(number), half)

    @property
    def low(self) -> float:
        return float(Decimal(repr(self.value)) - Decimal(repr(self.half)))

    @property
    def high(self) -> float:
        return float(Decimal(repr(self.value)) + Decimal(repr(self.half)))

    @property
    def decimals(self) -> int:
        return max(0, -math.floor(math.log10(self.half)) - 1)

    def fits(self, value: float, exact: str = "float64") -> bool:
        """Whether a library of this precision prints a value so."""
        slack = SLACK.get(exact, _ROUNDING) * max(1.0, abs(self.value))
        return abs(value - self.value) <= self.half + slack

    def scaled(self, by: float) -> Claim:
        return Claim(self.metric, self.printed, self.value * by, self.half * by)

    def cut(self) -> Claim:
        """The same for digits that are cut off, not rounded: from the printed value up to the next."""
        half = self.half * 0.999
        return Claim(self.metric, self.printed, self.value + math.copysign(half, self.value), half)


def claims_of(given: Any) -> list[Claim]:
    """Claims from a mapping of metrics to values, or from a table with these two columns."""
    if given is None:
        raise asking.nothing_claimed()
    if isinstance(given, Mapping):
        return checked([Claim.of(metric, value) for metric, value in given.items()])
    if isinstance(given, Sequence) and given and all(map(_is_pair, given)):
        raise asking.pairs_given(given=str(dict(given)))
    return from_table(given)


def _is_pair(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)


def from_table(table: Any) -> list[Claim]:
    """The claims of a file or a frame; a text file keeps the digits that it prints."""
    _, (source, *_) = read.open_sources(table, "claims", "claims")
    names = {name.strip().casefold(): name for name in source.columns}
    lacking = [name for name in COLUMNS if name not in names]
    if lacking:
        if any(";" in name for name in names):
            raise asking.semicolons(name=source.name)
        raise asking.column_missing(name=source.name, column=lacking[0], columns=list(source.columns))
    frame = source.load([names[name] for name in COLUMNS]).head(MOST_CLAIMS + 1)
    if not frame.height:
        raise asking.empty_claims(name=source.name)
    claims = []
    for row, (metric, value) in enumerate(frame.rows()):
        try:
            claims.append(Claim.of("" if metric is None else metric, "" if value is None else value))
            ClaimTarget.by(claims[-1].metric)
        except SteelyardError as error:
            raise asking.in_row(name=source.name, row=row + 1, error=error) from None
    return checked(claims)


def checked(claims: list[Claim]) -> list[Claim]:
    """The claims; refused if there are none, too many, or two of one metric."""
    if not claims:
        raise asking.nothing_claimed()
    if len(claims) > MOST_CLAIMS:
        raise asking.too_many_claims(most=MOST_CLAIMS)
    seen: dict[str, Claim] = {}
    for claim in claims:
        other = seen.setdefault(claim.metric, claim)
        if other is not claim:
            raise asking.claimed_twice(metric=claim.metric, one=other.printed, other=claim.printed)
    return claims


def _decimal(given: object) -> Decimal | None:
    """A finite number with all digits that were written; None for anything else."""
    if isinstance(given, str):
        try:
            number = Decimal(given.strip().replace("−", "-").replace("_", "x"))
        except InvalidOperation:
            return None
    elif (value := number_of(given)) is None:
        return None
    elif isinstance(given, Decimal | int):
        number = Decimal(given)
    else:  # a float32 has fewer digits than the float64 of the same value
        dtype = getattr(given, "dtype", None)
        short = dtype is not None and dtype.itemsize < 8
        number = Decimal(repr(float(str(given)) if short else value))
    return number if number.is_finite() else None


Change = tuple[str, Any]  # a field and the value that it gets


@dataclass(frozen=True)
class ClaimTarget:
    """The metric that a text means: its class, and the fields that the text fixes.

    A text without profile fixes what it states. The name of another library fixes the metric's own fields
    (f1_macro is a macro average in every library) and its figures; the stages are the library's.
    """

    kind: type[Metric]
    fixed: Mapping[str, Any]
    written: str  # without a profile
    profile: str = ""  # the only one to be tried

    @classmethod
    def by(cls, text: str) -> ClaimTarget:
        """The likeliest meaning of a text, which may be any library's own name."""
        return cls.every(text)[0]

    @classmethod
    def every(cls, text: str) -> list[ClaimTarget]:
        """All meanings of a text, the default first: recall is of rows there, elsewhere of lists."""
        name, written = split_profile(text)
        if name is not None:
            chosen = spec.profile(name)
            if asked := own(chosen, written):
                return [replace(cls._of_library(chosen, written, asked), profile=name)]
            spec.metrics(text)  # it has the metric by our name, or says which it has
            return [replace(cls._without_profile(written), profile=name)]
        targets = [
            cls._of_library(spec.profile(name), written, parse(text))
            for name, text in offered_by(written).items()
        ]
        others = {(target.kind, tuple(target.fixed.items())): target for target in targets}
        try:
            return [cls._without_profile(written), *others.values()]
        except MetricError:
            if not others:
                _refuse_fields(written)
                raise
            return list(others.values())

    @classmethod
    def _without_profile(cls, text: str) -> ClaimTarget:
        asked = _alone(text, parse(text))
        return cls(type(asked.metric), {name: getattr(asked.metric, name) for name in asked.stated}, text)

    @classmethod
    def _of_library(cls, chosen: Profile, text: str, found: Sequence[MetricRequest]) -> ClaimTarget:
        asked = _alone(text, found)
        own_fields = {field.name for field in asked.metric.own_fields()}
        fixed = {name: getattr(asked.metric, name) for name in asked.stated & own_fields}
        k = form_in(chosen, text)[1].get("k")
        if k and not k.isdecimal():
            raise asking.several_metrics(text=text, n=len(k.split(",")))
        if k and "k" in own_fields:
            fixed.setdefault("k", int(k))
        return cls(type(asked.metric), fixed, text)

    @property
    def of_lists(self) -> bool:
        return self.kind.reads in ("hits", "lists")

    @property
    def metric(self) -> Metric:
        return self.kind(**self.fixed)


@dataclass(frozen=True)
class Start:
    """A metric as one library has it, and the text that asks for it."""

    profile: Profile
    text: str
    asked: MetricRequest  # every field filled
    baseline: Mapping[str, Any]  # what the profile fills where a text says nothing

    def changed(self, changes: Mapping[str, Any]) -> tuple[str, Metric]:
        """The text and the metric with some fields changed; an error if these do not fit."""
        if not changes:
            return self.text, self.asked.metric
        metric = self.asked.metric.replace(**changes)
        metric.check()
        text = metric.text(self.baseline)
        return (text if self.profile.is_edition else f"{self.profile.name}:{text}"), metric


def starts(meant: ClaimTarget, chosen: Profile, by_data: Mapping[str, Any]) -> list[Start]:
    """Every way in which a library has a metric: by our name, and by names of its own."""
    if meant.profile not in ("", chosen.name):
        return []
    ways: dict[Metric, Start] = {}
    for text in _texts(meant, chosen):
        try:
            start = _start(text, chosen, by_data)
        except MetricError:  # it lacks the metric, or refuses it
            continue
        metric = start.asked.metric
        values = metric.values()
        fixed = {name: value for name, value in meant.fixed.items() if name in values and name != "k"}
        fits = all(plain(values[name]) == plain(value) for name, value in fixed.items())
        if metric.reads == meant.kind.reads and fits:  # else the name means another metric there
            ways.setdefault(metric, start)
    return list(ways.values())


def _texts(meant: ClaimTarget, chosen: Profile) -> Iterator[str]:
    if chosen.is_edition:
        yield str(meant.metric)
        return
    with suppress(MetricError):
        if len(own(chosen, meant.written)) == 1:
            yield f"{chosen.name}:{meant.written}"
    with suppress(MetricError):  # it lacks the metric, or has it not so
        metric = meant.metric
        fields = {**spec.profile(chosen.edition).fields(metric), **chosen.fields(metric)}
        there = metric.replace(**{**fields, **meant.fixed})
        yield f"{chosen.name}:{there.text(there.normalised(fields))}"
    figures = {name: plain(value) for name, value in meant.fixed.items() if value is not None}
    for name in names_for(chosen, meant.kind.key(), figures):
        try:
            (asked,) = own(chosen, name)
        except (MetricError, ValueError):
            continue
        fixed = {"k": None, **meant.fixed}
        if "k" in form_in(chosen, name)[1]:  # the name has the cutoff
            del fixed["k"]
        values = asked.metric.values()
        if all(values[field] == value for field, value in fixed.items() if field in values):
            yield f"{chosen.name}:{name}"


def _start(text: str, chosen: Profile, by_data: Mapping[str, Any]) -> Start:
    plan = Plan(asked=tuple(spec.metrics(text)), profile=spec.profile(EDITION), call={})
    (asked,) = plan.settled(by_data).metrics
    metric = asked.metric
    metric.check()
    known = {field.name for field in dataclasses.fields(metric)}
    fields = {**spec.profile(chosen.edition).fields(metric), **by_data}
    if not chosen.is_edition:
        fields |= chosen.fields(metric)
    baseline = metric.normalised({name: value for name, value in fields.items() if name in known})
    return Start(chosen, text, asked, baseline)


def _refuse_fields(text: str) -> None:
    """Refuse a library's own name with our fields after it, and name our text for it."""
    for chosen in sorted(spec.profiles().values(), key=lambda one: (one.place, one.name)):
        if named := with_fields(chosen, text):
            raise asking.name_takes_no_fields(name=named[0], profile=chosen.name, ours=named[1]) from None


def _alone(text: str, found: Sequence[MetricRequest]) -> MetricRequest:
    if len(found) != 1:
        raise asking.several_metrics(text=text, n=len(found))
    return found[0]


def check_bounds(claims: Sequence[Claim], targets: Sequence[ClaimTarget]) -> None:
    """Refuse a claim beyond the bounds of its metric."""
    for claim, target in zip(claims, targets, strict=True):
        ends = [target.kind.bounds, target.metric.within()]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        if claim.low > high or claim.high < low:
            as_percentage = "%" not in claim.printed and low <= claim.value / 100 <= high
            refusal = asking.is_percentage if as_percentage else asking.beyond_bounds
            raise refusal(metric=claim.metric, printed=claim.printed, low=f"{low:g}", high=f"{high:g}")
