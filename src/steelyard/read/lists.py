"""Tables with a list of items in each row, as tables with a row for each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl

from steelyard.read import frames
from steelyard.read.roles import Finder
from steelyard.read.table import PLACE, Part, Source, Tidied, exactly
from steelyard.text import Message
from steelyard.text.errors import reading
from steelyard.text.errors.forms import value_at

# what each item has of its own, so that a list of items needs a list of them
_OF_ITEMS = frozenset({"score", "rank", "relevance", "label", "predicted", "count"})


def by_item(source: Source, finder: Finder, kind: str, *, ordered: bool) -> Source:
    """The same with a row for each item, where each row holds a list of them.

    Without scores and ranks the lists are in order, if ``ordered``: labels are not in the same table.
    """
    item = finder.item_lists()
    if item is None:
        return source
    lists, every = set(source.lists), source.remembering()

    @cache
    def odd_rows() -> dict[str, int]:
        """The first row of each column whose lists are not as long as those of the items."""
        others = [column for column in source.lists if column != item]
        rows = source.numbered_scan()
        schema = rows.collect_schema()
        differ = {c: _length(c, schema[c]) != _length(item, schema[item]) for c in others}
        with source.guard():
            first = rows.select(pl.col(PLACE).filter(odd).min().alias(c) for c, odd in differ.items())
            seen = first.collect(engine="streaming").row(0, named=True) if others else {}
        return {column: row for column, row in seen.items() if row is not None}

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

    def scan() -> pl.LazyFrame:
        rows, odd = source.numbered_scan(), odd_rows()
        filled = rows.filter((_length(item, rows.collect_schema()[item]) != 0) | pl.col(item).is_null())
        alike = [column for column in source.lists if column not in odd]
        return filled.drop(odd).explode(pl.selectors.by_name(*alike))

    def check_roles(roles: Mapping[str, str]) -> dict[str, str]:
        for role, column in roles.items():
            if role in _OF_ITEMS and column not in lists:
                raise reading.one_for_a_list(cell=value_at(source.name, role, column), items=item)
        return {role: column for role, column in roles.items() if column not in lists}

    def tidy(loaded: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        whole = check_roles(roles)
        tidied = None if source.tidy is None else source.tidy(loaded, whole)
        items = every.load([item])[item]
        counts = _lengths(items).set(items.is_null(), 1).to_numpy()
        of_lists = np.arange(1, len(counts) + 1) if tidied is None or tidied.rows is None else tidied.rows
        rows = pl.Series(np.repeat(of_lists, counts))
        return Tidied(loaded, rows, _notes(int((counts == 0).sum())))

    def inspect(columns: Sequence[str], roles: Mapping[str, str]) -> tuple[Message, ...]:
        whole, odd = check_roles(roles), odd_rows()
        rows = source.numbered_scan()
        schema = rows.collect_schema()
        for column in columns:
            if column in odd:
                row = rows.filter(pl.col(PLACE) == odd[column])
                lengths = row.select(_length(item, schema[item]), other=_length(column, schema[column]))
                n, m = lengths.collect(engine="streaming").row(0)
                place = Part(name=source.name, height=1, rows=pl.Series([odd[column]])).place(0)
                raise reading.lists_differ(place=place, one=item, other=column, n=n, m=m)
        if source.inspect is not None:
            source.inspect([column for column in columns if column not in lists], whole)
        empty = (_length(item, schema[item]) == 0) & pl.col(item).is_not_null()
        return _notes(rows.select(empty.sum()).collect(engine="streaming").item() if kind == "truth" else 0)

    def _notes(empty: int) -> tuple[Message, ...]:
        return frames.nothing_judged(empty, source.name) if kind == "truth" else ()

    unscored = not (finder.may_have("score") or finder.may_have("rank"))
    if (
        ordered
        and unscored
        and kind in ("predictions", "baseline_lists")
        and not finder.may_have("relevance")
    ):
        kinds = source.numbered_scan().collect_schema()
        for column in source.lists:  # which may be the scores under an unknown name
            inner = kinds[column].inner  # type: ignore[attr-defined]
            if column != item and inner.is_numeric() and column not in odd_rows():
                raise reading.numbers_without_role(source.name, column, item)
    return replace(
        source,
        load=load,
        peek=None,
        held=False,
        tidy=tidy,
        scan=scan,
        numbered=None,
        inspect=inspect,
        by_item=True,
        listed=ordered and unscored,
    )


def _length(column: str, kind: pl.DataType) -> pl.Expr:
    lists = pl.col(column).arr.to_list() if isinstance(kind, pl.Array) else pl.col(column)
    return lists.list.len().cast(pl.Int64).fill_null(0)


def _lengths(lists: pl.Series) -> pl.Series:
    return lists.to_frame().select(_length(lists.name, lists.dtype)).to_series()
