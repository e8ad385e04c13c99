"""What an evaluation found, as data: numbers, each with the full specification that produced it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import polars as pl

from steelyard import processes
from steelyard.arguments import is_flag
from steelyard.arrays import Copied
from steelyard.engine.memory import Lists, Memory
from steelyard.engine.protocol import OF_ROWS, Names, Ranking, Tally
from steelyard.engine.slices import is_whole, named_whole, rows_of_slice
from steelyard.kernels.fingerprint import fingerprint
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.curves import Curve
from steelyard.spec import Plan, profile
from steelyard.stats.curves import curve_of
from steelyard.stats.measured import Measured, certainty_table, group_coverage, tidy
from steelyard.stats.readings import Reading, readings_of
from steelyard.stats.run import conventions_of, facts_of, kept_lists
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError, asking, measuring, writing


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ResultData:
    """What was measured, under which conventions, and what became of the tables."""

    plan: Plan
    names: Names
    measured: tuple[Measured, ...]
    rankings: tuple[Ranking, ...]  # every convention that lists were ranked under, with its tally
    tally: Tally  # what was read and what became of it, under the first convention
    max_grade: float
    rows: Copied[pl.DataFrame] = Copied()
    facts: tuple[Message, ...]  # how much was read, in a few words
    conclusions: tuple[Reading, ...]
    notes: tuple[Message, ...]
    lists: Lists | None = None  # the lists themselves; None where nothing was ranked
    slice_coverage: Copied[dict[str, pl.DataFrame]] = Copied()  # of the truth, by queries or rows
    fingerprints: Copied[dict[str, str]] = Copied()  # of the tables that compared results must share, by role

    @classmethod
    def of(
        cls,
        plan: Plan,
        measured: Sequence[Measured],
        engine: Memory,
        notes: tuple[Message, ...],
        *,
        whole: bool = False,
    ) -> Self:
        """The result of what an engine has measured; ``whole`` keeps the rows, however many."""
        rows = tidy(measured, plan.by)
        account, names = engine.account(), engine.names
        return cls(
            plan=plan,
            names=names,
            measured=tuple([one if whole else one.kept() for one in measured]),
            rankings=account.rankings,
            tally=account.tally,
            max_grade=engine.max_grade,
            rows=rows,
            facts=facts_of(measured, account.tally, two_tables=names.truth is not None),
            conclusions=readings_of(measured, rows, plan.by),
            notes=notes,
            lists=kept_lists(measured, engine),
            slice_coverage=dict(account.slice_coverage),
            fingerprints=dict(
                engine.fingerprints or {role: fingerprint(table) for role, table in account.inputs.items()}
            ),
        )

    def __getitem__(self, asked: str | Metric | tuple[str | Metric, Mapping[str, object]]) -> float:
        """The value over everything, by the metric's text or the metric itself; or that of a slice.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "country": ["JP", "JP", "DE", "DE"]}
        >>> result = sy.evaluate(log, metrics="auc", by="country")
        >>> result["auc"], result["auc", {"country": "JP"}]
        (0.75, 1.0)
        """
        if isinstance(asked, tuple) and len(asked) == 2:
            asked, at = asked
            rows = rows_of_slice(self.rows, self.by, at)
        else:
            rows = self.rows.filter(is_whole(self.rows, self.by))
        label = self.label(asked)
        values = rows.filter(pl.col("metric") == label)["value"]
        if len(values) != 1:
            raise measuring.one_value_asked(label=label, n=len(values))
        return float(values[0])

    def get(
        self, asked: str | Metric | tuple[str | Metric, Mapping[str, object]], default: float | None = None
    ) -> float | None:
        """The value over everything, or of a slice, or ``default`` where there is none."""
        try:
            return self[asked]
        except SteelyardError:
            return default

    def items(self) -> list[tuple[str, float]]:
        """The labels of the metrics that are one number, with their values."""
        return [(label, self[label]) for label in self]

    def __getstate__(self) -> dict[str, Any]:
        processes.check()
        return self.__dict__

    @property
    def fingerprint(self) -> str | None:
        """A hash of the truth, whatever the order of its rows; None where there is no truth.

        In one table with the labels inside, and in arrays, it depends on the order of the rows.
        ``fingerprints`` has those of the other tables as well.

        >>> import steelyard as sy
        >>> run, truth = {"q": ["a", "b"]}, {"q": {"a": 1, "b": 0}}
        >>> one = sy.evaluate(run, truth, "mrr")
        >>> other = sy.evaluate(run, {"q": {"b": 0, "a": 1}}, "mrr")
        >>> one.fingerprint == other.fingerprint
        True
        """
        return self.fingerprints.get("truth") or self.fingerprints.get(f"{OF_ROWS}truth")

    def slim(self) -> Self:
        """The numbers alone, without the lists and states that curves and explanations need.

        >>> import steelyard as sy
        >>> sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr").slim()["mrr"]
        0.5
        """
        return replace(self, measured=tuple(metric.slim() for metric in self.measured), lists=None)

    @property
    def profile(self) -> str:
        """The profile that filled what the call did not state."""
        return self.plan.profile.name

    @property
    def by(self) -> tuple[str, ...]:
        """The columns that it is sliced by."""
        return self.plan.by

    @property
    def unit(self) -> str | None:
        """The column of the cluster (resampling unit); None where that is the query, the user or the row."""
        return self.plan.certainty.unit

    @property
    def metrics(self) -> tuple[tuple[str, Metric], ...]:
        """Each metric under its label, every convention written in."""
        return tuple((one.label, one.metric) for one in self.measured)

    def __contains__(self, asked: object) -> bool:
        return self.get(asked) is not None  # type: ignore[arg-type]

    def keys(self) -> list[str]:
        """The labels of the metrics that are one number, so that ``dict(result)`` works."""
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return (one.label for one in self.measured if not one.entries)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def per_query(self) -> pl.DataFrame:
        """One row per query and metric, for gauc per group; undefined values are NaN."""
        processes.check()
        parts = [
            pl.DataFrame(
                {
                    "query": one.units.alias("query"),
                    "metric": pl.repeat(one.label, len(one.units), dtype=pl.String, eager=True),
                    "value": one.each,
                }
            )
            for one in self.measured
            if one.units is not None
        ]
        if not parts:
            raise asking.nothing_per_query(labels=[one.label for one in self.measured])
        return pl.concat(parts)

    def group_coverage(self) -> pl.DataFrame:
        """How many groups each value of gauc uses, as a tidy frame.

        Its columns: slice columns, metric, ``used`` (the groups that count), ``all_positive`` and
        ``all_negative`` (groups of one class, which are skipped) and ``share_of_rows``, the share of rows in
        groups that count.

        >>> import steelyard as sy
        >>> log = {"query": ["u", "u", "v"], "label": [1, 0, 1], "score": [0.8, 0.2, 0.7]}
        >>> sy.evaluate(log, metrics="gauc").group_coverage().rows()
        [('gauc', 1, 1, 0, 0.6666666666666666)]
        """
        processes.check()
        groups = group_coverage(self.measured, self.by)
        if not groups.width:
            raise measuring.no_groups(labels=[metric.label for metric in self.measured])
        return named_whole(groups, self.by)

    def certainty(self) -> pl.DataFrame:
        """The confidence interval of each value and its basis, as a tidy frame.

        Its columns: slice columns, metric, ``value``, ``ci_low`` and ``ci_high``, ``interval`` (its kind),
        ``level``, ``unit`` (the cluster: queries, rows, or the column that was named for it), ``units`` (how
        many the value uses), ``effective_units`` (the effective sample size) and ``standard_error``. Unknown
        figures are null, or NaN where none exists.

        >>> import steelyard as sy
        >>> run = {"q1": ["a", "b"], "q2": ["c", "a"], "q3": ["b", "a"]}
        >>> result = sy.evaluate(run, {"q1": ["a"], "q2": ["a"], "q3": ["b"]}, "hit_rate@1")
        >>> result.certainty().select("value", "ci_low", "ci_high", "interval", "unit", "units").rows()
        [(0.666..., 0.2076..., 0.9385..., 'score', 'queries', 3)]
        """
        return named_whole(certainty_table(self.rows, self.measured, self.by, self.plan.certainty), self.by)

    def readings(self) -> tuple[Reading, ...]:
        """What the numbers mean together, each reading with its figures and thresholds.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.7, 0.3]}
        >>> (reading,) = sy.evaluate(log, metrics=["auc", "ne", "calibration"]).readings()
        >>> print(reading.text, *reading.figures, sep="; ")
        ranking and calibration are both good; auc 1.0000 ≥ 0.7; ne 0.4183 < 1; calibration 1.0000 in 0.9–1.1
        """
        return self.conclusions

    def curve(self, name: str | Metric, *, sliced: bool = False, **options: Any) -> Curve:
        """A curve as data: ``roc``, ``precision_recall``, ``calibration``, ``gain``, or ``ndcg`` at every k.

        With ``sliced`` there is one for each slice, named in the slice columns.

        >>> import steelyard as sy
        >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7]}
        >>> sy.evaluate(log, metrics="auc").curve("roc").frame.select("fpr", "tpr").rows()
        [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
        """
        if not is_flag(sliced):
            raise asking.bad_value("curve", "sliced", sliced, say("True or False"))
        of_rows = (metric for metric in self.measured if metric.metric.weighs == "rows")
        if sliced and all(metric.slices is None for metric in of_rows):
            raise writing.no_slices(name=str(name))
        return curve_of(name, self.measured, sliced=bool(sliced), **options)

    def spec(self) -> dict[str, dict[str, Any]]:
        """The complete specification of each metric, every stage included."""
        specs = {}
        for label, metric in self.metrics:
            own = self._profiles_in_texts.get(label)
            chosen = profile(own) if own else self.plan.profile
            specs[label] = {**metric.spec(), "edition": chosen.edition, "profile": chosen.name}
        return specs

    def units(self) -> dict[str, str]:
        """What each metric runs over: queries, rows or groups."""
        return {one.label: one.metric.unit for one in self.measured}

    def conventions_line(self) -> Message:
        """The profile, ties and missing queries, and every choice that differs from the default."""
        own, defaults = self._profiles_in_texts, self.plan.edition.fields
        followed = dict.fromkeys(own.get(metric.label, self.profile) for metric in self.measured)
        profiles = [self.profile] if self.profile in followed else [*followed] or [self.profile]
        return conventions_of(profiles, self.measured, defaults, self.names.weights, self.names.exclude)

    @property
    def _profiles_in_texts(self) -> dict[str, str]:
        """The profile of each metric whose own text names one, by label."""
        return {one.label: one.profile for one in self.plan.metrics if one.profile}

    def label(self, asked: str | Metric | MetricRequest) -> str:
        """The label of a metric in this result, by its text or the metric itself."""
        labels = [label for label, _ in self.metrics]
        if isinstance(asked, str) and asked in labels:
            return asked
        if not isinstance(asked, str | Metric | MetricRequest):
            raise asking.not_a_metric(asked)
        (wanted,) = self.plan.again(asked).metrics
        for label, metric in self.metrics:
            if metric == wanted.metric.for_truth(self.max_grade):
                return label
        name = (asked.heading or asked.metric) if isinstance(asked, MetricRequest) else asked
        raise asking.not_in_result(str(name), labels)
