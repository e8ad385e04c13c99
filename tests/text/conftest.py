"""What the tests of messages share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy

Asked = tuple[sy.Result, tuple[Any, dict[str, Any]]]


@pytest.fixture(scope="session")
def asked(root: Path) -> list[Asked]:
    """Every evaluation of the net, with the tables and options that it was given."""
    sys.path.insert(0, str(root / "tools" / "net"))
    try:
        import cases
    finally:
        sys.path.pop(0)
    found: list[Asked] = []
    with pytest.MonkeyPatch.context() as patch:

        def recorded(*tables: Any, **options: Any) -> sy.Result:
            result = evaluate(*tables, **options)
            found.append((result, (tables, options)))
            return result

        evaluate = sy.evaluate
        patch.setattr(cases.sy, "evaluate", recorded, raising=False)
        for name, case in cases.cases():
            if not name.startswith(("refused", "explain", "curve", "clicks unlabelled=error")):
                case()
    return found
