"""``steelyard demo``: a small film shop, written to a folder and evaluated before your eyes."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from steelyard.cli import signals, streams
from steelyard.cli.language import lang_option
from steelyard.cli.terminal import width
from steelyard.cli.usage import Command


@click.command(cls=Command)
@click.argument("folder", required=False, default="steelyard-demo", metavar="[DIR]")
@lang_option
def demo(folder: str, lang: str) -> None:
    """Write the files of a small film shop to DIR, evaluate them, and write a report.

    There are three recommenders, and two models of clicks. Everything is simulated from a fixed seed; no
    network is used.
    """
    from steelyard.demo import show

    with signals.tidied_up():
        show(Path(folder), streams.show, width(sys.stdout), lang)
