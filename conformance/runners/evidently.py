"""Evidently: the metrics of rankings, each as a report of its own."""

import sys

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import warnings

import evidently
import pandas as pd
from answering import answer, by_query
from evidently import DataDefinition, Dataset, Recsys, Report
from evidently.metrics import MRR, NDCG, HitRate, PrecisionTopK, RecallTopK

warnings.simplefilter("ignore")


def ranking(case):
    """Every recommended row with its grade, 0 where there is none."""
    truth = by_query(case["truth"])
    rows = pd.DataFrame(case["run"], columns=["user_id", "item_id", "prediction"])
    rows["target"] = [truth.get(query, {}).get(item, 0) for query, item, _ in case["run"]]
    columns = {name: name for name in ("user_id", "item_id", "target", "prediction")}
    given = Dataset.from_pandas(rows, DataDefinition(ranking=[Recsys(**columns)]))

    def measured(metric, k, **options):
        def value():
            found = Report([metric(k=k, **options)]).run(given, None).dict()
            return found["metrics"][0]["value"]["value"][k - 1]

        return value

    found = {}
    for k in (1, 3, 5, 10):
        for metric in (NDCG, MRR, HitRate, PrecisionTopK, RecallTopK):
            found[f"{metric.__name__}(k={k})"] = measured(metric, k)
            found[f"{metric.__name__}(k={k}, no_feedback_users=True)"] = measured(
                metric, k, no_feedback_users=True
            )
    for metric in (MRR, HitRate, PrecisionTopK, RecallTopK):
        found[f"{metric.__name__}(k=5, min_rel_score=2)"] = measured(metric, 5, min_rel_score=2)
    return found


answer("Evidently", evidently.__version__, {"ranking": ranking})
