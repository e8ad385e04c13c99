"""What is known of items and users besides the lists: catalogue, features, history, groups of items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard.arrays import Ints, numbers_of, numpy_of, offsets_of
from steelyard.read import frames, matrix, schema
from steelyard.read.load import Columns, load, or_none, predictions
from steelyard.read.roles import ALIASES, Finder, folded, parse, several_columns
from steelyard.read.sources import are_paths, is_matrix, is_sparse, open_sources
from steelyard.read.table import Part, Source, Table, looked_up, of_lists
from steelyard.text import Message, say, sentences
from steelyard.text.errors import ColumnError, reading
from steelyard.text.errors.forms import Refusal, short, word

_FEW, _OWN = 20, 0.9  # items, and the share of different texts among them, from which they are no categories
_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_JOINED = 0.1  # the share of texts with a separator in them from which they look like several tags in one
_SEPARATOR = r"\||/|; |, "


_note = sentences(
    one_number="{table} has one number per item, and the cosine of two numbers above 0 is always 1: use "
    "distance=euclidean, or cast numbers that name categories to text.",
    joined_tags="{table}: '{column}' holds texts such as '{text}', and each is one category; if they are "
    "several tags, give lists.",
    texts_of_their_own="{table}: '{column}' has a different text for nearly every item; choose the feature "
    "columns: --columns feature=NAME.",
    doubled_in_catalog="{table} names {n:,} {n:item|items} more than once: each counts once.",
    counts_of_0="{table}: {n:,} {n:row has|rows have} a count of 0 and {n:is|are} ignored.",
)


def _notes_on_texts(series: pl.Series, table: Table) -> Iterator[Message]:
    if series.dtype not in _TEXTS:
        return
    several = series.cast(pl.String).str.contains(_SEPARATOR)
    if several.any() and several.sum() >= _JOINED * len(series):
        text = series.filter(several)[0]
        yield _note("joined_tags", table=table.name, column=series.name, text=text)
    if len(series) >= _FEW and series.n_unique() >= _OWN * len(series):
        yield _note("texts_of_their_own", table=table.name, column=series.name)


def _check_not_written(series: pl.Series, table: Table) -> None:
    """Refuse a list that a csv file has as text, which would be one category."""
    if series.dtype in _TEXTS:
        written = series.cast(pl.String).str.contains(r"(?s)^\s*\[.*\]\s*$")
        if written.any():
            row = schema.first(written)
            raise reading.list_as_text(place=table.place(row), column=series.name, text=short(series[row]))


def _typed(series: pl.Series, table: Table) -> pl.Series:
    """A column of features as numbers or text; a file without types holds both as text."""
    kind = series.dtype
    if isinstance(kind, pl.List | pl.Array) and kind.inner.is_nested():
        raise reading.not_a_feature(column=series.name, name=table.name, type=schema.type_name(kind))
    if isinstance(kind, pl.List) and (series.list.len() == 0).all(ignore_nulls=False):  # of anything
        return pl.Series(series.name, [[]] * len(series), dtype=pl.List(pl.String))
    if kind == pl.Boolean:
        return series.cast(pl.Float64)
    if table.untyped and kind == pl.String:
        numbers = schema.typed(series, frozenset())
        if numbers.dtype.is_numeric():
            return numbers
        if schema.typed(series, schema.MISSING).dtype.is_numeric():  # but for words for what is missing
            row = schema.first(series.str.strip_chars().is_in(list(schema.MISSING)))
            raise reading.feature_written_missing(
                place=table.place(row), column=series.name, text=series[row]
            )
    return series


def _holds_numbers(series: pl.Series) -> bool:
    inner = series.dtype
    while isinstance(inner, pl.List | pl.Array):
        inner = inner.inner  # type: ignore[assignment]  # Polars lets a type stand for its class here
    return inner.is_numeric() or inner == pl.Boolean or (inner == pl.Null and inner != series.dtype)


def _vectors_of(series: pl.Series, table: Table) -> NDArray[Any]:
    """Numbers as columns of a matrix, one row per item; vectors must be of one width."""
    if series.null_count():
        raise reading.feature_missing(place=table.place(schema.first(series.is_null())), column=series.name)
    inner = series
    if isinstance(series.dtype, pl.List):
        widths = series.list.len()
        odd = schema.first(widths != widths[0]) if widths.n_unique() > 1 else None
        if odd is not None:
            raise reading.widths_differ(
                place=table.place(odd), column=series.name, found=widths[odd], wanted=widths[0]
            )
        series = series.list.to_array(int(widths[0]))
    if isinstance(series.dtype, pl.Array):
        inner = series.explode()
        if inner.null_count():
            row = schema.first(inner.is_null()) // (len(inner) // len(series))
            raise reading.feature_missing(place=table.place(row), column=series.name)
    flat = inner.to_numpy() if inner.dtype == pl.Float32 else inner.cast(pl.Float64).to_numpy()
    return _finite(flat.reshape(len(series), -1), table, series.name)


def _finite(values: NDArray[Any], table: Table, column: str) -> NDArray[Any]:
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum(dtype=np.float64)
    if not np.isfinite(total):  # or only their sum is too large
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            row = int(wrong[0][0])
            raise reading.feature_not_finite(
                place=table.place(row), column=column, value=float(values[tuple(wrong[0])])
            )
    return values


def _tags_of(series: pl.Series, table: Table, *, several: bool) -> pl.Series:
    """Tags of each item as a list of texts; of several columns each tag tells its column."""
    kind = series.dtype
    if isinstance(kind, pl.List | pl.Array):
        series = series.arr.to_list() if isinstance(kind, pl.Array) else series
        lists = series.cast(pl.List(pl.String)).fill_null(pl.Series([[]], dtype=pl.List(pl.String)))
    elif kind in _TEXTS:
        lists = series.cast(pl.String).to_frame().select(pl.concat_list(pl.first())).to_series()
        lists = lists.list.drop_nulls()
    else:
        raise reading.not_a_feature(column=series.name, name=table.name, type=schema.type_name(kind))
    if several:
        lists = lists.list.eval(pl.concat_str(pl.lit(f"{series.name}="), pl.element()))
    return lists.list.drop_nulls().alias(series.name)


_ITEM = "item"
_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class ItemFeatures:
    """What is known of each item of ``table``: a vector, a sparse vector, or tags.

    ``dense`` has a row per item. Otherwise ``offsets``, ``place`` and ``value`` are those of a sparse matrix
    of ``width`` columns, which of tags are the ``tags``, each with the value 1; ``categories`` says of how
    many columns, each with one category, they were made, and is 0 where tags came as lists.
    """

    table: Table
    width: int
    dense: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    offsets: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    place: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    value: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    tags: pl.Series | None = None
    categories: int = 0

    @property
    def frame(self) -> pl.DataFrame:
        """The items with what is known of each; a sparse vector as a row for each entry."""
        items = self.table.frame.select(_ITEM)
        if not len(self.offsets):
            return items.hstack(pl.DataFrame(self.dense))
        owner = np.repeat(np.arange(len(items)), np.diff(self.offsets))
        place = pl.Series(self.place) if self.tags is None else self.tags.gather(self.place)
        return items[owner].with_columns(place=place, value=pl.Series(self.value))


def catalog(source: Any, *, columns: Columns = None) -> Table:
    """The items that could have been shown: a table with an item column, or plain ids.

    A note reports items that are named twice; each counts once.
    """
    shown = word("catalog")
    forms = say("a list of ids, or a table with an item column")
    if _are_ids(source):
        sources = [frames.of_frame(_ids(source, shown).to_frame(), shown)]
    elif isinstance(source, Mapping):
        if not _names_items(source, columns):
            raise reading.catalog_of_keys(name=shown)
        sources = [_of_columns(source, shown, forms)]
    else:
        shown, sources = _open(source, "catalog", forms)
    table = load(shown, sources, (_ITEM,), kind="catalog", columns=columns)
    doubled = table.frame.height - table.frame["item"].n_unique()
    if not doubled:
        return table
    note = _note("doubled_in_catalog", table=table.name, n=doubled)
    return replace(table, frame=table.frame.unique(maintain_order=True), parts=(), notes=(*table.notes, note))


def history(source: Any, *, columns: Columns = None) -> Table:
    """What users had before: query, item and perhaps a count, which is 1 where there is none.

    Of a matrix the rows are queries and the columns are items, and each cell other than 0 is a count.
    """
    shown = word("history")
    if is_matrix(source):
        ids, counts = matrix.cells(source, shown)
        found = [frames.of_frame(ids.with_columns(pl.Series("count", counts)), shown)]
    else:
        shown, found = open_sources(source, "history", "history")

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        count = finder.find("count")
        found = {"query": finder.need("query"), "item": finder.need("item")}
        return found | ({"count": count} if count else {})

    table = load(shown, or_none(found, shown), needed, kind="history", columns=columns, may_be_empty=True)
    if not table.frame.height and not table.part:
        raise reading.empty_history(name=table.name)
    if "count" not in table.frame.columns:
        return replace(table, frame=table.frame.with_columns(count=pl.lit(1.0)))
    wrong = (table.frame["count"] < 0) | ~table.frame["count"].is_finite()
    if wrong.any():
        row = schema.first(wrong)
        raise reading.count_below_0(place=table.place(row), value=table.frame["count"][row])
    none = int((table.frame["count"] == 0).sum())
    if not none:
        return table
    if none == table.frame.height and not table.part:
        raise reading.empty_history(name=table.name)
    note = _note("counts_of_0", table=table.name, n=none)
    kept = table.frame.filter(pl.col("count") > 0)
    return replace(table, frame=kept, parts=(), notes=(*table.notes, note))


def item_groups(source: Any, *, columns: Columns = None) -> Table:
    forms = say("a table of item and group, or {item: group}")
    shown, sources = _of_items(source, "item_groups", "group", columns, forms)

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        item, group = finder.need("item"), finder.find("group")
        others = [name for name in one.columns if name != item]
        if not others:
            raise reading.no_group(name=one.name)
        if group is None and len(others) != 1:
            raise reading.which_group(name=one.name, columns=others)
        return {"item": item, "group": group or others[0]}

    def column(series: pl.Series, _role: str, part: Part, _untyped: bool) -> pl.Series:
        if series.null_count():
            row = schema.first(series.is_null())
            raise reading.missing_value(cell=part.cell(row, "group", series.name))
        if isinstance(series.dtype, pl.List | pl.Array):
            raise reading.in_several_groups(name=part.name, column=series.name)
        return series.cast(pl.String).alias("group")

    table = load(shown, sources, needed, kind="item_groups", columns=columns, column=column)
    _check_once(table, reading.in_two_groups)
    return table


def baseline_lists(source: Any, *, columns: Columns = None, orders: Collection[str] = ("default",)) -> Table:
    """The lists of a plain recommender, as predictions are given; what they lack of ``orders`` is left."""
    found = matrix.source(source, word("baseline_lists")) if is_matrix(source) else source
    if tuple(orders) != ("default",):
        for wanted in (tuple(orders), *([("given",)] if "given" in orders else [])):
            try:
                return predictions(found, columns=columns, table="baseline_lists", orders=wanted)
            except ColumnError:  # what orders the lists may not be here
                continue
    return predictions(found, columns=columns, table="baseline_lists")


def features(source: Any, *, columns: Columns = None) -> ItemFeatures:
    """What is known of each item: numbers, a vector, categories or tags; or a matrix and its ids."""
    forms = say("a table with an item column, {item: value}, or (matrix, ids)")
    if isinstance(source, list | tuple) and not are_paths(source):
        rows = _matrix_of(source[0]) if isinstance(source, tuple) and len(source) == 2 else None
        if rows is None:
            raise reading.not_features(type=type(source).__name__, forms=forms)
        return _of_matrix(rows, source[1])
    if is_matrix(source) and not frames.is_of(source, "pandas", "Series"):
        raise reading.matrix_without_ids(shape=" × ".join(map(str, source.shape)))
    shown, sources = _of_items(source, "features", "features", columns, forms)
    named = several_columns("feature", columns, [name for one in sources for name in one.columns])
    every = list(dict.fromkeys(name for one in sources for name in one.columns))
    for name in named:
        if name not in every:
            raise reading.named_column_missing([shown], "feature", name, every)
    table = load(shown, sources, (_ITEM,), kind="features", columns=columns, extra=named or every)
    table = replace(table, extra=table.extra.drop(table.roles["item"], strict=False))
    if not table.extra.width:
        raise reading.no_features(name=table.name)
    _check_once(table)
    return _found(table)


def _open(source: Any, table: str, forms: str) -> tuple[str, list[Source]]:
    if is_matrix(source):
        raise reading.not_a_matrix(name=word(table), forms=forms)
    return open_sources(source, table, table)


def _names_items(source: Mapping[Any, Any], columns: Columns) -> bool:
    chosen = {name for (_, role), name in parse(columns).items() if role == "item"}
    return any(isinstance(key, str) and (folded(key) in ALIASES["item"] or key in chosen) for key in source)


def _of_columns(source: Mapping[Any, Any], name: str, forms: str) -> Source:
    for key, column in source.items():
        if isinstance(column, str) or not hasattr(column, "__len__"):
            raise reading.not_a_column(name=name, key=key, type=type(column).__name__, forms=forms)
    return frames.of_frame(frames.columns_of(source, name), name)


def _of_items(source: Any, table: str, column: str, columns: Columns, forms: str) -> tuple[str, list[Source]]:
    """Sources of a table of items; a dict is ``{item: value}`` unless one of its keys is a name of items."""
    if frames.is_of(source, "pandas", "Series"):  # its index names the item of each value
        source = dict(source.items())
    if not isinstance(source, Mapping):
        return _open(source, table, forms)
    shown = word(table)
    if _names_items(source, columns):
        return shown, [_of_columns(source, shown, forms)]
    items = _ids(list(source), shown)
    values = [value.tolist() if isinstance(value, np.ndarray) else value for value in source.values()]
    values = [sorted(value) if isinstance(value, set | frozenset) else value for value in values]
    frame = pl.DataFrame([items, frames.series_of(column, values, shown)])
    return shown, [frames.of_frame(frame, shown, keys=frame.select("item"))]


def _are_ids(source: object) -> bool:
    """Whether these are plain ids: a list of texts is one, as a catalogue is seldom a list of files."""
    if isinstance(source, str | bytes | Mapping) or hasattr(type(source), "columns") or is_sparse(source):
        return False
    return isinstance(source, Collection | pl.Series | np.ndarray) or hasattr(source, "__array__")


def _ids(values: Any, name: str) -> pl.Series:
    if isinstance(values, pl.Series):
        return values.alias(_ITEM)
    if isinstance(values, np.ndarray) or hasattr(values, "__array__"):
        array = numpy_of(name, values)
        if array.ndim != 1:
            raise reading.ids_not_one_column(name=name, shape=" × ".join(map(str, array.shape)))
        return frames.series_of(_ITEM, array.tolist() if array.dtype == object else array, name)
    return frames.series_of(_ITEM, list(values), name)


def _check_once(table: Table, twice_there: Refusal = reading.item_twice) -> None:
    if table.frame["item"].n_unique() < table.frame.height:
        twice = table.frame["item"].is_duplicated()
        item = table.frame["item"].filter(twice)[0]
        raise twice_there(name=table.name, item=item, n=int(twice.sum()))


def _matrix_of(given: Any) -> Any:
    """A matrix as it is, or rows of numbers as one; None where it is neither."""
    if not isinstance(given, list | tuple):
        return given if is_matrix(given) else None
    try:
        rows = np.asarray(given)
    except ValueError:  # rows of several lengths
        return None
    return rows if rows.ndim == 2 and rows.dtype.kind in "iufb" else None


def _of_matrix(given: Any, ids: Any) -> ItemFeatures:
    name = word("features")
    if given.shape[:1] == (0,):
        raise reading.no_rows(name=name)
    if not _are_ids(ids):
        raise reading.not_ids(name=name, type=type(ids).__name__)
    items = _ids(ids, name)
    part = Part(name=name, height=len(items))
    frame = schema.identifier(items, "item", part).to_frame()
    table = Table(frame=frame, name=name)
    if len(given.shape) != 2 or given.shape[0] != len(items):
        shape = " × ".join(map(str, given.shape))
        raise reading.matrix_and_ids(shape=shape, n=len(items))
    _check_once(table)
    if not is_sparse(given):
        dense = _finite(numbers_of("features", given), table, "features")
        return ItemFeatures(table=table, dense=dense, width=dense.shape[1])
    rows = given.tocsr(copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    value = numbers_of("features", rows.data)
    wrong = np.flatnonzero(~np.isfinite(value))
    if len(wrong):
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        raise reading.feature_not_finite(place=table.place(row), column=name, value=value[wrong[0]])
    return ItemFeatures(
        table=table,
        offsets=rows.indptr.astype(np.int64),
        place=rows.indices.astype(np.int64),
        value=value,
        width=int(given.shape[1]),
    )


def _found(table: Table) -> ItemFeatures:
    """Features of the further columns of a table: all of them numbers, or all of them categories and tags."""
    series = [_typed(one, table) for one in table.extra]
    for one in series:
        _check_not_written(one, table)
    numbers = [one for one in series if _holds_numbers(one)]
    if len(numbers) == len(series):
        blocks = [_vectors_of(one, table) for one in numbers]
        own = np.result_type(*blocks)
        joined = blocks[0] if len(blocks) == 1 else np.concatenate([one.astype(own) for one in blocks], 1)
        if joined.shape[1] == 1:
            table = replace(table, notes=(*table.notes, _note("one_number", table=table.name)))
        return ItemFeatures(table=table, dense=joined, width=joined.shape[1])
    if numbers:
        words = [column.name for column in series if not _holds_numbers(column)]
        shown = _some([column.name for column in numbers])
        raise reading.mixed_features(name=table.name, numbers=shown, words=_some(words), example=words[0])
    several = len(series) > 1
    of_texts = [note for column in series for note in _notes_on_texts(column, table)]
    table = replace(table, notes=(*table.notes, *of_texts))
    tags = pl.DataFrame([_tags_of(one, table, several=several) for one in series])
    lists = tags.select(pl.concat_list(pl.all()).list.unique().list.sort()).to_series()
    lengths = lists.list.len().to_numpy().astype(np.int64)
    texts = lists.filter(pl.Series(lengths > 0)).explode()
    known = texts.unique().sort()
    place = looked_up(texts, known, np.arange(len(known))).to_numpy()
    return ItemFeatures(
        table=table,
        tags=known,
        categories=0 if of_lists(table.extra.schema) else len(series),
        offsets=offsets_of(lengths),
        place=place,
        value=np.ones(len(place)),
        width=len(known),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")
