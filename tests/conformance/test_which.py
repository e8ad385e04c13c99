"""The numbers that a library printed lead back to that library."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

import steelyard as sy
from conformance.cases import Case, cases
from conformance.judged import Cell, of_labels
from conformance.recorded import recorded
from steelyard.search.claim import Claim, ClaimTarget
from steelyard.spec import profile
from steelyard.spec.libraries import own

MOST_DIGITS = 6
EACH = 3  # every third metric of a case, from another one in each
RECORDED = recorded()


def agreed(name: str, cells: list[Cell]) -> dict[str, dict[str, str]]:
    """By case, the numbers of a library that its profile reproduces, with the digits that both have."""
    found: dict[str, dict[str, str]] = {}
    for cell in cells:
        if (
            cell.status == "agrees"
            and not isinstance(cell.theirs, list)
            and math.isfinite(float(cell.theirs))
        ):
            printed = (f"{float(cell.theirs):.{digits}f}" for digits in range(MOST_DIGITS, 0, -1))
            alike = (one for one in printed if Claim.of(cell.name, one).fits(cell.ours))
            found.setdefault(cell.case, {})[_claimed(name, cell.name)] = next(alike)
    return found


def _claimed(name: str, measure: str) -> str:
    """A library's name for a metric; with the library in front where others mean another metric by it."""
    (mine,) = own(profile(name), measure)
    return measure if isinstance(mine.metric, ClaimTarget.by(measure).kind) else f"{name}:{measure}"


def tables(case: Case) -> dict[str, Any]:
    """What a search is given of a case."""
    if case["kind"] == "ranking":
        run = pl.DataFrame(case["run"], schema=["query", "item", "score"], orient="row")
        truth = pl.DataFrame(case["truth"], schema=["query", "item", "relevance"], orient="row", strict=False)
        return {"predictions": run, "truth": truth}
    if case["kind"] == "labels":
        weights = None if case["weight"] is None else "weight"
        return {"predictions": of_labels(case), "classes": case["classes"], "weights": weights}
    names = [name for name in ("label", "score", "predicted", "weight") if case.get(name) is not None]
    log = pl.DataFrame({name: case[name] for name in names})
    given: dict[str, Any] = {"weights": None if case["weight"] is None else "weight"}
    if "group" in case:
        log = log.with_columns(pl.Series("query", case["group"]))
    if case["kind"] == "classes":
        kind = pl.Array(pl.Float64, len(case["classes"]))
        log = log.with_columns(pl.Series("probabilities", case["probability"], dtype=kind))
        given["classes"] = case["classes"]
    return {"predictions": log, **given}


@pytest.mark.long
@pytest.mark.parametrize("name", RECORDED)
def test_the_numbers_of_a_case_lead_to_the_library_that_printed_them(name, cells_of):
    by_name = {case["name"]: case for case in cases()}
    for place, (case, answers) in enumerate(agreed(name, cells_of(name)[0]).items()):
        some = list(answers)[place % EACH :: EACH] or list(answers)
        claims = {metric: answers[metric] for metric in some}
        found = sy.which(**tables(by_name[case]), claims=claims, changes=0)
        assert name in found.profiles, (case, claims)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if place % 3 == 0 else pytest.mark.long)
        for place, name in enumerate(RECORDED)
    ],
)
def test_one_number_leads_to_the_library_among_others(name, cells_of):
    by_name = {case["name"]: case for case in cases()}
    case, answers = max(
        agreed(name, cells_of(name)[0]).items(), key=lambda entry: len(set(entry[1].values()))
    )
    metric = list(answers)[-1]
    found = sy.which(**tables(by_name[case]), claims={metric: answers[metric]})
    assert name in found.profiles
