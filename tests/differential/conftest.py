"""Say once which peers the results are compared with."""

from __future__ import annotations

from .agreement import PEERS


def pytest_report_collectionfinish() -> str:
    return f"peers: {PEERS}"
