"""Numbers of any size made fit for arithmetic: times a power of two, which costs no digit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints

# binary exponents of the largest number of a segment: between them products of four sums over billions of
# rows, as in mcc, are ordinary numbers
_LEAST, _MOST = -64, 200


class Scaled(NamedTuple):
    """Numbers as ``values · 2^exponent``, with one exponent for each segment."""

    values: Floats
    exponent: Ints


def scaled(values: Floats, segment: Ints | None, n: int) -> Scaled:
    """Numbers whose squares neither overflow nor vanish beside the largest of their segment.

    Numbers of ordinary size stay as they are. ``segment`` is None where all numbers are in one.

    >>> scaled(np.array([1e300, 3.0]), np.array([0, 1]), 2).exponent
    array([797,   0])
    >>> scaled(np.array([2.0**-600, 2.0**-602]), None, 1)
    Scaled(values=array([0.5  , 0.125]), exponent=array([-599]))
    """
    exponent = np.frexp(largest(values, segment, n))[1].astype(np.int64)
    # what is too large is brought down only as far as it must be: small numbers beside it keep their digits
    exponent = np.where(exponent > _MOST, exponent - _MOST, np.where(exponent < _LEAST, exponent, 0))
    if not exponent.any():
        return Scaled(values, exponent)
    return Scaled(np.ldexp(values, -(exponent if segment is None else exponent[segment])), exponent)


def scaled_weights(weight: Floats, segment: Ints | None, n: int) -> Scaled:
    """The same for weights; a row that weighs something goes on doing so.

    >>> scaled_weights(np.array([1e300, 1e-300, 0.0]), None, 1).values > 0
    array([ True,  True, False])
    """
    made = scaled(weight, segment, n)
    if not (made.exponent > 0).any():
        return made
    least = np.nextafter(0.0, 1.0)
    return Scaled(np.where(weight > 0, np.maximum(made.values, least), 0.0), made.exponent)


def largest(values: Floats, segment: Ints | None, n: int) -> Floats:
    """The largest of the numbers of each segment, signs apart."""
    if segment is None or n == 1:
        return np.array([max(values.max(initial=0.0), -values.min(initial=0.0))])
    found = np.zeros(n)
    np.maximum.at(found, segment, np.abs(values))
    return found


def times_power(values: Floats, exponent: Ints) -> Floats:
    """``values · 2^exponent``, infinite where no number is as large."""
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(values, exponent)


def root_of_product(a: Floats, b: Floats) -> Floats:
    """``√(a·b)``, also where the product itself would be too large or too small for a number.

    >>> root_of_product(np.array([1e300, 12.0]), np.array([1e300, 12.0]))
    array([1.e+300, 1.2e+001])
    """
    (low, of_a), (high, of_b) = np.frexp(a), np.frexp(b)
    both = of_a + of_b
    odd = both % 2
    root: Floats = np.ldexp(np.sqrt(np.ldexp(low * high, odd)), (both - odd) // 2)
    return root
