"""``steelyard which`` and ``steelyard differences``: where a printed number comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.inputs import (
    call_of,
    files_read,
    metric_and_value,
    required,
    texts_of,
)
from steelyard.cli.options import TABLES, Command, format_of, lang_option, options
from steelyard.cli.outputs import check_targets, deliver_finding
from steelyard.text import say
from steelyard.text.errors import asking

if TYPE_CHECKING:
    from steelyard.search.claim import Claim


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
