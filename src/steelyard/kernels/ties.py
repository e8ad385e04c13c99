"""Sums over the places of a tie: ``c`` items stand before it and its first ``m`` places count.

Each place of a tie of ``n`` holds any of its items with the same chance, so an expectation over all
orders is a sum over places. Long sums have stable closed forms; differences of digamma values or of
prefix tables lose up to all digits and are not used.
"""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.kernels.choose import compiled, use_kernel

_DIRECT_HARMONIC = 48
_DIRECT_DISCOUNT = 4096
_NEGLIGIBLE = 1e-40  # of the likeliest
_BERNOULLI = ((2, 1 / 12), (4, -1 / 120), (6, 1 / 252), (8, -1 / 240), (10, 1 / 132))


def harmonic_sums(c: Ints, m: Ints) -> tuple[Floats, Floats]:
    """``sum 1/(c+j)`` and ``sum (j-1)/(c+j)`` over j = 1..m.

    >>> harmonic_sums(np.array([0]), np.array([3]))
    (array([1.83333333]), array([1.16666667]))
    """
    if not len(m) or m.max() <= 1:
        return np.where(m > 0, 1.0 / (c + 1.0), 0.0), np.zeros(len(m))
    direct, weighted = np.zeros(len(m)), np.zeros(len(m))
    long = m > _DIRECT_HARMONIC
    short = np.flatnonzero(~long)
    owner, j = _ragged(m[short])
    place = c[short][owner] + j
    direct[short] = np.bincount(owner, 1.0 / place, minlength=len(short))
    weighted[short] = np.bincount(owner, (j - 1.0) / place, minlength=len(short))
    if long.any():
        direct[long], weighted[long] = _long_harmonic(c[long].astype(float), m[long].astype(float))
    return direct, weighted


def discount_sum(c: Ints, m: Ints, discount: str) -> Floats:
    """The discounts of places c+1 .. c+m added up.

    >>> discount_sum(np.array([0, 0]), np.array([1, 2]), "log2")
    array([1.        , 1.63092975])
    """
    if discount == "none":
        return m.astype(np.float64)
    if not len(m) or m.max() <= 1:
        return np.where(m > 0, discounts(c + 1, discount), 0.0)
    total = np.zeros(len(m))
    long = m > _DIRECT_DISCOUNT
    short = np.flatnonzero(~long)
    owner, j = _ragged(m[short])
    total[short] = np.bincount(owner, discounts(c[short][owner] + j, discount), minlength=len(short))
    if long.any():
        total[long] = _long_discount(c[long], m[long], discount)
    return total


def discounts(rank: Ints, discount: str) -> Floats:
    """The weight of a rank: 1/log2(rank + 1), or 1/log2(rank) from rank 3 on."""
    if discount == "none":
        return np.ones(len(rank))
    return 1.0 / np.log2(rank + 1.0 if discount == "log2" else np.maximum(rank, 2.0))


def hit_chance(n: Ints, r: Ints, m: Ints) -> Floats:
    """The chance that at least one of r items of a tie of n stands in its first m places.

    >>> hit_chance(np.array([3]), np.array([1]), np.array([2]))
    array([0.66666667])
    """
    fewer, more = np.minimum(m, r), np.maximum(m, r)
    certain = m + r > n
    owner, j = _ragged(np.where(certain, 0, fewer))
    missed = np.bincount(owner, np.log1p(-more[owner] / (n[owner] - (j - 1.0))), minlength=len(n))
    return np.where(certain, 1.0, 0.0 - np.expm1(missed))


