"""Sums over rows, one for each number that some metric adds up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from steelyard.arrays import Flags, Floats, Ints, once
from steelyard.kernels.scales import Scaled, common_exponent, times_power
from steelyard.messages import say
from steelyard.messages.errors import measuring
from steelyard.states.mergeable import Mergeable
from steelyard.states.rated import Rated
from steelyard.states.scored import Scored
from steelyard.states.segmented import Segmented
from steelyard.states.spread import Spread
from steelyard.states.twofold import Twofold, placed, segment_sums


class Holder(Protocol):
    """Something that has added up terms before."""

    def held(self, name: str) -> Scaled:
        """The sum of a term in each segment."""


@dataclass(frozen=True)
class Term:
    """A number of each row that a metric adds up; merged sums know it by its name.

    A metric asks the term for its total, and need not know whether there are still rows to add up. Where the
    numbers may be of any size, ``each`` gives them divided by 2 to an ``exponent`` of their segment.
    """

    name: str
    each: Callable[[Any], Floats] = field(compare=False)
    exponent: Callable[[Any], Ints] | None = field(default=None, compare=False)

    def total(self, rows: Segmented | Holder) -> Floats:
        """The weighted sum in each segment."""
        return times_power(*self.scaled(rows))

    def scaled(self, rows: Segmented | Holder) -> Scaled:
        """The same, also where it is too large or too small for a number."""
        if not isinstance(rows, Segmented):
            return rows.held(self.name)
        if self not in rows.shared:
            rows.shared[self] = Scaled(rows.total(self.each(rows)), self.exponents(rows))
        found: Scaled = rows.shared[self]
        return found

    def exponents(self, rows: Segmented) -> Ints:
        """The exponent of each segment."""
        return np.zeros(rows.n_segments, np.int64) if self.exponent is None else self.exponent(rows)


WEIGHT = Term("weight", lambda rows: np.ones(rows.n_rows))
POSITIVES = Term("positives", lambda scored: scored.label)
NEGATIVES = Term("negatives", lambda scored: 1 - scored.label)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sums(Mergeable):
    """Per segment the number of rows and the weighted sum of each term, in twice the usual precision.

    ``segment`` are the codes of the segments that have rows, rising; ``sums`` has a row per name and a
    column per such segment, each to be multiplied by 2 to its ``exponent``. What is read comes for all
    ``n_segments``. For ratings, ``truth`` is the spread of the true ones.
    """

    kind: ClassVar[str] = "sums"
    version: ClassVar[int] = 2

    segment: Ints
    counts: Ints
    names: tuple[str, ...]
    sums: Twofold
    exponent: Ints
    truth: Spread | None
    n_segments: int

    @classmethod
    def empty(cls) -> Sums:
        """The sums of no rows, whatever the terms."""
        none, nothing = np.zeros(0, np.int64), np.zeros((0, 0))
        return cls(
            segment=none,
            counts=none,
            names=(),
            sums=Twofold(nothing, nothing),
            exponent=nothing.astype(np.int64),
            truth=None,
            n_segments=0,
        )

    @classmethod
    def of(cls, rows: Segmented, terms: Sequence[Term] = ()) -> Sums:
        """The sums of the terms, of the weights, and of positives and negatives where rows are labelled.

        >>> sums = Sums.of(Scored.of(np.array([1, 0, 1], np.uint8), np.array([0.9, 0.1, 0.8])))
        >>> sums.rows, sums.held("positives").values
        (array([3]), array([2.]))
        """
        rows = replace(rows, as_given=True)
        always = [WEIGHT, POSITIVES, NEGATIVES] if isinstance(rows, Scored) else [WEIGHT]
        wanted = {term.name: term for term in [*always, *terms]}
        counts = rows.rows
        segment = np.flatnonzero(counts)
        kept = np.flatnonzero(rows.weights > 0) if rows.weight is not None else slice(None)
        code = placed(np.arange(len(segment)), segment, rows.n_segments)[rows.segments[kept]]
        weight = rows.weights[kept]

        def summed(term: Term) -> tuple[Twofold, Ints]:
            found = segment_sums(weight * term.each(rows)[kept], code, len(segment))
            return found, term.exponents(rows)[segment]

        parts, exponents = zip(*(summed(wanted[name]) for name in sorted(wanted)), strict=True)
        truth = Spread.of(rows.truth[kept], weight, code, len(segment)) if isinstance(rows, Rated) else None
        return cls(
            segment=segment,
            counts=counts[segment],
            names=tuple(sorted(wanted)),
            sums=Twofold(*(np.stack(side) for side in zip(*parts, strict=True))),
            exponent=np.stack(exponents),
            truth=truth,
            n_segments=rows.n_segments,
        )

    def merge(self, other: Sums) -> Sums:
        """The sums over the rows of both; the terms must be the same."""
        n_segments = max(self.n_segments, other.n_segments)
        if not self.names or not other.names:
            return replace(self if self.names else other, n_segments=n_segments)
        if self.names != other.names or (self.truth is None) != (other.truth is None):
            raise measuring.held_differ(self.names, other.names)
        segment = np.union1d(self.segment, other.segment)
        mine, its = (np.searchsorted(segment, side.segment) for side in (self, other))
        n = len(segment)
        truth = None
        if self.truth is not None and other.truth is not None:
            truth = self.truth.spread_to(mine, n).merge(other.truth.spread_to(its, n))
        left, right = self.sums.spread_to(mine, n), other.sums.spread_to(its, n)
        of_left, of_right = placed(self.exponent, mine, n), placed(other.exponent, its, n)
        exponent = common_exponent(of_left, of_right, left.value == 0, right.value == 0)
        return Sums(
            segment=segment,
            counts=placed(self.counts, mine, n) + placed(other.counts, its, n),
            names=self.names,
            sums=left.times_power(of_left - exponent) + right.times_power(of_right - exponent),
            exponent=exponent,
            truth=truth,
            n_segments=n_segments,
        )

    def held(self, name: str) -> Scaled:
        """The sum of the term of that name in each segment.

        >>> Sums.of(Rated.of(np.zeros(3), np.zeros(3))).held("weight")
        Scaled(values=array([3.]), exponent=array([0]))
        """
        if name not in self.names:
            raise measuring.not_held(name, self.names)
        at = self.names.index(name)
        return self._everywhere(Scaled(self.sums.value[at], self.exponent[at]))

    @once
    def rows(self) -> Ints:
        """How many rows each segment has, those of weight 0 apart."""
        return placed(self.counts, self.segment, self.n_segments)

    @property
    def spread(self) -> Scaled:
        """The weighted sum of squares of the truth around its mean, in each segment."""
        return self._everywhere(Scaled(self._truth.squares.value, 2 * self._truth.exponent))

    @property
    def varies(self) -> Flags:
        """Whether a segment has two rows of different truth."""
        return placed(self._truth.varies, self.segment, self.n_segments)

    def _everywhere(self, part: Scaled) -> Scaled:
        """Numbers of the segments that have rows as numbers of all."""
        at, n = self.segment, self.n_segments
        return Scaled(placed(part.values, at, n), placed(part.exponent, at, n))

    @property
    def _truth(self) -> Spread:
        if self.truth is None:
            raise measuring.not_held(say("spread of the truth"), self.names)
        return self.truth

    def columns(self) -> dict[str, Any]:
        """The fields, with sums and spread as one long column each."""
        spread = np.zeros(0) if self.truth is None else self.truth.stacked().ravel()
        own = {name: getattr(self, name) for name in ("segment", "counts", "names", "n_segments")}
        return {
            **own,
            "sums": np.stack(self.sums).ravel(),
            "exponent": self.exponent.ravel(),
            "spread": spread,
            "rated": self.truth is not None,
        }

    @classmethod
    def of_columns(cls, columns: dict[str, Any]) -> Sums:
        """The sums with these fields."""
        n, names = len(columns["segment"]), columns["names"]
        spread, sums = columns.pop("spread"), columns.pop("sums").reshape(2, len(names), n)
        exponent = columns.pop("exponent").reshape(len(names), n)
        truth = Spread.unstacked(spread.reshape(9, n)) if columns.pop("rated") else None
        return cls(**columns, sums=Twofold(*sums), exponent=exponent, truth=truth)
