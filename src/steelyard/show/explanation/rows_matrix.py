"""The confusion matrix, and where the right class stands among all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.messages import say
from steelyard.metrics import Confusion, TopAccuracy
from steelyard.show.explanation.explanation import Column, Steps
from steelyard.show.explanation.rows_table import (
    WEIGHTED,
    Part,
    chosen,
    largest,
    row_notes,
    shortened,
    summed,
    table,
)
from steelyard.show.explanation.steps import Parts, steps
from steelyard.show.labels import distinct
from steelyard.states import Classified, Scored

MATRIX = say("confusion matrix", key="confusion_matrix")
_TRUE_CLASS = say("class // the true one")
MOST_CLASSES = 12  # classes whose matrix a reader can take in
WIDEST_CLASS = 20


def matrix_steps(rows: Classified) -> tuple[Steps, ...]:
    """A row per class and a column for what it was called, if a row has one class and there are not many."""
    names = rows.classes
    if not rows.one_label or not 0 < len(names) <= MOST_CLASSES:
        return ()
    cells = rows.confusion[0]
    parts = [
        Part(_TRUE_CLASS, np.arange(len(names)), kind="text", names=names),
        *(Part(called, cells[:, at], "sum") for at, called in enumerate(called_names(rows))),
    ]
    return (table(MATRIX, parts, chosen(np.ones(len(names), bool)), total=called_names(rows)),)


def called_names(rows: Classified) -> list[str]:
    """A heading for each predicted class, which is no word of any language."""
    return [f"→ {name}" for name in distinct(rows.classes, WIDEST_CLASS)]


@steps.register
def _confusion(metric: Confusion, state: Classified | Scored) -> Parts:
    rows = metric.view(state)
    n = len(rows.classes)
    notes = () if rows.weight is None else (WEIGHTED,)
    if n <= MOST_CLASSES:
        tables = tuple(replace(one, results=one.total) for one in matrix_steps(rows))
        return Parts(steps=tables, lines=(), notes=notes)
    cells = rows.confusion[0].reshape(-1)
    place = np.arange(n * n)
    columns = (
        Column.of(_TRUE_CLASS, [str(name) for name in rows.classes for _ in range(n)], "text"),
        Column.of(say("called"), [str(name) for name in rows.classes] * n, "text"),
        Column.of(say("rows // how many"), cells),
    )
    wrong = np.where(place // n == place % n, 0.0, cells)
    long = Steps(name=MATRIX, columns=columns, total=("rows",), results=("rows",))
    return Parts(steps=(shortened(long, largest(wrong)),), lines=(), notes=notes)


@steps.register
def _top_accuracy(metric: TopAccuracy, state: Classified) -> Parts:
    places = metric.places(state)
    found = summed(
        state,
        [
            Part(say("label"), state.truth, kind="rank", names=state.classes),
            Part(say("p(label)"), places.own),
            Part(say("classes above"), places.above),
            Part(say("classes level"), places.level),
        ],
        Part(say("counted"), places.share),
        worst=1 - places.share,
    )
    return Parts(steps=(found.table,), lines=(found.over_rows(),), notes=row_notes(state))
