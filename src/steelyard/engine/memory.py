"""The engine of one machine: it reads what the metrics of a call need, once, and measures them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import polars as pl

from steelyard.arrays import Floats
from steelyard.ask import Request
from steelyard.engine.call import Call, Names
from steelyard.engine.kept_lists import Lists
from steelyard.engine.need import Reads
from steelyard.engine.ranked import Ranked
from steelyard.engine.rankings import Ranking, Rankings
from steelyard.engine.rows import Rows
from steelyard.engine.tally import Tally
from steelyard.measure.measured import Measured, extremes, of_state
from steelyard.measure.slices import Segments
from steelyard.messages import Message
from steelyard.metrics import Metric
from steelyard.metrics.asked import Asked
from steelyard.progress import Tell


class Reader(Protocol):
    """What states of some kind are made from: tables, as the metrics that read such a state see them."""

    @classmethod
    def read(
        cls, call: Call, request: Request, asked: Sequence[Asked], tell: Tell, segments: Segments | None
    ) -> Self:
        """Read what some metrics need."""

    @property
    def names(self) -> Names:
        """Where everything was read."""

    @property
    def tally(self) -> Tally:
        """What was read and what became of it."""

    def slice_coverage(self) -> dict[str, pl.DataFrame]:
        """How much of the truth each slice covers, by what is counted."""

    def inputs(self) -> dict[str, pl.DataFrame]:
        """What must be the same where predictions are compared: truth, slices, units and so on."""

    def settled(self) -> Mapping[str, Any]:
        """The conventions that the data leaves no choice about."""

    def reads(self, one: Asked) -> tuple[Metric, Any]:
        """A metric, with what depends on the whole truth written in, and the state that it reads."""

    def let_go(self, *, aligned: bool = True) -> None:
        """Forget what was made for single conventions; ``aligned``: not their order alone."""

    def measure(self, one: Asked) -> Measured:
        """A metric's value over everything, and in each slice."""

    def notes(self, measured: Sequence[Measured], every: bool, /) -> list[Message]:
        """What a reader must know; ``every`` says that nothing else was measured."""


# a metric of a new kind brings its state, and the reader that makes it
READERS: dict[Reads, type[Reader]] = {
    "hits": Rankings,
    "lists": Rankings,
    "scores": Rows,
    "classes": Rows,
    "ratings": Rows,
}


@dataclass(frozen=True)
class Local:
    """The readers of one call, each with the metrics that it serves."""

    readers: dict[type[Reader], Reader]

    @classmethod
    def read(cls, call: Call, request: Request, tell: Tell, segments: Segments | None) -> Local:
        """Read every table that the metrics need; ``segments`` is what is known of each query."""
        wanted: dict[type[Reader], list[Asked]] = {reader: [] for reader in READERS.values()}
        for one in request.settle():
            wanted[READERS[one.metric.reads]].append(one)
        kinds = [kind for kind, asked in wanted.items() if asked]
        call = call.opened() if len(kinds) > 1 else call
        return cls({kind: kind.read(call, request, wanted[kind], tell, segments) for kind in kinds})

    @property
    def settled(self) -> dict[str, Any]:
        """The conventions that the data leaves no choice about."""
        return {name: value for one in self.readers.values() for name, value in one.settled().items()}

    def measure(self, one: Asked) -> Measured:
        """A metric's value over everything, and in each slice."""
        return self.readers[READERS[one.metric.reads]].measure(one)

    def value(self, one: Asked) -> Floats:
        """A metric's value over everything and nothing beside it, or its row of values."""
        metric, state = self.readers[READERS[one.metric.reads]].reads(one)
        whole: Floats = metric.measure(state)[0]
        return whole

    def let_go(self, *, aligned: bool = True) -> None:
        """Keep the tables, and nothing of what was made of them under single conventions."""
        for reader in self.readers.values():
            reader.let_go(aligned=aligned)

    @property
    def names(self) -> Names:
        """Where everything was read."""
        return next(iter(self.readers.values())).names

    @property
    def tally(self) -> Tally:
        """What was read and what became of it."""
        first, *others = (one.tally for one in self.readers.values())
        for other in others:
            first = first.also(**other.to_dict())
        return first

    @property
    def _of_lists(self) -> Rankings | None:
        """The reader of lists, where a metric reads any."""
        return next((one for one in self.readers.values() if isinstance(one, Rankings)), None)

    @property
    def rankings(self) -> tuple[Ranking, ...]:
        """Every convention that lists were ranked under, with its tally."""
        return self._of_lists.rankings if self._of_lists else ()

    @property
    def max_grade(self) -> float:
        """The highest grade of the whole truth, 0 where nothing was graded."""
        return self._of_lists.max_grade if self._of_lists else 0.0

    def kept_lists(self, measured: Sequence[Measured]) -> Lists | None:
        """The lists themselves, or, of very many rows, those of the best and worst queries."""
        if self._of_lists is None:
            return None
        lists = self._of_lists.lists
        for first in of_state(measured, Ranked):
            return lists.kept(first.state.queries.gather(np.concatenate(extremes(first))).to_list())
        return lists.kept([])

    def slice_coverage(self) -> dict[str, pl.DataFrame]:
        """How much of the truth each slice covers, by what is counted."""
        return {unit: found for one in self.readers.values() for unit, found in one.slice_coverage().items()}

    def inputs(self) -> dict[str, pl.DataFrame]:
        """What must be the same where predictions are compared, by what it is."""
        return {role: table for one in self.readers.values() for role, table in one.inputs().items()}

    def notes(self, measured: Sequence[Measured]) -> tuple[Message, ...]:
        """What a reader must know, each sentence once."""
        found = []
        for kind, reader in self.readers.items():
            its = [one for one in measured if READERS[one.metric.reads] is kind]
            found += reader.notes(its, len(its) == len(measured))
        return tuple(dict.fromkeys(found))
