"""The metrics themselves, listed for a reader."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, RANK_FIELDS, plain
from steelyard.errors import MetricError
from steelyard.metrics import Metric, by_name, find
from steelyard.metrics.tasks import TASKS, task_metrics
from steelyard.report import catalogue_zh
from steelyard.report.text import aligned, indented

_SPELT = {"fbeta": "f1@k, fbeta(beta=2)@k"}  # a metric that mostly goes by another name


def every(task: str | None = None, lang: str = "en") -> str:
    """Every metric with its one sentence, or those of a task."""
    if task:
        return "\n".join(task_metrics(task))
    rows = [_row(cls, lang) for cls in by_name().values()]
    heading = catalogue_zh.TASKS if lang == "zh" else "tasks (--task NAME)"
    tasks = "\n".join(f"  {name:<10} {', '.join(TASKS[name])}" for name in TASKS)
    return f"{aligned(rows, 3)}\n\n{heading}\n{tasks}"


def one(name: str, lang: str = "en") -> str:
    """One metric: what it says, its formula, and every field with its choices."""
    text = name.partition("@")[0]
    cls = _found(text)
    own = [field for field in dataclasses.fields(cls) if _stage(field.name) == "metric"]
    shared = [field for field in dataclasses.fields(cls) if _stage(field.name) != "metric"]
    chinese = lang == "zh"
    lines = [
        f"{_usage(cls)}  {cls.zh}".rstrip(),
        "",
        _sentence(cls, lang) if chinese else _said(cls),
        "",
        catalogue_zh.FIELDS if chinese else "fields (house:2026 first)",
    ]
    lines += [indented(_field(field)) for field in own]
    lines += ["", catalogue_zh.OTHER_STAGES if chinese else "conventions of the other stages"]
    lines += [indented(_field(field)) for field in shared]
    return "\n".join(lines)


def _row(cls: type[Metric], lang: str) -> list[str]:
    """How a metric is asked for, and what it is, the reader's language first."""
    told = [cls.zh, _sentence(cls, lang)] if lang == "zh" else [_sentence(cls, lang), cls.zh]
    return [_usage(cls), *told]


def _found(name: str) -> type[Metric]:
    try:
        return find(name, cutoff=False).metric
    except MetricError:
        return find(name, cutoff=True).metric


def _usage(cls: type[Metric]) -> str:
    if cls.name in _SPELT:
        return _SPELT[cls.name]
    return {"required": f"{cls.name}@k", "optional": f"{cls.name}[@k]", "never": cls.name}[cls.at]


def _said(cls: type[Metric]) -> str:
    """What the docstring says, without its examples and its markup."""
    return (inspect.getdoc(cls) or "").partition("\nExamples\n")[0].rstrip().replace("``", "")


def _sentence(cls: type[Metric], lang: str) -> str:
    said = (inspect.getdoc(cls) or "").partition("\n")[0]
    return catalogue_zh.SENTENCES.get(cls.name, said) if lang == "zh" else said


def _stage(name: str) -> str:
    return "other" if name in (*ALIGN_FIELDS, *RANK_FIELDS, *AVERAGE_FIELDS) else "metric"


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
