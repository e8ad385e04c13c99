"""LightGBM: the metrics of a booster without a tree, whose raw scores are the given ones."""

import sys

HERE = sys.path.pop(0)  # where files are named after libraries

import lightgbm
import numpy as np

sys.path.append(HERE)
from answering import answer, shown_grades

sys.path.remove(HERE)


def measured(names, label, score, **more):
    """Each name with a call of its own, so that one that is refused leaves the others."""
    return {name: lambda name=name: value(name, label, score, **more) for name in names}


def value(name, label, score, group=None, weight=None, objective="none", **params):
    metric, _, cutoff = name.partition("@")
    params |= {"verbose": -1, "num_threads": 1, "objective": objective}
    data = lightgbm.Dataset(
        np.zeros((len(label), 1)), label, group=group, weight=weight, init_score=score, params=params
    )
    if cutoff:
        params["eval_at"] = [int(cutoff)]
    booster = lightgbm.Booster({**params, "metric": metric}, data)
    return {told: found for _, told, found, _ in booster.eval_train()}[name]


def ranking(case):
    lists = shown_grades(case)
    grades, scores = ([one for some in lists.values() for one in some[at]] for at in (0, 1))
    names = [f"{name}@{k}" for name in ("ndcg", "map") for k in (1, 5, 10)]
    group = [len(some) for some, _ in lists.values()]
    return measured(names, grades, np.array(scores), group=group)


def clicks(case):
    names = ("auc", "average_precision", "binary_logloss", "cross_entropy")
    return measured(names, case["label"], np.array(case["score"]), weight=case["weight"])


def classes(case):
    label = [case["classes"].index(one) for one in case["label"]]
    score = np.log(np.array(case["probability"])).T.ravel()
    more = {"objective": "multiclass", "num_class": len(case["classes"]), "weight": case["weight"]}
    return measured(["multi_logloss"], label, score, **more)


def ratings(case):
    names = ("l1", "l2", "rmse", "r2")
    return measured(names, case["label"], np.array(case["predicted"]), weight=case["weight"])


answer(
    "LightGBM",
    lightgbm.__version__,
    {"ranking": ranking, "clicks": clicks, "classes": classes, "ratings": ratings},
)
