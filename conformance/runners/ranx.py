"""ranx: Qrels and Run objects, made comparable, every metric under its own name."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

from importlib.metadata import version

from answering import answer, by_query
from ranx import Qrels, Run, evaluate

NAMES = ["hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map"]
NAMES += ["dcg", "dcg_burges", "ndcg", "ndcg_burges"]
NAMES = [f"{name}{at}" for name in NAMES for at in ("", "@1", "@5", "@10") if name != "r-precision" or not at]
NAMES += ["rbp.80", "rbp.95", "r-precision-l2"]
NAMES += [f"{n}{at}-l2" for n in ("hit_rate", "precision", "recall", "f1", "mrr", "map") for at in ("", "@5")]


def ranking(case):
    run, truth = by_query(case["run"]), by_query(case["truth"])

    def measured(name):
        return lambda: evaluate(Qrels(truth), Run(run), name, make_comparable=True)

    return {name: measured(name) for name in NAMES}


answer("ranx", version("ranx"), {"ranking": ranking})
