"""An explanation as text, Markdown or HTML; ids are text, whatever they contain."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rich.cells import cell_len, set_cell_size

from steelyard.messages import say
from steelyard.show import markup
from steelyard.show.explanation.explanation import Explanation
from steelyard.show.explanation.page import Grid, Page, page
from steelyard.show.text import aligned, check_width, wrapped

_WIDE = 110  # where nothing says how wide a line may be
_GAP = "    "
_NARROWEST = 24
_FORMULA, _CONVENTIONS, _MEANING = say("formula"), say("conventions"), say("meaning")
_OTHERS, _VALUE = say("other choices"), say("value")


def text(made: Explanation, lang: str, width: int | None = None) -> str:
    """Aligned columns for a terminal or a pipe; the best order stands beside the list if there is room."""
    told = page(made, lang)
    room = (check_width(width) or _WIDE) - 2
    blocks = [
        [wrapped(f"{told.title} — {told.sentence}", width), *(wrapped(fact, width) for fact in told.facts)],
        _headed(_FORMULA.told(lang), told.formula),
        _headed(_CONVENTIONS.told(lang), _hanging(told.conventions, room)),
        *_tables(told, room),
        [f"  {line}" for line in told.lines],
        _others(told, lang, room),
        [wrapped(f"! {note}", width) for note in told.notes],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def markdown(made: Explanation, lang: str) -> str:
    """Headings, pipe tables and lists."""
    told = page(made, lang)
    plain = markup.markdown_text
    blocks = [f"### {plain(told.title)}", plain(told.sentence), *map(plain, told.facts)]
    blocks += [_items([plain(line) for line in told.formula])]
    if told.conventions:
        blocks.append(
            markup.pipe_table([[_CONVENTIONS.told(lang), _MEANING.told(lang)], *told.conventions], 2)
        )
    for grid in told.grids:
        blocks += [f"**{plain(grid.heading)}**", markup.pipe_table(grid.rows, grid.left), plain(grid.below)]
    blocks += [_items([plain(line) for line in told.lines])]
    if told.others:
        blocks.append(markup.pipe_table(_with_header(told, lang), 3))
    blocks.append(plain(_same(told, lang)))
    blocks.append(_items([plain(note) for note in told.notes]))
    return "\n\n".join(block for block in blocks if block)


def html(made: Explanation, lang: str) -> str:
    """A piece of HTML for a notebook or a page."""
    told = page(made, lang)
    beside = '<div style="display:inline-block;vertical-align:top;margin-right:2em">{}</div>'
    grids = "".join(
        beside.format(
            f"<p><b>{escape(grid.heading)}</b></p>{markup.html_table(grid.rows, grid.left)}"
            + (f"<p>{escape(grid.below)}</p>" if grid.below else "")
        )
        for grid in told.grids
    )
    conventions = [[_CONVENTIONS.told(lang), _MEANING.told(lang)], *map(list, told.conventions)]
    others = markup.html_table(_with_header(told, lang), 3) if told.others else ""
    same = _same(told, lang)
    return (
        f'<div lang="{lang}"><h3>{escape(told.title)}</h3><p>{escape(told.sentence)}</p>'
        + _html_lines(told.facts)
        + _html_lines(told.formula)
        + (markup.html_table(conventions, 2) if told.conventions else "")
        + f"<div>{grids}</div>"
        + _html_lines(told.lines)
        + others
        + (f"<p>{escape(same)}</p>" if same else "")
        + (f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in told.notes)}</ul>" if told.notes else "")
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


def _tables(told: Page, room: int) -> list[list[str]]:
    """Each table a block; one that may stand beside the one before it does so if there is room."""
    blocks: list[list[str]] = []
    for grid in told.grids:
        joined = [_beside(blocks[-1], _table(form)) for form in grid.beside] if blocks else []
        fitting = [lines for lines in joined if max(map(cell_len, lines)) <= room]
        if fitting:
            blocks[-1] = fitting[0]
        else:
            blocks.append(_table(grid))
    return [[f"  {line}" for line in block] for block in blocks]


def _table(grid: Grid) -> list[str]:
    below = [grid.below] if grid.below else []
    return [grid.heading, *aligned(grid.rows, grid.left).splitlines(), *below]


def _beside(one: list[str], other: list[str]) -> list[str]:
    height = max(len(one), len(other))
    left = [*one, *[""] * (height - len(one))]
    right = [*other, *[""] * (height - len(other))]
    wide = max(map(cell_len, left))
    return [set_cell_size(a, wide) + _GAP + b for a, b in zip(left, right, strict=True)]


def _others(told: Page, lang: str, room: int) -> list[str]:
    same = _same(told, lang)
    lines = [*_hanging(told.others, room), *([wrapped(same, room)] if same else [])]
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


def _same(told: Page, lang: str) -> str:
    return say("the same with {choices}", choices=told.same).told(lang) if told.same else ""


def _with_header(told: Page, lang: str) -> list[list[str]]:
    header = [_OTHERS.told(lang), _VALUE.told(lang), _MEANING.told(lang)]
    return [header, *map(list, told.others)]


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _html_lines(lines: tuple[str, ...]) -> str:
    return f"<p>{'<br>'.join(map(escape, lines))}</p>" if lines else ""
