"""Errors for the case that a curve or a chart cannot be drawn, or nothing or too much explained."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.text import Message, listed, say
from steelyard.text.errors.base import MetricError, OutputError, SteelyardError, ValueInDataError, quoted
from steelyard.text.errors.forms import unknown, with_guess

_MOST_TOLD = 12


class NothingToDrawError(MetricError):
    """A chart that the data leaves nothing to draw in."""


def _result(system: str) -> Message:
    return say("this result of '{system}'", system=system) if system else say("this result")


needs_rows = MetricError.of("""the curve '{name}' needs rows with a label and a score; got a ranking
    give labels and scores, or ask for precision_recall_at or a metric at k""")
needs_ranking = MetricError.of("""the curve '{name}' needs a ranking; got rows with a label and a score
    give ranked lists, or ask for roc, precision_recall, calibration or gain""")
rows_not_measured = MetricError.of("""this result has no labelled rows with scores, \
    which the curve {name} is read from
    ask for a metric of labels and scores, such as auc""")
ranking_not_measured = MetricError.of("""this result has no ranking, which the curve {name} is read from
    ask for a metric of rankings, such as ndcg@10""")
several_classes = MetricError.of("""the curve '{name}' is of labels of 0 and 1 with a score, \
    and there are classes here
    give the score of one class against the rest, with labels of 0 and 1""")
no_slices = MetricError.of("""there are no slices of rows to draw {name} for
    name a column to slice by: by=[...]""")
point_not_finite = ValueInDataError.of("""column '{column}', row {row:,} is not a finite number
    leave such rows out: a curve through them has no area""")
no_systems = MetricError.of("""the chart '{name}' was given no result
    give one at least, under its name""")
needs_several = NothingToDrawError.of("""the chart '{name}' shows several results side by side
    give the others: result.chart('{name}', other=...)""")
needs_two = MetricError.of("""the chart '{name}' shows two results; got {n}
    give the other one: result.chart('{name}', other=...)""")
ids_differ = MetricError.of("""the queries of the two results differ in type: {one} and {other}
    read both with ids of one type""")
slices_differ = MetricError.of("""the results are sliced by {one}, but '{system}' by {other}
    slice all of them by the same columns""")
extra_missing = OutputError.of("""charts are drawn by altair and vl-convert-python, which are not installed
    run `pip install '.[report]'` in the folder of the clone""")
not_of_rows = MetricError.of("""{label} is a metric of ranked lists, not of labelled rows
    give the grades in ranked order: --grades 3,2,3,0,1""")
not_of_an_example = MetricError.of("""{label} is explained on lists of items, \
    not on an example of grades or labels
    give predictions, and what it needs besides (--catalog, --features, --history …)""")
both_given = MetricError.of("""{one} and {other} are both given
    explain one of them""")
needs_other = MetricError.of("""{given} without {missing}
    give {missing} as well""")
one_list_only = MetricError.of("""grades must be the numbers of one list, in ranked order
    write for example 3,2,3,0,1""")
query_of_all = MetricError.of("""{label} is of all lists together, and a query has no value of its own
    leave out the query""")
query_of_rows = MetricError.of("""{label} was measured on all rows at once, \
    and the rows of one query are not kept
    measure them alone: sy.explain("{label}", data, query=…), or steelyard explain … --query""")
list_not_kept = MetricError.of("""the list of query '{query}' was not kept: \
    of very many rows a result keeps the lists of the best and worst queries alone
    read it again: sy.explain(metric, predictions, truth, query=…), or steelyard explain … --query""")
curve_not_kept = MetricError.of("""the curve {name} cannot be drawn from this result: \
    it no longer holds what it would be read from
    evaluate again, and draw it before slim() lets the states go""")
rows_not_kept = MetricError.of("""{label} cannot be explained from this result: \
    it no longer holds what the value was read from
    read it again: sy.explain(metric, predictions, truth), or steelyard explain""")
no_group_column = MetricError.of("""plain arrays do not say which query a row belongs to
    give groups as well, or a table with a query column""")
nothing_wide = OutputError.of("""no metric here is one number, so there is no column for a wide table
    leave wide away: the tidy table has a row for each class""")
column_of_two = OutputError.of("""a wide table would have two columns named '{name}'
    rename the column that it is sliced by""")
least_of_wide = OutputError.of("""a least size is one of the wide table
    ask for it too: wide=True, --wide""")
not_supported = MetricError.of("the chart '{name}' needs {needs}, which {result} does not have").given(
    result=_result
)
chart_not_kept = MetricError.of("""the chart '{name}' cannot be drawn from {result}: \
    slim() let go of what it is drawn from
    evaluate again, and draw it before slim() lets the states go""").given(result=_result)
nothing_to_draw = NothingToDrawError.of("""there is nothing to draw in the chart '{name}': {why}
    leave it out""")


def unknown_curve(name: object, known: Sequence[str]) -> SteelyardError:
    remedy = say("known: {names}, and metric@k", names=list(known))
    return unknown(say("unknown curve '{name}'", name=str(name)), name, known, remedy=remedy)


def unknown_option(of: Message, option: str, known: Sequence[str]) -> SteelyardError:
    has = say("it has: {names}", names=list(known)) if known else say("it has none")
    return unknown(say("{of} has no option '{option}'", of=of, option=option), option, known, remedy=has)


def several_curves(name: str, each: Sequence[tuple[str, ...]]) -> MetricError:
    return MetricError.of("""'{name}' holds {n:,} curves, one per segment
        choose one: curve.of({names})""")(name=name, n=len(each), names=_arguments(each[0]))


def unknown_segment(name: str, asked: tuple[object, ...], known: Sequence[tuple[str, ...]]) -> MetricError:
    if not known:
        return MetricError.of("""'{name}' has no segments to choose from
            ask for slices: result.curve(..., sliced=True)""")(name=name)
    return MetricError.of("""'{name}' has no curve of {asked}
        it has: {names}""")(
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


def not_drawn(name: str, why: str) -> OutputError:
    reason = [line.strip() for line in why.splitlines() if line.strip()]
    return OutputError.of("""vl-convert could not draw the chart '{name}': {why}
        please report it, with the names that the chart shows""")(name=name, why=" ".join(reason[:2]))


def nothing_to_explain(label: str, *, ranking: bool) -> MetricError:
    return MetricError.of("""there is nothing to explain {label} on
        give a small example ({option}; in Python {keyword}), or predictions and truth""")(
        label=label,
        option="--grades 3,2,3,0,1" if ranking else "--labels 1,0,1 --scores 0.9,0.4,0.3",
        keyword="grades=[3, 2, 3, 0, 1]" if ranking else "labels=[1, 0, 1], scores=[0.9, 0.4, 0.3]",
    )


def not_of_grades(label: str, of_lists: str | None = None) -> MetricError:
    remedy = say("give labels and scores: --labels 1,0,1 --scores 0.9,0.4,0.3")
    if of_lists:
        remedy = say("did you mean {of_lists}, of the first so many of a list?", of_lists=of_lists)
    return MetricError.of("{label} is a metric of rows, not of graded lists")(label=label, remedy=remedy)


def query_needed(label: str, n_queries: int, tries: Sequence[tuple[Message, object]]) -> MetricError:
    shown = [say("{query} ({what})", query=query, what=what) for what, query in tries]
    some = say("pass --query ID, in Python query=ID; for example {shown}", shown=shown)
    return MetricError.of("{label} has a value for each of {n:,} queries: say which one")(
        label=label, n=n_queries, remedy=some if tries else say("none has a value here")
    )


def unknown_query(query: object, near: Sequence[str], n_queries: int, first: Sequence[object]) -> MetricError:
    remedy = say("evaluated: {shown}", shown=quoted(first))
    if n_queries > len(first):
        remedy = say("{n:,} queries were, first {shown}", n=n_queries, shown=quoted(first))
    return MetricError(
        with_guess(say("query '{query}' was not evaluated", query=str(query)), *near), remedy=remedy
    )
