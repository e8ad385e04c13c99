"""Tables: the one that every output shows, and the rows of a result as others read them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from steelyard.arguments import is_flag
from steelyard.conventions import plain
from steelyard.engine.slices import WHOLE, is_whole, named_whole
from steelyard.metrics.base import Direction
from steelyard.read.table import exactly
from steelyard.text import Message, in_language, say
from steelyard.text.errors import OutputError, writing
from steelyard.text.errors.forms import must_be
from steelyard.text.labels import UNITS

_LONGEST = 250  # characters of a name that MLflow stores


@dataclass(frozen=True, kw_only=True)
class ShownColumn:
    """The heading of a column, or of ``span`` columns that belong together."""

    heading: str = ""  # a message, or a name from the data
    number: bool = True  # numbers are aligned to the right, names to the left
    system: int | None = None  # of a page: the system that it belongs to
    dotted: bool = False  # whether the heading is the name of that system, with its dot before it
    span: int = 1


@dataclass(frozen=True, kw_only=True)
class ValueBar:
    """A value as the width of a bar, in percent; ``low`` and ``high`` are the ends of its interval."""

    width: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell with more than its text; only a page shows all of it."""

    text: str = ""  # a message, or text from the data
    sort: float | None = None  # the number by which a reader can sort
    small: str | None = None  # a second line
    smaller: str | None = None  # and a third
    direction: Direction | None = None  # of a metric: which way is better
    bar: ValueBar | None = None
    system: int | None = None
    best: bool = False
    count: bool = False  # a count or an interval, which is shown in a quiet colour

    @property
    def key(self) -> str:
        if self.sort is None or math.isnan(self.sort):
            return ""
        return repr(float(self.sort)).replace("inf", "Infinity")


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """Columns and rows with a caption above and notes below.

    ``groups`` stand above the headings and ``whole`` above the rows; a reader cannot sort them.
    """

    columns: Sequence[ShownColumn]
    rows: Sequence[Sequence[str | Cell]]
    caption: str = ""
    notes: tuple[str, ...] = ()
    captioned: bool = False  # whether the notes are the caption of a printed table
    hidden: int = 0  # rows that are left out
    hidden_slices: int = 0  # slices without a row; the worst are shown
    groups: tuple[ShownColumn, ...] = ()
    whole: Sequence[Sequence[Cell]] = ()
    sortable: bool = True
    places: tuple[int | None, ...] = ()  # the system of each row, where rows belong to systems
    narrower: tuple[ShownTable, ...] = ()  # forms that fit beside the table before it, the widest first

    @property
    def left(self) -> int:
        """How many columns are aligned to the left."""
        return sum(not column.number for column in self.columns)

    def place(self, row: int) -> int | None:
        return self.places[row] if self.places else None

    def texts(self, lang: str, escaped: Callable[[str], str] = str, best: str = "%s") -> list[list[str]]:
        """The headings, if there are any, and the rows as text in a language; ``best`` marks best values."""

        def text(cell: str | Cell) -> str:
            words = escaped(in_language(cell.text if isinstance(cell, Cell) else cell, lang))
            return best % words if isinstance(cell, Cell) and cell.best else words

        headings = [column.heading for column in self.columns]
        rows = [headings, *self.rows] if any(headings) else self.rows
        return [list(map(text, row)) for row in rows]

    def below(self, lang: str) -> str:
        return " ".join(in_language(self.notes, lang))


def table_of(named: Iterable[tuple[str, Sequence[str | Cell]]], left: int) -> ShownTable:
    """A table of columns, each a heading and its cells; the first ``left`` are names."""
    headings, cells = zip(*named, strict=True)
    return ShownTable(columns=columns_of(headings, left), rows=list(zip(*cells, strict=True)))


def columns_of(headings: Sequence[str], left: int) -> list[ShownColumn]:
    """Columns with these headings, the first ``left`` of them names."""
    return [ShownColumn(heading=heading, number=place >= left) for place, heading in enumerate(headings)]


# --- the rows of a result: a row for each slice, the worst first, a flat mapping


