"""The metrics of a plan on an engine: their values, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.certainty import Certainty
from steelyard.engine.memory import Lists, Memory
from steelyard.engine.ranked import Ranked, touched_by_ties
from steelyard.engine.top_lists import TopLists
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.classes.influence import LEAST
from steelyard.stats.intervals import Limits
from steelyard.stats.measured import Measured, extremes, of_state
from steelyard.stats.notes import all_notes
from steelyard.stats.row_notes import row_notes
from steelyard.stats.tie_notes import with_ties
from steelyard.text import Message, listed, say, sentences


def measured(one: MetricRequest, engine: Memory, certainty: Certainty) -> Measured:
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


def value_of(one: MetricRequest, engine: Memory) -> Floats:
    whole: Floats = one.metric.for_truth(engine.max_grade).measure(engine.reader(one.need).state(one.need))[0]
    return whole


def notes_of(made: Sequence[Measured], engine: Memory) -> list[Message]:
    """What a reader must know of the tables and of what was measured, each sentence once."""
    found: list[Message] = []
    ranked = [one for one in made if isinstance(one.state, Ranked | TopLists)]
    reader = engine.lists
    if reader is not None:
        hits, lists = of_state(ranked, Ranked), of_state(ranked, TopLists)
        graded = bool(hits) or any("truth" in one.need.tables for one in lists)
        found += reader.notes([one.state for one in ranked], graded=graded)
        if hits:
            found += reader.nothing_judged()
        tally, every = reader.listed_tally, len(ranked) == len(made)
        found += all_notes(hits, reader.counted, lists, tally, every=every)
    if engine.rows is not None:
        found += _notes_of_rows([one for one in made if one not in ranked], engine)
    return list(dict.fromkeys(found))


def _notes_of_rows(made: Sequence[Measured], engine: Memory) -> list[Message]:
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

    return Lists(encoded=engine.lists.encoded, max_grade=engine.max_grade).kept(best_and_worst)


FEW = 10  # effective units below which an interval is rough
_UNEQUAL = 1.5  # times an equal part: below that no unit is heavier than others, only the units are few
_HEAVY = 0.05  # of a denominator: what one unit may hold before it is named
_SHOWN = 3
_KINDS = {"score": ("score",), "t": ("t",), "influence": ("t", "log", "log_rest", "logit"), "bca": ("bca",)}

_SAID = sentences(
    no_interval="{labels}: no interval, since the value depends on the number of users.",
    # without the metrics, so that several systems share the sentence
    rows_are_units="intervals assume independent rows; pass unit=NAME if rows share a user.",
    not_resampled="{labels}: no interval, since resampling so many rows takes long; ask for it with "
    "ci=bootstrap.",
    one_unit="{labels}: no interval, since all of it, or all of one class, comes from one unit.",
    rare_class="{labels}: no interval, since a class has fewer than {least} effective units.",
    short_median="{labels}: no interval, since a median of so few values has none.",
    equal_units="{labels}: all units have the same value, so there is no interval.",
    few_units="{labels}: effective sample size below {few}; the interval is approximate.",
    biased_upwards="{labels}: chance alone makes the value larger, and the interval covers the truth less "
    "often than it states.",
    other_interval="{labels}: there is no interval of the kind {asked}; the one that suits the metric is "
    "given.",
    empty_draws="{label}: {n:,} of {of:,} draws of units left nothing to measure, and are left out.",
    unnamed_units="{n:,} {n:row or query has|rows or queries have} no unit, and {n:is one|are units} of "
    "{n:its|their} own.",
    heavy_unit="unit {unit} holds {share:.1%} of what {label} rests on: {n:,} units count like "
    "{effective:,.1f}.",
)


def certainty_notes(measured: Sequence[Measured], certainty: Certainty) -> list[Message]:
    """The notes on the intervals of the whole, each once for all metrics that it holds for."""
    asked = certainty.ci
    if asked == "none":
        return []
    holding = [(one.label, _holding(one, asked)) for one in measured]
    every = dict.fromkeys(["no_interval", *[key for _, found in holding for key in found]])
    labels = {key: [label for label, found in holding if found.get(key)] for key in every}
    notes = [
        _SAID(key, labels=listed(of, _SHOWN), least=LEAST, few=FEW, asked=asked)
        for key, of in labels.items()
        if of
    ]
    return notes + _of_units([(one, one.limits) for one in measured if one.limits is not None])


def _holding(one: Measured, asked: str) -> dict[str, bool | np.bool_]:
    limits = one.limits
    finite = np.isfinite(one.whole.reshape(-1))
    if one.metric.interval() == "none":
        return {"no_interval": one.metric.biased and finite.any()}
    if limits is None:
        return {}
    unknown, effective = np.isnan(limits.low), limits.effective
    known, without = not unknown.all(), finite & unknown
    return {
        "rows_are_units": known and one.drawn == "rows" and one.state.drawn.are_rows,
        "not_resampled": limits.left_out,
        # 0 where there are no units
        "one_unit": (without & (effective > 0) & (effective < 1 + 1e-9)).any(),
        "rare_class": limits.scarce.any(),
        # so few queries have a value that none of them bounds the median
        "short_median": limits.kind == "order" and (without & (effective > 1)).any(),
        "equal_units": (unknown & np.isfinite(limits.error) & ~limits.scarce).any(),
        "few_units": known and np.nanmin(limits.fewest) < FEW - 1e-6,
        "biased_upwards": one.metric.biased and known,
        "other_interval": known and asked in _KINDS and limits.kind not in _KINDS[asked],
    }


def _of_units(measured: Sequence[tuple[Measured, Limits]]) -> list[Message]:
    """Notes on units: draws that leave nothing, rows that have none, and a unit that holds too much."""
    notes: dict[str, Message] = {}
    most = 0
    for one, limits in measured:
        if np.isnan(limits.low).all():
            continue
        units = one.state.drawn
        n = 0 if limits.empty is None else int(limits.empty.max(initial=0))
        if n > most:  # of the metric that has most of them
            most = n
            notes["empty"] = _SAID("empty_draws", label=one.label, n=n, of=limits.draws)
        if units.unnamed and "unnamed" not in notes:
            notes["unnamed"] = _SAID("unnamed_units", n=units.unnamed)
        share = np.nan_to_num(limits.share)
        at = int(share.argmax())
        heavy = share[at] > _HEAVY and share[at] > _UNEQUAL * limits.equal[at]
        if heavy and limits.kind != "order" and "heavy" not in notes:
            number = int(limits.largest[at])
            notes["heavy"] = _SAID(
                "heavy_unit",
                unit=str(number if units.names is None else units.names[number]),
                share=float(share[at]),
                label=one.label,
                n=int(limits.units[at]),
                effective=float(limits.effective[at]),
            )
    return [notes[name] for name in ("empty", "unnamed", "heavy") if name in notes]
