"""One pass over all slices gives what a loop over the slices gives."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.kernels import forced
from steelyard.metrics import AUC, GAUC

from ...tables import each_row
from .given import EVERY, arguments, drawn, segmented

N, SLICES, GROUPS = 1_500, 9, 40


def rows(kind, weighted):
    label, score, weight = drawn(11, N, kind=kind, weighted=weighted)
    random = np.random.default_rng(12)
    segment, group = random.integers(0, SLICES, N), random.integers(0, GROUPS, N)
    segment[segment == 3] = 4  # no row
    label[segment == 5] = 0  # one class only
    label[segment == 6] = 1
    return label, score, weight, segment, group


@each_row(("kind", "weighted"), [(np.float64, False), (np.float32, True)])
@each_row("metric", EVERY, ids=str)
def test_segments_are_slices(metric, kind, weighted):
    label, score, weight, segment, group = rows(kind, weighted)
    if weight is not None and getattr(metric, "clip", 0) is None:
        weight = weight + 1  # an infinite loss of weight 0 has a test of its own, in laws
    found = metric.measure(
        segmented(
            label, score, weight=weight, segment=segment, n_segments=SLICES, group=group, n_groups=GROUPS
        )
    )
    for at in range(SLICES):
        here = segment == at
        alone = metric.of(
            **arguments(metric, label[here], score[here], group[here]),
            weights=None if weight is None else weight[here],
        )
        np.testing.assert_allclose(found[at], alone, rtol=0, atol=1e-12)
    # one segment is no segment
    whole, one = (
        metric.measure(segmented(label, score, weight=weight, group=group, n_groups=GROUPS, **cut))
        for cut in ({}, {"segment": np.zeros(N, np.int64), "n_segments": 1})
    )
    np.testing.assert_allclose(whole, one, rtol=0, atol=1e-12)


@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize("metric", [AUC(), GAUC(), GAUC(weight="pairs", single_class="half")], ids=str)
def test_pairs_of_slices_are_bit_for_bit_those_of_each_slice(metric, side):
    label, score, _, segment, group = rows(np.float32, weighted=False)
    with forced(side):
        found = metric.measure(
            segmented(label, score, segment=segment, n_segments=SLICES, group=group, n_groups=GROUPS)
        )
        alone = [
            metric.of(**arguments(metric, label[segment == at], score[segment == at], group[segment == at]))
            for at in range(SLICES)
        ]
    assert found.tobytes() == np.array(alone).tobytes()


def test_ten_thousand_slices_at_once():
    n, slices = 60_000, 10_000
    label, score, _ = drawn(5, n)
    segment = np.arange(n) % slices
    found = AUC().measure(segmented(label, score, segment=segment, n_segments=slices))
    assert found.shape == (slices,)
    for at in (0, 1, 17, 9_999):
        np.testing.assert_equal(
            found[at], AUC().of(predictions=score[segment == at], truth=label[segment == at])
        )
