"""Every profile against what its library answered, as it is kept in conformance/recorded."""

from __future__ import annotations

import pytest

import steelyard as sy
from conformance.agreement import kept, summary
from conformance.cases import digest
from conformance.judged import complete, judged, not_compared
from conformance.recorded import Answers, recorded
from steelyard.spec import profile, profiles
from steelyard.spec.libraries import form_in, own

RECORDED = recorded()


@pytest.mark.parametrize("name", RECORDED)
def test_every_answer_agrees_or_is_explained(name, cells_of):
    cells, idle = cells_of(name)
    assert [cell for cell in cells if not cell.explained] == []
    assert idle == [], "these explain nothing"
    # every metric agrees somewhere: none is only refused or explained away, unless the profile says so
    asked = {cell.name for cell in cells if not _is_refused(name, cell.name)}
    agreed = {cell.name for cell in cells if cell.status == "agrees"}
    refusing = {cell.name for cell in cells if cell.status == "neither" and "='error'" in cell.name}
    assert asked - agreed - refusing == set()  # what is asked to refuse agrees where both do


@pytest.mark.parametrize("name", RECORDED)
def test_the_library_was_asked_for_all_that_the_names_of_its_profile_mean(name):
    """Each meaning under one of its names, unless a sentence says why not; and no sentence is idle."""
    of, answers = profile(name), Answers.read(name).answers
    asked = {of.names.get(form_in(of, measure)[0]) for some in answers.values() for measure in some}
    left = {meant for meant in of.names.values() if meant not in asked}
    assert left == {of.names[one] for one in not_compared(name)}


def _is_refused(name: str, measure: str) -> bool:
    try:
        own(profile(name), measure)
    except sy.SteelyardError:
        return True
    return False


def test_the_answers_are_to_these_cases_and_of_the_version_that_the_profile_names():
    found = {name: Answers.read(name) for name in RECORDED}
    assert [name for name, one in found.items() if one.cases != digest(one.answers)] == []
    assert [name for name, one in found.items() if one.version != profile(name).version] == []


@pytest.mark.long
def test_what_is_kept_for_the_documentation_is_what_was_found(cells_of):
    """`python -m conformance --recorded` writes it anew."""
    assert kept() == {name: summary(cells_of(name)[0]) for name in RECORDED}


def test_a_profile_is_proven_where_its_library_has_answered():
    assert {name for name, one in profiles().items() if one.proven} == set(RECORDED)


def test_an_error_of_a_whole_case_stands_for_all_that_its_kind_is_asked():
    answers = {
        "plain": {"P_1": 0.5, "map": 0.25},
        "graded": {"*": {"error": "ValueError"}},
        "ratings": {"rmse": 1.0},
        "ties": {},  # not asked
    }
    assert complete(answers)["graded"] == {"P_1": {"error": "ValueError"}, "map": {"error": "ValueError"}}
    assert complete(answers)["ties"] == {}


def test_an_error_of_both_sides_is_none_where_our_error_is_of_the_name():
    """A name that no profile knows is no agreement, though the library refuses the case too."""
    refused = {"error": "ValueError"}
    found = Answers("trec_eval", "trec_eval", "9.0.8", "", {"float_grades": {"P_1": refused, "Q_1": refused}})
    cells, _ = judged(found)
    assert {cell.name: cell.status for cell in cells} == {"P_1": "neither", "Q_1": "differs"}
