"""Tables of rows: a label for each row, and what was predicted for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from steelyard import processes
from steelyard.arrays import array_of
from steelyard.read import frames, roles, schema
from steelyard.read.load import ALSO_LABELLED, Columns, load
from steelyard.read.roles import ALIASES, PREDICTIONS, Finder, folded, holds_classes
from steelyard.read.sources import are_columns, is_array, is_list, is_sparse, open_sources
from steelyard.read.table import IDS, Part, Source, Table
from steelyard.text import Message, say
from steelyard.text.errors import ColumnError, measuring, reading
from steelyard.text.errors.forms import must_be, word


@dataclass(frozen=True, kw_only=True)
class Wants:
    """What the metrics of a call read: scores, predicted classes, a group for each row."""

    scores: bool  # a score for each row, or a probability for each class
    classes: bool  # a predicted class, or what one can be made from
    groups: bool
    units: bool = False  # the user, session or query of each row, where it is clear which column that is
    ratings: bool = False  # predictions are numbers, never classes
    thresholds: bool = False  # a metric of classes states a threshold for scores
    named: frozenset[str] = frozenset()  # classes that the caller named


_HEADERS = {"labelled": "rows", "predictions": "predicted rows", "truth": "true rows"}


def row_table(
    source: Any, kind: str, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()
) -> Table:
    """A table of rows: ``labelled``, or ``predictions`` or ``truth``, matched by query, item or both."""
    alone, table = kind == "labelled", "truth" if kind == "truth" else "predictions"
    name, sources = open_sources(source, kind, table)
    named = any(key.rpartition(".")[2] == "score" for key in columns or {})

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        found = {} if alone else _keys(finder)
        if kind != "predictions":
            several = finder.several("label")
            label = {} if several else {"label": finder.need("label", also=ALSO_LABELLED if alone else None)}
            found |= label or {f"label:{name}": name for name in several}
        if alone:
            found |= {"query": finder.need("query")} if wants.groups else {}
            query = found.get("query")
            unit = finder.unit(query or finder.only("query")) if wants.units else None
            found |= {"unit": unit} if unit is not None and unit != query else {}
        return found if kind == "truth" else found | _predicted_columns(finder, one, wants)

    def column(series: pl.Series, role: str, part: Part, untyped: bool) -> pl.Series:
        classes = wants.classes and not named and folded(series.name) in PREDICTIONS
        return schema.column(
            series, role, part, untyped=untyped, numbers=wants.scores, classes=classes, named=wants.named
        )

    read = load(
        name,
        sources,
        needed,
        kind=table,
        columns=columns,
        extra=extra,
        alone=alone,
        classes=not wants.ratings,
        by_item=False,
        column=column,
        header="grouped rows" if alone and wants.groups else _HEADERS[kind],
    )
    read = replace(read, frame=read.frame.rechunk())  # else every array of a column would be a copy
    read = _with_score(_with_labels(read), wants, columns)
    if "unit" not in read.frame.columns or read.frame["unit"].null_count() == read.frame.height:
        return read
    finder = Finder(read.sources[0], "predictions", columns, alone=True)
    return replace(read, notes=(*read.notes, *finder.unit_notes(read.roles["unit"])))


def _keys(finder: Finder) -> dict[str, str]:
    found = {role: column for role in IDS if (column := finder.find(role)) is not None}
    also = say("or the item, --columns item=NAME; or give one table with labels and scores")
    return found or {"query": finder.need("query", also=also)}


def _predicted_columns(finder: Finder, source: Source, wants: Wants) -> dict[str, str]:
    """The columns of predictions: a class, probabilities, a score, whatever the metrics can use."""
    if source.listed:
        raise reading.lists_of_rows(name=source.name)
    several = finder.probabilities()
    found = {f"{schema.PROBABILITY}:{name}": name for name in several}
    if len(several) == 1:
        found = {schema.PROBABILITY: several[0]}
    called = finder.several("predicted") if wants.classes else []
    predicted = called[0] if called else finder.find("predicted") if wants.classes else None
    if called:
        found |= {f"predicted:{name}": name for name in called}
    elif predicted is not None:
        found["predicted"] = predicted
    needs_score = finder.chosen("score") or (not several and (wants.scores or predicted is None))
    if not needs_score and not several and wants.thresholds:
        needs_score = finder.only("score") is not None
    also = say(
        "or the predicted class (predicted=NAME), or one column for each class (probability=NAME,NAME)"
    )
    if not needs_score:
        return found
    return found | {"score": finder.need("score", also=also if wants.classes else None)}


def _with_labels(table: Table) -> Table:
    """The same; several columns of labels, or of what was predicted, are one with a field for each."""
    frame = table.frame
    for role in roles.LABELS:
        several = [name for name in frame.columns if name.startswith(f"{role}:")]
        if several:
            fields = [frame[name].alias(name.partition(":")[2]) for name in several]
            frame = frame.drop(several).with_columns(pl.DataFrame(fields).to_struct(role))
    return replace(table, frame=frame) if frame is not table.frame else table


def _with_score(table: Table, wants: Wants, columns: Columns) -> Table:
    """The same; one probability for each row, not one for each class, is a score."""
    frame = table.frame
    if schema.PROBABILITY not in frame.columns or isinstance(frame.schema[schema.PROBABILITY], pl.Array):
        return table
    chosen = {key.rpartition(".")[2] for key in columns or {}}
    known = ALIASES["score"] | ALIASES[schema.PROBABILITY]
    candidates = [c for c in table.columns if folded(c) in known and (wants.ratings or not _called(table, c))]
    if "score" in chosen and schema.PROBABILITY not in chosen:
        return replace(table, frame=frame.drop(schema.PROBABILITY))
    if "score" in chosen or (len(candidates) > 1 and schema.PROBABILITY not in chosen):
        raise reading.ambiguous_column(table.name, "score", candidates)
    return replace(table, frame=frame.rename({schema.PROBABILITY: "score"}))


def _called(table: Table, column: str) -> bool:
    values = table.column(column) if folded(column) in PREDICTIONS else None
    return values is not None and holds_classes(values, untyped=table.untyped)


_NAME = say("the arrays", key="arrays")
_MOST_CELLS = 2**30  # of a sparse matrix, each of which becomes a number
_FIRST = 1000  # values that are searched for a fraction before all are


def check_order(first: Any, second: Any, *, asked: str, of_rows: bool, of_scores: bool) -> None:
    """Refuse two positional arrays unless their values show that the first are the predictions.

    Scores with a fraction belong to labels of 0 and 1 or of text, a matrix of probabilities to a column. A
    metric ``of_scores`` takes whole numbers as scores too: its labels are 0 and 1. Tables have names, and two
    matrices are scores and grades of rankings unless they must be ``of_rows``.
    """
    if not of_rows and (not are_columns(first, second) or (_is_wide(first) and _is_wide(second))):
        return
    one, other = _values(first, "predictions", "score"), _values(second, "truth", "label")
    wide = [isinstance(values, np.ndarray) or values.dtype.is_nested() for values in (one, other)]
    if wide[0] == wide[1]:
        if (all(wide) and not of_rows) or len(one) != len(other) or len(one) == 0:
            return
        forms = _form(one), _form(other)
    else:
        forms = ("scores", "labels") if wide[0] else ("labels", "scores")
    if forms == ("labels", "scores"):
        raise reading.truth_first(asked=asked)
    if forms == ("scores", "either") and isinstance(other, pl.Series):
        odd = other.filter((other != 0) & (other != 1) & other.is_not_null())
        raise reading.unclear_labels(asked=asked, value=float(odd[0]))
    if forms != ("scores", "labels") and not (of_scores and forms == ("either", "labels")):
        raise reading.unclear_roles(asked=asked)


def _is_wide(data: Any) -> bool:
    if is_list(data):
        first: Any = data[0] if len(data) else ()
        if is_list(first):
            return len(data) > 0 and len(first) != 1
        return getattr(first, "ndim", 0) > 0 and first.shape[0] != 1  # a sparse matrix has no length
    shape: tuple[int, ...] = getattr(data, "shape", ())
    return len(shape) > 1 and shape[1] != 1


def _form(values: pl.Series | NDArray[Any]) -> Literal["labels", "scores", "either"]:
    """Labels are flags, text or only 0 and 1; scores have a fraction. NaN and null do not count."""
    if isinstance(values, pl.Series):
        if not values.dtype.is_numeric():
            return "labels"
        wide = values.dtype.is_decimal() or values.dtype in (pl.Int128, pl.UInt128)  # unknown to NumPy
        values = (values.cast(pl.Float64) if wide else values).to_numpy()
    if values.dtype.kind not in "buif":
        return "either"
    if any(np.any(np.floor(part) < part) for part in (values.flat[:_FIRST], values)):
        return "scores"
    within = np.fmin.reduce(values, None, initial=0) >= 0 and np.fmax.reduce(values, None, initial=0) <= 1
    return "labels" if within else "either"


def row_arrays(
    predicted: Any,
    true: Any,
    *,
    numbers: bool,
    named: frozenset[str] = frozenset(),
    weights: Any = None,
    groups: Any = None,
    may_be_empty: bool = False,
) -> Table:
    """Predictions and labels of one length, as a table of rows; two matrices are several labels per row.

    ``numbers`` says that the predictions must be numbers; ``named`` are classes that the caller named.
    ``weights`` and ``groups``, one for each row, become the columns weight and query. Rows go together by
    their position, whatever index a pandas Series has. A matrix of one column is a column; a sparse one is
    read as the dense one would be. What is masked is missing: a label may be. An integer that no 64-bit
    float holds exactly is no score, as two that differ would tie. No row at all is an error unless there
    ``may_be_empty``.
    """
    for name, data in (("predictions", predicted), ("truth", true)):
        if numbers and is_sparse(data) and data.shape[1:] != (1,):
            raise reading.sparse_rows(name=word(name))
    scores, given = _values(predicted, "predictions", "score"), _values(true, "truth", "label")
    if len(scores) != len(given):
        raise measuring.arrays_differ(n=len(scores), m=len(given))
    if not len(given) and not may_be_empty:
        raise reading.no_rows(name=word("predictions"))
    for role, values in (("label", given), ("score", scores)):
        if isinstance(values, np.ndarray) and values.ndim > 2:
            raise measuring.not_one_column(role=role, shape=values.shape)
    kinds = [values.dtype for values in (given, scores) if isinstance(values, pl.Series)]
    if not all(kind.is_numeric() or kind == pl.Boolean for kind in kinds):
        processes.check()  # Polars works on text with its threads
    part = Part(name=_NAME, height=len(given))
    beside = []
    if weights is not None:
        values = _beside(weights, "weight", len(given))
        if not values.dtype.is_numeric() and values.null_count() < len(values):
            row, kind = schema.first(values.is_not_null()), schema.type_name(values.dtype)
            cell = part.cell(row, "weight", "weight")
            raise reading.wrong_type(cell=cell, value=schema.example(values, row), type=kind)
        weight = schema.weights(values, part.place, untyped=False)
        beside.append(pl.Series("weight", weight))
    if groups is not None:
        group = _beside(groups, "group", len(given))
        # without rows there is no type to insist on
        ids = schema.identifier(group, "group", part) if len(group) else group.cast(pl.String)
        beside.append(ids.alias("query"))
    sources: tuple[Source, ...] = ()
    if isinstance(given, np.ndarray):
        columns = _several_labels(given, scores, part)
    else:
        if isinstance(scores, np.ndarray):
            wide = _numbers(scores, part, several=False)
            own = wide.dtype if wide.dtype in (np.float16, np.float32) else np.float64
            scores = pl.Series(schema.PROBABILITY, np.ascontiguousarray(wide, own))
            found = schema.column(scores, schema.PROBABILITY, part, untyped=False, numbers=True)
        else:
            found = schema.column(
                scores, "score", part, untyped=False, numbers=numbers, classes=True, named=named
            )
        label = schema.column(given, "label", part, untyped=False, numbers=False, named=named)
        columns, sources = [label, found], (frames.of_frame(given.to_frame(), _NAME),)
    return Table(
        frame=pl.DataFrame([*columns, *beside]),
        name=_NAME,
        notes=_notes(predicted, true, weights, groups),
        parts=(part,),
        roles={"label": "label"},
        sources=sources,
    )


def _several_labels(true: NDArray[Any], predicted: pl.Series | NDArray[Any], part: Part) -> list[pl.Series]:
    """Two matrices with a column per class; whole numbers are scores and what was predicted."""
    if true.dtype.kind not in "buif":
        cells = _cells(true, "label", part)
        if not (cells.dtype.is_numeric() or cells.dtype == pl.Boolean):
            raise measuring.matrix_not_binary(row=0, role="truth", value=cells[0])
        true = cells.to_numpy().reshape(true.shape)
    if isinstance(predicted, pl.Series):
        predicted = predicted.cast(pl.Float64, strict=False).to_numpy()[:, None]
    matrix = _numbers(predicted, part, several=True)
    roles = ["predicted", schema.PROBABILITY] if matrix.dtype.kind in "bui" else [schema.PROBABILITY]
    return [pl.Series("label", true), *(pl.Series(role, matrix) for role in roles)]


def _notes(*arrays: Any) -> tuple[Message, ...]:
    indexes = [one.index for one in arrays if frames.is_of(one, "pandas", "Series")]
    if all(index.equals(indexes[0]) for index in indexes):
        return ()
    note = say(
        "the Series have different indexes: their rows are matched by position, not by index.",
        key="indexes_differ",
    )
    return (note,)


def _values(data: Any, name: str, role: str) -> pl.Series | NDArray[Any]:
    if is_sparse(data):
        if math.prod(data.shape) > _MOST_CELLS:
            raise reading.sparse_too_large(name=word(name), n=math.prod(data.shape))
        return _column_or_matrix(data.toarray(), role)
    if not is_array(data):
        raise reading.not_an_array(role=word(name), type=type(data).__name__)
    if isinstance(data, pl.Series) and not isinstance(data.dtype, pl.Array):
        return data.alias(role)
    of_pandas = frames.as_series(data)
    if of_pandas is not None:
        return frames.as_polars(of_pandas, role, _NAME)
    if hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__"):
        return frames.series_of(role, data, _NAME)
    if np.ma.is_masked(data) and data.ndim == 1 and data.dtype.kind in "iufb":
        return series_of(role, np.ma.getdata(data)).set(pl.Series(np.ma.getmaskarray(data)), None)
    array = array_of(name, data)
    if array.ndim == 1 and isinstance(data, list | tuple) and _may_have_merged(array):
        return frames.series_of(role, data, _NAME)
    return _column_or_matrix(array, role)


def _may_have_merged(array: NDArray[Any]) -> bool:
    """Whether NumPy may have made one of two values: text of 1 and "1", floats of large integers."""
    kind = array.dtype.kind
    return kind in "OU" or (
        kind == "f" and array.dtype.itemsize > 2 and bool((np.abs(array) >= schema.EXACT).any())
    )


def _column_or_matrix(array: NDArray[Any], role: str) -> pl.Series | NDArray[Any]:
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]  # as Keras gives it
    return array if array.ndim > 1 else series_of(role, array)


def series_of(name: str, values: NDArray[Any]) -> pl.Series:
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    return frames.series_of(name, values.tolist() if values.dtype.kind in "OU" else values, _NAME)


def _beside(data: Any, role: Literal["weight", "group"], n: int) -> pl.Series:
    name: measuring.Counted = "weights" if role == "weight" else "groups"
    if is_sparse(data):
        raise reading.sparse_column(name=name)
    values = _values(data, name, role)
    if isinstance(values, np.ndarray):
        raise measuring.not_one_column(role=role, shape=values.shape)
    if len(values) != n:
        raise measuring.counts_differ(name, n, len(values))
    return values


def _cells(array: NDArray[Any], role: str, part: Part) -> pl.Series:
    """The values of a matrix of objects row by row, none of them missing."""
    values = frames.series_of(role, array.reshape(-1).tolist(), _NAME)
    if values.null_count():
        row = schema.first(values.is_null()) // array.shape[1]
        raise reading.missing_value(cell=part.cell(row, role, role))
    return values


def _numbers(scores: NDArray[Any], part: Part, *, several: bool) -> NDArray[Any]:
    """Scores of classes, or of ``several`` labels per row, in the precision that they came in."""
    if scores.dtype.kind in "buif":
        return scores
    values = _cells(scores, "score", part)
    if values.dtype.is_numeric():
        return values.cast(pl.Float64).to_numpy().reshape(scores.shape)
    if several:
        odd = values.cast(pl.String).cast(pl.Float64, strict=False).is_null().arg_true()
        cell = int(odd[0]) if len(odd) else 0
        raise reading.not_a_number(
            row=cell // scores.shape[1], cell="score", value=schema.example(values, cell)
        )
    remedy = say("give one number for each class in every row")
    what, numbers = say("probabilities"), say("numbers")
    raise must_be(what, numbers, schema.example(values, 0), remedy=remedy, kind=ColumnError)
