"""Why two libraries print two numbers for one metric, as data that can be shown, drawn and written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.arrays import Copied
from steelyard.ask import profile
from steelyard.comparison.profiles import MOST_QUERIES, NOTHING, Attribution, Convention
from steelyard.messages import ENGLISH, Message, say
from steelyard.result.compared import systems_of
from steelyard.result.result import Result
from steelyard.result.written import FindingForms
from steelyard.show import differences as shown
from steelyard.show.as_dict import SCHEMA_VERSION
from steelyard.show.forms import finite
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.show.charts import Chart


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Differences(FindingForms):
    """The numbers of one metric under two profiles, and what each convention carries of the gap.

    >>> import steelyard as sy
    >>> run, truth = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b", "c"], "q2": ["a"], "q3": ["a"]}
    >>> found = sy.differences(run, truth, "map@2", profiles=("house:2026", "trec_eval"))
    >>> found.values
    {'house:2026': 0.41..., 'trec_eval': 0.625}
    >>> found.parts
    {'missing': 0.20..., 'grades': 0.0, 'scores': 0.0, 'item_order': 0.0, 'undefined': 0.0}
    """

    metric: str
    texts: tuple[str, str]  # that ask for each number
    results: Copied[dict[str, Result]] = Copied()  # under each profile
    found: Attribution
    queries: Copied[pl.DataFrame | None] = Copied()
    notes: tuple[Message, ...] = ()

    @property
    def profiles(self) -> tuple[str, str]:
        """The names of the two profiles."""
        one, other = self.results
        return one, other

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
        every = self.found.conventions
        return pl.DataFrame(
            [
                pl.Series("metric", [self.metric] * len(every), pl.String),
                pl.Series("convention", [one.name for one in every], pl.String),
                *(
                    pl.Series(name, [one.values[at] for one in every], pl.String)
                    for at, name in enumerate(("one", "other"))
                ),
                *(
                    pl.Series(name, [str(one.meanings[at]) for one in every], pl.String)
                    for at, name in enumerate(("one_means", "other_means"))
                ),
                pl.Series("part", [one.part for one in every], pl.Float64),
            ]
        )

    def per_query(self) -> pl.DataFrame | None:
        """What each query carries of the gap, the greatest part first; None where values are no plain means.

        Its columns: query, the values under either profile (null where it is left out) and ``part``.
        """
        if self.queries is None:
            return None
        return self.queries.rename(dict(zip(("one", "other"), self.profiles, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        names, found = self._first.names, self.found
        return {
            "schema_version": SCHEMA_VERSION,
            "steelyard": VERSION,
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
            "conventions": [_as_dict(one) for one in found.conventions],
            "orders": found.orders,
            "orders_skipped": found.skipped,
            "combinations": found.combinations,
            "combinations_refused": found.refused,
            "queries": [
                {
                    "query": str(row["query"]),
                    "values": [row["one"], row["other"]],
                    "part": row["part"],
                }
                for row in self._most()
            ],
            "notes": [note.to_dict() for note in self.notes],
        }

    def chart(self) -> Chart:
        """The waterfall: from the one number to the other, a step for each convention.

        >>> import steelyard as sy
        >>> run, truth = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b", "c"], "q2": ["a"], "q3": ["a"]}
        >>> sy.differences(run, truth, "map@2", profiles=("house:2026", "trec_eval")).chart()
        Chart(waterfall: map@2: from house:2026 to trec_eval, 1 rows)
        """
        from steelyard.show import charts

        return charts.waterfall(self._sheet(ENGLISH))

    def report(self, path: str | Path, *, title: str | None = None, lang: str = ENGLISH) -> None:
        """Write one HTML file with both numbers side by side, and what lies between them.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``.
        """
        from steelyard import comparison
        from steelyard.show import page

        (part,) = comparison.side_by_side(systems_of(self.results))
        told = replace(part, difference=None, explained=self._sheet(lang))
        page.write([told], path, title=title, lang=lang)

    @property
    def _first(self) -> Result:
        return next(iter(self.results.values()))

    def _most(self) -> list[dict[str, Any]]:
        """The queries that carry most of the gap."""
        if self.queries is None:
            return []
        return self.queries.filter(pl.col("part").abs() > NOTHING).head(MOST_QUERIES).to_dicts()

    def _sheet(self, lang: str) -> shown.GapSheet:
        acting = [one for one in self.found.conventions if not abs(one.part) <= NOTHING]
        undefined = math.isnan(self.gap)
        return shown.GapSheet(
            metric=self.metric,
            names=self.profiles,
            values=self.found.values,
            facts=self._facts(),
            carried=[]
            if undefined
            else [
                shown.Carried(name=one.name, one=one.meanings[0], other=one.meanings[1], part=one.part)
                for one in acting
            ],
            idle=[]
            if undefined
            else [one.name for one in self.found.conventions if abs(one.part) <= NOTHING],
            queries=[
                shown.GapQuery(name=str(row["query"]), one=row["one"], other=row["other"], part=row["part"])
                for row in self._most()
            ],
            notes=self.notes,
            lang=lang,
        )

    def _facts(self) -> tuple[str, ...]:
        names = self._first.names
        read: str = names.predictions
        if names.truth:
            read = say("{name} against {baseline}", name=names.predictions, baseline=names.truth)
        known = [one for name in self.profiles if (one := profile(name)).library]
        return (read, *(f"{one.library} {one.version}".strip() for one in known))


def _as_dict(one: Convention) -> Mapping[str, Any]:
    return {
        "convention": one.name,
        "values": list(one.values),
        "meanings": [str(meaning) for meaning in one.meanings],
        "part": finite(one.part),
    }
