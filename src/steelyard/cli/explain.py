"""``steelyard explain``: how a number comes about, step by step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from steelyard.cli import streams
from steelyard.cli.inputs import (
    files_of,
    key_values,
    named_columns,
    texts_of,
)
from steelyard.cli.options import SIDE_TABLES, Command, format_of, lang_option, options
from steelyard.cli.outputs import check_targets, deliver, is_printed
from steelyard.text import say
from steelyard.text.errors import asking

_EXAMPLE = ("grades", "judged", "labels", "scores", "predicted", "groups")
_ENDINGS = {".html": "html", ".htm": "html"}


@click.command(cls=Command)
@click.argument("metric")
@click.argument("predictions", required=False)
@options(
    *("truth", "explain.query", *(f"explain.{name}" for name in _EXAMPLE), "explain.weights"),
    *("classes", "columns", "exclude", *SIDE_TABLES, "profile", "settings"),
)
@lang_option
@options(format_of("table", "markdown", "html", endings=".md, .html"), "output")
def explain(
    metric: str, predictions: str | None, lang: str, form: str | None, output: str | None, **tables: Any
) -> None:
    """Show how a value of METRIC comes about, and what every other choice would have given.

    On a small example, or on one query of PREDICTIONS.

    \b
    steelyard explain "ndcg(gain=exp2)@5" --grades 3,2,3,0,1
    steelyard explain recall@3 --grades 1,0,1,0 --judged 1,1,1 --lang zh
    steelyard explain ndcg@10 run.parquet --truth qrels.txt --query q17 --set ties=expected
    steelyard explain auc --labels 1,0,1,0 --scores 0.9,0.4,0.4,0.1
    steelyard explain roc --labels 1,0,1,0 --scores 0.9,0.4,0.4,0.1
    steelyard explain gauc clicks.parquet --columns query=user_id -o gauc.html
    steelyard explain diversity@10 recs.csv --features genres.csv --query ann
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.explain import explain as run
    from steelyard.render import output as files
    from steelyard.render.explanation.page import html, html_page, markdown, text

    example = {name: tables.pop(name) for name in _EXAMPLE}
    read = list(files_of(predictions, *map(tables.get, ("truth", "exclude", *SIDE_TABLES))))
    check_targets([("-o", output)], read, form, (".md", ".markdown", ".html", ".htm", ".txt"))
    column = example.pop("scores") if predictions is not None else None
    arrays = {name: _values(name, value) for name, value in example.items() if value is not None}
    weights = tables.pop("weights")
    explanation = run(
        metric,
        predictions,
        weights=_numbers("--weights", weights) if weights and "labels" in arrays else weights,
        classes=texts_of(tables.pop("classes")),
        columns=named_columns(tables.pop("columns"), column) or None,
        conventions=key_values("--set", tables.pop("settings")),
        lang=lang,
        **tables,
        **arrays,
    )
    written = {"table": text, "markdown": markdown, "html": html_page}

    def write(path: Path) -> None:
        named = _ENDINGS.get(path.suffix.lower()) or files.form_of(path)
        wanted = form or (named if named in written else "table")
        files.write_text(path, written[str(wanted)](explanation, lang) + "\n")

    def show() -> None:
        if is_printed(output):
            printed = {"markdown": markdown, "html": html}.get(form or "table")
            shown = (
                printed(explanation, lang) if printed else text(explanation, lang, streams.width(sys.stdout))
            )
            streams.give(shown, form or "table")

    deliver(lang, [(output, write)], show)


def _values(name: str, text: str) -> Any:
    if name == "groups":
        return texts_of(text.strip()) or []
    if name not in ("labels", "predicted"):
        return _numbers(f"--{name}", text)
    try:
        numbers = _numbers(f"--{name}", text)
    except ValueError:
        return texts_of(text.strip()) or []
    return [int(number) for number in numbers] if all(map(float.is_integer, numbers)) else numbers


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in texts_of(text.strip()) or []]
    except ValueError:
        wanted, example = say("numbers separated by commas"), f"{option} 3,2,3,0,1"
        raise asking.not_taken(option=option, wanted=wanted, text=text, example=example) from None
