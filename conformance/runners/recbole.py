"""RecBole: its collector and evaluator, given the scores that a model would give.

A model scores every item. Below the items of a case stand others that nobody wants, and below these the
items that the case does not rank, so that none of them is recommended.
"""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import logging
import warnings
from importlib.metadata import version

import numpy as np
import torch
from answering import answer, by_query, relevant
from recbole.evaluator import Collector, Evaluator

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
TOP = [1, 4, 10]
OF_LISTS = ["recall", "mrr", "ndcg", "hit", "precision", "map"]


class Config(dict):
    """What an evaluation reads of a configuration, with RecBole's defaults."""

    final_config_dict: dict = {}  # noqa: RUF012, RecBole reads it so

    def __init__(self, metrics):
        super().__init__(
            metrics=metrics,
            topk=TOP,
            metric_decimal_place=4,
            eval_args={"mode": "full"},
            device="cpu",
            LABEL_FIELD="label",
        )


def evaluated(metrics, scores, label=None, positive=((), ())):
    config = Config(metrics)
    collector = Collector(config)
    at = [torch.tensor(one, dtype=torch.int64) for one in positive]
    collector.eval_batch_collect(scores, {"label": label}, *at)
    return Evaluator(config).evaluate(collector.get_data_struct())


def ranking(case):
    if case["name"] == "doubled_predictions":
        return {}  # a model has one score for an item
    run, truth = by_query(case["run"]), by_query(relevant(case["truth"]))
    users = list(truth)
    items = sorted({row[1] for row in case["run"] + case["truth"]})
    scores = np.full((len(users), 1 + len(items) + max(TOP)), -np.inf)
    low = min(row[2] for row in case["run"]) - 1
    scores[:, 1 + len(items) :] = low - np.arange(max(TOP))
    positive = [(u, 1 + items.index(item)) for u, user in enumerate(users) for item in truth[user]]
    for u, user in enumerate(users):
        for item, score in run.get(user, {}).items():
            scores[u, 1 + items.index(item)] = score
    found = evaluated(
        OF_LISTS, torch.tensor(scores, dtype=torch.float32), positive=tuple(zip(*positive, strict=True))
    )
    return {name: lambda value=value: value for name, value in found.items()}


def rows(names, predicted):
    """Metrics of rows alone; weights are not known there."""

    def asked(case):
        if case["weight"] is not None:
            return {}
        score, label = (torch.tensor(case[key], dtype=torch.float32) for key in (predicted, "label"))
        found = {
            name: lambda name=name: evaluated([name], score.reshape(-1, 1), label.reshape(-1, 1))[name]
            for name in names
        }
        return found | ({"gauc": lambda: grouped(case)} if "group" in case else {})

    return asked


def grouped(case):
    """A row per group, the first column the item that stands for none."""
    groups = sorted(set(case["group"]))
    widest = max(case["group"].count(group) for group in groups)
    scores = torch.full((len(groups), 2 + widest), -torch.inf)
    positive, filled = [], [0] * len(groups)
    for group, score, label in zip(case["group"], case["score"], case["label"], strict=True):
        u = groups.index(group)
        filled[u] += 1
        scores[u, filled[u]] = score
        if label:
            positive.append((u, filled[u]))
    return evaluated(["gauc"], scores, positive=tuple(zip(*positive, strict=True)) or ((), ()))["gauc"]


answer(
    "RecBole",
    version("recbole"),
    {
        "ranking": ranking,
        "clicks": rows(["auc", "logloss"], "score"),
        "ratings": rows(["mae", "rmse"], "predicted"),
    },
)
