"""An explanation in the words of one language, before it takes a form."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.conventions import plain
from steelyard.messages import say, term, told
from steelyard.metrics import Metric
from steelyard.show import catalogue
from steelyard.show.explanation.explanation import (
    VALUE,
    By,
    Column,
    Explanation,
    Line,
    Number,
    Of,
    Operand,
    Steps,
    reduced,
    short_name,
)
from steelyard.show.labels import in_table as number
from steelyard.show.labels import shown

_OBVIOUS = {"sum", "hits"}  # what they add up needs no words
_WIDEST_NAME = 40


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table as text: the header, the rows, and how many columns stand to the left.

    ``beside`` are the forms that may stand beside the table before it, the widest first.
    """

    heading: str
    rows: list[list[str]]
    left: int
    below: str = ""
    beside: tuple[Grid, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Page:
    """All that an explanation shows, in the order in which it is read."""

    title: str
    sentence: str
    formula: tuple[str, ...]
    conventions: tuple[tuple[str, str], ...]
    grids: tuple[Grid, ...]
    lines: tuple[str, ...]
    others: tuple[tuple[str, str, str], ...]  # choice, value, meaning
    same: tuple[str, ...]  # choices that change nothing
    facts: tuple[str, ...]
    notes: tuple[str, ...]


def page(made: Explanation, lang: str) -> Page:
    """An explanation put into words."""
    same = [other.text for other in made.others if _same(other.value, made.value)]
    changed = [other for other in made.others if other.text not in same]
    return Page(
        title=_title(made, lang),
        sentence=catalogue.sentence(type(made.metric), lang),
        formula=tuple(_formula(made, lang)),
        conventions=tuple(_conventions(made, lang)),
        grids=tuple(_grid(steps, lang) for steps in made.steps),
        lines=tuple(_line(made, line, lang) for line in made.lines),
        others=tuple(
            (other.text, number(other.value), _choice_meaning(other.metric, other.field, lang))
            for other in changed
        ),
        same=tuple(same),
        facts=tuple(fact.told(lang) for fact in made.facts),
        notes=tuple(note.told(lang) for note in made.notes),
    )


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12) or (one != one and other != other)


def _title(made: Explanation, lang: str) -> str:
    label = str(made.metric)
    named = f"{label} {getattr(made.metric, lang, '')}".rstrip()  # zh is its name in Chinese
    if not made.of:
        return named
    return say("{metric} of {query}", metric=named, query=shown(made.of, _WIDEST_NAME)).told(lang)


def _formula(made: Explanation, lang: str) -> list[str]:
    """The lines of arithmetic in names, and what the names of sums stand for."""
    found = []
    for line in made.lines:
        if not any(isinstance(operand, Of | By) for operand in line.operands.values()):
            continue
        symbols = {name: _symbol(made, name, operand, lang) for name, operand in line.operands.items()}
        found.append(f"{_named(made, line, lang)} = {_typeset(line.expression, symbols)}")
        for name, operand in line.operands.items():
            if isinstance(operand, Of) and operand.how == "sum" and operand.named and name not in _OBVIOUS:
                found.append(f"{symbols[name]} = {_symbol(made, 'sum', operand, lang)}")
    return list(dict.fromkeys(found))


def _symbol(made: Explanation, name: str, operand: Operand, lang: str) -> str:
    """What an operand is called in a formula."""
    if isinstance(operand, By):
        return _named(made, made.line(operand), lang)
    if isinstance(operand, Of):
        column = made.column(operand).name
        named = say("sum of {column}", column=column) if name == "sum" else operand.named or column
        return str(told(named, lang))
    return str(told(operand.named, lang)) if isinstance(operand, Number) else name


def _line(made: Explanation, line: Line, lang: str) -> str:
    """``ndcg = 12.7796 / 13.3472 = 0.9575``."""
    name = _named(made, line, lang)
    if not line.expression:
        return f"{name} = {say('undefined').told(lang)}"
    numbers = {name: _plain_number(value) for name, value in made.numbers(line).items()}
    value = number(made.line_value(line))
    if not numbers or line.expression in {f"{{{name}}}" for name in numbers}:
        return f"{name} = {value}"
    return f"{name} = {_typeset(line.expression, numbers)} = {value}"


def _named(made: Explanation, line: Line, lang: str) -> str:
    return short_name(made.metric) if line.name == VALUE else str(told(line.name, lang))


def _typeset(expression: str, parts: dict[str, str]) -> str:
    """An expression with names or numbers filled in, as it is written by hand."""
    return expression.replace(" ** ", "^").replace(" * ", " × ").format(**parts)


def _conventions(made: Explanation, lang: str) -> list[tuple[str, str]]:
    return [
        (f"{name}={plain(getattr(made.metric, name))}", _choice_meaning(made.metric, name, lang))
        for name in made.told
    ]


def _choice_meaning(metric: Metric, name: str, lang: str) -> str:
    """What the value of a field means."""
    field = next(field for field in dataclasses.fields(metric) if field.name == name)
    value = plain(getattr(metric, name))
    if name == "k" and value == "none":
        value = "all"
    words = field.metadata.get("meaning") or field.metadata.get("words", {})
    if value not in words and name == "gain":
        return say("a mapping from grade to gain").told(lang)
    return term(words.get(value) or field.metadata.get("number", "")).told(lang)


def _grid(steps: Steps, lang: str) -> Grid:
    columns = [_cells(column, steps.visible) for column in steps.columns]
    rows = [told([column.name for column in steps.columns], lang), *map(list, zip(*columns, strict=True))]
    if steps.total:
        rows.append(_total(steps, lang))
    texts = [place for place, column in enumerate(steps.columns) if column.kind == "text"]
    return Grid(
        heading=told(steps.name, lang),
        rows=rows,
        left=max(texts, default=-1) + 1,
        below=steps.hidden.told(lang) if steps.hidden else "",
        beside=_beside(steps, lang),
    )


def _beside(steps: Steps, lang: str) -> tuple[Grid, ...]:
    if not steps.beside:
        return ()
    kept = tuple(column for column in steps.columns if column.key not in steps.spare)
    forms = [dataclasses.replace(steps, columns=columns, beside=False) for columns in (steps.columns, kept)]
    return tuple(_grid(form, lang) for form in forms)


def _total(steps: Steps, lang: str) -> list[str]:
    """The row of sums, its name in the cell before the first of them."""
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
    if whole and found == found:
        return f"{found:.0f}"
    return number(found)


def _plain_number(value: float) -> str:
    """A number in a line of arithmetic: whole, or to four decimals."""
    return f"{value:.0f}" if value == value and abs(value) < 1e15 and value.is_integer() else number(value)
