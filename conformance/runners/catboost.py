"""CatBoost: catboost.utils.eval_metric, which takes raw scores: of a probability its logit.

It always uses weights. A model leaves them out of its AUC, PRAUC and QueryAUC by default, so
these are asked of a model where rows have weights.
"""

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


def printed(names, label, approx, weight, group):
    """What a model prints while it trains: one whose tree adds nothing to the scores that it is given."""
    train = catboost.Pool([[0], [1], [0], [1]], [0, 1, 0, 1], group_id=[0, 0, 1, 1], baseline=[0] * 4)
    given = catboost.Pool(
        np.zeros((len(label), 1)), label, weight=weight, group_id=group, baseline=np.reshape(approx, (-1, 1))
    )
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    flat = {"loss_function": "Logloss", "iterations": 1, "l2_leaf_reg": 1e30}

    def value(name):
        model = catboost.CatBoost({**quiet, **flat, "custom_metric": [name]}).fit(train, eval_set=given)
        return model.evals_result_["validation"][name][-1]

    return {name: lambda name=name: value(name) for name in names}


def ranking(case):
    lists = shown_grades(case)
    grades, scores = ([one for some in lists.values() for one in some[at]] for at in (0, 1))
    group = [at for at, (some, _) in enumerate(lists.values()) for _ in some]
    names = ["NDCG", "NDCG:type=Exp", "DCG", "DCG:type=Exp", "MAP", "MRR", "PrecisionAt", "RecallAt"]
    names += ["ERR", "PFound", "PFound:decay=0.5", "PFound:top=5;decay=0.5"]
    for k in (1, 5, 10):
        names += [
            f"{name}:top={k}"
            for name in ("NDCG", "DCG", "MAP", "MRR", "ERR", "PFound", "PrecisionAt", "RecallAt")
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
    found = measured(names, label, logit, weight=weight)
    if weight is None:
        areas = measured(["AUC", "AUC:type=Classic", "PRAUC"], label, probability)
        return areas | measured(["QueryAUC"], label, probability, group_id=group) | found
    areas = measured(["AUC:use_weights=true", "PRAUC:use_weights=true"], label, probability, weight=weight)
    areas |= measured(["QueryAUC:use_weights=true"], label, probability, weight=weight, group_id=group)
    return areas | printed(["AUC", "PRAUC", "QueryAUC"], label, probability, weight, group) | found


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
