"""The usual metrics of each stage of a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.metrics.base import Metric
from steelyard.text import say
from steelyard.text.errors.forms import one_of, unknown

TASKS = {
    "retrieval": ("recall@100", "hit_rate@100"),
    "search": ("mrr@10", "recall@1000", "ndcg@10"),
    "ranking": ("ndcg@10", "map@10", "precision@10"),
    "rerank": ("ndcg@10", "map@10", "mrr@10"),
    "recommendation": ("ndcg@10", "recall@10", "coverage@10", "diversity@10", "novelty@10"),
    "ctr": ("auc", "gauc", "logloss", "calibration"),
    "classification": ("precision", "recall", "f1", "pr_auc"),
    "rating": ("rmse", "mae"),
}


def task_metrics(name: object) -> list[str]:
    """The metrics of a task.

    >>> task_metrics("retrieval")
    ['recall@100', 'hit_rate@100']
    >>> task_metrics("ctr")
    ['auc', 'gauc', 'logloss', 'calibration']
    """
    if not isinstance(name, str):
        raise one_of("task", name, list(TASKS))
    if name not in TASKS:
        raise unknown(say("unknown task '{name}'", name=name), name, TASKS)
    return list(TASKS[name])


def missing_tables(metrics: Sequence[Metric], tables: Mapping[str, Any]) -> dict[str, list[str]]:
    """What metrics of lists need and is not given, with the metrics that want it.

    >>> from steelyard.metrics import Coverage, NDCG
    >>> missing_tables([NDCG(k=10), Coverage(k=10)], {"catalog": ["a", "b"]})
    {'truth': ['ndcg@10']}
    """
    missing: dict[str, list[str]] = {}
    for metric in metrics:
        need = metric.need()
        for name in ("truth",) if need.reads == "hits" else need.tables:
            if tables.get(name) is None:
                missing.setdefault(name, []).append(str(metric))
    return missing
