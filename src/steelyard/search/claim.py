"""A number that somebody printed, and how exactly: what is searched for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from steelyard import read
from steelyard.arguments import number_of
from steelyard.search.starts import Meant
from steelyard.text.errors import SteelyardError, comparing

MOST_DIGITS = 15  # of a float64, all of which can be trusted
MOST_CLAIMS = 100  # a search for so many takes half a minute
COLUMNS = ("metric", "value")
SLACK = {"float32": 2e-6}  # by how much a library's own arithmetic may be off, beside 1
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Claim:
    """A metric and the value it is said to have, at the precision in which it was printed.

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
        """A claim from a metric's text and a number, or text that holds one; a percentage is a share."""
        if not isinstance(metric, str):
            raise comparing.metric_not_text(metric)
        text = given.strip() if isinstance(given, str) else None
        number = _number(text.removesuffix("%") if text else given)
        if number is None:
            raise comparing.value_not_number(metric, given)
        digits = number.as_tuple().digits
        if len(digits) > MOST_DIGITS and isinstance(given, float):
            number = Context(prec=MOST_DIGITS).create_decimal(number)
        elif len(digits) > MOST_DIGITS:
            rounded = Context(prec=MOST_DIGITS).create_decimal(number)
            raise comparing.too_many_digits(
                metric=metric, n=len(digits), most=MOST_DIGITS, rounded=f"{rounded:f}"
            )
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        percent = 2 if text and text.endswith("%") else 0
        half = float(f"5e{exponent - 1 - percent}")
        if not (half and math.isfinite(half) and math.isfinite(float(number))):
            raise comparing.beyond_numbers(metric=metric, printed=str(given).strip())
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
        """Whether a value is printed so, by a library that computes so exactly."""
        slack = SLACK.get(exact, _ROUNDING) * max(1.0, abs(self.value))
        return abs(value - self.value) <= self.half + slack

    def scaled(self, by: float) -> Claim:
        """The same digits of a value so many times as large."""
        return Claim(self.metric, self.printed, self.value * by, self.half * by)

    def cut(self) -> Claim:
        """What is printed so where digits are cut off: values from the one printed up to the next."""
        away = math.copysign(self.half, self.value)
        return Claim(self.metric, self.printed, self.value + away, self.half)


def claims_of(given: Any) -> list[Claim]:
    """Claims from a mapping of metrics to values, or from a table with these two columns."""
    if given is None:
        raise comparing.nothing_claimed()
    if (
        isinstance(given, Sequence)
        and given
        and all(isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in given)
    ):
        raise comparing.pairs_given(given=str(dict(given)))
    if not isinstance(given, Mapping):
        return from_table(given)
    return checked([Claim.of(metric, value) for metric, value in given.items()])


def from_table(table: Any) -> list[Claim]:
    """The claims of a file, or of a frame; a file of text keeps the digits that it prints."""
    _, (source, *_) = read.open_sources(table, "claims", "claims")
    names = {name.strip().casefold(): name for name in source.columns}
    lacking = [name for name in COLUMNS if name not in names]
    if lacking:
        if any(";" in name for name in names):
            raise comparing.semicolons(name=source.name)
        raise comparing.column_missing(name=source.name, column=lacking[0], columns=list(source.columns))
    frame = source.load([names[name] for name in COLUMNS]).head(MOST_CLAIMS + 1)
    if not frame.height:
        raise comparing.empty_claims(name=source.name)
    claims = []
    for row, (metric, value) in enumerate(frame.rows()):
        try:
            claims.append(Claim.of("" if metric is None else metric, "" if value is None else value))
            Meant.by(claims[-1].metric)
        except SteelyardError as error:
            raise comparing.in_row(name=source.name, row=row + 1, error=error) from None
    return checked(claims)


def checked(claims: list[Claim]) -> list[Claim]:
    """The claims, of which there must be some, and one of each metric."""
    if not claims:
        raise comparing.nothing_claimed()
    if len(claims) > MOST_CLAIMS:
        raise comparing.too_many_claims(most=MOST_CLAIMS)
    seen: dict[str, Claim] = {}
    for claim in claims:
        other = seen.setdefault(claim.metric, claim)
        if other is not claim:
            raise comparing.claimed_twice(metric=claim.metric, one=other.printed, other=claim.printed)
    return claims


def _number(given: object) -> Decimal | None:
    """The finite number that is meant, with all digits that are written."""
    if isinstance(given, str):
        try:
            number = Decimal(given.strip().replace("−", "-").replace("_", "x"))
        except InvalidOperation:
            return None
    else:
        found = number_of(given)
        if found is None:
            return None
        number = given if isinstance(given, Decimal) else Decimal(repr(_plain(given, found)))
    return number if number.is_finite() else None


def _plain(given: object, found: float) -> int | float:
    """A number of Python's own, so that its repr has its digits; a float32 has its own few."""
    if isinstance(given, int):
        return given
    short = getattr(given, "dtype", None)
    return float(str(given)) if short is not None and short.itemsize < 8 else found
