"""A table that one test compares as a whole; it fails with the names of all rows that differ."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

PARAM = type(pytest.param())


def each_row(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[[Any], str] | Sequence[str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """One test of all rows, written as ``parametrize`` is: for examples that are too small to be tests alone.

    Rows share the fixtures of the test, so they may not leave anything behind.
    """
    names = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    alone = len(names) == 1
    entries = [row.values if isinstance(row, PARAM) else (row,) if alone else tuple(row) for row in rows]
    given = [row.id if isinstance(row, PARAM) else None for row in rows]
    if callable(ids):
        given = [name or "-".join(map(ids, entry)) for name, entry in zip(given, entries, strict=True)]
    elif ids is not None:
        given = list(ids)
    assert entries

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def whole(*args: Any, **fixtures: Any) -> None:
            failed: dict[str, BaseException] = {}
            for number, (name, entry) in enumerate(zip(given, entries, strict=True)):
                try:
                    test(*args, **fixtures, **dict(zip(names, entry, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed[f"{number}: {name or repr(entry)[:200]}"] = error
            if failed:
                told = "\n".join(f"{title}\n    {error}" for title, error in failed.items())
                raise AssertionError(f"{len(failed)} of {len(entries)} rows differ\n{told}") from next(
                    iter(failed.values())
                )

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in names]
        assert len(signature.parameters) - len(left) == len(names)
        whole.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return whole

    return decorate
