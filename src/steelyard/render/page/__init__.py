"""The report: one self-contained HTML file. It loads nothing, and data can only become text in it."""

from __future__ import annotations

import json
import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.printable import visible
from steelyard.render import output
from steelyard.render.page.compared import Explained, Tested, comparison, explained
from steelyard.render.page.figures import Figure, figures_of
from steelyard.render.page.queries import Extremes, extremes
from steelyard.render.page.slices import class_tables, slice_tables
from steelyard.render.page.tables import PAGE, count_cell, headline
from steelyard.render.system import PagePart, System
from steelyard.render.table import Cell, ShownColumn, ShownTable
from steelyard.text import Message, languages, listed, say, some
from steelyard.text.errors import OutputError, writing
from steelyard.text.errors.forms import check_language, must_be
from steelyard.text.labels import MOST_NAMES, named
from steelyard.text.names import shown
from steelyard.version import VERSION

if TYPE_CHECKING:
    import jinja2

_NEEDED = ("jinja2", "altair", "vl_convert")
_HERE = "steelyard.render.page"
_LONGEST, _LONGEST_WORD = 400, 120
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def check(lang: str = "en") -> None:
    check_language(lang)
    if any(find_spec(module) is None for module in _NEEDED):
        raise writing.report_missing()


def check_ending(path: Path) -> None:
    if path.suffix.lower() not in (".html", ".htm") and not output.is_stream(path):
        raise writing.unknown_ending(path, [".html"])


def write(parts: Sequence[PagePart], path: str | Path, *, title: str | None = None, lang: str = "en") -> None:
    """Write the page of systems, whole or not at all."""
    check(lang)
    target = output.path_of(path)
    check_ending(target)
    output.check_writable(target)
    output.write_text(target, html(parts, title=title, lang=lang))


def html(parts: Sequence[PagePart], *, title: str | None = None, lang: str = "en") -> str:
    """The page as HTML; the same systems give the same bytes."""
    check(lang)
    if not isinstance(title, str | None):
        raise must_be(
            say("the title of a report"),
            say("text"),
            title,
            remedy=say("give text, or None"),
            kind=OutputError,
        )
    from markupsafe import Markup

    page = contents(parts, title)
    style, script = (files(_HERE).joinpath(file).read_text("utf-8") for file in ("style.css", "script.js"))
    others = [f':root[lang="{known}"] .in:not([lang="{known}"])' for known in languages()]
    style += f"{', '.join(others)} {{ display: none; }}\n"
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            title=page.title.render(lang) if isinstance(page.title, Message) else page.title,
            lang=lang,
            languages={known: say("English // name of the language").render(known) for known in languages()},
            words=PAGE,
            version=VERSION,
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
            made_by=say(
                "Made by steelyard {version}. This page is one file and loads nothing from anywhere.",
                version=VERSION,
            ),
        )
    )


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy: the one style, the one script, and nothing from anywhere."""
    digests = [b64encode(sha256(source.encode()).digest()).decode() for source in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> jinja2.Environment:
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(_HERE, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = lambda path: Markup("/<wbr>").join(path.split("/"))
    environment.filters["told"] = _told
    environment.tests["message"] = lambda words: isinstance(words, Message)
    return environment


def _told(words: str) -> dict[str, str]:
    if not isinstance(words, Message):
        return {"": in_sentence(words)}
    told = {lang: words.render(lang, in_sentence) for lang in languages()}
    return told if len(set(told.values())) > 1 else {"": next(iter(told.values()))}


def in_sentence(text: str) -> str:
    r"""A name as a sentence of the page has it: its long words cut, and what cannot be seen spelt out.

    One that runs from right to left is kept from turning the sentence around it.

    >>> in_sentence("a\tb"), len(in_sentence("x" * 1000)), len(in_sentence("שלום"))
    ('a\\tb', 120, 6)
    """
    short = shown(text, _LONGEST) if len(text) > _LONGEST else visible(text)
    short = _LONG_WORD.sub(lambda found: shown(found[0], _LONGEST_WORD), short)
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in short)
    return f"\u2068{short}\u2069" if turned else short


MOST_NOTES = 40
MOST_TRUTHS = 3
TALLY = {
    "predictions": say("predictions read"),
    "judgements": say("judgements read"),
    "queries": say("queries evaluated"),
    "queries_predicted": say("queries in the predictions"),
    "queries_judged": say("queries in the truth"),
    "queries_missing": say("queries in the truth alone"),
    "queries_emptied": say("queries whose rows are all masked, excluded or removed"),
    "queries_unexpected": say("queries in the predictions alone"),
    "queries_unmixed": say("queries whose items are all relevant or all not, which are skipped"),
    "queries_without_relevant": say("evaluated queries without a relevant item"),
    "doubled_predictions": say("duplicate predictions"),
    "doubled_judgements": say("duplicate judgements"),
    "masked": say("rows with a score of −inf: not retrieved"),
    "excluded": say("rows excluded"),
    "outside_catalog": say("recommendations of items outside the catalogue"),
    "self_matched": say("rows whose item is the query itself: removed"),
    "unjudged": say("ranked rows without a judgement"),
    "retrieved": say("rows ranked"),
    "hits": say("ranked rows with a grade other than 0"),
    "tied": say("ranked rows tied with another of their query"),
    "tied_hits": say("of these, with a grade other than 0"),
    "rows": say("rows with a prediction"),
    "unlabelled": say("rows without a label"),
    "weightless": say("rows of weight 0, which are ignored"),
    "unmatched_predictions": say("predictions without a label in the truth"),
    "unmatched_truth": say("rows of the truth without a prediction"),
}


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence, and which systems it holds for; none are named where it holds for all of its part."""

    words: str
    systems: tuple[int, ...] = ()
    kind: Literal["good", "warning", ""] = ""
    figures: str = ""


