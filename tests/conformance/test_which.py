"""The numbers that a library printed lead back to that library."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import polars as pl
import pytest

import steelyard as sy
from conformance.cases import Case, cases
from conformance.judged import judged
from conformance.recorded import Answers, recorded
from steelyard.ask import profile

DIGITS = {"float64": 6, "float32": 5}  # beside those of a library that rounds itself
EACH = 3  # every third metric of a case, from another one in each
RECORDED = recorded()


@cache
def agreed(name: str) -> dict[str, dict[str, float]]:
    """By case, the numbers of a library that its profile reproduces, as far as they are numbers."""
    found: dict[str, dict[str, float]] = {}
    for cell in judged(Answers.read(name))[0]:
        if cell.status == "agrees" and math.isfinite(float(cell.theirs)):
            found.setdefault(cell.case, {})[cell.name] = float(cell.theirs)
    return found


def tables(case: Case) -> dict[str, Any]:
    """What a search is given of a case."""
    if case["kind"] == "ranking":
        run = pl.DataFrame(case["run"], schema=["query", "item", "score"], orient="row")
        truth = pl.DataFrame(case["truth"], schema=["query", "item", "relevance"], orient="row", strict=False)
        return {"predictions": run, "truth": truth}
    names = [name for name in ("label", "score", "predicted", "weight") if case.get(name) is not None]
    log = pl.DataFrame({name: case[name] for name in names})
    given: dict[str, Any] = {"weights": None if case["weight"] is None else "weight"}
    if "group" in case:
        log = log.with_columns(pl.Series("query", case["group"]))
    if case["kind"] == "classes":
        kind = pl.Array(pl.Float64, len(case["classes"]))
        log = log.with_columns(pl.Series("probability", case["probability"], dtype=kind))
        given["classes"] = case["classes"]
    return {"predictions": log, **given}


def printed(name: str, value: float) -> str:
    exact = profile(name).exact
    return f"{value:.{DIGITS.get(exact) or int(exact)}f}"


@pytest.mark.parametrize("name", RECORDED)
def test_the_numbers_of_a_case_lead_to_the_library_that_printed_them(name):
    by_name = {case["name"]: case for case in cases()}
    for place, (case, answers) in enumerate(agreed(name).items()):
        some = list(answers)[place % EACH :: EACH] or list(answers)
        claims = {metric: printed(name, answers[metric]) for metric in some}
        found = sy.which(**tables(by_name[case]), claims=claims, changes=0)
        assert name in found.profiles, (case, claims)


@pytest.mark.parametrize("name", RECORDED)
def test_one_number_leads_to_the_library_among_others(name):
    by_name = {case["name"]: case for case in cases()}
    case, answers = max(agreed(name).items(), key=lambda entry: len(set(entry[1].values())))
    metric = list(answers)[-1]
    found = sy.which(**tables(by_name[case]), claims={metric: printed(name, answers[metric])})
    assert name in found.profiles
