"""``steelyard``: the commands, and what happens when one fails."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

import click

from steelyard.cli import streams, terminal
from steelyard.cli.demo import demo
from steelyard.cli.evaluate import evaluate
from steelyard.cli.explain import explain
from steelyard.cli.metrics import metrics
from steelyard.errors import SteelyardError
from steelyard.printable import visible
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
        streams.say(context.get_help())
        sys.exit(2)


for command in (evaluate, explain, metrics, demo):
    steelyard.add_command(command)


def main() -> None:
    """Run a command; bad input is one clear message and exit code 2, never a traceback."""
    streams.prepare()
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
    except (click.exceptions.Abort, KeyboardInterrupt):
        streams.say("stopped")
        sys.exit(130)
    except OSError as error:
        streams.drop_output()
        refused = streams.refused(error)
        fail(refused.message, refused.remedy)


def fail(message: str, remedy: str) -> None:
    """Say what is wrong and what to do, and leave with exit code 2."""
    error = click.style("error:", fg="red", bold=True) if terminal.has_colours(sys.stderr) else "error:"
    lines = [f"{error} {visible(message)}", *([f"       {visible(remedy)}"] if remedy else [])]
    with suppress(OSError):  # a stderr that is full or closed: the exit code says it
        click.echo("\n".join(lines), file=sys.stderr)
    sys.exit(2)
