"""``steelyard differences``: why two libraries print two numbers for one metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli import signals, streams
from steelyard.cli.inputs import call_of, classes_of, files_read, tables_of_evaluate
from steelyard.cli.options import form_option, output_option, taking
from steelyard.cli.targets import check_targets, write
from steelyard.cli.usage import Command
from steelyard.messages import say
from steelyard.messages.errors import asking, comparing


@tables_of_evaluate
@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[PREDICTIONS]")
@taking("-m, --metric", "METRIC", "One metric, by our name or by either library's own.")
@taking("--profiles", "NAME,NAME", "From which profile to which: trec_eval,sklearn, house:2026,…")
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
    steelyard differences run.trec --truth qrels.txt -m map@5 --profiles house:2026,lightgbm --report why.html
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
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
        if chart:
            found.chart().save(chart, lang)
            streams.tell_written(Path(chart), lang)
        if report:
            found.report(report, lang=lang)
            streams.tell_written(Path(report), lang)
        write(found, output, form, lang)
