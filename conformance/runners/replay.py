"""RePlay: its metrics of pandas tables."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings
from importlib.metadata import version

import pandas as pd
from answering import answer, relevant
from replay import metrics

warnings.simplefilter("ignore")
NAMES = [
    f"{name}@{k}" for k in (1, 4, 10) for name in ("Precision", "Recall", "HitRate", "MAP", "MRR", "NDCG")
]


def ranking(case):
    recs = pd.DataFrame(case["run"], columns=["query_id", "item_id", "rating"])
    truth = pd.DataFrame(relevant(case["truth"]), columns=["query_id", "item_id", "rating"])

    def measured(name):
        metric, k = name.split("@")
        return lambda: getattr(metrics, metric)(int(k))(recs, truth)[name]

    return {name: measured(name) for name in NAMES}


answer("RePlay", version("replay-rec"), {"ranking": ranking})
