"""The light libraries answer again, in this very run: what they say is what was kept."""

from __future__ import annotations

import os
import sys

import pytest

from conformance.recorded import Answers
from conformance.running import answers, python_of

HERE = ("trec_eval", "ir_measures", "sklearn")  # in the environment of the tests themselves
BESIDE = [pytest.param(name, marks=pytest.mark.peers) for name in ("rectools", "replay", "recommenders")]


@pytest.mark.parametrize("name", [*HERE, *BESIDE])
def test_a_library_answers_as_it_did(name):
    python = sys.executable if name in HERE else python_of(name)
    if python is None and not os.environ.get("CI"):
        pytest.skip(f"build/peers/{name} is not there: make test-all makes it")
    told, kept = answers(name, python), Answers.read(name)
    assert told["version"] == kept.version
    assert set(told["answers"]) == set(kept.answers)
    for case, found in told["answers"].items():
        assert set(found) == set(kept.answers[case])
        apart = {measure for measure in found if not _same(found[measure], kept.answers[case][measure])}
        assert apart == set(), case


def _same(one, other):
    """Whether two answers are one: the same numbers but for the last digits, or errors both."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) or isinstance(other, dict):
        return isinstance(one, dict) and isinstance(other, dict)
    return one == other or float(one) == pytest.approx(float(other), rel=1e-12, abs=1e-12, nan_ok=True)
