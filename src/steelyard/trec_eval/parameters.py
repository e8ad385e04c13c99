"""What is asked for: measures by their names and nicknames, with their parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from steelyard.messages.errors import as_trec_eval
from steelyard.trec_eval.measures import MEASURES, NICKNAMES, Measure

WHOLE = r"^\s*([+-]?[0-9]+)"
DECIMAL = r"^\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
NO_NUMBER = r"(?i)^\s*[+-]?(nan|inf)"  # which C's atof reads as one
_DIGITS = 18  # of a whole number that C holds


@dataclass(frozen=True)
class MeasureAsked:
    """A measure with its parameters, and the names under which its values are printed."""

    measure: Measure
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def p(self) -> float:
        """The persistence of a reader of rank-biased precision."""
        return next((value for name, value in reversed(self.pairs) if name == "p"), 0.9)

    def gains(self, edition: int) -> dict[int, float]:
        """The gain of each level that was given one; trec_eval 9 takes any name for a level."""
        found: dict[int, float] = {}
        for name, value in self.pairs:
            if edition > 9 and not re.fullmatch("[+-]?[0-9]+", name):
                continue
            if whole(name) < 0:
                raise as_trec_eval.gain_of_nothing(name=self.name, level=whole(name))
            found.setdefault(whole(name), value)
        return found


def named(text: str, edition: int) -> tuple[list[str], tuple[str, str] | None]:
    """The measures that the text of one ``-m`` names, and a measure with the text of its parameters."""
    name, point, parameters = text.partition(".")
    if point and not parameters:
        raise as_trec_eval.empty_parameters(text=text)
    known = [one.name for one in MEASURES if one.since <= edition]
    if name not in NICKNAMES and name not in known:
        raise as_trec_eval.no_such_measure(name, [*NICKNAMES, *known])
    return [*NICKNAMES.get(name, (name,))], ((name, parameters) if point else None)


def asked(texts: Iterable[str], edition: int) -> list[MeasureAsked]:
    """Every measure asked for, once, as they are printed; without any the official ones."""
    names: set[str] = set()
    parameters: dict[str, str] = {}
    for text in list(texts) or ["official"]:
        some, with_parameters = named(text, edition)
        names.update(some)
        if with_parameters is not None:
            parameters.setdefault(*with_parameters)
    return [
        _asked(one, parameters.get(one.name))
        for one in MEASURES
        if one.name in names and one.since <= edition
    ]


def _asked(measure: Measure, text: str | None) -> MeasureAsked:
    name, takes = measure.name, measure.takes
    parts = [] if text is None else text.split(",")
    if takes == "cutoffs":
        cutoffs = tuple(sorted(whole(part) for part in parts)) or measure.default
        if cutoffs[0] <= 0:
            raise as_trec_eval.bad_cutoff(name=name, value=cutoffs[0])
        return MeasureAsked(measure, tuple(f"{name}_{k}" for k in _once(name, cutoffs)), cutoffs)
    if takes == "shares":
        shares = tuple(sorted(decimal(part) for part in parts)) or measure.default
        return MeasureAsked(measure, tuple(f"{name}_{share:3.2f}" for share in _once(name, shares)), shares)
    if takes == "nothing" or text is None:
        return MeasureAsked(measure, (name,), measure.default)
    printed = (f"{name}_{text}",)
    if takes == "numbers":
        return MeasureAsked(measure, printed, tuple(decimal(part) for part in parts))
    if any(part.count("=") != 1 for part in parts):
        raise as_trec_eval.bad_pairs(name=name, text=text)
    return MeasureAsked(measure, printed, pairs=tuple(_pair(part) for part in parts))


def _once(name: str, cutoffs: tuple[float, ...]) -> tuple[float, ...]:
    for one, next_one in pairwise(cutoffs):
        if one == next_one:
            raise as_trec_eval.same_cutoff(name=name, value=one)
    return cutoffs


def _pair(part: str) -> tuple[str, float]:
    name, _, value = part.partition("=")
    return name, decimal(value)


def whole(text: str) -> int:
    """The whole number that a text begins with, 0 where it begins with none: C's ``atol``.

    >>> whole("23.4"), whole("-2"), whole("two")
    (23, -2, 0)
    """
    found = re.match(WHOLE, text)
    if found and len(found[1]) > _DIGITS:
        raise as_trec_eval.bad_number(text=found[1])
    return int(found[1]) if found else 0


def decimal(text: str) -> float:
    """The number that a text begins with, 0 where it begins with none: C's ``atof``.

    >>> decimal(".25"), decimal("1e-2x"), decimal("none")
    (0.25, 0.01, 0.0)
    """
    found = re.match(DECIMAL, text)
    if re.match(NO_NUMBER, text) or (found and not math.isfinite(float(found[1]))):
        raise as_trec_eval.bad_number(text=text)
    return float(found[1]) if found else 0.0
