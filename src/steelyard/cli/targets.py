"""The files that a command writes, checked before any work is done."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.cli import streams
from steelyard.messages.errors import writing

if TYPE_CHECKING:
    from steelyard.result.written import Written

STDOUT = "-"


def is_printed(name: str | None) -> bool:
    return name in (None, STDOUT)


def check_named(named: Mapping[str, str | None]) -> None:
    for option, name in named.items():
        if name is not None and not name.strip():
            raise writing.no_name(option=option)


def write(found: Written, name: str | None, form: str | None, lang: str) -> None:
    """Write a finding to a file in one of its forms, or print it."""
    if not is_printed(name):
        found.write(str(name), form, lang=lang)
        streams.tell_written(Path(str(name)), lang)
    elif form in (None, "table"):
        streams.show(found.to_text(lang=lang, width=streams.width(sys.stdout)))
    else:
        streams.give(found.render(str(form), lang=lang), str(form))


def check_targets(
    named: Mapping[str, str | None],
    inputs: Sequence[Path],
    form: str | None,
    endings: Collection[str] | None = None,
) -> None:
    """Refuse what cannot be written, or would be written over.

    ``named`` has the file of each option; ``endings`` are those that ``-o`` may have where no form is stated,
    by default those of a result.
    """
    from steelyard.show import output as files

    check_named(named)
    if is_printed(named["-o"]):
        streams.check_output()
    elif form is None:
        path = Path(str(named["-o"]))
        files.check_ending(path) if endings is None else files.check_ending(path, endings)
    if chart := named.get("--chart"):
        from steelyard.show import charts

        charts.check_installed()
        charts.ending_of(chart)
    if report := named.get("--report"):
        from steelyard.show import page

        page.check()
        page.check_ending(Path(report))
    targets = [Path(name) for name in named.values() if name and name != STDOUT]
    for place, path in enumerate(targets):
        files.check_writable(path)
        if any(files.same_file(path, other) for other in targets[:place]):
            raise writing.both_written(path)
        if any(files.same_file(path, one) for one in inputs):
            raise writing.is_an_input(path=path)
