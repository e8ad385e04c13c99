"""The metrics of a task, as far as the profile has them and their tables are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from steelyard.ask.data import profile
from steelyard.ask.plan import metric, metrics
from steelyard.messages import Message, say
from steelyard.messages.errors import asking
from steelyard.metrics import Metric
from steelyard.metrics.base import Asked
from steelyard.metrics.tasks import missing_tables, task_metrics


def with_task(
    given: str | Metric | Iterable[str | Metric | Asked],
    task: str,
    profile_name: str,
    tables: Mapping[str, Any],
) -> tuple[list[Asked], Message | None]:
    """The given metrics and those of the task; and a note on metrics without their tables, which are skipped.

    Only recommendation skips any: the truth of other tasks may be in the predictions.

    >>> asked, note = with_task("mrr", "recommendation", "house:2026", {"truth": {}, "catalog": []})
    >>> [one.label for one in asked]
    ['mrr', 'ndcg@10', 'recall@10', 'coverage@10']
    >>> print(note)
    task 'recommendation' skips diversity@10 (needs features); novelty@10 (needs history).
    """
    labels, chosen, note = task_metrics(task), profile(profile_name), None
    if task == "recommendation":
        lacking = missing_tables([metric(label) for label in labels], tables)
        skipped = {label for several in lacking.values() for label in several}
        labels = [label for label in labels if label not in skipped]
        if not labels:
            raise asking.task_without_tables(task=task, tables=list(lacking))
        parts = [
            say("{labels} ({labels:needs|need} {table})", labels=several, table=table)
            for table, several in lacking.items()
        ]
        if parts:
            note = say("task '{task}' skips {parts:;}.", key="left_out_of_task", task=task, parts=parts)
    missing = [label for label in labels if not chosen.has(metric(label))]
    if missing:
        others = [label for label in labels if label not in missing]
        raise asking.task_not_in_profile(task, profile_name, missing, others)
    return [*metrics(given, chosen), *metrics(labels, chosen)], note
