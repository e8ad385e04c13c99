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
from steelyard.metrics.steps.arithmetic import (
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
from steelyard.render import catalogue, markup
from steelyard.render.explanation.explanation import Explanation
from steelyard.render.system import TextTable
from steelyard.render.text import aligned, check_width, wrapped
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
    grids: tuple[TextTable, ...]
    lines: tuple[str, ...]
    others: tuple[tuple[str, str, str], ...]  # choice, value, meaning
    same: str  # the choices that change nothing
    facts: tuple[str, ...]
    notes: tuple[str, ...]


def page(made: Explanation, lang: str) -> Page:
    same = [
        other.text
        for other in made.others
        if math.isclose(other.value, made.value, rel_tol=1e-12, abs_tol=1e-12)
        or (math.isnan(other.value) and math.isnan(made.value))
    ]
    changed = [other for other in made.others if other.text not in same]
    return Page(
        title=_title(made, lang),
        sentence=catalogue.sentence(type(made.metric), lang),
        formula=tuple(_formula(made, lang)),
        conventions=tuple(
            (f"{name}={plain(getattr(made.metric, name))}", _choice_meaning(made.metric, name, lang))
            for name in made.told
        ),
        grids=tuple(_grid(steps, lang) for steps in made.steps),
        lines=tuple(_line(made, line, lang) for line in made.lines),
        others=tuple(
            (other.text, number(other.value), _choice_meaning(other.metric, other.field, lang))
            for other in changed
        ),
        same=say("the same with {choices}", choices=tuple(same)).told(lang) if same else "",
        facts=tuple(fact.told(lang) for fact in made.facts),
        notes=tuple(note.told(lang) for note in made.notes),
    )


def _title(made: Explanation, lang: str) -> str:
    label = made.label or str(made.metric)
    named = f"{label} {getattr(made.metric, lang, '')}".rstrip()  # zh is its name in Chinese
    if not made.of:
        return named
    return say("{metric} of {query}", metric=named, query=shown(made.of, _WIDEST_NAME)).told(lang)


def _formula(made: Explanation, lang: str) -> list[str]:
    found = []
    for line in made.lines:
        used = list(operands(line.arithmetic))
        if line.arithmetic is None or not any(isinstance(one, Of | By) for one in used):
            continue
        symbols = written(line.arithmetic, lambda one: _symbol(made, one, lang))
        found.append(f"{_named(made, line, lang)} = {symbols}")
        sums = [one for one in used if isinstance(one, Of) and one.how == "sum" and one.named]
        told_sums = [one for one in sums if key_of(one.named) != _OBVIOUS]
        for one in sorted(told_sums, key=made.place):
            summed = _symbol(made, dataclasses.replace(one, as_sum=True), lang)
            found.append(f"{_symbol(made, one, lang)} = {summed}")
    return list(dict.fromkeys(found))


def _symbol(made: Explanation, operand: Quantity, lang: str) -> str:
    if isinstance(operand, By):
        return _named(made, made.line(operand), lang)
    if isinstance(operand, Of):
        column = made.column(operand).name
        named = say("sum of {column}", column=column) if operand.as_sum else operand.named or column
        return str(told(named, lang))
    assert isinstance(operand, Number)
    return str(told(operand.named, lang))


def _line(made: Explanation, line: Line, lang: str) -> str:
    name = _named(made, line, lang)
    if line.arithmetic is None:
        return f"{name} = {say('undefined').told(lang)}"
    value = number(made.line_value(line))
    if not isinstance(line.arithmetic, Made):
        return f"{name} = {value}"
    return f"{name} = {written(line.arithmetic, lambda one: _plain_number(made.number(one)))} = {value}"


def _named(made: Explanation, line: Line, lang: str) -> str:
    return made.metric.short_name if line.name == VALUE else str(told(line.name, lang))


def _choice_meaning(metric: Metric, name: str, lang: str) -> str:
    return term(value_meaning(metric.__dataclass_fields__[name], getattr(metric, name))).told(lang)


def _grid(steps: Steps, lang: str) -> TextTable:
    columns = [_cells(column, steps.visible) for column in steps.columns]
    rows = [told([column.name for column in steps.columns], lang), *map(list, zip(*columns, strict=True))]
    if steps.total:
        rows.append(_total(steps, lang))
    texts = [place for place, column in enumerate(steps.columns) if column.kind == "text"]
    return TextTable(
        above=told(steps.name, lang),
        rows=rows,
        left=max(texts, default=-1) + 1,
        below=steps.hidden.told(lang) if steps.hidden else "",
        beside=_beside(steps, lang),
    )


def _beside(steps: Steps, lang: str) -> tuple[TextTable, ...]:
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


def text(made: Explanation, lang: str, width: int | None = None) -> str:
    """Aligned columns for a terminal or a pipe; the best order stands beside the list if there is room."""
    sheet = page(made, lang)
    room = (check_width(width) or _WIDE) - 2
    blocks = [
        [
            wrapped(f"{sheet.title} — {sheet.sentence}", width),
            *(wrapped(fact, width) for fact in sheet.facts),
        ],
        _headed(_FORMULA.told(lang), sheet.formula),
        _headed(_CONVENTIONS.told(lang), _hanging(sheet.conventions, room)),
        *_tables(sheet, room),
        [f"  {line}" for line in sheet.lines],
        _others(sheet, lang, room),
        [wrapped(f"! {note}", width) for note in sheet.notes],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def markdown(made: Explanation, lang: str) -> str:
    sheet = page(made, lang)
    plain = markup.markdown_text
    blocks = [f"### {plain(sheet.title)}", plain(sheet.sentence), *map(plain, sheet.facts)]
    blocks += [_items([plain(line) for line in sheet.formula])]
    if sheet.conventions:
        blocks.append(markup.pipe_table(_with_header(sheet.conventions, lang, _CONVENTIONS), 2))
    for grid in sheet.grids:
        blocks += [f"**{plain(grid.above)}**", markup.pipe_table(grid.rows, grid.left), plain(grid.below)]
    blocks += [_items([plain(line) for line in sheet.lines])]
    if sheet.others:
        blocks.append(markup.pipe_table(_with_header(sheet.others, lang, _OTHERS, _RESULT), 3))
    blocks += [plain(sheet.same), _items([plain(note) for note in sheet.notes])]
    return "\n\n".join(block for block in blocks if block)


def html(made: Explanation, lang: str) -> str:
    sheet = page(made, lang)
    beside = '<div style="display:inline-block;vertical-align:top;margin-right:2em">{}</div>'
    grids = "".join(
        beside.format(
            f"<p><b>{escape(grid.above)}</b></p>{markup.html_table(grid.rows, grid.left)}"
            + (f"<p>{escape(grid.below)}</p>" if grid.below else "")
        )
        for grid in sheet.grids
    )
    conventions = _with_header(sheet.conventions, lang, _CONVENTIONS)
    others = markup.html_table(_with_header(sheet.others, lang, _OTHERS, _RESULT), 3) if sheet.others else ""
    return (
        f'<div lang="{lang}"><h3>{escape(sheet.title)}</h3><p>{escape(sheet.sentence)}</p>'
        + _html_lines(sheet.facts)
        + _html_lines(sheet.formula)
        + (markup.html_table(conventions, 2) if sheet.conventions else "")
        + f"<div>{grids}</div>"
        + _html_lines(sheet.lines)
        + others
        + (f"<p>{escape(sheet.same)}</p>" if sheet.same else "")
        + (f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in sheet.notes)}</ul>" if sheet.notes else "")
        + "</div>"
    )


def html_page(made: Explanation, lang: str) -> str:
    title = escape(page(made, lang).title)
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>\n'
        "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.1em .8em}</style></head>\n"
        f"<body>{html(made, lang)}</body></html>"
    )


def _headed(heading: str, lines: tuple[str, ...] | list[str]) -> list[str]:
    return [heading, *(f"  {line}" for line in lines)] if lines else []


def _tables(sheet: Page, room: int) -> list[list[str]]:
    """Each table a block; one that may stand beside the one before it does so if there is room."""
    blocks: list[list[str]] = []
    for grid in sheet.grids:
        joined = [_joined(blocks[-1], _table(form)) for form in grid.beside] if blocks else []
        fitting = [lines for lines in joined if max(map(cell_len, lines)) <= room]
        if fitting:
            blocks[-1] = fitting[0]
        else:
            blocks.append(_table(grid))
    return [[f"  {line}" for line in block] for block in blocks]


def _table(grid: TextTable) -> list[str]:
    below = [grid.below] if grid.below else []
    return [grid.above, *aligned(grid.rows, grid.left).splitlines(), *below]


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


def _with_header(rows: Sequence[Sequence[str]], lang: str, *heads: Message) -> list[list[str]]:
    return [told([*heads, _MEANING], lang), *map(list, rows)]


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _html_lines(lines: tuple[str, ...]) -> str:
    return f"<p>{'<br>'.join(map(escape, lines))}</p>" if lines else ""
