"""The engine of one machine: it reads the tables of a call once, and gives each need its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steelyard.engine.call import Call, Names
from steelyard.engine.protocol import Account, Need, Wanted
from steelyard.engine.rankings import Rankings
from steelyard.engine.rows import Rows
from steelyard.engine.slices import Segments
from steelyard.progress import Tell


class Memory:
    """Tables that fit in memory: those that lists are read from, those of rows, or both."""

    def __init__(self, call: Call, wanted: Wanted, tell: Tell, segments: Segments | None = None) -> None:
        lists = tuple([need for need in wanted.needs if need.reads in _OF_LISTS])
        rows = tuple([need for need in wanted.needs if need.reads not in _OF_LISTS])
        if lists and rows:
            call = call.opened()
        self.lists = Rankings.read(call, replace(wanted, needs=lists), tell, segments) if lists else None
        self.rows = Rows.read(call, replace(wanted, needs=rows), tell, segments) if rows else None
        self.settled: dict[str, Any] = {}  # the conventions that the data leaves no choice about
        self.max_grade = 0.0  # the highest grade of the whole truth, 0 where nothing is graded
        if self.lists is not None:
            self.settled, self.max_grade = self.lists.settled, self.lists.max_grade

    def reader(self, need: Need) -> Any:
        """The reader that makes the state of a need."""
        return self.lists if need.reads in _OF_LISTS else self.rows

    @property
    def names(self) -> Names:
        """Where everything was read."""
        names: Names = (self.lists or self.rows).names  # type: ignore[union-attr]  # one of them is there
        return names

    def clear_caches(self, *, aligned: bool = True) -> None:
        """Keep the tables, and of lists nothing that was made of them under single conventions."""
        if self.lists is not None:
            self.lists.clear_caches(aligned=aligned)

    def account(self) -> Account:
        """What became of the tables."""
        if self.lists is None or self.rows is None:
            account: Account = (self.lists or self.rows).account()  # type: ignore[union-attr]
            return account
        lists, rows = self.lists.account(), self.rows.account()
        return Account(
            tally=lists.tally.also(**rows.tally.to_dict()),
            rankings=lists.rankings,
            slice_coverage={**lists.slice_coverage, **rows.slice_coverage},
            inputs={**lists.inputs, **rows.inputs},
        )


_OF_LISTS = frozenset({"hits", "lists"})
