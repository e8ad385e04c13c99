"""Labels, scores and groups are taken as they are where they can be, and never changed."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from steelyard.engine import columns
from steelyard.engine.columns import binary, floats, grouped
from steelyard.kernels import forced
from steelyard.metrics import AUC, GAUC

from .given import drawn, segmented

WHOLE = [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize("low", [0, 1, 90, -5, -(2**62), 2**62])
@pytest.mark.parametrize("step", [1, 2, 7, 2**33])
def test_numbers_of_groups_keep_their_order(side, low, step):
    names = low + step * np.arange(5)
    with forced(side):
        number, found = grouped(pl.Series(names[[3, 0, 3, 4, 1, 1]]))
    assert found.gather(number).to_list() == names[[3, 0, 3, 4, 1, 1]].tolist()
    assert np.unique(number, return_inverse=True)[1].tolist() == [2, 0, 2, 3, 1, 1]
    assert number.dtype == np.int64


TEXTS = ["", "a", "a ", "B", "b", "é", "用户", "user_000000000001", "user_000000000002", "user_0000000000010"]


@pytest.mark.parametrize("side", ["kernel", "twin"])
@pytest.mark.parametrize("hashes", [None, 1, 3, 7])
def test_texts_are_numbered_by_their_names_whatever_their_hashes(monkeypatch, side, hashes):
    """Also where different texts have one hash: all of them, or those of one remainder."""
    honest = columns._hashed
    if hashes is not None:
        monkeypatch.setattr(columns, "_hashed", lambda texts: honest(texts) % hashes)
    random = np.random.default_rng(1)
    of_row = random.integers(0, len(TEXTS), 500)
    texts = pl.concat([pl.Series("user", [TEXTS[at] for at in part]) for part in np.split(of_row, 5)])
    with forced(side):
        number, names = grouped(texts)
    assert names.name == "user"
    assert names.to_list() == sorted(TEXTS, key=str.encode)
    assert number.dtype == np.int64
    assert names.gather(number).to_list() == texts.to_list()


def test_one_wrong_name_among_many_is_noticed():
    texts = pl.Series([f"user_{at:012}" for at in range(1_000)])
    assert columns._are_named(texts, texts, np.arange(1_000))
    for at in (0, 499, 999):
        number = np.arange(1_000)
        number[at] = (at + 1) % 1_000
        assert not columns._are_named(texts, texts, number)


@pytest.mark.parametrize("kind", WHOLE)
def test_groups_of_every_width(kind):
    top = np.iinfo(kind).max
    number, names = grouped(pl.Series(np.array([top, 0, top, 1], kind)))
    assert [number[0] == number[2], len(set(number.tolist()))] == [True, 3]
    assert names.gather(number).to_list() == [top, 0, top, 1]
    number, _ = grouped(pl.Series(np.array([2, 0, 2, 1], kind)))
    assert number.tolist() == [2, 0, 2, 1]


@pytest.mark.parametrize("kind", [bool, float, object, *WHOLE])
def test_labels_of_every_kind(kind):
    found = binary(np.array([1, 0, 1], kind))
    assert found.dtype == np.uint8
    assert found.tolist() == [1, 0, 1]
    assert binary(np.zeros(0, kind)).tolist() == []


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("lowest", [-math.inf, -1.0, -0.0, 0.0, 5e-324])
def test_no_score_is_minus_0(kind, lowest):
    given = np.array([0.5, lowest, -0.0 if lowest <= 0 else 0.5], kind)
    before = given.tobytes()
    found = floats(given)
    assert found.dtype == kind
    assert np.array_equal(found, given)
    assert not np.signbit(found[found == 0]).any()
    assert given.tobytes() == before


@pytest.mark.parametrize("metric", [GAUC(), GAUC(weight="uniform", single_class="half")], ids=str)
@pytest.mark.parametrize("slices", [1, 3, 40, 5_000])
@pytest.mark.parametrize("n_groups", [1, 60, 10**6])
def test_groups_of_slices(metric, slices, n_groups):
    """Few pairs of slice and group are their own numbers, many are numbered anew: the values are the same."""
    n = 3_000
    label, score, _ = drawn(3, n)
    random = np.random.default_rng(slices)
    segment = random.integers(0, slices, n)
    group = random.integers(0, n_groups, 60)[random.integers(0, 60, n)]
    order = random.permutation(n)
    values = set()
    for side in ("kernel", "twin"):
        for at in (slice(None), order):
            rows = segmented(
                label[at],
                score[at],
                segment=segment[at],
                n_segments=slices,
                group=group[at],
                n_groups=n_groups,
            )
            with forced(side):
                values.add((metric.measure(rows).tobytes(), *metric.facts(rows)))
    assert len(values) == 1
    first = segment == segment[0]
    alone = metric.of(predictions=score[first], truth=label[first], groups=group[first])
    np.testing.assert_array_equal(metric.measure(rows)[segment[0]], alone)


def test_the_groups_are_counted_once():
    label, score, _ = drawn(3, 200)
    rows = segmented(label, score, group=np.arange(200) % 9, n_groups=9)
    inner, _ = rows.by_group
    assert inner is rows.by_group[0]
    before = (inner.positives, inner.negatives, inner.rows)
    counted, _ = segmented(label, score, group=np.arange(200) % 9, n_groups=9).by_group
    assert counted.auc.shape == (9,)
    for one, other in zip(before, (counted.positives, counted.negatives, counted.rows), strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


def test_classes_beside_pairs_have_their_weight():
    label, score, weight = drawn(3, 200, weighted=True)
    rows = segmented(label, score, weight=weight)
    expected = pytest.approx([weight[label == 1].sum()])
    assert rows.pairs.positives.tolist() == expected
    assert rows.positives.tolist() == expected
    assert AUC().measure(rows) == pytest.approx(AUC().of(predictions=score, truth=label, weights=weight))
