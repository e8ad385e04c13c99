"""scikit-learn: its functions and the scorers that are named after them."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings

import numpy as np
import sklearn
from answering import answer, by_query, items_of
from sklearn import metrics

warnings.simplefilter("ignore")


COUNTED = [("precision", {}), ("recall", {}), ("f1", {}), ("fbeta", {"beta": 2}), ("jaccard", {})]


def ranking(case):
    """A matrix of the items that were recommended; shorter lists end in items that stand below all others."""
    truth = by_query(case["truth"])
    lists = items_of(case["run"])
    width = max(len(items) for items in lists.values())
    lowest = min(score for _, _, score in case["run"]) - 1
    scores = {query: [] for query in lists}
    for query, _, score in case["run"]:
        scores[query].append(score)
    y_score = [scores[query] + [lowest] * (width - len(items)) for query, items in lists.items()]
    y_true = [
        [truth.get(query, {}).get(item, 0) for item in items] + [0] * (width - len(items))
        for query, items in lists.items()
    ]
    found = {
        "ndcg_score": lambda: metrics.ndcg_score(y_true, y_score),
        "ndcg_score(ignore_ties=True)": lambda: metrics.ndcg_score(y_true, y_score, ignore_ties=True),
        "dcg_score": lambda: metrics.dcg_score(y_true, y_score),
    }
    for k in (1, 5, 10):
        found[f"ndcg_score(k={k})"] = lambda k=k: metrics.ndcg_score(y_true, y_score, k=k)
        found[f"dcg_score(k={k})"] = lambda k=k: metrics.dcg_score(y_true, y_score, k=k)
        found[f"ndcg_score(k={k}, ignore_ties=True)"] = lambda k=k: metrics.ndcg_score(
            y_true, y_score, k=k, ignore_ties=True
        )
    return found


def clicks(case):
    label, score = np.array(case["label"]), np.array(case["score"])
    called, both = (score >= 0.5).astype(int), [0, 1]
    weighted = {"sample_weight": case["weight"]}
    return {
        "roc_auc_score": lambda: metrics.roc_auc_score(label, score, **weighted),
        "roc_auc_score(max_fpr=0.1)": lambda: metrics.roc_auc_score(label, score, max_fpr=0.1, **weighted),
        "average_precision_score": lambda: metrics.average_precision_score(label, score, **weighted),
        "log_loss": lambda: metrics.log_loss(label, score, labels=both, **weighted),
        "brier_score_loss": lambda: metrics.brier_score_loss(label, score, labels=both, **weighted),
        "brier_score_loss(scale_by_half=True)": lambda: metrics.brier_score_loss(
            label, score, labels=both, scale_by_half=True, **weighted
        ),
        "brier_score_loss(scale_by_half=False)": lambda: metrics.brier_score_loss(
            label, score, labels=both, scale_by_half=False, **weighted
        ),
        "d2_log_loss_score": lambda: metrics.d2_log_loss_score(label, score, labels=both, **weighted),
        "accuracy_score": lambda: metrics.accuracy_score(label, called, **weighted),
        "balanced_accuracy_score": lambda: metrics.balanced_accuracy_score(label, called, **weighted),
        "precision_score": lambda: metrics.precision_score(label, called, **weighted),
        "recall_score": lambda: metrics.recall_score(label, called, **weighted),
        "f1_score": lambda: metrics.f1_score(label, called, **weighted),
        "fbeta_score(beta=2)": lambda: metrics.fbeta_score(label, called, beta=2, **weighted),
        "jaccard_score": lambda: metrics.jaccard_score(label, called, **weighted),
        "matthews_corrcoef": lambda: metrics.matthews_corrcoef(label, called, **weighted),
        "confusion_matrix": lambda: metrics.confusion_matrix(label, called, labels=both, **weighted),
    }


def averaged(label, predicted, average, **more):
    """What has an average over classes, or over rows of several labels."""
    found = {}
    for name, options in COUNTED:
        stated = ", ".join(f"{key}={value!r}" for key, value in {**options, "average": average}.items())
        measure = getattr(metrics, f"{name}_score")
        found[f"{name}_score({stated})"] = lambda measure=measure, options=options: measure(
            label, predicted, average=average, **options, **more
        )
    return found


def classes(case):
    label, predicted, names = case["label"], case["predicted"], case["classes"]
    probability = np.array(case["probability"])
    weight = case["weight"]
    said = {"labels": names, "sample_weight": weight}
    shown = np.array([[int(one == name) for name in names] for one in label])  # a column per class
    found = {
        "log_loss": lambda: metrics.log_loss(label, probability, **said),
        "brier_score_loss": lambda: metrics.brier_score_loss(label, probability, **said),
        "accuracy_score": lambda: metrics.accuracy_score(label, predicted, sample_weight=weight),
        "balanced_accuracy_score": lambda: metrics.balanced_accuracy_score(
            label, predicted, sample_weight=weight
        ),
        "matthews_corrcoef": lambda: metrics.matthews_corrcoef(label, predicted, sample_weight=weight),
        "confusion_matrix": lambda: metrics.confusion_matrix(label, predicted, **said),
    }
    for share in ("true", "pred", "all"):
        found[f"confusion_matrix(normalize='{share}')"] = lambda share=share: metrics.confusion_matrix(
            label, predicted, normalize=share, **said
        )
    for how in ("ovr", "ovo"):
        for average in ("macro", "weighted", "micro", None):
            if how == "ovo" and average in ("micro", None):
                continue
            name = f"roc_auc_score(multi_class='{how}', average={average!r})"
            found[name] = lambda how=how, average=average: metrics.roc_auc_score(
                label, probability, multi_class=how, average=average, **said
            )
    for average in ("macro", "weighted", "micro", None):
        found[f"average_precision_score(average={average!r})"] = lambda average=average: (
            metrics.average_precision_score(shown, probability, average=average, sample_weight=weight)
        )
        found |= averaged(label, predicted, average, **said)
    for half in (True, False):
        found[f"brier_score_loss(scale_by_half={half})"] = lambda half=half: metrics.brier_score_loss(
            label, probability, scale_by_half=half, **said
        )
    found["top_k_accuracy_score"] = lambda: metrics.top_k_accuracy_score(label, probability, **said)
    for k in (1, 2):
        found[f"top_k_accuracy_score(k={k})"] = lambda k=k: metrics.top_k_accuracy_score(
            label, probability, k=k, **said
        )
    return found


def labels(case):
    """Rows of several labels: matrices with a column per label."""
    label, predicted, score = (np.array(case[key]) for key in ("label", "predicted", "score"))
    weight = {"sample_weight": case["weight"]}
    found = {"accuracy_score": lambda: metrics.accuracy_score(label, predicted, **weight)}
    for average in ("macro", "weighted", "micro", "samples", None):
        found |= averaged(label, predicted, average, **weight)
        for name in ("roc_auc", "average_precision"):
            measure = getattr(metrics, f"{name}_score")
            found[f"{name}_score(average={average!r})"] = lambda measure=measure, average=average: measure(
                label, score, average=average, **weight
            )
    return found


def ratings(case):
    given = (case["label"], case["predicted"])
    names = ("mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "r2_score")
    return {
        name: lambda name=name: getattr(metrics, name)(*given, sample_weight=case["weight"]) for name in names
    }


answer(
    "scikit-learn",
    sklearn.__version__,
    {"ranking": ranking, "clicks": clicks, "classes": classes, "labels": labels, "ratings": ratings},
)
