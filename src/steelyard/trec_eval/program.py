"""The program: from the names of two files to the lines that are printed of them, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from steelyard import kernels
from steelyard.arrays import Floats
from steelyard.kernels.choose import forced
from steelyard.text.errors import as_trec_eval
from steelyard.text.errors.base import SteelyardError
from steelyard.trec_eval import files
from steelyard.trec_eval.files import Judgements, Run
from steelyard.trec_eval.measures import FLOOR, FORMATS, Format, Measure, MeasureAsked, asked
from steelyard.trec_eval.topics import TopicRules, Topics, misjudged, topics, twice

_COMPILED_FROM = 1_500_000  # lines of a run; for fewer Numba takes longer to load than it saves
_USUAL_LINE = 30  # bytes


@dataclass(frozen=True)
class Flags:
    """What the flags ask for beside the conventions."""

    conventions: TopicRules = field(default_factory=TopicRules)
    measures: tuple[str, ...] = ()
    form: Format = "qrels"  # of the judgements
    each_topic: bool = False
    summary: bool = True
    only: str | None = None  # the one topic that is evaluated
    zscores: str | None = None


def evaluate(qrels_path: str, run_path: str, flags: Flags, write: Callable[[bytes], object]) -> None:
    with ThreadPoolExecutor(1) as aside:
        reading = aside.submit(_read, qrels_path, run_path, flags)
        # the metrics take as long to import as a million lines to read
        from steelyard.trec_eval import formulas  # noqa: F401

        qrels, run, encoding = reading.result()
    zscores = None if flags.zscores is None else files.zscores(flags.zscores)
    wanted = asked(flags.measures, flags.conventions.edition)
    for one in wanted:
        if flags.form not in one.measure.formats:
            raise as_trec_eval.of_other_format(measure=one.name, formats=one.measure.formats)
    with forced("twin") if run.frame.height < _COMPILED_FROM else nullcontext():
        found, trouble = _topics(run, qrels, flags, wanted)
    z = zscores is not None
    if found is not None:
        values = columns(found, wanted, zscores)
        if flags.each_topic:
            write("".join(by_topic(found, values, z=z)).encode(encoding))
        if flags.summary and trouble is None:
            write("".join(summary(found, qrels, wanted, values, run.tag, z=z)).encode(encoding))
    if trouble is not None:
        raise trouble


def _read(qrels_path: str, run_path: str, flags: Flags) -> tuple[Judgements, Run, str]:
    [judged, ranked], encoding = files.in_one_encoding(files.content(qrels_path), files.content(run_path))
    if len(ranked) > _COMPILED_FROM * _USUAL_LINE:
        kernels.warm_up()
    edition = flags.conventions.edition
    qrels = files.judgements(judged, qrels_path, edition, flags.form)
    return qrels, files.run(ranked, run_path, edition), encoding


def _topics(
    run: Run, qrels: Judgements, flags: Flags, wanted: Sequence[MeasureAsked]
) -> tuple[Topics | None, SteelyardError | None]:
    """The topics; where one cannot be evaluated only those before it, and what is to be said of that."""
    if flags.only is not None:
        run, qrels = _where(pl.col("query") == flags.only, run, qrels)
    found = topics(run, qrels, flags.conventions)
    # what reads any format reads no judgement
    measure = next((one.name for one in wanted if one.measure.formats != FORMATS), None)
    if measure is None:
        return found, None
    troubles = [one for one in (twice(run, found), misjudged(found)) if one is not None]
    if not troubles:
        return found, None
    first = min(troubles, key=lambda one: one.query)
    error = first.told(measure)
    if not (found.names < first.query).any():
        return None, error
    return topics(*_where(pl.col("query") < first.query, run, qrels), flags.conventions), error


def _where(condition: pl.Expr, run: Run, qrels: Judgements) -> tuple[Run, Judgements]:
    return (
        replace(run, frame=run.frame.filter(condition)),
        replace(qrels, frame=qrels.frame.filter(condition)),
    )


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
    from steelyard.trec_eval import formulas

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
        return float(np.exp((total + (n - evaluated) * np.log(FLOOR)) / n))
    return total / n
