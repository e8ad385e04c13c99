"""``steelyard which`` and ``steelyard differences``: where a printed number comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import signals
from steelyard.cli.inputs import call_of, classes_of, files_read, tables_of_evaluate
from steelyard.cli.options import choosing, form_option, metric_and_value, output_option, taking
from steelyard.cli.targets import check_targets, write, write_files
from steelyard.cli.usage import Command
from steelyard.text import say
from steelyard.text.errors import asking, comparing

if TYPE_CHECKING:
    from steelyard.search.claim import Claim


@tables_of_evaluate
@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[PREDICTIONS]")
@taking(
    "--claim",
    "METRIC=VALUE",
    "A metric, by our name or a library's own, and its value with the digits that were printed: "
    "map@10=0.302; may be repeated.",
    multiple=True,
)
@taking("--claims", "FILE", "A table of claims: columns metric and value.")
@choosing(
    "--changes",
    ("0", "1", "2"),
    "How many choices of a profile may change.  [default: 1, and 2 where nothing fits]",
)
@taking("--scores", "NAME", "The score column, as --columns score=NAME.")
@form_option(("table", "json", "csv", "markdown"))
@output_option
def which(
    predictions: str | list[str] | None,
    claim: tuple[str, ...],
    claims: str | None,
    changes: str | None,
    form: str | None,
    output: str | None,
    lang: str,
    **flags: Any,
) -> None:
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

    if predictions is None:
        raise click.UsageError(say("name the predictions"), click.get_current_context())
    call = call_of(predictions, flags)
    claimed = _claims(claim, claims)
    check_targets([("-o", output)], files_read(call, claims), form, ENDINGS)
    found = matched(
        claimed,
        call,
        changes=None if changes is None else int(changes),
        classes=classes_of(flags),
        progress=Bar(lang),
    )
    with signals.tidied_up():
        write(found, output, form, lang)


def _claims(texts: Sequence[str], table: str | None) -> list[Claim]:
    from steelyard.search.claim import Claim, checked, from_table

    claims = [Claim.of(*metric_and_value("--claim", text, "map@10=0.302")) for text in texts]
    if table is not None:
        claims += from_table(table)
    if not claims:
        raise comparing.nothing_claimed()
    return checked(claims)


@tables_of_evaluate
@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[PREDICTIONS]")
@taking("-m, --metric", "METRIC", "One metric, by our name or by either library's own.")
@taking("--profiles", "NAME,NAME", "From which profile to which: trec_eval,sklearn, steelyard:2026,…")
@taking("--scores", "NAME", "The score column, as --columns score=NAME.")
@form_option(("table", "json", "csv", "markdown"))
@output_option
@taking("--chart", "FILE", "Draw the waterfall: .svg, .png, .pdf or .json; needs the `report` extra.")
@taking("--report", "FILE.html", "One page with both numbers and the waterfall; needs the `report` extra.")
def differences(
    predictions: str | list[str] | None,
    metric: str | None,
    profiles: str | None,
    form: str | None,
    output: str | None,
    chart: str | None,
    report: str | None,
    lang: str,
    **flags: Any,
) -> None:
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
    from steelyard.api.differences import explained
    from steelyard.progress import Bar
    from steelyard.result.written import ENDINGS

    if predictions is None:
        raise click.UsageError(say("name the predictions"), click.get_current_context())
    if metric is None:
        raise asking.no_metrics()
    names = [name.strip() for name in (profiles or "").split(",") if name.strip()]
    if profiles is None:
        raise comparing.not_two(n=0)
    call = call_of(predictions, flags)
    targets = [("-o", output), ("--chart", chart), ("--report", report)]
    check_targets(targets, files_read(call), form, ENDINGS)
    found = explained(metric, names, call, classes=classes_of(flags), progress=Bar(lang))
    with signals.tidied_up():
        drawn = (chart, lambda path: found.chart().save(path, lang))
        write_files(lang, drawn, (report, lambda path: found.report(path, lang=lang)))
        write(found, output, form, lang)
