"""Errors for the case that predictions and truth do not fit together."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.text import say
from steelyard.text.errors.base import AlignError, ColumnError, ValueInDataError, quoted
from steelyard.text.errors.places import word

Told = tuple[str, Sequence[object]] | None  # the column that tells doubled rows apart, and some of its values
PURPOSES = {"slice": say("slice // a verb"), "weigh": say("weigh"), "draw": say("draw units")}

no_unit = ColumnError.of("""column '{column}' holds {type}, which names no unit
    name a column of text, whole numbers or dates (unit=NAME)""")
unclear_roles = AlignError.of("""{asked}: two arrays could each be the truth
    pass predictions=… and truth=…""")
truth_first = AlignError.of("""{asked}: predictions come first, but the first array holds labels and the \
    second scores
    swap them, or pass predictions=… and truth=…""")
missing_queries = AlignError.of("""{n:,} truth {n:query has|queries have} no predictions in {name}: {first}
    pass missing=keep to count them as empty lists, or skip to leave them out""")
unexpected_queries = AlignError.of("""{n:,} predicted {n:query is|queries are} not in {name}: {first}
    pass unexpected=ignore to leave them out, or keep to count them as having nothing relevant""")
tied_rows = AlignError.of("""{n:,} {n:item|items} of a grade other than 0 {n:is|are} tied with another row, \
    first {query} · {item}
    choose an order: ties=item_desc, item_asc, given, expected, optimistic or pessimistic""")
ties_need_items = AlignError.of("""{name} has no item column, so ties={ties} has nothing to order by
    pass ties=expected, given, optimistic or pessimistic""")
order_needs_column = ColumnError.of("""{name} has no {order} column, which order={order} needs
    pass order=given to take the rows as they stand, or name the column""")
column_in_both = ColumnError.of("""both {tables:and} have a column '{column}' to {purpose} by
    drop or rename one of them""")
column_nested = ColumnError.of("""{column} holds {type}, which has no slices
    slice by a column of plain values""")
too_many_slices = ColumnError.of("""column '{column}' has {n:,} values in {units}: \
    nearly each of them would be a slice of its own
    slice by a column with fewer values, or put its values into ranges first; values of single queries are
    in result.per_query()""")
column_varies = ColumnError.of("""{column} varies within query {query}: {values}
    a slice, a weight or a unit of a ranking must be constant within a query""")
tied_lists = AlignError.of("""{n:,} rows share their score with another row of their query, \
    and which of them a list shows is open
    choose an order: ties=item_desc, item_asc, given, optimistic or pessimistic""")
lists_need_items = ColumnError.of("""{name} has no item column, and lists are made of items
    say which column holds the items: --columns item=NAME, in Python columns=dict(item=NAME)""")
segments_unknown = ValueInDataError.of("""no query of {predictions} is in {name}: \
    queries such as '{query}' against '{other}'
    check that both name queries the same way""")
segment_doubled = ValueInDataError.of("""{name} has query {query} in two rows
    give each query one row""")
weight_missing = ValueInDataError.of("""{n:,} {n:query has|queries have} no weight in {name}, first {query}
    give every evaluated query a weight, 0 to leave it out""")
grade_not_whole = ValueInDataError.of("""{name} has a grade of {grade}, which is no whole number
    write grades=as_given to let it count, or make whole numbers of the grades""")
nothing_relevant = ValueInDataError.of("""{name} has no grade of 1 or more, \
    and grades=relevant leaves all others out
    write grades=as_given and rel=… for the grade from which an item is relevant""")
grade_negative = ValueInDataError.of("""{name} has a grade of {grade}, which is below 0
    write grades=as_given to let it gain nothing, or make numbers of 0 or more of the grades""")
grade_not_natural = ValueInDataError.of("""{name} has a grade of {grade}, \
    which is no whole number of 0 or more
    write grades=as_given to let it count, or make such numbers of the grades""")
grade_not_binary = ValueInDataError.of("""{name} has a grade of {grade}, which is neither 0 nor 1
    write grades=as_given to let it count, or make 0 and 1 of the grades""")
score_not_positive = ValueInDataError.of("""a score is {score}, and scores=positive wants them above 0
    write scores=as_given, or add a number to all scores, which leaves their order as it is""")
weight_negative = ValueInDataError.of("""{place}: weight is {value}
    a weight is 0, or a number from 1e-60 to 1e60: only the proportions of weights count""")
weight_not_number = ValueInDataError.of("""{column} holds {value}, not a weight
    name a column of numbers, or give a table""")
weight_doubled = ValueInDataError.of("""{name} gives query {query} two weights
    give each query one weight""")
grade_not_finite = ValueInDataError.of("""a grade is NaN or infinite
    give 0 for an item without judgement""")
grades_not_lists = ValueInDataError.of("""a list of grades has the shape {shape}
    give one list of numbers in ranked order, or several such lists""")
shown_not_judged = AlignError.of("""grade {grade:g} is shown more often than it is judged
    `judged` holds the grades of all judged items, those shown among them""")
weights_all_zero = ValueInDataError.of("""all weights in {where} are 0
    give at least one query a weight above 0""")
row_weights_all_zero = ValueInDataError.of("""all weights in {where} are 0
    give at least one row a weight above 0""")
doubled_rows = AlignError.of("""{n:,} {n:row|rows} of {name} {n:names|name} a (query, item) again, \
    first {query} · {item} ({first} and {again})
    pass duplicates=best (--duplicates best) to keep the better one, or first to keep the first;
    where the table holds several systems, evaluate one at a time""")
doubled_keys = AlignError.of("""{n:,} rows of {name} share their key with another, \
    first {id} ({first} and {again})
    rows of two tables are matched one to one: keep one of them, or give one table with labels and scores""")
nothing_in_common = AlignError.of("""no query of {predictions} is in {truth}: {left} … against {right} …
    check that both name queries the same way, and which column is the query (query=NAME)""").given(
    left=quoted, right=quoted
)
no_rows_in_common = AlignError.of("""no row of {predictions} is in {truth}, matched by {roles:and}: \
    {left} … against {right} …
    check that both name them the same way, and which columns they are (--columns ROLE=NAME)""").given(
    left=quoted, right=quoted, roles=lambda keys: [word(key) for key in keys]
)


def column_not_found(
    column: str, tables: Sequence[str], purpose: str, available: Sequence[str], *, like_path: bool
) -> ColumnError:
    """``like_path``: the column is named as a file is."""
    remedy = say("the columns are: {available}", available=available)
    if like_path and purpose == "slice":
        remedy = say(
            "{known}; to slice by a table of its own: by=Path('{column}'), --by-table {column}",
            known=remedy,
            column=column,
        )
    return ColumnError.of("no column '{column}' in {tables:or} to {purpose} by")(
        remedy=remedy, column=column, tables=tables, purpose=PURPOSES[purpose]
    )


def told_apart(error: AlignError, told: Told) -> AlignError:
    """The error of duplicate rows; it names a column that tells them apart, with some of its values."""
    if told is None:
        return error
    column, values = told
    return AlignError.of("""{said}; column '{column}' tells them apart: {values}
        these look like several systems in one table: evaluate one at a time,
        frame.filter(pl.col("{column}") == {value}) in Polars, or a file for each""")(
        said=error.said, column=column, values=quoted(values), value=repr(values[0])
    )
