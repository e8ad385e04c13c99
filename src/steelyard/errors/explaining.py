"""What a user is told when there is nothing to explain, or too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.errors.base import MetricError, quoted


def nothing_to_explain(label: str, *, ranking: bool) -> MetricError:
    example = "--grades 3,2,3,0,1" if ranking else "--labels 1,0,1 --scores 0.9,0.4,0.3"
    keyword = "grades=[3, 2, 3, 0, 1]" if ranking else "labels=[1, 0, 1], scores=[0.9, 0.4, 0.3]"
    return MetricError(
        f"there is nothing to explain {label} on",
        remedy=f"give a small example ({example}; in Python {keyword}), or predictions and truth",
    )


def not_of_grades(label: str, of_lists: str | None = None) -> MetricError:
    return MetricError(
        f"{label} is a metric of rows, not of graded lists",
        remedy=f"did you mean {of_lists}, of the first so many of a list?"
        if of_lists
        else "give labels and scores: --labels 1,0,1 --scores 0.9,0.4,0.3",
    )


def not_of_rows(label: str) -> MetricError:
    return MetricError(
        f"{label} is a metric of ranked lists, not of labelled rows",
        remedy="give the grades in ranked order: --grades 3,2,3,0,1",
    )


def both_given(one: str, other: str) -> MetricError:
    return MetricError(f"{one} and {other} are both given", remedy="explain one of them")


def needs_other(given: str, missing: str) -> MetricError:
    return MetricError(f"{given} without {missing}", remedy=f"give {missing} as well")


def lengths_differ(lengths: Mapping[str, int]) -> MetricError:
    shown = ", ".join(f"{name} {count:,}" for name, count in lengths.items())
    return MetricError(f"the columns differ in length: {shown}", remedy="give one value for each row")


def one_list_only() -> MetricError:
    return MetricError(
        "grades must be the numbers of one list, in ranked order", remedy="write for example 3,2,3,0,1"
    )


def query_needed(label: str, n_queries: int, tries: Sequence[tuple[str, object]]) -> MetricError:
    shown = ", ".join(f"{query} ({what})" for what, query in tries)
    remedy = f"pass --query ID, in Python query=ID; for example {shown}" if shown else "none has a value here"
    return MetricError(f"{label} has a value for each of {n_queries:,} queries: say which one", remedy=remedy)


def unknown_query(
    query: object, near: Sequence[object], n_queries: int, first: Sequence[object]
) -> MetricError:
    hint = f"; did you mean {_or(near)}?" if near else ""
    return MetricError(
        f"query '{query}' was not evaluated{hint}",
        remedy=f"{n_queries:,} queries were, first {quoted(first)}"
        if n_queries > len(first)
        else f"evaluated: {quoted(first)}",
    )


def not_numbers(option: str, text: str) -> MetricError:
    return MetricError(
        f"{option} takes numbers separated by commas; got '{text}'",
        remedy=f"write for example {option} 3,2,3,0,1",
    )


def query_of_rows(label: str) -> MetricError:
    return MetricError(
        f"{label} was measured on all rows at once, and the rows of one query are not kept",
        remedy=f'measure them alone: sy.explain("{label}", data, query=…), or steelyard explain … --query',
    )


def no_group_column() -> MetricError:
    return MetricError(
        "plain arrays do not say which query a row belongs to",
        remedy="give groups as well, or a table with a query column",
    )


def unknown_language(lang: object, known: Sequence[str]) -> MetricError:
    return MetricError(f"unknown language {lang!r}", remedy=f"known: {', '.join(known)}")


def _or(names: Sequence[object]) -> str:
    return " or ".join(f"'{name}'" for name in names)
