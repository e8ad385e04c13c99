"""``steelyard compare``: which of several systems is better, and is it statistically significant."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import signals, streams
from steelyard.cli.inputs import Inputs, inputs_of_evaluate
from steelyard.cli.inputs import systems_of as named_runs
from steelyard.cli.options import choosing, form_option, output_option, taking, verbose_option
from steelyard.cli.targets import check_targets, is_printed, show, write_files
from steelyard.cli.usage import Command
from steelyard.text import say
from steelyard.text.errors import comparing

if TYPE_CHECKING:
    pass


@partial(inputs_of_evaluate, without=["ci"])
@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="[NAME=]RUN…")
@taking(
    "-m, --metric",
    "METRIC",
    "ndcg@10, auc, …; may be repeated. Saved results are compared by all that they share.",
    multiple=True,
)
@taking("--baseline", "NAME", "Compare all others with this one; without it every pair.")
@choosing(
    "--test",
    lambda: import_module("steelyard.stats.testing").TESTS,
    "How a p-value is made.  [default: auto: delong for auc, mcnemar for values of 0 and 1, bootstrap "
    "for metrics without values per unit, randomisation for others, t above 50,000 units]",
    default="auto",
)
@choosing(
    "--correct",
    ("holm", "bonferroni", "bh", "none"),
    "How p-values are corrected for the number of tests; slices are a family of their own.  [default: holm]",
    default="holm",
)
@click.option("--ci", hidden=True)
@click.option(
    "--unpaired", is_flag=True, help="The systems were measured on different data: independent samples."
)
@taking("--draws", "N", "How many random signs are drawn.  [default: 100000]")
@form_option(("table", "json", "csv", "markdown", "latex"), ".json, .csv, .md, .tex")
@click.option("--wide", is_flag=True, help="One row per system, one column per metric; LaTeX always is.")
@verbose_option
@output_option
@taking("--report", "FILE.html", "One page with all systems side by side; needs the `report` extra.")
def compare(
    predictions: tuple[Any, ...],
    metric: tuple[str, ...],
    baseline: str | None,
    test: str,
    correct: str,
    unpaired: bool,
    draws: str | None,
    form: str | None,
    wide: bool,
    verbose: bool,
    output: str | None,
    report: str | None,
    lang: str,
    **flags: Any,
) -> None:
    """Compare systems on the same queries, users or rows: differences, intervals, tests.

    A RUN is a table that `evaluate` reads, or a result that --save kept. One log with --scores compares its
    columns.

    \b
    steelyard compare bm25.run dense=runs/v7.run --truth qrels.txt -m ndcg@10 -m mrr@10 --baseline bm25
    steelyard compare clicks.parquet --scores p_old,p_new -m auc -m logloss --by country
    steelyard compare old.steelyard new.steelyard --format latex
    steelyard compare monday.parquet tuesday.parquet -m auc --unpaired
    steelyard compare a.run b.run c.run --truth qrels.txt -m map --test wilcoxon --correct bh
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.compare import check_names, compared, labels_of, measured, name_of, systems_of
    from steelyard.progress import Bar
    from steelyard.result.compared import Comparison
    from steelyard.stats.testing import Procedure

    if flags["ci"] is not None:
        raise comparing.own_intervals()
    if not predictions:
        raise click.UsageError(say("name the systems"), click.get_current_context())
    inputs = Inputs.of({**flags, "ci": None})
    runs = named_runs(predictions)
    check_targets([("-o", output), ("--report", report)], inputs.files(*runs.values()), form)
    testing = Procedure.of(
        test,
        correct,
        inputs.certainty.level,
        inputs.certainty.seed,
        100_000 if draws is None else int(draws) if draws.isdecimal() else draws,
        paired=not unpaired,
    )
    log = next(iter(runs.values()))
    several = len(runs) > 1 or "score" not in (inputs.call.columns or {})
    given = systems_of(runs if several else log, None, replace(inputs.call, predictions=log))
    baseline = name_of(baseline, runs)
    check_names(list(given), baseline)
    unheeded = [option for option in inputs.stated if option != "--seed"]
    results = measured(given, inputs.call, dict.fromkeys(unheeded, True))
    if results is not None:
        found = Comparison.of(results, baseline, testing, labels_of(results, metric))
    elif not metric:
        raise comparing.nothing_asked()
    else:
        found = compared(inputs.request(metric), given, baseline, testing, Bar(lang))
    with signals.tidied_up():
        page = (report, lambda path: found.report(path, lang=lang))
        write_files(lang, page, (output, lambda path: found.write(path, form, lang=lang, wide=wide or None)))
        shape = form or "table"

        def give() -> None:
            streams.give(found.render(shape, lang=lang, wide=wide or None), shape)

        shown = found.versus(lang=lang, wide=wide, verbose=verbose)
        show(shown, shape, give if is_printed(output) else None)
