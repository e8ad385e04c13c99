"""The metrics of a plan on an engine: their values, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.engine.kept_lists import Lists
from steelyard.engine.memory import Memory
from steelyard.engine.order import touched_by_ties
from steelyard.engine.ranked import Ranked
from steelyard.engine.top_lists import TopLists
from steelyard.measure.certainty import Certainty
from steelyard.measure.measured import Measured, extremes, of_state
from steelyard.measure.notes import all_notes
from steelyard.measure.row_notes import row_notes
from steelyard.measure.tie_notes import with_ties
from steelyard.messages import Message, say
from steelyard.metrics.asked import Asked


def measured(one: Asked, engine: Memory, certainty: Certainty) -> Measured:
    """A metric's value over everything and in each slice, each with its interval."""
    metric, need = one.metric.for_truth(engine.max_grade), one.need
    reader = engine.reader(need)
    state = reader.state(need)
    labels, parts = (None, None) if reader.slices is None else reader.split(need, state)
    thresholded = need.threshold is not None and reader.states.thresholded(need)
    made = Measured.of(one.label, metric, state, labels, parts, certainty, thresholded=thresholded)
    if need.reads != "hits" or not metric.monotone:
        return made
    counted = reader.counted(need)
    if not (counted.hits.tied > 1).any():
        return made
    touched = touched_by_ties(counted, need.convention[1])
    return with_ties(made, lambda ties: reader.ordered(need, ties), touched) if touched.any() else made


def value_of(one: Asked, engine: Memory) -> Floats:
    """A metric's value over everything and nothing else, or its row of values."""
    whole: Floats = one.metric.for_truth(engine.max_grade).measure(engine.reader(one.need).state(one.need))[0]
    return whole


def notes_of(made: Sequence[Measured], engine: Memory) -> list[Message]:
    """What a reader must know of the tables and of what was measured, each sentence once."""
    found: list[Message] = []
    ranked = of_state(made, Ranked | TopLists)
    reader = engine.lists
    if reader is not None:
        hits, lists = of_state(ranked, Ranked), of_state(ranked, TopLists)
        graded = bool(hits) or any("truth" in one.need.tables for one in lists)
        found += reader.notes([one.state for one in ranked], graded=graded)
        if hits:
            found += reader.nothing_judged()
        tally, every = reader.listed_tally, len(ranked) == len(made)
        found += all_notes(hits, lambda metric: reader.counted(metric.need()), lists, tally, every=every)
    if engine.rows is not None:
        found += _notes_of_rows([one for one in made if one not in ranked], engine)
    return list(dict.fromkeys(found))


def _notes_of_rows(made: Sequence[Measured], engine: Memory) -> list[Message]:
    """The same of labelled rows."""
    assert engine.rows is not None
    reader = engine.rows
    found = reader.notes() + row_notes(made, reader.tally, reader.tables[0] if reader.tables else None)
    if reader.states.weight is not None:
        without = [one.label for one in made if not one.need.weighted]
        if without:
            found.append(
                say("{labels} {labels:ignores|ignore} the row weights.", key="row_weights", labels=without)
            )
    return found + [note for one in made for note in reader.states.notes(one.state)]


def kept_lists(made: Sequence[Measured], engine: Memory) -> Lists | None:
    """The lists themselves, or, of very many rows, those of the best and worst queries."""
    if engine.lists is None:
        return None

    def best_and_worst() -> list[object]:
        for first in of_state(made, Ranked):
            queries: pl.Series = first.state.queries
            return queries.gather(np.concatenate(extremes(first))).to_list()
        return []

    return engine.lists.lists.kept(best_and_worst)
