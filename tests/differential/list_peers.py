"""What users of the peers write: one peer in a process of its own, under the Python that has it.

``build/peers/rectools/bin/python list_peers.py rectools CASES ANSWERS``: a JSON list of cases in, one dict
of answers for each out: a number, or ``[[user, number], …]`` where the peer tells it of each user. Each peer
is imported where it is called, since no environment but its own has it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def rectools(case):
    import numpy as np
    import pandas as pd
    from rectools import metrics

    class Cosine(metrics.distances.PairwiseDistanceCalculator):
        """RecTools has hamming alone and takes any other from its user."""

        def __init__(self, frame):
            self.frame = frame

        def _get_distances_for_item_pairs(self, items_0, items_1):
            one, other = self.frame.loc[items_0].to_numpy(), self.frame.loc[items_1].to_numpy()
            lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
            return 1 - (one * other).sum(axis=1) / lengths

    def lists(of):
        rows = [(user, item, rank) for user, shown in of for rank, item in enumerate(shown, 1)]
        return pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])

    k, recs, usual = case["k"], lists(case["recs"]), lists(case["baseline_lists"])
    history = pd.DataFrame(case["history"], columns=["user_id", "item_id"])
    truth = pd.DataFrame(case["truth"], columns=["user_id", "item_id"])
    features = pd.DataFrame.from_records([row for _, row in case["features"]])
    features.index = [item for item, _ in case["features"]]
    hamming = metrics.PairwiseHammingDistanceCalculator(features)
    calculated = {
        "CatalogCoverage": metrics.CatalogCoverage(k=k, normalize=True).calc(recs, case["catalog"]),
        "CoveredUsers": metrics.CoveredUsers(k=k).calc(recs, truth),
        "MeanInvUserFreq": metrics.MeanInvUserFreq(k=k).calc_per_user(recs, history),
        "AvgRecPopularity": metrics.AvgRecPopularity(k=k).calc_per_user(recs, history),
        "AvgRecPopularity(normalize)": metrics.AvgRecPopularity(k=k, normalize=True).calc_per_user(
            recs, history
        ),
        "IntraListDiversity(cosine)": metrics.IntraListDiversity(
            k=k, distance_calculator=Cosine(features)
        ).calc_per_user(recs),
        "IntraListDiversity(hamming)": metrics.IntraListDiversity(
            k=k, distance_calculator=hamming
        ).calc_per_user(recs),
        "Intersection": metrics.Intersection(k=k).calc_per_user(recs, usual),
        "Serendipity@1": metrics.Serendipity(k=1).calc_per_user(recs, truth, history, case["catalog"]),
        "Serendipity": metrics.Serendipity(k=k).calc(recs, truth, history, case["catalog"]),
    }
    return {
        name: value if isinstance(value, int | float) else [[int(user), one] for user, one in value.items()]
        for name, value in calculated.items()
    }


def replay(case):
    """Each measure from pandas, from Polars and from dicts: three implementations."""
    import pandas as pd
    import polars as pl
    from replay import metrics

    k = case["k"]

    def lists(of):
        rows = [(user, item, -rank) for user, shown in of for rank, item in enumerate(shown, 1)]
        frame = pd.DataFrame(rows, columns=["query_id", "item_id", "rating"])
        scored = {user: [(item, -rank) for rank, item in enumerate(shown, 1)] for user, shown in of}
        return {"pandas": frame, "polars": pl.from_pandas(frame), "dict": scored}

    recs, usual = lists(case["recs"]), lists(case["baseline_lists"])
    history = pd.DataFrame(case["history"], columns=["query_id", "item_id"])
    had = {
        "pandas": history,
        "polars": pl.from_pandas(history),
        "dict": history.groupby("query_id")["item_id"].apply(list).to_dict(),
    }

    def one(metric, *tables):
        (value,) = metric(*tables).values()
        return [[int(user), number] for user, number in value.items()] if isinstance(value, dict) else value

    found = {}
    per_user = metrics.PerUser()
    for kind in recs:
        found[f"Coverage, {kind}"] = one(metrics.Coverage(k), recs[kind], had[kind])
        found[f"Novelty, {kind}"] = one(metrics.Novelty(k, mode=per_user), recs[kind], had[kind])
        found[f"Surprisal, {kind}"] = one(metrics.Surprisal(k, mode=per_user), recs[kind], had[kind])
        found[f"Unexpectedness, {kind}"] = one(
            metrics.Unexpectedness(k, mode=per_user), recs[kind], usual[kind]
        )
    return found


def recommenders(case):
    """It has no cutoff and refuses lists with an item that their user had."""
    import numpy as np
    import pandas as pd
    from recommenders.evaluation import python_evaluation as measures

    had = {(user, item) for user, item in case["history"]}
    rows = [(user, item) for user, shown in case["recs"] for item in shown[: case["k"]]]
    rows = [row for row in rows if row not in had]
    names = ["userID", "itemID"]
    recs = pd.DataFrame(rows, columns=names)
    history = pd.DataFrame(case["history"], columns=names)
    wanted = {(user, item) for user, item in case["truth"]}
    judged = recs.assign(relevance=[float(row in wanted) for row in rows])
    items = [item for item, _ in case["features"]]
    features = pd.DataFrame({"itemID": items, "features": [np.array(row) for _, row in case["features"]]})

    def by_features(measure, lists, **options):
        frame = measure(
            history, lists, item_feature_df=features, item_sim_measure="item_feature_vector", **options
        )
        return [[int(user), value] for user, value in frame.itertuples(index=False)]

    return {
        "catalog_coverage": measures.catalog_coverage(history, recs),
        "distributional_coverage": measures.distributional_coverage(history, recs),
        "novelty": measures.novelty(history, recs),
        "user_diversity": by_features(measures.user_diversity, recs),
        "user_serendipity": by_features(measures.user_serendipity, judged, col_relevance="relevance"),
        "user_serendipity(all relevant)": by_features(measures.user_serendipity, recs),
    }


def evidently(case):
    import pandas as pd
    from evidently import DataDefinition, Dataset, Report
    from evidently.core.datasets import Recsys
    from evidently.metrics import recsys

    k, features = case["k"], dict(case["features"])
    columns = [f"f{at}" for at in range(len(case["features"][0][1]))]
    wanted = {(user, item) for user, item in case["truth"]}
    recs = pd.DataFrame(
        [
            (user, item, rank, int((user, item) in wanted), *features[item])
            for user, shown in case["recs"]
            for rank, item in enumerate(shown, 1)
        ],
        columns=["user_id", "item_id", "prediction", "target", *columns],
    )
    history = pd.DataFrame(
        [(user, item, *features[item]) for user, item in case["history"]],
        columns=["user_id", "item_id", *columns],
    )
    ranking = Recsys(
        user_id="user_id",
        item_id="item_id",
        prediction="prediction",
        target="target",
        recommendations_type="rank",
    )
    asked = {
        "Personalization": recsys.Personalization(k=k),
        "Novelty": recsys.Novelty(k=k),
        "Diversity": recsys.Diversity(k=k, item_features=columns),
        "Serendipity": recsys.Serendipity(k=k, item_features=columns),
        "popularity": recsys.PopularityBiasMetric(k=k, metric="arp"),
        "coverage": recsys.PopularityBiasMetric(k=k, metric="coverage"),
        "gini": recsys.PopularityBiasMetric(k=k, metric="gini"),
    }
    table = Dataset.from_pandas(recs, DataDefinition(ranking=[ranking], numerical_columns=columns))
    snapshot = Report(list(asked.values())).run(table, None, additional_data={"current_train_data": history})
    values = [one["value"] for one in snapshot.dict()["metrics"]]
    return {name: float(value) for name, value in zip(asked, values, strict=True)}


def main(name, cases, answers):
    peer = {"rectools": rectools, "replay": replay, "recommenders": recommenders, "evidently": evidently}[
        name
    ]
    found = [peer(case) for case in json.loads(Path(cases).read_text(encoding="utf-8"))]
    Path(answers).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
