"""The program: from the names of two files to what is printed of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import polars as pl

from steelyard import kernels
from steelyard.kernels.choose import forced
from steelyard.messages.errors import as_trec_eval
from steelyard.messages.errors.base import SteelyardError
from steelyard.trec_eval import files
from steelyard.trec_eval.files import Judgements, Run
from steelyard.trec_eval.measures import FORMATS, Format
from steelyard.trec_eval.parameters import MeasureAsked, asked
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
    """Evaluate a run against judgements and print what the flags ask for."""
    with ThreadPoolExecutor(1) as aside:
        reading = aside.submit(_read, qrels_path, run_path, flags)
        # the metrics take as long to import as a million lines to read
        from steelyard.trec_eval.printed import by_topic, columns, summary

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
