"""implicit: its evaluation of a model whose lists are those of the case."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

from importlib.metadata import version

import numpy as np
from answering import answer, ranked_items, relevant
from implicit import evaluation
from scipy.sparse import csr_matrix

NAMES = ["precision_at_k", "mean_average_precision_at_k", "ndcg_at_k"]


class Model:
    """Recommends the given lists; a place beyond the end of a list holds no item."""

    def __init__(self, lists, users, items):
        self.lists = [[items[item] for item in lists.get(user, [])] for user in users]

    def recommend(self, ids, users, N):
        found = np.full((len(ids), N), -1, np.int32)
        for at, user in enumerate(ids):
            found[at, : len(self.lists[user][:N])] = self.lists[user][:N]
        return found, np.zeros(found.shape, np.float32)


def ranking(case):
    lists, truth = ranked_items(case["run"]), relevant(case["truth"])
    users = sorted({row[0] for row in case["truth"]} | set(lists))
    items = {item: at for at, item in enumerate(sorted({row[1] for row in case["run"] + case["truth"]}))}
    likes = [(users.index(user), items[item]) for user, item, _ in truth]
    shape = (len(users), len(items))
    test = csr_matrix((np.ones(len(likes), np.float32), tuple(zip(*likes, strict=True))), shape)
    train = csr_matrix(shape, dtype=np.float32)
    model = Model(lists, users, items)

    def measured(name, **k):
        return lambda: getattr(evaluation, name)(model, train, test, **k, show_progress=False, num_threads=1)

    return {name: measured(name) for name in NAMES} | {
        f"{name}(K={k})": measured(name, K=k) for k in (1, 4, 10) for name in NAMES
    }


answer("implicit", version("implicit"), {"ranking": ranking})
