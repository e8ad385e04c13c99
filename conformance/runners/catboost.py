"""CatBoost: catboost.utils.eval_metric, which takes raw scores: of a probability its logit."""

import sys

HERE = sys.path.pop(0)  # where files are named after libraries

import catboost
import numpy as np
from catboost.utils import eval_metric

sys.path.append(HERE)
from answering import answer, shown_grades

sys.path.remove(HERE)


def measured(names, label, approx, **more):
    def value(name):
        (found,) = eval_metric(label, approx, name, thread_count=1, **more)
        return found

    return {name: lambda name=name: value(name) for name in names}


def ranking(case):
    lists = shown_grades(case)
    grades, scores = ([one for some in lists.values() for one in some[at]] for at in (0, 1))
    group = [at for at, (some, _) in enumerate(lists.values()) for _ in some]
    names = ["NDCG", "NDCG:type=Exp", "DCG", "DCG:type=Exp", "MAP", "MRR", "PrecisionAt", "RecallAt", "ERR"]
    for k in (1, 5, 10):
        names += [
            f"{name}:top={k}" for name in ("NDCG", "DCG", "MAP", "MRR", "ERR", "PrecisionAt", "RecallAt")
        ]
        names += [f"{name}:top={k};type=Exp" for name in ("NDCG", "DCG")]
    return measured(names, grades, scores, group_id=group)


def clicks(case):
    label, probability, weight = case["label"], np.array(case["score"]), case["weight"]
    with np.errstate(divide="ignore"):
        logit = np.log(probability) - np.log1p(-probability)
    names = ["Logloss", "CrossEntropy", "BrierScore", "Accuracy", "Precision", "Recall", "F1", "F:beta=2"]
    names += ["BalancedAccuracy", "MCC", "TotalF1", "TotalF1:average=Macro"]
    group = np.unique(case["group"], return_inverse=True)[1]
    return {
        **measured(["AUC", "AUC:type=Classic", "PRAUC"], label, probability, weight=weight),
        **measured(["QueryAUC"], label, probability, weight=weight, group_id=group),
        **measured(names, label, logit, weight=weight),
    }


def classes(case):
    label = [case["classes"].index(one) for one in case["label"]]
    logs = np.log(np.array(case["probability"]))
    called = [[10.0 * (one == name) for name in case["classes"]] for one in case["predicted"]]
    found = measured(["MultiClass", "AUC"], label, logs, weight=case["weight"])
    names = ["Accuracy", "TotalF1", "TotalF1:average=Macro", "TotalF1:average=Micro", "MCC"]
    return found | measured(names, label, called, weight=case["weight"])


def ratings(case):
    return measured(["RMSE", "MAE", "R2"], case["label"], case["predicted"], weight=case["weight"])


answer(
    "CatBoost",
    catboost.__version__,
    {"ranking": ranking, "clicks": clicks, "classes": classes, "ratings": ratings},
)
