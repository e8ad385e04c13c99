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
    "RBP(rel=1)",
    "RBP(rel=1,p=0.95)",
]
NAMES += [
    f"{name}@{k}" for k in (1, 5, 10) for name in ("AP", "nDCG", "RR", "P", "R", "Success", "Judged", "ERR")
]
NAMES += [f"nDCG(dcg='exp-log2')@{k}" for k in (1, 5, 10)]
NAMES += [f"IPrec@{level}" for level in (0.0, 0.3, 0.5, 1.0)]
NAMES += [f"{name}(rel=2)" for name in ("AP", "RR", "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF")]
NAMES += [f"{name}(rel=2)@5" for name in ("AP", "RR", "P", "R", "Success")]
NAMES += [f"{name}(judged_only=True)" for name in ("AP", "nDCG", "RR", "Rprec", "SetP", "SetF")]
NAMES += [f"{name}(judged_only=True)@5" for name in ("AP", "nDCG", "P", "R", "Success")]
NAMES += [f"{name}(rel=2,judged_only=True)" for name in ("AP", "RR", "Rprec", "SetP", "SetF")]
NAMES += [f"{name}(rel=2,judged_only=True)@5" for name in ("AP", "P", "R", "Success")]
NAMES += ["IPrec(rel=2)@0.3", "IPrec(judged_only=True)@0.3"]


def ranking(case):
    run, truth = (numbered(by_query(case[rows])) for rows in ("run", "truth"))
    whole = {q: {i: int(g) if g == int(g) else g for i, g in items.items()} for q, items in truth.items()}

    def measured(name):
        measure = ir_measures.parse_measure(name)
        return lambda: ir_measures.calc_aggregate([measure], whole, run)[measure]

    return {name: measured(name) for name in NAMES}


def numbered(queries):
    """Queries named by a number, since gdeval (ERR, nDCG with exp-log2) takes no other names."""
    return {query.lstrip("qu"): items for query, items in queries.items()}


answer("ir_measures", ir_measures.__version__, {"ranking": ranking})
