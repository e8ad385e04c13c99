"""The steps of every metric of rows, classes and ratings lead to its value, whatever its fields and rows."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from steelyard.metrics import AUC, GAUC, BalancedAccuracy, LogLoss
from steelyard.metrics.classes.base import AVERAGES, AveragedMetric
from steelyard.render.explanation import ROC, explain_rows
from steelyard.text import Message
from steelyard.text.errors import SteelyardError

from .rows_drawn import CLASSIFIED, MANY_CLASSES, ROW_METRICS, SCORED, drawn_scores, forms, scored, states

NAMES = list(ROW_METRICS)
MOST_ROWS = 60  # of a table that a reader sees


def same(one, other):
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


def measured(metric, state):
    """Every value of a metric, or None where these rows are not for it."""
    try:
        return np.atleast_1d(metric.measure(state)[0]).reshape(-1).tolist()
    except SteelyardError:
        return None


def check(metric, state):
    values = measured(metric, state)
    if values is None:
        return None
    made = explain_rows(metric, state)
    assert len(made.values) == len(values)
    again = made.recomputed_values()
    assert len(again) == len(values), f"{metric!r}\n{made}"
    for value, told, found in zip(values, made.values, again, strict=True):
        assert same(value, told), metric
        assert same(value, found), f"{metric!r}: {value} is not {found}\n{made}"
    return made


def test_the_formula_of_ones_own_metric_of_counts_is_written():
    import steelyard as sy

    @sy.register("shared")
    class Jaccard(AveragedMetric):
        """The share of what is or was called positive that is both."""

        def parts(self, counts):
            return counts.tp, counts.tp + counts.fp + counts.fn

    @sy.register("rooted")
    class Rooted(AveragedMetric):
        """A formula that takes numbers alone."""

        def parts(self, counts):
            return counts.tp, np.sqrt(counts.tp + counts.fp)

    labels = {"labels": [1, 1, 0, 0], "predicted": [1, 0, 1, 0]}
    made = sy.explain("shared", **labels)
    assert (made.value, made.recomputed()) == (1 / 3, 1 / 3)
    assert "shared = TP / (TP + FP + FN)" in made.to_text()
    assert "shared = 1 / (1 + 1 + 1) = 0.3333" in made.to_text()
    other = sy.explain("rooted", **labels)
    assert same(other.recomputed(), 1 / math.sqrt(2))
    assert "rooted = 1 / 1.4142 = 0.7071" in other.to_text()


@pytest.mark.parametrize("name", NAMES)
def test_steps_lead_to_the_value(name):
    explained = [check(metric, state) for metric in forms(name) for state in states(name)]
    told = [made for made in explained if made is not None]
    assert len(told) > 5
    for made in told:
        assert all(len(table.visible) <= MOST_ROWS for table in made.steps)
        check_words(made)


def check_words(made):
    """Whatever is not a name of the data is a message, found by its key."""
    columns = [column for table in made.steps for column in table.columns]
    named = [*made.steps, *columns, *(line for line in made.lines if line.name != "value")]
    of_data = [one for one in named if one.name.startswith("→ ") or one.name.endswith(")")]
    assert all(isinstance(one.name, Message) for one in named if one not in of_data), made
    for table in made.steps:
        keys = [column.key for column in table.columns]
        assert len(set(keys)) == len(keys), made
        assert {*table.total, *table.results} <= set(keys), made


@pytest.mark.parametrize("undefined", ["zero", "one"])
@pytest.mark.parametrize("name", NAMES)
def test_undefined_values_count_what_they_are_said_to(name, undefined):
    for metric in forms(name, undefined=undefined):
        for state in states(name)[:8]:
            check(metric, state)


@pytest.mark.parametrize("state", SCORED)
def test_the_walk_of_roc_has_the_area_of_auc(state):
    made = explain_rows(ROC(), state)
    assert same(made.recomputed(), float(AUC().measure(state)[0]))
    assert made.others == ()
    assert made.explained == ()


def test_the_walk_of_roc_begins_at_infinity():
    (walk,) = explain_rows(ROC(), scored([1, 1, 0, 0], [0.8, 0.5, 0.5, 0.1])).steps
    assert walk.column("threshold").cells == ("∞", "0.8", "0.5", "0.1")
    assert walk.column("tpr").cells == (0.0, 1 / 2, 1.0, 1.0)
    assert walk.column("fpr").cells == (0.0, 0.0, 1 / 2, 1.0)
    assert walk.column("area").cells == (0.0, 0.0, 1 / 2 * (1 / 2 + 1) / 2, 1 / 2 * 1)


def test_many_rows_are_told_in_a_few():
    state = drawn_scores(5, 400_000, digits=9, groups=9_000)
    for metric in (AUC(), AUC(max_fpr=0.01), GAUC(), LogLoss()):
        made = check(metric, state)
        assert all(table.height <= MOST_ROWS for table in made.steps)
    costs = explain_rows(LogLoss(), state).steps[0]
    assert costs.column("row").cells[-1] == f"… {400_000 - 15:,}"
    assert sorted(costs.column("cost").cells[:15], reverse=True) == list(costs.column("cost").cells[:15])


@pytest.mark.parametrize("average", ["ovr_macro", "ovr_weighted"])
def test_many_classes_are_told_in_a_few(average):
    (table,) = check(AUC(average=average), MANY_CLASSES).steps
    assert table.height < len(MANY_CLASSES.classes)
    assert table.hidden.figures["rows"] + table.height - 1 == len(MANY_CLASSES.classes)


def test_scores_that_look_alike_are_told_apart():
    (walk,) = explain_rows(AUC(), scored([1, 0], [0.50000001, 0.5])).steps
    assert walk.column("score").cells == ("0.50000001", "0.5")


@pytest.mark.parametrize("metric", [AUC(), LogLoss(), AUC(max_fpr=0.4)])
def test_weights_are_told_where_there_are_any(metric):
    label, score = [1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]
    plain = explain_rows(metric, scored(label, score))
    weighted = explain_rows(metric, scored(label, score, weight=np.array([1.0, 2.0, 0.5, 1.0])))
    assert not {"weight", "weighted_cost"} & {column.key for column in plain.steps[0].columns}
    assert "weight_fact" not in [fact.key for fact in plain.facts]
    (fact,) = [fact for fact in weighted.facts if fact.key == "weight_fact"]
    assert fact == "total weight 4.5; counts are sums of weights"


def test_fields_that_say_nothing_are_not_told():
    assert set(explain_rows(AUC(), SCORED[0]).explained) == {"max_fpr", "thresholds", "equal_scores"}
    partial = explain_rows(AUC(max_fpr=0.5), SCORED[0]).explained
    assert set(partial) == {"max_fpr", "partial", "thresholds", "equal_scores"}
    f1 = ROW_METRICS["fbeta"]
    assert explain_rows(f1(), SCORED[0]).explained == ("threshold", "strict", "average", "beta")
    assert explain_rows(f1(), CLASSIFIED[7]).explained == ("average", "beta")
    assert explain_rows(f1(average="macro"), CLASSIFIED[7]).explained == (
        "average",
        "undefined_class",
        "beta",
    )
    assert explain_rows(f1(), CLASSIFIED[7], thresholded=True).explained[0] == "threshold"


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class OwnShare(AveragedMetric):
    """The share of rows of a class that were called so, by a name of one's own."""

    name = "own_share"

    def parts(self, counts):
        return counts.tp, counts.tp + counts.fn + counts.fp


@pytest.mark.parametrize("average", AVERAGES)
def test_a_metric_of_ones_own_is_told_by_its_parts(average):
    for state in (*SCORED, *CLASSIFIED):
        check(OwnShare(average=average), state)


def test_a_class_without_rows_is_left_out_with_a_note():
    state = CLASSIFIED[12]
    made = check(BalancedAccuracy(), state)
    assert made.notes == ("balanced_accuracy: a class without a row in the truth is left out.",)
