"""Why two libraries print two numbers for one metric, as data that can be shown, drawn and written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.arrays import Copied
from steelyard.render.as_dict import HEADER
from steelyard.render.differences import Attribution, finding
from steelyard.render.finding import Finding, Form
from steelyard.result.compared import systems_of
from steelyard.result.result import Result
from steelyard.result.written import FindingForms, read_from
from steelyard.spec import profile
from steelyard.text import ENGLISH, Message
from steelyard.text.labels import finite

if TYPE_CHECKING:
    from steelyard.render.charts import Chart


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Differences(FindingForms):
    """The numbers of one metric under two profiles, and what each convention carries of the gap.

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
        """How much more the second number is than the first."""
        return self.found.gap

    @property
    def parts(self) -> dict[str, float]:
        """What each convention in which the profiles differ carries of the gap, the greatest part first."""
        return {one.name: one.part for one in self.found.conventions}

    def table(self) -> pl.DataFrame:
        """A tidy frame, a row for each convention in which the profiles differ, the greatest part first.

        Its columns: metric, convention, ``one`` and ``other`` (its value under each profile), ``one_means``
        and ``other_means``, and ``part``: 0 where it changes nothing on this data, NaN where the gap cannot
        be parted. The parts add up to the gap.
        """
        names = ("metric", "convention", "one", "other", "one_means", "other_means")
        rows = [
            (self.metric, one.name, *one.values, *map(str, one.meanings), one.part)
            for one in self.found.conventions
        ]
        schema = {**dict.fromkeys(names, pl.String), "part": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def per_query(self) -> pl.DataFrame | None:
        """What each query carries of the gap, the greatest part first; None where values are no plain means.

        Its columns: query, the values under either profile (null where it is left out) and ``part``.
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

    def _finding(self, form: Form, lang: str) -> Finding:
        names = self._first.names
        known = [one for name in self.profiles if (one := profile(name)).library]
        facts = [
            read_from(names.predictions, names.truth),
            *(f"{one.library} {one.version}".strip() for one in known),
        ]
        return finding(self.found, facts, form, lang)

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

        (part,) = side_by_side(systems_of(self.results))
        told = replace(part, explained=self.found)
        page.write([told], path, title=title, lang=lang)

    @property
    def _first(self) -> Result:
        return next(iter(self.results.values()))
