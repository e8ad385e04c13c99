"""FuxiCTR: fuxictr.metrics.evaluate_metrics, of rows and of groups of rows; it knows no weights."""

import sys

HERE = sys.path.pop(0)  # where files are named after libraries

from importlib.metadata import version

import numpy as np
from fuxictr.metrics import evaluate_metrics

sys.path.append(HERE)
from answering import answer, shown_grades

sys.path.remove(HERE)


def measured(names, label, score, group):
    def value(name):
        return evaluate_metrics(np.array(label), np.array(score), [name], group_id=np.array(group))[name]

    return {name: lambda name=name: value(name) for name in names}


def ranking(case):
    lists = shown_grades(case)
    grades, scores = ([one for some in lists.values() for one in some[at]] for at in (0, 1))
    group = [query for query, (some, _) in lists.items() for _ in some]
    return measured(["MRR", *(f"NDCG(k={k})" for k in (1, 5, 10))], grades, scores, group)


def clicks(case):
    if case["weight"] is not None:
        return {}
    names = ("AUC", "gAUC", "avgAUC", "logloss", "binary_crossentropy")
    return measured(names, case["label"], case["score"], case["group"])


if __name__ == "__main__":  # it starts processes
    answer("FuxiCTR", version("fuxictr"), {"ranking": ranking, "clicks": clicks})
