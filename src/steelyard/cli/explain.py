"""``steelyard explain``: the arithmetic of a metric, step by step."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from steelyard.cli import signals, streams
from steelyard.cli.options import (
    BESIDE,
    beside_options,
    files_of,
    form_option,
    key_values,
    named_columns,
    output_option,
    taking,
)
from steelyard.cli.targets import check_targets, is_printed
from steelyard.cli.usage import Command, lang_option
from steelyard.text import say
from steelyard.text.errors import asking

_EXAMPLE = ("grades", "judged", "labels", "scores", "predicted", "groups")
_FORMATS = ["table", "markdown", "html"]
_ENDINGS = {".html": "html", ".htm": "html"}


@click.command(cls=Command)
@click.argument("metric")
@click.argument("predictions", required=False)
@taking("--truth", "TRUTH", "The judgements; without it, labels are in PREDICTIONS.")
@taking("--query", "ID", "Which query of a ranking; for a metric of rows, only the rows of that query.")
@taking("--grades", "G,G,…", "A small example: the grades of one list, in ranked order.")
@taking("--judged", "G,G,…", "The grades of all judged items, if some of them were not shown.")
@taking("--labels", "L,L,…", "A small example of rows: the label of each.")
@taking(
    "--scores",
    "S,S,…|NAME",
    "The score of each row, or its predicted rating: of an example, or the column of a table.",
)
@taking("--predicted", "C,C,…", "The predicted class of each row.")
@taking("--groups", "U,U,…", "The user or query of each row.")
@taking("--weights", "W,W,…|COLUMN", "The weight of each row: of an example, or the column of a table.")
@taking("--classes", "NAME,NAME,…", "The classes in order; of two the last is positive.")
@taking("--columns", "ROLE=NAME", "Which column is which, as for evaluate.", multiple=True)
@taking("--exclude", "TABLE", "(query, item) pairs to remove before ranking.")
@beside_options
@taking("--profile", "NAME", "A library's conventions.  [default: steelyard:2026]", default="steelyard:2026")
@taking(
    "--set, settings",
    "FIELD=VALUE",
    "Any convention: ties=expected, rel=2, gain=exp2; may be repeated.",
    multiple=True,
)
@lang_option
@form_option(_FORMATS, ".md, .html")
@output_option
def explain(
    metric: str,
    predictions: str | None,
    weights: str | None,
    classes: str | None,
    columns: tuple[str, ...],
    settings: tuple[str, ...],
    lang: str,
    form: str | None,
    output: str | None,
    **asked: Any,
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

    example = {name: asked.pop(name) for name in _EXAMPLE}
    read = list(files_of(predictions, *map(asked.get, ("truth", "exclude", *BESIDE))))
    check_targets([("-o", output)], read, form, (".md", ".markdown", ".html", ".htm", ".txt"))
    target = None if is_printed(output) else Path(str(output))
    column = example.pop("scores") if predictions is not None else None
    given = {name: _read(name, value) for name, value in example.items() if value is not None}
    made = run(
        metric,
        predictions,
        weights=_numbers("--weights", weights) if weights and "labels" in given else weights,
        classes=_texts(classes) if classes else None,
        columns=named_columns(columns, column) or None,
        conventions=key_values("--set", settings),
        lang=lang,
        **asked,
        **given,
    )
    named = target and (_ENDINGS.get(target.suffix.lower()) or files.form_of(target))
    wanted = form or (named if named in _FORMATS else "table")
    if target is None:
        width = streams.width(sys.stdout)
        shown = {"table": lambda: text(made, lang, width), "markdown": lambda: markdown(made, lang)}
        streams.give(shown.get(wanted, lambda: html(made, lang))(), wanted)
        return
    forms = {"table": text, "markdown": markdown, "html": html_page}
    with signals.tidied_up():
        files.write_text(target, forms[wanted](made, lang) + "\n")
    streams.tell_written(target, lang)


def _read(name: str, text: str) -> Any:
    if name == "groups":
        return _texts(text)
    if name not in ("labels", "predicted"):
        return _numbers(f"--{name}", text)
    try:
        numbers = _numbers(f"--{name}", text)
    except ValueError:
        return _texts(text)
    return [int(one) for one in numbers] if all(one.is_integer() for one in numbers) else numbers


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in _texts(text)]
    except ValueError:
        wanted = say("numbers separated by commas")
        raise asking.not_taken(
            option=option, wanted=wanted, text=text, example=f"{option} 3,2,3,0,1"
        ) from None


def _texts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text.strip() else []
