"""Where the numbers of an evaluation go, and what is said beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from steelyard.cli import terminal
from steelyard.errors import writing
from steelyard.report import output as files
from steelyard.report import text
from steelyard.result import Result

_STDOUT = "-"


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The files to write, ``-`` for standard output; ``per_query`` and ``report`` may be None.

    ``stated``: the form was asked for, so that the ending of the file need not say it.
    ``quiet``: standard output belongs to the rows per query, so the table is told beside them.
    """

    result: str
    per_query: str | None
    form: str
    stated: bool
    quiet: bool
    report: str | None
    lang: str

    @classmethod
    def of(
        cls,
        result: str | None,
        per_query: str | None,
        form: str | None,
        report: str | None = None,
        lang: str = "en",
    ) -> Outputs:
        """What was asked for; without a form the ending of the file says it."""
        both = per_query == _STDOUT and (result or _STDOUT) == _STDOUT
        if both and (result or form):
            raise writing.same_output("standard output")
        return cls(
            result=result or _STDOUT,
            per_query=per_query or None,
            stated=form is not None,
            form=form or (result and files.form_of(Path(result))) or "table",
            quiet=both,
            report=report or None,
            lang=lang,
        )

    def check(self, inputs: Iterable[Path]) -> None:
        """Refuse what cannot be written, or would be written over, before any work is done."""
        targets = [Path(name) for name in (self.result, self.per_query) if name and name != _STDOUT]
        for path in targets:
            files.check_writable(path)
        if self.per_query and self.per_query != _STDOUT:
            files.frame_form(Path(self.per_query))
        if len(targets) == 2 and files.same_file(*targets):
            raise writing.same_output(str(targets[1]))
        if self.report:
            targets.append(_report(Path(self.report), targets))
        read = list(inputs)
        for path in targets:
            if any(files.same_file(path, one) for one in read):
                raise writing.is_an_input(path)
        if self.result != _STDOUT and not self.stated:
            files.check_ending(Path(self.result))

    def write(self, result: Result) -> None:
        """Write and show everything."""
        drawn = (
            result.to_html(lang=self.lang) if self.report else ""
        )  # first: what fails here leaves no file behind
        self._write_per_query(result)
        self._show(result)
        if self.report:
            files.write_text(Path(self.report), drawn)
            click.echo(f"written: {self.report}", err=True)

    def _show(self, result: Result) -> None:
        if self.quiet:
            click.echo(self._shown(result, terminal.width(sys.stderr)), err=True)
        elif self.result != _STDOUT:
            result.write(self.result, self.form)
            self._talk(result)
            click.echo(f"written: {self.result}", err=True)
        elif self.form == "table" and (width := terminal.width(sys.stdout)) is not None:
            click.echo(self._shown(result, width))
        else:
            click.echo(result.render(self.form))
            self._talk(result)

    def _shown(self, result: Result, width: int | None) -> str:
        return text.full(result.document(self.lang), limit=text.TERMINAL_ROWS, width=width)

    def _write_per_query(self, result: Result) -> None:
        if self.per_query == _STDOUT:
            click.echo(files.frame_as_csv(result.per_query()), nl=False)
        elif self.per_query:
            files.write_frame(Path(self.per_query), result.per_query())
            click.echo(f"written: {self.per_query}", err=True)

    def _talk(self, result: Result) -> None:
        """What the data does not carry is said on the other stream; JSON carries everything."""
        if self.form != "json":
            click.echo(text.talk(result.document(self.lang), terminal.width(sys.stderr)), err=True)


def _report(path: Path, others: Sequence[Path]) -> Path:
    """The file for the report, if one can be made and written there."""
    from steelyard.report import page

    page.check()
    page.check_ending(path)
    files.check_writable(path)
    if any(files.same_file(path, other) for other in others):
        raise writing.report_over_output(str(path))
    return path
