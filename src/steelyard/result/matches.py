"""The conventions that give a printed number, as data that can be shown and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import polars as pl

from steelyard.printable import decimal
from steelyard.render.as_dict import HEADER
from steelyard.render.finding import Finding, Form, teller
from steelyard.render.system import TextTable
from steelyard.result.written import FindingForms, read_from
from steelyard.search.outcome import Outcome
from steelyard.search.search import Candidate
from steelyard.spec import Profile
from steelyard.text import Message, say, term
from steelyard.text.labels import named
from steelyard.version import VERSION

MOST_GROUPS, MOST_OF_A_GROUP = 12, 12  # that a terminal is shown; every form holds all of them
_FEWEST, _MOST = 4, 15  # decimals
_OWN = "steelyard"


@dataclass(frozen=True, kw_only=True, repr=False)
class Matches(FindingForms):
    """The conventions that give every claimed value, best known library and fewest changes first.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    >>> truth = {"q1": {"b": 1, "c": 1, "z": 1}, "q2": {"a": 1, "y": 1}}
    >>> found = sy.which(run, truth, {"map@2": "0.375"})
    >>> bool(found), "map(denominator=achievable)@2" in found.texts
    (True, True)
    """

    outcome: Outcome
    predictions: str
    truth: str | None

    def __bool__(self) -> bool:
        """Whether some convention gives all that is claimed."""
        return bool(self.outcome.matches)

    def __len__(self) -> int:
        """How many conventions do."""
        return len(self.outcome.matches)

    @property
    def claims(self) -> dict[str, float]:
        """What was claimed."""
        return {claim.metric: claim.value for claim in self.outcome.claims}

    @property
    def texts(self) -> list[str]:
        """Of the first claim, the texts that ask for its value, as ``metrics`` of ``evaluate`` takes them."""
        return [one.texts[0] for one in self.outcome.matches]

    @property
    def profiles(self) -> list[str]:
        """The profiles that give all that is claimed as they are, best known first."""
        as_they_are = sorted(
            (one for one in self.outcome.matches if not one.changed), key=lambda match: match.place
        )
        return list(dict.fromkeys(one.profile.name for one in as_they_are))

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a reader must know of the search."""
        return self.outcome.notes

    @property
    def suspects(self) -> tuple[Message, ...]:
        """What is left to suspect, where nothing gives what is claimed."""
        return self.outcome.suspects

    def table(self) -> pl.DataFrame:
        """A tidy frame, a row for each convention and claim.

        Its columns: group (a number that conventions of the same values share), claim, claimed, metric (the
        text that asks for it), value, profile, library, version, proven, changes (how many), changed (which).
        Where nothing fits it holds the nearest ones, and ``group`` is null.
        """
        rows = [*self._rows(self.outcome.matches)] or [*self._rows(self.outcome.nearest, numbered=False)]
        schema = {
            "group": pl.Int64,
            "claim": pl.String,
            "claimed": pl.Float64,
            "metric": pl.String,
            "value": pl.Float64,
            "profile": pl.String,
            "library": pl.String,
            "version": pl.String,
            "proven": pl.Boolean,
            "changes": pl.Int64,
            "changed": pl.String,
        }
        return pl.DataFrame([list(row) for row in rows], schema=schema, orient="row")

    def _rows(self, matches: Sequence[Candidate], *, numbered: bool = True) -> Iterator[tuple[Any, ...]]:
        groups = {
            values: number for number, values in enumerate(dict.fromkeys(one.rounded for one in matches), 1)
        }
        for match in matches:
            changed = ", ".join(f"{name}={value}" for name, (value, _) in match.changed.items())
            profile = match.profile
            for claim, text, value in zip(self.outcome.claims, match.texts, match.values, strict=True):
                yield (
                    groups[match.rounded] if numbered else None,
                    claim.metric,
                    claim.value,
                    text,
                    value,
                    profile.name,
                    *_library_of(profile),
                    None if profile.is_edition else profile.proven,
                    len(match.changed),
                    changed,
                )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        outcome = self.outcome
        return {
            **HEADER,
            "predictions": str(self.predictions),
            "truth": None if self.truth is None else str(self.truth),
            "claims": [
                {name: getattr(one, name) for name in ("metric", "printed", "value", "low", "high")}
                for one in outcome.claims
            ],
            "matches": [self._as_dict(one) for one in outcome.matches],
            "nearest": [self._as_dict(one) for one in outcome.nearest],
            "suspects": [one.to_dict() for one in outcome.suspects],
            "notes": [one.to_dict() for one in outcome.notes],
            "profiles": outcome.profiles,
            "conventions": outcome.conventions,
            "most_changes": outcome.changes,
        }

    def _as_dict(self, match: Candidate) -> dict[str, Any]:
        return {
            "profile": match.profile.name,
            "library": _library_of(match.profile)[0],
            "version": _library_of(match.profile)[1],
            "metrics": list(match.texts),
            "values": list(match.values),
            "changes": {name: value for name, (value, _) in match.changed.items()},
        }

    def _finding(self, form: Form, lang: str) -> Finding:
        outcome, told = self.outcome, teller(lang)
        groups = [list(same) for _, same in groupby(outcome.matches, lambda one: one.rounded)]
        hidden = max(0, len(groups) - MOST_GROUPS)
        more = say("… {n:,} more {n:value|values}; all of them: --format json", n=hidden)
        tried = say(
            "{conventions:,} {conventions:convention|conventions} tried, from {profiles:,} "
            "{profiles:profile|profiles}",
            conventions=outcome.conventions,
            profiles=outcome.profiles,
        )
        table = TextTable(
            self._cells(groups or [[one] for one in outcome.nearest], told, whole=form == "markdown"),
            4,
            above="" if groups else told(say("nearest:")),
            below=told(more) if hidden else "",
        )
        return Finding(
            told(_head(outcome)),
            told(say("{parts:·}", parts=[read_from(self.predictions, self.truth), tried])),
            [table] if groups or outcome.nearest else [],
            [
                *(("? ", told(one)) for one in outcome.suspects),
                *(("! ", told(one)) for one in outcome.notes),
            ],
        )

    def _cells(
        self, groups: Sequence[Sequence[Candidate]], told: Callable[[str], str], *, whole: bool
    ) -> list[list[str]]:
        """A row for each convention and claim; the value that stands above it already is not said again."""
        rows = [[told(one) for one in (say("value"), say("as -m"), say("library"), say("changed"))]]
        for group in groups if whole else groups[:MOST_GROUPS]:
            for place, match in enumerate(group if whole else group[:MOST_OF_A_GROUP]):
                library = told(_library(match.profile))
                for claim, text, value, names in zip(
                    self.outcome.claims, match.texts, match.values, match.fields, strict=True
                ):
                    words = [_told(name, *said) for name, said in match.changed.items() if name in names]
                    printed = decimal(value, min(max(claim.decimals + 2, _FEWEST), _MOST))
                    changed = told(say("{parts:;}", parts=words or ["–"]))
                    rows.append(["=" if place else printed, text, library, changed])
            if not whole and (more := len(group[MOST_OF_A_GROUP:])):
                rows.append(["=", told(say("… {n:,} more", n=more)), "", ""])
        return rows


