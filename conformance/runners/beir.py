"""BEIR: EvaluateRetrieval.evaluate and evaluate_custom, every metric under the name that they print."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

from importlib.metadata import version

from answering import answer, by_query
from beir.retrieval.evaluation import EvaluateRetrieval

CUTOFFS = (1, 5, 10)
CUSTOM = {"MRR": "mrr", "R_cap": "r_cap", "Accuracy": "accuracy"}


def ranking(case):
    def plain(name, k):
        run, truth = by_query(case["run"]), by_query(case["truth"])
        tables = EvaluateRetrieval.evaluate(truth, run, [k])
        return {key: value for one in tables for key, value in one.items()}[f"{name}@{k}"]

    def custom(name, k):
        run, truth = by_query(case["run"]), by_query(case["truth"])
        return EvaluateRetrieval.evaluate_custom(truth, run, [k], CUSTOM[name])[f"{name}@{k}"]

    asked = dict.fromkeys(("NDCG", "MAP", "Recall", "P"), plain) | dict.fromkeys(CUSTOM, custom)
    return {
        f"{name}@{k}": lambda name=name, k=k, how=how: how(name, k)
        for name, how in asked.items()
        for k in CUTOFFS
    }


answer("BEIR", version("beir"), {"ranking": ranking})
