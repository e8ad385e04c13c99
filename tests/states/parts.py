"""Rows that are split at random, and the states of the parts put together in a random order."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from steelyard.states import Rated, Scored

seeds = st.integers(0, 2**32 - 1)
KINDS = (np.float32, np.float64)


def scored(random, *, weighted=False, n=None):
    """Labelled rows with tied scores, in slices and groups; some slices and groups are without a row."""
    n = int(random.integers(0, 60)) if n is None else n
    sliced = random.random() < 0.7
    return Scored.of(
        (random.random(n) < 0.4).astype(np.uint8),
        random.random(n).round(int(random.integers(1, 4))).astype(KINDS[random.integers(2)]),
        weight=random.choice([0.0, 0.3, 1.0, 2.7], n) if weighted else None,
        segment=random.integers(0, 4, n) if sliced else None,
        n_segments=5 if sliced else 1,
        group=random.integers(0, 7, n),
        n_groups=9,
    )


def rated(random, *, weighted=False, n=None, offset=0.0):
    """Ratings in slices, with a large common offset if wanted."""
    n = int(random.integers(0, 60)) if n is None else n
    truth = random.integers(0, 100, n) / 8 + offset
    return Rated.of(
        truth,
        truth + random.normal(size=n),
        weight=random.choice([0.0, 0.3, 1.0, 2.7], n) if weighted else None,
        segment=random.integers(0, 4, n),
        n_segments=5,
    )


def split(random, rows, n=None):
    """The rows in ``n`` parts, some of them empty."""
    n = int(random.integers(1, 9)) if n is None else n
    part = random.integers(0, n, rows.n_rows)
    return [take(rows, np.flatnonzero(part == at)) for at in range(n)]


def take(rows, at):
    """Some of the rows."""
    values = {field.name: getattr(rows, field.name) for field in dataclasses.fields(rows)}
    cut = {name: value[at] for name, value in values.items() if isinstance(value, np.ndarray)}
    return dataclasses.replace(rows, **cut, n_rows=len(at))


def together(random, states):
    """The states put together two by two, whichever two come next."""
    left = list(states)
    while len(left) > 1:
        one = left.pop(random.integers(len(left)))
        other = left.pop(random.integers(len(left)))
        left.append(one.merge(other))
    return left[0]


def same_bits(one, other):
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