@dataclass(frozen=True, kw_only=True, eq=False)
class Wide:
    """A row for each slice, the whole first: the slice columns, how much each holds, a column per metric."""

    frame: pl.DataFrame
    units: tuple[str, ...]  # of the metrics; each is a column that counts them
    labels: tuple[str, ...]
    least: int = 0
    left_out: int = 0  # slices that hold less than the least

    @property
    def note(self) -> Message | None:
        if not self.left_out:
            return None
        return say(
            "{n:,} {n:slice|slices} of fewer than {least:,} {units} {n:is|are} left out.",
            n=self.left_out,
            least=self.least,
            units=UNITS.get(self.units[0], self.units[0]),
        )


def with_units(rows: pl.DataFrame, by: Sequence[str], units: Mapping[str, str]) -> pl.DataFrame:
    """The rows of a result with the name of the whole, and after ``n`` what it counts.

    >>> rows = pl.DataFrame({"site": [None, "x"], "metric": ["mrr", "mrr"], "n": [2, 1], "undefined": [0, 0]})
    >>> with_units(rows, ["site"], {"mrr": "queries"}).rows()
    [('(all)', 'mrr', 2, 'queries', 0), ('x', 'mrr', 1, 'queries', 0)]
    """
    labels = list(units)
    of = rows["metric"].replace_strict(labels, [units[label] for label in labels], return_dtype=pl.String)
    return named_whole(rows, by).insert_column(rows.columns.index("n") + 1, of.alias("of"))


def wide_table(
    rows: pl.DataFrame,
    by: Sequence[str],
    units: Mapping[str, str],
    directions: Mapping[str, Direction],
    least: object = 0,
) -> Wide:
    """The slices as rows, the worst first by the first metric; those that hold less than ``least`` left out.

    What is worst, its direction says: low values, high values, those far from 1; without one the slices
    stay in the order of their names. Metrics with a value for each class have no column here.
    """
    fewest = check_least(least)
    rows = rows.filter(rows["class"].is_null()) if "class" in rows.columns else rows
    present = set(rows["metric"].unique().to_list())
    labels = [label for label in units if label in present]
    if not labels:
        raise writing.nothing_wide()
    counted = list(dict.fromkeys(units[label] for label in labels))
    taken = [*by, *counted, *labels]
    for name in taken:
        if taken.count(name) > 1:
            raise writing.column_of_two(name=name)
    # numbered, as an expression takes a name such as '*' for every column; the first is there if none slices
    keys = ["by", *(f"by {place}" for place in range(len(by)))]
    size = (pl.col("n") + pl.col("undefined")).alias("size")
    keyed = rows.rename(dict(zip(by, keys[1:], strict=True))).with_columns(pl.lit(0).alias("by"), size)
    slices = keyed.pivot(
        "metric", index=keys, values=["value", "size"], aggregate_function="first", maintain_order=True
    )
    sizes = [
        pl.max_horizontal(f"size_{label}" for label in labels if units[label] == unit)
        .fill_null(0)
        .alias(f"unit {place}")
        for place, unit in enumerate(counted)
    ]
    whole = pl.all_horizontal(pl.col(keys[1:]).is_null()) if by else pl.lit(True)
    slices = slices.with_columns(*sizes, whole.alias("whole"))
    kept = slices.filter(pl.col("whole") | (pl.col("unit 0") >= fewest))
    worse = _worse(pl.col(f"value_{labels[0]}").fill_nan(None), directions[labels[0]])
    order = [~pl.col("whole"), *([] if worse is None else [worse])]
    ordered = kept.sort(order, nulls_last=True, maintain_order=True)
    columns = [
        *(ordered[key].fill_null(str(WHOLE)).alias(name) for key, name in zip(keys[1:], by, strict=True)),
        *(ordered[f"unit {place}"].alias(unit) for place, unit in enumerate(counted)),
        *(ordered[f"value_{label}"].alias(label) for label in labels),
    ]
    return Wide(
        frame=pl.DataFrame(columns),
        units=tuple(counted),
        labels=tuple(labels),
        least=fewest,
        left_out=slices.height - kept.height,
    )


