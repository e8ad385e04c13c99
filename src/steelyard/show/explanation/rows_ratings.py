"""Ratings: the errors row by row, the worst first."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from steelyard.kernels.scales import times_power
from steelyard.messages import Message, say
from steelyard.metrics import MAE, MSE, R2, RMSE
from steelyard.show.explanation.explanation import UNDEFINED, Line, Number
from steelyard.show.explanation.rows_table import Part, Summed, row_notes, summed
from steelyard.show.explanation.steps import Parts, steps
from steelyard.states import Rated

_NO_SPREAD = say(
    "there are fewer than two rows or all true values are equal, so that the value is undefined.",
    key="undefined_spread",
)


@steps.register
def _mse(_metric: MSE, state: Rated) -> Parts:
    return _mean_square(state, "{sum} / {rows}", "{unit} * {unit} * ({sum} / {rows})")


@steps.register
def _rmse(_metric: RMSE, state: Rated) -> Parts:
    return _mean_square(state, "sqrt({sum} / {rows})", "{unit} * sqrt({sum} / {rows})")


def _mean_square(state: Rated, plain: str, in_units: str) -> Parts:
    """The mean of squared errors; where they would be beyond numbers, of errors in units of their size."""
    miss, exponent = state.scaled_miss
    found = summed(state, _leading(state), Part(say("squared error"), miss * miss))
    if not exponent[0]:
        return _told(state, found, found.over_rows(plain))
    unit, note = _unit(exponent[0])
    line = found.over_rows(in_units)
    return _told(state, found, replace(line, operands={"unit": unit, **line.operands}), note)


@steps.register
def _mae(_metric: MAE, state: Rated) -> Parts:
    found = summed(state, _leading(state), Part(say("absolute error"), np.abs(state.miss)))
    return _told(state, found, found.over_rows())


@steps.register
def _r2(_metric: R2, state: Rated) -> Parts:
    (miss, of_miss), (off, of_off) = state.scaled_miss, state.off_mean
    exponent = np.maximum(of_miss, of_off)[0]  # one unit for both: it cancels
    miss, off = times_power(miss, of_miss[0] - exponent), times_power(off, of_off[0] - exponent)
    found = summed(
        state,
        _leading(state),
        Part(say("squared error", key="squared_miss"), miss * miss),
        Part(say("(truth - mean)²", key="squared_off_mean"), off * off),
    )
    if not (state.varies[0] and state.rows[0] > 1):
        return _told(state, found, UNDEFINED, _NO_SPREAD)
    operands = {
        "squares": found.sum_of("squared_miss", say("squared errors")),
        "spread": found.sum_of("squared_off_mean", say("squared distances from the mean")),
    }
    value = Line(expression="1 - {squares} / {spread}", operands=operands)
    first = float(state.truth[0]) - float(times_power(off[:1], exponent)[0])
    mean = Line(name=say("mean of the truth"), expression="{mean}", operands={"mean": first})
    told = _told(state, found, value, *([_unit(exponent)[1]] if exponent else []))
    return replace(told, lines=(mean, *told.lines))


def _unit(exponent: int) -> tuple[Number, Message]:
    """The unit that errors are squared in, and the sentence that says so."""
    unit = math.ldexp(1.0, int(exponent))
    note = say(
        "errors are squared in units of {unit:g}: "
        "their squares would be too large or too small for a number.",
        key="in_units",
        unit=unit,
    )
    return Number(unit, say("unit")), note


def _leading(state: Rated) -> list[Part]:
    return [
        Part(say("truth // a rating"), state.truth),
        Part(say("prediction"), state.predicted),
        Part(say("error // of a prediction", key="miss"), state.miss),
    ]


def _told(state: Rated, found: Summed, line: Line, *notes: Message) -> Parts:
    return Parts(steps=(found.table,), lines=(line,), notes=notes or row_notes(state))
