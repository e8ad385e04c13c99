"""The program: from the names of two files to the printed lines, to the byte."""

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
    for measure in wanted:
        if flags.form not in measure.measure.formats:
            raise as_trec_eval.of_other_format(measure=measure.name, formats=measure.measure.formats)
    with forced("twin") if run.frame.height < _COMPILED_FROM else nullcontext():
        evaluated, error = _topics(run, qrels, flags, wanted)
    if evaluated is not None:
        shown = columns(evaluated, wanted, zscores)
        if flags.each_topic:
            write("".join(by_topic(evaluated, shown)).encode(encoding))
        if flags.summary and error is None:
            write("".join(summary(evaluated, qrels, wanted, shown, run.tag)).encode(encoding))
    if error is not None:
        raise error


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
    """The topics; if one cannot be evaluated, those before it and the error."""
    if flags.only is not None:
        run, qrels = _where(pl.col("query") == flags.only, run, qrels)
    every = topics(run, qrels, flags.conventions)
    # what reads any format reads no judgement
    measure = next((asked.name for asked in wanted if asked.measure.formats != FORMATS), None)
    troubles = [] if measure is None else [twice(run, every), misjudged(every)]
    first = min(filter(None, troubles), key=lambda trouble: trouble.query, default=None)
    if measure is None or first is None:
        return every, None
    error = first.refusal(query=first.query, measure=measure, **first.figures)
    if not (every.names < first.query).any():
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
class PrintedColumn:
    """A printed name with the value of every topic, or its text."""

    measure: Measure
    name: str
    values: Floats
    texts: list[str] | None = None
    z: bool = False  # whether the values are z-scores

    @property
    def form(self) -> str:
        name = (_NAME % self.name).replace("%", "%%")
        if self.texts is not None:
            return f"{name}\t%s\t%s\n"
        if self.z:
            return f"Z{name}\t%s\t%6.4f\n"
        return f"{name}\t%s\t{'%d' if self.measure.whole else '%6.4f'}\n"


def columns(
    topics: Topics, asked: Sequence[MeasureAsked], zscores: pl.DataFrame | None
) -> list[PrintedColumn]:
    from steelyard.trec_eval import formulas

    shown = []
    for one in asked:
        if one.name == "relstring":
            texts = [f"'{text}'" for text in formulas.relstrings(topics, one)]
            shown.append(PrintedColumn(one.measure, one.names[0], np.zeros(topics.n), texts))
        elif one.name != "runid":
            values = zip(one.names, formulas.values(topics, one), strict=True)
            shown += [PrintedColumn(one.measure, name, value) for name, value in values]
    if zscores is None:
        return shown
    return [replace(column, values=_zscores(topics, column, zscores), z=True) for column in shown]


def _zscores(topics: Topics, column: PrintedColumn, zscores: pl.DataFrame) -> Floats:
    known = zscores.filter(pl.col("name") == column.name)
    asked = topics.names.alias("query").to_frame()
    of_topic = asked.join(known, on="query", how="left", maintain_order="left")
    mean, deviation = (of_topic[name].to_numpy() for name in ("mean", "deviation"))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (column.values - mean) / deviation
    score = np.where(deviation == 0, np.where(column.values == mean, 0.0, _NO_ZSCORE), score)
    return np.where(of_topic["mean"].is_null().to_numpy(), _NO_ZSCORE, score)


def by_topic(topics: Topics, columns: Sequence[PrintedColumn]) -> Iterator[str]:
    shown = [column for column in columns if column.measure.average not in ("topics", "geometric")]
    cells = [column.values.tolist() if column.texts is None else column.texts for column in shown]
    # one format for all lines of a topic: each takes the name of the topic and the value
    form = "".join(column.form for column in shown)
    for topic, *row in zip(topics.names.to_list(), *cells, strict=True):
        yield form % tuple(part for value in row for part in (topic, value))


def summary(
    topics: Topics,
    qrels: Judgements,
    asked: Sequence[MeasureAsked],
    columns: Sequence[PrintedColumn],
    tag: str,
) -> Iterator[str]:
    if any(measure.name == "runid" for measure in asked):
        yield f"{_NAME % 'runid'}\t{_ALL}\t{tag}\n"
    complete = topics.conventions.complete
    n = qrels.frame["query"].n_unique() if complete else topics.n
    for column in columns:
        if column.texts is None:
            total = float(np.cumsum(column.values)[-1])  # one after the other, as trec_eval adds
            if complete and column.name == "num_rel":
                total = float((qrels.frame["relevance"] > 0).sum())  # whatever the level
            yield column.form % (_ALL, _average(column.measure, total, topics.n, n))


def _average(measure: Measure, total: float, evaluated: int, n: int) -> float:
    if measure.average == "topics":
        return n
    if measure.average == "sum":
        return total
    if measure.average == "geometric":
        return float(np.exp((total + (n - evaluated) * np.log(FLOOR)) / n))
    return total / n