def worst_first(
    rows: pl.DataFrame,
    by: Sequence[str],
    directions: Mapping[str, Direction],
    limit: int,
    of: pl.Series | None = None,
) -> tuple[pl.DataFrame, int]:
    """The first ``limit`` rows of a result, and how many slices are not among them; 0 if none is worse.

    Where rows are left out, the whole stands first, then slice by slice the worst by the first metric: by
    its values, or by those of ``of``. Without a better side the slices keep their order.

    >>> rows = pl.DataFrame({"site": [None, "x", "y"], "metric": ["mrr"] * 3, "value": [0.5, 0.9, 0.1]})
    >>> shown, hidden = worst_first(rows, ["site"], {"mrr": "higher"}, 2)
    >>> shown["site"].to_list(), hidden
    ([None, 'y'], 1)
    """
    slicing = [name for name in by if rows[name].null_count()]  # a column that names systems is always filled
    if rows.height <= limit or not slicing:
        return rows.head(limit), 0
    first = rows["metric"][0]
    worse = _worse(pl.col("value").fill_nan(None), directions.get(first, "none"))
    of_slice = pl.when(pl.col("metric") == first).then(pl.lit(None) if worse is None else worse)
    keys = rows.select(exactly(by)).to_struct("slice")
    keyed = pl.DataFrame(
        [
            keys,
            rows["metric"],
            (rows["value"] if of is None else of).alias("value"),
            is_whole(rows, slicing).alias("whole"),
        ]
    )
    order = (
        keyed.with_row_index("row")
        .select(
            "row",
            ~pl.col("whole"),
            of_slice.min().over("slice").alias("worse"),
            pl.col("row").min().over("slice").alias("name"),
        )
        .sort("whole", "worse", "name", nulls_last=True, maintain_order=True)
    )
    shown = order["row"].head(limit)
    slices = rows.select(exactly(slicing))
    return rows[shown], 0 if worse is None else slices.n_unique() - slices[shown].n_unique()


def check_least(least: object) -> int:
    if not isinstance(least, int) or is_flag(least) or least < 0:
        raise must_be("least", say("a whole number from 0 on"), least, kind=OutputError)
    return least


def spec_text(spec: Mapping[str, object]) -> str:
    """The complete specification of a metric as text that names it again.

    >>> spec_text({"metric": "gauc", "weight": "clicks", "edition": "steelyard:2026", "profile": "sklearn"})
    'gauc(weight=clicks)'
    """
    fields = {
        name: value for name, value in spec.items() if name not in ("metric", "k", "edition", "profile")
    }
    inside = ", ".join(f"{name}={plain(value)}" for name, value in fields.items())
    k = spec.get("k") or "all"
    return f"{spec['metric']}({inside}){f'@{k}' if 'k' in spec else ''}"


def _worse(value: pl.Expr, direction: Direction) -> pl.Expr | None:
    """What is least for the worst; None where no value is worse than another."""
    if direction == "nearest_1":
        return -(value - 1).abs()
    return {"higher": value, "lower": -value}.get(direction)


def flat_values(rows: pl.DataFrame, by: Sequence[str]) -> dict[str, float]:
    """Every finite value under a name of letters, digits and ``_ - . /`` and spaces; none has two values.

    >>> rows = pl.DataFrame({"site": [None, "x"], "metric": ["ndcg@10", "ndcg@10"], "value": [0.5, 1.0]})
    >>> flat_values(rows, ["site"])
    {'ndcg_10': 0.5, 'ndcg_10/site/x': 1.0}
    """
    columns = [name for name in (*by, "class", "predicted") if name in rows.columns]
    named: dict[str, float] = {}
    sources: dict[str, list[str]] = {}
    for row in rows.iter_rows(named=True):
        parts = [row["metric"]]
        for column in columns:
            parts += [column, row[column]] if row[column] is not None else []
        name = "/".join(map(_name_part, parts))
        if len(name) > _LONGEST:
            raise writing.flat_name_too_long(name=name, n=len(name), most=_LONGEST)
        if name in sources:
            raise writing.flat_names_equal(name=name, one=" / ".join(sources[name]), other=" / ".join(parts))
        sources[name] = parts
        named[name] = row["value"]
    return {name: value for name, value in named.items() if math.isfinite(value)}


def _name_part(text: str) -> str:
    """A text with ``_`` for everything that trackers refuse in names; MLflow reads ``.`` and ``..`` as paths.

    >>> _name_part("ndcg(gain=exp2)@10"), _name_part("a/b"), _name_part("(none)"), _name_part("..")
    ('ndcg_gain_exp2_10', 'a_b', 'none', '_')
    """
    kept = re.sub(r"[^\w. -]+", "_", text).strip("_")
    return kept if kept.strip(".") else "_"
