"""The forms of anything with a table: text, Markdown, HTML, JSON, JUnit XML, and a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from steelyard.arguments import is_one_of, slice_value
from steelyard.engine.slices import CLASS_COLUMNS, ENDS
from steelyard.printable import visible
from steelyard.render import output
from steelyard.render import text as plain
from steelyard.render.table import ShownTable, columns_of
from steelyard.render.text import (
    aligned,
    html_table,
    html_text,
    indented,
    markdown_table,
    markdown_text,
    wrapped,
)
from steelyard.stats.measured import COVERAGE, group_coverage
from steelyard.stats.readings import Reading
from steelyard.text import Message, in_language, say
from steelyard.text.errors import OutputError
from steelyard.text.errors.forms import check_language, must_be, unknown
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.stats.gates import Verdict

Form = Literal["text", "markdown", "html"]
FORMS = ("table", "json", "csv", "markdown", "latex")
READ = {"table": plain.table, "markdown": plain.markdown, "latex": plain.latex}  # by people
SCHEMA_VERSION = 3
HEADER = {"schema_version": SCHEMA_VERSION, "steelyard": VERSION}
_COLUMNS = ("metric", "value", *ENDS, "n", "undefined")
_WIDEST_INDENT = 100
_MOST_PASSED = 60  # verdicts that a terminal is shown; every form holds all of them


def json_text(value: Mapping[str, Any], indent: int | None) -> str:
    """Plain values as JSON; each level is indented by ``indent`` spaces, None gives one line."""
    if not (indent is None or (type(indent) is int and 0 <= indent <= _WIDEST_INDENT)):
        remedy = say("give one from 0 to {most}", most=_WIDEST_INDENT)
        raise must_be("indent", say("None or a whole number"), indent, remedy=remedy, kind=OutputError)
    text = StringIO()  # json.dumps keeps every piece of it until the end
    json.dump(value, text, indent=indent, ensure_ascii=False, allow_nan=False)
    return text.getvalue()


def rendered(
    form: str,
    lang: str,
    known: Collection[str] = FORMS,
    *,
    json: Callable[[], str],
    csv: Callable[[], str],
    table: Callable[[], str],
) -> str:
    """One of the forms as text; json and csv, which programs read, are the same in every language."""
    if not is_one_of(form, known):
        raise unknown(say("unknown format '{name}'", name=str(form)), form, known, kind=OutputError)
    check_language(lang)
    if form == "json":
        return json()
    if form == "csv":
        return csv().rstrip("\n")
    return table()


def write(path: str | Path, form: str | None, render: Callable[[str], str]) -> None:
    """Write one of the forms to a file, whole or not at all; by default the one its ending names.

    A name without an ending gets JSON.
    """
    target = output.path_of(path)
    if form is None:
        output.check_ending(target)
        form = output.form_of(target) or "json"
    output.write_text(target, render(form) + "\n")


# --- what a search or a gate found


class Finding(NamedTuple):
    """What a search or a gate found: a sentence, its data, tables, notes with their signs in a terminal."""

    head: Message
    facts: Message
    tables: list[ShownTable]
    notes: list[tuple[str, Message]]


def finding_text(finding: Finding, lang: str, width: int | None = None) -> str:
    lines = [wrapped(_line(text, lang), width) for text in (finding.head, finding.facts)]
    for table in finding.tables:
        caption = [_line(table.caption, lang)] if table.caption else []
        below = [f"  {_line(note, lang)}" for note in table.notes]
        lines += ["", *caption, indented(aligned(table.texts(lang), table.left)), *below]
    notes = [wrapped(sign + _line(note, lang), width) for sign, note in finding.notes]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def finding_markdown(finding: Finding, lang: str) -> str:
    parts = [f"**{markdown_text(finding.head.render(lang))}**", markdown_text(finding.facts.render(lang))]
    for table in finding.tables:
        parts += [markdown_text(in_language(table.caption, lang))] if table.caption else []
        parts.append(markdown_table(table, lang))
    notes = [f"- {markdown_text(note.render(lang))}" for _, note in finding.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def finding_html(finding: Finding, lang: str) -> str:
    tables = "".join(
        (f"<p>{html_text(in_language(table.caption, lang))}</p>" if table.caption else "")
        + html_table(table, lang)
        for table in finding.tables
    )
    notes = "".join(f"<li>{html_text(note.render(lang))}</li>" for _, note in finding.notes)
    head, facts = (html_text(text.render(lang)) for text in (finding.head, finding.facts))
    return f"<div><p><b>{head}</b><br>{facts}</p>{tables}{f'<ul>{notes}</ul>' if notes else ''}</div>"


def _line(text: str, lang: str) -> str:
    return visible(in_language(text, lang))


def gate_finding(title: Message, verdicts: Sequence[Verdict], notes: Sequence[Message]) -> Finding:
    """The verdicts of a gate, what failed first; ``title`` says what was checked, ``notes`` on what data."""
    from steelyard.stats.gates import OUTCOMES

    failed = sum(verdict.outcome == "failed" for verdict in verdicts)
    head = say("{n:,} {n:check|checks} passed", n=len(verdicts))
    if failed:
        head = say("{n:,} of {every:,} {every:check|checks} failed", n=failed, every=len(verdicts))
    table = ShownTable(
        columns=columns_of([say("check"), say("verdict"), say("why")], 3),
        rows=[(verdict.name, OUTCOMES[verdict.outcome], verdict.sentence) for verdict in verdicts],
    )
    return Finding(head, title, [table], [("! ", note) for note in notes])


def gate_head(finding: Finding, lang: str) -> str:
    return f"{_line(finding.head, lang)} · {_line(finding.facts, lang)}"


def gate_text(finding: Finding, lang: str, width: int | None = None) -> str:
    """A line for each verdict: all that failed, and the first that passed."""
    [table] = finding.tables
    verdicts = [texts[1:] for texts in table.texts(lang)[1:]]
    passed = sum(outcome == say("passed").render(lang) for outcome, _ in verdicts)
    hidden = max(0, passed - _MOST_PASSED)
    lines = [gate_head(finding, lang), *aligned(verdicts[: len(verdicts) - hidden], 2).splitlines()]
    if hidden:
        lines.append(_line(say("… {n:,} more passed; all of them: --format json", n=hidden), lang))
    lines += [sign + _line(note, lang) for sign, note in finding.notes]
    return "\n".join(wrapped(line, width) for line in lines)


def junit(finding: Finding, verdicts: Sequence[Verdict], lang: str) -> str:
    """The same as the XML that the pages of pipelines show: a test case for each verdict."""
    failed = sum(verdict.outcome == "failed" for verdict in verdicts)
    counts = f'tests="{len(verdicts)}" failures="{failed}" errors="0" skipped="0" time="0"'
    cases = []
    for verdict in verdicts:
        kind, reason = verdict.rule.kind, _line(verdict.sentence, lang)
        inside = f"<system-out>{escape(reason)}</system-out>"
        if verdict.outcome == "failed":
            inside = f"<failure type={quoteattr(kind)} message={quoteattr(reason)}>{escape(reason)}</failure>"
        named = f'classname="steelyard.{kind}" name={quoteattr(_line(verdict.name, lang))} time="0"'
        cases.append(f"    <testcase {named}>{inside}</testcase>")
    notes = escape("\n".join(_line(note, lang) for _, note in finding.notes))
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="steelyard check" {counts}>',
            f"  <testsuite name={quoteattr(_line(finding.facts, lang))} {counts}>",
            *cases,
            *([f"    <system-out>{notes}</system-out>"] if notes else []),
            "  </testsuite>",
            "</testsuites>",
        ]
    )


# --- plain dictionaries and lists, which JSON is written from

_FLOATS = pl.selectors.float()
_FINITE = pl.when(_FLOATS.is_finite()).then(_FLOATS)  # JSON has no other numbers


def as_dict(result: Any) -> dict[str, Any]:
    """Everything of a ``Result``, as plain Python values; NaN is None."""
    rows = result.rows  # first: in a forked child, where Polars would wait for ever, this refuses
    by, units, spec = result.by, result.units(), result.spec()
    groups = group_coverage(result.measured, by)
    keys = (*by, "metric")
    covered = {
        tuple(row[name] for name in keys): {"groups": {name: row[name] for name in COVERAGE}}
        for row in groups.fill_nan(None).to_dicts()
    }
    return {
        **HEADER,
        "profile": result.profile,
        "certainty": result.plan.certainty.to_dict(),
        **_texts(result.names),
        "results": [
            {
                **{name: row[name] for name in _COLUMNS},
                **_classes(row),
                "unit": units[row["metric"]],
                **covered.get(tuple(row[name] for name in keys), {}),
                **_slice_and_spec(row, by, spec),
            }
            for row in rows.with_columns(_FINITE).to_dicts()
        ],
        "specs": spec,
        "tally": result.tally.to_dict(),
        "rankings": [
            {**vars(ranking.align), **vars(ranking.rank), "tally": ranking.tally.to_dict()}
            for ranking in result.rankings
        ],
        "readings": [_reading(reading) for reading in result.conclusions],
        "notes": [note.to_dict() for note in result.notes],
    }


def comparison_as_dict(
    compared: Any, rows: pl.DataFrame, first: Any, tests: tuple[int, int]
) -> dict[str, Any]:
    """Everything of a ``Comparison``, as plain Python values; what is not known, or not finite, is None.

    ``first`` is the result of its first system.
    """
    by, units, spec = first.by, first.units(), first.spec()
    return {
        **HEADER,
        "systems": [{"name": name, **_texts(result.names)} for name, result in compared.results.items()],
        "baseline": compared.baseline,
        "testing": compared.testing.to_dict() | dict(zip(("tests", "tests_in_slices"), tests, strict=True)),
        "differences": [
            {
                **{name: value for name, value in row.items() if name not in (*by, *CLASS_COLUMNS)},
                **_classes(row),
                "test": compared.tests.get(row["metric"]),
                "unit": units[row["metric"]],
                **_slice_and_spec(row, by, spec),
            }
            for row in rows.with_columns(_FINITE).to_dicts()
        ],
        "specs": spec,
        "notes": [note.to_dict() for note in compared.notes],
    }


def _texts(names: Any) -> dict[str, str | None]:
    return {role: None if name is None else str(name) for role, name in vars(names).items()}


def _classes(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in CLASS_COLUMNS if row.get(name) is not None}


def _slice_and_spec(row: Mapping[str, Any], by: Sequence[str], spec: Mapping[str, Any]) -> dict[str, Any]:
    """The slice of a row and its specification, which a class lacks, since 500 classes have 250,000."""
    part = {"slice": {name: slice_value(row[name]) for name in by if row[name] is not None}}
    return part if row.get("class") is not None else {**part, "spec": spec[row["metric"]]}


def _reading(reading: Reading) -> dict[str, Any]:
    return {
        **reading.text.to_dict(),
        "figures": [figure.to_dict() for figure in reading.figures],
        "kind": reading.kind,
        "slices": [
            {
                "slice": dict(part.slice),
                "share": part.share,
                "unit": part.unit,
                "figures": [figure.to_dict() for figure in part.figures],
            }
            for part in reading.slices
        ],
    }
