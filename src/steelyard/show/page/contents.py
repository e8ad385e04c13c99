"""Everything the page shows, as frozen values; only what the data supports is there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from steelyard.messages import Message, listed, say, some
from steelyard.show.charts.words import named
from steelyard.show.labels import distinct, shown
from steelyard.show.page.comparable import MOST_NAMES, Unlike, unlike
from steelyard.show.page.figures import Figure, figures
from steelyard.show.page.numbers import headline
from steelyard.show.page.queries import Extremes, extremes
from steelyard.show.page.slices import class_tables, slice_tables
from steelyard.show.page.systems import Part, Placed, System, parts
from steelyard.show.page.table import Cell, Head, Table, count_cell
from steelyard.show.page.words import TALLY

MOST_NOTES = 40
MOST_TRUTHS = 3


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence, and which systems it holds for; none are named where it holds for all of its part."""

    words: str
    systems: tuple[int, ...] = ()
    kind: Literal["good", "warning", ""] = ""
    figures: str = ""


@dataclass(frozen=True, kw_only=True)
class Named:
    """A system as the page introduces it."""

    place: int
    name: str
    predictions: str
    facts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The first screen of systems that stand side by side."""

    name: str  # empty where it is the only one
    systems: tuple[Named, ...]
    truth: str
    facts: tuple[str, ...]
    numbers: Table | None
    readings: tuple[Said, ...]
    notes: tuple[Said, ...]
    conventions: tuple[Said, ...]

    @property
    def sources(self) -> bool:
        """Whether the systems differ in where they come from, or in how much was read."""
        return len(self.systems) > 1 and len({(one.predictions, one.facts) for one in self.systems}) > 1


@dataclass(frozen=True, kw_only=True)
class Copyable:
    """A text to be taken elsewhere as it stands."""

    title: Message
    text: str
    systems: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Contents:
    """One page."""

    title: str
    systems: tuple[Named, ...]
    summaries: tuple[Summary, ...]
    slices: tuple[tuple[Message, tuple[Table, ...], tuple[Figure, ...]], ...]
    classes: tuple[Table, ...]
    figures: tuple[Figure, ...]
    queries: tuple[Extremes, ...]
    tallies: tuple[Table, ...]
    specifications: tuple[Copyable, ...]

    def drawn(self, section: str) -> tuple[Figure, ...]:
        """The charts that stand in a section of the page."""
        return _drawn(self.figures, section)


def contents(systems: Sequence[System], title: str | None = None) -> Contents:
    """All that a page shows of these systems, the first of them first."""
    names = distinct(system.name for system in systems)
    grouped = parts([replace(one, name=name) for one, name in zip(systems, names, strict=True)])
    apart = [unlike(part) for part in grouped]
    drawn = [figures(part, f"chart-{nth}") for nth, part in enumerate(grouped)]
    summaries = [
        _summary(part, _names(part) if grouped[1:] else "", differing, failed)
        for part, differing, (_, failed) in zip(grouped, apart, drawn, strict=True)
    ]
    found = [extremes(placed) for part in grouped for placed in part]
    return Contents(
        title=shown(title, 120) if title else _title(systems),
        systems=tuple(named for summary in summaries for named in summary.systems),
        summaries=tuple(summaries),
        slices=tuple(
            (
                _of(say("By {columns}", columns=_by(part)), part, grouped),
                tuple(tables),
                _drawn(some, "slices"),
            )
            for part, differing, (some, _) in zip(grouped, apart, drawn, strict=True)
            if (tables := slice_tables(part, differing.metrics))
        ),
        classes=tuple(
            table
            for part, differing in zip(grouped, apart, strict=True)
            for table in class_tables(part, differing.metrics)
        ),
        figures=tuple(one for some, _ in drawn for one in some),
        queries=tuple(one for one in found if one is not None),
        tallies=tuple(
            _tally(part, _of(say("What was read, and what became of it"), part, grouped)) for part in grouped
        ),
        specifications=tuple(one for part in grouped for one in _specifications(part, grouped)),
    )


def _drawn(figures: Iterable[Figure], section: str) -> tuple[Figure, ...]:
    return tuple(one for one in figures if one.section == section)


def _title(systems: Sequence[System]) -> str:
    if len(systems) == 1:
        return shown(systems[0].predictions, 120)
    return some([shown(system.name) for system in systems], MOST_NAMES)


def _names(part: Part) -> Message:
    return some([placed.system.name for placed in part], MOST_NAMES)


def _of(words: Message, part: Part, grouped: Sequence[Part]) -> Message:
    """Words with the names of the systems they are about, where the page has others too."""
    return words if len(grouped) == 1 else named(words, _names(part))


def _by(part: Part) -> str:
    columns = dict.fromkeys(" × ".join(shown(name) for name in placed.system.by) for placed in part)
    return ", ".join(name for name in columns if name)


def _summary(part: Part, name: str, differing: Unlike, failed: Sequence[Message]) -> Summary:
    every = [set(placed.system.document.facts) for placed in part]
    shared = set.intersection(*every)
    return Summary(
        name=name,
        systems=tuple(_named(placed, shared) for placed in part),
        truth=_truth(part),
        facts=tuple(fact for fact in part[0].system.document.facts if fact in shared),
        numbers=headline(part, differing.metrics),
        readings=tuple(_readings(part)),
        notes=(
            *(Said(words=words) for words in differing.notes),
            *_limited(_said(part, ((p, note) for p in part for note in p.system.document.notes))),
            *(Said(words=words) for words in failed),
        ),
        conventions=tuple(_said(part, ((placed, placed.system.document.conventions) for placed in part))),
    )


def _named(placed: Placed, shared: set[Message]) -> Named:
    system = placed.system
    return Named(
        place=placed.place,
        name=shown(system.name),
        predictions=shown(system.predictions, 120),
        facts=tuple(fact for fact in system.document.facts if fact not in shared),
    )


def _truth(part: Part) -> Message:
    names = sorted({placed.system.truth for placed in part if placed.system.truth is not None})
    return listed([shown(name, 120) for name in names], MOST_TRUTHS)


def _readings(part: Part) -> Iterable[Said]:
    alone = len(part) == 1
    for placed in part:
        for reading in placed.system.readings:
            yield Said(
                words=reading.text,
                systems=() if alone else (placed.place,),
                kind=reading.kind,
                figures=say("{items:;}", items=reading.beside),
            )


def _said(part: Part, sentences: Iterable[tuple[Placed, Message]]) -> list[Said]:
    """Each sentence once, with the systems it holds for."""
    places: dict[Message, list[int]] = {}
    for placed, sentence in sentences:
        places.setdefault(sentence, []).append(placed.place)
    return [
        Said(words=sentence, systems=() if len(at) == len(part) else tuple(at))
        for sentence, at in places.items()
    ]


def _limited(said: Sequence[Said]) -> list[Said]:
    if len(said) <= MOST_NOTES:
        return list(said)
    more = say("{n} more notes: result.notes has all.", n=len(said) - MOST_NOTES)
    return [*said[:MOST_NOTES], Said(words=more)]


def _tally(part: Part, caption: Message) -> Table:
    names = dict.fromkeys(name for placed in part for name in placed.system.tally)
    alone = len(part) == 1
    heads = [
        Head(words=say("count")) if alone else Head(text=shown(p.system.name), system=p.place) for p in part
    ]
    rows = [
        (
            Cell(words=TALLY.get(name, name), small=name if name in TALLY else None),
            *(count_cell(p.system.tally.get(name), system=None if alone else p.place) for p in part),
        )
        for name in names
    ]
    return Table(
        caption=caption,
        heads=(Head(words=say("what was counted"), number=False), *heads),
        rows=tuple(rows),
        sortable=False,
    )


def _specifications(part: Part, grouped: Sequence[Part]) -> list[Copyable]:
    """The specification and the tally as JSON; the specification once where systems have the same."""
    found: dict[str, list[Placed]] = {}
    for placed in part:
        found.setdefault(_json(placed.system.spec), []).append(placed)
    copies = []
    for text, having in found.items():
        shared = len(having) == len(part)
        title = _of(
            say("Every convention behind each number"), tuple(having), grouped if shared else [part, ()]
        )
        copies.append(
            Copyable(title=title, text=text, systems=() if shared else tuple(one.place for one in having))
        )
    tallies = {placed.system.name: placed.system.tally for placed in part}
    text = _json(tallies if len(part) > 1 else part[0].system.tally)
    return [*copies, Copyable(title=_of(say("The same counts, to copy"), part, grouped), text=text)]


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
