"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the first example of a test may import or compile something.
# In CI the examples are the same each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the project."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared(root: Path) -> Path:
    """The folder `../shared`, with public test data; tests that use it skip where it is absent."""
    folder = root.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared")
    return folder
