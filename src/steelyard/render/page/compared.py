"""Systems compared: what each difference comes to, its charts, and the queries that moved most."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from steelyard.engine.memory import ShownList
from steelyard.engine.ranked import Ranked
from steelyard.render import charts
from steelyard.render.charts import Chart, Pairs
from steelyard.render.compared import Compared, Row
from steelyard.render.differences import Attribution, tables_of
from steelyard.render.page.figures import Figure, figure_of
from steelyard.render.page.queries import Query, query_of
from steelyard.render.page.tables import (
    ID,
    MOST_ROWS,
    first_rows,
    metric_label,
    one_number,
)
from steelyard.render.system import PagePart, System
from steelyard.render.table import ShownTable
from steelyard.stats.measured import Measured, of_state
from steelyard.text import Message, say
from steelyard.text.errors import SteelyardError
from steelyard.text.errors.base import NothingToDrawError
from steelyard.text.labels import STANDING, in_table, signed
from steelyard.text.names import shown

MOST_VERDICTS = 12
MOST_LOST = 6  # slices that are named
MOST_PAIRS = 4  # with charts of their own
MOVED = 5  # queries, each way


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """What a difference comes to."""

    standing: str  # better, worse, apart, open or untested
    words: Message
    system: int | None = None


@dataclass(frozen=True, kw_only=True)
class MovedQuery:
    """A query with its values in the baseline and in the system, and both lists if they were kept."""

    name: str
    values: tuple[str, str]
    difference: str
    lists: tuple[Query, Query] | None


@dataclass(frozen=True, kw_only=True)
class Movement:
    """The queries of a pair of systems that moved most, up and down."""

    title: Message
    system: int
    names: tuple[str, str]  # the baseline, and the system
    places: tuple[int, int]
    up: tuple[MovedQuery, ...]
    down: tuple[MovedQuery, ...]


@dataclass(frozen=True, kw_only=True)
class Tested:
    """The comparison of the systems of one part."""

    name: Message | None  # of the part, where there are several
    tested: Message | None
    verdicts: tuple[Conclusion, ...]
    lost: tuple[Conclusion, ...]
    notes: tuple[Message, ...]
    table: ShownTable
    figures: tuple[Figure, ...]
    movements: tuple[Movement, ...]


def comparison(part: PagePart, name: Message | None, prefix: str) -> tuple[Tested | None, list[Message]]:
    """What the page shows of systems that were compared, and a sentence for each chart that is not there."""
    compared = part.compared
    if compared is None:
        return None, []
    compared = replace(compared, rows=one_number(compared.rows))
    places = {system.name: system.place for system in part.systems}
    drawn, failed = _figures(compared, part, prefix)
    every = [_verdict(compared, row, places) for row in compared.records(compared.whole)]
    notes = list(compared.notes)
    if len(every) > MOST_VERDICTS:
        notes.append(say("The table has the other {n:,}.", n=len(every) - MOST_VERDICTS))
    tested = Tested(
        name=name,
        tested=compared.tested,
        verdicts=tuple(every[:MOST_VERDICTS]),
        lost=tuple(_verdict(compared, row, places) for row in _lost(compared)[:MOST_LOST]),
        notes=tuple(notes),
        table=_table(compared, places),
        figures=tuple(drawn),
        movements=tuple(_movements(compared.each, part)),
    )
    return tested, failed


def _verdict(compared: Compared, row: Row, places: dict[str, int]) -> Conclusion:
    words = compared.verdict(row)
    return Conclusion(standing=row[STANDING], words=words, system=places.get(row["system"]))


def _lost(compared: Compared) -> Sequence[Row]:
    """The slices where a system is worse that is not worse on the whole."""
    pair = ["metric", "system", "baseline"]
    worse = pl.col(STANDING) == "worse"
    lost = compared.sliced.filter(worse).join(
        compared.whole.filter(worse), on=pair, how="anti", maintain_order="left"
    )
    return compared.records(lost)


def _table(compared: Compared, places: dict[str, int]) -> ShownTable:
    rows = compared.whole
    words = ["metric", "system", *(["baseline"] if rows["baseline"].n_unique() > 1 else [])]
    figures = ["value", "difference", "signed_interval", "p_corrected", "counts", "n", "detectable"]
    notes = [say("Min. detectable: the smallest difference that this many units detect with 80 % power.")]
    if rows.height > MOST_ROWS:
        notes.append(first_rows(MOST_ROWS, rows.height))
    shown_rows = rows.head(MOST_ROWS)
    return replace(
        compared.table(shown_rows, words, figures),
        # named, since a page may hold several
        caption=say("Differences of {systems:and}", systems=[shown(name) for name in places]),
        notes=tuple(notes),
        places=tuple(places.get(row["system"]) for row in compared.records(shown_rows)),
    )


def _figures(compared: Compared, part: PagePart, prefix: str) -> tuple[list[Figure], list[Message]]:
    drawn: list[Figure] = []
    failed: list[Message] = []
    by_name = {system.name: system for system in part.systems}
    tested = [by_name[name] for name in dict.fromkeys(name for name, _ in compared.pairs) if name in by_name]
    for draw, systems in _wanted(compared, tested):
        try:
            chart = draw()
        except NothingToDrawError:
            continue
        except SteelyardError as error:
            failed.append(say("A chart of the comparison is not drawn: {why}", why=error.sentence))
            continue
        drawn.append(figure_of(chart, systems, f"{prefix}-{len(drawn)}"))
    if len(compared.pairs) > MOST_PAIRS:
        failed.append(
            say(
                "The first {shown} of {n} pairs of systems have charts of their queries and slices.",
                n=len(compared.pairs),
                shown=MOST_PAIRS,
            )
        )
    return drawn, failed


def _wanted(
    compared: Compared, tested: Sequence[System]
) -> Iterable[tuple[Callable[[], Chart], Sequence[System]]]:
    own = tested if compared.only_baseline is not None else ()  # pairs have no colour of their own
    yield partial(charts.forest, compared), own
    first = next(iter(compared.metrics))
    if compared.by:
        yield partial(charts.forest, compared, first), own
    pairs = compared.pairs[:MOST_PAIRS]
    for system, baseline in pairs if compared.by else ():
        yield partial(charts.slice_differences, compared.of(system, baseline)), ()
    for of_queries in compared.each:
        if of_queries.names in pairs:
            for draw in (charts.difference, charts.scatter):
                yield partial(draw, of_queries), ()


def _movements(each: Sequence[Pairs], part: PagePart) -> Iterable[Movement]:
    by_name = {system.name: system for system in part.systems}
    for one in each[:MOST_PAIRS]:
        system, baseline = map(by_name.get, one.names)
        if system is None or baseline is None or system.lists is None or baseline.lists is None:
            continue
        mine, its = (
            next((each for each in of_state(side.measured, Ranked) if each.label == one.mine.metric), None)
            for side in (system, baseline)
        )
        if mine is None or its is None:
            continue
        sign = -1 if one.mine.direction == "lower" else 1
        moved = one.frame.filter(pl.col("difference") != 0).sort(
            sign * pl.col("difference"), descending=True, maintain_order=True
        )
        better = sign * moved["difference"] > 0
        ends = moved.filter(better).head(MOVED), moved.filter(~better).tail(MOVED).reverse()
        up, down = (_queries(end, (baseline, its), (system, mine)) for end in ends)
        if up or down:
            yield Movement(
                title=say(
                    "{system} against {baseline}, by {metric}",
                    system=system.name,
                    baseline=baseline.name,
                    metric=metric_label(one.mine.metric),
                ),
                system=system.place,
                names=(shown(baseline.name), shown(system.name)),
                places=(baseline.place, system.place),
                up=up,
                down=down,
            )


def _queries(
    moved: pl.DataFrame, baseline: tuple[System, Measured], system: tuple[System, Measured]
) -> tuple[MovedQuery, ...]:
    names = moved["query"].to_list()
    before, after = (_lists(side, one, names) for side, one in (baseline, system))
    return tuple(
        MovedQuery(
            name=shown(row["query"], ID),
            values=(in_table(row["other"]), in_table(row["value"])),
            difference=signed(row["difference"]),
            lists=None
            if before is None or after is None
            else _both(row, (baseline[1], before[at]), (system[1], after[at])),
        )
        for at, row in enumerate(moved.to_dicts())
    )


def _lists(system: System, measured: Measured, names: Sequence[object]) -> list[ShownList] | None:
    assert system.lists is not None
    try:
        for name in names:
            system.lists.check(name)
    except SteelyardError:
        return None
    return system.lists.shown(measured.need, names) if names else []


def _both(
    row: Row, before: tuple[Measured, ShownList], after: tuple[Measured, ShownList]
) -> tuple[Query, Query]:
    name = shown(row["query"], ID)
    its, mine = (
        query_of(before[0], name, row["other"], before[1]),
        query_of(after[0], name, row["value"], after[1]),
    )
    return its, _with_moves(mine, before[1], after[1])


def _with_moves(query: Query, before: ShownList, after: ShownList) -> Query:
    if before.items is None or after.items is None:
        return query
    place = {item: at for at, item in enumerate(before.items)}
    moves = []
    for at, item in enumerate(after.items[: len(query.items)]):
        was = place.get(item)
        up = 0 if was is None else was - at
        moves.append(say("new") if was is None else f"↑ {up}" if up > 0 else f"↓ {-up}" if up < 0 else "=")
    return replace(
        query,
        items=tuple(replace(item, move=move) for item, move in zip(query.items, moves, strict=True)),
    )


@dataclass(frozen=True, kw_only=True)
class Explained:
    """The gap between two numbers, convention by convention."""

    head: Message
    notes: tuple[Message, ...]
    tables: tuple[ShownTable, ...]
    figures: tuple[Figure, ...]


def explained(attribution: Attribution, prefix: str) -> Explained:
    """All that the page shows of it; ``prefix`` keeps the ids of its chart apart."""
    try:
        drawn = replace(charts.waterfall(attribution), facts=())  # the sentence above says them
        figures: tuple[Figure, ...] = (figure_of(drawn, (), prefix),)
    except NothingToDrawError:
        figures = ()
    tables = tables_of(attribution, ID)
    if attribution.carried:
        tables[0] = replace(tables[0], caption=say("What each convention carries"))
    return Explained(
        head=attribution.head,
        notes=(*attribution.quiet, *attribution.notes),
        tables=tuple(tables),
        figures=figures,
    )
