"""One thing given as predictions and as truth: a column cannot foretell itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard import read
from steelyard.messages import Message, say
from steelyard.messages.errors import reading
from steelyard.read import Table
from steelyard.read.files import is_there

ONE_OBJECT = say("predictions and truth are one object: every value is its own prediction.", key="one_object")


def read_from_one(predictions: Any, truth: Any, said: Table, true: Table) -> tuple[Message, ...]:
    """A note where one mapping or matrix is both tables; one column that is score and label is refused."""
    predictions, truth = read.given(predictions), read.given(truth)
    if truth is None or not _is_one(predictions, truth):
        return ()
    if isinstance(truth, Mapping) or read.is_matrix(truth):
        return (ONE_OBJECT,)
    label = "label" if "label" in true.roles else "relevance"
    for role in ("score", "predicted", "probability"):
        if role in said.roles and said.roles[role] == true.roles.get(label):
            raise reading.label_used_twice(said.name, said.roles[role], label, role)
    return ()


def _is_one(predictions: Any, truth: Any) -> bool:
    if predictions is truth:
        return True
    if not all(isinstance(one, str | os.PathLike) for one in (predictions, truth)):
        return False
    mine, theirs = Path(predictions), Path(truth)
    return is_there(mine) and is_there(theirs) and mine.is_file() and mine.samefile(theirs)
