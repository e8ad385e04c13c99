"""What the test of one metric states for the tests of all metrics, so that none of them needs its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.metrics import by_name


def stated(what: str) -> dict[str, Any]:
    """By name of the metric what its own test has under a name: ``EDGES = …`` in ``test_bias.py``."""
    found = {}
    for name, cls in by_name().items():
        module = f"test_{cls.__module__.rpartition('.')[2]}"
        file = Path(__file__).with_name(f"{module}.py")
        if file.exists() and f"\n{what} = " in file.read_text("utf-8"):
            found[name] = getattr(import_module(f".{module}", __package__), what)
    return found
