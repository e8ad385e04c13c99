"""Random rows and lists in units and slices, and derivatives of a metric by the weight of a unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import steelyard as sy
from steelyard.engine.influence import Units
from steelyard.engine.scored import Rated, Scored
from steelyard.metrics import by_name
from steelyard.stats.intervals import influence_of

from ..classified import of_labels, of_matrices, of_probabilities

ROWS, UNITS, SLICES = 60, 7, 3
STEP = 1e-5

# names of metrics as text has them, and forms of them that go another way
DEFAULTS = [name.replace("@k", "@3") for name in by_name()]
FORMS = {
    "scores": [
        "ne(base_rate=0.2)",
        "rig(base_rate=0.3)",
        *("logloss(base=2)", "logloss(clip=epsilon)", "brier(halved=never)"),
        "auc(max_fpr=0.3)",
        "auc(max_fpr=0.37, partial=raw)",
        "auc(thresholds=9)",
        "auc(thresholds=9, strict=true, max_fpr=0.3)",
        "pr_auc(thresholds=9, rule=davis)",
        *(f"pr_auc(rule={rule})" for rule in ("trapezoid", "trapezoid_first", "davis")),
        *(f"gauc(weight={weight})" for weight in ("clicks", "pairs", "uniform")),
        *(f"gauc(single_class={single})" for single in ("half", "zero")),
        "gauc(weight=clicks, single_class=half)",
        "gauc(weight=uniform, single_class=zero)",
        *("precision", "recall", "specificity", "fpr", "f1", "fbeta(beta=2)", "accuracy", "mcc"),
        *("balanced_accuracy", "f1(average=macro)", "f1(average=none)"),
    ],
    "classes": [
        # all ratios of counts share the averages: one metric tries each, the others the mean over classes
        *(f"f1(average={average})" for average in ("micro", "macro", "weighted", "none")),
        *(f"f1(average={average}, undefined_class=skip)" for average in ("macro", "weighted", "none")),
        *(
            f"{name}(average=macro)"
            for name in ("precision", "recall", "specificity", "fpr", "fbeta", "jaccard")
        ),
        "precision(average=weighted, undefined_class=skip)",
        *("accuracy", "balanced_accuracy", "mcc"),
        *(f"confusion(normalise={what})" for what in ("truth", "predicted", "all")),
    ],
    "some classes": [
        *(f"f1(average={average}, unnamed=other)" for average in ("micro", "macro", "weighted", "none")),
        *(f"{name}(average=micro, unnamed=other)" for name in ("precision", "recall", "specificity", "fpr")),
        "confusion(normalise=truth, unnamed=other)",
    ],
    "labels": [
        *(f"f1(average={average})" for average in ("micro", "macro", "weighted", "none", "samples")),
        *(f"{name}(average=samples)" for name in ("precision", "recall", "specificity")),
        *("accuracy", "f1(average=samples, undefined_class=skip)"),
    ],
    "probabilities": [
        *("logloss", "top_accuracy@2", "auc", "auc(average=ovr_weighted)", "auc(average=ovo_macro)"),
        *("auc(max_fpr=0.4)", "f1(average=macro)", "mcc"),
        *(f"auc(average={average})" for average in ("ovr_micro", "ovo_weighted", "none")),
        *(f"pr_auc(average={average})" for average in ("ovr_macro", "ovr_weighted", "ovr_micro", "none")),
        "pr_auc(rule=davis, average=ovr_weighted)",
        "auc(thresholds=9)",
        *(f"brier(halved={what})" for what in ("always", "two_classes", "never")),
    ],
    "label scores": [
        *(
            f"auc(average={average})"
            for average in ("ovr_macro", "ovr_weighted", "ovr_micro", "samples", "none")
        ),
        *(f"pr_auc(average={average})" for average in ("ovr_macro", "ovr_micro", "samples")),
        *(f"auc(average={average}, undefined_class=zero)" for average in ("ovr_macro", "samples", "none")),
        "pr_auc(average=ovr_weighted, undefined_class=zero)",
    ],
    "ratings": ["mse", "mae", "rmse", "r2"],
    "hits": [
        "ndcg(gain=exp2)@3",
        "precision(pooling=pooled)@3",
        "recall(pooling=pooled)@3",
        "mrr(mean=geometric)",
    ],
}


def state(kind, seed=0, *, text="", weighted=True, sliced=False, clustered=True):
    """Rows, queries or lists with tied scores, some of them of weight 0."""
    rng = np.random.default_rng(seed)
    made = _MADE[kind](rng, text)
    n, fields = made.size, {}
    if weighted:
        # distinct, so that no two items, thresholds or places are level by chance
        fields["weight"] = np.where(rng.random(n) < 0.1, 0.0, rng.random(n) * 3 + 0.1)
    if sliced:
        fields |= {"segment": rng.integers(0, SLICES, n), "n_segments": SLICES}
    if clustered:
        fields["units"] = Units(n=UNITS, code=rng.integers(0, UNITS, n))
    return anew(made, **{"units": None, **fields})


def anew(made, **fields):
    """The same rows with other weights, units or slices, and nothing remembered."""
    return replace(made, **fields, **({"_cache": {}} if hasattr(made, "_cache") else {}))


def _scored(rng, _text):
    label = (rng.random(ROWS) < 0.4).astype(np.uint8)
    score = np.round(np.clip(0.35 * label + 0.6 * rng.random(ROWS), 0.05, 0.95), 1)
    return Scored.of(label, score, group=rng.integers(0, 5, ROWS), n_groups=5)


def _classified(rng, _text):
    truth = rng.integers(0, 4, ROWS)
    return of_labels(truth, np.where(rng.random(ROWS) < 0.6, truth, rng.integers(0, 5, ROWS)))


def _of_some_classes(rng, text):
    made = _classified(rng, text)
    truth, called = (np.minimum(part, 3) for part in (made.truth, made.called))
    return replace(made, classes=(0, 1, 2), truth=truth, predicted=called, named=True, others=True)


def _several(rng, _text):
    truth = (rng.random((ROWS, 4)) < 0.4).astype(np.int64)
    return of_matrices(truth, np.where(rng.random((ROWS, 4)) < 0.7, truth, 1 - truth))


def _probable(rng, _text):
    truth = rng.integers(0, 3, ROWS)
    given = rng.random((ROWS, 3)).round(1) + 0.05
    given[np.arange(ROWS), truth] += 0.4
    return of_probabilities(truth, given / given.sum(axis=1, keepdims=True))


def _several_scores(rng, _text):
    truth = (rng.random((ROWS, 4)) < [0.4, 0.2, 0.6, 0.0]).astype(np.int64)
    score = (0.4 * truth + rng.random((ROWS, 4))).round(1)
    return of_matrices(truth, score, scores=True)


def _rated(rng, _text):
    truth = rng.normal(3, 1, ROWS)
    return Rated.of(truth, truth + rng.normal(0, 0.7, ROWS))


def _lists(rng, text):
    items = [f"i{number}" for number in range(15)]
    users = [f"u{number}" for number in range(30)]

    def some(most):
        return [items[at] for at in dict.fromkeys(np.minimum(rng.exponential(4, 9).astype(int), 14))][:most]

    lists = {user: some(rng.integers(2, 6)) for user in users}
    truth = {user: {item: int(rng.integers(0, 4)) for item in [*some(4), "i14"]} for user in users}
    wanted = {user: grades | {next(iter(grades)): 1} for user, grades in truth.items()}
    result = sy.evaluate(
        {user: {item: float(9 - at) for at, item in enumerate(shown)} for user, shown in lists.items()},
        wanted,
        text,
        catalog=items,
        features={item: ["even" if at % 2 else "odd", f"of {at % 4}"] for at, item in enumerate(items)},
        history={user: some(4) for user in users},
        item_groups={item: f"g{at % 3}" for at, item in enumerate(items)},
        ci="none",
    )
    return result.measured[0].state


_MADE = {
    "scores": _scored,
    "classes": _classified,
    "some classes": _of_some_classes,
    "labels": _several,
    "label scores": _several_scores,
    "probabilities": _probable,
    "ratings": _rated,
    "hits": _lists,
    "lists": _lists,
}


def needed(text):
    """The kind of rows that a metric reads as it is by default."""
    if text.startswith("top_accuracy"):
        return "probabilities"
    reads = sy.metric(text).reads
    return "scores" if reads == "classes" else reads  # which a threshold turns into classes


EVERY = [
    *((needed(text), text) for text in DEFAULTS),
    *((kind, text) for kind, texts in FORMS.items() for text in texts),
]


def known(metric, rows):
    """The values of a metric, one after another, and the influence on them."""
    values = np.asarray(metric.measure(rows))
    return values.reshape(-1), influence_of(metric, rows, values, None)


def moves(influence, units):
    """How much each unit, in a row, moves each value, in a column."""
    found = np.zeros((units, influence.n_values))
    n = influence.moves.shape[1]
    unit = np.arange(n) if influence.unit is None else influence.unit
    owner = np.zeros(n, np.int64) if influence.owner is None else influence.owner
    np.add.at(found, (unit, owner), influence.total)
    return found


def slopes(metric, rows):
    """The same by measuring: with the rows of a unit a little heavier, and a little lighter."""
    units = rows.drawn
    code = np.arange(units.n) if units.code is None else units.code
    weight = np.ones(rows.size) if rows.weight is None else rows.weight

    def measured(unit, step):
        moved = anew(rows, weight=weight * np.where(code == unit, 1 + step, 1.0))
        return np.asarray(metric.measure(moved)).reshape(-1)

    return np.stack([(measured(unit, STEP) - measured(unit, -STEP)) / (2 * STEP) for unit in range(units.n)])
