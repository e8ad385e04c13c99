"""What evaluations of every kind say in Chinese has no English word but names."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

import steelyard as sy
from steelyard.ask import profiles
from steelyard.metrics import by_name

_WORD = re.compile(r"[A-Za-z][A-Za-z]+")
_NUMBERS = {"inf", "NaN"}


def test_what_a_hundred_evaluations_say_is_chinese_but_for_names(asked):
    assert len(asked) > 100
    ours = names_of_ours()
    said = set()
    for result, given in asked:
        names = ours | set(words_in(given)) | {word for label in result.spec() for word in words(label)}
        for message in (
            *result.notes,
            *(one.said for one in result.readings()),
            *result.facts(),
            result.told(),
        ):
            told = message.told("zh")
            said.add(message.template)
            left = [word for word in words(told) if word not in names]
            assert not left, f"{left} in {told!r}"
    assert len(said) > 25


def test_every_note_gives_a_program_its_key_and_its_figures(asked):
    for result, _ in asked:
        for note in json.loads(result.to_json())["notes"]:
            assert re.fullmatch("[a-z][a-z_]+", note["key"]), note
            assert isinstance(note["figures"], dict)
    keys = {note.key for result, _ in asked for note in result.notes}
    assert {"ties_move", "undefined_queries", "queries_missing", "groups_of_one_class"} <= keys


def words(text: str) -> list[str]:
    return _WORD.findall(text)


def names_of_ours() -> set[str]:
    """Names of metrics, their fields and the words these take, of profiles, and of what a call is given."""
    found, arguments = set(_NUMBERS), inspect.signature(sy.evaluate).parameters
    for name, metric in by_name().items():
        found |= {*words(name), *words(name.upper())}
        for field in dataclasses.fields(metric):
            choices = {**field.metadata.get("meaning", {}), **field.metadata.get("words", {})}
            found |= {word for text in (field.name, *choices) for word in words(text)}
    return found | {word for name in (*profiles(), *arguments) for word in words(name)}


def words_in(given: Any) -> Iterator[str]:
    """The words in tables and options: names of columns, ids, classes, names of files and of options."""
    if isinstance(given, str | os.PathLike):
        yield from words(str(given))
    elif isinstance(given, Mapping):
        yield from words_in([*given.keys(), *given.values()])
    elif isinstance(given, pl.LazyFrame):
        yield from words_in(given.collect())
    elif isinstance(given, pl.DataFrame):
        texts = given.select(pl.selectors.string())
        yield from words_in([given.columns, *(column.unique().to_list() for column in texts)])
    elif hasattr(given, "to_pydict") or hasattr(given, "to_dict"):
        yield from words_in((getattr(given, "to_pydict", None) or given.to_dict)())
    elif isinstance(given, list | tuple):
        for one in given:
            yield from words_in(one)
    elif isinstance(given, np.ndarray) and given.dtype.kind in "OU":
        yield from words_in(given.ravel().tolist())
