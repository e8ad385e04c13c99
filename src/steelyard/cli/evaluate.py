"""``steelyard evaluate``: numbers from two tables, or from one with the labels inside."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click

from steelyard.cli.options import by_run_file, key_values
from steelyard.cli.progress import progress
from steelyard.conventions import Align, Average, Rank

_FORMATS = ["table", "json", "csv", "markdown", "latex"]
_STATED_OTHERWISE = {"truth", "mean", "floor"}  # --truth is the table; all of these: --set mean=median
_FLAGS = [
    field
    for stage in (Align, Rank, Average)
    for field in dataclasses.fields(stage)
    if field.name not in _STATED_OTHERWISE
]


def _convention_options(command: Any) -> Any:
    """One option per convention that every metric has."""
    for field in reversed(_FLAGS):
        words = field.metadata.get("meaning")
        metavar = f"[{'|'.join(words)}]" if words else "N"
        about = field.metadata["about"] if words else "Only the first N of each list."
        option = click.option(f"--{field.name.replace('_', '-')}", field.name, metavar=metavar, help=about)
        command = option(command)
    return command


@click.command()
@click.argument("predictions", required=False)
@click.option("--truth", metavar="TRUTH", help="The judgements; without it, labels are in PREDICTIONS.")
@click.option(
    "-m",
    "--metric",
    "metric",
    multiple=True,
    metavar="METRIC",
    help="ndcg@10, map(ties=expected), recall@20,100; may be repeated.",
)
@click.option(
    "--task", metavar="NAME", help="The usual metrics of a stage: retrieval, search, ranking, rerank."
)
@click.option(
    "--profile",
    default="house:2026",
    show_default=True,
    metavar="NAME",
    help="A library's conventions by name, such as trec_eval.",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column is the query, item, score, rank, relevance; truth.query=NAME for one table only.",
)
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Slice by this column; may be repeated, then crossed."
)
@click.option("--exclude", metavar="TABLE", help="(query, item) pairs to remove before ranking.")
@click.option("--weights", metavar="TABLE|COLUMN", help="The weight of each query in the mean.")
@_convention_options
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Any other convention: rel=2, gain=exp2, mean=median, truth=retrieved.",
)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write there instead of to the screen.")
@click.option(
    "--per-query", metavar="FILE", help="One row per query and metric, as .csv, .parquet or .jsonl."
)
@click.option(
    "--run-file",
    metavar="FILE.toml",
    is_eager=True,
    expose_value=False,
    callback=by_run_file,
    help="These options as TOML keys; flags win.",
)
def evaluate(
    predictions: str | None,
    truth: str | None,
    metric: tuple[str, ...],
    task: str | None,
    profile: str,
    columns: tuple[str, ...],
    by: tuple[str, ...],
    exclude: str | None,
    weights: str | None,
    settings: tuple[str, ...],
    form: str,
    output: str | None,
    per_query: str | None,
    **flags: Any,
) -> None:
    """Weigh PREDICTIONS against TRUTH.

    Tables are parquet, csv, tsv, jsonl, arrow or TREC files, also .gz; `-` is standard input. Bad input ends
    with exit code 2 and nothing is written.

    \b
    steelyard evaluate run.parquet --truth qrels.txt -m ndcg@10 -m mrr@10
    steelyard evaluate recs.csv --truth test.csv -m recall@20 --by country --exclude train.csv
    steelyard evaluate run.trec --truth qrels.txt --task search --profile trec_eval --format json
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.evaluation import evaluate as run
    from steelyard.metrics.tasks import task_metrics
    from steelyard.report import output as files

    if predictions is None:
        raise click.UsageError("name the predictions", click.get_current_context())
    targets = [Path(name) for name in (output, per_query) if name]
    for path in targets:
        files.check_writable(path)
    given = {name: value for name, value in flags.items() if value is not None}
    metrics = [*metric, *(task_metrics(task) if task else [])]
    with progress(len(metrics) + 3) as say:
        result = run(
            predictions,
            truth,
            metrics,
            columns=key_values("--columns", columns),
            by=by,
            exclude=exclude,
            weights=_table_or_column(weights),
            profile=profile,
            conventions={**given, **key_values("--set", settings)},
            progress=say,
        )
    if per_query:
        files.write_frame(Path(per_query), result.per_query())
    if output:
        result.write(output, form)
    elif form == "table" and sys.stdout.isatty():
        click.echo(str(result))
    else:
        click.echo(result.render(form))
        if form != "json":
            _talk(result)


def _talk(result: Any) -> None:
    """What a pipe does not carry is said on the other stream."""
    document = result.document()
    click.echo("\n".join([document.title, " · ".join(document.facts), document.conventions]), err=True)
    for note in document.notes:
        click.echo(f"! {note}", err=True)


def _table_or_column(weights: str | None) -> Any:
    """A file that exists is a table; anything else names a column."""
    return Path(weights) if weights and Path(weights).exists() else weights
