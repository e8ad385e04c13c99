"""Our answers and the recorded ones of a library, compared once for all workers."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from functools import cache

import pytest

from conformance.judged import Cell, Explained, judged
from conformance.recorded import Answers

from ..once import once

# The program trec_eval is compared with only where TREC_EVAL names it.
collect_ignore = [] if os.environ.get("TREC_EVAL") else ["test_trec_program.py"]

Cells = tuple[list[Cell], list[Explained]]


@pytest.fixture(scope="session")
def cells_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Cells]:
    """Every answer of a library beside ours, and the explanations that explain nothing."""

    @cache
    def of(name: str) -> Cells:
        folder = once(
            tmp_path_factory,
            f"cells-{name}",
            lambda part: (part / "cells").write_bytes(pickle.dumps(judged(Answers.read(name)))),
        )
        return pickle.loads((folder / "cells").read_bytes())

    return of
