"""The verdicts of a gate as text, Markdown and JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from steelyard.printable import visible
from steelyard.render.table import ShownTable, columns_of
from steelyard.render.text import aligned, markdown_table, markdown_text, wrapped
from steelyard.stats.gates import OUTCOMES, Outcome
from steelyard.text import ENGLISH, Message, say

_MOST_PASSED = 60  # lines that a terminal is shown; every form holds all of them


@dataclass(frozen=True)
class GateSheet:
    """All verdicts of a gate, what failed first; ``title`` says what was checked, ``notes`` on what data."""

    title: Message
    lines: Sequence[Any]  # verdicts
    notes: Sequence[Message] = ()
    lang: str = ENGLISH

    def count(self, outcome: Outcome) -> int:
        return sum(line.outcome == outcome for line in self.lines)

    @property
    def summary(self) -> Message:
        failed, every = self.count("failed"), len(self.lines)
        if failed:
            return say("{n:,} of {every:,} {every:check|checks} failed", n=failed, every=every)
        return say("{n:,} {n:check|checks} passed", n=every)

    def told(self, said: Message) -> str:
        return visible(said.told(self.lang))


def head(sheet: GateSheet) -> str:
    return f"{sheet.told(sheet.summary)} · {sheet.told(sheet.title)}"


def text(sheet: GateSheet, width: int | None = None) -> str:
    shown = sheet.lines[: len(sheet.lines) - max(0, sheet.count("passed") - _MOST_PASSED)]
    rows = [[sheet.told(OUTCOMES[line.outcome]), sheet.told(line.said)] for line in shown]
    lines = [wrapped(head(sheet), width), *(wrapped(line, width) for line in aligned(rows, 2).splitlines())]
    if hidden := len(sheet.lines) - len(shown):
        lines.append(sheet.told(say("… {n:,} more passed; all of them: --format json", n=hidden)))
    lines += [wrapped(f"! {sheet.told(note)}", width) for note in sheet.notes]
    return "\n".join(lines)


def markdown(sheet: GateSheet) -> str:
    rows = [(line.name, OUTCOMES[line.outcome], line.said) for line in sheet.lines]
    table = ShownTable(columns=columns_of([say("check"), say("verdict"), say("why")], 3), rows=rows)
    head = f"**{markdown_text(sheet.told(sheet.summary))}** · {markdown_text(sheet.told(sheet.title))}"
    notes = [f"- {markdown_text(sheet.told(note))}" for note in sheet.notes]
    return "\n\n".join([head, markdown_table(table, sheet.lang), *(["\n".join(notes)] if notes else [])])


def junit(sheet: GateSheet) -> str:
    """The same as the XML that the pages of pipelines show: a test case for each verdict."""
    failed = sheet.count("failed")
    counts = f'tests="{len(sheet.lines)}" failures="{failed}" errors="0" skipped="0" time="0"'
    cases = [_case(sheet, line) for line in sheet.lines]
    notes = "\n".join(sheet.told(note) for note in sheet.notes)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="steelyard check" {counts}>',
            f"  <testsuite name={quoteattr(sheet.told(sheet.title))} {counts}>",
            *cases,
            *(["    <system-out>" + escape(notes) + "</system-out>"] if notes else []),
            "  </testsuite>",
            "</testsuites>",
        ]
    )


def _case(sheet: GateSheet, line: Any) -> str:
    named = f'classname="steelyard.{line.rule.kind}" name={quoteattr(sheet.told(line.name))} time="0"'
    reason = sheet.told(line.said)
    inside = f"<system-out>{escape(reason)}</system-out>"
    if line.outcome == "failed":
        kind = quoteattr(line.rule.kind)
        inside = f"<failure type={kind} message={quoteattr(reason)}>{escape(reason)}</failure>"
    return f"    <testcase {named}>{inside}</testcase>"
