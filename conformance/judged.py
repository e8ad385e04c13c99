"""Whether our number is theirs: each answer of a library beside ours, and what explains a difference."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal

import polars as pl

import steelyard as sy
from conformance.cases import Case, cases
from conformance.recorded import HERE, Answers, stem
from steelyard.metrics.registry import parse
from steelyard.spec import profile
from steelyard.spec.libraries import own

# agrees: the same number; neither: both refuse; refused: only we do; differs: another number, or they refuse
Status = Literal["agrees", "neither", "refused", "differs"]


@dataclass(frozen=True)
class Cell:
    """One metric of one case: what the library says, what we say, and why they may differ."""

    profile: str
    case: str
    name: str
    theirs: Any  # a number, several in a list, or {"error": …}
    ours: Any  # a number, several in a list, or the error
    status: Status
    why: str = ""  # empty where nothing is to be explained, or nothing explains it

    @property
    def explained(self) -> bool:
        return self.status in ("agrees", "neither") or bool(self.why)


@dataclass(frozen=True)
class Explained:
    """A sentence that explains some cells: which they are, by patterns, and how they come out."""

    cases: tuple[str, ...]
    names: tuple[str, ...]
    status: Status
    why: str

    def covers(self, case: str, name: str, status: Status) -> bool:
        return status == self.status and _any(case, self.cases) and _any(name, self.names)


def judged(found: Answers) -> tuple[list[Cell], list[Explained]]:
    """Every answer judged, and the explanations that explain nothing."""
    sentences, used = explanations(found.profile), set()
    made = []
    by_name = {case["name"]: case for case in cases()}
    for case, answers in complete(found.answers).items():
        ours = ours_of(by_name[case], found.profile, answers)
        for name, theirs in answers.items():
            status = _status(theirs, ours[name], tolerance(found.profile, name))
            if status == "neither" and not is_known(found.profile, name):
                status = "differs"  # our error is of the name alone, and says nothing of the case
            why = next((one for one in sentences if one.covers(case, name, status)), None)
            if why is not None:
                used.add(why)
            made.append(Cell(found.profile, case, name, theirs, ours[name], status, why.why if why else ""))
    return made, [one for one in sentences if one not in used]


def complete(answers: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The answers, an error that stands for all of a case written out: for all that its kind is asked."""
    kinds = {case["name"]: case["kind"] for case in cases()}
    asked: dict[str, dict[str, None]] = {}
    for case, some in answers.items():
        asked.setdefault(kinds[case], {}).update(dict.fromkeys(name for name in some if name != "*"))
    return {
        case: dict.fromkeys(asked[kinds[case]], some["*"]) if "*" in some else some
        for case, some in answers.items()
    }


def is_known(name: str, measure: str) -> bool:
    """Whether the name of a measure means something under a profile, or is refused there by that name."""
    try:
        if own(profile(name), measure):
            return True
    except sy.SteelyardError:  # refused
        return True
    try:
        return all(profile(name).has(one.metric) for one in parse(measure))
    except sy.SteelyardError:
        return False


def ours_of(case: Case, name: str, measures: Iterable[str]) -> dict[str, Any]:
    """Our value of each measure under a profile, or our error."""
    wanted = list(measures)
    try:
        return _values(case, name, wanted)
    except sy.SteelyardError as error:
        if len(wanted) == 1:
            return {wanted[0]: error}
    return {measure: one for measure in wanted for one in ours_of(case, name, [measure]).values()}


def _values(case: Case, name: str, measures: list[str]) -> dict[str, Any]:
    rows = _evaluated(case, name, measures).rows
    found = rows.group_by("metric", maintain_order=True).agg("value")["value"].to_list()
    if len(found) != len(measures):  # two names of one metric
        return {measure: _values(case, name, [measure])[measure] for measure in measures}
    values = (one[0] if len(one) == 1 else one for one in found)
    return dict(zip(measures, values, strict=True))


def _evaluated(case: Case, name: str, measure: list[str]) -> Any:
    options: dict[str, Any] = {"profile": name, "ci": "none"}
    if case["kind"] == "ranking":
        run, truth = _tables(case["name"])
        return sy.evaluate(run, truth, measure, **options)
    weights = None if case["weight"] is None else "weight"
    if case["kind"] == "labels":
        return sy.evaluate(
            of_labels(case), metrics=measure, weights=weights, **options, classes=case["classes"]
        )
    columns = {
        key: case[key] for key in ("label", "score", "predicted", "weight") if case.get(key) is not None
    }
    if "group" in case:
        columns["query"] = case["group"]
    table = pl.DataFrame(columns)
    if case["kind"] == "classes":
        options["classes"] = case["classes"]
        table = table.with_columns(
            pl.Series("probabilities", case["probability"], dtype=pl.Array(pl.Float64, len(case["classes"])))
        )
    return sy.evaluate(table, metrics=measure, weights=weights, **options)


def of_labels(case: Case) -> pl.DataFrame:
    """Rows of several labels, each with a list of those it has and of those it was called."""
    names = case["classes"]

    def listed(rows: list[list[int]]) -> list[list[str]]:
        return [[name for name, has in zip(names, row, strict=True) if has] for row in rows]

    columns = {"label": listed(case["label"]), "predicted": listed(case["predicted"])}
    score = pl.Series("probabilities", case["score"], dtype=pl.Array(pl.Float64, len(names)))
    weight = [] if case["weight"] is None else [pl.Series("weight", case["weight"])]
    return pl.DataFrame(columns).with_columns(score, *weight)


@cache
def _tables(name: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    case = next(one for one in cases() if one["name"] == name)
    run = pl.DataFrame(case["run"], schema=["query", "item", "score"], orient="row")
    truth = pl.DataFrame(case["truth"], schema=["query", "item", "relevance"], orient="row", strict=False)
    return run, truth


def tolerance(name: str, measure: str) -> float:
    """How far two numbers may be apart: as exactly as the library computes or prints."""
    rounded = (one["exact"] for one in _notes(name).get("rounded", []) if _any(measure, one["names"]))
    exact = next(rounded, profile(name).exact)
    return {"float64": 1e-9, "float32": 2e-6}.get(exact) or 0.5000001 * 10.0 ** -int(exact)


def _status(theirs: Any, ours: Any, within: float) -> Status:
    if isinstance(ours, Exception):
        return "neither" if isinstance(theirs, Mapping) else "refused"
    if isinstance(theirs, Mapping):
        return "differs"
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        found = {_status(one, other, within) for one, other in zip(theirs, ours, strict=True)}
        return "agrees" if found <= {"agrees"} else "differs"
    if isinstance(theirs, list) or isinstance(ours, list):
        return "differs"
    one, other = float(theirs), float(ours)
    if math.isnan(one) or math.isnan(other):
        return "agrees" if math.isnan(one) and math.isnan(other) else "differs"
    return "agrees" if one == other or abs(one - other) <= within * max(1.0, abs(one)) else "differs"


def explanations(name: str) -> list[Explained]:
    """The sentences that explain what does not agree, of one profile."""
    return [
        Explained(tuple(one["cases"]), tuple(one["names"]), one["status"], one["why"])
        for one in _notes(name).get("explained", [])
    ]


def not_compared(name: str) -> dict[str, str]:
    """The names of a profile that its library is not asked for here, and why."""
    found: dict[str, str] = _notes(name).get("not_compared", {})
    return found


@cache
def _notes(name: str) -> dict[str, Any]:
    """What is written of a profile: ``explained``, ``not_compared``, and what is ``rounded``."""
    file = HERE / "explained" / f"{stem(name)}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.exists() else {}


def _any(text: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(text, one) for one in patterns)
