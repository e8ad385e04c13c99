"""The influence of units is the derivative of a value by their weight, for every metric there is."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.engine.influence import Units
from steelyard.engine.scored import Scored
from steelyard.metrics import by_name
from steelyard.metrics.base import Metric
from steelyard.metrics.classes.base import AveragedMetric
from steelyard.stats.intervals import influence_of

from ..classified import of_labels
from ..tables import each_row
from . import influence_states as drawn

RESAMPLED = ("percentile", "basic", "none")


def forms(kept):
    """Every form of every metric: those that `make test` tries, and the others."""
    others = [form for form in dict.fromkeys(drawn.EVERY) if form not in kept]
    return pytest.mark.parametrize(
        "some", [pytest.param(kept, id="kept"), pytest.param(others, id="others", marks=pytest.mark.long)]
    )


def each_form(test, some):
    each_row(("kind", "text"), some, ids=str)(test)()


# the first form of each metric for each kind of rows, and of each metric
OF_ROWS = {(kind, text.partition("(")[0]): (kind, text) for kind, text in reversed(drawn.EVERY)}.values()
OF_METRICS = {text.partition("(")[0]: (kind, text) for kind, text in reversed(drawn.EVERY)}.values()


def declared(metric):
    """Whether a class says that it is resampled, or has no interval, rather than inheriting that."""
    return any(cls.__dict__.get("limits") in RESAMPLED for cls in type(metric).__mro__ if cls is not Metric)


def test_every_metric_has_influence_or_says_why_not():
    for name in sorted(by_name()):
        metric = sy.metric(name.replace("@k", "@3"))
        rows = drawn.state(drawn.needed(str(metric)), text=str(metric))
        _, influence = drawn.known(metric, rows)
        assert (influence is not None) != declared(metric), name


@forms(OF_ROWS)
def test_influence_is_the_derivative_by_the_weight_of_a_unit(some):
    each_form(influence_is_the_derivative, some)


def influence_is_the_derivative(kind, text):
    metric = sy.metric(text)
    for seed, sliced in ((0, False), (1, True)):
        rows = drawn.state(kind, seed, text=text, sliced=sliced)
        values, influence = drawn.known(metric, rows)
        if influence is None:
            assert declared(metric)
            return
        defined = ~np.isnan(values)
        found, wanted = drawn.moves(influence, drawn.UNITS), drawn.slopes(metric, rows)
        size = np.abs(wanted[:, defined]).max(initial=1e-9)
        assert np.abs(found - wanted)[:, defined].max(initial=0) <= 1e-6 * size
        assert np.abs(found.sum(axis=0)[defined]).max(initial=0) <= 1e-12 * max(size, 1)
        for part in influence.share:
            assert influence.per_value(part)[defined] == pytest.approx(1, abs=1e-12)


@forms(OF_METRICS)
def test_influence_of_rows_slices_and_units_of_weight_0(some):
    each_form(without_weights_or_units_every_row_has_one_weight_and_is_a_unit, some)
    each_form(a_slice_alone_has_the_influence_it_has_among_others, some)
    each_form(units_of_weight_0_do_not_count, some)


def without_weights_or_units_every_row_has_one_weight_and_is_a_unit(kind, text):
    metric = sy.metric(text)
    rows = drawn.state(kind, text=text, weighted=False, clustered=False, sliced=True)
    values, influence = drawn.known(metric, rows)
    if influence is None:
        return
    n = rows.size
    same = drawn.anew(rows, weight=np.ones(n), units=Units(n=n, code=np.arange(n)))
    expected, other = drawn.known(metric, same)
    assert values == pytest.approx(expected, rel=1e-12, nan_ok=True)
    size = max(np.nanmax(np.abs(influence.total), initial=0), 1e-9)
    assert drawn.moves(influence, n) == pytest.approx(drawn.moves(other, n), abs=1e-10 * size, nan_ok=True)
    assert influence.variance == pytest.approx(other.variance, rel=1e-9, abs=1e-24, nan_ok=True)


def a_slice_alone_has_the_influence_it_has_among_others(kind, text):
    metric = sy.metric(text)
    rows = drawn.state(kind, seed=3, text=text, sliced=True)
    _, among = drawn.known(metric, rows)
    alone = drawn.anew(rows, weight=np.where(rows.segment == 1, rows.weight, 0.0), segment=None, n_segments=1)
    values, influence = drawn.known(metric, alone)
    if among is None or influence is None or np.isnan(values).any():
        return
    n = len(values)
    expected = drawn.moves(influence, drawn.UNITS)
    found = drawn.moves(among, drawn.UNITS)[:, n : 2 * n]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert among.units[n : 2 * n].tolist() == influence.units.tolist()
    assert among.effective[n : 2 * n] == pytest.approx(influence.effective, rel=1e-9)
    assert among.variance[n : 2 * n] == pytest.approx(influence.variance, rel=1e-9, abs=1e-24, nan_ok=True)


def units_of_weight_0_do_not_count(kind, text):
    metric = sy.metric(text)
    rows = drawn.state(kind, seed=5, text=text)
    light = rows.units.code == 2
    rows = drawn.anew(rows, weight=np.where(light, 0.0, rows.weight))
    values, influence = drawn.known(metric, rows)
    if influence is None:
        return
    assert influence.units[~np.isnan(values)].max(initial=0) <= drawn.UNITS - 1
    assert not np.nan_to_num(drawn.moves(influence, drawn.UNITS)[2]).any()


def auc_parts(label, score):
    """What each row wins of the pairs, compared one by one."""
    positive, negative = score[label == 1], score[label == 0]
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    return wins.mean(), wins.mean(axis=1), wins.mean(axis=0)


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed < 8 else pytest.mark.long) for seed in range(20)]
)
def test_with_rows_as_units_the_variance_of_auc_is_that_of_delong(seed):
    """DeLong, DeLong and Clarke-Pearson 1988, pair by pair."""
    rng = np.random.default_rng(seed)
    label = np.concatenate(([1, 1, 0, 0], rng.integers(0, 2, 30))).astype(np.uint8)
    score = rng.integers(0, 12, 34).astype(float)
    value, of_positives, of_negatives = auc_parts(label, score)
    expected = of_positives.var(ddof=1) / len(of_positives) + of_negatives.var(ddof=1) / len(of_negatives)
    values, influence = drawn.known(sy.metric("auc"), Scored.of(label, score))
    assert values[0] == pytest.approx(value, rel=1e-14)
    assert influence.variance[0] == pytest.approx(expected, rel=1e-12)
    assert influence.effective[0] == pytest.approx(min(label.sum(), 34 - label.sum()))


def test_groups_of_one_unit_each_are_drawn_whole():
    """Above groups a unit copies them: a copied group counts once more, also where groups weigh the same."""
    label = np.array([1, 0, 0, 1, 0, 1, 1, 0], np.uint8)
    score = np.array([0.9, 0.4, 0.3, 0.2, 0.6, 0.7, 0.1, 0.5])
    group = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    rows = Scored.of(label, score, group=group, n_groups=3, units=Units(n=2, code=np.array([0, 0, 1])[group]))
    aucs = np.array([1.0, 0.0, 0.5])
    for weight, each in {"uniform": [1, 1, 1], "impressions": [3, 2, 3], "pairs": [2, 1, 2]}.items():
        each = np.array(each, float)
        value = (each * aucs).sum() / each.sum()
        _, influence = drawn.known(sy.metric(f"gauc(weight={weight})"), rows)
        moved = each * (aucs - value) / each.sum()
        assert influence.total == pytest.approx([moved[0] + moved[1], moved[2]], abs=1e-15)
        assert influence.share[0] == pytest.approx(np.array([each[0] + each[1], each[2]]) / each.sum())


@pytest.mark.parametrize("size", [1e-58, 1.0, 1e58])
@pytest.mark.parametrize("name", ["mae", "rmse", "r2"])
def test_ratings_of_any_size_have_the_same_interval(name, size):
    rng = np.random.default_rng(4)
    truth = rng.normal(3, 1, 50)
    said = truth + rng.normal(0, 0.5, 50)
    metric = sy.metric(name)
    unit = 1.0 if name == "r2" else size

    def limits(scale):
        rows = {"truth": truth * scale, "prediction": said * scale}
        table = sy.evaluate(predictions=rows["prediction"], truth=rows["truth"], metrics=metric).table()
        return np.array(table.select("ci_low", "value", "ci_high").row(0))

    small, usual = limits(size), limits(1.0)
    assert usual[0] < usual[1] < usual[2]
    assert small / unit == pytest.approx(usual, rel=1e-9)


def test_values_by_class_hold_only_what_counts_there():
    """A row counts for the class it is of and for the one it was called, however many classes there are."""
    rng = np.random.default_rng(0)
    truth, called = rng.integers(0, 500, 3000), rng.integers(0, 500, 3000)
    rows = of_labels(truth, called)
    for name in ("precision", "recall", "f1"):
        values, influence = drawn.known(sy.metric(f"{name}(average=none)"), rows)
        assert influence.n_values == len(values)
        assert influence.moves.shape[1] <= 2 * len(truth)


def test_a_formula_of_its_own_is_resampled():
    class Own(AveragedMetric):
        """The root of precision, which is no ratio of sums."""

        def parts(self, counts):
            return np.sqrt(counts.tp), np.sqrt(counts.tp + counts.fp)

    rows = drawn.state("scores")
    metric = Own()
    values = np.array([0.5])
    assert influence_of(metric, rows, values, None) is None
