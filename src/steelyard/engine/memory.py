"""The engine of one machine: it reads the tables of a call once, and gives each need its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import polars as pl

from steelyard.conventions import Ties
from steelyard.engine.call import Call, Names
from steelyard.engine.need import Need, Reads, Wanted
from steelyard.engine.order import Counted
from steelyard.engine.ranked import Ranked
from steelyard.engine.rankings import Ranking, Rankings
from steelyard.engine.rows import Rows
from steelyard.engine.slices import Segments
from steelyard.engine.tally import Tally
from steelyard.progress import Tell


class Engine(Protocol):
    """What turns the tables of a call into states: all that anything above it knows of them."""

    settled: dict[str, Any]  # the conventions that the data leaves no choice about
    max_grade: float  # the highest grade of the whole truth, 0 where nothing is graded
    names: Names

    def state(self, need: Need) -> Any:
        """What a metric reads, all in one segment."""

    def split(self, need: Need, state: Any) -> tuple[pl.DataFrame | None, Any]:
        """The names of the slices, and the same state with each slice a segment; None without slices."""

    def thresholded(self, need: Need) -> bool:
        """Whether a threshold decides which class was predicted."""

    def counted(self, need: Need) -> Counted:
        """The hits with their counts, ties open."""

    def ordered(self, need: Need, ties: Ties) -> Ranked:
        """The hits with ties in some order, whatever was asked for."""

    @property
    def tally(self) -> Tally:
        """What was read and what became of it, under the first convention."""

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Every convention that lists were ranked under, with its tally."""

    def slice_coverage(self) -> dict[str, pl.DataFrame]:
        """How much of the truth each slice covers, by what is counted."""

    def inputs(self) -> dict[str, pl.DataFrame]:
        """What must be the same where predictions are compared, by what it is."""


class Memory:
    """Tables that fit in memory: those that lists are read from, those of rows, or both."""

    def __init__(self, call: Call, wanted: Wanted, tell: Tell, segments: Segments | None = None) -> None:
        lists, rows = (
            tuple(need for need in wanted.needs if (need.reads in _OF_LISTS) is of_lists)
            for of_lists in (True, False)
        )
        if lists and rows:
            call = call.opened()
        self.lists = Rankings.read(call, replace(wanted, needs=lists), tell, segments) if lists else None
        self.rows = Rows.read(call, replace(wanted, needs=rows), tell, segments) if rows else None
        self.settled: dict[str, Any] = {} if self.lists is None else self.lists.settled
        self.max_grade = 0.0 if self.lists is None else self.lists.max_grade
        self.names: Names = self.readers[0].names

    @property
    def readers(self) -> list[Any]:
        """Those of lists and of rows, as far as there are any."""
        return [one for one in (self.lists, self.rows) if one is not None]

    @property
    def of_lists(self) -> Rankings:
        """The reader of lists, which a metric reads."""
        assert self.lists is not None
        return self.lists

    def reader(self, reads: Reads) -> Any:
        """What reads states of some kind."""
        return self.lists if reads in _OF_LISTS else self.rows

    def state(self, need: Need) -> Any:
        """What a metric reads, all in one segment."""
        return self.reader(need.reads).state(need)

    def split(self, need: Need, state: Any) -> tuple[pl.DataFrame | None, Any]:
        """The names of the slices, and the same state with each slice a segment; None without slices."""
        if self.readers[0].slices is None:
            return None, None
        split: tuple[pl.DataFrame | None, Any] = self.reader(need.reads).split(need, state)
        return split

    def thresholded(self, need: Need) -> bool:
        """Whether a threshold decides which class was predicted."""
        return need.threshold is not None and self.rows is not None and self.rows.states.thresholded(need)

    def counted(self, need: Need) -> Counted:
        """The hits with their counts, ties open."""
        return self.of_lists.counted(need)

    def ordered(self, need: Need, ties: Ties) -> Ranked:
        """The hits with ties in some order, whatever was asked for."""
        return self.of_lists.ordered(need, ties)

    def let_go(self, *, aligned: bool = True) -> None:
        """Keep the tables, and of lists nothing that was made of them under single conventions."""
        if self.lists is not None:
            self.lists.let_go(aligned=aligned)

    @property
    def tally(self) -> Tally:
        """What was read and what became of it, under the first convention."""
        if self.lists is None or self.rows is None:
            tally: Tally = self.readers[0].tally
            return tally
        return self.lists.tally.also(**self.rows.tally.to_dict())

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Every convention that lists were ranked under, with its tally."""
        return self.lists.rankings if self.lists is not None else ()

    def slice_coverage(self) -> dict[str, pl.DataFrame]:
        """How much of the truth each slice covers, by what is counted."""
        return {unit: found for one in self.readers for unit, found in one.slice_coverage().items()}

    def inputs(self) -> dict[str, pl.DataFrame]:
        """What must be the same where predictions are compared, by what it is."""
        return {role: table for one in self.readers for role, table in one.inputs().items()}


_OF_LISTS = frozenset({"hits", "lists"})
