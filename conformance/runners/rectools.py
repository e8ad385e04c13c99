"""RecTools: its metric objects, ranks by score and equal scores as they are given."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings
from importlib.metadata import version

import pandas as pd
from answering import answer, ranked_items, relevant
from rectools import metrics

warnings.simplefilter("ignore")
NAMES = [
    f"{name}(k={k}{option})"
    for k in (1, 4, 10)
    for name, option in (
        ("Precision", ""),
        ("Precision", ", r_precision=True"),
        ("Recall", ""),
        ("F1Beta", ""),
        ("F1Beta", ", beta=2.0"),
        ("HitRate", ""),
        ("MAP", ""),
        ("MAP", ", divide_by_k=True"),
        ("NDCG", ""),
        ("NDCG", ", divide_by_achievable=True"),
        ("MRR", ""),
    )
]


def ranking(case):
    rows = [
        (user, item, rank)
        for user, items in ranked_items(case["run"]).items()
        for rank, item in enumerate(items, 1)
    ]
    reco = pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])
    truth = pd.DataFrame(relevant(case["truth"]), columns=["user_id", "item_id", "weight"])

    def measured(name):
        metric = eval(name, vars(metrics))  # a name is the call itself
        return lambda: metric.calc(reco, truth)

    return {name: measured(name) for name in NAMES}


answer("RecTools", version("rectools"), {"ranking": ranking})
