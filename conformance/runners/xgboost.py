"""XGBoost: the metrics of a booster without a tree, whose margins are the given scores."""

import sys

HERE = sys.path.pop(0)  # where files are named after libraries

import numpy as np
import xgboost

sys.path.append(HERE)
from answering import answer, shown_grades

sys.path.remove(HERE)


def measured(names, label, score, **more):
    """Each name with a call of its own, so that one that is refused leaves the others."""
    return {name: lambda name=name: value(name, label, score, **more) for name in names}


def value(name, label, score, group=None, weight=None, objective="reg:squarederror", **params):
    data = xgboost.DMatrix(np.zeros((len(label), 1)), label=label, weight=weight)
    data.set_base_margin(np.asarray(score, np.float32))
    if group is not None:
        data.set_group(group)
    params |= {"objective": objective, "nthread": 1, "disable_default_eval_metric": 1}
    booster = xgboost.Booster({**params, "eval_metric": name}, [data])
    return float(booster.eval_set([(data, "given")]).rpartition(":")[2])


def ranking(case):
    lists = shown_grades(case)
    grades, scores = ([one for some in lists.values() for one in some[at]] for at in (0, 1))
    names = ["ndcg", "ndcg-", "map", "map-", "pre"]
    names += [f"{name}@{k}" for name in ("ndcg", "map", "pre") for k in (1, 5, 10)]
    names += [f"{name}@{k}-" for name in ("ndcg", "map") for k in (5, 10)]
    group = [len(some) for some, _ in lists.values()]
    return measured(names, grades, scores, group=group, objective="rank:ndcg")


def clicks(case):
    return measured(("auc", "aucpr", "logloss"), case["label"], case["score"], weight=case["weight"])


def classes(case):
    label = [case["classes"].index(one) for one in case["label"]]
    more = {"num_class": len(case["classes"]), "weight": case["weight"]}
    return measured(("mlogloss", "auc", "aucpr"), label, case["probability"], **more)


def ratings(case):
    return measured(("rmse", "mae"), case["label"], case["predicted"], weight=case["weight"])


answer(
    "XGBoost",
    xgboost.__version__,
    {"ranking": ranking, "clicks": clicks, "classes": classes, "ratings": ratings},
)
