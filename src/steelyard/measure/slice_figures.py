"""The values of large slices, which readings look into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import polars as pl

from steelyard.arguments import slice_value
from steelyard.arrays import Floats
from steelyard.engine.scored import Scored
from steelyard.engine.slices import in_sentence, is_whole
from steelyard.measure.measured import Measured
from steelyard.measure.readings import SLICE_ROWS, SLICE_SHARE, Reading, SliceFigures, readings


def readings_of(measured: Sequence[Measured], table: pl.DataFrame, by: Sequence[str]) -> tuple[Reading, ...]:
    """What the numbers say together."""
    values = {one.label: float(one.whole[0]) for one in measured if not one.entries}
    beside: dict[str, float] = {}
    for one in measured:
        for name, figure in one.metric.beside(one.state).items():
            beside.setdefault(name, float(figure[0]))
    majority = beside.pop("majority", None)
    return readings({**beside, **values}, majority, slice_figures(measured, table, by))


def slice_figures(measured: Sequence[Measured], table: pl.DataFrame, by: Sequence[str]) -> list[SliceFigures]:
    """The values of each slice that is large enough; those of rows and those of queries stand apart."""
    of_queries = [one.label for one in measured if one.metric.weighs == one.metric.unit == "queries"]
    found = _of_rows([one for one in measured if one.metric.weighs == "rows"])
    return found + (_of_queries(of_queries, table, by) if by and of_queries else [])


def _of_rows(measured: Sequence[Measured]) -> list[SliceFigures]:
    slices = next((one.slices for one in measured if one.slices is not None), None)
    if slices is None:
        return []
    values: dict[str, Floats] = {}
    share = np.zeros(slices.height)
    for one in measured:
        if one.sliced is None or one.entries:
            continue
        state, values[one.label] = one.parts, one.sliced
        share = state.rows / max(int(state.rows.sum()), 1)
        for name, figure in one.metric.beside(state).items():
            values.setdefault(name, figure)
    scored = next((one.parts for one in measured if isinstance(one.parts, Scored)), None)
    large, errors = share >= SLICE_SHARE, dict[str, Floats]()
    if scored is not None:
        positives, negatives = _of_both(scored)
        large &= np.minimum(positives, negatives) >= SLICE_ROWS
        errors = standard_errors(values, positives, negatives)
    kept = np.flatnonzero(large).tolist()
    return [
        _figures(
            row,
            share[at],
            "rows",
            {label: float(each[at]) for label, each in values.items()},
            {label: float(each[at]) for label, each in errors.items()},
        )
        for at, row in zip(kept, slices[kept].to_dicts(), strict=True)
    ]


def _of_both(scored: Scored) -> tuple[Floats, Floats]:
    """How many positives and negatives each slice has, rows of weight 0 apart."""
    if scored.weight is None:
        return scored.positives, scored.negatives
    of_positives = scored.segments[(scored.weight > 0) & (scored.label == 1)]
    positives = np.bincount(of_positives, minlength=scored.n_segments).astype(np.float64)
    return positives, scored.rows - positives


def standard_errors(values: Mapping[str, Floats], positives: Floats, negatives: Floats) -> dict[str, Floats]:
    """How far chance alone may put the figures of a slice from where they belong.

    Of AUC that of Hanley and McNeil (1982); of calibration and ne, which divide by what happened, the
    figure's own share ``√((1 − rate) / positives)``, the relative error of a number of positives.

    >>> a_hundred = np.array([100.0])
    >>> standard_errors({"auc": np.array([0.7])}, a_hundred, a_hundred)["auc"].round(4)
    array([0.0367])
    """
    found: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.sqrt(negatives / (positives + negatives) / positives)
        if "auc" in values:
            auc = values["auc"]
            above, below = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
            spread = auc * (1 - auc) + (positives - 1) * above + (negatives - 1) * below
            found["auc"] = np.sqrt(np.maximum(spread, 0) / (positives * negatives))
        for of, stand_in in (("calibration", "copc"), ("ne", "rig")):
            if of in values:
                found[of] = values[of] * relative
            elif stand_in in values:
                figure = 1 / values[stand_in] if of == "calibration" else 1 - values[stand_in]
                found[of] = figure * relative
    return found


def _of_queries(labels: Sequence[str], table: pl.DataFrame, by: Sequence[str]) -> list[SliceFigures]:
    part = table.filter(table["metric"].is_in(labels))
    whole = is_whole(part, by)
    queries = part["n"] + part["undefined"]
    share = queries / max(queries.filter(whole).max() or 0, 1)
    large = ~whole & (share >= SLICE_SHARE)
    found: dict[tuple[str, ...], tuple[float, dict[str, float]]] = {}
    for row, held in zip(part.filter(large).to_dicts(), share.filter(large).to_list(), strict=True):
        names = tuple(row[name] for name in by)
        found.setdefault(names, (held, {}))[1][row["metric"]] = row["value"]
    return [
        _figures(dict(zip(by, names, strict=True)), held, "queries", values)
        for names, (held, values) in found.items()
    ]


def _figures(
    names: Mapping[str, str],
    share: float,
    unit: Literal["rows", "queries"],
    values: Mapping[str, float],
    errors: Mapping[str, float] | None = None,
) -> SliceFigures:
    return SliceFigures(
        slice=tuple((column, slice_value(name)) for column, name in names.items()),
        name=in_sentence(names.values()),
        share=float(share),
        unit=unit,
        values=values,
        errors=errors or {},
    )
