"""Options that several parts of the command line share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from steelyard.conventions import Align, Average, Labelled, Rank, Undefinable
from steelyard.messages import say
from steelyard.messages.errors import asking, commanding

_STATED_OTHERWISE = {"mean", "floor"}  # --set mean=median
FLAGS = [
    field
    for stage in (Align, Rank, Labelled, Undefinable, Average)
    for field in dataclasses.fields(stage)
    if field.name not in _STATED_OTHERWISE
]
COMMAND_LINE = say("on the command line")
BESIDE = {
    "catalog": "The items that could have been shown, for coverage@10, gini@10, …: an item column.",
    "features": "What is known of each item, for diversity@10, …: numbers, a vector, categories or tags.",
    "history": "What users had before, for novelty@10, …: query, item and perhaps a count.",
    "item_groups": "The group of each item, such as its provider, for exposure@10: item and group.",
    "usual": "A plain recommender's lists, for unexpectedness@10.",
}


def beside_options(command: Any) -> Any:
    """One option for each table that metrics of lists as a whole may need."""
    for name, about in reversed(BESIDE.items()):
        flag = f"--{name.replace('_', '-')}"
        option = click.option(flag, name, metavar="TABLE", type=click.UNPROCESSED, help=about)
        command = option(command)
    return command


def files_of(*tables: Any) -> Iterator[Path]:
    """Every file that will be read."""
    from steelyard.read.files import paths

    for table in tables:
        for _, path in paths(table)[1] if table else []:
            if path is not None:
                yield path


def key_values(option: str, given: Sequence[str], where: str = COMMAND_LINE) -> dict[str, str]:
    """``role=name`` pairs as a mapping."""
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise commanding.not_key_value(option, text)
        pairs = stated_once(pairs, {key: value}, where)
    return pairs


def stated_once(one: Mapping[str, str], other: Mapping[str, str], where: str) -> dict[str, str]:
    """Both mappings together; they may not give two values for one name.

    >>> stated_once({"ties": "given"}, {"ties": "given", "rel": "2"}, "in run.toml")
    {'ties': 'given', 'rel': '2'}
    """
    for name in one:
        if other.get(name, one[name]) != one[name]:
            raise asking.stated_twice(name=name, where=where, one=one[name], other=other[name])
    return {**one, **other}
