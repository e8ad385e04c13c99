"""Evaluate predictions: plan, read, measure."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from steelyard import kernels, read
from steelyard.conventions import Certainty
from steelyard.engine.bound import is_larger
from steelyard.engine.columns import Class
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Call, Need
from steelyard.engine.slices import Segments
from steelyard.metrics import Metric
from steelyard.progress import Bar, Progress, Tell, reporting
from steelyard.read.sources import predictions_first
from steelyard.result.result import Result, Results, check_by
from steelyard.spec import EDITION, Plan, ask, ask_in_words, libraries, with_task
from steelyard.stats.run import certainty_notes, measured, notes_of
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError, asking
from steelyard.text.errors.asking import under_profile

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
    baseline_lists: Any = None,
    where: str | None = None,
    storage_options: Mapping[str, str] | None = None,
    ci: str = "auto",
    level: float = 0.95,
    unit: str | None = None,
    seed: int = 0,
    profile: str = EDITION,
    conventions: Mapping[str, Any] | None = None,
    memory: str | int | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[str], object] | Bar | None = None,
    **further: Any,
) -> Result:
    """Evaluate predictions against truth: one pass, many metrics, every convention stated.

    Tables are files, frames, mappings or arrays (see the guide). Without ``truth``, ``predictions`` is one
    table with the labels inside. The arguments are the options of ``steelyard evaluate``:

    - ``metrics``, and ``task`` for the usual metrics of a task: ``task="ranking"``, ``task="ctr"``, …
    - ``columns``: which column has which role; ``scores``: the score column, or several of one log for a
      result of each (``sy.Results``)
    - ``by``: columns to slice by, a table with a row per query (query, country, …), or ``{query: value}``
    - ``classes``: the classes of the labels in order; ``exclude``: (query, item) pairs to remove
    - ``weights``: of each query in the mean (a table, a mapping or a column), or of each row (a column)
    - ``catalog``, ``features``, ``history``, ``item_groups``, ``baseline_lists``: tables for list metrics
    - ``where``: an SQL condition, such as ``"dt >= '2026-11-01' and country = 'JP'"``. Only rows that satisfy
      it are read: of the predictions, and of a truth that has all of its columns
    - ``storage_options``: how an object store (``s3://…``) is reached, if the environment does not say it
    - ``ci``: how confidence intervals are made, ``ci="none"`` for none; ``level``: the confidence level;
      ``unit``: the column of clusters, if not the query or user; ``seed``: the random seed
    - ``profile``: the conventions of a library; all other keywords are conventions, such as
      ``ties="expected"``; ``conventions`` is a mapping of the same, for ``{"scores": "float32"}``
    - ``memory``: how much memory the rows may take, such as ``"2GB"``, by default half of the free memory;
      larger tables are read in parts; ``temp_dir``: the folder for temporary files
    - ``progress``: True for a bar, or a function that gets the name of each stage

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
    arguments, note = dict(locals()), None
    if task is not None:
        arguments["metrics"], note = with_task(metrics, task, profile, arguments)
    result = run_each(*prepared(arguments), progress)
    # several score columns, which no type tells from others, give Results
    return cast("Result", result if note is None else result.noting(note))


def prepared(arguments: Mapping[str, Any]) -> tuple[Plan, Call]:
    by, certainty = (
        arguments["by"],
        (arguments["ci"], arguments["level"], arguments["unit"], arguments["seed"]),
    )
    in_words = _WORDS.issuperset(map(type, (arguments["metrics"], arguments["profile"], *certainty)))
    stated = type(by) is not tuple or by or arguments["further"]
    if in_words and not stated and arguments["conventions"] is arguments["classes"] is None:
        plan = ask_in_words(arguments["metrics"], arguments["profile"], certainty, tuple(libraries.FOLDERS))
        return plan, Call.of({**arguments, "by_table": None})
    table = by if read.is_table(by) else None
    plan = ask(
        arguments["metrics"],
        arguments["profile"],
        arguments["conventions"],
        arguments["further"],
        by=() if table is not None else by,
        classes=arguments["classes"],
        certainty=Certainty.of(*certainty),
    )
    return plan, Call.of({**arguments, "by_table": table})


def run_each(plan: Plan, call: Call, progress: Progress = None, *, whole: bool = False) -> Result | Results:
    """The result of a call, or of each of its score columns by name."""
    if is_larger(call):
        from steelyard.api.batches import run_in_parts

        return run_in_parts(plan, call, progress)
    systems = call.systems() if call.columns else None
    if systems is None:
        return run(plan, call, progress, whole=whole)
    check_by(plan.by)
    return Results({name: run(plan, one, progress, whole=whole) for name, one in systems.items()})


def run_all(plan: Plan, call: Call, runs: Mapping[str, Any], progress: Progress = None) -> Results:
    """The result of each run by name; their truth is opened once."""
    check_by(plan.by)
    call = replace(call, predictions=next(iter(runs.values())))
    if call.systems() is not None:
        raise asking.columns_and_runs()
    read.check_sources(*runs.values(), call.truth)
    call = replace(call, truth=read.opened_truth(call.truth, list(runs.values())))
    calls = {name: replace(call, predictions=predictions) for name, predictions in runs.items()}
    # a call of several columns was refused above
    return Results({name: cast("Result", run_each(plan, one, progress)) for name, one in calls.items()})


def run(plan: Plan, call: Call, progress: Progress = None, *, whole: bool = False) -> Result:
    """The result of a plan on the tables of a call; with ``whole`` it keeps all that was read."""
    call, unread = call.needed([metric.need for metric in plan.metrics])
    with reporting(progress, steps=len(plan.asked) + 3) as tell, kernels.watched() as missed:
        plan, engine = opened(plan, call, tell)
        return measure(plan, engine, unread, missed, tell, whole=whole)


def opened(
    plan: Plan, call: Call, tell: Tell, *, groups: bool = False, only: Sequence[Need] | None = None
) -> tuple[Plan, Memory]:
    """The tables of a call, and the plan with what they settle; ``only`` are needs without intervals."""
    call.check()
    call = call if call.where is None else call.opened()
    tell(say("reading"))
    segments = None
    if call.by_table is not None:
        segments = Segments(read.segments(call.by_table, columns=call.columns, wanted=plan.by))
        plan = plan.sliced_by(segments.table.extra.columns)
    wanted = replace(plan.wanted, groups=True) if groups else plan.wanted
    if only is not None:
        wanted = replace(wanted, needs=tuple(only), intervals=False, unit=None)
    engine = Memory.read(call, wanted, tell, segments)
    if engine.rows is not None and engine.rows.hold_a_ranking:
        plan.check_cutoffs()
    return plan if engine.settled.items() <= plan.baseline else plan.settled(engine.settled), engine


def measure(
    plan: Plan,
    engine: Memory,
    unread: Sequence[Message],
    missed: Collection[Message],
    tell: Tell,
    *,
    whole: bool = False,
) -> Result:
    """The result of a plan on tables that were read, or on merged parts."""
    values = []
    for metric in plan.metrics:
        tell(say("measuring {label}", label=metric.label))
        try:
            values.append(measured(metric, engine, plan.certainty))
        except SteelyardError as error:
            raise (under_profile(metric.label, error) if metric.profile else error) from None
    tell(say("averaging"))
    doubts = certainty_notes(values, plan.certainty)
    notes = (*notes_of(values, engine), *doubts, *unread, *plan.notes, *sorted(missed))
    return Result.of(plan, values, engine, notes, whole=whole)
