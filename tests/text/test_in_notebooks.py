"""What IPython shows of an error: it asks the error for the lines by `_render_traceback_`."""

from __future__ import annotations

import pytest

import steelyard as sy


def refused(metric: str) -> sy.SteelyardError:
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate({"q": ["a"]}, {"q": ["a"]}, metric)  # the caller's line
    return caught.value


def test_the_line_of_the_caller_and_the_message_without_internal_frames():
    error = refused("mrr@")
    line, *message = error._render_traceback_()
    assert line.startswith("----> ")
    assert line.endswith('sy.evaluate({"q": ["a"]}, {"q": ["a"]}, metric)  # the caller\'s line')
    assert message == f"MetricError: {error}".splitlines()
    assert len(message) == 2


def test_an_error_that_was_never_raised():
    error = sy.SteelyardError("the table is empty", remedy="give at least one row")
    assert error._render_traceback_() == ["SteelyardError: the table is empty", "give at least one row"]
