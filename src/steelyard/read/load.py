"""From sources to one canonical table: find the columns, load only those, check every value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from steelyard.messages import Message, say
from steelyard.messages.errors import opening, reading
from steelyard.messages.errors.places import value_at
from steelyard.read import mappings, schema
from steelyard.read.roles import Finder
from steelyard.read.table import IDS, Part, Source, Table, Tidied, exactly

# what each item has of its own, so that a list of items needs a list of them
_OF_ITEMS = frozenset({"score", "rank", "relevance", "label", "predicted", "count"})

Roles = Callable[[Finder, Source], dict[str, str]]
Column = Callable[[pl.Series, str, Part, bool], pl.Series]  # a column, its role, its part; without types?


def ranking_column(series: pl.Series, role: str, part: Part, untyped: bool) -> pl.Series:
    """A column as rankings need it: an id or a number."""
    if role in IDS:
        return schema.identifier(series, role, part)
    return schema.number(series, role, part, untyped=untyped)


def table(
    name: str,
    sources: Sequence[Source],
    roles: Roles,
    *,
    kind: str,
    columns: Mapping[str, Any] | None,
    extra: Sequence[str] = (),
    alone: bool = False,
    classes: bool = False,
    may_be_empty: bool = False,
    by_item: bool = True,
    column: Column = ranking_column,
    header: str = "",
) -> Table:
    """Read ``sources`` as the parts of one table; ``roles`` says which roles it needs.

    ``classes`` says that predictions may be classes, ``by_item`` that lists of items become a row per item.
    """

    def finder_of(source: Source) -> Finder:
        return Finder(source, kind, columns, alone=alone, classes=classes, header=header)

    if by_item:
        sources = [_by_item(source, finder_of(source), kind, ordered=not alone) for source in sources]
    finders = list(map(finder_of, sources))
    loaded = [
        _part(source, finder, roles, tuple(dict.fromkeys(extra)), column)
        for source, finder in zip(sources, finders, strict=True)
    ]
    frames, extras, parts, notes, found = zip(*loaded, strict=True)
    kept = [i for i, part in enumerate(parts) if part.height]
    if not kept and not may_be_empty:
        raise opening.no_rows(name=name)
    kept = kept or [0]
    return Table(
        frame=_stacked(_with_one_unit([frames[i] for i in kept], found), [parts[i] for i in kept]),
        extra=_stacked([extras[i] for i in kept], [parts[i] for i in kept], strict=True),
        name=name,
        untyped=all(source.untyped for source in sources),
        listed=any(source.listed for source in sources),
        notes=tuple(dict.fromkeys(note for some in notes for note in some)),
        columns=tuple(dict.fromkeys(column for source in sources for column in source.columns)),
        parts=parts,
        roles=found[0],
        sources=tuple(sources),
    )


def _part(
    source: Source, finder: Finder, needed: Roles, extra: Sequence[str], made: Column
) -> tuple[pl.DataFrame, pl.DataFrame, Part, tuple[Message, ...], dict[str, str]]:
    roles = needed(finder, source)
    _check_label(source.name, roles)
    beside = [column for column in extra if column in source.columns]
    loaded = source.load(list(dict.fromkeys([*roles.values(), *beside])))
    tidied = source.tidy(loaded, roles) if source.tidy is not None else Tidied(loaded)
    data = tidied.frame
    notes = (*source.notes, *finder.notes(roles), *tidied.notes)
    part = Part(name=source.name, height=data.height, lines=source.lines, keys=source.keys, rows=tidied.rows)
    if not data.height:
        return _nothing(roles), pl.DataFrame(), part, notes, roles
    frame = pl.DataFrame([made(data[column], role, part, source.untyped) for role, column in roles.items()])
    beside_frame = data.select(exactly(beside)) if beside else pl.DataFrame(height=data.height)
    return frame, beside_frame, part, notes, roles


def _by_item(source: Source, finder: Finder, kind: str, *, ordered: bool) -> Source:
    """The same with a row for each item, where each row holds a list of them.

    Without scores and ranks the lists are in order, if ``ordered``: labels are not in the same table.
    """
    item = finder.item_lists()
    if item is None:
        return source
    lists, every = set(source.lists), source.remembering()

    def load(wanted: Sequence[str]) -> pl.DataFrame:
        frame = every.load(list(dict.fromkeys([item, *wanted])))
        lengths = _lengths(frame[item])
        held = [column for column in frame.columns if column in lists]
        for column in held:
            odd = (_lengths(frame[column]) != lengths).arg_true()
            if len(odd):
                row = int(odd[0])
                place = Part(name=source.name, height=frame.height).place(row)
                n, m = lengths[row], _lengths(frame[column])[row]
                raise reading.lists_differ(place=place, one=item, other=column, n=n, m=m)
        filled = frame.filter(lengths.ne(0) | frame[item].is_null())
        return filled.explode(pl.selectors.by_name(*held)).select(exactly(wanted))

    def tidy(loaded: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        for role, column in roles.items():
            if role in _OF_ITEMS and column not in lists:
                raise reading.one_for_a_list(cell=value_at(source.name, role, column), items=item)
        whole = {role: column for role, column in roles.items() if column not in lists}
        if source.tidy is not None:
            source.tidy(loaded, whole)
        items = every.load([item])[item]
        counts = _lengths(items).set(items.is_null(), 1).to_numpy()
        rows = pl.Series(np.repeat(np.arange(1, len(counts) + 1), counts))
        return Tidied(loaded, rows, mappings.nothing_judged(counts, source.name, kind))

    unscored = not (finder.may_have("score") or finder.may_have("rank"))
    if ordered and unscored and kind in ("predictions", "usual") and not finder.may_have("relevance"):
        _check_no_numbers(every, item)
    return replace(source, load=load, peek=None, tidy=tidy, by_item=True, listed=ordered and unscored)


def _check_no_numbers(source: Source, item: str) -> None:
    """Refuse a list of numbers as long as that of the items: it may be the score under an unknown name."""
    frame = source.load(source.lists)
    for column in frame:
        of_numbers = column.name != item and column.explode().dtype.is_numeric()
        if of_numbers and (_lengths(column) == _lengths(frame[item])).all():
            raise reading.numbers_without_role(source.name, column.name, item)


def _lengths(lists: pl.Series) -> pl.Series:
    """How many values each list has; a missing one has none."""
    plain = lists.arr.to_list() if isinstance(lists.dtype, pl.Array) else lists
    return plain.list.len().cast(pl.Int64).fill_null(0)


def _check_label(name: str, roles: Mapping[str, str]) -> None:
    """Refuse a label that is to be its own prediction."""
    for label in {"label", "relevance"} & set(roles):
        for role, column in roles.items():
            if role != label and column == roles[label]:
                raise reading.label_used_twice(name, column, label, role.partition(":")[0])


def _nothing(roles: Collection[str]) -> pl.DataFrame:
    return pl.DataFrame(schema={role: pl.String if role in IDS else pl.Float64 for role in roles})


def _with_one_unit(frames: Sequence[pl.DataFrame], roles: Sequence[Mapping[str, str]]) -> list[pl.DataFrame]:
    """The frames without units, which nobody asked for, unless all have one column of one type for them."""
    alike = len({of.get("unit") for of in roles}) == 1
    kinds = {frame.schema.get("unit") for frame in frames}
    return [frame if alike and len(kinds) == 1 else frame.drop("unit", strict=False) for frame in frames]


def _stacked(frames: Sequence[pl.DataFrame], parts: Sequence[Part], *, strict: bool = False) -> pl.DataFrame:
    """The frames under each other; types must be the same where ``strict``, and else fit together."""
    if len(frames) == 1:
        return frames[0]
    for frame, part in zip(frames, parts, strict=True):
        if set(frame.columns) != set(frames[0].columns):
            odd = sorted(set(frame.columns) ^ set(frames[0].columns))[0]
            raise reading.parts_differ(
                first=parts[0].name, other=part.name, what=say("only one of them has '{column}'", column=odd)
            )
    if not frames[0].columns:
        return pl.DataFrame(height=sum(frame.height for frame in frames))
    return pl.DataFrame(
        [_column([frame[name] for frame in frames], parts, strict=strict) for name in frames[0].columns]
    )


def _column(pieces: Sequence[pl.Series], parts: Sequence[Part], *, strict: bool) -> pl.Series:
    kinds = [piece.dtype for piece in pieces]
    if set(kinds) == {pl.Int64, pl.UInt64} and pieces[0].name in IDS:
        return reduce(
            lambda a, b: pl.concat(schema.together(a, b, parts[0].name, say("the other files"))), pieces
        )
    if not strict and pieces[0].name not in IDS:
        pieces, kinds = _alike(pieces)
    odd = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if odd is not None:
        one, other = schema.type_name(kinds[0]), schema.type_name(kinds[odd])
        what = say(
            "'{column}' is {one} in the first and {other} in the second",
            column=pieces[0].name,
            one=one,
            other=other,
        )
        raise reading.parts_differ(first=parts[0].name, other=parts[odd].name, what=what)
    return pl.concat(pieces)


def _alike(pieces: Sequence[pl.Series]) -> tuple[Sequence[pl.Series], list[pl.DataType]]:
    """Numbers in one type (0 and 1 meet 0.0 and 1.0), and what is null throughout in that of the others."""
    kinds = [piece.dtype for piece in pieces]
    known = [piece.dtype for piece in pieces if piece.null_count() < len(piece)] or kinds[:1]
    if all(kind.is_numeric() or kind == pl.Boolean for kind in known) and len(set(known)) > 1:
        empty = [pl.DataFrame(schema={"values": kind}) for kind in known]
        known = [pl.concat(empty, how="vertical_relaxed").schema["values"]]
    if len(set(known)) > 1:
        return pieces, kinds
    return [piece.cast(known[0]) for piece in pieces], [known[0]] * len(pieces)
