"""ir_measures: every measure under its own name."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import ir_measures
from answering import answer, by_query

NAMES = [
    "AP",
    "nDCG",
    "RR",
    "Rprec",
    "Bpref",
    "infAP",
    "SetP",
    "SetR",
    "SetF",
    "AP(rel=2)",
    "P(rel=2)@5",
    "R(rel=2)@10",
]
NAMES += [f"{name}@{k}" for k in (1, 5, 10) for name in ("AP", "nDCG", "RR", "P", "R", "Success", "Judged")]


def ranking(case):
    run, truth = by_query(case["run"]), by_query(case["truth"])
    whole = {q: {i: int(g) if g == int(g) else g for i, g in items.items()} for q, items in truth.items()}

    def measured(name):
        measure = ir_measures.parse_measure(name)
        return lambda: ir_measures.calc_aggregate([measure], whole, run)[measure]

    return {name: measured(name) for name in NAMES}


answer("ir_measures", ir_measures.__version__, {"ranking": ranking})
