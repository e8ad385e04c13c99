"""The files that a command writes, checked before any work is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.cli import streams
from steelyard.text import say
from steelyard.text.errors import writing

if TYPE_CHECKING:
    from steelyard.render.system import Tabled
    from steelyard.result.written import WordForms

STDOUT = "-"
# of two outputs in one file: what the later one is, and what to do
TOGETHER = {
    "--per-query": (say("the result and the values per query"), say("give -o and --per-query a file each")),
    "--report": (say("the report and another output"), say("give --report a file of its own")),
}
# options that cannot print: why, and what to do
_FILES = {
    "--save": (say("a saved result is a file"), say("name a file")),
    **{
        option: (
            say("{option} is a file", option=option),
            say("name a file; to print it: --format {form}", form=option.lstrip("-")),
        )
        for option in ("--junit", "--markdown")
    },
}


def is_printed(name: str | None) -> bool:
    return name in (None, STDOUT)


def check_named(named: Sequence[tuple[str, str | None]]) -> None:
    for option, name in named:
        if name is not None and not name.strip():
            raise writing.no_name(option=option)


def write_files(lang: str, *files: tuple[str | None, Callable[[str], object]]) -> None:
    """Write each file that was named, and say so."""
    for name, write in files:
        if name not in (None, STDOUT, ""):
            write(str(name))
            streams.tell_written(Path(str(name)), lang)


def write(found: WordForms, name: str | None, form: str | None, lang: str) -> None:
    if not is_printed(name):
        write_files(lang, (name, lambda path: found.write(path, form, lang=lang)))
    elif form in (None, "table"):
        streams.show(found.to_text(lang=lang, width=streams.width(sys.stdout)))
    else:
        streams.give(found.render(str(form), lang=lang), str(form))


def show(shown: Tabled, form: str, give: Callable[[], object] | None) -> None:
    """Print a table, and on the other stream what its form does not carry; JSON carries everything.

    ``give`` prints the form; there is none where the form went to a file.
    """
    from steelyard.render import text

    if give is not None and form == "table" and (width := streams.width(sys.stdout)) is not None:
        streams.show(text.full(shown, limit=text.TERMINAL_ROWS, width=width))
        return
    if give is not None:
        give()
    if form != "json":
        streams.tell(text.talk(shown, streams.width(sys.stderr)))


def check_targets(
    named: Sequence[tuple[str, str | None]],
    inputs: Sequence[Path],
    form: str | None,
    endings: Collection[str] | None = None,
) -> None:
    """Refuse what cannot be written, or would be written over.

    ``named`` has the file of each option; ``endings`` are those that ``-o`` may have where no form is stated,
    by default those of a result.
    """
    from steelyard.render import output as files

    check_named(named)
    output = dict(named)["-o"]
    if is_printed(output) or any(name == STDOUT for _, name in named):
        streams.check_output()
    targets: list[Path] = []
    for option, name in named:
        if name is None:
            continue
        path = Path(name)
        _check_kind(option, path)
        if name == STDOUT:
            continue
        files.check_writable(path)
        if any(files.same_file(path, other) for other in targets):
            raise writing.both_written(path, *TOGETHER.get(option, ()))
        if any(files.same_file(path, one) for one in inputs):
            raise writing.is_an_input(path=path)
        targets.append(path)
    if form is None and output is not None and output != STDOUT:
        files.check_ending(Path(output), *([] if endings is None else [endings]))


def _check_kind(option: str, path: Path) -> None:
    if option == "--chart":
        from steelyard.render import charts

        charts.check_installed()
        charts.ending_of(path)
    elif option == "--report":
        from steelyard.render import page

        page.check()
        page.check_ending(path)
    elif str(path) == STDOUT and option in _FILES:
        why, remedy = _FILES[option]
        raise writing.cannot_write(what=say("standard output"), why=why, remedy=remedy)
    elif option == "--per-query" and str(path) != STDOUT:
        from steelyard.render.output import frame_form

        frame_form(path)
