"""What users of RecTools, RePlay and Evidently write, each as a process under the Python that has it.

``build/peers/PEER/bin/python bench/list_peers.py JOB FOLDER USERS``; 0 users are all. Tables are read,
and put into the form that the peer takes, before the clock runs. Of RePlay's three ways Polars is the
fastest.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

K = 100
PAIRS = 200_000  # whose features are gathered at a time

Answer = dict[str, float]


class Tables:
    """The files of a workload, of the first users."""

    def __init__(self, folder: str, users: int) -> None:
        self.folder, self.users = Path(folder), users

    def polars(self, name: str) -> pl.DataFrame:
        table = pl.read_parquet(self.folder / f"{name}.parquet")
        return table.filter(pl.col("query") < self.users) if self.users else table

    def pandas(self, name: str) -> pd.DataFrame:
        """With the names of RecTools."""
        table = self.polars(name).rename({"query": "user_id", "item": "item_id"})
        if "score" in table.columns:
            table = table.with_columns(rank=(K + 1 - pl.col("score")).cast(pl.Int64)).drop("score")
        return table.to_pandas()


def rectools(tables: Tables) -> tuple[Any, ...]:
    from rectools import metrics

    recs, truth, history = (tables.pandas(name) for name in ("recs", "truth", "history"))
    catalog = np.arange(np.load(tables.folder / "features.npy", mmap_mode="r").shape[0])
    asked = {
        f"coverage@{K}": metrics.CatalogCoverage(k=K, normalize=True),
        f"novelty@{K}": metrics.MeanInvUserFreq(k=K),
        f"popularity@{K}": metrics.AvgRecPopularity(k=K),
        f"serendipity@{K}": metrics.Serendipity(k=K),
    }
    return lambda: metrics.calc_metrics(asked, recs, truth, history, catalog), recs


def rectools_diversity(tables: Tables) -> tuple[Any, ...]:
    """It brings hamming alone; cosine as one writes it, over unit vectors that are ready."""
    from rectools import metrics
    from rectools.metrics.distances import PairwiseDistanceCalculator

    class Cosine(PairwiseDistanceCalculator):
        def _get_distances_for_item_pairs(self, items_0: Any, items_1: Any) -> Any:
            found = np.empty(len(items_0))
            for at in range(0, len(found), PAIRS):
                one, other = (
                    units[items_0[at : at + PAIRS].astype(int)],
                    units[items_1[at : at + PAIRS].astype(int)],
                )
                found[at : at + PAIRS] = 1 - np.einsum("ij,ij->i", one, other)
            return found

    recs = tables.pandas("recs")
    units = np.load(tables.folder / "features.npy").astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    metric = metrics.IntraListDiversity(k=K, distance_calculator=Cosine())
    return lambda: {f"diversity@{K}": metric.calc(recs)}, recs


def replay(tables: Tables) -> tuple[Any, ...]:
    from replay import metrics

    recs, history, usual = (tables.polars(name) for name in ("recs", "history", "baseline_lists"))
    names = {"query_column": "query", "item_column": "item", "rating_column": "score"}

    def call() -> Answer:
        found = {
            f"coverage@{K}": metrics.Coverage(K, **names)(recs, history),
            f"novelty(normalise=true)@{K}": metrics.Surprisal(K, **names)(recs, history),
            f"repetition@{K}": metrics.Novelty(K, **names)(recs, history),
            f"unexpectedness@{K}": metrics.Unexpectedness(K, **names)(recs, usual),
        }
        values = {name: next(iter(one.values())) for name, one in found.items()}
        return values | {f"repetition@{K}": 1 - values[f"repetition@{K}"]}

    return call, recs


def evidently(tables: Tables) -> tuple[Any, ...]:
    from evidently import DataDefinition, Dataset, Report
    from evidently.core.datasets import Recsys
    from evidently.metrics.recsys import Personalization

    recs = tables.pandas("recs").assign(target=0)
    ranking = Recsys(
        user_id="user_id", item_id="item_id", prediction="rank", target="target", recommendations_type="rank"
    )
    table = Dataset.from_pandas(recs, DataDefinition(ranking=[ranking]))

    def call() -> Answer:
        (found,) = Report([Personalization(k=K)]).run(table, None).dict()["metrics"]
        return {f"personalization@{K}": float(found["value"])}

    return call, recs


def matrix(tables: Tables) -> tuple[Any, ...]:
    """What recmetrics and rexmex do: the cosine of every two users, and the mean above the diagonal."""
    from scipy.sparse import csr_matrix
    from sklearn.metrics.pairwise import cosine_similarity

    recs = tables.polars("recs")
    user, item = recs["query"].to_numpy(), recs["item"].to_numpy()

    def call() -> Answer:
        lists = csr_matrix((np.ones(len(user)), (user, item)))
        alike = cosine_similarity(lists)
        return {f"personalization@{K}": float(1 - alike[np.triu_indices(len(alike), 1)].mean())}

    return call, recs


JOBS = {
    "rectools": rectools,
    "rectools-diversity": rectools_diversity,
    "replay": replay,
    "evidently": evidently,
    "matrix": matrix,
}


def memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(f"{field}:"))


def main(job: str, folder: str, users: str) -> None:
    call, _tables = JOBS[job](Tables(folder, int(users)))
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = memory_mb("VmRSS")
    begun = time.perf_counter()
    values = call()
    seconds = time.perf_counter() - begun
    answer = {"seconds": seconds, "grown_mb": memory_mb("VmHWM") - before, "values": values}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
