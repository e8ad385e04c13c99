"""Cornac: its evaluation of a model whose scores are those of the case.

A model scores every item. Below the items of a case stand others that nobody wants, and below these the
items that the case does not rank, so that none of them is recommended. MAP and MRR read rankings to their
end: they are given the items of the case alone.
"""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings
from importlib.metadata import version

import numpy as np
from answering import answer, by_query
from cornac.data import Dataset
from cornac.eval_methods.base_method import ranking_eval
from cornac.metrics import AUC, MAP, MRR, NDCG, FMeasure, HitRatio, Precision, Recall
from cornac.models import Recommender

warnings.simplefilter("ignore")
TOP = [1, 4, 10]


class Model(Recommender):
    """Gives each user the scores that are known."""

    def __init__(self, train, scores):
        super().__init__(name="given", trainable=False)
        self.fit(train)
        self.given = scores

    def score(self, user_idx, item_idx=None):
        return self.given[user_idx] if item_idx is None else self.given[user_idx][item_idx]


def ranking(case):
    if case["name"] == "doubled_predictions":
        return {}  # a model has one score for an item
    run = by_query(case["run"])
    items = sorted({row[1] for row in case["run"] + case["truth"]}) + [
        f"other {at}" for at in range(max(TOP))
    ]
    users, places = {user: at for at, user in enumerate(run)}, {item: at for at, item in enumerate(items)}
    low = min(row[2] for row in case["run"]) - 1
    scores = np.full((len(users), len(items)), low - 99)
    scores[:, -max(TOP) :] = low - np.arange(max(TOP))
    for user, ranked in run.items():
        for item, score in ranked.items():
            scores[users[user], places[item]] = score
    # a rating below the threshold for every user and item makes them known
    known = [(user, items[0], 0.0) for user in users] + [(next(iter(users)), item, 0.0) for item in items[1:]]
    train = Dataset.build(known, global_uid_map=users, global_iid_map=places)
    test = Dataset.build(case["truth"], global_uid_map=users, global_iid_map=places, exclude_unknowns=True)
    model = Model(train, scores)

    def measured(metric):
        return lambda: ranking_eval(model, [metric], train, test, rating_threshold=1.0)[0][0]

    found = {
        metric.name: measured(metric)
        for k in TOP
        for metric in (kind(k=k) for kind in (Precision, Recall, FMeasure, HitRatio, NDCG))
    }
    wanted = {user: {row[1] for row in case["truth"] if row[0] == user and row[2] >= 1} for user in run}
    return found | {
        "MAP": lambda: np.mean([one for one in map(whole(run, wanted, MAP()), run) if one is not None]),
        "MRR": lambda: np.mean([whole(run, wanted, MRR())(user) for user in run if wanted[user]]),
    }


def whole(run, wanted, metric):
    """The value of one user; none of MAP where no relevant item is ranked, which cannot be there."""

    def value(user):
        items = list(run[user])
        scores = np.array(list(run[user].values()))
        at = np.array([place for place, item in enumerate(items) if item in wanted[user]], int)
        if not len(at) and metric.name == "MAP":
            return None
        rank = scores.argsort()[::-1]
        return metric.compute(item_indices=np.arange(len(items)), pd_scores=scores, pd_rank=rank, gt_pos=at)

    return value


def clicks(case):
    """The AUC of each group that has a positive, as ranking_eval takes users, and their mean."""
    if case["weight"] is not None:
        return {}
    group, label, scores = (np.array(case[key]) for key in ("group", "label", "score"))
    chosen = [group == one for one in np.unique(group) if label[group == one].any()]

    def mean():
        return np.mean([of_user(label[one], scores[one]) for one in chosen])

    return {"AUC": mean}


def of_user(label, scores):
    return AUC().compute(np.arange(len(label)), scores, gt_pos=np.flatnonzero(label))


answer("Cornac", version("cornac"), {"ranking": ranking, "clicks": clicks})
