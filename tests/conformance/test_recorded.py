"""Every profile against what its library answered, as it is kept in conformance/recorded."""

from __future__ import annotations

import pytest

import steelyard as sy
from conformance.agreement import kept, summary
from conformance.cases import digest
from conformance.judged import judged
from conformance.recorded import Answers, recorded
from steelyard.ask import profile, profiles
from steelyard.ask.own_names import own

RECORDED = recorded()


@pytest.mark.parametrize("name", RECORDED)
def test_every_answer_agrees_or_is_explained(name):
    cells, idle = judged(Answers.read(name))
    assert [cell for cell in cells if not cell.explained] == []
    assert idle == [], "these explain nothing"


@pytest.mark.parametrize("name", RECORDED)
def test_every_metric_of_the_profile_agrees_somewhere(name):
    """Not one is only refused, or only explained away, unless the profile says that it is not reproduced."""
    cells, _ = judged(Answers.read(name))
    asked = {cell.name for cell in cells if not _is_refused(name, cell.name)}
    assert asked - {cell.name for cell in cells if cell.status == "agrees"} == set()


def _is_refused(name: str, measure: str) -> bool:
    try:
        own(profile(name), measure)
    except sy.SteelyardError:
        return True
    return False


@pytest.mark.parametrize("name", RECORDED)
def test_the_answers_are_to_these_cases_and_of_the_version_that_the_profile_names(name):
    found = Answers.read(name)
    assert found.cases == digest(found.answers)
    assert found.version == profile(name).version


def test_what_is_kept_for_the_documentation_is_what_was_found():
    """`python -m conformance --recorded` writes it anew."""
    assert kept() == {name: summary(judged(Answers.read(name))[0]) for name in RECORDED}


def test_a_profile_is_proven_where_its_library_has_answered():
    assert {name for name, one in profiles().items() if one.proven} == set(RECORDED)
