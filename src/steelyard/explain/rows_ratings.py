"""Ratings: the errors row by row, the worst first."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from steelyard.explain.explanation import VALUE, Line, Note, undefined
from steelyard.explain.rows_table import Part, Summed, summed
from steelyard.explain.steps import Parts, steps
from steelyard.kernels.scales import times_power
from steelyard.metrics import MAE, MSE, R2, RMSE
from steelyard.states import Rated


@steps.register
def _mse(_metric: MSE, state: Rated) -> Parts:
    return _mean_square(state, "{sum} / {rows}", "{unit} * {unit} * ({sum} / {rows})")


@steps.register
def _rmse(_metric: RMSE, state: Rated) -> Parts:
    return _mean_square(state, "sqrt({sum} / {rows})", "{unit} * sqrt({sum} / {rows})")


def _mean_square(state: Rated, plain: str, in_units: str) -> Parts:
    """The mean of squared errors; where they would be beyond numbers, of errors in units of their size."""
    miss, exponent = state.scaled_miss
    found = _squares(state, Part(name="squared_miss", values=miss * miss))
    if not exponent[0]:
        return _told(state, found, found.over_rows("squared_miss", plain))
    unit, note = _unit(exponent[0])
    line = found.over_rows("squared_miss", in_units)
    return _told(state, found, replace(line, operands={"unit": unit, **line.operands}), note)


@steps.register
def _mae(_metric: MAE, state: Rated) -> Parts:
    found = summed(state, _leading(state), Part(name="absolute_miss", values=np.abs(state.miss)))
    return _told(state, found, found.over_rows("absolute_miss"))


@steps.register
def _r2(_metric: R2, state: Rated) -> Parts:
    (miss, of_miss), (off, of_off) = state.scaled_miss, state.off_mean
    exponent = np.maximum(of_miss, of_off)[0]  # one unit for both: it cancels
    miss, off = times_power(miss, of_miss[0] - exponent), times_power(off, of_off[0] - exponent)
    found = _squares(
        state,
        Part(name="squared_miss", values=miss * miss),
        Part(name="squared_off_mean", values=off * off),
    )
    if not (state.varies[0] and state.rows[0] > 1):
        return _told(state, found, undefined(), Note(key="undefined_spread"))
    operands = {"squares": found.sum_of("squared_miss"), "spread": found.sum_of("squared_off_mean")}
    value = Line(name=VALUE, expression="1 - {squares} / {spread}", operands=operands)
    first = float(state.truth[0]) - float(times_power(off[:1], exponent)[0])
    mean = Line(name="truth_mean", expression="{mean}", operands={"mean": first})
    told = _told(state, found, value, *([_unit(exponent)[1]] if exponent else []))
    return replace(told, lines=(mean, *told.lines))


def _squares(state: Rated, *parts: Part) -> Summed:
    return summed(state, _leading(state), *parts)


def _unit(exponent: int) -> tuple[float, Note]:
    """The unit that errors are squared in, and the sentence that says so."""
    unit = math.ldexp(1.0, int(exponent))
    return unit, Note(key="in_units", values={"unit": f"{unit:g}"})


def _leading(state: Rated) -> list[Part]:
    return [
        Part(name="true_rating", values=state.truth),
        Part(name="said_rating", values=state.predicted),
        Part(name="miss", values=state.miss),
    ]


def _told(state: Rated, found: Summed, line: Line, *further: Note) -> Parts:
    empty = () if state.rows[0] or further else (Note(key="undefined_rows"),)
    return Parts(steps=(found.table,), lines=(line,), notes=(*further, *empty))
