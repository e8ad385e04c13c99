"""Tables of rows: a label for each row, and what was predicted for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from steelyard.read import roles, schema
from steelyard.read.column_names import ALIASES, PREDICTIONS, folded
from steelyard.read.load import ALSO_LABELLED, Columns, load
from steelyard.read.roles import Finder, holds_classes
from steelyard.read.sources import open_sources
from steelyard.read.table import IDS, Part, Source, Table
from steelyard.text import say
from steelyard.text.errors import reading


@dataclass(frozen=True, kw_only=True)
class Wants:
    """What the metrics of a call read: scores, predicted classes, a group for each row."""

    scores: bool  # a score for each row, or a probability for each class
    classes: bool  # a predicted class, or what one can be made from
    groups: bool
    units: bool = (
        False  # whether the user, session or query of each row is read where it is clear which column that is
    )
    ratings: bool = False  # predictions are numbers, never classes
    thresholds: bool = False  # a metric of classes states a threshold for scores
    named: frozenset[str] = frozenset()  # classes that the caller named


def labelled_rows(source: Any, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    table = _rows(source, "labelled", wants, columns, extra, "grouped rows" if wants.groups else "rows")
    if "unit" not in table.frame.columns or table.frame["unit"].null_count() == table.frame.height:
        return table
    finder = Finder(table.sources[0], "predictions", columns, alone=True)
    return replace(table, notes=(*table.notes, *finder.unit_notes(table.roles["unit"])))


def predicted_rows(source: Any, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    """What was predicted for each row, to be matched with a table of labels by query, item or both."""
    return _rows(source, "predictions", wants, columns, extra, "predicted rows")


def true_rows(source: Any, wants: Wants, *, columns: Columns = None, extra: Sequence[str] = ()) -> Table:
    return _rows(source, "truth", wants, columns, extra, "true rows")


def _rows(source: Any, kind: str, wants: Wants, columns: Columns, extra: Sequence[str], header: str) -> Table:
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
        return found if kind == "truth" else found | _said(finder, one, wants)

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
        header=header,
    )
    return _with_score(_with_labels(read), wants, columns)


def _keys(finder: Finder) -> dict[str, str]:
    found = {role: column for role in IDS if (column := finder.find(role)) is not None}
    also = say("or the item, --columns item=NAME; or give one table with labels and scores")
    return found or {"query": finder.need("query", also=also)}


def _said(finder: Finder, source: Source, wants: Wants) -> dict[str, str]:
    """The columns of predictions: a class, probabilities, a score, whatever the metrics can use."""
    if source.listed:
        raise reading.lists_of_rows(name=source.name)
    several = finder.probabilities()
    found = {f"{schema.PROBABILITY}:{name}": name for name in several}
    if len(several) == 1:
        found = {schema.PROBABILITY: several[0]}
    called = finder.several("predicted") if wants.classes else []
    said = called[0] if called else finder.find("predicted") if wants.classes else None
    if called:
        found |= {f"predicted:{name}": name for name in called}
    elif said is not None:
        found["predicted"] = said
    needs_score = finder.chosen("score") or (not several and (wants.scores or said is None))
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
            one = pl.DataFrame(fields).to_struct(role)
            frame = frame.drop(several).with_columns(one)
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
