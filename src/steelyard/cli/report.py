"""``steelyard report``: one page of results that were saved."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import signals, streams
from steelyard.cli.usage import Command, lang_option
from steelyard.messages import say
from steelyard.messages.errors import writing


@click.command(cls=Command)
@click.argument("saved", nargs=-1, metavar="RESULT…")
@click.option("-o", "--output", metavar="FILE.html", help="Write the page there.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@lang_option
def report(saved: tuple[str, ...], output: str | None, title: str | None, lang: str) -> None:
    """Make one page of results that `--save` or `result.save` kept.

    Several stand side by side, each under the name of its file. Needs the `report` extra.

    \b
    steelyard report run.steelyard -o page.html
    steelyard report old.steelyard new.steelyard -o both.html --title "Old and new"
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.load import load
    from steelyard.api.report import report as write
    from steelyard.show import output as files

    context = click.get_current_context()
    if not saved:
        raise click.UsageError(say("name a saved result"), context)
    if output is None:
        raise click.UsageError(say("name the page: -o page.html"), context)
    if not output.strip():
        raise writing.no_name(option="-o")
    target = files.path_of(output)
    if any(files.same_file(target, Path(one)) for one in saved):
        raise writing.is_an_input(path=target)
    stems = [Path(one).stem for one in saved]
    names = stems if len(set(stems)) == len(stems) else saved
    results = dict(zip(names, map(load, saved), strict=True))
    with signals.tidied_up():
        write(results if len(results) > 1 else list(results.values()), target, title=title, lang=lang)
    streams.tell_written(target, lang)
