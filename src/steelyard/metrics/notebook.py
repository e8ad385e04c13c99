"""A metric as a notebook shows it: what it says, and every field with what its value means."""

from __future__ import annotations

import dataclasses
import inspect
import re
from html import escape
from typing import TYPE_CHECKING, Any

from steelyard.conventions import plain

if TYPE_CHECKING:
    from steelyard.metrics.base import Metric

_CODE = re.compile("``(.+?)``", re.DOTALL)


def html(metric: Metric) -> str:
    """The name, the sentence, the formula and the fields as HTML, whatever they contain."""
    said = (inspect.getdoc(type(metric)) or "").partition("\nExamples\n")[0].strip()
    told = "".join(f"<p>{_marked(paragraph)}</p>" for paragraph in said.split("\n\n"))
    rows = "".join(_row(field, getattr(metric, field.name)) for field in dataclasses.fields(metric))
    return (
        f"<div><p><b>{escape(f'{metric} {metric.zh}'.strip())}</b></p>{told}"
        f"<table><thead><tr><th>field</th><th>value</th><th>meaning</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _marked(paragraph: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(paragraph))


def _row(field: dataclasses.Field[Any], value: object) -> str:
    cells = "".join(
        f'<td style="text-align:left">{escape(cell)}</td>'
        for cell in (field.name, plain(value), _meaning(field, value))
    )
    return f"<tr>{cells}</tr>"


def _meaning(field: dataclasses.Field[Any], value: object) -> str:
    """What the value of a field means; a number has the meaning of its field."""
    words = field.metadata.get("meaning") or field.metadata.get("words", {})
    word = "all" if field.name == "k" and value is None else plain(value)
    if word in words:
        return str(words[word])
    return "a mapping from grade to gain" if field.name == "gain" else str(field.metadata.get("number", ""))
