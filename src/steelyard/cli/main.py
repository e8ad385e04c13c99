"""``steelyard``: the commands, and what happens when one fails."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import click

from steelyard.cli.demo import demo
from steelyard.cli.evaluate import evaluate
from steelyard.cli.explain import explain
from steelyard.cli.metrics import metrics
from steelyard.cli.terminal import open_closed_streams
from steelyard.errors import SteelyardError, writing
from steelyard.version import VERSION


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(VERSION, prog_name="steelyard", message="%(prog)s %(version)s")
@click.pass_context
def steelyard(context: click.Context) -> None:
    """Weigh predictions: rankings, clicks, classes and ratings, every convention stated.

    Start with `steelyard demo`, `steelyard evaluate RUN --truth QRELS -m ndcg@10`, or
    `steelyard evaluate LOG -m auc -m logloss`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        sys.exit(2)


for command in (evaluate, explain, metrics, demo):
    steelyard.add_command(command)


def main() -> None:
    """Run a command; bad input is one clear message and exit code 2, never a traceback."""
    open_closed_streams()
    if hasattr(signal, "SIGPIPE"):  # `| head -1` ends this process as it ends others
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        steelyard.main(standalone_mode=False)
        sys.stdout.flush()
    except SteelyardError as error:
        fail(error.message, error.remedy)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        fail(error.format_message(), f"see `{context.command_path} --help`" if context else "")
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)
    except OSError as error:
        _drop_output()
        refused = writing.cannot_write(Path("standard output"), error.strerror or str(error))
        fail(refused.message, refused.remedy)


def _drop_output() -> None:
    """What could not be written to standard output must not be tried again when the process ends."""
    with suppress(OSError, ValueError):
        output = sys.stdout.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)


def fail(message: str, remedy: str) -> None:
    """Say what is wrong and what to do, and leave with exit code 2."""
    click.echo(f"{click.style('error:', fg='red', bold=True)} {message}", err=True)
    if remedy:
        click.echo(f"       {remedy}", err=True)
    sys.exit(2)
