"""The numbers of one evaluation as data: values, tables, readings, curves, and the full specification."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import polars as pl

from steelyard import processes
from steelyard.align import RowTally, Tally
from steelyard.arguments import is_flag
from steelyard.arrays import Floats
from steelyard.ask import Request
from steelyard.conventions import plain
from steelyard.curves import Curve
from steelyard.engines import Ranking
from steelyard.inputs import Names
from steelyard.measure import (
    Measured,
    Reading,
    RowMeasured,
    RowSlices,
    base_figures,
    curve_of,
    majority,
    readings,
    row_facts,
)
from steelyard.measure.coverage import COVERAGE, group_coverage
from steelyard.measure.slice_figures import slice_figures
from steelyard.measure.slices import CLASS_COLUMNS, WHOLE, rows_of_slice, slice_value
from steelyard.messages import Message, say, term
from steelyard.messages.errors import MetricError, asking, measuring, showing
from steelyard.metrics import LabelledMetric, Metric, RankingMetric
from steelyard.rank import ShownList
from steelyard.version import VERSION

SCHEMA_VERSION = 2


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Numbers:
    """What was measured, under which conventions, and what became of the data."""

    request: Request
    by_data: Mapping[str, Any]  # what the data settled of it
    names: Names
    measured: tuple[Measured | RowMeasured, ...]
    rankings: tuple[Ranking, ...]
    row_tally: RowTally | None  # None where no metric of rows was asked for
    row_slices: RowSlices | None
    max_grade: float
    rows: pl.DataFrame
    notes: tuple[Message, ...]
    # the items of some queries in ranked order, with their grades; None where nothing was ranked
    lists: Callable[[RankingMetric, Sequence[object]], list[ShownList]] | None = None

    def __getitem__(self, asked: str | Metric | tuple[str | Metric, Mapping[str, object]]) -> float:
        """The value over everything, by the metric's text or the metric itself; or that of a slice.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "country": ["JP", "JP", "DE", "DE"]}
        >>> result = sy.evaluate(log, metrics="auc", by="country")
        >>> result["auc"], result["auc", {"country": "JP"}]
        (0.75, 1.0)
        """
        processes.check()
        rows = self._whole
        if isinstance(asked, tuple) and len(asked) == 2:
            asked, at = asked
            rows = rows_of_slice(self.rows, self.by, at)
        label = self.label(asked)
        found = rows.filter(pl.col("metric") == label)["value"]
        if len(found) != 1:
            raise measuring.one_value_asked(label=label, n=len(found))
        return float(found[0])

    def get(self, asked: str | Metric, default: float | None = None) -> float | None:
        """The value over everything, or ``default`` where there is none."""
        return float(self[asked]) if asked in self else default

    def items(self) -> list[tuple[str, float]]:
        """The labels of the metrics that are one number, with their values."""
        return [(label, self[label]) for label in self]

    def __getstate__(self) -> dict[str, Any]:
        processes.check()
        return self.__dict__

    @property
    def profile(self) -> str:
        """The profile that filled what the call did not state."""
        return self.request.profile.name

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that it is sliced by."""
        return self.request.by

    @property
    def _whole(self) -> pl.DataFrame:
        whole = [self.rows[name].is_null() for name in self.by]  # to an expression '*' is every column
        return self.rows.filter(reduce(and_, whole)) if whole else self.rows

    @property
    def metrics(self) -> tuple[tuple[str, RankingMetric | LabelledMetric], ...]:
        """Each metric under its label, every convention written in."""
        return tuple((one.label, one.metric) for one in self.measured)

    def __contains__(self, asked: object) -> bool:
        """Whether there is a value for a metric or its text."""
        try:
            return isinstance(asked, str | Metric) and bool(self.label(asked))
        except MetricError:
            return False

    def keys(self) -> list[str]:
        """The labels of the metrics that are one number, so that ``dict(result)`` works."""
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return (one.label for one in self.measured if not _entries(one))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def tally(self) -> Tally | RowTally:
        """What was read and what became of it, under the first convention."""
        if self.rankings:
            return self.rankings[0].tally
        assert self.row_tally is not None
        return self.row_tally

    def per_query(self) -> pl.DataFrame:
        """One row per query and metric, for gauc per group; undefined values are NaN."""
        processes.check()
        parts = []
        for one in self.measured:
            if isinstance(one, Measured):
                parts.append(_query_frame(one.label, one.ranked.queries, one.values))
            elif one.per_group is not None:
                parts.append(_query_frame(one.label, *one.per_group()))
        if not parts:
            raise asking.nothing_per_query([one.label for one in self.measured])
        return pl.concat(parts)

    def group_coverage(self) -> pl.DataFrame:
        """How many groups each value of gauc rests on, as a tidy frame.

        Its columns: slice columns, metric, ``used`` (the groups that count), ``all_positive`` and
        ``all_negative`` (groups of one class that are left out; each group is counted once) and
        ``share_of_rows``, the rows of the groups that count.

        >>> import steelyard as sy
        >>> log = {"query": ["u", "u", "v"], "label": [1, 0, 1], "score": [0.8, 0.2, 0.7]}
        >>> sy.evaluate(log, metrics="gauc").group_coverage().rows()
        [('gauc', 1, 1, 0, 0.6666666666666666)]
        """
        processes.check()
        found = group_coverage(self.measured, self.row_slices)
        if not found.width:
            raise measuring.no_groups(labels=[one.label for one in self.measured])
        return found.with_columns(found[name].fill_null(str(WHOLE)) for name in self.by)

    def readings(self) -> tuple[Reading, ...]:
        """What the numbers say together, each with the figures and the thresholds it rests on.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.7, 0.3]}
        >>> print(*sy.evaluate(log, metrics=["auc", "ne", "calibration"]).readings())
        order and probabilities both serve (auc 1.0000 ≥ 0.7; ne 0.4183 < 1; calibration 1.0000 in 0.9–1.1).
        """
        processes.check()
        of_rows = [one for one in self.measured if isinstance(one, RowMeasured)]
        values = {label: self[label] for label in self}
        slices = slice_figures(self.measured, self.rows, self.by, self.row_slices)
        return readings({**base_figures(of_rows), **values}, majority(of_rows), slices)

    def curve(self, name: str | Metric, *, sliced: bool = False, **options: Any) -> Curve:
        """A curve as data: ``roc``, ``precision_recall``, ``calibration``, ``gain``, or ``ndcg`` at every k.

        With ``sliced`` there is one for each slice, told apart by the slice columns.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7]}
        >>> sy.evaluate(log, metrics="auc").curve("roc").frame.select("fpr", "tpr").rows()
        [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
        """
        if not is_flag(sliced):
            raise asking.bad_value("curve", "sliced", sliced, say("True or False"))
        processes.check()
        slices = self.row_slices if sliced else None
        if sliced and slices is None:
            raise showing.no_slices(name=str(name))
        return curve_of(name, self.measured, slices, **options)

    def spec(self) -> dict[str, dict[str, Any]]:
        """The complete specification of each metric, every stage included."""
        under = {"edition": self.request.edition.name, "profile": self.profile}
        return {label: {**metric.spec(), **under} for label, metric in self.metrics}

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain Python values; NaN is None."""
        processes.check()
        spec = self.spec()
        units = self.units()
        groups = {
            tuple(row[name] for name in (*self.by, "metric")): {name: row[name] for name in COVERAGE}
            for row in group_coverage(self.measured, self.row_slices).fill_nan(None).to_dicts()
        }
        return {
            "schema_version": SCHEMA_VERSION,
            "steelyard": VERSION,
            "profile": self.profile,
            **{
                name: None if said is None else str(said)
                for name, said in dataclasses.asdict(self.names).items()
            },
            "results": [
                {
                    **{name: row[name] for name in _COLUMNS},
                    **{name: row[name] for name in CLASS_COLUMNS if row.get(name) is not None},
                    "unit": units[row["metric"]],
                    **_groups(groups.get(tuple(row[name] for name in (*self.by, "metric")))),
                    "slice": {name: slice_value(row[name]) for name in self.by if row[name] is not None},
                    "spec": spec[row["metric"]],
                }
                for row in self.plain_table().to_dicts()
            ],
            "tally": self.counts(),
            "rankings": [
                {
                    **dataclasses.asdict(one.align),
                    **dataclasses.asdict(one.rank),
                    "tally": one.tally.to_dict(),
                }
                for one in self.rankings
            ],
            "readings": [
                {
                    **one.text.to_dict(),
                    "figures": [figure.to_dict() for figure in one.figures],
                    "kind": one.kind,
                    "slices": [
                        {
                            "slice": dict(part.slice),
                            "share": part.share,
                            "unit": part.unit,
                            "figures": [figure.to_dict() for figure in part.figures],
                        }
                        for part in one.slices
                    ],
                }
                for one in self.readings()
            ],
            "notes": [note.to_dict() for note in self.notes],
        }

    def counts(self) -> dict[str, int]:
        """What was read and what became of it, by name."""
        of_rows = self.row_tally.to_dict() if self.row_tally is not None else {}
        return {**(self.rankings[0].tally.to_dict() if self.rankings else {}), **of_rows}

    def plain_table(self) -> pl.DataFrame:
        """The tidy table with null for NaN and for infinity, which JSON cannot hold."""
        processes.check()
        finite = pl.when(pl.col("value").is_finite()).then(pl.col("value"))
        return self.rows.with_columns(finite.alias("value"))

    def facts(self) -> list[Message]:
        """How much was read, in a few words."""
        facts = []
        if self.rankings:
            tally = self.rankings[0].tally
            facts.append(say("{n:,} {n:query|queries}", key="queries", n=tally.queries))
            facts.append(say("{n:,} {n:prediction|predictions}", key="predictions", n=tally.predictions))
            if self.names.truth is not None:
                facts.append(say("{n:,} {n:judgement|judgements}", key="judgements", n=tally.judgements))
            if tally.unjudged and self.rankings[0].align.unjudged == "nonrelevant":
                share = tally.unjudged / tally.retrieved
                facts.append(say("{share:.1%} of ranked rows unjudged", key="unjudged", share=share))
        if self.row_tally is not None and self.rankings:
            facts.append(say("{n:,} {n:labelled row|labelled rows}", key="rows", n=self.row_tally.rows))
        elif self.row_tally is not None:
            facts.append(say("{n:,} {n:row|rows}", key="rows", n=self.row_tally.rows))
        return facts + row_facts([one for one in self.measured if isinstance(one, RowMeasured)])

    def units(self) -> dict[str, str]:
        """What each metric runs over: queries, rows or groups."""
        return {one.label: getattr(one.metric, "unit", "queries") for one in self.measured}

    def told(self) -> Message:
        """The profile, ties and missing queries, and every choice that differs from the house's.

        Where metrics differ, each choice names the metrics it holds for.
        """
        said: dict[Message, list[str]] = {}
        for one in self.measured:
            usual = self.request.edition.fields(one.metric)
            for phrase in _choices(one.metric, usual, isinstance(one, RowMeasured) and one.thresholded):
                said.setdefault(phrase, []).append(one.label)
        every = len(self.metrics)
        parts = [
            phrase if len(labels) == every else say("{said} ({labels})", said=phrase, labels=labels)
            for phrase, labels in said.items()
        ]
        if (weights := self.names.weights) and self.rankings and self.row_tally is not None:
            parts.append(say("queries and rows weighted by {weights}", weights=weights))
        elif weights and self.rankings:
            parts.append(say("queries weighted by {weights}", weights=weights))
        elif weights:
            parts.append(say("rows weighted by {weights}", weights=weights))
        if self.names.exclude:
            parts.append(say("without the items of {exclude}", exclude=self.names.exclude))
        return say("{parts:·}", parts=[self.profile, *parts])

    def label(self, asked: str | Metric) -> str:
        """The label under which a metric stands in this result, by its text or the metric itself."""
        labels = [label for label, _ in self.metrics]
        if isinstance(asked, str) and asked in labels:
            return asked
        if not isinstance(asked, str | Metric):
            raise asking.not_a_metric(asked)
        (wanted,) = self.request.again(asked).settle(self.by_data)
        for label, metric in self.metrics:
            if metric == wanted.metric.for_truth(self.max_grade):
                return label
        raise asking.not_in_result(str(asked), labels)


def _entries(one: Measured | RowMeasured) -> bool:
    """Whether a metric has a value for each class."""
    return isinstance(one, RowMeasured) and bool(one.entries)


def _groups(found: dict[str, Any] | None) -> dict[str, Any]:
    return {} if found is None else {"groups": found}


def _query_frame(label: str, queries: pl.Series, values: Floats) -> pl.DataFrame:
    return pl.DataFrame(
        {"query": queries, "metric": pl.repeat(label, len(values), eager=True), "value": values}
    )


def _choices(metric: Metric, usual: Mapping[str, Any], thresholded: bool) -> list[Message]:
    """In words: what the metric always tells, and every field that is not as the edition has it."""
    phrases = []
    told = {*metric.told(), *(("threshold",) if thresholded else ())}
    if getattr(metric, "order", "") == "given":
        told -= {"ties"}
    differing = metric.differing(metric.normalised(usual))
    for name, value in metric.values().items():
        if name == "k" or not (name in told or name in differing):
            continue
        meaning = metric.meaning(name) if name in _EVERY_METRIC else None
        setting = say("{field}={value}", field=name, value=plain(value))
        phrases.append(term(meaning) if meaning else setting)
    return phrases


_COLUMNS = ("metric", "value", "ci_low", "ci_high", "n", "undefined")
_EVERY_METRIC = {field.name for kind in (RankingMetric, LabelledMetric) for field in dataclasses.fields(kind)}
