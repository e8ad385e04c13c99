"""What every test may use."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from .once import once
from .products import mark_long

# No deadline: the first example of a test may import or compile something.
# In CI the examples are the same each time.
# `make test` tries 25 examples of what the others try 100 of, and `make test-quick` 5.
settings.register_profile("here", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, max_examples=25, derandomize=True, print_blob=True)
settings.register_profile("all", deadline=None, max_examples=100, print_blob=True)
settings.register_profile("quick", deadline=None, max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")

# A shell ignores Ctrl-C in background jobs, nohup the end of a terminal; processes that tests interrupt would
# inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_long(items, config.args)


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


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demonstration in "a shop", and what the command said in "said".

    It is made as after `make demo`: the program is in .venv and not on the path.
    """

    def make(folder: Path) -> None:
        (folder / ".venv").symlink_to(sys.prefix)
        done = subprocess.run(
            [folder / ".venv/bin/python", "-m", "steelyard", "demo", "a shop"],
            cwd=folder,
            env={**os.environ, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        (folder / "said").write_text(done.stdout, "utf-8")

    return once(tmp_path_factory, "demonstration", make)


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


Steelyard = Callable[..., Done]


@pytest.fixture
def steelyard(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Steelyard:
    """Run a command as a shell would, but in this process."""
    from steelyard.cli import main

    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["steelyard", *map(str, arguments)])
        # click would call this pytest: the name of a program run with -m is its package's
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        code, on_interrupt = 0, signal.getsignal(signal.SIGINT)
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
        return Done(code, *capfd.readouterr())

    return run


@pytest.fixture(scope="session")
def bracket_language(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one file that makes a third language, where nothing looks for it yet."""
    from .third_language import written

    return written(tmp_path_factory.mktemp("language"))


@pytest.fixture
def third_language(bracket_language: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a third language, in which every text stands in brackets."""
    from .third_language import look_in

    look_in(bracket_language.parent, monkeypatch)
    return bracket_language.stem
