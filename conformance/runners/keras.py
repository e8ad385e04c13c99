"""Keras: its metric classes, by the names that they are made with; on the backend of PyTorch."""

import os
import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file
os.environ.setdefault("KERAS_BACKEND", "torch")

from answering import answer  # before Keras, which drops the last folder of the path

import keras
import numpy as np
from keras import metrics


def measured(made, truth, said, weight):
    def value():
        one = made()
        one.update_state(truth, said, sample_weight=weight)
        return one.result().detach().cpu().squeeze()

    return value


def single(values):
    return None if values is None else np.array(values, "float32")


def column(values):
    return single(values)[:, None]


def clicks(case):
    label, score, weight = column(case["label"]), column(case["score"]), single(case["weight"])
    made = {
        "AUC": metrics.AUC,
        "AUC(curve='PR')": lambda: metrics.AUC(curve="PR"),
        "AUC(num_thresholds=11)": lambda: metrics.AUC(num_thresholds=11),
        "AUC(num_thresholds=11, curve='PR')": lambda: metrics.AUC(num_thresholds=11, curve="PR"),
        "BinaryAccuracy": metrics.BinaryAccuracy,
        "Precision": metrics.Precision,
        "Recall": metrics.Recall,
        "Precision(thresholds=0.3)": lambda: metrics.Precision(thresholds=0.3),
        "Recall(thresholds=0.3)": lambda: metrics.Recall(thresholds=0.3),
        "F1Score(threshold=0.5)": lambda: metrics.F1Score(threshold=0.5),
        "FBetaScore(beta=2, threshold=0.5)": lambda: metrics.FBetaScore(beta=2.0, threshold=0.5),
        "BinaryCrossentropy": metrics.BinaryCrossentropy,
    }
    return {name: measured(one, label, score, weight) for name, one in made.items()}


def curves(shown, probability, weight):
    """AUC of a matrix, all of it as one curve or a curve for each column."""
    options = {
        "AUC": {},
        "AUC(multi_label=True)": {"multi_label": True},
        "AUC(num_thresholds=11, multi_label=True)": {"num_thresholds": 11, "multi_label": True},
        "AUC(curve='PR')": {"curve": "PR"},
        "AUC(curve='PR', multi_label=True)": {"curve": "PR", "multi_label": True},
        "AUC(num_thresholds=11, curve='PR', multi_label=True)": {
            "num_thresholds": 11,
            "curve": "PR",
            "multi_label": True,
        },
    }
    of_row = None if weight is None else weight[:, None]
    return {
        name: measured(lambda given=given: metrics.AUC(**given), shown, probability, of_row)
        for name, given in options.items()
    }


def classes(case):
    number = {name: at for at, name in enumerate(case["classes"])}
    label = np.array([number[one] for one in case["label"]])
    said = np.eye(len(number), dtype="float32")[[number[one] for one in case["predicted"]]]
    probability, weight = single(case["probability"]), single(case["weight"])
    shown = np.eye(len(number), dtype="float32")[label]
    found = {
        "SparseCategoricalAccuracy": measured(metrics.SparseCategoricalAccuracy, label, said, weight),
        "CategoricalAccuracy": measured(metrics.CategoricalAccuracy, shown, said, weight),
        "SparseCategoricalCrossentropy": measured(
            metrics.SparseCategoricalCrossentropy, label, probability, weight
        ),
        "CategoricalCrossentropy": measured(metrics.CategoricalCrossentropy, shown, probability, weight),
        "SparseTopKCategoricalAccuracy(k=2)": measured(
            lambda: metrics.SparseTopKCategoricalAccuracy(k=2), label, probability, weight
        ),
    }
    found |= curves(shown, probability, weight)
    for average in ("macro", "micro", "weighted", None):
        found[f"F1Score(average={average!r})"] = measured(
            lambda average=average: metrics.F1Score(average=average), shown, said, weight
        )
        found[f"FBetaScore(average={average!r}, beta=2)"] = measured(
            lambda average=average: metrics.FBetaScore(average=average, beta=2.0), shown, said, weight
        )
    return found


def labels(case):
    """Rows of several labels: matrices with a column per label."""
    return curves(single(case["label"]), single(case["score"]), single(case["weight"]))


def ratings(case):
    given = column(case["label"]), column(case["predicted"]), single(case["weight"])
    return {
        "MeanSquaredError": measured(metrics.MeanSquaredError, *given),
        "RootMeanSquaredError": measured(metrics.RootMeanSquaredError, *given),
        "MeanAbsoluteError": measured(metrics.MeanAbsoluteError, *given),
        "R2Score": measured(metrics.R2Score, *given),
    }


answer(
    "Keras",
    keras.__version__,
    {"clicks": clicks, "classes": classes, "labels": labels, "ratings": ratings},
)
