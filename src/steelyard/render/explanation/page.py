"""An explanation in the words of one language, and as text, Markdown or HTML; ids are only text."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len, set_cell_size

from steelyard.conventions import plain
from steelyard.metrics import Metric
from steelyard.metrics.fields import value_meaning
from steelyard.metrics.steps import (
    VALUE,
    By,
    Column,
    Line,
    Made,
    Number,
    Of,
    Quantity,
    Steps,
    key_of,
    operands,
    reduced,
    written,
)
from steelyard.render import catalogue
from steelyard.render.explanation import Explanation
from steelyard.render.table import ShownTable, columns_of
from steelyard.render.text import aligned, check_width, html_table, markdown_table, markdown_text, wrapped
from steelyard.text import Message, say, term, told
from steelyard.text.labels import in_table as number
from steelyard.text.names import shown

_OBVIOUS = "hits"  # what they add up needs no words
_WIDEST_NAME = 40
_WIDE = 110  # where nothing says how wide a line may be
_GAP = "    "
_NARROWEST = 24
_FORMULA, _CONVENTIONS, _MEANING = say("formula"), say("conventions"), say("meaning")
_OTHERS, _RESULT = say("other choices"), say("value")


@dataclass(frozen=True, kw_only=True)
class Page:
    """All that an explanation shows, in the order in which it is read."""

    title: str
    sentence: str
    formula: tuple[str, ...]
    conventions: tuple[tuple[str, str], ...]
    grids: tuple[ShownTable, ...]
    lines: tuple[str, ...]
    others: tuple[tuple[str, str, str], ...]  # choice, value, meaning
    same: str  # the choices that change nothing
    facts: tuple[str, ...]
    notes: tuple[str, ...]


def page(explanation: Explanation, lang: str) -> Page:
    same = [
        other.text
        for other in explanation.others
        if math.isclose(other.value, explanation.value, rel_tol=1e-12, abs_tol=1e-12)
        or (math.isnan(other.value) and math.isnan(explanation.value))
    ]
    changed = [other for other in explanation.others if other.text not in same]
    return Page(
        title=_title(explanation, lang),
        sentence=catalogue.sentence(type(explanation.metric), lang),
        formula=tuple(_formula(explanation, lang)),
        conventions=tuple(
            (
                f"{name}={plain(getattr(explanation.metric, name))}",
                _choice_meaning(explanation.metric, name, lang),
            )
            for name in explanation.told
        ),
        grids=tuple(_grid(steps, lang) for steps in explanation.steps),
        lines=tuple(_line(explanation, line, lang) for line in explanation.lines),
        others=tuple(
            (other.text, number(other.value), _choice_meaning(other.metric, other.field, lang))
            for other in changed
        ),
        same=say("the same with {choices}", choices=tuple(same)).told(lang) if same else "",
        facts=tuple(fact.told(lang) for fact in explanation.facts),
        notes=tuple(note.told(lang) for note in explanation.notes),
    )


def _title(explanation: Explanation, lang: str) -> str:
    label = explanation.label or str(explanation.metric)
    named = f"{label} {getattr(explanation.metric, lang, '')}".rstrip()  # zh is its name in Chinese
    if not explanation.of:
        return named
    return say("{metric} of {query}", metric=named, query=shown(explanation.of, _WIDEST_NAME)).told(lang)


def _formula(explanation: Explanation, lang: str) -> list[str]:
    lines = []
    for line in explanation.lines:
        used = list(operands(line.arithmetic))
        if line.arithmetic is None or not any(isinstance(operand, Of | By) for operand in used):
            continue
        symbols = written(line.arithmetic, lambda operand: _symbol(explanation, operand, lang))
        lines.append(f"{_named(explanation, line, lang)} = {symbols}")
        sums = [
            operand for operand in used if isinstance(operand, Of) and operand.how == "sum" and operand.named
        ]
        told_sums = [operand for operand in sums if key_of(operand.named) != _OBVIOUS]
        for operand in sorted(told_sums, key=explanation.place):
            summed = _symbol(explanation, dataclasses.replace(operand, as_sum=True), lang)
            lines.append(f"{_symbol(explanation, operand, lang)} = {summed}")
    return list(dict.fromkeys(lines))


def _symbol(explanation: Explanation, operand: Quantity, lang: str) -> str:
    if isinstance(operand, By):
        return _named(explanation, explanation.line(operand), lang)
    if isinstance(operand, Of):
        column = explanation.column(operand).name
        named = say("sum of {column}", column=column) if operand.as_sum else operand.named or column
        return str(told(named, lang))
    assert isinstance(operand, Number)
    return str(told(operand.named, lang))


def _line(explanation: Explanation, line: Line, lang: str) -> str:
    name = _named(explanation, line, lang)
    if line.arithmetic is None:
        return f"{name} = {say('undefined').told(lang)}"
    value = number(explanation.line_value(line))
    if not isinstance(line.arithmetic, Made):
        return f"{name} = {value}"
    return (
        f"{name} = {written(line.arithmetic, lambda one: _plain_number(explanation.number(one)))} = {value}"
    )


def _named(explanation: Explanation, line: Line, lang: str) -> str:
    return explanation.metric.short_name if line.name == VALUE else str(told(line.name, lang))


def _choice_meaning(metric: Metric, name: str, lang: str) -> str:
    return term(value_meaning(metric.__dataclass_fields__[name], getattr(metric, name))).told(lang)


def _grid(steps: Steps, lang: str) -> ShownTable:
    columns = [_cells(column, steps.visible) for column in steps.columns]
    rows = list(map(list, zip(*columns, strict=True)))
    if steps.total:
        rows.append(_total(steps, lang))
    last = max((place for place, column in enumerate(steps.columns) if column.kind == "text"), default=-1)
    return ShownTable(
        columns=columns_of([column.name for column in steps.columns], last + 1),
        rows=rows,
        caption=steps.name,
        notes=(steps.hidden,) if steps.hidden else (),
        narrower=_narrower(steps, lang),
    )


def _narrower(steps: Steps, lang: str) -> tuple[ShownTable, ...]:
    if not steps.beside:
        return ()
    kept = tuple(column for column in steps.columns if column.key not in steps.spare)
    forms = [dataclasses.replace(steps, columns=columns, beside=False) for columns in (steps.columns, kept)]
    return tuple(_grid(form, lang) for form in forms)


def _total(steps: Steps, lang: str) -> list[str]:
    cells = [
        _written([reduced(column, "sum")], _whole(column))[0] if column.key in steps.total else ""
        for column in steps.columns
    ]
    first = next(place for place, column in enumerate(steps.columns) if column.key in steps.total)
    cells[max(first - 1, 0)] = cells[max(first - 1, 0)] or told(steps.total_name, lang)
    return cells


def _cells(column: Column, rows: Sequence[int]) -> list[str]:
    if column.kind == "text":
        return [shown(column.cells[row], _WIDEST_NAME) for row in rows]
    return _written([column.cells[row] for row in rows], _whole(column))


def _whole(column: Column) -> bool:
    """Whether a column shows no decimals: every number of it is an integer."""
    return column.kind != "decimal" and all(
        not isinstance(cell, float) or cell != cell or (cell.is_integer() and abs(cell) < 1e15)
        for cell in column.cells
    )


def _written(cells: Sequence[object], whole: bool) -> list[str]:
    return ["" if cell is None else cell if isinstance(cell, str) else _digits(cell, whole) for cell in cells]


def _digits(value: object, whole: bool) -> str:
    found = float(value)  # type: ignore[arg-type]
    return f"{found:.0f}" if whole and found == found else number(found)


def _plain_number(value: float) -> str:
    return f"{value:.0f}" if value == value and abs(value) < 1e15 and value.is_integer() else number(value)


def text(explanation: Explanation, lang: str, width: int | None = None) -> str:
    """Aligned columns for a terminal or a pipe; the best order is beside the list if there is room."""
    sheet = page(explanation, lang)
    room = (check_width(width) or _WIDE) - 2
    blocks = [
        [
            wrapped(f"{sheet.title} — {sheet.sentence}", width),
            *(wrapped(fact, width) for fact in sheet.facts),
        ],
        _headed(_FORMULA.told(lang), sheet.formula),
        _headed(_CONVENTIONS.told(lang), _hanging(sheet.conventions, room)),
        *_tables(sheet, lang, room),
        [f"  {line}" for line in sheet.lines],
        _others(sheet, lang, room),
        [wrapped(f"! {note}", width) for note in sheet.notes],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def markdown(explanation: Explanation, lang: str) -> str:
    sheet = page(explanation, lang)
    plain = markdown_text
    blocks = [f"### {plain(sheet.title)}", plain(sheet.sentence), *map(plain, sheet.facts)]
    blocks += [_items([plain(line) for line in sheet.formula])]
    if sheet.conventions:
        blocks.append(markdown_table(_choices(sheet.conventions, _CONVENTIONS), lang))
    for grid in sheet.grids:
        blocks += [f"**{plain(told(grid.caption, lang))}**", markdown_table(grid, lang)]
        blocks.append(plain(grid.below(lang)))
    blocks += [_items([plain(line) for line in sheet.lines])]
    if sheet.others:
        blocks.append(markdown_table(_choices(sheet.others, _OTHERS, _RESULT), lang))
    blocks += [plain(sheet.same), _items([plain(note) for note in sheet.notes])]
    return "\n\n".join(block for block in blocks if block)


def html(explanation: Explanation, lang: str) -> str:
    sheet = page(explanation, lang)
    block = '<div style="display:inline-block;vertical-align:top;margin-right:2em">{}</div>'
    grids = "".join(
        block.format(
            f"<p><b>{escape(told(grid.caption, lang))}</b></p>{html_table(grid, lang)}"
            + (f"<p>{escape(grid.below(lang))}</p>" if grid.notes else "")
        )
        for grid in sheet.grids
    )
    conventions, others = _choices(sheet.conventions, _CONVENTIONS), _choices(sheet.others, _OTHERS, _RESULT)
    return (
        f'<div lang="{lang}"><h3>{escape(sheet.title)}</h3><p>{escape(sheet.sentence)}</p>'
        + _html_lines(sheet.facts)
        + _html_lines(sheet.formula)
        + (html_table(conventions, lang) if sheet.conventions else "")
        + f"<div>{grids}</div>"
        + _html_lines(sheet.lines)
        + (html_table(others, lang) if sheet.others else "")
        + (f"<p>{escape(sheet.same)}</p>" if sheet.same else "")
        + (f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in sheet.notes)}</ul>" if sheet.notes else "")
        + "</div>"
    )


def html_page(explanation: Explanation, lang: str) -> str:
    title = escape(page(explanation, lang).title)
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>\n'
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.1em .8em}</style></head>\n"
        f"<body>{html(explanation, lang)}</body></html>"
    )


def _headed(heading: str, lines: tuple[str, ...] | list[str]) -> list[str]:
    return [heading, *(f"  {line}" for line in lines)] if lines else []


def _tables(sheet: Page, lang: str, room: int) -> list[list[str]]:
    """The lines of each table; a table with narrower forms joins the one before it if there is room."""
    blocks: list[list[str]] = []
    for grid in sheet.grids:
        joined = [_joined(blocks[-1], _lines(form, lang)) for form in grid.narrower] if blocks else []
        fitting = [lines for lines in joined if max(map(cell_len, lines)) <= room]
        if fitting:
            blocks[-1] = fitting[0]
        else:
            blocks.append(_lines(grid, lang))
    return [[f"  {line}" for line in block] for block in blocks]


def _lines(table: ShownTable, lang: str) -> list[str]:
    below = [table.below(lang)] if table.notes else []
    return [told(table.caption, lang), *aligned(table.texts(lang), table.left).splitlines(), *below]


def _joined(one: list[str], other: list[str]) -> list[str]:
    height = max(len(one), len(other))
    left = [*one, *[""] * (height - len(one))]
    right = [*other, *[""] * (height - len(other))]
    wide = max(map(cell_len, left))
    return [set_cell_size(a, wide) + _GAP + b for a, b in zip(left, right, strict=True)]


def _others(sheet: Page, lang: str, room: int) -> list[str]:
    lines = [*_hanging(sheet.others, room), *([wrapped(sheet.same, room)] if sheet.same else [])]
    return _headed(_OTHERS.told(lang), "\n".join(lines).splitlines())


def _hanging(rows: Sequence[tuple[str, ...]], room: int) -> list[str]:
    if not rows:
        return []
    lines = []
    left = aligned([[*row[:-1], "|"] for row in rows], len(rows[0])).splitlines()
    for start, row in zip(left, rows, strict=True):
        start = start.removesuffix("|")
        first, *further = wrapped(row[-1], max(room - cell_len(start), _NARROWEST)).splitlines() or [""]
        lines += [start + first, *(" " * cell_len(start) + line for line in further)]
    return lines


def _choices(rows: Sequence[Sequence[str]], *headings: Message) -> ShownTable:
    return ShownTable(columns=columns_of([*headings, _MEANING], len(headings) + 1), rows=rows)


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _html_lines(lines: tuple[str, ...]) -> str:
    return f"<p>{'<br>'.join(map(escape, lines))}</p>" if lines else ""
