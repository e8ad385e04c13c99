"""No input ends in a traceback: some thousands of seeded cases; ``make fuzz`` runs a million."""

from __future__ import annotations

import pytest

from .crew import Tally, run
from .families import FAMILIES
from .known import known

CASES = {"grammar": 1500, "readers": 700, "objects": 1200, "options": 700}


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_case_ends_in_numbers_or_in_a_refusal(family):
    tally = Tally()
    run(family, range(CASES[family]), tally)
    finds = [find for find in tally.finds if not known(find.what)]
    assert not finds, f"python -m tests.fuzz {family} {finds[0].seed}\n{finds[0].what}\n{finds[0].detail}"
    # a family of which nothing is accepted, or nothing refused, has lost its point
    assert min(tally.ends["accepted"], tally.ends["refused"]) > CASES[family] / 30
