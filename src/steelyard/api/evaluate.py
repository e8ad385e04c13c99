"""Evaluate predictions: plan, read, measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from steelyard import kernels, read
from steelyard.certainty import Certainty
from steelyard.engine.class_values import Class
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Call
from steelyard.engine.slices import Segments
from steelyard.metrics import Metric
from steelyard.progress import Bar, Progress, Tell, told
from steelyard.read.sources import predictions_first
from steelyard.result.result import Result
from steelyard.result.results import Results, check_by
from steelyard.spec import EDITION, Plan, ask, ask_in_words, data, with_task
from steelyard.stats.run import certainty_notes, measured, notes_of
from steelyard.text import say
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.errors.comparing import under_profile

_WORDS = {str, int, float, type(None)}  # what is the same call when it comes again


@predictions_first
def evaluate(
    predictions: Any,
    truth: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = (),
    *,
    task: str | None = None,
    columns: Mapping[str, Any] | None = None,
    scores: str | Sequence[str] | None = None,
    by: str | Sequence[str] | Any = (),
    classes: Sequence[Class] | None = None,
    exclude: Any = None,
    weights: Any = None,
    catalog: Any = None,
    features: Any = None,
    history: Any = None,
    item_groups: Any = None,
    usual: Any = None,
    ci: str = "auto",
    level: float = 0.95,
    unit: str | None = None,
    seed: int = 0,
    profile: str = EDITION,
    conventions: Mapping[str, Any] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
    **further: Any,
) -> Result:
    """Evaluate predictions against truth: one pass, many metrics, every convention stated.

    ``task`` adds the usual metrics of a task to ``metrics``: ``task="ranking"``, ``task="ctr"``, ….
    Tables are files, frames, mappings or arrays (see the guide). Without ``truth``, ``predictions`` is one
    table with the labels inside. ``by`` names columns to slice by, or is a table of what is known of each
    query (query, country, …) or ``{query: value}``, ``exclude`` a table of (query, item) that is removed
    before ranking, ``weights`` the weight of each query in the mean (a table, a mapping, or the name of a
    column) or of each row (the name of a column), ``classes`` the classes of the labels in order.
    ``scores`` names the score column, or several of one log; then there is a result for each: ``sy.Results``.
    ``catalog``, ``features``, ``history``, ``item_groups`` and ``usual`` are what metrics of lists as a whole
    need besides; most of these need no truth.
    ``ci`` says how the interval of each value is made (``none`` for none), at which ``level``; ``unit`` names
    the column whose values are drawn as one, where that is not the query or the user.
    ``progress=True`` shows a bar on a terminal or in a notebook; a function is told the name of each stage.
    Further keywords are conventions: ``ties="expected"``, ``missing="skip"``; the mapping ``conventions``
    takes the same, and also ``{"scores": "float32"}``.

    >>> import steelyard as sy
    >>> run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 0.3, "b": 0.2}}
    >>> qrels = {"q1": {"b": 1}, "q2": {"a": 2, "z": 1}}
    >>> result = sy.evaluate(run, qrels, ["mrr", "recall@2"])
    >>> result["mrr"], result["recall@2"]
    (0.75, 0.75)

    Lists as a whole, without truth: two of three items are shown.

    >>> sy.evaluate({"u": ["a"], "v": ["b"]}, metrics="coverage@1", catalog=["a", "b", "c"])["coverage@1"]
    0.666...

    The usual metrics of a task:

    >>> [label for label, _ in sy.evaluate(run, qrels, task="ranking").items()]
    ['ndcg@10', 'map@10', 'precision@10']

    One table of rows with labels and scores:

    >>> log = {"clicked": [1, 0, 1, 0], "p": [0.8, 0.3, 0.4, 0.6]}
    >>> sy.evaluate(log, metrics=["auc", "logloss"])["auc"]
    0.75
    """
    given, note = dict(locals()), None
    if task is not None:
        given["metrics"], note = with_task(metrics, task, profile, given)
    result = run_each(*prepared(given), progress)
    # several score columns, which no type tells from others, give Results
    return cast("Result", result if note is None else result.noting(note))


def prepared(given: Mapping[str, Any]) -> tuple[Plan, Call]:
    by, certainty = given["by"], (given["ci"], given["level"], given["unit"], given["seed"])
    in_words = _WORDS.issuperset(map(type, (given["metrics"], given["profile"], *certainty)))
    stated = type(by) is not tuple or by or given["further"]
    if in_words and not stated and given["conventions"] is given["classes"] is None:
        plan = ask_in_words(given["metrics"], given["profile"], certainty, tuple(data.FOLDERS))
        return plan, Call.of({**given, "by_table": None})
    table = by if read.is_table(by) else None
    plan = ask(
        given["metrics"],
        given["profile"],
        given["conventions"],
        given["further"],
        by=() if table is not None else by,
        classes=given["classes"],
        certainty=Certainty.of(*certainty),
    )
    return plan, Call.of({**given, "by_table": table})


def run_each(plan: Plan, call: Call, progress: Progress = None, *, whole: bool = False) -> Result | Results:
    """The result of a call; where it names several score columns, that of each under its name."""
    systems = call.systems() if call.columns else None
    if systems is None:
        return run(plan, call, progress, whole=whole)
    check_by(plan.by)
    return Results({name: run(plan, one, progress, whole=whole) for name, one in systems.items()})


def run_all(plan: Plan, call: Call, runs: Mapping[str, Any], progress: Progress = None) -> Results:
    """The result of each of several runs under its name; the truth that they share is opened once."""
    check_by(plan.by)
    call = replace(call, predictions=next(iter(runs.values())))
    if call.systems() is not None:
        raise asking.columns_and_runs()
    read.check_sources(*runs.values(), call.truth)
    call = replace(call, truth=read.opened_truth(call.truth, list(runs.values())))
    return Results({name: run(plan, replace(call, predictions=one), progress) for name, one in runs.items()})


def run(plan: Plan, call: Call, progress: Progress = None, *, whole: bool = False) -> Result:
    """The result of a plan on the tables of a call; ``whole`` lets it keep all that was read."""
    call, unread = call.needed([one.need for one in plan.metrics])
    with told(progress, steps=len(plan.asked) + 3) as tell, kernels.watched() as missed:
        call.check()
        tell(say("reading"))
        segments = None
        if call.by_table is not None:
            segments = Segments(read.segments(call.by_table, columns=call.columns, wanted=plan.by))
            plan = plan.sliced_by(segments.table.extra.columns)
        engine = opened(plan, call, tell, segments)
        if not engine.settled.items() <= plan.usual.items():
            plan = plan.settled(engine.settled)
        found = []
        for one in plan.metrics:
            tell(say("measuring {label}", label=one.label))
            try:
                found.append(measured(one, engine, plan.certainty))
            except SteelyardError as error:
                raise (under_profile(one.label, error) if one.profile else error) from None
        tell(say("averaging"))
        doubts = certainty_notes(found, plan.certainty)
        notes = (*notes_of(found, engine), *doubts, *unread, *plan.notes, *sorted(missed))
        return Result.of(plan, found, engine, notes, whole=whole)


def opened(
    plan: Plan, call: Call, tell: Tell, segments: Segments | None = None, *, groups: bool = False
) -> Memory:
    engine = Memory(call, replace(plan.wanted, groups=True) if groups else plan.wanted, tell, segments)
    if engine.rows is not None and engine.rows.hold_a_ranking:
        plan.check_cutoffs()
    return engine
