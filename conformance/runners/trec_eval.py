"""trec_eval 9.0.8 through pytrec_eval-terrier: the mean over the queries that it evaluates."""

import pytrec_eval
from answering import answer, by_query

NAMES = [
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "gm_bpref",
    "recip_rank",
    "infAP",
    "11pt_avg",
    "ndcg",
    "set_P",
    "set_recall",
    "set_F",
]
NAMES += [f"{name}_{k}" for k in (1, 5, 10) for name in ("P", "recall", "success", "map_cut", "ndcg_cut")]
NAMES += [f"relative_P_{k}" for k in (1, 5, 10)]
NAMES += [f"iprec_at_recall_{level}" for level in ("0.00", "0.30", "0.50", "1.00")]


def ranking(case):
    if case["name"].startswith("doubled"):
        return {}  # a dict holds an item once
    run, truth = by_query(case["run"]), by_query(case["truth"])

    def measured(name):
        def mean():
            found = pytrec_eval.RelevanceEvaluator(truth, {name}).evaluate(run)
            return pytrec_eval.compute_aggregated_measure(name, [one[name] for one in found.values()])

        return mean

    return {name: measured(name) for name in NAMES}


answer("trec_eval", "9.0.8", {"ranking": ranking})