def expected_reciprocal(c: Ints, n: Ints, r: Ints, m: Ints) -> Floats:
    """The mean of 1/rank of the first of r relevant items in a tie of n, 0 beyond its first m places.

    >>> expected_reciprocal(np.array([0]), np.array([3]), np.array([1]), np.array([3]))
    array([0.61111111])
    """
    if not len(n) or n.max() <= 1:
        return np.where(m > 0, 1.0 / (c + 1.0), 0.0)
    out = np.zeros(len(n))
    single = r == 1
    out[single] = harmonic_sums(c[single], m[single])[0] / n[single]
    whole = ~single & (c == 0) & (m == n)
    rest = n - r + 1
    out[whole] = (r / rest)[whole] * harmonic_sums(r[whole] - 1, rest[whole])[0]
    several = np.flatnonzero(~single & ~whole)
    # the chance of no hit among the first j places falls faster than (1 - r/n)^j
    steps = np.minimum(np.minimum(m, n - r + 1), 1 + (45 * n) // r)[several]
    # the twin takes one pass per place, so that a long tie is worth a compiler sooner than many rows are
    work = max(int(steps.sum()), 50 * int(steps.max(initial=0)))
    run = compiled(_reciprocal_loop) if use_kernel(work) else _reciprocal_twin
    out[several] = run(c[several], n[several], r[several], steps)
    return out


def hypergeometric(n: Ints, r: Ints, m: Ints) -> tuple[Ints, Ints, Floats]:
    """For each entry the chances of h relevant items in the first m places: ``(entry, h, chance)``.

    >>> hypergeometric(np.array([4]), np.array([2]), np.array([2]))
    (array([0, 0, 0]), array([0, 1, 2]), array([0.16666667, 0.66666667, 0.16666667]))
    """
    least = np.maximum(0, m - n + r)
    widths = np.minimum(r, m) - least + 1
    owner, j = _ragged(widths)
    mode = np.clip((r + 1) * (m + 1) // (n + 2), least, least + widths - 1)
    origin = np.cumsum(widths) - widths - least
    chance = np.zeros(len(owner))
    chance[origin + mode] = 1.0
    for step in (1, -1):  # outward from the likeliest, so that errors stay as small as the chances
        entry, h, value = np.arange(len(n)), mode, np.ones(len(n))
        while len(entry):
            rest = n[entry] - r[entry] - m[entry] + h
            left, places = r[entry] - h, m[entry] - h
            over = left * places if step > 0 else h * rest
            under = (h + 1) * (rest + 1) if step > 0 else (left + 1) * (places + 1)
            value, h = value * over / under, h + step
            more = value > _NEGLIGIBLE  # 0 beyond either end
            entry, h, value = entry[more], h[more], value[more]
            chance[origin[entry] + h] = value
    return owner, least[owner] + j - 1, chance / np.bincount(owner, chance, minlength=len(n))[owner]


def _ragged(lengths: Ints) -> tuple[Ints, Ints]:
    """Entry numbers repeated ``lengths`` times, and a count from 1 within each."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1


def _long_harmonic(c: Floats, m: Floats) -> tuple[Floats, Floats]:
    """Euler-Maclaurin after enough leading terms, arranged so that nothing cancels."""
    lead = np.clip(19 - c, 0, m)
    d0, g0 = np.zeros(len(m)), np.zeros(len(m))
    for j in range(1, int(lead.max(initial=0)) + 1):
        counts = j <= lead
        d0 += np.where(counts, 1.0 / (c + j), 0.0)
        g0 += np.where(counts, (j - 1.0) / (c + j), 0.0)
    x, rest = c + lead + 1, m - lead
    y, u = x + rest, rest / x
    tail = np.zeros(len(m))
    for power, b in _BERNOULLI:
        tail += b * x**-power * -np.expm1(-power * np.log1p(u))
    d1 = np.log1p(u) + rest / (2 * x * y) + tail
    g1 = x * _u_minus_log1p(u) - rest / (2 * y) - x * tail
    return d0 + d1, g0 + g1 + lead * d1


def _u_minus_log1p(u: Floats) -> Floats:
    v = u / (2 + u)
    series = sum((v**power / power for power in range(25, 1, -2)), np.zeros(len(u)))
    return np.where(u > 0.5, u - np.log1p(u), u * v - 2 * series)


def _long_discount(c: Ints, m: Ints, discount: str) -> Floats:
    """Euler-Maclaurin for 1/ln after enough leading terms, the integral by Gauss-Legendre in ln x."""
    lead = np.clip(30 - c, 0, m)
    start = discount_sum(c, lead, discount)
    shift = 1 if discount == "log2" else 0
    a, b = (c + lead + 1 + shift).astype(np.float64), (c + m + shift).astype(np.float64)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = 0.5 * np.log1p((b - a) / a)
    t = np.log(a)[:, None] + half[:, None] * (nodes + 1)
    integral = half * np.sum(weights * np.exp(t) / t, axis=1)
    at_a, at_b = _inverse_log(a), _inverse_log(b)
    corrections = (at_a[0] + at_b[0]) / 2 + (at_b[1] - at_a[1]) / 12 - (at_b[2] - at_a[2]) / 720
    total: Floats = start + np.log(2.0) * (integral + corrections)
    return total


def _inverse_log(x: Floats) -> tuple[Floats, Floats, Floats]:
    """1 / ln x with its first and third derivatives."""
    log = np.log(x)
    return 1 / log, -1 / (x * log**2), -(2 * log**2 + 6 * log + 6) / (x**3 * log**4)


def _reciprocal_twin(c: Ints, n: Ints, r: Ints, steps: Ints) -> Floats:
    total = np.zeros(len(n))
    chance = r / n
    for j in range(1, int(steps.max(initial=0)) + 1):
        total += np.where(j <= steps, chance / (c + j), 0.0)
        chance = chance * np.maximum(n - r - j + 1, 0) / np.maximum(n - j, 1)
    return total


def _reciprocal_loop(c: Ints, n: Ints, r: Ints, steps: Ints) -> Floats:
    total = np.zeros(n.size)
    for i in range(n.size):
        chance = r[i] / n[i]
        for j in range(1, steps[i] + 1):
            total[i] += chance / (c[i] + j)
            chance = chance * max(n[i] - r[i] - j + 1, 0) / max(n[i] - j, 1)
    return total
