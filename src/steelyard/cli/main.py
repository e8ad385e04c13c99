"""``steelyard``: the commands, and what happens when one fails."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from traceback import format_exception

import click

from steelyard.cli import streams
from steelyard.cli.check import check
from steelyard.cli.compare import compare
from steelyard.cli.evaluate import evaluate
from steelyard.cli.explain import explain
from steelyard.cli.inputs import required
from steelyard.cli.options import Command, Group, Speech, lang_option, refused
from steelyard.cli.outputs import deliver
from steelyard.cli.partial import merge, partial
from steelyard.cli.trec_eval import trec_eval
from steelyard.cli.which import differences, which
from steelyard.text import ENGLISH, say
from steelyard.text.errors import SteelyardError, asking, writing
from steelyard.version import VERSION

_INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option("--task", metavar="NAME", help="Only the usual metrics of a task.")
@lang_option
def metrics(name: str | None, task: str | None, lang: str) -> None:
    """List the metrics, or show one metric with its fields.

    `steelyard explain` shows the arithmetic of a metric or of the ROC curve, step by step.

    \b
    steelyard metrics
    steelyard metrics ndcg
    steelyard metrics --task search
    steelyard metrics ndcg --lang zh
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.render import catalogue

    streams.show(catalogue.describe_metric(name, lang) if name else catalogue.list_metrics(task, lang))


@click.command(cls=Command)
@click.argument("name", required=False)
@lang_option
def profiles(name: str | None, lang: str) -> None:
    """List the libraries whose numbers can be reproduced, or show the conventions and names of one.

    The numbers of a proven library were compared with its own; others follow its source. `evaluate --profile`
    takes the name.

    \b
    steelyard profiles
    steelyard profiles trec_eval
    """  # noqa: D301
    from steelyard.render import catalogue

    streams.show(catalogue.describe_profile(name, lang) if name else catalogue.list_profiles(lang))


@click.command(cls=Command)
@click.argument("saved", nargs=-1, metavar="RESULT…")
@click.option("-o", "--output", metavar="FILE.html", help="Write the page there.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@lang_option
def report(saved: tuple[str, ...], output: str | None, title: str | None, lang: str) -> None:
    """Make one HTML page of saved results.

    Several results are shown side by side, by the names of their files. Needs the `report` extra.

    \b
    steelyard report run.steelyard -o page.html
    steelyard report old.steelyard new.steelyard -o both.html --title "Old and new"
    """  # noqa: D301
    from steelyard.api.load import load
    from steelyard.api.load import report as write
    from steelyard.render import output as files
    from steelyard.render.page import check_ending

    required(saved, say("name a saved result"))
    required(output is not None, say("name the page: -o page.html"))
    if not str(output).strip():
        raise writing.no_name(option="-o")
    target = files.path_of(str(output))
    if any(files.same_file(target, Path(file)) for file in saved):
        raise writing.is_an_input(path=target)
    check_ending(target)
    stems = [Path(file).stem for file in saved]
    names = stems if len(set(stems)) == len(stems) else saved
    results = dict(zip(names, map(load, saved), strict=True))
    several = results if len(results) > 1 else list(results.values())
    deliver(lang, [(output, lambda path: write(several, path, title=title, lang=lang))])


@click.command(cls=Command)
@click.argument("folder", required=False, default="steelyard-demo", metavar="[DIR]")
@lang_option
def demo(folder: str, lang: str) -> None:
    """Write the files of a small film shop to DIR, evaluate them, and write a report.

    There are three recommenders, and two models of clicks. Everything is simulated from a fixed seed; no
    network is used.
    """
    from steelyard.demo import show

    with streams.tidied_up():
        show(Path(folder), streams.show, streams.width(sys.stdout), lang)


@click.group(cls=Group, invoke_without_command=True)
@click.version_option(VERSION, prog_name="steelyard", message="%(prog)s %(version)s")
@lang_option
@click.pass_context
def steelyard(context: click.Context, /, **_: str) -> None:
    """Evaluate predictions: rankings, clicks, classes and ratings, every convention stated.

    Start with `steelyard demo`, `steelyard evaluate RUN --truth QRELS -m ndcg@10`, or
    `steelyard evaluate LOG -m auc -m logloss`.

    Exit codes: 0 done, 1 a gate failed, 2 bad usage or bad input, 70 a bug or too little memory, 130 Ctrl-C.
    """
    if context.invoked_subcommand is None:
        streams.tell(context.get_help())
        sys.exit(2)


_ON_DATA = evaluate, compare, check, which, differences, explain
for command in (*_ON_DATA, partial, merge, report, trec_eval, metrics, profiles, demo):
    steelyard.add_command(command)


def main() -> None:
    """Run a command, and leave with its exit code."""
    streams.prepare()
    if hasattr(signal, "SIGPIPE"):  # `| head -1` ends this process as it ends others
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    streams.note_interrupts()
    speech = Speech(ENGLISH)
    try:
        speech = Speech.of(sys.argv[1:])
        steelyard.main(obj=speech, standalone_mode=False)
        sys.stdout.flush()
        if streams.interrupts:  # a destructor or a callback swallowed it
            raise KeyboardInterrupt
    except SystemExit:
        if streams.interrupts:
            leave(KeyboardInterrupt(), speech.lang)
        raise
    except BaseException as error:  # exit code 1 would say that a gate failed
        streams.end_at_once()
        leave(error, speech.lang)
    finally:
        streams.end_at_once()


def leave(error: BaseException, lang: str) -> None:
    if streams.interrupts or isinstance(error, click.exceptions.Abort | KeyboardInterrupt):
        streams.tell(say("stopped").render(lang))
        sys.exit(_INTERRUPTED)
    if isinstance(error, SteelyardError):
        fail(error, lang)
    if isinstance(error, click.ClickException):
        fail(refused(error), lang)
    if isinstance(error, OSError):
        streams.drop(sys.stdout)
        fail(streams.refused(error), lang)
    if isinstance(error, MemoryError):
        fail(asking.out_of_memory(), lang)
    streams.tell("".join(format_exception(error)).rstrip())
    fail(asking.our_fault(), lang)


def fail(error: SteelyardError, lang: str) -> None:
    from rich.cells import cell_len

    begun = say("error: ").render(lang)
    lines = error.render(lang).replace("\n", "\n" + " " * cell_len(begun))
    begun = click.style(begun, fg="red", bold=True) if streams.has_colours(sys.stderr) else begun
    try:
        click.echo(begun + lines, file=sys.stderr)
    except OSError:  # a stderr that is full or closed: the exit code says it
        streams.drop(sys.stderr)
    sys.exit(error.exit_code)
