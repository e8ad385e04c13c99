"""An explanation in the words of one language, before it takes a form."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.conventions import plain
from steelyard.explain.explanation import VALUE, By, Column, Explanation, Line, Of, Steps, reduced
from steelyard.explain.words import WORDS, meaning, say
from steelyard.metrics import Metric
from steelyard.report import catalogue
from steelyard.report.document import number
from steelyard.report.labels import shown

_NAME = re.compile(r"\{(\w+)\}")
_OBVIOUS = {"hits"}  # what they add up needs no words
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
        sentence=_sentence(made, lang),
        formula=tuple(_formula(made, lang)),
        conventions=tuple(_conventions(made, lang)),
        grids=tuple(_grid(steps, lang) for steps in made.steps),
        lines=tuple(_line(made, line, lang) for line in made.lines),
        others=tuple(
            (
                other.text,
                number(other.value),
                _choice_meaning(other.metric, other.field, lang),
            )
            for other in changed
        ),
        same=tuple(same),
        facts=tuple(say(note.key, lang, note.values) for note in made.facts),
        notes=tuple(say(note.key, lang, note.values) for note in made.notes),
    )


def _sentence(made: Explanation, lang: str) -> str:
    """What the metric says; of a curve, which is none, the words have it."""
    key = f"about_{made.metric.name}"
    return say(key, lang) if key in WORDS else catalogue.sentence(type(made.metric), lang)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12) or (one != one and other != other)


def _title(made: Explanation, lang: str) -> str:
    label = str(made.metric)
    named = f"{label} {made.metric.zh}".rstrip() if lang == "zh" else label
    if not made.of:
        return named
    return say("title", lang, {"metric": named, "query": shown(made.of, _WIDEST_NAME)})


def _formula(made: Explanation, lang: str) -> list[str]:
    """The lines of arithmetic in names, and what the names of sums stand for."""
    found = []
    for line in made.lines:
        if not any(isinstance(operand, Of | By) for operand in line.operands.values()):
            continue
        symbols = {name: _symbol(made, name, line, lang) for name in line.operands}
        found.append(f"{_named(made, line, lang)} = {_typeset(line.expression, symbols)}")
        for name, operand in line.operands.items():
            if not isinstance(operand, Of) or operand.how != "sum" or name in {"sum", *_OBVIOUS}:
                continue
            if say(name, lang) != say(operand.column, lang):
                found.append(f"{say(name, lang)} = {_sum_of(operand, lang)}")
    return list(dict.fromkeys(found))


def _symbol(made: Explanation, name: str, line: Line, lang: str) -> str:
    operand = line.operands[name]
    if isinstance(operand, Of) and name == "sum":
        return _sum_of(operand, lang)
    if isinstance(operand, By):
        return _named(made, next(one for one in made.lines if one.name == operand.line), lang)
    return say(name, lang)


def _sum_of(operand: Of, lang: str) -> str:
    return say("sum_of", lang, {"column": say(operand.column, lang)})


def _line(made: Explanation, line: Line, lang: str) -> str:
    """``ndcg = 12.7796 / 13.3472 = 0.9575``."""
    name = _named(made, line, lang)
    if not line.expression:
        return f"{name} = {say('undefined', lang)}"
    numbers = {name: _plain_number(value) for name, value in made.numbers(line).items()}
    value = number(made.line_value(line))
    if _NAME.fullmatch(line.expression) or not numbers:
        return f"{name} = {value}"
    return f"{name} = {_typeset(line.expression, numbers)} = {value}"


def _named(made: Explanation, line: Line, lang: str) -> str:
    if line.name != VALUE:
        return say(line.name, lang)
    return re.split(r"[(@]", str(made.metric))[0]


def _typeset(expression: str, parts: dict[str, str]) -> str:
    """An expression with names or numbers filled in, as it is written by hand."""
    by_hand = expression.replace(" ** ", "^").replace(" * ", " × ")
    return _NAME.sub(lambda found: parts[found[1]], by_hand)


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
    if value in words:
        return meaning(words[value], lang)
    return say("gain_mapping", lang) if name == "gain" else meaning(field.metadata.get("number", ""), lang)


def _grid(steps: Steps, lang: str) -> Grid:
    columns = [_cells(column, steps.visible) for column in steps.columns]
    rows = [[say(column.name, lang) for column in steps.columns], *map(list, zip(*columns, strict=True))]
    if steps.total:
        rows.append(_total(steps, lang))
    texts = [place for place, column in enumerate(steps.columns) if column.kind == "text"]
    return Grid(
        heading=say(steps.name, lang),
        rows=rows,
        left=max(texts, default=-1) + 1,
        below=say(steps.hidden.key, lang, steps.hidden.values) if steps.hidden else "",
        beside=_beside(steps, lang),
    )


def _beside(steps: Steps, lang: str) -> tuple[Grid, ...]:
    if not steps.beside:
        return ()
    kept = tuple(column for column in steps.columns if column.name not in steps.spare)
    forms = [dataclasses.replace(steps, columns=columns, beside=False) for columns in (steps.columns, kept)]
    return tuple(_grid(form, lang) for form in forms)


def _total(steps: Steps, lang: str) -> list[str]:
    """The row of sums, its name in the cell before the first of them."""
    cells = [
        _written([reduced(column, "sum")], _whole(column))[0] if column.name in steps.total else ""
        for column in steps.columns
    ]
    first = next(place for place, column in enumerate(steps.columns) if column.name in steps.total)
    cells[max(first - 1, 0)] = cells[max(first - 1, 0)] or say(steps.total_name, lang)
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
