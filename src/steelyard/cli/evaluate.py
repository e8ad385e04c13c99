"""``steelyard evaluate``: numbers from two tables, or from one with the labels inside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from steelyard.cli import signals
from steelyard.cli.language import lang_option
from steelyard.cli.options import (
    BESIDE,
    COMMAND_LINE,
    FLAGS,
    beside_options,
    certainty_of,
    certainty_options,
    files_of,
    key_values,
    named_columns,
    stated_once,
)
from steelyard.cli.run_file import RunFile, by_run_file
from steelyard.cli.systems import are_several, run_and_truth, systems_of
from steelyard.cli.usage import Command, one_of
from steelyard.messages import say
from steelyard.messages.errors import asking

_FORMATS = ["table", "json", "csv", "markdown", "latex"]


def _convention_options(command: Any) -> Any:
    """One option per convention that every metric has."""
    for field in reversed(FLAGS):
        words = field.metadata.get("meaning")
        metavar = f"[{'|'.join(words)}]" if words else "N"
        about = field.metadata["about"] if words else "Only the first N of each list."
        option = click.option(f"--{field.name.replace('_', '-')}", field.name, metavar=metavar, help=about)
        command = option(command)
    return command


@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="PREDICTIONS…")
@click.option(
    "--truth",
    metavar="TRUTH",
    type=click.UNPROCESSED,
    help="The judgements; without it, labels are in PREDICTIONS.",
)
@click.option(
    "-m",
    "--metric",
    "metric",
    multiple=True,
    metavar="METRIC",
    help="ndcg@10, map(ties=expected), recall@20,100; may be repeated.",
)
@click.option(
    "--task",
    metavar="NAME",
    help="The usual metrics of a stage: retrieval, search, ranking, rerank, recommendation, ctr, "
    "classification, rating.",
)
@click.option(
    "--profile",
    default="house:2026",
    metavar="NAME",
    help="A library's conventions by name, such as trec_eval.  [default: house:2026]",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column is the query, item, score, rank, label, predicted (class), weight; "
    "probability=NAME,NAME,… for one column per class, label=NAME,NAME,… too where a row has several labels, "
    "feature=NAME,NAME,… for those that tell items apart; "
    "truth.query=NAME for one table only.",
)
@click.option(
    "--scores",
    metavar="NAME,NAME,…",
    help="The score column, as --columns score=NAME; several are several systems.",
)
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Slice by this column; may be repeated, then crossed."
)
@click.option(
    "--by-table",
    metavar="TABLE",
    type=click.UNPROCESSED,
    help="Slice by what this table says of each query: all its columns, or those of --by.",
)
@click.option(
    "--classes",
    metavar="NAME,NAME,…",
    help="The classes of the labels, in the order of their probabilities; of two the last is positive.",
)
@click.option(
    "--exclude",
    metavar="TABLE",
    type=click.UNPROCESSED,
    help="(query, item) pairs to remove before ranking.",
)
@beside_options
@click.option(
    "--weights",
    metavar="TABLE|COLUMN",
    help="The weight of each query in the mean; for metrics of rows a column with the weight of each row.",
)
@certainty_options
@_convention_options
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Any other convention: rel=2, gain=exp2, mean=median, judgements=retrieved.",
)
@click.option(
    "--format",
    "form",
    metavar=f"[{'|'.join(_FORMATS)}]",
    callback=one_of(_FORMATS),
    help="Without it the ending of -o says it (.json, .csv, .md, .tex), else table.",
)
@click.option(
    "--wide",
    is_flag=True,
    help="One row per slice, one column per metric, the worst slice first by the first metric.",
)
@click.option("--least", metavar="N", help="With --wide: leave out slices of fewer than N queries or rows.")
@click.option("--verbose", is_flag=True, help="Print also notes that say that nothing changes.")
@click.option("-o", "--output", metavar="FILE", help="Write there; `-` is standard output, as without it.")
@click.option(
    "--per-query",
    metavar="FILE",
    help="One row per query and metric, as .csv, .parquet or .jsonl; `-` is CSV on standard output.",
)
@click.option(
    "--report",
    metavar="FILE.html",
    help="One page with numbers, charts and lists; needs the `report` extra.",
)
@click.option(
    "--save",
    metavar="FILE",
    help="Keep the whole result, for `steelyard report` and for sy.load in Python.",
)
@click.option(
    "--chart",
    multiple=True,
    metavar="NAME=FILE",
    help="Draw roc, precision_recall, calibration, gain, lift, score_histogram, confusion, metric_at_k, "
    "per_query, slices, gauc_by_size, long_tail, coverage_at_k or categories as .svg, .png, .pdf or .json; "
    "slices(auc)=FILE for one metric; may be repeated.",
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
    truth: str | list[str] | None,
    metric: tuple[str, ...],
    task: str | None,
    profile: str,
    columns: tuple[str, ...],
    scores: str | None,
    by: tuple[str, ...],
    by_table: str | list[str] | None,
    classes: str | None,
    exclude: str | list[str] | None,
    weights: str | None,
    settings: tuple[str, ...],
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

    Tables are parquet, csv, tsv, jsonl, arrow or TREC files, also .gz; `-` is standard input. Bad input ends
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
    from steelyard.api.evaluate import weighed_each, weighed_runs
    from steelyard.ask import Asked, ask, with_task
    from steelyard.ask import metrics as metrics_of
    from steelyard.ask import profile as profile_of
    from steelyard.cli.chart_files import ChartFiles
    from steelyard.cli.outputs import Outputs
    from steelyard.engine.call import Call
    from steelyard.metrics.tasks import task_metrics
    from steelyard.progress import Bar
    from steelyard.read import once

    context = click.get_current_context()
    if not predictions:
        raise click.UsageError(say("name the predictions"), context)
    file = context.find_object(RunFile) or RunFile()
    named = {**file.columns, **named_columns(columns, scores)}
    pair = None
    if truth is None and len(predictions) == 2:
        predictions = tuple(once(run) if isinstance(run, str) else run for run in predictions)  # pipes
        labels = [*metric, *(task_metrics(task) if task is not None else ())]
        pair = run_and_truth(predictions, metrics_of(labels, profile_of(profile)), named)
    runs = systems_of(predictions) if pair is None and are_several(predictions) else {}
    if runs and save:
        raise asking.saved_alone(n=len(runs), name=next(iter(runs)))
    beside = {name: table for name in BESIDE if (table := flags.pop(name)) is not None}
    certainty = certainty_of(flags)
    weights_from = table_or_column(weights)
    outputs = Outputs.of(
        output, per_query, form, report, lang, save=save, wide=wide, least=least, verbose=verbose
    )
    of_weights = weights_from if isinstance(weights_from, Path) else None
    of_run = Path(file.path) if file.path else None
    tables = (*(runs.values() or predictions), truth, exclude, by_table, *beside.values())
    read = list(files_of(*tables, of_weights, of_run))
    outputs.check(read)
    charts = ChartFiles.of(chart)
    charts.check(read, (output, per_query, report, save), of=len(runs))
    run, true = pair or (predictions[0], truth)
    given = {name: value for name, value in flags.items() if value is not None}
    metrics: Sequence[str | Asked] = metric
    note = None
    if task is not None:
        metrics, note = with_task(metric, task, profile, {**beside, "truth": true})
    request = ask(
        metrics,
        profile,
        {**file.conventions, **stated_once(given, key_values("--set", settings), COMMAND_LINE)},
        by=by,
        classes=[name.strip() for name in classes.split(",")] if classes else None,
        certainty=certainty,
    )
    charts.check_asked(request)
    if per_query and not request.of_queries:
        raise asking.nothing_per_query(labels=[one.label for one in request.settle()])
    call = Call(
        predictions=run,
        truth=true,
        columns=named,
        exclude=exclude,
        weights=weights_from,
        by_table=by_table,
        beside=beside,
    )
    bar = Bar(lang)
    result = weighed_runs(request, call, runs, bar) if runs else weighed_each(request, call, bar)
    if note is not None:
        result = result.noting(note)
    drawn = charts.drawn(result, lang)  # first: what fails here leaves no file behind
    with signals.tidied_up():
        outputs.write(result, drawn)


def table_or_column(weights: str | None) -> Path | str | None:
    """A file that exists is a table, and so is what looks like a file; anything else names a column."""
    from steelyard.read.files import KINDS, is_there

    if not weights:
        return None
    path = Path(weights)
    endings = {*KINDS, "gz", "zst", "txt", "json"}
    is_path = is_there(path) or "/" in weights or path.suffix.lstrip(".").lower() in endings
    return path if is_path else weights
