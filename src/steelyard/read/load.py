"""From sources to one canonical table: find the columns, load only those, check every value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import polars as pl

from steelyard.read import files, frames, matrix, roles, schema
from steelyard.read.lists import by_item as by_item_of
from steelyard.read.roles import Finder
from steelyard.read.sources import Opened, open_sources
from steelyard.read.table import IDS, Part, Source, Table, exactly
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError, reading
from steelyard.text.errors.forms import word

ALSO_LABELLED = say("or give the truth as a table of its own (--truth FILE)")

Columns = Mapping[str, Any] | None
Roles = Callable[[Finder, Source], dict[str, str]]
Column = Callable[[pl.Series, str, Part, bool], pl.Series]  # a column, its role, its part; without types?


def predictions(
    source: Any,
    *,
    columns: Columns = None,
    extra: Sequence[str] = (),
    orders: Collection[str] = ("default",),
    table: str = "predictions",
) -> Table:
    """What the model predicted: query, item, and the score (or the rank) that orders the items.

    ``table`` is how it is called: ``baseline_lists`` are lists to compare with.
    """
    texts = table == "baseline_lists" and isinstance(source, list | tuple) and source
    if texts and all(isinstance(one, str) and not files.like_path(one) for one in source):
        raise reading.texts_as_lists(name=word(table))  # they are items, it seems
    name, sources = open_sources(source, "predictions", table)

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "item": finder.need("item")}
        if one.listed:
            for order in {"score", "rank"} & set(orders):
                raise reading.lists_without(name=one.name, order=word(order))
            return found
        return found | _order_roles(finder, orders)

    return load(name, sources, needed, kind=table, columns=columns, extra=extra)


def truth(source: Any, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """What was true: query, item and its grade; without a grade column every row has grade 1."""
    name, sources = open_sources(source, "truth", "truth")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "item": finder.need("item")}
        # without grades every row counts the same; but a misspelled column is an error
        relevance = finder.find("relevance")
        if relevance is None and finder.near("relevance"):
            finder.need("relevance")
        return found | ({"relevance": relevance} if relevance else {})

    table = load(name, sources, needed, kind="truth", columns=columns, extra=extra)
    if "relevance" in table.frame.columns:
        return table
    note = say(
        "{table} has no relevance column: every row counts as grade 1.", key="no_grades", table=table.name
    )
    frame = table.frame.with_columns(pl.lit(1.0).alias("relevance"))
    return replace(table, frame=frame, notes=(*table.notes, note))


def labelled(
    source: Any, *, columns: Columns = None, extra: Sequence[str] = (), orders: Collection[str] = ("default",)
) -> Table:
    name, sources = open_sources(source, "labelled", "predictions")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        found = {"query": finder.need("query"), "relevance": finder.need("relevance", also=ALSO_LABELLED)}
        item = finder.find("item")
        return found | ({"item": item} if item else {}) | _order_roles(finder, orders)

    return load(
        name, sources, needed, kind="predictions", columns=columns, extra=extra, alone=True, header="labelled"
    )


def _order_roles(finder: Finder, orders: Collection[str]) -> dict[str, str]:
    """The columns that order a list; by ``default`` the score, or the rank where there is none."""
    found = {name: finder.need(name) for name in ("score", "rank") if name in orders}
    if "score" in found:
        return found
    if "default" not in orders:
        # a score of -inf is a mask in whatever order
        masks = finder.only("score")
        return {**found, "score": masks} if masks else found
    for role in ("score", "rank"):
        if column := finder.find(role):
            return {**found, role: column}
    also = say("or --order given if the rows are in order")
    return {**found, "score": finder.need("score", also=also)}


def pairs(source: Any, *, columns: Columns = None, name: str = "exclude") -> Table:
    """Pairs of query and item, such as what each user saw before; there may be none."""
    shown, sources = open_sources(source, "exclude", name)
    sources = or_none(sources, shown)
    return load(shown, sources, IDS, kind="exclude", columns=columns, may_be_empty=True)


def or_none(sources: Iterable[Source], name: str) -> list[Source]:
    """The same sources; one without columns and rows holds no pairs."""
    nothing = frames.of_mapping({}, name, "exclude")
    return [one if one.columns or one.load([]).height else nothing for one in sources]


def query_weights(source: Any, *, columns: Columns = None, name: str = "weights") -> Table:
    shown, sources = open_sources(source, "weights", name)
    return load(shown, sources, ("query", "weight"), kind="weights", columns=columns)


def segments(source: Any, *, columns: Columns = None, wanted: Sequence[str] = (), name: str = "by") -> Table:
    """What is known of each query, to slice by: a query column and others, perhaps only those ``wanted``."""
    shown, sources = open_sources(source, "by", name)
    every = list(dict.fromkeys(column for one in sources for column in one.columns))
    extra = [column for column in every if column in wanted or not wanted]
    table = load(shown, sources, ("query",), kind="by", columns=columns, extra=extra)
    query = table.roles["query"]
    kept = table.extra if query in wanted else table.extra.drop(query, strict=False)
    if not kept.width and not wanted:
        raise reading.nothing_to_slice_by(name=table.name)
    return replace(table, extra=kept)


def matrix_alone(scores: Any) -> Table:
    return predictions(matrix.source(scores, word("predictions")))


def matrices(scores: Any, labels: Any) -> tuple[Table, Table]:
    """Two matrices of one shape, rows are queries and columns are items, as predictions and truth."""
    predicted, true = matrix.sources(scores, labels)
    return predictions(predicted), truth(true)


def may_have(table: Opened, kind: str, columns: Columns, *wanted: str) -> bool:
    finders = [Finder(source, "predictions", columns, alone=True) for source in table.sources(kind, kind)[1]]
    return any(finder.may_have(role) for finder in finders for role in wanted)


def weight_column(columns: Columns) -> str | None:
    if not columns:
        return None
    return next((name for (_, role), name in roles.parse(columns).items() if role == "weight"), None)


def check_columns(columns: Columns, *tables: Table, extra: Sequence[str] = ()) -> None:
    if not columns and not extra:
        return
    known = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = list(dict.fromkeys(table.name for table in tables))
    chosen = roles.parse(columns).items()
    wanted = [(f"{owner}.{role}" if owner else role, name) for (owner, role), name in chosen]
    for role in roles.LABELS:
        wanted += [(role, name) for name in roles.several_labels(role, columns, known)]
    for key, name in [*wanted, *((say("a further column"), name) for name in extra)]:
        if name not in known:
            raise reading.named_column_missing(where, key, name, known)


def column_not_found(column: str, purpose: str, tables: Sequence[Table]) -> SteelyardError:
    available = sorted({name for table in tables for name in table.columns})
    names = [table.name for table in tables]
    return reading.column_not_found(column, names, purpose, available, like_path=files.like_path(column))


def check_weight(column: str | None, truth: Table) -> None:
    """Refuse a weight that is the label itself: rows of label 0 would count as none."""
    for role in ("label", "relevance"):
        if column is not None and truth.roles.get(role) == column:
            raise reading.label_used_twice(truth.name, column, role, "weight")


def load(
    name: str,
    sources: Sequence[Source],
    needed: Roles | Sequence[str],
    *,
    kind: str,
    columns: Columns,
    extra: Sequence[str] = (),
    alone: bool = False,
    classes: bool = False,
    may_be_empty: bool = False,
    by_item: bool = True,
    column: Column = schema.number,
    header: str = "",
) -> Table:
    """Read ``sources`` as the parts of one table; ``needed`` are its roles, or finds them.

    ``classes`` says that predictions may be classes, ``by_item`` that lists of items become a row per item.
    ``column`` checks the values of every role that is no id.
    """
    finder_of = partial(Finder, table=kind, columns=columns, alone=alone, classes=classes, header=header)
    if by_item and [source for source in sources if source.lists]:
        sources = [by_item_of(source, finder_of(source), kind, ordered=not alone) for source in sources]
    extra = tuple(dict.fromkeys(extra))
    loaded = [_part(source, finder_of(source), needed, extra, column) for source in sources]
    made, extras, parts, notes, found = zip(*loaded, strict=True)
    kept = [i for i, part in enumerate(parts) if part.height]
    is_part = any(source.part for source in sources)
    if not kept and not may_be_empty and not is_part:
        raise nothing_read(name, sources)
    frame, beside = made[0], extras[0]
    if len(parts) > 1:
        kept = kept or [0]
        held, pieces = [parts[i] for i in kept], [made[i] for i in kept]
        units, kinds = {of.get("unit") for of in found}, {piece.schema.get("unit") for piece in pieces}
        if len(units) > 1 or len(kinds) > 1:  # nobody asked for units, and the parts have different ones
            pieces = [piece.drop("unit", strict=False) for piece in pieces]
        frame = _stacked(pieces, held)
        beside = _stacked([extras[i] for i in kept], held, strict=True)
    return Table(
        frame=frame,
        extra=beside,
        name=name,
        untyped=not [source for source in sources if not source.untyped],
        listed=bool([source for source in sources if source.listed]),
        notes=tuple(dict.fromkeys([note for some in notes for note in some])),
        columns=tuple(dict.fromkeys([column for source in sources for column in source.columns])),
        parts=parts,
        roles=found[0],
        part=is_part,
        sources=tuple(sources),
    )


def nothing_read(name: str, sources: Sequence[Source]) -> SteelyardError:
    """The error on a table without rows."""
    where = sources[0].where
    if where is None:
        return reading.no_rows(name=name)
    return reading.where_keeps_nothing(name=name, where=where)


def _part(
    source: Source, finder: Finder, needed: Roles | Sequence[str], extra: Sequence[str], check: Column
) -> tuple[pl.DataFrame, pl.DataFrame, Part, tuple[Message, ...], dict[str, str]]:
    found = needed(finder, source) if callable(needed) else {role: finder.need(role) for role in needed}
    for label in ("label", "relevance") if len(set(found.values())) < len(found) else ():
        for role, column in found.items():
            if role != label and column == found.get(label):
                raise reading.label_used_twice(source.name, column, label, role.partition(":")[0])
    beside = [column for column in extra if column in source.columns]
    loaded = source.load(list(dict.fromkeys([*found.values(), *beside])))
    tidied = source.tidy(loaded, found) if source.tidy is not None else None
    data, rows = (loaded, None) if tidied is None else (tidied.frame, tidied.rows)
    told = finder.notes(found) if finder.may_be_classes else ()
    notes = (*source.notes, *told, *(() if tidied is None else tidied.notes))
    keys = source.keys if source.keys is None or rows is None else source.keys[rows - 1]
    part = Part(name=source.name, height=data.height, lines=source.lines, keys=keys, rows=rows)
    if not data.height and not source.part:
        nothing = {role: pl.String if role in IDS else pl.Float64 for role in found}
        return pl.DataFrame(schema=nothing), pl.DataFrame(), part, notes, found
    frame = pl.DataFrame(
        [
            schema.identifier(data[column], role, part, of_all=not source.part)
            if role in IDS
            else check(data[column], role, part, source.untyped)
            for role, column in found.items()
        ]
    )
    beside_frame = data.select(exactly(beside)) if beside else pl.DataFrame(height=data.height)
    return frame, beside_frame, part, notes, found


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