def _head(outcome: Outcome) -> Message:
    n, first = len(outcome.matches), outcome.claims[0]
    if len(outcome.claims) > 1:
        claimed = len(outcome.claims)
        if not n:
            return say("no convention that was tried gives all {n:,} values that are claimed", n=claimed)
        return say(
            "{n:,} {n:convention gives|conventions give} all {claimed:,} values that are claimed",
            n=n,
            claimed=claimed,
        )
    figures: dict[str, Any] = {
        "metric": first.metric,
        "printed": first.printed,
        "low": f"{first.low:.{first.decimals + 1}f}",
        "high": f"{first.high:.{first.decimals + 1}f}",
    }
    if not n:
        return say("no convention that was tried gives {printed} for {metric} ({low} to {high})", **figures)
    return say(
        "{n:,} {n:convention gives|conventions give} {printed} for {metric} ({low} to {high})", n=n, **figures
    )


def _library_of(profile: Profile) -> tuple[str, str]:
    return (_OWN, VERSION) if profile.is_edition else (profile.library or profile.name, profile.version)


def _library(profile: Profile) -> str | Message:
    if profile.is_edition:
        return say("the defaults")
    return " ".join(_library_of(profile)).strip()


def _told(name: str, value: str, meaning: str | None) -> Message:
    """A change in words; of a number the number."""
    if meaning is None:
        return say("{name} {value}", name=name, value=value)
    return named(name, term(meaning))
