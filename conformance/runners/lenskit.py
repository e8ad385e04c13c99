"""LensKit: the analysis of a run, lists by score and equal scores as they are given."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import logging
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from unittest.mock import MagicMock

if not find_spec("torch"):  # rankings hold no tensor, and the metrics only ask for its types
    torch = MagicMock(Tensor=type("Tensor", (), {}), is_tensor=lambda _: False, __spec__=None)
    torch.cuda.is_available.return_value = False
    sys.modules["torch"] = torch

import pandas as pd
from answering import answer, ranked_items, relevant
from lenskit.data import ItemListCollection
from lenskit.metrics import DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank, RunAnalysis
from lenskit.metrics.ranking._map import AveragePrecision

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
METRICS = [
    metric(n)
    for n in (1, 4, 10, None)
    for metric in (Precision, Recall, Hit, RecipRank, AveragePrecision, NDCG, DCG, RBP)
]


def ranking(case):
    rows = [
        (user, item, rank)
        for user, items in ranked_items(case["run"]).items()
        for rank, item in enumerate(items, 1)
    ]
    lists = ItemListCollection.from_df(
        pd.DataFrame(rows, columns=["user_id", "item_id", "rank"]), ["user_id"]
    )
    truth = pd.DataFrame(relevant(case["truth"]), columns=["user_id", "item_id", "rating"])
    test = ItemListCollection.from_df(truth[["user_id", "item_id"]], ["user_id"])

    def measured(metric):
        return lambda: RunAnalysis(metric).measure(lists, test).list_summary()["mean"][metric.label]

    return {metric.label: measured(metric) for metric in METRICS}


answer("LensKit", version("lenskit"), {"ranking": ranking})
