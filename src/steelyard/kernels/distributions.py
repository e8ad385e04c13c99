"""Student's t, the normal distribution and fair coins: tails and quantiles, right to about 13 digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from steelyard.arrays import Floats, Ints

_AT_A_TIME = 4096  # numbers: tables of terms stay in the processor's cache
_SERIES_TERMS = 80  # enough for any degrees of freedom
_FRACTION_TERMS = 60  # the same
_STEPS = 6  # of Newton's method, which doubles the digits
_COIN_REACH = 4.6  # times √n coins away from the middle nothing is left that a sum of 16 digits shows
_FEW_NUMBERS = 16  # that are looked up one by one
_FURTHEST = 1e100  # whose square is a number
_FEW = 16  # below it factorials come from a table


def student_tail(t: ArrayLike, df: ArrayLike) -> Floats:
    """``P(|T| ≥ |t|)`` of Student's t with any degrees of freedom above 0; infinitely many are the normal.

    Near 0 the series of the incomplete beta function, further out its continued fraction (Didonato and
    Morris 1992), both written in 1/df, so that nothing cancels where df is large. A number's bits do not
    depend on those beside it.

    >>> student_tail([2.776445105197793, 1.96], [4, np.inf])
    array([0.05      , 0.04999579])
    """
    return _in_parts(_tail, np.abs(np.asarray(t, np.float64)), 1 / np.asarray(df, np.float64))


def student_quantile(q: ArrayLike, df: ArrayLike) -> Floats:
    """The number that Student's t stays below with probability ``q``.

    >>> student_quantile([0.975, 0.025, 0.8], [2.5, 2.5, 199])
    array([ 3.57465484, -3.57465484,  0.8434312 ])
    """
    wanted, given = np.broadcast_arrays(np.asarray(q, np.float64), np.asarray(df, np.float64))
    if wanted.size > _FEW_NUMBERS:
        return _in_parts(_quantile, wanted, 1 / given)
    pairs = zip(wanted.ravel().tolist(), given.ravel().tolist(), strict=True)
    return np.array([_one_quantile(*pair) for pair in pairs]).reshape(wanted.shape)


def normal_tail(z: ArrayLike) -> Floats:
    """``P(|Z| ≥ |z|)`` of the standard normal distribution.

    >>> normal_tail([0, 1.96])
    array([1.        , 0.04999579])
    """
    return student_tail(z, np.inf)


def normal_quantile(q: ArrayLike) -> Floats:
    """The number that a standard normal variable stays below with probability ``q``.

    >>> normal_quantile([0.5, 0.975])
    array([0.        , 1.95996398])
    """
    return student_quantile(q, np.inf)


def coin_tail(heads: ArrayLike, coins: ArrayLike) -> Floats:
    """``P(X ≤ heads)``, X the number of heads among ``coins`` fair coins.

    >>> coin_tail([1, 2], [10, 4])
    array([0.01074219, 0.6875    ])
    """
    k, n = np.broadcast_arrays(np.asarray(heads, np.int64), np.asarray(coins, np.int64))
    side: Ints = np.minimum(k, n - k - 1)  # the smaller side is summed, from its largest term down
    low = np.maximum(side, 0)
    terms = np.minimum(low, np.ceil(_COIN_REACH * np.sqrt(n)).astype(np.int64) + 30)
    total = np.ones(k.shape)
    for at in range(int(terms.max(initial=0)) - 1, -1, -1):
        total = 1 + np.where(at < terms, (low - at) / (n - low + 1 + at), 0.0) * total
    tail = np.where(side < 0, 0.0, coin_mass(low, n) * total)
    return np.asarray(np.where(2 * k < n, tail, 1 - tail))


def coin_mass(heads: ArrayLike, coins: ArrayLike) -> Floats:
    """``P(X = heads)``, X the number of heads among ``coins`` fair coins (Loader 2000).

    >>> coin_mass([0, 2], [3, 4])
    array([0.125, 0.375])
    """
    k, n = np.broadcast_arrays(np.asarray(heads, np.int64), np.asarray(coins, np.int64))
    inside = (k > 0) & (k < n)
    some, all_ = np.where(inside, k, 1).astype(np.float64), np.where(inside, n, 2).astype(np.float64)
    others = all_ - some
    uneven = (others - some) / all_
    # some ln(2 some/all) + others ln(2 others/all), which all but cancels near the middle
    middle = all_ / 2 * (np.log1p(-uneven * uneven) + 2 * uneven * np.arctanh(uneven))
    edge = some * np.log(2 * some / all_) + others * np.log(2 * others / all_)
    away = np.where(np.abs(uneven) < 0.5, middle, edge)
    wrong = _stirling_error(all_) - _stirling_error(some) - _stirling_error(others)
    mass = np.exp(wrong - away) * np.sqrt(all_ / (2 * math.pi * some * others))
    alike = np.where((k == 0) | (k == n), np.exp2(-n.astype(np.float64)), 0.0)
    return np.asarray(np.where(inside, mass, alike))


def _in_parts(function: Callable[[Floats, Floats], Floats], one: Floats, other: Floats) -> Floats:
    one, other = np.broadcast_arrays(one, other)
    shape, one, other = one.shape, one.ravel(), other.ravel()
    found = np.empty(len(one))
    for at in range(0, len(one), _AT_A_TIME):
        part = slice(at, at + _AT_A_TIME)
        found[part] = function(one[part], other[part])
    return found.reshape(shape)


def _tail(t: Floats, c: Floats) -> Floats:
    """The two-sided tail beyond ``t`` ≥ 0, ``c`` = 1/df."""
    tail = np.full(len(t), np.nan)
    known = (t >= 0) & (c >= 0)
    within = np.minimum(t, _FURTHEST)
    near = known & (within * within * (1 + 2 * c) <= 3)
    far = known & ~near
    if near.any():
        t_near, c_near = t[near], c[near]
        tail[near] = 1 - 2 * t_near * _density(t_near, c_near) * _series(t_near, c_near)
    if far.any():
        t_far, c_far = within[far], c[far]
        tail[far] = t_far * _density(t_far, c_far) * _fraction(t_far, c_far)
    beyond = known & (t > _FURTHEST)
    if beyond.any():  # a power law; of the normal distribution nothing is left there
        df = np.divide(1, c[beyond], out=np.full(beyond.sum(), np.inf), where=c[beyond] > 0)
        tail[beyond] *= (t[beyond] / _FURTHEST) ** -df
    return tail


def _quantile(q: Floats, c: Floats) -> Floats:
    """By Newton's method on the logarithms of tail and point: concave, so that it cannot run away."""
    wanted = 2 * np.minimum(q, 1 - q)
    some = (wanted > 0) & (wanted < 1) & (c >= 0)
    aim, c = wanted[some], c[some]
    log_t = np.log(_first_guess(aim))
    for _ in range(_STEPS):
        t = np.exp(log_t)
        tail = _tail(t, c)
        log_t += (np.log(tail) - np.log(aim)) * tail / (2 * t * _density(t, c))
    found = np.where(wanted == 1, 0.0, np.where(wanted == 0, np.inf, np.nan))
    found[some] = np.exp(log_t)
    return np.where(q < 0.5, -found, found)


