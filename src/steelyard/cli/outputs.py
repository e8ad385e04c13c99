"""Where the numbers of an evaluation go, and what is said beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from steelyard.cli import streams
from steelyard.messages import Message, say
from steelyard.messages.errors import OutputError, showing, writing
from steelyard.result.result import Result
from steelyard.result.results import Results
from steelyard.show import markup, text
from steelyard.show import output as files
from steelyard.show.system import System
from steelyard.show.wide import check_least

MOST_PRINTED = 10_000  # rows of a table on standard output; a file holds all
_STDOUT = "-"


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The files to write, ``-`` for standard output; ``per_query``, ``report`` and ``save`` may be None.

    ``stated``: the form was asked for, so that the ending of the file need not say it.
    ``quiet``: standard output belongs to the rows per query, so the table is told beside them.
    """

    result: str
    per_query: str | None
    form: str
    stated: bool
    quiet: bool
    report: str | None
    save: str | None
    lang: str
    wide: bool = False
    least: int = 0
    verbose: bool = False

    @classmethod
    def of(
        cls,
        result: str | None,
        per_query: str | None,
        form: str | None,
        report: str | None = None,
        lang: str = "en",
        *,
        save: str | None = None,
        wide: bool = False,
        least: str | None = None,
        verbose: bool = False,
    ) -> Outputs:
        """What was asked for; without a form the ending of the file says it."""
        if least is not None and not wide:
            raise showing.least_of_wide()
        named = {"-o": result, "--per-query": per_query, "--report": report, "--save": save}
        for option, name in named.items():
            if name is not None and not name.strip():
                raise writing.no_name(option=option)
        both = per_query == _STDOUT and result in (None, _STDOUT)
        if both and (result or form):
            raise _both_written(say("standard output"))
        return cls(
            result=result or _STDOUT,
            per_query=per_query,
            stated=form is not None,
            form=form or (result and files.form_of(Path(result))) or "table",
            quiet=both,
            report=report,
            save=save,
            lang=lang,
            wide=wide,
            verbose=verbose,
            least=check_least(int(least) if least and least.isdecimal() else least or 0),
        )

    def check(self, inputs: Iterable[Path]) -> None:
        """Refuse what cannot be written, or would be written over, before any work is done."""
        if _STDOUT in (self.result, self.per_query):
            streams.check_output()
        targets = [Path(name) for name in (self.result, self.per_query) if name and name != _STDOUT]
        for path in targets:
            files.check_writable(path)
        if self.per_query and self.per_query != _STDOUT:
            files.frame_form(Path(self.per_query))
        if len(targets) == 2 and files.same_file(*targets):
            raise _both_written(targets[1])
        if self.report:
            targets.append(_report(Path(self.report), targets))
        if self.save:
            targets.append(_saved(Path(self.save), targets))
        read = list(inputs)
        for path in targets:
            if any(files.same_file(path, one) for one in read):
                raise writing.is_an_input(path=path)
        if self.result != _STDOUT and not self.stated:
            files.check_ending(Path(self.result))

    def write(self, result: Result | Results, charts: Sequence[tuple[Path, bytes]] = ()) -> None:
        """Write every file, then show the rest: a reader who leaves (``| head``) takes no file away."""
        written: list[Path] = []
        try:
            for path, write in self._files(result, charts):
                write(path)
                written.append(path)
            self._show(result)
        finally:
            for path in written:
                streams.tell_written(path, self.lang)

    def _files(
        self, result: Result | Results, charts: Sequence[tuple[Path, bytes]]
    ) -> list[tuple[Path, Callable[[Path], None]]]:
        """Each file with what writes it; all that can fail for another reason has been done before."""
        found: list[tuple[Path, Callable[[Path], None]]] = []
        if self.save:  # the first, since it may find that it cannot hold something
            found.append((Path(self.save), result.save))
        if self.per_query and self.per_query != _STDOUT:
            rows = result.per_query()
            found.append((Path(self.per_query), lambda path: files.write_frame(path, rows)))
        if self.result != _STDOUT:
            found.append((Path(self.result), lambda path: result.write(path, self.form, **self._shape)))
        if self.report:
            page = result.to_html(lang=self.lang)
            found.append((Path(self.report), lambda path: files.write_text(path, page)))
        return found + [(path, partial(files.write_bytes, content=content)) for path, content in charts]

    def _show(self, result: Result | Results) -> None:
        if self.per_query == _STDOUT:
            streams.give(files.frame_as_csv(result.per_query()).removesuffix("\n"), "csv")
        if self.quiet:
            streams.tell(self._shown(result, streams.width(sys.stderr)))
        elif self.result != _STDOUT:
            self._talk(result)
        elif self.form == "table" and (width := streams.width(sys.stdout)) is not None:
            streams.show(self._shown(result, width))
        else:
            self._print(result)
            self._talk(result)

    def _print(self, result: Result | Results) -> None:
        """The form on standard output; of what people read at most so many rows, of data all of it."""
        forms = {"table": text.table, "markdown": markup.markdown, "latex": markup.latex}
        if self.form not in forms:
            streams.give(result.render(self.form, **self._shape), self.form)
            return
        system = result.system(**self._shape)
        streams.give(forms[self.form](system, MOST_PRINTED), self.form)
        if (hidden := system.height - MOST_PRINTED) > 0:
            more = say(
                "{n:,} more {n:row is|rows are} not printed; all of them: -o FILE; fewer: --wide --least N",
                n=hidden,
            )
            streams.tell(more.told(self.lang))

    @property
    def _shape(self) -> dict[str, Any]:
        return {"lang": self.lang, "wide": self.wide, "least": self.least}

    def _system(self, result: Result | Results) -> System:
        return result.system(**self._shape, verbose=self.verbose)

    def _shown(self, result: Result | Results, width: int | None) -> str:
        return text.full(self._system(result), limit=text.TERMINAL_ROWS, width=width)

    def _talk(self, result: Result | Results) -> None:
        """What the data does not carry is said on the other stream; JSON carries everything."""
        if self.form == "json":
            return
        system = self._system(result)
        streams.tell(text.talk(system, streams.width(sys.stderr)))
        if self.form == "csv" and system.wide is not None and system.wide.note is not None:
            streams.tell(system.told(system.wide.note))


def _report(path: Path, others: Sequence[Path]) -> Path:
    """The file for the report, if one can be made and written there."""
    from steelyard.show import page

    page.check()
    page.check_ending(path)
    files.check_writable(path)
    if any(files.same_file(path, other) for other in others):
        outputs, remedy = say("the report and another output"), say("give --report a file of its own")
        raise writing.both_written(path, outputs, remedy)
    return path


def _saved(path: Path, others: Sequence[Path]) -> Path:
    """The file for the whole result, if it can be written there."""
    if str(path) == _STDOUT:
        raise writing.cannot_write(
            what=say("standard output"), why=say("a saved result is a file"), remedy=say("name a file")
        )
    files.check_writable(path)
    if any(files.same_file(path, other) for other in others):
        raise writing.both_written(path)
    return path


def _both_written(what: Path | Message) -> OutputError:
    outputs, remedy = say("the result and the values per query"), say("give -o and --per-query a file each")
    return writing.both_written(what, outputs, remedy)
