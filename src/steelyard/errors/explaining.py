"""What a user is told when there is nothing to explain, or too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.errors.base import MetricError, Refusal, quoted
from steelyard.errors.forms import with_guess
from steelyard.messages import Message, say

not_of_rows = Refusal(
    MetricError,
    "{label} is a metric of ranked lists, not of labelled rows",
    remedy="give the grades in ranked order: --grades 3,2,3,0,1",
)
both_given = Refusal(MetricError, "{one} and {other} are both given", remedy="explain one of them")
needs_other = Refusal(MetricError, "{given} without {missing}", remedy="give {missing} as well")
one_list_only = Refusal(
    MetricError,
    "grades must be the numbers of one list, in ranked order",
    remedy="write for example 3,2,3,0,1",
)
query_of_rows = Refusal(
    MetricError,
    "{label} was measured on all rows at once, and the rows of one query are not kept",
    remedy='measure them alone: sy.explain("{label}", data, query=…), or steelyard explain … --query',
)
no_group_column = Refusal(
    MetricError,
    "plain arrays do not say which query a row belongs to",
    remedy="give groups as well, or a table with a query column",
)


def nothing_to_explain(label: str, *, ranking: bool) -> MetricError:
    return MetricError(
        "there is nothing to explain {label} on",
        remedy="give a small example ({option}; in Python {keyword}), or predictions and truth",
        label=label,
        option="--grades 3,2,3,0,1" if ranking else "--labels 1,0,1 --scores 0.9,0.4,0.3",
        keyword="grades=[3, 2, 3, 0, 1]" if ranking else "labels=[1, 0, 1], scores=[0.9, 0.4, 0.3]",
    )


def not_of_grades(label: str, of_lists: str | None = None) -> MetricError:
    said = say("{label} is a metric of rows, not of graded lists", label=label)
    if of_lists:
        return MetricError(
            said, remedy=say("did you mean {of_lists}, of the first so many of a list?", of_lists=of_lists)
        )
    return MetricError(said, remedy=say("give labels and scores: --labels 1,0,1 --scores 0.9,0.4,0.3"))


def lengths_differ(lengths: Mapping[str, int]) -> MetricError:
    said = say(
        "the columns differ in length: {lengths}",
        lengths=[f"{name} {count:,}" for name, count in lengths.items()],
    )
    return MetricError(said, remedy="give one value for each row")


def query_needed(label: str, n_queries: int, tries: Sequence[tuple[Message, object]]) -> MetricError:
    said = say("{label} has a value for each of {n:,} queries: say which one", label=label, n=n_queries)
    shown = [say("{query} ({what})", query=query, what=what) for what, query in tries]
    some = say("pass --query ID, in Python query=ID; for example {shown}", shown=shown)
    return MetricError(said, remedy=some if tries else say("none has a value here"))


def unknown_query(query: object, near: Sequence[str], n_queries: int, first: Sequence[object]) -> MetricError:
    said = say("query '{query}' was not evaluated", query=str(query))
    shown = quoted(first)
    return MetricError(
        with_guess(said, *near),
        remedy=say("{n:,} queries were, first {shown}", n=n_queries, shown=shown)
        if n_queries > len(first)
        else say("evaluated: {shown}", shown=shown),
    )
