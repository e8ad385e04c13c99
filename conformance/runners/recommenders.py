"""Recommenders: its functions over pandas tables, of rankings, of labels and of ratings."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings
from importlib.metadata import version

import pandas as pd
from answering import answer, relevant
from recommenders.evaluation import python_evaluation as measures

warnings.simplefilter("ignore")
OF_LISTS = [
    f"{name}(k={k})"
    for k in (1, 4, 10)
    for name in ("precision_at_k", "recall_at_k", "map", "map_at_k", "ndcg_at_k")
]
OF_LISTS += ["precision_at_k()", "recall_at_k()", "map()", "map_at_k()", "ndcg_at_k()"]
GRADED = [f"ndcg_at_k(k={k}, score_type='{kind}')" for k in (1, 4, 10) for kind in ("raw", "exp")]


def ranking(case):
    lists = pd.DataFrame(case["run"], columns=["userID", "itemID", "prediction"])
    columns = ["userID", "itemID", "rating"]
    truth = pd.DataFrame(relevant(case["truth"]), columns=columns)
    graded = pd.DataFrame([row for row in case["truth"] if row[2] > 0], columns=columns)

    def measured(name, true):
        function, options = name[:-1].split("(")
        return lambda: getattr(measures, function)(true, lists, **eval(f"dict({options})"))

    return {name.removesuffix("()"): measured(name, truth) for name in OF_LISTS} | {
        name: measured(name, graded) for name in GRADED
    }


def rows(names, predicted):
    """Each row is an item of one user; weights are not known there."""

    def asked(case):
        if case["weight"] is not None:
            return {}
        items = range(len(case["label"]))
        true = pd.DataFrame({"userID": 1, "itemID": items, "rating": case["label"]})
        pred = pd.DataFrame({"userID": 1, "itemID": items, "prediction": case[predicted]})
        return {name: lambda name=name: getattr(measures, name)(true, pred) for name in names}

    return asked


answer(
    "Recommenders",
    version("recommenders"),
    {
        "ranking": ranking,
        "clicks": rows(["auc", "logloss"], "score"),
        "ratings": rows(["rmse", "mae", "rsquared"], "predicted"),
    },
)
