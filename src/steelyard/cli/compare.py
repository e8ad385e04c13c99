"""``steelyard compare``: which of several systems is better, and is it statistically significant."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import click

from steelyard.cli import streams
from steelyard.cli.inputs import Inputs, required, run_file_option
from steelyard.cli.inputs import systems_of as named_runs
from steelyard.cli.options import INPUTS, Command, format_of, lang_option, options
from steelyard.cli.outputs import check_targets, deliver, is_printed, show_table
from steelyard.text import say
from steelyard.text.errors import asking


@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="[NAME=]RUN…")
@options("metric", "baseline", "test", "correct")
@click.option("--ci", hidden=True)
@options(
    *("unpaired", "draws"),
    format_of("table", "json", "csv", "markdown", "latex", endings=".json, .csv, .md, .tex"),
    *("wide", "verbose", "output", "report"),
    *(name for name in INPUTS if name != "ci"),
)
@lang_option
@run_file_option
def compare(predictions: tuple[Any, ...], lang: str, **flags: Any) -> None:
    """Compare systems on the same queries, users or rows: differences, intervals, tests.

    A RUN is a table that `evaluate` reads, or a saved result. One log with --scores compares its columns.
    Saved results are compared by all metrics that they share.

    \b
    steelyard compare bm25.run dense=runs/v7.run --truth qrels.txt -m ndcg@10 -m mrr@10 --baseline bm25
    steelyard compare clicks.parquet --scores p_old,p_new -m auc -m logloss --by country
    steelyard compare old.steelyard new.steelyard --format latex
    steelyard compare monday.parquet tuesday.parquet -m auc --unpaired
    steelyard compare a.run b.run c.run --truth qrels.txt -m map --test wilcoxon --correct bh
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.compare import (
        check_names,
        compared,
        is_read_once,
        labels_of,
        measured,
        name_of,
        systems_of,
    )
    from steelyard.progress import Bar
    from steelyard.result.compared import Comparison
    from steelyard.stats.testing import Procedure

    given = SimpleNamespace(**flags)
    if given.ci is not None:
        raise asking.own_intervals()
    required(predictions, say("name the systems"))
    inputs = Inputs.of(flags)
    runs = named_runs(predictions)
    targets = [("-o", given.output), ("--report", given.report)]
    check_targets(targets, inputs.files(*runs.values()), given.form)
    draws = "100000" if given.draws is None else given.draws
    testing = Procedure.of(
        given.test,
        given.correct,
        inputs.certainty.level,
        inputs.certainty.seed,
        int(draws) if draws.isdecimal() else draws,
        paired=not given.unpaired,
    )
    log = next(iter(runs.values()))
    several = len(runs) > 1 or "score" not in (inputs.call.columns or {})
    call = replace(inputs.call, predictions=log)
    if not several and given.metric and is_read_once(call):
        systems: Any = call
    else:
        systems = systems_of(runs if several else log, None, call)
    baseline = name_of(given.baseline, runs)
    results = None
    if isinstance(systems, dict):
        check_names(list(systems), baseline)
        unheeded = [option for option in inputs.stated if option != "--seed"]
        results = measured(systems, inputs.call, dict.fromkeys(unheeded, True))
    if results is not None:
        comparison = Comparison.of(results, baseline, testing, labels_of(results, given.metric))
    elif not given.metric:
        raise asking.nothing_asked()
    else:
        with streams.tidied_up():
            comparison = compared(inputs.plan(given.metric), systems, baseline, testing, Bar(lang))
    shape, wide = given.form or "table", given.wide or None

    def give() -> None:
        streams.give(comparison.render(shape, lang=lang, wide=wide), shape)

    def show() -> None:
        table = comparison.shown(lang=lang, wide=given.wide, verbose=given.verbose)
        show_table(table, shape, give if is_printed(given.output) else None)

    page = (given.report, lambda path: comparison.report(path, lang=lang))
    form = (given.output, lambda path: comparison.write(path, given.form, lang=lang, wide=wide))
    deliver(lang, [page, form], show)
