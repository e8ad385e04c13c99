"""What a user is told when predictions and truth do not fit together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.errors.base import AlignError, ColumnError, ValueInDataError, quoted


def _some(values: Iterable[object], count: int) -> str:
    shown = ", ".join(str(value) for value in values)
    return f"{shown}, …" if count > 3 else shown


def no_common_query(
    predictions: str, truth: str, left: Iterable[object], right: Iterable[object]
) -> AlignError:
    return AlignError(
        f"no query of {predictions} is in {truth}: {quoted(left)} … against {quoted(right)} …",
        remedy="check that both name queries the same way, and which column is the query (query=NAME)",
    )


def doubled_rows(
    name: str,
    count: int,
    query: object,
    item: object,
    first: str,
    again: str,
    told: tuple[str, Sequence[object]] | None = None,
) -> AlignError:
    """``told`` is the column that tells the rows apart, if there is one, and some of its values."""
    return AlignError(
        f"{count:,} {'row' if count == 1 else 'rows'} of {name} {'names' if count == 1 else 'name'} "
        "a (query, item) again, "
        f"first {query} · {item} ({first} and {again}){told_apart(told)}",
        remedy=one_system(told)
        or "pass duplicates=best (--duplicates best) to keep the better one, or first to keep the first; "
        "where the table holds several systems, evaluate one at a time",
    )


def told_apart(told: tuple[str, Sequence[object]] | None) -> str:
    """Which column tells doubled rows apart."""
    return f"; column '{told[0]}' tells them apart: {quoted(told[1])}" if told else ""


def one_system(told: tuple[str, Sequence[object]] | None) -> str:
    """How to take the rows of one system alone."""
    if not told:
        return ""
    column, values = told
    return (
        f"these look like several systems in one table: evaluate one at a time, "
        f'frame.filter(pl.col("{column}") == {values[0]!r}) in Polars, or a file for each'
    )


def missing_queries(count: int, name: str, first: Iterable[object]) -> AlignError:
    return AlignError(
        f"{count:,} truth {'query has' if count == 1 else 'queries have'} no predictions in {name}: "
        f"{_some(first, count)}",
        remedy="pass missing=keep to count them as empty lists, or skip to leave them out",
    )


def unexpected_queries(count: int, name: str, first: Iterable[object]) -> AlignError:
    return AlignError(
        f"{count:,} predicted {'query is' if count == 1 else 'queries are'} not in {name}: "
        f"{_some(first, count)}",
        remedy="pass unexpected=ignore to leave them out, or keep to count them as having nothing relevant",
    )


def tied_rows(count: int, query: object, item: object) -> AlignError:
    return AlignError(
        f"{count:,} {'item' if count == 1 else 'items'} of a grade other than 0 "
        f"{'is' if count == 1 else 'are'} tied with another row, "
        f"first {query} · {item}",
        remedy="choose an order: ties=item_desc, item_asc, given, expected, optimistic or pessimistic",
    )


def ties_need_items(name: str, ties: str) -> AlignError:
    return AlignError(
        f"{name} has no item column, so ties={ties} has nothing to order by",
        remedy="pass ties=expected, given, optimistic or pessimistic",
    )


def order_needs_column(name: str, order: str) -> ColumnError:
    return ColumnError(
        f"{name} has no {order} column, which order={order} needs",
        remedy="pass order=given to take the rows as they stand, or name the column",
    )


def column_not_found(
    column: str, purpose: str, tables: Iterable[str], available: Iterable[str]
) -> ColumnError:
    return ColumnError(
        f"no column '{column}' in {' or '.join(tables)} to {purpose} by",
        remedy=f"the columns are: {', '.join(available)}",
    )


def column_in_both(column: str, purpose: str, predictions: str, truth: str) -> ColumnError:
    return ColumnError(
        f"both {predictions} and {truth} have a column '{column}' to {purpose} by",
        remedy="drop or rename one of them",
    )


def column_varies(column: str, name: str, query: object, values: Iterable[object]) -> ColumnError:
    return ColumnError(
        f"column '{column}' of {name} varies within query {query}: {quoted(values)}",
        remedy="a slice or a weight of a ranking must be constant within a query",
    )


def weight_missing(count: int, name: str, query: object) -> ValueInDataError:
    return ValueInDataError(
        f"{count:,} {'query has' if count == 1 else 'queries have'} no weight in {name}, first {query}",
        remedy="give every evaluated query a weight, 0 to leave it out",
    )


def weight_negative(place: str, value: object) -> ValueInDataError:
    return ValueInDataError(f"{place}: weight is {value}", remedy="a weight is 0 or more")


def weight_not_number(name: str, column: str, value: object) -> ValueInDataError:
    return ValueInDataError(
        f"column '{column}' of {name} holds {value!r}, not a weight",
        remedy="name a column of numbers, or give a table",
    )


def weight_doubled(name: str, query: object) -> ValueInDataError:
    return ValueInDataError(f"{name} gives query {query} two weights", remedy="give each query one weight")


def weights_all_zero(name: str) -> ValueInDataError:
    return ValueInDataError(f"all weights in {name} are 0", remedy="give at least one query a weight above 0")


def column_nested(column: str, name: str, kind: str) -> ColumnError:
    return ColumnError(
        f"column '{column}' of {name} holds {kind}, which has no slices",
        remedy="slice by a column of plain values",
    )


def lists_differ(ranked: int, judged: int) -> AlignError:
    return AlignError(
        f"{ranked:,} ranked lists but {judged:,} lists of judged grades",
        remedy="give one for each ranked list",
    )


def grade_not_finite() -> ValueInDataError:
    return ValueInDataError("a grade is NaN or infinite", remedy="give 0 for an item without judgement")


def grades_not_lists(shape: Sequence[int]) -> ValueInDataError:
    return ValueInDataError(
        f"a list of grades has the shape {' × '.join(map(str, shape))}",
        remedy="give one list of numbers in ranked order, or several such lists",
    )


def shown_not_judged(grade: float) -> AlignError:
    return AlignError(
        f"grade {grade:g} is shown more often than it is judged",
        remedy="`judged` holds the grades of all judged items, those shown among them",
    )
