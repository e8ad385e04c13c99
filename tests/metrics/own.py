"""What the test of one metric states for the tests of all metrics, so that none of them needs its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.metrics import by_name


def its_test(cls: type) -> str:
    """The module of a metric's own test, seen from this folder: ``ranking.test_ndcg``."""
    *_, folder, module = cls.__module__.split(".")
    return f"{folder}.test_{module}"


def file_of(cls: type) -> Path:
    return Path(__file__).parent.joinpath(*its_test(cls).split(".")).with_suffix(".py")


def stated(what: str) -> dict[str, Any]:
    """By name of the metric what its own test has under a name: ``EDGES = …`` in ``test_bias.py``."""
    found = {}
    for name, cls in by_name().items():
        file = file_of(cls)
        if file.exists() and f"\n{what} = " in file.read_text("utf-8"):
            found[name] = getattr(import_module(f".{its_test(cls)}", __package__), what)
    return found
