"""The file of a partial result: the form of saved results, with the states of a part."""

from __future__ import annotations

from typing import Any
from steelyard.spec import Plan


def check_same_plan(one: Plan, other: Plan) -> None:
    pass


def to_bytes(plan: Plan, states: Any, notes: Any) -> bytes:
    raise NotImplementedError


def of_bytes(data: bytes, name: str) -> Any:
    raise NotImplementedError


def read(path: Any) -> Any:
    raise NotImplementedError
