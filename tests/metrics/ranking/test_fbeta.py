"""F1 and F-beta at k, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import FBetaAt

from ...tables import each_row
from ..worked import check, check_undefined, table


def f(beta, precision, recall):
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (FBetaAt(k=2), [1, 0], [1, 1, 1, 1], f(1, 1 / 2, 1 / 4)),
    (FBetaAt(k=2), [1, 0], [1, 1, 1, 1], 1 / 3),
    (FBetaAt(k=2), [1, 1], [1, 1], 1),
    (FBetaAt(k=5), [1, 0], [1, 1], f(1, 1 / 5, 1 / 2)),
    (FBetaAt(k=5, denominator="retrieved"), [1, 0], [1, 1], f(1, 1 / 2, 1 / 2)),
    (FBetaAt(k=5, denominator="achievable"), [1, 0], [1, 1, 1], f(1, 1 / 3, 1 / 3)),
    (FBetaAt(k=2, denominator="achievable"), [1, 0], [1, 1, 1], f(1, 1 / 2, 1 / 3)),
    (FBetaAt(), [1, 0, 0], [1, 1], f(1, 1 / 3, 1 / 2)),
    (FBetaAt(denominator="retrieved"), [1, 0, 0], [1, 1], f(1, 1 / 3, 1 / 2)),
    (FBetaAt(denominator="achievable"), [1, 0, 0], [1, 1], f(1, 1 / 2, 1 / 2)),
    # recall counts twice, or half, as much as precision
    (FBetaAt(k=4, beta=2), [1, 0, 0, 0], [1, 1], f(2, 1 / 4, 1 / 2)),
    (FBetaAt(k=4, beta=2), [1, 0, 0, 0], [1, 1], 5 * 1 / 8 / (4 / 4 + 1 / 2)),
    (FBetaAt(k=4, beta=0.5), [1, 0, 0, 0], [1, 1], f(0.5, 1 / 4, 1 / 2)),
    (FBetaAt(k=4, beta=0.5, denominator="retrieved"), [1, 0], [1, 1], f(0.5, 1 / 2, 1 / 2)),
    # nothing shown, nothing found, nothing relevant
    (FBetaAt(k=5), [], [1], 0),
    (FBetaAt(k=5, denominator="retrieved"), [], [1], 0),
    (FBetaAt(), [], [1], 0),
    (FBetaAt(k=5), [0, 0], [1], 0),
    (FBetaAt(k=5), [0, 0], [0, 0], nan),
    (FBetaAt(k=5, denominator="achievable"), [0, 0], [0, 0], nan),
    (FBetaAt(k=5), [], [], nan),
    # grades
    (FBetaAt(k=3, rel=2), [3, 1, 2], [3, 1, 2, 2], f(1, 2 / 3, 2 / 3)),
    (FBetaAt(k=3, rel=0.5), [0.5, -1, 0.4], [0.5, -1, 0.4, 0.6], f(1, 1 / 3, 1 / 2)),
    # a mean of F values, not the F of means
    (FBetaAt(k=2), [[1, 1], [0, 1]], [[1, 1], [1, 1, 1]], (1 + f(1, 1 / 2, 1 / 3)) / 2),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(FBetaAt(k=5), [0, 0], [0])
    check_undefined(FBetaAt(k=5, beta=2, denominator="achievable"), [0, 0], [0])


@each_row("beta", [0, -1, float("inf"), float("nan"), "much", None, True])
def test_beta_is_a_number_above_0(beta):
    with pytest.raises(sy.SteelyardError, match="fbeta: beta must be a number from 1e-60 to 1e[+]60"):
        FBetaAt(k=5, beta=beta)


@each_row(
    ("metric", "text"),
    [
        (FBetaAt(k=2), "f1@2"),
        (FBetaAt(), "f1@all"),
        (FBetaAt(k=2, beta=2), "fbeta(beta=2)@2"),
        (FBetaAt(k=2, beta=0.5, rel=2), "fbeta(beta=0.5, rel=2)@2"),
        (FBetaAt(k=2, denominator="retrieved"), "f1(denominator=retrieved)@2"),
    ],
)
def test_text(metric, text):
    assert str(metric) == text
    assert sy.metric(text) == metric


def test_f1_is_fbeta_with_beta_1():
    assert sy.metric("f1@5") == sy.metric("fbeta(beta=1)@5") == sy.metric("fbeta@5") == FBetaAt(k=5)
    with pytest.raises(sy.SteelyardError, match=r"f1 means beta=1\n"):
        sy.metric("f1(beta=2)@5")


def test_a_call_cannot_make_f1_something_else():
    with pytest.raises(sy.SteelyardError, match=r"f1 means beta=1\n"):
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1, "b": 1}}, ["f1@2", "fbeta@2"], beta=2)
