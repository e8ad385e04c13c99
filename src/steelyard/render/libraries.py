"""The profiles themselves, listed for a reader: which library each reproduces, and how."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from steelyard.conventions import plain
from steelyard.metrics import by_name
from steelyard.render.text import aligned, indented
from steelyard.spec import EDITION, Profile, profile, profiles
from steelyard.text import ENGLISH, Message, say, term


def every(lang: str = ENGLISH) -> str:
    rows = [
        [one.name, one.library, one.version, proof(one).told(lang), str(len(one.metrics))]
        for one in libraries()
    ]
    heads = [say("profile"), say("library"), say("version"), say("proof"), say("metrics")]
    return aligned([[head.told(lang) for head in heads], *rows], 4)


def one(name: str, lang: str = ENGLISH) -> str:
    """One profile: its library, what it sets, the library's own names, what is refused and what is faulty."""
    chosen, default = profile(name), profile(EDITION)
    blocks = [f"{chosen.name}  {chosen.source}", proof(chosen).told(lang)]
    shared = differing(chosen.conventions, default.conventions)
    if shared:
        blocks.append(_block(say("differences from the defaults"), [[shared]], lang))
    rows = [[name, differing(fields, _usual(name))] for name, fields in chosen.metrics.items()]
    blocks.append(_block(say("its metrics, by our names"), rows, lang))
    blocks.append(_block(say("its own names, and ours"), list(map(list, chosen.names.items())), lang))
    for heading, held in (
        (say("not reproduced"), chosen.refused),
        (say("without a cutoff"), chosen.without_cutoff),
        (say("with a cutoff alone"), chosen.with_cutoff),
        (say("known faults"), chosen.faults),
    ):
        blocks.append(_block(heading, [[name, term(why).told(lang)] for name, why in held.items()], lang))
    return "\n\n".join(filter(None, blocks))


def libraries() -> list[Profile]:
    found = (one for one in profiles().values() if not one.is_edition)
    return sorted(found, key=lambda one: (one.place, one.name))


def proof(one: Profile) -> Message:
    """Whether a profile is held against its library, and how exactly."""
    if one.is_edition:
        return say("Steelyard's defaults")
    if not one.proven:
        return say("unproven: read in its source")
    if one.exact == "float64":
        return say("proven to 1e-9")
    if one.exact == "float32":
        return say("proven to single precision")
    return say("proven to its {n} decimals", n=one.exact)


def differing(fields: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}={plain(value)}" for name, value in fields.items() if plain(usual.get(name)) != plain(value)
    )


def _usual(name: str) -> dict[str, Any]:
    defaults = {field.name: field.default for field in dataclasses.fields(by_name()[name])}
    return {**defaults, **profile(EDITION).conventions, **profile(EDITION).metrics.get(name, {})}


def _block(heading: Message, rows: list[list[str]], lang: str) -> str:
    if not rows:
        return ""
    width = max(len(row[0]) for row in rows) + 2
    lines = [f"{row[0]:<{width}}{''.join(row[1:])}".rstrip() for row in rows]
    return "\n".join([heading.told(lang), *map(indented, lines)])
