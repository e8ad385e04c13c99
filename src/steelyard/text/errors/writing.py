"""Errors for the case that a result cannot be written, saved or loaded."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from steelyard.text import Message, say
from steelyard.text.errors.base import (
    OutputError,
    SteelyardError,
)
from steelyard.text.errors.forms import Refusal, declared, unknown


def unknown_ending(what: Path | Message, known: Collection[str]) -> SteelyardError:
    why = say("its ending does not say in which format")
    saved = say("to keep the whole result there: result.save('{what}'), --save {what}", what=what)
    remedy = saved if str(what).endswith(".steelyard") else None
    said = say("cannot write {what}: {why}", what=what, why=why)
    return unknown(said, None, known, kind=OutputError, remedy=remedy)


def both_written(
    what: Path | Message, outputs: Message | None = None, remedy: Message | None = None
) -> SteelyardError:
    return declared(__name__, "both_written")(
        outputs=outputs or say("two outputs"), what=what, remedy=remedy or say("give each a file of its own")
    )


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
