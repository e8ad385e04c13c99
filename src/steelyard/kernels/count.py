"""Ranks as counts: the rows before each hit, those tied with it, and averages over the orders of ties."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import numpy as np

from steelyard.arrays import Floats, Ints, Keys
from steelyard.kernels.choose import compiled, in_parallel, use_kernel
from steelyard.kernels.rows import ordered_bits, sorted_within


class RowsBefore(NamedTuple):
    """Per hit: rows of its query with a higher score, and rows with the same score (itself included)."""

    before: Ints
    tied: Ints


def count_before(offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints) -> RowsBefore:
    """Count the rows before and beside each hit; no row is moved.

    ``hit_row`` are row numbers grouped by query (``hit_offsets``), in any order within it.

    >>> count_before(np.array([0, 3]), np.array([2.0, 5.0, 2.0]), np.array([0, 1]), np.array([2]))
    RowsBefore(before=array([1]), tied=array([2]))
    """
    query = np.repeat(np.arange(len(hit_offsets) - 1), np.diff(hit_offsets))
    if not use_kernel(len(score)):
        group, starts, lengths = _score_groups(offsets, score)
        of_hit = group[hit_row]
        return RowsBefore(starts[of_hit] - offsets[query], lengths[of_hit])
    target = score[hit_row]
    counts = np.zeros((2, len(hit_row)), np.int64)
    run = in_parallel(_count_sorted, offsets, hit_offsets)
    if np.all((target[1:] <= target[:-1]) | (query[1:] != query[:-1])):
        run(score, target, counts[0], counts[1])
        return RowsBefore(counts[0], counts[1])
    falling = np.lexsort((-target, query))
    run(score, target[falling], counts[0], counts[1])
    back = np.empty_like(counts)
    back[:, falling] = counts
    return RowsBefore(back[0], back[1])


def tied_and_distinct(offsets: Ints, score: Floats) -> tuple[int, int]:
    """How many rows share their score with another row of their query, and how many scores there are.

    The scores of each query are counted by themselves.

    >>> tied_and_distinct(np.array([0, 3, 5]), np.array([1.0, 1.0, 2.0, 1.0, 2.0]))
    (2, 4)
    """
    if not use_kernel(len(score)):
        lengths = _score_groups(offsets, score).lengths
        return int(lengths[lengths > 1].sum()), len(lengths)
    bits = score.view(np.uint64 if score.dtype == np.float64 else np.uint32)
    shares = in_parallel(_tied_and_distinct_loop, offsets)(bits)
    return sum(tied for tied, _ in shares), sum(distinct for _, distinct in shares)


def rows_tied_with_hits(
    offsets: Ints, score: Floats, hit_offsets: Ints, hit_row: Ints, n_rows: int
) -> tuple[Ints, Ints]:
    """The rows that share their score with a hit, hits included, and a number for each tie.

    ``n_rows`` says how many there are.

    >>> rows_tied_with_hits(np.array([0, 3]), np.array([2.0, 5.0, 2.0]), np.array([0, 1]), np.array([2]), 2)
    (array([0, 2]), array([0, 0]))
    """
    if not use_kernel(len(score)):
        group, starts, _ = _score_groups(offsets, score)
        wanted = np.zeros(len(starts), bool)
        wanted[group[hit_row]] = True
        rows = np.flatnonzero(wanted[group])
        return rows, np.unique(group[rows], return_inverse=True)[1].astype(np.int64).reshape(-1)
    hit_score, query = score[hit_row], np.repeat(np.arange(len(hit_offsets) - 1), np.diff(hit_offsets))
    falling = np.lexsort((-hit_score, query))
    target, owner = hit_score[falling], query[falling]
    new = np.ones(len(target), bool)
    new[1:] = (target[1:] != target[:-1]) | (owner[1:] != owner[:-1])
    target_offsets = np.searchsorted(owner[new], np.arange(len(offsets)))
    rows, tie = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    compiled(_tied_with_sorted)(offsets, score, target_offsets, target[new], rows, tie)
    return rows, tie


class _ScoreGroups(NamedTuple):
    """The group of equal scores that each row is in; starts (by query and falling score) and lengths."""

    group: Ints
    starts: Ints
    lengths: Ints


# of the scores that were grouped last, for as long as they live: each of them is asked about three times
_last: tuple[weakref.ref[Floats], weakref.ref[Ints], _ScoreGroups] | None = None


def _score_groups(offsets: Ints, score: Floats) -> _ScoreGroups:
    global _last
    last = _last
    if last is not None and last[0]() is score and last[1]() is offsets:
        return last[2]
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    new = np.ones(len(score), bool)
    if np.all((score[1:] <= score[:-1]) | (query[1:] != query[:-1])):  # as runs are usually written
        new[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
        group = np.cumsum(new) - 1
    else:
        falling = ~ordered_bits(score)
        wide = falling.astype(np.uint64) << np.uint64(64 - 8 * falling.itemsize)
        order, new = sorted_within(query, wide, len(offsets) - 1)
        group = np.empty(len(order), np.int64)
        group[order] = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    found = _ScoreGroups(group, starts, np.diff(np.append(starts, len(score))))
    _last = (weakref.ref(score, _forget), weakref.ref(offsets), found)
    return found


def _forget(dead: weakref.ref[Floats]) -> None:
    global _last
    if _last is not None and _last[0] is dead:
        _last = None


def _count_sorted(
    offsets: Ints, target_offsets: Ints, score: Floats, target: Floats, before: Ints, tied: Ints
) -> None:
    """``target`` are the scores of the hits, falling within each query."""
    for q in range(offsets.size - 1):
        first, last = target_offsets[q], target_offsets[q + 1]
        if first == last:
            continue
        for row in range(offsets[q], offsets[q + 1]):
            s = score[row]
            low, left = first, last - first
            while left > 1:  # without a branch that a processor could guess wrong
                half = left >> 1
                low += half * (target[low + half - 1] > s)
                left -= half
            low += target[low] > s
            if low < last:
                if target[low] == s:
                    tied[low] += 1
                else:
                    before[low] += 1
        # the rows met at the first hit of a tie stand before, or in, all that follows
        running = 0
        for i in range(first, last):
            if i > first and target[i] == target[i - 1]:
                before[i], tied[i] = before[i - 1], tied[i - 1]
            else:
                if i > first:
                    running += tied[i - 1]
                running += before[i]
                before[i] = running


def _tied_and_distinct_loop(offsets: Ints, bits: Keys) -> tuple[int, int]:
    """``bits`` are the scores' bits: equal scores have equal bits, since -0.0 was made 0.0."""
    largest = 1
    for q in range(offsets.size - 1):
        largest = max(largest, offsets[q + 1] - offsets[q])
    capacity = 4
    while capacity < 2 * largest:
        capacity *= 2
    slot_row = np.empty(capacity, np.int64)
    met_again = np.empty(capacity, np.bool_)
    tied = 0
    distinct = 0
    for q in range(offsets.size - 1):
        size = 4
        shift = 62
        while size < 2 * (offsets[q + 1] - offsets[q]):
            size *= 2
            shift -= 1
        mask = size - 1
        slot_row[:size] = -1
        met_again[:size] = False
        for row in range(offsets[q], offsets[q + 1]):
            slot = np.int64((bits[row] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))
            while slot_row[slot] >= 0 and bits[slot_row[slot]] != bits[row]:
                slot = (slot + 1) & mask
            if slot_row[slot] < 0:
                slot_row[slot] = row
                distinct += 1
            elif met_again[slot]:
                tied += 1
            else:
                met_again[slot] = True
                tied += 2
    return tied, distinct


def _tied_with_sorted(
    offsets: Ints, score: Floats, target_offsets: Ints, target: Floats, rows: Ints, tie: Ints
) -> None:
    """``target`` are the distinct scores of the hits, falling within each query."""
    found = 0
    for q in range(offsets.size - 1):
        first, last = target_offsets[q], target_offsets[q + 1]
        if first == last:
            continue
        for row in range(offsets[q], offsets[q + 1]):
            low, high = first, last
            while low < high:
                middle = (low + high) >> 1
                if target[middle] > score[row]:
                    low = middle + 1
                else:
                    high = middle
            if low < last and target[low] == score[row]:
                rows[found] = row
                tie[found] = low
                found += 1


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
