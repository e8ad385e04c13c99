"""The lines that trec_eval prints, to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.trec_eval import formulas
from steelyard.trec_eval.files import Judgements
from steelyard.trec_eval.measures import Measure
from steelyard.trec_eval.parameters import MeasureAsked
from steelyard.trec_eval.topics import Topics

_ALL = "all"
_NO_ZSCORE = -1000000.0  # of a measure and topic without a mean
_NAME = "%-22s"


@dataclass(frozen=True)
class Column:
    """One printed name: the value of every topic, or a text where the measure is one."""

    measure: Measure
    name: str
    values: Floats
    texts: list[str] | None = None


def columns(topics: Topics, asked: Sequence[MeasureAsked], zscores: pl.DataFrame | None) -> list[Column]:
    """Every value of every topic, as z-scores where means and deviations are given."""
    found = []
    for one in asked:
        if one.name == "relstring":
            texts = [f"'{text}'" for text in formulas.relstrings(topics, one)]
            found.append(Column(one.measure, one.names[0], np.zeros(topics.n), texts))
        elif one.name != "runid":
            each = zip(one.names, formulas.values(topics, one), strict=True)
            found += [Column(one.measure, name, values) for name, values in each]
    if zscores is None:
        return found
    return [Column(c.measure, c.name, _zscores(topics, c, zscores), c.texts) for c in found]


def _zscores(topics: Topics, column: Column, zscores: pl.DataFrame) -> Floats:
    """How many deviations each value lies above the mean."""
    known = zscores.filter(pl.col("name") == column.name)
    asked = topics.names.alias("query").to_frame()
    of_topic = asked.join(known, on="query", how="left", maintain_order="left")
    mean, deviation = (of_topic[name].to_numpy() for name in ("mean", "deviation"))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (column.values - mean) / deviation
    score = np.where(deviation == 0, np.where(column.values == mean, 0.0, _NO_ZSCORE), score)
    return np.where(of_topic["mean"].is_null().to_numpy(), _NO_ZSCORE, score)


def by_topic(topics: Topics, columns: Sequence[Column], *, z: bool) -> Iterator[str]:
    """The lines of each topic; what says something of all topics alone has none."""
    shown = [c for c in columns if c.measure.average not in ("topics", "geometric")]
    forms = [_form(c, z=z) for c in shown]
    cells = [c.values.tolist() if c.texts is None else c.texts for c in shown]
    # one format for all lines of a topic: each takes the name of the topic and the value
    form = "".join(forms)
    for topic, *row in zip(topics.names.to_list(), *cells, strict=True):
        yield form % tuple(part for value in row for part in (topic, value))


def _form(column: Column, *, z: bool) -> str:
    name = (_NAME % column.name).replace("%", "%%")
    if column.texts is not None:
        return f"{name}\t%s\t%s\n"
    if z:
        return f"Z{name}\t%s\t%6.4f\n"
    return f"{name}\t%s\t{'%d' if column.measure.whole else '%6.4f'}\n"


def summary(
    topics: Topics,
    qrels: Judgements,
    asked: Sequence[MeasureAsked],
    columns: Sequence[Column],
    tag: str,
    *,
    z: bool,
) -> Iterator[str]:
    """The last lines, on all topics together."""
    if any(one.name == "runid" for one in asked):
        yield f"{_NAME % 'runid'}\t{_ALL}\t{tag}\n"
    complete = topics.conventions.complete
    n = qrels.n_topics if complete else topics.n
    for column in columns:
        if column.texts is None:
            total = float(np.cumsum(column.values)[-1])  # one after the other, as trec_eval adds
            if complete and column.name == "num_rel":
                total = float(qrels.n_relevant)
            yield _form(column, z=z) % (_ALL, _average(column.measure, total, topics.n, n))


def _average(measure: Measure, total: float, evaluated: int, n: int) -> float:
    if measure.average == "topics":
        return n
    if measure.average == "sum":
        return total
    if measure.average == "geometric":
        return float(np.exp((total + (n - evaluated) * np.log(formulas.FLOOR)) / n))
    return total / n
