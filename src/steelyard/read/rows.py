"""Labelled rows: one table with the labels inside, or predictions and truth apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from steelyard.messages import say
from steelyard.messages.errors import reading
from steelyard.read import labels, load
from steelyard.read.column_names import ALIASES, PREDICTIONS, folded
from steelyard.read.roles import Finder, holds_classes
from steelyard.read.table import Part, Source, Table

KEYS = ("query", "item")


@dataclass(frozen=True, kw_only=True)
class Wants:
    """What the metrics of a call read: scores, predicted classes, a group for each row."""

    scores: bool  # a score for each row, or a probability for each class
    classes: bool  # a predicted class, or what one can be made from
    groups: bool
    ratings: bool = False  # predictions are numbers, never classes
    thresholds: bool = False  # a metric of classes states a threshold for scores
    named: frozenset[str] = frozenset()  # classes that the caller named


def one_table(
    name: str, sources: Sequence[Source], wants: Wants, *, columns: Any, extra: Sequence[str]
) -> Table:
    """One table with the labels inside."""

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        also = say("or give the truth as a table of its own (--truth FILE)")
        found = {"label": finder.need("label", also=also)}
        return found | ({"query": finder.need("query")} if wants.groups else {}) | _said(finder, one, wants)

    header = "grouped rows" if wants.groups else "rows"
    return _table(name, sources, needed, "predictions", wants, columns, extra, alone=True, header=header)


def predicted(
    name: str, sources: Sequence[Source], wants: Wants, *, columns: Any, extra: Sequence[str]
) -> Table:
    """What was predicted, to be matched with labels by query, item or both."""

    def needed(finder: Finder, one: Source) -> dict[str, str]:
        return _keys(finder) | _said(finder, one, wants)

    return _table(name, sources, needed, "predictions", wants, columns, extra, header="predicted rows")


def true(name: str, sources: Sequence[Source], wants: Wants, *, columns: Any, extra: Sequence[str]) -> Table:
    """The labels, to be matched with what was predicted."""

    def needed(finder: Finder, _one: Source) -> dict[str, str]:
        return _keys(finder) | {"label": finder.need("label")}

    return _table(name, sources, needed, "truth", wants, columns, extra, header="true rows")


def _keys(finder: Finder) -> dict[str, str]:
    found = {role: column for role in KEYS if (column := finder.find(role)) is not None}
    also = say("or the item, --columns item=NAME; or give one table with labels and scores")
    return found or {"query": finder.need("query", also=also)}


def _said(finder: Finder, source: Source, wants: Wants) -> dict[str, str]:
    """The columns of predictions: a class, probabilities, a score, whatever the metrics can use."""
    if source.listed:
        raise reading.lists_of_rows(name=source.name)
    found = {}
    several = finder.probabilities()
    if len(several) == 1:
        found[labels.PROBABILITY] = several[0]
    found |= {f"{labels.PROBABILITY}:{name}": name for name in several[1:] and several}
    said = finder.find("predicted") if wants.classes else None
    if said is not None:
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


def _table(
    name: str,
    sources: Sequence[Source],
    roles: load.Roles,
    kind: str,
    wants: Wants,
    columns: Mapping[str, Any] | None,
    extra: Sequence[str],
    *,
    alone: bool = False,
    header: str,
) -> Table:
    named = any(key.rpartition(".")[2] == "score" for key in columns or {})

    def column(series: pl.Series, role: str, part: Part, untyped: bool) -> pl.Series:
        classes = wants.classes and not named and folded(series.name) in PREDICTIONS
        return labels.column(
            series, role, part, untyped=untyped, numbers=wants.scores, classes=classes, named=wants.named
        )

    table = load.table(
        name,
        sources,
        roles,
        kind=kind,
        columns=columns,
        extra=extra,
        alone=alone,
        classes=not wants.ratings,
        column=column,
        header=header,
    )
    return _with_score(table, wants, columns)


def _with_score(table: Table, wants: Wants, columns: Mapping[str, Any] | None) -> Table:
    """The same; one probability for each row, not one for each class, is a score."""
    frame = table.frame
    if labels.PROBABILITY not in frame.columns or isinstance(frame.schema[labels.PROBABILITY], pl.Array):
        return table
    chosen = {key.rpartition(".")[2] for key in columns or {}}
    known = ALIASES["score"] | ALIASES[labels.PROBABILITY]
    candidates = [c for c in table.columns if folded(c) in known and (wants.ratings or not _called(table, c))]
    if "score" in chosen and labels.PROBABILITY not in chosen:
        return replace(table, frame=frame.drop(labels.PROBABILITY))
    if "score" in chosen or (len(candidates) > 1 and labels.PROBABILITY not in chosen):
        raise reading.ambiguous_column(table.name, "score", candidates)
    return replace(table, frame=frame.rename({labels.PROBABILITY: "score"}))


def _called(table: Table, column: str) -> bool:
    """Whether a column named as a prediction holds classes."""
    values = table.column(column) if folded(column) in PREDICTIONS else None
    return values is not None and holds_classes(values, untyped=table.untyped)
