"""``steelyard evaluate``: numbers from two tables, or from one with the labels inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import click

from steelyard.cli import signals
from steelyard.cli.options import (
    Naming,
    beside_options,
    certainty_options,
    convention_options,
    form_option,
    output_option,
    taking,
    verbose_option,
)
from steelyard.cli.run_file import by_run_file
from steelyard.cli.usage import Command, lang_option
from steelyard.text import say
from steelyard.text.errors import asking


@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="PREDICTIONS…")
@taking("--truth", "TRUTH", "The judgements; without it, labels are in PREDICTIONS.")
@taking(
    "-m, --metric", "METRIC", "ndcg@10, map(ties=expected), recall@20,100; may be repeated.", multiple=True
)
@taking(
    "--task",
    "NAME",
    "The usual metrics of a stage: retrieval, search, ranking, rerank, recommendation, ctr, "
    "classification, rating.",
)
@taking(
    "--profile",
    "NAME",
    "A library's conventions by name, such as trec_eval.  [default: steelyard:2026]",
    default="steelyard:2026",
)
@taking(
    "--columns",
    "ROLE=NAME",
    "Which column is the query, item, score, rank, label, predicted (class), weight; "
    "probability=NAME,NAME,… for one column per class, label=NAME,NAME,… too where a row has several labels, "
    "feature=NAME,NAME,… for those that tell items apart; "
    "truth.query=NAME for one table only.",
    multiple=True,
)
@taking("--scores", "NAME,NAME,…", "The score column, as --columns score=NAME; several are several systems.")
@taking("--by", "COLUMN", "Slice by this column; may be repeated, then crossed.", multiple=True)
@taking(
    "--by-table", "TABLE", "Slice by what this table says of each query: all its columns, or those of --by."
)
@taking(
    "--classes",
    "NAME,NAME,…",
    "The classes of the labels, in the order of their probabilities; of two the last is positive.",
)
@taking("--exclude", "TABLE", "(query, item) pairs to remove before ranking.")
@beside_options
@taking(
    "--weights",
    "TABLE|COLUMN",
    "The weight of each query in the mean; for metrics of rows a column with the weight of each row.",
)
@certainty_options
@convention_options
@taking(
    "--set, settings",
    "FIELD=VALUE",
    "Any other convention: rel=2, gain=exp2, mean=median, judgements=retrieved.",
    multiple=True,
)
@form_option(("table", "json", "csv", "markdown", "latex"), ".json, .csv, .md, .tex")
@click.option(
    "--wide",
    is_flag=True,
    help="One row per slice, one column per metric, the worst slice first by the first metric.",
)
@taking("--least", "N", "With --wide: leave out slices of fewer than N queries or rows.")
@verbose_option
@output_option
@taking(
    "--per-query",
    "FILE",
    "One row per query and metric, as .csv, .parquet or .jsonl; `-` is CSV on standard output.",
)
@taking("--report", "FILE.html", "One page with numbers, charts and lists; needs the `report` extra.")
@taking("--save", "FILE", "Keep the whole result, for `steelyard report` and for sy.load in Python.")
@taking(
    "--chart",
    "NAME=FILE",
    "Draw {names:or} as .svg, .png, .pdf or .json; slices(auc)=FILE for one metric; may be repeated.",
    cls=Naming,
    names=lambda: import_module("steelyard.render.charts").of("any"),
    multiple=True,
)
@lang_option
@click.option(
    "--run-file",
    metavar="FILE.toml",
    is_eager=True,
    expose_value=False,
    callback=by_run_file,
    help="These options as TOML keys; flags win. Paths are relative to the current folder.",
)
def evaluate(
    predictions: tuple[Any, ...],
    metric: tuple[str, ...],
    task: str | None,
    form: str | None,
    wide: bool,
    least: str | None,
    verbose: bool,
    output: str | None,
    per_query: str | None,
    report: str | None,
    save: str | None,
    chart: tuple[str, ...],
    lang: str,
    **flags: Any,
) -> None:
    """Weigh PREDICTIONS against TRUTH: rankings, clicks, classes or ratings; or lists as a whole.

    Tables are {formats:or} files, also .gz; `-` is standard input. Bad input ends
    with exit code 2 and nothing is written.

    Several systems stand below one another, and side by side in the report: several runs, each under the name
    of its file or as NAME=RUN, or several score columns of one log.

    Without --truth, the second of two files is the truth of the first. They are two systems if the first has
    labels of its own, if one has a name, or if no metric needs the truth.

    \b
    steelyard evaluate run.trec qrels.txt -m ndcg@10
    steelyard evaluate run.parquet --truth qrels.txt -m ndcg@10 -m mrr@10
    steelyard evaluate recs.csv --truth test.csv -m recall@20 --by country --exclude train.csv
    steelyard evaluate run.trec --truth qrels.txt --task ranking --profile trec_eval --format json
    steelyard evaluate clicks.parquet --task ctr --columns score=p_v7 --by country --save v7.steelyard
    steelyard evaluate animals.csv -m "f1(average=macro)" -m confusion --columns predicted=guess
    steelyard evaluate recs.csv -m coverage@10 -m diversity@10 --catalog films.csv --features genres.csv
    steelyard evaluate clicks.parquet -m auc --unit device
    steelyard evaluate bm25.run dense=v2.run --truth qrels.txt -m ndcg@10 --report both.html
    steelyard evaluate clicks.parquet -m auc -m logloss --scores p_old,p_new
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.evaluate import run_all, run_each
    from steelyard.cli.inputs import Inputs, are_several, run_and_truth, systems_of
    from steelyard.cli.outputs import ChartFile, Outputs
    from steelyard.metrics.tasks import task_metrics
    from steelyard.progress import Bar
    from steelyard.read import once
    from steelyard.spec import MetricRequest, with_task
    from steelyard.spec import metrics as metrics_of
    from steelyard.spec import profile as profile_of

    if not predictions:
        raise click.UsageError(say("name the predictions"), click.get_current_context())
    inputs = Inputs.of(flags)
    pair, call = None, inputs.call
    if call.truth is None and len(predictions) == 2:
        predictions = tuple(once(run) if isinstance(run, str) else run for run in predictions)  # pipes
        labels = [*metric, *(task_metrics(task) if task is not None else ())]
        asked = metrics_of(labels, profile_of(inputs.profile))
        pair = run_and_truth(predictions, asked, call.columns or {})
    runs = systems_of(predictions) if pair is None and are_several(predictions) else {}
    if runs and save:
        raise asking.saved_alone(n=len(runs), name=next(iter(runs)))
    outputs = Outputs(output, per_query, form, report, save, lang, wide=wide, least=least, verbose=verbose)
    charts = [ChartFile.of(text) for text in chart]
    for one in charts:
        one.check(len(runs))
    outputs.check(inputs.files(*(runs.values() or predictions)), [one.path for one in charts])
    run, true = pair or (predictions[0], call.truth)
    metrics: Sequence[str | MetricRequest] = metric
    note = None
    if task is not None:
        metrics, note = with_task(metric, task, inputs.profile, {**call.beside, "truth": true})
    request = inputs.request(metrics)
    for one in charts:
        if one.metric is not None:
            request.check_asked(one.metric)
    if per_query and not request.of_queries:
        raise asking.nothing_per_query(labels=[one.label for one in request.metrics])
    call = replace(call, predictions=run, truth=true)
    bar = Bar(lang)
    result = run_all(request, call, runs, bar) if runs else run_each(request, call, bar)
    if note is not None:
        result = result.noting(note)
    # first: what fails here leaves no file behind
    drawn = [(one.path, one.drawn(result, lang)) for one in charts]
    with signals.tidied_up():
        outputs.write(result, drawn)
