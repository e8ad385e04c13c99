"""``steelyard evaluate``: numbers from two tables, or from one with the labels inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import streams
from steelyard.cli.inputs import Inputs, required, run_and_truth, run_file_option, systems_of
from steelyard.cli.options import ASKED, SHOWN, Command, lang_option, options
from steelyard.cli.outputs import Outputs
from steelyard.text import Message, say
from steelyard.text.errors import asking

if TYPE_CHECKING:
    from steelyard.engine.protocol import Call
    from steelyard.spec import Plan


@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="PREDICTIONS…")
@options(*ASKED, *SHOWN)
@lang_option
@run_file_option
def evaluate(
    predictions: tuple[Any, ...], lang: str, metric: tuple[str, ...], task: str | None, **flags: Any
) -> None:
    """Evaluate PREDICTIONS against TRUTH: rankings, clicks, classes or ratings; or lists as a whole.

    Tables are {formats:or} files, also .gz; `-` is standard input. Bad input ends
    with exit code 2 and nothing is written.

    Several systems are shown together: several runs, each with the name of its file or as NAME=RUN, or
    several score columns of one log.

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
    from steelyard.progress import Bar

    inputs, call, runs = read(predictions, metric, task, flags)
    if runs and flags["save"]:
        raise asking.saved_alone(n=len(runs), name=next(iter(runs)))
    outputs = Outputs.of(flags, lang)
    outputs.check(inputs.files(*(runs.values() or predictions)), len(runs))
    plan, notes = planned(inputs, call, metric, task)
    for file in outputs.charts:
        if file.metric is not None:
            plan.check_asked(file.metric)
    if outputs.per_query and not plan.of_queries:
        raise asking.nothing_per_query(labels=[asked.label for asked in plan.metrics])
    bar = Bar(lang)
    with streams.tidied_up():
        result = run_all(plan, call, runs, bar) if runs else run_each(plan, call, bar)
    for note in notes:
        result = result.noting(note)
    outputs.write(result)


def read(
    predictions: tuple[Any, ...], metric: Sequence[str], task: str | None, flags: Mapping[str, Any]
) -> tuple[Inputs, Call, dict[str, Any]]:
    """The inputs, the tables of the first run, and all runs by name if there are several.

    The second of two files may be the truth of the first.
    """
    from steelyard.metrics.registry import task_metrics
    from steelyard.read import once
    from steelyard.spec import metrics as metrics_of
    from steelyard.spec import profile as profile_of

    required(predictions, say("name the predictions"))
    inputs = Inputs.of(flags)
    call = inputs.call
    if call.truth is None and len(predictions) == 2:
        predictions = tuple(once(run) if isinstance(run, str) else run for run in predictions)  # pipes
        labels = [*metric, *(task_metrics(task) if task is not None else ())]
        asked = metrics_of(labels, profile_of(inputs.profile))
        pair = run_and_truth(predictions, asked, call.columns or {})
        if pair is not None:
            return inputs, replace(call, predictions=pair[0], truth=pair[1]), {}
    several = len(predictions) > 1 or isinstance(predictions[0], tuple)  # a run file names one
    return inputs, replace(call, predictions=predictions[0]), systems_of(predictions) if several else {}


def planned(
    inputs: Inputs, call: Call, metric: Sequence[str], task: str | None
) -> tuple[Plan, tuple[Message, ...]]:
    """The plan of the metrics and of those of a task, and a note on the metrics of the task."""
    from steelyard.spec import with_task

    if task is None:
        return inputs.plan(metric), ()
    metrics, note = with_task(metric, task, inputs.profile, {**call.side_tables, "truth": call.truth})
    return inputs.plan(metrics), () if note is None else (note,)