@dataclass(frozen=True, kw_only=True)
class NamedSystem:
    """A system as the page introduces it."""

    place: int
    name: str
    predictions: str
    facts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The first screen of systems that are compared side by side."""

    name: str  # empty where it is the only one
    systems: tuple[NamedSystem, ...]
    truth: str
    facts: tuple[str, ...]
    numbers: ShownTable | None
    readings: tuple[Said, ...]
    notes: tuple[Said, ...]
    conventions: tuple[Said, ...]

    @property
    def sources(self) -> bool:
        """Whether the systems differ in where they come from, or in how much was read."""
        return len(self.systems) > 1 and len({(one.predictions, one.facts) for one in self.systems}) > 1


@dataclass(frozen=True, kw_only=True)
class Copyable:
    """A text to copy."""

    title: Message
    text: str
    systems: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Contents:
    """One page."""

    title: str
    systems: tuple[NamedSystem, ...]
    summaries: tuple[Summary, ...]
    comparisons: tuple[Tested, ...]
    explained: tuple[Explained, ...]
    slices: tuple[tuple[Message, tuple[ShownTable, ...], tuple[Figure, ...]], ...]
    classes: tuple[ShownTable, ...]
    figures: tuple[Figure, ...]
    queries: tuple[Extremes, ...]
    tallies: tuple[ShownTable, ...]
    specifications: tuple[Copyable, ...]

    def drawn(self, section: str) -> tuple[Figure, ...]:
        return tuple(figure for figure in self.figures if figure.section == section)


def contents(parts: Sequence[PagePart], title: str | None = None) -> Contents:
    drawn = [figures_of(part, f"chart-{nth}") for nth, part in enumerate(parts)]
    apart = len(parts) > 1
    compared = [
        comparison(part, _names(part.systems) if apart else None, f"compared-{nth}")
        for nth, part in enumerate(parts)
    ]
    summaries = [
        _summary(part, _names(part.systems) if apart else "", [*failed, *more])
        for part, (_, failed), (_, more) in zip(parts, drawn, compared, strict=True)
    ]
    systems = sorted((system for part in parts for system in part.systems), key=lambda one: one.place)
    queries = [extremes(system) for part in parts for system in part.systems]
    return Contents(
        title=_title(title, systems),
        systems=tuple(named for summary in summaries for named in summary.systems),
        summaries=tuple(summaries),
        comparisons=tuple(one for one, _ in compared if one is not None),
        explained=tuple(
            explained(part.explained, f"explained-{nth}")
            for nth, part in enumerate(parts)
            if part.explained is not None
        ),
        slices=tuple(
            (
                _of(say("By {columns}", columns=", ".join(filter(None, by))), part.systems, apart),
                tuple(tables),
                tuple(figure for figure in some if figure.section == "slices"),
            )
            for part, (some, _) in zip(parts, drawn, strict=True)
            if (tables := slice_tables(part))
            for by in [dict.fromkeys(" × ".join(map(shown, system.by)) for system in part.systems)]
        ),
        classes=tuple(table for part in parts for table in class_tables(part)),
        figures=tuple(one for some, _ in drawn for one in some),
        queries=tuple(one for one in queries if one is not None),
        tallies=tuple(_tally(part, _of(say("Data summary"), part.systems, apart)) for part in parts),
        specifications=tuple(one for part in parts for one in _specifications(part.systems, apart)),
    )


def _title(title: str | None, systems: Sequence[System]) -> str:
    if title:
        return title if isinstance(title, Message) else shown(title, 120)
    if len(systems) == 1:
        return shown(systems[0].predictions, 120)
    return some([shown(system.name) for system in systems], MOST_NAMES)


def _names(systems: Sequence[System]) -> Message:
    return some([system.name for system in systems], MOST_NAMES)


def _of(words: Message, systems: Sequence[System], apart: bool) -> Message:
    """Words with the names of the systems they are about, where the page has others too."""
    return named(words, _names(systems)) if apart else words


def _summary(part: PagePart, name: str, failed: Sequence[Message]) -> Summary:
    systems = part.systems
    everywhere = set.intersection(*(set(system.facts) for system in systems))
    truths = sorted({system.truth for system in systems if system.truth is not None})
    notes = _said(systems, ((system, note) for system in systems for note in system.notes))
    more = say("{n} more notes: result.notes has all.", n=len(notes) - MOST_NOTES)
    return Summary(
        name=name,
        systems=tuple(
            NamedSystem(
                place=system.place,
                name=shown(system.name),
                predictions=shown(system.predictions, 120),
                facts=tuple(fact for fact in system.facts if fact not in everywhere),
            )
            for system in systems
        ),
        truth=listed([shown(truth, 120) for truth in truths], MOST_TRUTHS),
        facts=tuple(fact for fact in systems[0].facts if fact in everywhere),
        numbers=headline(part),
        readings=tuple(_readings(part)),
        notes=(
            *(Said(words=words) for words in part.notes),
            *notes[:MOST_NOTES],
            *([Said(words=more)] if len(notes) > MOST_NOTES else []),
            *(Said(words=words) for words in failed),
        ),
        conventions=tuple(_said(systems, ((system, system.conventions) for system in systems))),
    )


def _readings(part: PagePart) -> Iterable[Said]:
    alone = len(part.systems) == 1
    for system in part.systems:
        for reading in system.readings:
            yield Said(
                words=reading.text,
                systems=() if alone else (system.place,),
                kind=reading.kind,
                figures=say("{items:;}", items=reading.extra_figures),
            )


def _said(systems: Sequence[System], sentences: Iterable[tuple[System, Message]]) -> list[Said]:
    places: dict[Message, list[int]] = {}
    for system, sentence in sentences:
        places.setdefault(sentence, []).append(system.place)
    return [
        Said(words=sentence, systems=() if len(at) == len(systems) else tuple(at))
        for sentence, at in places.items()
    ]


def _tally(part: PagePart, caption: Message) -> ShownTable:
    systems, alone = part.systems, len(part.systems) == 1
    names = dict.fromkeys(name for system in systems for name in system.tally)
    heads = [ShownColumn(heading=shown(one.name), system=one.place, dotted=True) for one in systems]
    rows = [
        (
            Cell(text=TALLY.get(name, name), small=name if name in TALLY else None),
            *(count_cell(one.tally.get(name), system=None if alone else one.place) for one in systems),
        )
        for name in names
    ]
    return ShownTable(
        caption=caption,
        columns=(
            ShownColumn(heading=say("what was counted"), number=False),
            *([ShownColumn(heading=say("count"))] if alone else heads),
        ),
        rows=tuple(rows),
        sortable=False,
    )


def _specifications(systems: Sequence[System], apart: bool) -> list[Copyable]:
    """The specification and the tally as JSON; the specification once where systems have the same."""
    by_text: dict[str, list[System]] = {}
    for system in systems:
        by_text.setdefault(_json(system.spec), []).append(system)
    copies = []
    for text, having in by_text.items():
        shared = len(having) == len(systems)
        title = _of(say("Every convention behind each number"), having, apart or not shared)
        places = () if shared else tuple(one.place for one in having)
        copies.append(Copyable(title=title, text=text, systems=places))
    tallies = {system.name: system.tally for system in systems}
    text = _json(tallies if len(systems) > 1 else systems[0].tally)
    return [*copies, Copyable(title=_of(say("The same counts, to copy"), systems, apart), text=text)]


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
