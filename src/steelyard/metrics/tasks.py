"""The usual metrics of each stage of a system."""

from __future__ import annotations

from steelyard.messages import say
from steelyard.messages.errors.forms import unknown

TASKS = {
    "retrieval": ("recall@100", "hit_rate@100"),
    "search": ("mrr@10", "recall@1000", "ndcg@10"),
    "ranking": ("ndcg@10", "map@10", "precision@10"),
    "rerank": ("ndcg@10", "map@10", "mrr@10"),
    "ctr": ("auc", "gauc", "logloss", "calibration"),
    "classification": ("precision", "recall", "f1", "pr_auc"),
    "rating": ("rmse", "mae"),
}


def task_metrics(name: str) -> list[str]:
    """The metrics of a task.

    >>> task_metrics("retrieval")
    ['recall@100', 'hit_rate@100']
    >>> task_metrics("ctr")
    ['auc', 'gauc', 'logloss', 'calibration']
    """
    if name not in TASKS:
        raise unknown(say("unknown task '{name}'", name=name), name, TASKS)
    return list(TASKS[name])
