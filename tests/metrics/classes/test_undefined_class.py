"""Classes and rows without a value inside an average, the mean over rows, and tied classes at the cut."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics import F1, FPR, Precision, Recall, Specificity, TopAccuracy

from ...tables import each_row

approx = pytest.approx

# a: called twice, once rightly; b: never called; c: called once, wrongly. Of a 1, of b 2, of c 0 rows.
TRUTH, CALLED = ["a", "b", "b"], ["a", "a", "c"]

WORKED = [
    ("macro", "zero", (1 / 2 + 0 + 0) / 3),
    ("macro", "one", (1 / 2 + 1 + 0) / 3),
    ("macro", "skip", (1 / 2 + 0) / 2),
    ("weighted", "zero", (1 * 1 / 2 + 2 * 0) / 3),
    ("weighted", "one", (1 * 1 / 2 + 2 * 1) / 3),
    ("weighted", "skip", 1 / 2),
]


@each_row(("average", "undefined_class", "value"), WORKED)
@each_row("undefined", ["nan", "zero", "one", "error"])
def test_precision_by_hand(average, undefined_class, value, undefined):
    """What the whole value would become if it were undefined makes no difference."""
    metric = Precision(average=average, undefined_class=undefined_class, undefined=undefined)
    assert metric.of(predictions=CALLED, truth=TRUTH) == approx(value, abs=1e-15)
    log = {"label": TRUTH, "predicted": CALLED}
    assert sy.evaluate(log, metrics=metric)[metric] == approx(value, abs=1e-15)
    weighted = {**log, "w": [1e60] * 3, "shop": ["x"] * 3}
    found = sy.evaluate(weighted, metrics=metric, weights="w", by="shop").table()["value"].to_list()
    assert found == approx([value] * 2, abs=1e-15)


def test_a_named_class_that_never_occurs_can_be_left_out_of_macro():
    """Of a half was found, of b all, d is in neither truth nor predictions; torchmetrics prints 3/4."""
    rows = {"label": ["a", "a", "b"], "predicted": ["a", "b", "b"]}
    asked = [
        "recall(average=macro)",
        "recall(average=macro, undefined_class=zero_seen)",
        "torchmetrics:MulticlassRecall",
        "torchmetrics:MulticlassRecall(average='weighted')",
    ]
    result = sy.evaluate(rows, metrics=asked, classes=["a", "b", "d"], ci="none")
    assert [result[one] for one in asked] == approx([(1 / 2 + 1 + 0) / 3, 3 / 4, 3 / 4, 2 / 3])
    note = "{}: class 'd' is undefined and is left out of the average (undefined_class=zero_seen)."
    assert [str(said) for said in result.notes if "left out" in said] == list(map(note.format, asked[1:3]))
    each = Recall(average="none", undefined_class="zero_seen", undefined="zero")
    assert each.of(truth=rows["label"], predictions=rows["predicted"], classes=["a", "b", "d"]) == [
        1 / 2,
        1,
        0,
    ]


def test_where_every_class_is_left_out_the_whole_is_undefined():
    """Nothing was called positive, and the matrices name the classes."""
    nothing = np.zeros((2, 2), int)
    for undefined, value in (("nan", nan), ("zero", 0.0), ("one", 1.0)):
        metric = Precision(average="macro", undefined_class="skip", undefined=undefined)
        assert metric.of(predictions=nothing, truth=np.ones((2, 2), int)) == approx(value, nan_ok=True)


@pytest.mark.parametrize(
    ("undefined_class", "fate"),
    [
        ("zero", "counts 0 in the average (undefined_class=zero)"),
        ("one", "counts 1 in the average (undefined_class=one)"),
        ("skip", "is left out of the average (undefined_class=skip)"),
    ],
)
def test_one_sentence_says_what_an_undefined_class_counts(undefined_class, fate):
    metric = Precision(average="macro", undefined_class=undefined_class, undefined="one")
    result = sy.evaluate({"label": TRUTH, "predicted": CALLED}, metrics=metric, ci="none")
    (note,) = result.notes
    assert note == f"{metric}: class 'b' is undefined and {fate}."


@pytest.mark.parametrize(
    ("undefined", "said"), [("zero", "counts 0"), ("one", "counts 1"), ("error", "is an error")]
)
@pytest.mark.parametrize("average", ["macro", "weighted", "samples"])
def test_the_conventions_do_not_contradict_that_sentence(average, undefined, said):
    """Of an average ``undefined`` says only what becomes of the whole."""
    log = (np.array([[1, 0], [0, 1]]), np.array([[1, 0], [1, 0]]))
    result = sy.evaluate(log[1], log[0], f"precision(average={average})", undefined=undefined)
    told = result.conventions_line().split(" · ")[1:]
    assert told == [f"an undefined average {said}", f"average={average}", "undefined_class=zero"]


def test_where_single_values_are_filled_the_conventions_say_so():
    result = sy.evaluate(
        {"label": TRUTH, "predicted": CALLED}, metrics="precision(average=none)", undefined="one"
    )
    assert result.conventions_line() == "steelyard:2026 · an undefined value counts 1 · average=none"
    assert result.table()["value"].to_list() == [1 / 2, 1, 0]


# row 1: called a and b, a is right, and so is c: tp 1, fp 1, fn 1, tn 1
# row 2: nothing was called and nothing is: tp 0, fp 0, fn 0, tn 4
# row 3: called d and nothing is: tp 0, fp 1, fn 0, tn 3
ROWS = [[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
SAID = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
SAMPLES = [
    (Precision, "zero", (1 / 2 + 0 + 0) / 3),
    (Precision, "one", (1 / 2 + 1 + 0) / 3),
    (Precision, "skip", (1 / 2 + 0) / 2),
    (Recall, "zero", (1 / 2 + 0 + 0) / 3),
    (Recall, "one", (1 / 2 + 1 + 1) / 3),
    (Recall, "skip", 1 / 2),
    (F1, "zero", (2 / 4 + 0 + 0) / 3),
    (F1, "skip", (2 / 4 + 0) / 2),
    (Specificity, "zero", (1 / 2 + 4 / 4 + 3 / 4) / 3),
    (FPR, "zero", (1 / 2 + 0 + 1 / 4) / 3),
]


@each_row(("cls", "undefined_class", "value"), SAMPLES)
def test_the_mean_over_rows_by_hand(cls, undefined_class, value):
    metric = cls(average="samples", undefined_class=undefined_class)
    assert metric.of(predictions=SAID, truth=ROWS) == approx(value, abs=1e-15)
    assert sy.evaluate(SAID, ROWS, metric)[metric] == approx(value, abs=1e-15)
    scores = np.where(np.array(SAID) == 1, 0.9, 0.1)
    assert sy.evaluate(scores, ROWS, metric)[metric] == approx(value, abs=1e-15)


def test_the_mean_over_rows_with_weights():
    metric = Precision(average="samples")
    assert metric.of(predictions=SAID, truth=ROWS, weights=[3, 1, 0]) == approx((3 * 1 / 2 + 1 * 0) / 4)
    assert metric.replace(undefined_class="skip").of(
        predictions=SAID, truth=ROWS, weights=[3, 1, 0]
    ) == approx(1 / 2)


def test_what_is_said_of_undefined_rows():
    result = sy.evaluate(
        SAID, ROWS, ["precision(average=samples)", "recall(average=samples, undefined_class=skip)"], ci="none"
    )
    assert result.notes == (
        "precision(average=samples): 1 row is undefined and counts 0 in the average (undefined_class=zero).",
        "recall(average=samples, undefined_class=skip): 2 rows are undefined and are left out of the average "
        "(undefined_class=skip).",
    )


@pytest.mark.parametrize("rows", [(["a", "b"], ["a", "a"]), ([1, 0], [0.9, 0.4])])
def test_one_label_has_no_mean_over_rows(rows):
    with pytest.raises(sy.SteelyardError, match="average=samples is for rows of several labels"):
        Precision(average="samples").of(predictions=rows[1], truth=rows[0])
    with pytest.raises(sy.SteelyardError, match="average=samples is for rows of several labels"):
        sy.best_threshold("f1(average=samples)", [0.9, 0.4], [1, 0])


# the right class b is level with c, and below a
LEVEL = [[0.4, 0.3, 0.3]]


@each_row(
    ("label", "k", "expected", "first", "pessimistic"),
    [
        ("a", 1, 1, 1, 1),
        ("b", 1, 0, 0, 0),
        ("b", 2, 1 / 2, 1, 0),
        ("c", 2, 1 / 2, 0, 0),
        ("b", 3, 1, 1, 1),
        ("c", 3, 1, 1, 1),
        ("c", 9, 1, 1, 1),
    ],
)
def test_tied_classes_at_the_cut(label, k, expected, first, pessimistic):
    for ties, value in (("expected", expected), ("first", first), ("pessimistic", pessimistic)):
        metric = TopAccuracy(k=k, class_ties=ties)
        assert metric.of(predictions=LEVEL, truth=[label], classes=["a", "b", "c"]) == value
        assert sy.evaluate(LEVEL, [label], metric, classes=["a", "b", "c"])[metric] == value


def test_the_first_in_order_is_the_order_of_the_classes_named():
    metric = TopAccuracy(k=1, class_ties="first")
    assert metric.of([[0.5, 0.5]], ["b"], classes=["b", "a"]) == 1.0
    assert metric.of([[0.5, 0.5]], ["b"], classes=["a", "b"]) == 0.0


def test_the_last_in_order_may_stand_first():
    metric = TopAccuracy(k=1, class_ties="last")
    assert metric.of([[0.5, 0.5]], ["b"], classes=["b", "a"]) == 0.0
    assert metric.of([[0.5, 0.5]], ["b"], classes=["a", "b"]) == 1.0
    # b stands above, then c before a
    level = [[0.25, 0.5, 0.25]]
    for label, k, value in (("a", 2, 0.0), ("c", 2, 1.0), ("b", 1, 1.0), ("a", 3, 1.0), ("c", 1, 0.0)):
        assert (
            TopAccuracy(k=k, class_ties="last").of(predictions=level, truth=[label], classes=["a", "b", "c"])
            == value
        )


def test_every_class_that_is_tied_at_the_border_may_count():
    level, names = [[0.25, 0.5, 0.25]], ["a", "b", "c"]
    for label, k, value in (("a", 1, 0.0), ("a", 2, 1.0), ("c", 2, 1.0), ("b", 1, 1.0)):
        assert (
            TopAccuracy(k=k, class_ties="optimistic").of(predictions=level, truth=[label], classes=names)
            == value
        )


def test_a_tie_at_the_border_may_be_an_error():
    level, names = [[0.25, 0.5, 0.25]], ["a", "b", "c"]
    with pytest.raises(sy.SteelyardError, match="in 1 row the right class is as probable as one beyond"):
        TopAccuracy(k=2, class_ties="error").of(predictions=level, truth=["a"], classes=names)
    # no tie reaches the border of the first, or of all three
    for label, k, value in (("a", 1, 0.0), ("b", 1, 1.0), ("b", 2, 1.0), ("a", 3, 1.0)):
        assert (
            TopAccuracy(k=k, class_ties="error").of(predictions=level, truth=[label], classes=names) == value
        )


@pytest.mark.parametrize("undefined_class", ["zero", "one", "skip"])
def test_explanations_lead_to_the_value(undefined_class):
    for average in ("macro", "weighted"):
        metric = Precision(average=average, undefined_class=undefined_class)
        made = sy.evaluate({"label": TRUTH, "predicted": CALLED}, metrics=metric).explain(metric)
        assert made.recomputed() == approx(metric.of(predictions=CALLED, truth=TRUTH))
    metric = Precision(average="samples", undefined_class=undefined_class)
    made = sy.evaluate(SAID, ROWS, metric).explain(metric)
    assert made.recomputed() == approx(metric.of(predictions=SAID, truth=ROWS))
