"""Ratings: the errors row by row, the worst first."""

from __future__ import annotations

from dataclasses import replace

from steelyard.explain.explanation import VALUE, Line, Note, undefined
from steelyard.explain.rows_table import Part, Summed, summed
from steelyard.explain.steps import Parts, steps
from steelyard.kernels.scales import times_power
from steelyard.metrics import MAE, MSE, R2, RMSE
from steelyard.metrics.rating import ABSOLUTE_MISS, SQUARED_MISS
from steelyard.states import Rated


@steps.register
def _mse(_metric: MSE, state: Rated) -> Parts:
    found = _squares(state)
    return _told(state, found, found.over_rows("squared_miss"))


@steps.register
def _rmse(_metric: RMSE, state: Rated) -> Parts:
    found = _squares(state)
    return _told(state, found, found.over_rows("squared_miss", "sqrt({sum} / {rows})"))


@steps.register
def _mae(_metric: MAE, state: Rated) -> Parts:
    found = summed(state, _leading(state), Part(name="absolute_miss", values=ABSOLUTE_MISS.each(state)))
    return _told(state, found, found.over_rows("absolute_miss"))


@steps.register
def _r2(_metric: R2, state: Rated) -> Parts:
    values, exponent = state.off_mean
    off = times_power(values, exponent[0])
    found = _squares(state, Part(name="squared_off_mean", values=off * off))
    if not (state.varies[0] and state.rows[0] > 1):
        return _told(state, found, undefined(), Note(key="undefined_spread"))
    operands = {"squares": found.sum_of("squared_miss"), "spread": found.sum_of("squared_off_mean")}
    value = Line(name=VALUE, expression="1 - {squares} / {spread}", operands=operands)
    mean = Line(
        name="truth_mean", expression="{mean}", operands={"mean": float(state.truth[0]) - float(off[0])}
    )
    told = _told(state, found, value)
    return replace(told, lines=(mean, *told.lines))


def _squares(state: Rated, *also: Part) -> Summed:
    return summed(state, _leading(state), Part(name="squared_miss", values=SQUARED_MISS.each(state)), *also)


def _leading(state: Rated) -> list[Part]:
    return [
        Part(name="true_rating", values=state.truth),
        Part(name="said_rating", values=state.predicted),
        Part(name="miss", values=state.miss),
    ]


def _told(state: Rated, found: Summed, line: Line, *further: Note) -> Parts:
    empty = () if state.rows[0] or further else (Note(key="undefined_rows"),)
    return Parts(steps=(found.table,), lines=(line,), notes=(*further, *empty))
