"""``steelyard explain``, ``which`` and ``differences``: how a number comes about, and where it comes from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import streams
from steelyard.cli.inputs import (
    call_of,
    files_of,
    files_read,
    key_values,
    metric_and_value,
    named_columns,
    required,
    texts_of,
)
from steelyard.cli.options import SIDE_TABLES, TABLES, Command, format_of, lang_option, options
from steelyard.cli.outputs import check_targets, deliver, deliver_finding, is_printed
from steelyard.text import say
from steelyard.text.errors import asking

if TYPE_CHECKING:
    from steelyard.search.claim import Claim

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


@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[PREDICTIONS]")
@options(
    *("which.claim", "which.claims", "which.changes", "which.scores"),
    format_of("table", "json", "csv", "markdown"),
    *("output", "truth", *TABLES),
)
@lang_option
def which(predictions: str | list[str] | None, lang: str, changes: str | None, **flags: Any) -> None:
    """Find the library, or the convention, that a printed number comes from.

    Every profile is tried, then every choice of the metric and its stages, one change from a profile first.
    What is listed can be given to `steelyard evaluate` as -m. Several claims are to be met together.

    \b
    steelyard which run.parquet --truth qrels.txt --claim map@10=0.302
    steelyard which run.trec --truth qrels.txt --claim NDCG@10=0.4512 --claim RR@10=0.6803
    steelyard which run.trec --truth qrels.txt --claims table.csv
    steelyard which clicks.parquet --claim gauc=0.6514
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.which import matched
    from steelyard.progress import Bar
    from steelyard.result.written import ENDINGS

    required(predictions, say("name the predictions"))
    call = call_of(predictions, flags)
    claims = _claims(flags["claim"], flags["claims"])
    check_targets([("-o", flags["output"])], files_read(call, flags["claims"]), flags["form"], ENDINGS)
    most, classes = None if changes is None else int(changes), texts_of(flags["classes"])
    deliver_finding(matched(claims, call, changes=most, classes=classes, progress=Bar(lang)), flags, lang)


def _claims(texts: Sequence[str], table: str | None) -> list[Claim]:
    from steelyard.search.claim import Claim, checked, from_table

    claims = [Claim.of(*metric_and_value("--claim", text, "map@10=0.302")) for text in texts]
    if table is not None:
        claims += from_table(table)
    if not claims:
        raise asking.nothing_claimed()
    return checked(claims)


@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[PREDICTIONS]")
@options(
    *("differences.metric", "differences.profiles", "which.scores"),
    format_of("table", "json", "csv", "markdown"),
    *("output", "differences.chart", "report", "truth", *TABLES),
)
@lang_option
def differences(predictions: str | list[str] | None, lang: str, metric: str | None, **flags: Any) -> None:
    """Explain why a metric has another value in one library than in another.

    The conventions in which the two profiles differ are changed from the first to the second, in every order;
    the part of each is the mean over the orders, so that the parts add up to the gap.

    \b
    steelyard differences run.trec --truth qrels.txt -m map@10 --profiles lightgbm,trec_eval
    steelyard differences run.trec --truth qrels.txt -m ndcg_cut_10 --profiles trec_eval,sklearn
    steelyard differences clicks.parquet -m logloss --profiles sklearn,lightgbm
    steelyard differences clicks.parquet -m gauc --profiles fuxictr,torchmetrics --chart steps.svg
    steelyard differences run.trec --truth qrels.txt -m map@5 --profiles steelyard:2026,lightgbm --report why.html
    """  # noqa: D301, E501 - click reads the backspace as "leave these lines alone"
    from steelyard.api.which import explained
    from steelyard.progress import Bar
    from steelyard.result.written import ENDINGS

    required(predictions, say("name the predictions"))
    if metric is None:
        raise asking.no_metrics()
    if flags["profiles"] is None:
        raise asking.not_two(n=0)
    names = [name for name in texts_of(flags["profiles"]) or [] if name]
    call, chart, report = call_of(predictions, flags), flags["chart"], flags["report"]
    targets = [("-o", flags["output"]), ("--chart", chart), ("--report", report)]
    check_targets(targets, files_read(call), flags["form"], ENDINGS)
    gap = explained(metric, names, call, classes=texts_of(flags["classes"]), progress=Bar(lang))
    deliver_finding(
        gap,
        flags,
        lang,
        (chart, lambda path: gap.chart().save(path, lang)),
        (report, lambda path: gap.report(path, lang=lang)),
    )
