"""The files that a command writes, checked before any work is done, and what it prints."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli import streams
from steelyard.text import say
from steelyard.text.errors import asking, writing

if TYPE_CHECKING:
    from steelyard.render.system import Tabled
    from steelyard.result.result import Result, Results
    from steelyard.result.written import FindingForms

STDOUT = "-"
MOST_PRINTED = 10_000  # rows of a table on standard output; a file holds all
_CHART = re.compile(r"([^(=]+)(?:\((.*?)\)\s*)?=(.+)")  # NAME=FILE or NAME(METRIC)=FILE
File = tuple[str | None, Callable[[Path], object]]  # the name that was given for it, and what writes it
# two outputs in one file: what the later one is, and the remedy
TOGETHER = {
    "--per-query": (say("the result and the values per query"), say("give -o and --per-query a file each")),
    "--report": (say("the report and another output"), say("give --report a file of its own")),
}
# options that cannot print: why, and the remedy
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


def check_targets(
    named: Sequence[tuple[str, str | None]],
    inputs: Sequence[Path],
    form: str | None,
    endings: Collection[str] | None = None,
) -> None:
    """Refuse what cannot be written, or would be written over.

    ``named`` has the file of each option; ``endings`` are those of ``-o`` without a form, by default those of
    a result.
    """
    from steelyard.render import output as files

    check_names(named)
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
        if any(files.same_file(path, read) for read in inputs):
            raise writing.is_an_input(path=path)
        targets.append(path)
    if form is None and output is not None and output != STDOUT:
        files.check_ending(Path(output), *([] if endings is None else [endings]))


def check_names(named: Sequence[tuple[str, str | None]]) -> None:
    for option, name in named:
        if name is not None and not name.strip():
            raise writing.no_name(option=option)


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


def deliver(lang: str, files: Sequence[File], show: Callable[[], object] = lambda: None) -> None:
    """Write every file that has a name, then print: a reader who leaves (``| head``) takes no file away."""
    written: list[Path] = []
    with streams.tidied_up():
        try:
            for name, write in files:
                if name not in (None, STDOUT, ""):
                    write(Path(str(name)))
                    written.append(Path(str(name)))
            show()
        finally:
            for path in written:
                streams.tell_written(path, lang)


def deliver_finding(finding: FindingForms, flags: Mapping[str, Any], lang: str, *files: File) -> None:
    """Write and print a finding that has a text: a gate, claims, differences."""
    output, form = flags["output"], flags["form"]

    def show() -> None:
        if not is_printed(output):
            return
        if form in (None, "table"):
            streams.show(finding.to_text(lang=lang, width=streams.width(sys.stdout)))
        else:
            streams.give(finding.render(form, lang=lang), form)

    deliver(lang, [*files, (output, lambda path: finding.write(path, form, lang=lang))], show)


def show_table(shown: Tabled, form: str, give: Callable[[], object] | None) -> None:
    """Print a table, and on stderr what its form does not carry; JSON carries everything.

    ``give`` prints the form; None if the form went to a file.
    """
    from steelyard.render import text

    if give is not None and form == "table" and (width := streams.width(sys.stdout)) is not None:
        streams.show(text.full(shown, limit=text.TERMINAL_ROWS, width=width))
        return
    if give is not None:
        give()
    if form != "json":
        streams.tell(text.talk(shown, streams.width(sys.stderr)))


# --- those of an evaluation


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The outputs of an evaluation, by the names of their options."""

    output: str | None
    per_query: str | None
    form: str | None  # None if the ending of the file says it
    report: str | None
    save: str | None
    lang: str
    wide: bool
    least: str | None
    verbose: bool
    charts: Sequence[ChartFile]

    @classmethod
    def of(cls, flags: Mapping[str, Any], lang: str) -> Outputs:
        """The outputs that options state; those that contradict each other are refused."""
        from steelyard.render.table import check_least
        from steelyard.text.errors import writing

        charts = [ChartFile.of(text) for text in flags["chart"]]
        given = {**flags, "lang": lang, "charts": charts}
        outputs = cls(**{field.name: given[field.name] for field in fields(cls)})
        if outputs.least is not None and not outputs.wide:
            raise writing.least_of_wide()
        check_names(outputs._named)
        if outputs._quiet and (outputs.output or outputs.form):
            raise writing.both_written(say("standard output"), *TOGETHER["--per-query"])
        check_least(outputs._shape["least"])
        return outputs

    @property
    def _named(self) -> list[tuple[str, str | None]]:
        named = [("-o", self.output), ("--per-query", self.per_query), ("--report", self.report)]
        return [*named, ("--save", self.save)]

    def check(self, inputs: Sequence[Path], n_systems: int) -> None:
        for chart in self.charts:
            chart.check(n_systems)
        charts_named = [("--chart", str(chart.path)) for chart in self.charts]
        check_targets([*self._named, *charts_named], inputs, self.form)

    @property
    def _quiet(self) -> bool:
        """Whether the rows per query go to standard output, so that the table goes to standard error."""
        return self.per_query == STDOUT and is_printed(self.output)

    @property
    def _shape(self) -> dict[str, Any]:
        least = self.least or 0
        number = int(least) if isinstance(least, str) and least.isdecimal() else least
        return {"lang": self.lang, "wide": self.wide, "least": number}

    def write(self, result: Result | Results) -> None:
        """Write every file, then print; all that can fail for another reason is done before."""
        from steelyard.render import output as files

        charts = [chart.drawn(result, self.lang) for chart in self.charts]
        form = self.form or (self.output and files.form_of(Path(self.output))) or "table"
        targets: list[File] = [(self.save, result.save)]  # the first, since it may refuse to hold something
        if self.per_query:
            rows = result.per_query()
            targets.append((self.per_query, lambda path: files.write_frame(path, rows)))
        targets.append((self.output, lambda path: result.write(path, form, **self._shape)))
        if self.report:
            page = result.to_html(lang=self.lang)
            targets.append((self.report, lambda path: files.write_text(path, page)))
        targets += [(path, partial(files.write_bytes, content=content)) for path, content in charts]
        deliver(self.lang, targets, lambda: self._show(result, form))

    def _show(self, result: Result | Results, form: str) -> None:
        from steelyard.render import output as files
        from steelyard.render import text

        system = result.system(**self._shape, verbose=self.verbose)
        if self.per_query == STDOUT:
            streams.give(files.frame_as_csv(result.per_query()).removesuffix("\n"), "csv")
        if self._quiet:
            width = streams.width(sys.stderr)
            streams.tell(text.full(system, limit=text.TERMINAL_ROWS, width=width))
            return
        show_table(system, form, (lambda: self._print(result, form)) if is_printed(self.output) else None)
        if form == "csv" and system.wide is not None and system.wide.note is not None:
            streams.tell(system.render(system.wide.note))

    def _print(self, result: Result | Results, form: str) -> None:
        """The form on standard output; of what people read at most so many rows, of data all of it."""
        from steelyard.render.forms import READ

        if form not in READ:
            streams.give(result.render(form, **self._shape), form)
            return
        system = result.system(**self._shape)
        streams.give(READ[form](system, MOST_PRINTED), form)
        if (hidden := system.height - MOST_PRINTED) > 0:
            more = say(
                "{n:,} more {n:row is|rows are} not printed; all of them: -o FILE; fewer: --wide --least N",
                n=hidden,
            )
            streams.tell(more.render(self.lang))


@dataclass(frozen=True, kw_only=True)
class ChartFile:
    """A chart to write, and the metric it shows if one is stated."""

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
        parts = _CHART.fullmatch(text)
        name, metric, path = ((part or "").strip() for part in (parts.groups() if parts else ("", "", "")))
        if not name or not path:
            raise asking.not_chart_and_file(text)
        return cls(name=name, metric=metric or None, path=Path(path))

    def check(self, n_systems: int) -> None:
        """Refuse what cannot be drawn of so many systems, whatever the data."""
        from steelyard.render import charts

        takes = charts.options(self.name)
        if self.name in charts.of("several") and n_systems < 2:
            raise asking.chart_of_several(name=self.name)
        if self.name in charts.of("two") and n_systems < 2:
            raise asking.chart_of_two(name=self.name)
        if self.metric is not None and "metric" not in takes:
            raise asking.takes_no_metric(name=self.name)

    def drawn(self, result: Result | Results, lang: str) -> tuple[str, bytes]:
        from steelyard.render import charts

        options: dict[str, Any] = {} if self.metric is None else {"metric": self.metric}
        chart = result.chart(self.name, **options)
        return str(self.path), chart.render(charts.ending_of(self.path), lang)
