"""The metrics themselves, listed for a reader."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, LABELLED_FIELDS, RANK_FIELDS, plain
from steelyard.metrics import Metric, by_name, find
from steelyard.metrics.registry import TASKS, task_metrics
from steelyard.render.text import aligned, indented
from steelyard.spec import EDITION, Profile, profile, profiles
from steelyard.text import ENGLISH, Message, say, term
from steelyard.text.errors import MetricError

_SHARED = {*ALIGN_FIELDS, *RANK_FIELDS, *LABELLED_FIELDS, *AVERAGE_FIELDS}  # fields of the other stages
# metrics that mostly go by another name
_SPELT = {"fbeta@k": "f1@k, fbeta(beta=2)@k", "fbeta": "f1, fbeta(beta=2)"}


def list_metrics(task: str | None = None, lang: str = ENGLISH) -> str:
    if task:
        return "\n".join(task_metrics(task))
    known = by_name().values()
    rankings = [cls for cls in known if cls.reads == "hits"]
    lists = [cls for cls in known if cls.reads == "lists"]
    others = [cls for cls in known if cls.reads not in ("hits", "lists")]

    def rows(some: list[type[Metric]]) -> str:
        return aligned([[_usage(cls), sentence(cls, lang), getattr(cls, lang, "")] for cls in some], 3)

    blocks = {
        say("rankings // metrics of"): rows(rankings),
        say("lists as a whole"): rows(lists),
        say("rows, classes and ratings"): rows(others),
        say("tasks (--task NAME)"): aligned([[name, ", ".join(TASKS[name])] for name in TASKS], 2),
    }
    return "\n\n".join(f"{heading.render(lang)}\n{indented(block)}" for heading, block in blocks.items())


def describe_metric(name: str, lang: str = ENGLISH) -> str:
    cls = _found(name)
    own = [field for field in dataclasses.fields(cls) if field.name not in _SHARED]
    shared = [field for field in dataclasses.fields(cls) if field.name in _SHARED]
    title = f"{_usage(cls)}  {getattr(cls, lang, '')}".rstrip()  # zh is its name in Chinese
    blocks = [title, *(term(text).render(lang) for text in paragraphs(cls))]
    if own:
        blocks.append(_fields(say("fields (steelyard:2026 first)"), own, lang))
    blocks.append(_fields(say("conventions of the other stages"), shared, lang))
    return "\n\n".join(blocks)


def paragraphs(cls: type[Metric]) -> list[str]:
    """What the docstring of a metric says, its one sentence first, without its examples and its markup."""
    said = (inspect.getdoc(cls) or "").partition("\nExamples\n")[0].rstrip().replace("``", "")
    return said.split("\n\n")


def sentence(cls: type[Metric], lang: str = ENGLISH) -> str:
    return term(paragraphs(cls)[0]).render(lang)


def _found(text: str) -> type[Metric]:
    """The metric of a name; ``@`` chooses where two share one."""
    name, at, k = text.partition("@")
    if at:
        return find(name, cutoff=True, suffix=f"@{k}").metric
    try:
        return find(name, cutoff=False).metric
    except MetricError:
        return find(name, cutoff=True).metric


def _usage(cls: type[Metric]) -> str:
    key = cls.key()
    return _SPELT.get(key, f"{key}[@k]" if cls.at == "optional" else key)


def _fields(heading: Message, fields: Sequence[dataclasses.Field[Any]], lang: str) -> str:
    return "\n".join([heading.render(lang), *(indented(_field(field, lang)) for field in fields)])


def _field(field: dataclasses.Field[Any], lang: str) -> str:
    about = field.metadata
    if "number" in about:
        return _number(field).render(lang)
    meaning = {word: term(text) for word, text in about["meaning"].items()}
    if field.name == "gain":
        meaning["1:3/2:9"] = say("a mapping from grade to gain")
    return "\n".join(
        [f"{field.name}:", *(f"  {word:<13} {text.render(lang)}" for word, text in meaning.items())]
    )


def _number(field: dataclasses.Field[Any]) -> Message:
    number = say("a number // that a field takes")
    if field.default is not None:
        number = say("a number, default {default}", default=plain(field.default))
    words = [
        say("{word} = {meaning}", word=word, meaning=term(text))
        for word, text in field.metadata["words"].items()
    ]
    meanings = [term(field.metadata["number"]), *words]
    return say("{field}: {number}: {meanings:;}", field=field.name, number=number, meanings=meanings)


def list_profiles(lang: str = ENGLISH) -> str:
    rows = [
        [chosen.name, chosen.library, chosen.version, proof(chosen).render(lang), str(len(chosen.metrics))]
        for chosen in libraries()
    ]
    heads = [say("profile"), say("library"), say("version"), say("proof"), say("metrics")]
    return aligned([[head.render(lang) for head in heads], *rows], 4)


def describe_profile(name: str, lang: str = ENGLISH) -> str:
    """One profile: its library, what it sets, the library's own names, what is refused and what is faulty."""
    chosen, default = profile(name), profile(EDITION)
    blocks = [f"{chosen.name}  {chosen.source}", proof(chosen).render(lang)]
    shared = differing(chosen.conventions, default.conventions)
    if shared:
        blocks.append(_block(say("differences from the defaults"), [[shared]], lang))
    rows = [[name, differing(fields, _defaults(name))] for name, fields in chosen.metrics.items()]
    blocks.append(_block(say("its metrics, by our names"), rows, lang))
    blocks.append(_block(say("its own names, and ours"), list(map(list, chosen.names.items())), lang))
    for heading, held in (
        (say("not reproduced"), chosen.refused),
        (say("without a cutoff"), chosen.without_cutoff),
        (say("with a cutoff alone"), chosen.with_cutoff),
        (say("known faults"), chosen.faults),
    ):
        blocks.append(_block(heading, [[name, term(why).render(lang)] for name, why in held.items()], lang))
    return "\n\n".join(filter(None, blocks))


def libraries() -> list[Profile]:
    found = (chosen for chosen in profiles().values() if not chosen.is_edition)
    return sorted(found, key=lambda chosen: (chosen.place, chosen.name))


def proof(chosen: Profile) -> Message:
    """Whether a profile is held against its library, and how exactly."""
    if chosen.is_edition:
        return say("Steelyard's defaults")
    if not chosen.proven:
        return say("unproven: read in its source")
    if chosen.exact == "float64":
        return say("proven to 1e-9")
    if chosen.exact == "float32":
        return say("proven to single precision")
    return say("proven to its {n} decimals", n=chosen.exact)


def differing(fields: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}={plain(value)}" for name, value in fields.items() if plain(usual.get(name)) != plain(value)
    )


def _defaults(name: str) -> dict[str, Any]:
    defaults = {field.name: field.default for field in dataclasses.fields(by_name()[name])}
    return {**defaults, **profile(EDITION).conventions, **profile(EDITION).metrics.get(name, {})}


def _block(heading: Message, rows: list[list[str]], lang: str) -> str:
    if not rows:
        return ""
    width = max(len(row[0]) for row in rows) + 2
    lines = [f"{row[0]:<{width}}{''.join(row[1:])}".rstrip() for row in rows]
    return "\n".join([heading.render(lang), *map(indented, lines)])
