"""Where the numbers, charts and messages of an evaluation go."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from steelyard.cli import streams
from steelyard.cli.targets import STDOUT, TOGETHER, check_named, check_targets, is_printed, show
from steelyard.render import markup, text
from steelyard.render import output as files
from steelyard.render.wide import check_least
from steelyard.result.result import Result
from steelyard.result.results import Results
from steelyard.text import say
from steelyard.text.errors import asking, showing, writing

MOST_PRINTED = 10_000  # rows of a table on standard output; a file holds all


@dataclass(frozen=True)
class Outputs:
    """The files that were named, each None where it was not; ``-`` is standard output."""

    output: str | None
    per_query: str | None
    form: str | None  # None where the ending of the file says it
    report: str | None
    save: str | None
    lang: str
    wide: bool
    least: str | None
    verbose: bool

    def __post_init__(self) -> None:
        if self.least is not None and not self.wide:
            raise showing.least_of_wide()
        check_named(self._named)
        if self._quiet and (self.output or self.form):
            raise writing.both_written(say("standard output"), *TOGETHER["--per-query"])
        check_least(self._shape["least"])

    @property
    def _named(self) -> list[tuple[str, str | None]]:
        named = [("-o", self.output), ("--per-query", self.per_query), ("--report", self.report)]
        return [*named, ("--save", self.save)]

    @property
    def _quiet(self) -> bool:
        """Whether the rows per query go to standard output, so that the table goes to standard error."""
        return self.per_query == STDOUT and is_printed(self.output)

    @property
    def _form(self) -> str:
        return self.form or (self.output and files.form_of(Path(self.output))) or "table"

    def check(self, inputs: Sequence[Path], charts: Iterable[Path]) -> None:
        check_targets([*self._named, *(("--chart", str(path)) for path in charts)], inputs, self.form)

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
        if self.per_query and self.per_query != STDOUT:
            rows = result.per_query()
            found.append((Path(self.per_query), lambda path: files.write_frame(path, rows)))
        if not is_printed(self.output):
            whole = Path(str(self.output))
            found.append((whole, lambda path: result.write(path, self._form, **self._shape)))
        if self.report:
            page = result.to_html(lang=self.lang)
            found.append((Path(self.report), lambda path: files.write_text(path, page)))
        return found + [(path, partial(files.write_bytes, content=content)) for path, content in charts]

    def _show(self, result: Result | Results) -> None:
        system = result.system(**self._shape, verbose=self.verbose)
        if self.per_query == STDOUT:
            streams.give(files.frame_as_csv(result.per_query()).removesuffix("\n"), "csv")
        if self._quiet:
            width = streams.width(sys.stderr)
            streams.tell(text.full(system, limit=text.TERMINAL_ROWS, width=width))
            return
        show(system, self._form, partial(self._print, result) if is_printed(self.output) else None)
        if self._form == "csv" and system.wide is not None and system.wide.note is not None:
            streams.tell(system.told(system.wide.note))

    def _print(self, result: Result | Results) -> None:
        """The form on standard output; of what people read at most so many rows, of data all of it."""
        forms = {"table": text.table, "markdown": markup.markdown, "latex": markup.latex}
        if self._form not in forms:
            streams.give(result.render(self._form, **self._shape), self._form)
            return
        system = result.system(**self._shape)
        streams.give(forms[self._form](system, MOST_PRINTED), self._form)
        if (hidden := system.height - MOST_PRINTED) > 0:
            more = say(
                "{n:,} more {n:row is|rows are} not printed; all of them: -o FILE; fewer: --wide --least N",
                n=hidden,
            )
            streams.tell(more.told(self.lang))

    @property
    def _shape(self) -> dict[str, Any]:
        least = self.least or 0
        number = int(least) if isinstance(least, str) and least.isdecimal() else least
        return {"lang": self.lang, "wide": self.wide, "least": number}


@dataclass(frozen=True, kw_only=True)
class ChartFile:
    """A chart to be written; ``metric`` is the one it shows, where that was said."""

    name: str
    metric: str | None
    path: Path

    @classmethod
    def of(cls, text: str) -> ChartFile:
        """``roc=roc.svg`` or ``slices(auc)=slices.png``.

        >>> one = ChartFile.of("per_query(ndcg(gain=exp2)@10)=values.svg")
        >>> one.name, one.metric, str(one.path)
        ('per_query', 'ndcg(gain=exp2)@10', 'values.svg')
        """
        at = _equals(text)
        asked, path = text[:at].strip(), text[at + 1 :].strip()
        name, bracket, metric = (part.strip() for part in asked.partition("("))
        if at < 1 or not name or not path or (bracket and not metric.endswith(")")):
            raise asking.not_chart_and_file(text)
        return cls(name=name, metric=metric.removesuffix(")").strip() or None, path=Path(path))

    def check(self, of: int) -> None:
        """Refuse what cannot be drawn of so many systems, whatever the data."""
        from steelyard.render import charts

        takes = charts.options(self.name)
        if self.name in charts.of("several") and of < 2:
            raise asking.chart_of_several(name=self.name)
        if self.name in charts.of("two") and of < 2:
            raise asking.chart_of_two(name=self.name)
        if self.metric is not None and "metric" not in takes:
            raise asking.takes_no_metric(name=self.name)

    def drawn(self, result: Result | Results, lang: str) -> bytes:
        from steelyard.render import charts

        asked: dict[str, Any] = {} if self.metric is None else {"metric": self.metric}
        return result.chart(self.name, **asked).render(charts.ending_of(self.path), lang)


def _equals(text: str) -> int:
    """Where the first ``=`` outside brackets stands, or -1."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "=" and depth <= 0:
            return place
    return -1
