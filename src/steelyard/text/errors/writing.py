"""Errors for charts, curves and explanations that cannot be made, and results that cannot be written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from steelyard.text import Message, listed, say
from steelyard.text.errors.base import (
    MetricError,
    OutputError,
    SteelyardError,
    quoted,
)
from steelyard.text.errors.forms import Refusal, declared, unknown, with_guess


def unknown_ending(what: Path | Message, known: Collection[str]) -> SteelyardError:
    why = say("its ending does not say in which format")
    saved = say("to keep the whole result there: result.save('{what}'), --save {what}", what=what)
    remedy = saved if str(what).endswith(".steelyard") else None
    said = say("cannot write {what}: {why}", what=what, why=why)
    return unknown(said, None, known, kind=OutputError, remedy=remedy)


def both_written(
    what: Path | Message, outputs: Message | None = None, remedy: Message | None = None
) -> SteelyardError:
    return declared(__name__, "both_written")(
        outputs=outputs or say("two outputs"), what=what, remedy=remedy or say("give each a file of its own")
    )


_MOST_TOLD = 12


def unknown_curve(name: object, known: Sequence[str]) -> SteelyardError:
    remedy = say("known: {names}, and metric@k", names=list(known))
    return unknown(say("unknown curve '{name}'", name=str(name)), name, known, remedy=remedy)


def unknown_option(of: Message, option: str, known: Sequence[str]) -> SteelyardError:
    has = say("it has: {names}", names=list(known)) if known else say("it has none")
    return unknown(say("{of} has no option '{option}'", of=of, option=option), option, known, remedy=has)


def several_curves(name: str, each: Sequence[tuple[str, ...]]) -> SteelyardError:
    return declared(__name__, "several_curves")(name=name, n=len(each), names=_arguments(each[0]))


def unknown_segment(name: str, asked: tuple[object, ...], known: Sequence[tuple[str, ...]]) -> SteelyardError:
    if not known:
        return declared(__name__, "no_segments")(name=name)
    return declared(__name__, "unknown_segment")(
        name=name,
        asked=_arguments(asked) or say("nothing"),
        names=listed([f"of({_arguments(one)})" for one in known], _MOST_TOLD),
    )


def _arguments(segment: tuple[object, ...]) -> str:
    return ", ".join(str(one) if str(one).isdecimal() else repr(one) for one in segment)


def metric_not_there(name: str, metric: str, known: Sequence[str]) -> SteelyardError:
    said = say("the chart '{name}' cannot show '{metric}'", name=name, metric=metric)
    remedy = say("ask for the same metric in all results")
    return unknown(said, metric, known, remedy=say("it can show: {names}", names=known) if known else remedy)


def not_drawn(name: str, why: str) -> SteelyardError:
    reason = [line.strip() for line in why.splitlines() if line.strip()]
    return declared(__name__, "not_drawn")(name=name, why=" ".join(reason[:2]))


def nothing_to_explain(label: str, *, ranking: bool) -> SteelyardError:
    return declared(__name__, "nothing_to_explain")(
        label=label,
        option="--grades 3,2,3,0,1" if ranking else "--labels 1,0,1 --scores 0.9,0.4,0.3",
        keyword="grades=[3, 2, 3, 0, 1]" if ranking else "labels=[1, 0, 1], scores=[0.9, 0.4, 0.3]",
    )


def not_of_grades(label: str, of_lists: str | None = None) -> SteelyardError:
    remedy = say("give labels and scores: --labels 1,0,1 --scores 0.9,0.4,0.3")
    if of_lists:
        remedy = say("did you mean {of_lists}, of the first so many of a list?", of_lists=of_lists)
    return declared(__name__, "not_of_grades")(label=label, remedy=remedy)


def query_needed(label: str, n_queries: int, tries: Sequence[tuple[Message, object]]) -> SteelyardError:
    shown = [say("{query} ({what})", query=query, what=what) for what, query in tries]
    some = say("pass --query ID, in Python query=ID; for example {shown}", shown=shown)
    return declared(__name__, "query_needed")(
        label=label, n=n_queries, remedy=some if tries else say("none has a value here")
    )


def unknown_query(
    query: object, near: Sequence[str], n_queries: int, first: Sequence[object]
) -> SteelyardError:
    remedy = say("evaluated: {shown}", shown=quoted(first))
    if n_queries > len(first):
        remedy = say("{n:,} queries were, first {shown}", n=n_queries, shown=quoted(first))
    return MetricError(
        with_guess(say("query '{query}' was not evaluated", query=str(query)), *near), remedy=remedy
    )


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
