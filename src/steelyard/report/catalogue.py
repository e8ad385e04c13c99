"""The metrics themselves, listed for a reader."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, LABELLED_FIELDS, RANK_FIELDS, plain
from steelyard.errors import MetricError
from steelyard.metrics import Metric, RankingMetric, by_name, find
from steelyard.metrics.tasks import TASKS, task_metrics
from steelyard.report import catalogue_zh
from steelyard.report.text import aligned, indented

# metrics that mostly go by another name
_SPELT = {"fbeta@k": "f1@k, fbeta(beta=2)@k", "fbeta": "f1, fbeta(beta=2)"}


def every(task: str | None = None, lang: str = "en") -> str:
    """Every metric with its one sentence, or those of a task."""
    if task:
        return "\n".join(task_metrics(task))
    known = by_name().values()
    rankings = [cls for cls in known if issubclass(cls, RankingMetric)]
    others = [cls for cls in known if not issubclass(cls, RankingMetric)]
    chinese = lang == "zh"
    blocks = {
        catalogue_zh.RANKINGS if chinese else "rankings": _listed(rankings, lang),
        catalogue_zh.ROWS if chinese else "rows, classes and ratings": _listed(others, lang),
        catalogue_zh.TASKS if chinese else "tasks (--task NAME)": aligned(
            [[name, ", ".join(TASKS[name])] for name in TASKS], 2
        ),
    }
    return "\n\n".join(f"{heading}\n{indented(block)}" for heading, block in blocks.items())


def one(name: str, lang: str = "en") -> str:
    """One metric: what it says, its formula, and every field with its choices."""
    cls = _found(name)
    own = [field for field in dataclasses.fields(cls) if _stage(field.name) == "metric"]
    shared = [field for field in dataclasses.fields(cls) if _stage(field.name) != "metric"]
    chinese = lang == "zh"
    lines = [
        f"{_usage(cls)}  {cls.zh}".rstrip(),
        "",
        sentence(cls, lang) if chinese else _said(cls),
    ]
    if own:
        lines += ["", catalogue_zh.FIELDS if chinese else "fields (house:2026 first)"]
    lines += [indented(_field(field)) for field in own]
    lines += ["", catalogue_zh.OTHER_STAGES if chinese else "conventions of the other stages"]
    lines += [indented(_field(field)) for field in shared]
    return "\n".join(lines)


def _listed(metrics: Sequence[type[Metric]], lang: str) -> str:
    return aligned([_row(cls, lang) for cls in metrics], 3)


def _row(cls: type[Metric], lang: str) -> list[str]:
    """How a metric is asked for, and what it is, the reader's language first."""
    told = [cls.zh, sentence(cls, lang)] if lang == "zh" else [sentence(cls, lang), cls.zh]
    return [_usage(cls), *told]


def _found(text: str) -> type[Metric]:
    """The metric of a name; ``@`` chooses where two share one."""
    name, at, k = text.partition("@")
    if at:
        return find(name, cutoff=True, suffix=f"@{k}").metric
    try:
        return find(name, cutoff=False).metric
    except MetricError:
        return find(name, cutoff=True).metric


def _usage(cls: type[Metric]) -> str:
    key = cls.key()
    return _SPELT.get(key, f"{key}[@k]" if cls.at == "optional" else key)


def _said(cls: type[Metric]) -> str:
    """What the docstring says, without its examples and its markup."""
    return (inspect.getdoc(cls) or "").partition("\nExamples\n")[0].rstrip().replace("``", "")


def sentence(cls: type[Metric], lang: str) -> str:
    """What a metric says, in one sentence."""
    said = (inspect.getdoc(cls) or "").partition("\n")[0]
    return catalogue_zh.SENTENCES.get(cls.key(), said) if lang == "zh" else said


def _stage(name: str) -> str:
    return "other" if name in (*ALIGN_FIELDS, *RANK_FIELDS, *LABELLED_FIELDS, *AVERAGE_FIELDS) else "metric"


def _field(field: dataclasses.Field[Any]) -> str:
    meaning = field.metadata.get("meaning")
    if meaning is None:
        words = "; ".join(f"{word} = {text}" for word, text in field.metadata["words"].items())
        default = "" if field.default is None else f", default {plain(field.default)}"
        return f"{field.name}: a number{default}: {field.metadata['number']}" + (
            f"; {words}" if words else ""
        )
    lines = [f"{field.name}:"] + [f"  {word:<13} {text}" for word, text in meaning.items()]
    if field.name == "gain":
        lines.append("  1:3/2:9       a mapping from grade to gain")
    return "\n".join(lines)