@lru_cache(maxsize=4096)
def _one_quantile(q: float, df: float) -> float:
    """One number, which the values of one evaluation mostly have in common."""
    return float(_quantile(np.array([q]), 1 / np.array([df]))[0])


def _first_guess(tail: Floats) -> Floats:
    """The normal quantile to three digits (Abramowitz and Stegun 1964, 26.2.23)."""
    u = np.sqrt(-2 * np.log(tail / 2))
    over = 2.515517 + u * (0.802853 + u * 0.010328)
    under = 1 + u * (1.432788 + u * (0.189269 + u * 0.001308))
    guess: Floats = np.maximum(u - over / under, 0.6 * (1 - tail))
    return guess


def _density(t: Floats, c: Floats) -> Floats:
    s = t * t
    sc = s * c
    exponent = np.where(sc > 0, np.log1p(sc) / np.where(c > 0, c, 1.0), s)
    return _norming(c) * np.exp(-(1 + c) / 2 * exponent)


def _norming(c: Floats) -> Floats:
    """``Γ((df+1)/2) / (Γ(df/2) √(π df))``: its series in 1/df, after steps up to where that is short."""
    factor = np.ones(len(c))
    a = 0.5 / np.maximum(c, 1e-300)
    root = np.sqrt(a)
    for _ in range(_FEW):
        few = a < _FEW
        factor = np.where(few, factor * a / (a + 0.5), factor)
        a = np.where(few, a + 1, a)
    r = 1 / a
    rr = r * r
    log = r * (-1 / 8 + rr * (1 / 192 + rr * (-1 / 640 + rr * (17 / 14336 - rr * 31 / 18432))))
    return factor * np.sqrt(a) / root * np.exp(log) / math.sqrt(2 * math.pi)


def _series(t: Floats, c: Floats) -> Floats:
    s, j = t * t, np.arange(_SERIES_TERMS)[:, None]
    ratios = s / (1 + s * c) * (1 + c * (1 + 2 * j)) / (3 + 2 * j)
    total = np.ones(len(t))
    for ratio in ratios[::-1]:
        total = 1 + ratio * total
    return total


def _fraction(t: Floats, c: Floats) -> Floats:
    s = t * t
    x = 1 / (1 + s * c)
    first = (1 + s * x * (1 + c)) / 2
    n = np.arange(1, _FRACTION_TERMS + 1)[:, None]
    before, here = 1 + 2 * c * (n - 1), 1 + 2 * c * (2 * n - 1)
    over = before * (before + c) * n * (0.5 - n) * (x / here) ** 2
    under = (
        n
        + n * (0.5 - n) * x * 2 * c / here
        + (1 + 2 * c * n) / (1 + 2 * c + 4 * c * n) * (first + n * (1 + s * c * x))
    )
    total = under[-1]
    for k in range(_FRACTION_TERMS - 1, 0, -1):
        total = under[k - 1] + over[k] / total
    fraction: Floats = 1 / (first / (1 + 2 * c) + over[0] / total)
    return fraction


def _stirling_error(n: Floats) -> Floats:
    """``ln n! - ln(√(2πn) (n/e)^n)`` of whole numbers from 1 on."""
    r = 1 / n
    rr = r * r
    series = r * (1 / 12 - rr * (1 / 360 - rr * (1 / 1260 - rr * (1 / 1680 - rr * 1 / 1188))))
    return np.where(n < _FEW, _SMALL_ERRORS[np.minimum(n, _FEW - 1).astype(np.int64)], series)


_SMALL_ERRORS = np.array(
    [0.0]
    + [
        math.log(math.factorial(n)) - (0.5 * math.log(2 * math.pi * n) + n * math.log(n) - n)
        for n in range(1, _FEW)
    ]
)
