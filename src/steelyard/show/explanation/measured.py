"""The explanation of something that an evaluation has measured."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
import polars as pl

from steelyard.engine.binned import Binned, Gone
from steelyard.engine.list_summary import ListSummary
from steelyard.engine.memory import Lists
from steelyard.measure.measured import Measured
from steelyard.messages import Message, say
from steelyard.messages.errors import showing
from steelyard.messages.errors.forms import check_language
from steelyard.printable import encoded
from steelyard.show.explanation.explained import explain_list, explain_rows
from steelyard.show.explanation.explanation import Explanation

_SEARCHED = 5_000  # of many queries, those that are compared with a slip of the pen


def explain_measured(one: Measured, lists: Lists | None, query: object, lang: str) -> Explanation:
    """How one value came about: that of a query, or of all rows."""
    check_language(lang)
    if one.metric.reads == "lists" and one.each is not None:
        if isinstance(one.state, ListSummary | Gone):
            raise showing.rows_not_kept(label=one.label)
        found = _found(one, query, None)
        at = np.flatnonzero((one.unit_names == found).to_numpy())
        return explain_rows(one.metric, one.state.only(at), of=str(found), lang=lang)
    if one.metric.reads != "hits":
        if query is not None:
            of_lists = one.metric.reads == "lists"
            raise (showing.query_of_all if of_lists else showing.query_of_rows)(label=one.label)
        return explain_row_measured(one, lang=lang)
    if lists is None:
        raise showing.rows_not_kept(label=one.label)
    found = _found(one, query, lists)
    lists.check(found)
    (shown,) = lists.shown(one.need, [found])
    return explain_list(
        one.metric, shown, again=lambda other: lists.shown(other.need(), [found])[0], lang=lang
    )


def explain_row_measured(one: Measured, *, of: str = "", lang: str = "en") -> Explanation:
    """How the value of all rows came about; ``of`` is the group they belong to."""
    if isinstance(one.state, Binned | ListSummary | Gone):
        raise showing.rows_not_kept(label=one.label)
    return explain_rows(one.metric, one.state, of=of, thresholded=one.thresholded, lang=lang)


def _found(one: Measured, query: object, lists: Lists | None) -> object:
    """The query that was meant; of a single one nothing need be said."""
    queries = one.unit_names
    if query is None:
        if len(queries) == 1:
            return queries[0]
        raise showing.query_needed(one.label, len(queries), _worth_a_try(one, lists))
    text = encoded(str(query)).decode()
    asked = pl.Series([text]).cast(queries.dtype, strict=False)
    if asked.cast(pl.String)[0] == str(query) and (queries == asked[0]).any():
        return asked[0]
    raise showing.unknown_query(query, near(queries, text), len(queries), queries.head(3).to_list())


def _worth_a_try(one: Measured, lists: Lists | None) -> list[tuple[Message, object]]:
    """The queries with the best, the median and the worst value, of those whose lists were kept."""
    some = lists is not None and lists.some
    there = one.unit_names.is_in(lists.encoded.queries.implode()).to_numpy() if lists and some else True
    defined = np.flatnonzero(~np.isnan(one.values) & there)
    order = defined[np.argsort(one.values[defined], kind="stable")]
    if not len(order):
        return []
    best, worst = (0, -1) if one.metric.direction == "lower" else (-1, 0)
    found: dict[object, Message] = {}
    for what, place in ((say("best"), best), (say("worst"), worst), (say("median"), len(order) // 2)):
        found.setdefault(one.unit_names[int(order[place])], what)
    return [(what, query) for query, what in found.items()]


def near(queries: pl.Series, query: str) -> list[str]:
    """Ids that the one asked for is most likely a slip of."""
    names = queries.cast(pl.String)
    likely = names.filter(names.str.starts_with(query[:2]) | names.str.contains(query, literal=True))
    known = pl.concat([likely.head(_SEARCHED), names.head(_SEARCHED)]).unique(maintain_order=True).to_list()
    return get_close_matches(query, known, n=3, cutoff=0.6)
