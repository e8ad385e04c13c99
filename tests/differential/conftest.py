"""Say once which peers the results are compared with."""

from __future__ import annotations

import os

import pytest

from .agreement import PEERS


def pytest_report_collectionfinish() -> str:
    return f"peers: {PEERS}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs the program trec_eval is there only where TREC_EVAL names it."""
    if not os.environ.get("TREC_EVAL"):
        items[:] = [item for item in items if "binary" not in getattr(item, "fixturenames", ())]
