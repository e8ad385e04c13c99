"""What the tests of curves draw: labels, scores with ties, weights."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from steelyard.engine.scored import Scored
from steelyard.metrics.curves import scored

TOLERANCE = 1e-12


@st.composite
def rows(draw, *, weighted=None):
    """Up to 40 rows with many ties; weights of 0, whole and fractional."""
    n = draw(st.integers(1, 40))
    each = st.lists
    label = draw(each(st.integers(0, 1), min_size=n, max_size=n))
    score = draw(each(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0]), min_size=n, max_size=n))
    weight = None
    if draw(st.booleans()) if weighted is None else weighted:
        weight = draw(each(st.sampled_from([0.0, 0.5, 1.0, 2.0, 0.1]), min_size=n, max_size=n))
    return label, score, weight


def random_rows(n, *, seed=0, ties=False, weighted=False):
    """Calibrated probabilities and labels drawn from them."""
    rng = np.random.default_rng(seed)
    score = rng.random(n) ** 2
    if ties:
        score = np.round(score, 2)
    label = rng.random(n) < score
    return label, score, rng.random(n) * 3 if weighted else None


def in_segments(label, score, weight, segment, n_segments):
    """The same rows in segments."""
    whole = scored(predictions=score, truth=label, weights=weight)
    return Scored.of(
        whole.label,
        whole.score,
        weight=whole.weight,
        segment=np.asarray(segment, np.int64),
        n_segments=n_segments,
    )
