"""torchmetrics: the modules of retrieval, and the functions of classification and regression."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings

import torch
import torchmetrics
from answering import answer, by_query
from torchmetrics import functional, retrieval
from torchmetrics.functional import classification

warnings.simplefilter("ignore")


def ranking(case):
    """Every recommended row with its grade, 0 where there is none."""
    truth, numbers = by_query(case["truth"]), {}
    index = torch.tensor([numbers.setdefault(query, len(numbers)) for query, _, _ in case["run"]])
    score = torch.tensor([score for _, _, score in case["run"]])
    grade = torch.tensor([truth.get(query, {}).get(item, 0) for query, item, _ in case["run"]])

    def measured(name, **options):
        return lambda: getattr(retrieval, name)(**options)(score, grade, indexes=index)

    lists = ("Precision", "Recall", "MAP", "MRR", "HitRate", "NormalizedDCG")
    found = {f"Retrieval{name}": measured(f"Retrieval{name}") for name in (*lists, "RPrecision")}
    for k in (1, 5, 10):
        for name in lists:
            found[f"Retrieval{name}(top_k={k})"] = measured(f"Retrieval{name}", top_k=k)
        found[f"RetrievalPrecision(top_k={k}, adaptive_k=True)"] = measured(
            "RetrievalPrecision", top_k=k, adaptive_k=True
        )
    for name in lists:
        for action in ("skip", "pos", "error"):
            for stated in ({}, {"top_k": 10}):
                options = {**stated, "empty_target_action": action}
                text = ", ".join(f"{key}={value!r}" for key, value in options.items())
                found[f"Retrieval{name}({text})"] = measured(f"Retrieval{name}", **options)
    return found


def clicks(case):
    if case["weight"] is not None:
        return {}  # torchmetrics has no weights of rows
    score, label = torch.tensor(case["score"]), torch.tensor(case["label"])
    numbers = {}
    group = torch.tensor([numbers.setdefault(one, len(numbers)) for one in case["group"]])
    names = [
        "auroc",
        "average_precision",
        "accuracy",
        "precision",
        "recall",
        "f1_score",
        "specificity",
        "matthews_corrcoef",
        "confusion_matrix",
    ]
    found = {
        f"binary_{name}": lambda name=name: getattr(classification, f"binary_{name}")(score, label)
        for name in names
    }
    return found | {
        "binary_auroc(max_fpr=0.1)": lambda: classification.binary_auroc(score, label, max_fpr=0.1),
        **{
            f"{name}(thresholds={n})": lambda name=name, n=n: getattr(classification, name)(
                score, label, thresholds=n
            )
            for name in ("binary_auroc", "binary_average_precision")
            for n in (200, 11)
        },
        "binary_fbeta_score(beta=2)": lambda: classification.binary_fbeta_score(score, label, beta=2.0),
        **{
            f"binary_confusion_matrix(normalize='{share}')": lambda share=share: (
                classification.binary_confusion_matrix(score, label, normalize=share)
            )
            for share in ("true", "pred", "all")
        },
        "binary_calibration_error": lambda: classification.binary_calibration_error(score, label),
        "binary_calibration_error(n_bins=10)": lambda: classification.binary_calibration_error(
            score, label, n_bins=10
        ),
        "binary_calibration_error(norm='max')": lambda: classification.binary_calibration_error(
            score, label, norm="max"
        ),
        "binary_calibration_error(n_bins=10, norm='max')": lambda: classification.binary_calibration_error(
            score, label, n_bins=10, norm="max"
        ),
        "RetrievalAUROC": lambda: retrieval.RetrievalAUROC()(score, label, indexes=group),
    }


def classes(case):
    if case["weight"] is not None:
        return {}  # torchmetrics has no weights of rows
    names = case["classes"]
    number = {name: at for at, name in enumerate(names)}
    label = torch.tensor([number[one] for one in case["label"]])
    predicted = torch.tensor([number[one] for one in case["predicted"]])
    probability = torch.tensor(case["probability"])

    def measured(name, given, **options):
        return lambda: getattr(classification, f"multiclass_{name}")(given, label, len(names), **options)

    def fbeta(average):
        return lambda: classification.multiclass_fbeta_score(
            predicted, label, 2.0, len(names), average=average
        )

    found = {
        "multiclass_matthews_corrcoef": measured("matthews_corrcoef", predicted),
        "multiclass_confusion_matrix": measured("confusion_matrix", predicted),
        "multiclass_calibration_error": measured("calibration_error", probability),
        "multiclass_calibration_error(norm='max')": measured("calibration_error", probability, norm="max"),
        "multiclass_average_precision": measured("average_precision", probability),
        "multiclass_accuracy(average='micro')": measured("accuracy", predicted, average="micro"),
        "multiclass_accuracy(average='macro')": measured("accuracy", predicted, average="macro"),
        "multiclass_accuracy(top_k=2, average='micro')": measured(
            "accuracy", probability, average="micro", top_k=2
        ),
    }
    for share in ("true", "pred", "all"):
        found[f"multiclass_confusion_matrix(normalize='{share}')"] = measured(
            "confusion_matrix", predicted, normalize=share
        )
    for average in ("macro", "weighted", "none"):
        for name in ("auroc", "average_precision"):
            found[f"multiclass_{name}(average='{average}')"] = measured(name, probability, average=average)
            for n in (200, 5):
                found[f"multiclass_{name}(thresholds={n}, average='{average}')"] = measured(
                    name, probability, average=average, thresholds=n
                )
    for average in ("micro", "macro", "weighted", "none"):
        for name in ("precision", "recall", "f1_score", "specificity"):
            found[f"multiclass_{name}(average='{average}')"] = measured(name, predicted, average=average)
        found[f"multiclass_fbeta_score(beta=2, average='{average}')"] = fbeta(average)
    return found


def ratings(case):
    if case["weight"] is not None:
        return {}  # torchmetrics has no weights of rows
    given = torch.tensor(case["predicted"]), torch.tensor(case["label"])
    return {
        "mean_squared_error": lambda: functional.mean_squared_error(*given),
        "mean_squared_error(squared=False)": lambda: functional.mean_squared_error(*given, squared=False),
        "mean_absolute_error": lambda: functional.mean_absolute_error(*given),
        "r2_score": lambda: functional.r2_score(*given),
    }


answer(
    "torchmetrics",
    torchmetrics.__version__,
    {"ranking": ranking, "clicks": clicks, "classes": classes, "ratings": ratings},
)
