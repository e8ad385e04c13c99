"""What an evaluation gives: numbers, each with the full specification that produced it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard import profiles
from steelyard.aggregate.notes import counted
from steelyard.align import Tally
from steelyard.arrays import Floats
from steelyard.conventions import plain
from steelyard.engines import Ranking
from steelyard.errors import MetricError, asking, writing
from steelyard.metrics import Metric, RankingMetric
from steelyard.report import Document, markup, output, text
from steelyard.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result:
    """The numbers of one evaluation, with their conventions, tally and notes.

    >>> import steelyard as sy
    >>> result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["mrr", "hit_rate@1"])
    >>> result["mrr"]
    0.5
    >>> result.table().select("metric", "value").rows()
    [('mrr', 0.5), ('hit_rate@1', 0.0)]
    """

    profile: str
    conventions: Mapping[str, Any]
    predictions: str
    truth: str | None  # None where the labels are inside the predictions
    by: tuple[str, ...]
    metrics: tuple[tuple[str, RankingMetric], ...]
    rankings: tuple[Ranking, ...]
    max_grade: float
    rows: pl.DataFrame
    values: tuple[tuple[pl.Series, Floats], ...]  # of each metric: its queries and their values
    weights: str | None  # where the weights of queries were read
    exclude: str | None  # where the excluded items were read
    notes: tuple[str, ...]

    def __getitem__(self, asked: str | Metric) -> float:
        """The value over all queries, by the metric's text or the metric itself."""
        label = self._label(asked)
        wanted = self.rows["metric"] == label
        for name in self.by:
            wanted &= self.rows[name].is_null()
        return float(self.rows.filter(wanted)["value"][0])

    def __contains__(self, asked: object) -> bool:
        """Whether there is a value for a metric or its text."""
        try:
            return isinstance(asked, str | Metric) and bool(self._label(asked))
        except MetricError:
            return False

    def keys(self) -> list[str]:
        """The labels of the metrics, so that ``dict(result)`` works."""
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return iter([label for label, _ in self.metrics])

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def tally(self) -> Tally:
        """What was read and what became of it, under the first convention."""
        return self.rankings[0].tally

    def table(self) -> pl.DataFrame:
        """A tidy frame: slice columns, metric, value, ci_low, ci_high, n, undefined.

        The whole has null in the slice columns.
        """
        return self.rows.clone()

    def per_query(self) -> pl.DataFrame:
        """One row per query and metric; undefined values are NaN."""
        labels = [label for label, _ in self.metrics]
        return pl.concat(
            pl.DataFrame(
                {"query": queries, "metric": pl.repeat(label, len(values), eager=True), "value": values}
            )
            for label, (queries, values) in zip(labels, self.values, strict=True)
        )

    def spec(self) -> dict[str, dict[str, Any]]:
        """The complete specification of each metric, every stage included."""
        return {label: {**metric.spec(), "profile": self.profile} for label, metric in self.metrics}

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain Python values; NaN is None."""
        spec = self.spec()
        return {
            "schema_version": SCHEMA_VERSION,
            "steelyard": VERSION,
            "profile": self.profile,
            "predictions": self.predictions,
            "truth": self.truth,
            "weights": self.weights,
            "exclude": self.exclude,
            "results": [
                {
                    **{
                        name: row[name] for name in ("metric", "value", "ci_low", "ci_high", "n", "undefined")
                    },
                    "slice": {name: row[name] for name in self.by if row[name] is not None},
                    "spec": spec[row["metric"]],
                }
                for row in self.rows.with_columns(pl.col("value").fill_nan(None)).to_dicts()
            ],
            "tally": self.tally.to_dict(),
            "rankings": [
                {
                    **dataclasses.asdict(one.align),
                    **dataclasses.asdict(one.rank),
                    "tally": one.tally.to_dict(),
                }
                for one in self.rankings
            ],
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON; NaN is null."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_csv(self) -> str:
        """The tidy table as CSV; an undefined value is an empty field."""
        return self.rows.with_columns(pl.col("value").fill_nan(None)).write_csv()

    def to_pandas(self) -> pd.DataFrame:
        """The tidy table as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise writing.pandas_missing() from None
        return pd.DataFrame(
            {
                column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
                for column in self.rows
            }
        )

    def to_markdown(self) -> str:
        """The table as Markdown."""
        return markup.markdown(self.document())

    def to_latex(self) -> str:
        """The table as LaTeX (booktabs)."""
        return markup.latex(self.document())

    def to_text(self) -> str:
        """The table alone, in aligned columns."""
        return text.table(self.document())

    def write(self, path: str | Path, form: str | None = None) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names.

        A name whose ending says nothing gets JSON.
        """
        output.write_text(Path(path), self.render(form or output.form_of(path) or "json") + "\n")

    def render(self, form: str) -> str:
        """One of the forms as text: table, json, csv, markdown or latex."""
        forms = {
            "table": self.to_text,
            "json": self.to_json,
            "csv": lambda: self.to_csv().rstrip("\n"),
            "markdown": self.to_markdown,
            "latex": self.to_latex,
        }
        if form not in forms:
            raise writing.unknown_format(form, list(forms))
        return forms[form]()

    def document(self) -> Document:
        """All that this result shows, as one value."""
        tally = self.tally
        facts = [counted(tally.queries, "query", "queries"), counted(tally.predictions, "prediction")]
        facts += [counted(tally.judgements, "judgement")] if self.truth is not None else []
        if tally.unjudged and self.rankings[0].align.unjudged == "nonrelevant":
            facts.append(f"{tally.unjudged / tally.retrieved:.1%} of ranked rows unjudged")
        return Document(
            title=f"steelyard {VERSION} · {self.predictions}"
            + (f" against {self.truth}" if self.truth is not None else ""),
            facts=tuple(facts),
            conventions=self._conventions(),
            notes=self.notes,
            by=self.by,
            rows=self.rows,
        )

    def _conventions(self) -> str:
        """The profile, ties and missing queries, and every choice that differs from the house's.

        Where metrics differ, each choice names the metrics it holds for.
        """
        said: dict[str, list[str]] = {}
        for label, metric in self.metrics:
            for phrase in _choices(metric):
                said.setdefault(phrase, []).append(label)
        every = len(self.metrics)
        parts = [p if len(labels) == every else f"{p} ({', '.join(labels)})" for p, labels in said.items()]
        parts += [f"queries weighted by {self.weights}"] if self.weights else []
        parts += [f"without the items of {self.exclude}"] if self.exclude else []
        return " · ".join([self.profile, *parts])

    def _label(self, asked: str | Metric) -> str:
        labels = [label for label, _ in self.metrics]
        if isinstance(asked, str) and asked in labels:
            return asked
        if not isinstance(asked, str | Metric):
            raise asking.not_a_metric(asked)
        several = profiles.metrics(asked)
        if len(several) > 1:
            raise asking.several_metrics(str(asked), len(several))
        wanted = profiles.resolve(several, self.profile, self._applicable(asked), self._by_data())
        for label, metric in self.metrics:
            if metric == wanted[0].metric.for_truth(self.max_grade):
                return label
        raise asking.not_in_result(str(asked), labels)

    def _applicable(self, asked: str | Metric) -> dict[str, Any]:
        known = {field.name for one in profiles.metrics(asked) for field in dataclasses.fields(one)}
        return {name: value for name, value in self.conventions.items() if name in known}

    def _by_data(self) -> dict[str, Any]:
        """The order and the ties of the metrics whose text does not state them."""
        found: dict[str, Any] = {}
        for label, metric in self.metrics:
            stated = profiles.metric(label).stated
            for name in {"order", "ties"} - stated:
                found.setdefault(name, getattr(metric, name))
        return found

    def __repr__(self) -> str:
        return text.full(self.document(), limit=text.TERMINAL_ROWS)

    def _repr_html_(self) -> str:
        return markup.html(self.document())


def _choices(metric: RankingMetric) -> list[str]:
    """In words: ties and missing queries, and every field that differs from the house's default."""
    phrases = []
    for field in dataclasses.fields(metric):
        value = getattr(metric, field.name)
        always = field.name == "missing" or (field.name == "ties" and metric.order != "given")
        if field.name == "k" or not (always or value != field.default):
            continue
        meaning = field.metadata.get("meaning", {})
        shared = field.name in _EVERY_METRIC
        phrases.append(meaning[value] if shared and value in meaning else f"{field.name}={plain(value)}")
    return phrases


_EVERY_METRIC = {field.name for field in dataclasses.fields(RankingMetric)}
