"""``steelyard metrics``: the catalogue, and the choices of each metric."""

from __future__ import annotations

import click

from steelyard.cli import streams
from steelyard.cli.language import lang_option
from steelyard.cli.usage import Command


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option("--task", metavar="NAME", help="Only the usual metrics of a stage.")
@lang_option
def metrics(name: str | None, task: str | None, lang: str) -> None:
    """List the metrics, or one metric with every field it takes.

    `steelyard explain` shows the arithmetic of one, step by step, and that of the ROC curve.

    \b
    steelyard metrics
    steelyard metrics ndcg
    steelyard metrics --task search
    steelyard metrics ndcg --lang zh
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.show import catalogue

    streams.show(catalogue.one(name, lang) if name else catalogue.every(task, lang))
