"""The conventions that give a printed number, as data that can be shown and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.arrays import Copied
from steelyard.printable import decimal
from steelyard.render.differences import Attribution, finding
from steelyard.render.forms import HEADER, Finding, Form
from steelyard.render.table import ShownTable, columns_of
from steelyard.result.result import Result
from steelyard.result.written import FindingForms, read_from
from steelyard.search.search import Candidate, Outcome
from steelyard.spec import Profile, profile
from steelyard.text import ENGLISH, Message, say, term
from steelyard.text.labels import finite, named
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.render.charts import Chart


MOST_GROUPS, MOST_OF_A_GROUP = 12, 12  # that a terminal is shown; every form holds all of them
_FEWEST, _MOST = 4, 15  # decimals
_MATCH_COLUMNS = {
    **{"group": pl.Int64, "claim": pl.String, "claimed": pl.Float64, "metric": pl.String},
    **{"value": pl.Float64, "profile": pl.String, "library": pl.String, "version": pl.String},
    **{"proven": pl.Boolean, "changes": pl.Int64, "changed": pl.String},
}


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
        """The texts that ask for the value of the first claim, as ``metrics`` of ``evaluate`` takes them."""
        return [match.texts[0] for match in self.outcome.matches]

    @property
    def profiles(self) -> list[str]:
        """The profiles that give all that is claimed as they are, best known first."""
        unchanged = sorted(
            (match for match in self.outcome.matches if not match.changed), key=attrgetter("place")
        )
        return list(dict.fromkeys(match.profile.name for match in unchanged))

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
        Where nothing fits, the rows are the nearest conventions and ``group`` is null.
        """
        outcome, rows = self.outcome, []
        groups = {match.rounded: None for match in outcome.matches}
        numbers = dict(zip(groups, range(1, len(groups) + 1), strict=True))
        for match in outcome.matches or outcome.nearest:
            known = match.profile
            changed = ", ".join(f"{name}={value}" for name, (value, _) in match.changed.items())
            library = (*_library_of(known), None if known.is_edition else known.proven)
            rows += [
                (
                    *(numbers.get(match.rounded), claim.metric, claim.value, text, value, known.name),
                    *(*library, len(match.changed), changed),
                )
                for claim, text, value in zip(outcome.claims, match.texts, match.values, strict=True)
            ]
        return pl.DataFrame(rows, schema=_MATCH_COLUMNS, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        outcome = self.outcome

        def plain(match: Candidate) -> dict[str, Any]:
            library, version = _library_of(match.profile)
            return {
                "profile": match.profile.name,
                "library": library,
                "version": version,
                "metrics": list(match.texts),
                "values": list(match.values),
                "changes": {name: value for name, (value, _) in match.changed.items()},
            }

        return {
            **HEADER,
            "predictions": str(self.predictions),
            "truth": None if self.truth is None else str(self.truth),
            "claims": [
                {name: getattr(claim, name) for name in ("metric", "printed", "value", "low", "high")}
                for claim in outcome.claims
            ],
            "matches": [plain(match) for match in outcome.matches],
            "nearest": [plain(match) for match in outcome.nearest],
            "suspects": [suspect.to_dict() for suspect in outcome.suspects],
            "notes": [note.to_dict() for note in outcome.notes],
            "profiles": outcome.profiles,
            "conventions": outcome.conventions,
            "most_changes": outcome.changes,
        }

    def _finding(self, form: Form) -> Finding:
        outcome = self.outcome
        groups = [list(same) for _, same in groupby(outcome.matches, lambda match: match.rounded)]
        hidden = max(0, len(groups) - MOST_GROUPS)
        more = say("… {n:,} more {n:value|values}; all of them: --format json", n=hidden)
        tried = say(
            "{conventions:,} {conventions:convention|conventions} tried, from {profiles:,} "
            "{profiles:profile|profiles}",
            conventions=outcome.conventions,
            profiles=outcome.profiles,
        )
        table = ShownTable(
            columns=columns_of([say("value"), say("as -m"), say("library"), say("changed")], 4),
            rows=self._cells(groups or [[match] for match in outcome.nearest], whole=form == "markdown"),
            caption="" if groups else say("nearest:"),
            notes=(more,) if hidden else (),
        )
        return Finding(
            _head(outcome),
            say("{parts:·}", parts=[read_from(self.predictions, self.truth), tried]),
            [table] if groups or outcome.nearest else [],
            [
                *(("? ", suspect) for suspect in outcome.suspects),
                *(("! ", note) for note in outcome.notes),
            ],
        )

    def _cells(self, groups: Sequence[Sequence[Candidate]], *, whole: bool) -> list[list[str]]:
        """A row for each convention and claim; "=" stands for the value of the row above."""
        rows: list[list[str]] = []
        for group in groups if whole else groups[:MOST_GROUPS]:
            for place, match in enumerate(group if whole else group[:MOST_OF_A_GROUP]):
                library = _library_of(match.profile)
                shown = say("the defaults") if match.profile.is_edition else " ".join(library).strip()
                for claim, text, value, names in zip(
                    self.outcome.claims, match.texts, match.values, match.fields, strict=True
                ):
                    words = [
                        say("{name} {value}", name=name, value=choice)
                        if meaning is None
                        else named(name, term(meaning))
                        for name, (choice, meaning) in match.changed.items()
                        if name in names
                    ]
                    printed = decimal(value, min(max(claim.decimals + 2, _FEWEST), _MOST))
                    changed = say("{parts:;}", parts=words or ["–"])
                    rows.append(["=" if place else printed, text, shown, changed])
            if not whole and (more := len(group[MOST_OF_A_GROUP:])):
                rows.append(["=", say("… {n:,} more", n=more), "", ""])
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
    return (
        ("steelyard", VERSION) if profile.is_edition else (profile.library or profile.name, profile.version)
    )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Differences(FindingForms):
    """The numbers of one metric under two profiles, and what each convention contributes to the gap.

    >>> import steelyard as sy
    >>> run, truth = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b", "c"], "q2": ["a"], "q3": ["a"]}
    >>> found = sy.differences(run, truth, "map@2", profiles=("steelyard:2026", "trec_eval"))
    >>> found.values
    {'steelyard:2026': 0.41..., 'trec_eval': 0.625}
    >>> found.parts
    {'missing': 0.20..., 'grades': 0.0, 'scores': 0.0, 'item_order': 0.0, 'undefined': 0.0}
    """

    texts: tuple[str, str]  # that ask for each number
    results: Copied[dict[str, Result]] = Copied()  # under each profile
    found: Attribution

    @property
    def metric(self) -> str:
        """What the metric is called."""
        return self.found.metric

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a reader must know of the two numbers."""
        return self.found.notes

    @property
    def profiles(self) -> tuple[str, str]:
        """The names of the two profiles."""
        return self.found.names

    @property
    def values(self) -> dict[str, float]:
        """The number under each profile."""
        return dict(zip(self.profiles, self.found.values, strict=True))

    @property
    def gap(self) -> float:
        """The second number minus the first."""
        return self.found.gap

    @property
    def parts(self) -> dict[str, float]:
        """What each convention in which the profiles differ contributes to the gap, the greatest first."""
        return {convention.name: convention.part for convention in self.found.conventions}

    def table(self) -> pl.DataFrame:
        """A tidy frame, a row for each convention in which the profiles differ, the greatest part first.

        Its columns: metric, convention, ``one`` and ``other`` (its value under each profile), ``one_means``
        and ``other_means``, and ``part``. A part is 0 where the convention changes nothing on this data, and
        NaN where the gap cannot be divided. The parts add up to the gap.
        """
        names = ("metric", "convention", "one", "other", "one_means", "other_means")
        rows = [
            (self.metric, one.name, *one.values, *map(str, one.meanings), one.part)
            for one in self.found.conventions
        ]
        schema = {**dict.fromkeys(names, pl.String), "part": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def per_query(self) -> pl.DataFrame | None:
        """What each query contributes to the gap, the greatest part first; None for values that are no means.

        Its columns: query, its values under both profiles (null where it is skipped) and ``part``.
        """
        names = dict(zip(("one", "other"), self.profiles, strict=True))
        return None if self.found.queries is None else self.found.queries.rename(names)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        names, found = self._first.names, self.found
        return {
            **HEADER,
            "metric": self.metric,
            "predictions": str(names.predictions),
            "truth": None if names.truth is None else str(names.truth),
            "profiles": [
                {
                    "profile": name,
                    "library": profile(name).library or None,
                    "version": profile(name).version or None,
                    "metric": text,
                    "value": finite(self.values[name]),
                    "spec": self.results[name].spec()[self.metric],
                }
                for name, text in zip(self.profiles, self.texts, strict=True)
            ],
            "gap": finite(self.gap),
            "conventions": [
                {
                    "convention": one.name,
                    "values": list(one.values),
                    "meanings": [str(meaning) for meaning in one.meanings],
                    "part": finite(one.part),
                }
                for one in found.conventions
            ],
            "orders": found.orders,
            "orders_skipped": found.skipped,
            "combinations": found.combinations,
            "combinations_refused": found.refused,
            "queries": [
                {"query": str(row["query"]), "values": [row["one"], row["other"]], "part": row["part"]}
                for row in found.most()
            ],
            "notes": [note.to_dict() for note in self.notes],
        }

    def _finding(self, form: Form) -> Finding:
        names = self._first.names
        libraries = [known for name in self.profiles if (known := profile(name)).library]
        versions = (f"{known.library} {known.version}".strip() for known in libraries)
        return finding(self.found, [read_from(names.predictions, names.truth), *versions], form)

    def chart(self) -> Chart:
        """The waterfall: from the one number to the other, a step for each convention.

        >>> import steelyard as sy
        >>> run, truth = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b", "c"], "q2": ["a"], "q3": ["a"]}
        >>> sy.differences(run, truth, "map@2", profiles=("steelyard:2026", "trec_eval")).chart()
        Chart(waterfall: map@2: from steelyard:2026 to trec_eval, 1 rows)
        """
        from steelyard.render import charts

        return charts.waterfall(self.found)

    def report(self, path: str | Path, *, title: str | None = None, lang: str = ENGLISH) -> None:
        """Write one HTML file with both numbers side by side, and what lies between them.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``.
        """
        from steelyard.render import page
        from steelyard.render.side_by_side import side_by_side

        (part,) = side_by_side([result.system(name) for name, result in self.results.items()])
        page.write([replace(part, explained=self.found)], path, title=title, lang=lang)

    @property
    def _first(self) -> Result:
        return next(iter(self.results.values()))
