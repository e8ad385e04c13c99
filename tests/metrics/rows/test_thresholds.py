"""Curves that are read at some thresholds alone, as Keras, TensorFlow and torchmetrics read them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.scored import Scored
from steelyard.kernels.choose import forced
from steelyard.metrics import AUC, PRAUC
from steelyard.text.errors import SteelyardError

from ...tables import each_row

near = pytest.approx
ln = math.log

LABELS = [1, 1, 0, 1, 0, 0]
ODD = [1.0, 0.6, 0.55, 0.25, 0.2, 0.0]  # at 0, ¼, ½, ¾, 1: at or above 1 ½ ½ ¼ 0 0; above ¾ ½ ½ 0 0 0


# ---------------------------------------------------------------- by hand


@each_row(
    ("metric", "value"),
    [
        # the positives at 1, ½ and ¼ against the negatives at ½, 0 and 0
        (AUC(thresholds=5), (3 + 2.5 + 2) / 9),
        # the positives in (¾, 1], (½, ¾] and [0, ¼] against the negatives in (½, ¾], [0, ¼] and [0, ¼]
        (AUC(thresholds=5, strict=True), (3 + 2.5 + 1) / 9),
        # two thresholds tell 1 from the rest, or nothing from nothing
        (AUC(thresholds=2), (3 + 1.5 + 1.5) / 9),
        (AUC(thresholds=2, strict=True), 1 / 2),
        (PRAUC(thresholds=5), 1 / 3 * 1 + 1 / 3 * 2 / 3 + 1 / 3 * 3 / 4),
        (PRAUC(thresholds=5, strict=True), 1 / 3 * 1 + 1 / 3 * 2 / 3 + 1 / 3 * 3 / 6),
        # hits h from 1 to 2 with misses of h - 1: ∫ h / (2h - 1); from 2 to 3 with 2h - 3: ∫ h / (3h - 3)
        (
            PRAUC(thresholds=5, strict=True, rule="davis"),
            (1 + (1 / 2 + ln(3) / 4) + (1 / 3 + ln(6 / 3) / 3)) / 3,
        ),
    ],
)
def test_by_hand(metric, value):
    assert metric.of(predictions=ODD, truth=LABELS) == near(value, rel=1e-14)


def test_the_numbers_that_keras_prints():
    """keras 3.15.1, AUC() and AUC(curve='PR') of the example in its documentation, which has 3 thresholds."""
    labels, scores = [0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]
    at_three = {"thresholds": 3, "strict": True}
    assert AUC(**at_three).of(predictions=scores, truth=labels) == near(0.75)
    assert AUC(**at_three).of(predictions=scores, truth=labels, weights=[1, 0, 0, 1]) == near(1.0)
    found = sy.evaluate(scores, labels, ["keras:AUC(num_thresholds=3)", "keras:AUC", "keras:AUC(curve='PR')"])
    assert found.table()["value"].to_list() == near([0.75, 0.75, (1 + (1 - ln(3 / 2))) / 2])


# ---------------------------------------------------------------- against brute force


def rates(labels, scores, weights, n, *, strict):
    """The positives and negatives that are above each threshold, from the highest down to all of them."""
    found = [(0.0, 0.0)]
    for at in reversed(range(n)):
        threshold = at / (n - 1)
        if strict:
            threshold += {0: -1e-7, n - 1: 1e-7}.get(at, 0.0)
        above = [s > threshold if strict else s >= threshold for s in scores]
        rows = list(zip(labels, above, weights, strict=True))
        found.append(tuple(sum(w for y, up, w in rows if up and y == side) for side in (1, 0)))
    return found


def brute_auc(curve):
    (positives, negatives), area = curve[-1], 0.0
    for (tp, fp), (tp_next, fp_next) in pairwise(curve):
        area += (fp_next - fp) * (tp + tp_next) / 2
    return area / positives / negatives


def brute_pr(curve, rule):
    area = 0.0
    for (tp, fp), (tp_next, fp_next) in pairwise(curve):
        if tp_next == tp:
            continue
        if rule == "step":
            area += (tp_next - tp) * tp_next / (tp_next + fp_next)
            continue
        # the sum that Keras has for Davis and Goadrich
        slope = (tp_next - tp) / (tp_next + fp_next - tp - fp)
        intercept = tp - slope * (tp + fp)
        logs = math.log((tp_next + fp_next) / (tp + fp)) if tp + fp > 0 else 0.0
        area += slope * (tp_next - tp + intercept * logs)
    return area / curve[-1][0]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("n", [2, 3, 7, 11, 200])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_brute_force(n, strict, weighted):
    rng = np.random.default_rng(n + 2 * strict)
    scores = np.where(rng.random(150) < 0.3, rng.integers(0, 11, 150) / 10, rng.random(150))
    labels = (rng.random(150) < scores).astype(int)
    weights = rng.integers(1, 9, 150) / 4 if weighted else np.ones(150)
    curve = rates(labels.tolist(), scores.tolist(), weights.tolist(), n, strict=strict)
    fields = {"thresholds": n, "strict": strict}
    given = {"weights": weights} if weighted else {}
    assert AUC(**fields).of(predictions=scores, truth=labels, **given) == near(brute_auc(curve), rel=1e-12)
    for rule in ("step", "davis"):
        found = PRAUC(rule=rule, **fields).of(predictions=scores, truth=labels, **given)
        assert found == near(brute_pr(curve, rule), rel=1e-12)


# ---------------------------------------------------------------- laws


def drawn(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.random(rows)
    return (rng.random(rows) < scores).astype(np.uint8), scores


@pytest.mark.parametrize("metric", [AUC(), AUC(max_fpr=0.3), PRAUC(), PRAUC(rule="davis")])
@pytest.mark.parametrize("strict", [False, True])
class TestLaws:
    def test_scores_on_the_grid_give_the_exact_value(self, metric, strict):
        labels, scores = drawn()
        on_grid = np.maximum(np.rint(scores * 64), 1) / 64
        read = metric.replace(thresholds=65, strict=strict)
        assert read.of(predictions=on_grid, truth=labels) == metric.of(predictions=on_grid, truth=labels)

    def test_more_thresholds_come_near_the_exact_value(self, metric, strict):
        labels, scores = drawn()
        exact = metric.of(predictions=scores, truth=labels)
        found = [
            abs(metric.replace(thresholds=n, strict=strict).of(predictions=scores, truth=labels) - exact)
            for n in (3, 1_000, 1_000_000)
        ]
        assert found[0] > found[2]
        assert found[1] < 0.01
        assert found[2] < 1e-4

    def test_the_same_as_of_scores_that_are_rounded_beforehand(self, metric, strict):
        labels, scores = drawn()
        rounded = np.maximum(np.ceil(scores * 8), 1) / 8 if strict else np.floor(scores * 8) / 8
        read = metric.replace(thresholds=9, strict=strict)
        assert read.of(predictions=scores, truth=labels) == metric.of(predictions=rounded, truth=labels)
        intervals = [
            sy.evaluate(pl.DataFrame({"label": labels, "score": one}), metrics=asked, ci="influence").table()
            for one, asked in ((scores, read), (rounded, metric))
        ]
        assert intervals[0].select("ci_low", "ci_high").equals(intervals[1].select("ci_low", "ci_high"))

    def test_slices_are_read_as_the_whole_is(self, metric, strict):
        labels, scores = drawn()
        read = metric.replace(thresholds=9, strict=strict)
        log = pl.DataFrame({"label": labels, "score": scores, "day": np.arange(400) % 2})
        found = sy.evaluate(log, metrics=read, by="day").table()
        for day in (0, 1):
            [value] = found.filter(pl.col("day") == str(day))["value"]
            assert value == near(read.of(predictions=scores[day::2], truth=labels[day::2]), rel=1e-14)


@pytest.mark.parametrize("average", ["ovr_macro", "ovr_micro", "ovo_macro", "none"])
def test_every_probability_of_several_classes_is_read(average):
    rng = np.random.default_rng(3)
    probability = rng.dirichlet(np.ones(3), 200)
    labels = [int(rng.choice(3, p=row)) for row in probability]
    told = np.eye(3)[labels]
    found = AUC(average=average, thresholds=9).of(predictions=probability, truth=labels)
    if average.startswith("ovo"):
        apart = [
            AUC(thresholds=9).of(predictions=probability[keep, a], truth=[int(y == a) for y in some])
            for a in range(3)
            for b in range(3)
            if a != b
            for keep in [[i for i, y in enumerate(labels) if y in (a, b)]]
            for some in [[labels[i] for i in keep]]
        ]
        assert found == near(np.mean(apart), rel=1e-12)
        return
    apart = [AUC(thresholds=9).of(predictions=probability[:, at], truth=told[:, at]) for at in range(3)]
    wanted = {
        "ovr_macro": np.mean(apart),
        "ovr_micro": AUC(thresholds=9).of(predictions=probability.ravel(), truth=told.ravel()),
        "none": apart,
    }
    assert found == near(wanted[average], rel=1e-12)


def test_scores_of_several_labels_are_read():
    labels, scores = [[1, 0], [1, 1], [0, 0], [0, 1]], [[0.9, 0.2], [0.4, 0.6], [0.45, 0.7], [0.1, 0.3]]
    apart = [
        AUC(thresholds=5).of(predictions=[row[at] for row in scores], truth=[row[at] for row in labels])
        for at in (0, 1)
    ]
    assert (
        AUC(thresholds=5, average="none").of(predictions=scores, truth=labels)
        == apart
        == [(2 + 1.5) / 4, (1.5 + 1) / 4]
    )


# ---------------------------------------------------------------- precision, kernels, refusals, words


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("n", [2, 3, 11, 200, 5_000])
def test_a_score_at_a_threshold_is_at_it_in_every_precision(dtype, n):
    thresholds = np.unique((np.arange(n) / (n - 1)).astype(dtype))
    rows = Scored.of(np.ones(len(thresholds), np.uint8), thresholds)
    assert (rows.read_at(n, strict=False, metric="auc").score == thresholds).all()
    assert (rows.read_at(n, strict=True, metric="auc").score[1:] == thresholds[1:]).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("n", [2, 11, 200, 5_000])
def test_the_kernel_and_its_twin_read_alike(dtype, strict, n):
    rng = np.random.default_rng(n)
    scores = np.concatenate([rng.random(500), np.arange(n) / (n - 1)]).astype(dtype)
    read = []
    for side in ("kernel", "twin"):
        with forced(side):
            rows = Scored.of(np.ones(len(scores), np.uint8), scores)
            read.append(rows.read_at(n, strict=strict, metric="auc").score)
    assert (read[0] == read[1]).all()


@pytest.mark.parametrize("metric", ["auc(thresholds=200)", "pr_auc(thresholds=200)"])
@pytest.mark.parametrize("said", [[1.2, 0.5, 0.1], [[0.1, 0.2], [0.3, -0.1], [0.5, 0.5]]])
def test_scores_outside_0_and_1_are_refused(metric, said):
    labels = [1, 0, 0] if np.ndim(said) == 1 else [[1, 0], [0, 1], [0, 0]]
    with pytest.raises(SteelyardError, match=r"needs probabilities in \[0, 1\]"):
        sy.evaluate(np.array(said), np.array(labels), metric)


@each_row("bad", [1, 0, 2.5, "some", 10**7])
def test_thresholds_are_a_whole_number_of_2_or_more(bad):
    with pytest.raises(SteelyardError, match="thresholds"):
        AUC(thresholds=bad)


def test_a_note_says_what_no_threshold_tells_apart():
    found = sy.evaluate([0.8, 0.6, 0.55, 0.1], [1, 1, 0, 0], ["auc", "auc(thresholds=5)"])
    [note] = [note for note in found.notes if note.key == "between_thresholds"]
    assert note.figures["share"] == 1 / 4
    assert "auc(thresholds=5) counts one half for 25.0% of the pairs" in str(note)


def test_an_explanation_says_how_scores_were_read():
    told = sy.explain("auc(thresholds=5, strict=true)", [0.8, 0.6, 0.55, 0.1], [1, 1, 0, 0])
    assert told.steps[0].column("score").cells == ("1", "0.75", "0.25")
    assert told.recomputed() == told.value == (3 + 1 / 2) / 4
    assert [note.key for note in told.notes] == ["read_above_thresholds", "between_thresholds"]
    assert "up to the next are tied at the upper one" in told.notes[0]
    below = sy.explain("auc(thresholds=5)", [0.8, 0.6, 0.55, 0.1], [1, 1, 0, 0])
    assert "below the next are tied at the lower one" in below.notes[0]
    assert {other.text: other.value for other in told.others}["thresholds=none"] == 1.0
    whole = sy.explain("auc", [0.8, 0.6, 0.55, 0.1], [1, 1, 0, 0])
    assert {other.text for other in whole.others} == {"max_fpr=0.1", "thresholds=200"}
    logits = sy.explain("auc", predictions=[3.0, 1.0, -1.0, -2.0], truth=[1, 1, 0, 0])
    assert {other.text for other in logits.others} == {"max_fpr=0.1"}
