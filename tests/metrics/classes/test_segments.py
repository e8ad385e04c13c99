"""Slices in one pass equal a loop over slices, ten thousand of them too."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.engine.scored import Rated, Scored
from steelyard.metrics import (
    AUC,
    ECE,
    F1,
    FPR,
    MAE,
    MCC,
    MSE,
    R2,
    RMSE,
    Accuracy,
    BalancedAccuracy,
    Confusion,
    FBeta,
    LogLoss,
    Precision,
    Recall,
    Specificity,
    TopAccuracy,
)

from ...classified import of_labels, of_matrices, of_probabilities
from ...tables import each_row

N, SLICES, CLASSES = 600, 12, ("a", "b", "c", "d")
AVERAGED = [
    cls(average=average)
    for cls in (Precision, Recall, F1, Specificity, FPR)
    for average in ("micro", "macro", "weighted", "none")
]
WHOLE = [Accuracy(), BalancedAccuracy(), MCC(), Confusion(), FBeta(beta=2, average="macro")]
GIVEN = [
    TopAccuracy(k=2),
    LogLoss(),
    ECE(bins=5),
    AUC(),
    AUC(average="ovr_weighted"),
    AUC(average="ovo_macro"),
    AUC(max_fpr=0.5),
]


def drawn(weighted, named):
    """Rows whose slices are small, one of them empty and some without some class."""
    rng = np.random.default_rng(11)
    segment = rng.choice(SLICES - 1, N, p=rng.dirichlet(np.full(SLICES - 1, 0.6)))
    raw = np.round(rng.dirichlet(np.ones(4), N) * 8)
    probability = (raw + 1e-3) / (raw + 1e-3).sum(axis=1, keepdims=True)
    return {
        "truth": rng.choice(np.array(CLASSES), N, p=[0.6, 0.3, 0.08, 0.02]),
        "called": rng.choice(np.array(CLASSES), N, p=[0.5, 0.4, 0.08, 0.02]),
        "probability": probability,
        "matrix": rng.integers(0, 2, (N, 4)),
        "called_matrix": rng.integers(0, 2, (N, 4)),
        "weight": rng.random(N) * (rng.random(N) > 0.1) if weighted else None,
        "segment": segment,
        "classes": CLASSES if named else None,
    }


def each_slice(data, make):
    """The state of every slice alone; None for a slice without rows."""
    for at in range(SLICES):
        kept = np.flatnonzero(data["segment"] == at)
        weight = None if data["weight"] is None else data["weight"][kept]
        yield make(kept, weight=weight)


def agree(metric, whole, parts, places=None):
    values = metric.measure(whole)
    assert len(values) == SLICES
    for value, part in zip(values, parts, strict=True):
        alone = metric.measure(part)[0]
        if places is not None and np.ndim(value):
            value = value[places(part)]
        np.testing.assert_allclose(value, alone, rtol=1e-12, atol=1e-14, equal_nan=True)


@each_row("weighted", [False, True])
@each_row("metric", [*AVERAGED, *WHOLE], ids=str)
def test_predicted_classes(metric, weighted):
    """With named classes, so that a slice alone has the same ones."""
    data = drawn(weighted, named=True)
    fields = dict(weight=data["weight"], segment=data["segment"], n_segments=SLICES)
    whole = of_labels(data["truth"], data["called"], classes=CLASSES, **fields)
    parts = each_slice(
        data,
        lambda kept, **more: of_labels(data["truth"][kept], data["called"][kept], classes=CLASSES, **more),
    )
    agree(metric, whole, parts)


@each_row("metric", [one for one in [*AVERAGED, *WHOLE] if one != Confusion()], ids=str)
def test_a_slice_has_the_classes_it_would_have_alone(metric):
    data = drawn(weighted=False, named=False)
    whole = of_labels(data["truth"], data["called"], segment=data["segment"], n_segments=SLICES)
    parts = each_slice(
        data,
        lambda kept, **more: (
            of_labels(data["truth"][kept].astype(str), data["called"][kept], **more)
            if len(kept)
            else of_labels(np.array(["a"]), np.array(["a"]), weight=np.zeros(1))
        ),
    )
    agree(metric, whole, parts, places=lambda part: [CLASSES.index(name) for name in part.classes])


@each_row("weighted", [False, True])
@each_row("metric", GIVEN, ids=str)
def test_probabilities(metric, weighted):
    data = drawn(weighted, named=True)
    fields = dict(weight=data["weight"], segment=data["segment"], n_segments=SLICES)
    whole = of_probabilities(data["truth"], data["probability"], classes=CLASSES, **fields)
    parts = each_slice(
        data,
        lambda kept, **more: of_probabilities(
            data["truth"][kept], data["probability"][kept], classes=CLASSES, **more
        ),
    )
    agree(metric, whole, parts)


@each_row("weighted", [False, True])
@each_row("metric", [*AVERAGED, Accuracy()], ids=str)
def test_several_labels(metric, weighted):
    data = drawn(weighted, named=True)
    fields = dict(weight=data["weight"], segment=data["segment"], n_segments=SLICES)
    whole = of_matrices(data["matrix"], data["called_matrix"], **fields)
    parts = each_slice(
        data,
        lambda kept, **more: of_matrices(data["matrix"][kept], data["called_matrix"][kept], **more),
    )
    agree(metric, whole, parts)


@pytest.mark.parametrize("metric", [Precision(threshold=0.3), F1(strict=True), MCC(), Confusion()], ids=str)
def test_scores(metric):
    data = drawn(weighted=True, named=False)
    label, score = (data["truth"] == "a").astype(np.uint8), data["probability"][:, 0]
    whole = Scored.of(label, score, weight=data["weight"], segment=data["segment"], n_segments=SLICES)
    agree(metric, whole, each_slice(data, lambda kept, **more: Scored.of(label[kept], score[kept], **more)))


@each_row("weighted", [False, True])
@each_row("metric", [RMSE(), MSE(), MAE(), R2()], ids=str)
def test_ratings(metric, weighted):
    data = drawn(weighted, named=False)
    truth, predicted = data["matrix"].sum(axis=1) + 1e6, data["called_matrix"].sum(axis=1) + 1e6
    fields = dict(weight=data["weight"], segment=data["segment"], n_segments=SLICES)
    whole = Rated.of(truth, predicted, **fields)
    agree(
        metric, whole, each_slice(data, lambda kept, **more: Rated.of(truth[kept], predicted[kept], **more))
    )


def test_an_empty_slice_is_undefined_and_a_note_counts_slices():
    rows = of_labels(np.array(list("aab")), np.array(list("aaa")), segment=np.array([0, 0, 2]), n_segments=3)
    macro = Precision(average="macro")
    np.testing.assert_array_equal(macro.measure(rows), [1, np.nan, 0])
    assert macro.facts(rows) == [
        "precision(average=macro): in 1 slice at least one class is undefined and counts 0 in the average "
        "(undefined_class=zero)."
    ]
    np.testing.assert_array_equal(Confusion().measure(rows)[1], [0, 0, 0, 0])
    assert Confusion().entries(rows) == [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert Precision(average="none").entries(rows) == [("a",), ("b",)]
    assert macro.entries(rows) == []


def test_ten_thousand_slices_at_once():
    rng = np.random.default_rng(3)
    n = 400_000
    truth, called = rng.integers(0, 5, n), rng.integers(0, 5, n)
    segment = rng.integers(0, 10_000, n)
    metric = F1(average="macro")
    every = metric.measure(of_labels(truth, called, segment=segment, n_segments=10_000))
    assert every.shape == (10_000,)
    for one in (0, 4_999, 9_999):
        rows = segment == one
        alone = metric.measure(of_labels(truth[rows], called[rows]))
        assert every[one] == pytest.approx(alone[0], abs=1e-12)
