"""What every test and every example in the documentation starts from."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed is in English, wherever the tests run."""
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LC_MESSAGES", "C")


@pytest.fixture(autouse=True)
def _own_metrics_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric that an example registers must not be there for the next one."""
    from steelyard.metrics import registry

    registry.load_all()
    for table in ("_with_cutoff", "_without_cutoff", "_canonical"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
