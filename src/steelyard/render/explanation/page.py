"""An explanation in the words of one language, and as text, Markdown or HTML; ids are only text."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

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
from steelyard.text import in_language, say, term
from steelyard.text.labels import in_table as number
from steelyard.text.names import shown

_OBVIOUS = "hits"  # what they add up needs no words
_WIDEST_NAME = 40
_WIDE = 110  # where nothing says how wide a line may be
_GAP = "    "
_NARROWEST = 24
_MEANING = say("meaning")


@dataclass(frozen=True, kw_only=True)
class Page:
    """All that an explanation shows, in the order in which it is read."""

    title: str
    sentence: str
    facts: list[str]
    formula: list[str]
    conventions: ShownTable
    grids: list[ShownTable]
    lines: list[str]
    others: ShownTable  # choices that change the value
    same: list[str]  # a line on those that change nothing
    notes: list[str]


def page(explanation: Explanation, lang: str) -> Page:
    label = explanation.label or str(explanation.metric)
    title = f"{label} {getattr(explanation.metric, lang, '')}".rstrip()  # zh is its name in Chinese
    if explanation.of:
        query = shown(explanation.of, _WIDEST_NAME)
        title = say("{metric} of {query}", metric=title, query=query).render(lang)
    same = [
        other.text
        for other in explanation.others
        if math.isclose(other.value, explanation.value, rel_tol=1e-12, abs_tol=1e-12)
        or (math.isnan(other.value) and math.isnan(explanation.value))
    ]
    metric = explanation.metric
    conventions = [
        (f"{name}={plain(getattr(metric, name))}", _choice_meaning(metric, name, lang))
        for name in explanation.explained
    ]
    others = [
        (other.text, number(other.value), _choice_meaning(other.metric, other.field, lang))
        for other in explanation.others
        if other.text not in same
    ]
    return Page(
        title=title,
        sentence=catalogue.sentence(type(explanation.metric), lang),
        facts=in_language(explanation.facts, lang),
        formula=_formula(explanation, lang),
        conventions=ShownTable(columns=columns_of([say("conventions"), _MEANING], 2), rows=conventions),
        grids=[_grid(steps, lang) for steps in explanation.steps],
        lines=[_line(explanation, line, lang) for line in explanation.lines],
        others=ShownTable(columns=columns_of([say("other choices"), say("value"), _MEANING], 3), rows=others),
        same=[say("the same with {choices}", choices=tuple(same)).render(lang)] if same else [],
        notes=in_language(explanation.notes, lang),
    )


def _formula(explanation: Explanation, lang: str) -> list[str]:
    lines = []
    for line in explanation.lines:
        used = list(operands(line.arithmetic))
        if line.arithmetic is None or not any(isinstance(operand, Of | By) for operand in used):
            continue
        symbols = written(line.arithmetic, lambda operand: _symbol(explanation, operand, lang))
        lines.append(f"{_named(explanation, line, lang)} = {symbols}")
        sums = [
            operand
            for operand in used
            if isinstance(operand, Of) and operand.how == "sum" and operand.named
            if key_of(operand.named) != _OBVIOUS
        ]
        for operand in sorted(sums, key=explanation.place):
            summed = _symbol(explanation, dataclasses.replace(operand, as_sum=True), lang)
            lines.append(f"{_symbol(explanation, operand, lang)} = {summed}")
    return list(dict.fromkeys(lines))


def _symbol(explanation: Explanation, operand: Quantity, lang: str) -> str:
    if isinstance(operand, By):
        return _named(explanation, explanation.line(operand), lang)
    if isinstance(operand, Of):
        column = explanation.column(operand).name
        named = say("sum of {column}", column=column) if operand.as_sum else operand.named or column
        return str(in_language(named, lang))
    assert isinstance(operand, Number)
    return str(in_language(operand.named, lang))


def _line(explanation: Explanation, line: Line, lang: str) -> str:
    name = _named(explanation, line, lang)
    if line.arithmetic is None:
        return f"{name} = {say('undefined').render(lang)}"
    value = number(explanation.line_value(line))
    if not isinstance(line.arithmetic, Made):
        return f"{name} = {value}"

    def digits(operand: Quantity) -> str:
        figure = explanation.number(operand)
        return _digits(figure, _is_whole(figure))

    return f"{name} = {written(line.arithmetic, digits)} = {value}"


def _named(explanation: Explanation, line: Line, lang: str) -> str:
    return explanation.metric.short_name if line.name == VALUE else str(in_language(line.name, lang))


def _choice_meaning(metric: Metric, name: str, lang: str) -> str:
    return term(value_meaning(metric.__dataclass_fields__[name], getattr(metric, name))).render(lang)


def _grid(steps: Steps, lang: str) -> ShownTable:
    columns = [_cells(column, steps.visible) for column in steps.columns]
    rows = list(map(list, zip(*columns, strict=True)))
    if steps.total:
        rows.append(_total(steps, lang))
    last = max((place for place, column in enumerate(steps.columns) if column.kind == "text"), default=-1)
    narrower = []
    if steps.beside:
        kept = tuple(column for column in steps.columns if column.key not in steps.spare)
        narrower = [dataclasses.replace(steps, columns=form, beside=False) for form in (steps.columns, kept)]
    return ShownTable(
        columns=columns_of([column.name for column in steps.columns], last + 1),
        rows=rows,
        caption=steps.name,
        notes=(steps.hidden,) if steps.hidden else (),
        narrower=tuple(_grid(form, lang) for form in narrower),
    )


def _total(steps: Steps, lang: str) -> list[str]:
    cells = [
        _digits(reduced(column, "sum"), _all_whole(column)) if column.key in steps.total else ""
        for column in steps.columns
    ]
    first = next(place for place, column in enumerate(steps.columns) if column.key in steps.total)
    cells[max(first - 1, 0)] = cells[max(first - 1, 0)] or in_language(steps.total_name, lang)
    return cells


def _cells(column: Column, rows: Sequence[int]) -> list[str]:
    if column.kind == "text":
        return [shown(column.cells[row], _WIDEST_NAME) for row in rows]
    whole, cells = _all_whole(column), (column.cells[row] for row in rows)
    return ["" if cell is None else cell if isinstance(cell, str) else _digits(cell, whole) for cell in cells]


def _all_whole(column: Column) -> bool:
    """Whether a column shows no decimals: every number of it is an integer."""
    return column.kind != "decimal" and all(
        not isinstance(cell, float) or cell != cell or _is_whole(cell) for cell in column.cells
    )


def _is_whole(value: float) -> bool:
    return value.is_integer() and abs(value) < 1e15


def _digits(value: float, whole: bool) -> str:
    value = float(value)
    return f"{value:.0f}" if whole and value == value else number(value)


def text(explanation: Explanation, lang: str, width: int | None = None) -> str:
    """Aligned columns for a terminal or a pipe; the best order is beside the list if there is room."""
    sheet = page(explanation, lang)
    room = (check_width(width) or _WIDE) - 2
    same = [line for sentence in sheet.same for line in wrapped(sentence, room).splitlines()]
    blocks = [
        [wrapped(line, width) for line in (f"{sheet.title} — {sheet.sentence}", *sheet.facts)],
        _headed(say("formula").render(lang), sheet.formula),
        _headed(say("conventions").render(lang), _hanging(sheet.conventions, room)),
        *_tables(sheet, lang, room),
        [f"  {line}" for line in sheet.lines],
        _headed(say("other choices").render(lang), [*_hanging(sheet.others, room), *same]),
        [wrapped(f"! {note}", width) for note in sheet.notes],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def markdown(explanation: Explanation, lang: str) -> str:
    sheet, plain = page(explanation, lang), markdown_text
    grids: list[str] = []
    for grid in sheet.grids:
        caption = f"**{plain(in_language(grid.caption, lang))}**"
        grids += [caption, markdown_table(grid, lang), plain(grid.below(lang))]
    formula, lines, notes = (
        "\n".join(f"- {plain(line)}" for line in part) for part in (sheet.formula, sheet.lines, sheet.notes)
    )
    conventions, others = (
        markdown_table(table, lang) if table.rows else "" for table in (sheet.conventions, sheet.others)
    )
    head = [f"### {plain(sheet.title)}", plain(sheet.sentence), *map(plain, sheet.facts)]
    blocks = [*head, formula, conventions, *grids, lines, others, *map(plain, sheet.same), notes]
    return "\n\n".join(block for block in blocks if block)


def html(explanation: Explanation, lang: str) -> str:
    sheet = page(explanation, lang)
    block = '<div style="display:inline-block;vertical-align:top;margin-right:2em">{}</div>'
    grids = "".join(
        block.format(
            f"<p><b>{escape(in_language(grid.caption, lang))}</b></p>{html_table(grid, lang)}"
            + (f"<p>{escape(grid.below(lang))}</p>" if grid.notes else "")
        )
        for grid in sheet.grids
    )
    facts, formula, lines, same = (
        f"<p>{'<br>'.join(map(escape, part))}</p>" if part else ""
        for part in (sheet.facts, sheet.formula, sheet.lines, sheet.same)
    )
    conventions, others = (
        html_table(table, lang) if table.rows else "" for table in (sheet.conventions, sheet.others)
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in sheet.notes)
    return (
        f'<div lang="{lang}"><h3>{escape(sheet.title)}</h3><p>{escape(sheet.sentence)}</p>{facts}{formula}'
        f"{conventions}<div>{grids}</div>{lines}{others}{same}{f'<ul>{notes}</ul>' if notes else ''}</div>"
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
    return [in_language(table.caption, lang), *aligned(table.texts(lang), table.left).splitlines(), *below]


def _joined(left: list[str], right: list[str]) -> list[str]:
    wide = max(map(cell_len, left))
    pairs = zip_longest(left, right, fillvalue="")
    return [set_cell_size(start, wide) + _GAP + end for start, end in pairs]


def _hanging(table: ShownTable, room: int) -> list[str]:
    """The rows of a table without its headings; the last column is wrapped below itself."""
    lines = []
    rows = [[*map(str, row[:-1]), "|"] for row in table.rows]
    starts = aligned(rows, len(table.columns)).splitlines() if rows else []
    for start, row in zip(starts, table.rows, strict=True):
        start = start.removesuffix("|")
        words = wrapped(str(row[-1]), max(room - cell_len(start), _NARROWEST)).splitlines() or [""]
        before = " " * cell_len(start)
        lines += [(before if place else start) + line for place, line in enumerate(words)]
    return lines
