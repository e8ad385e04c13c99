"""The wheel, installed alone in an empty environment, works and holds all it needs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from math import log2
from pathlib import Path

import pytest

from steelyard.version import VERSION

RUN = """\
q1 Q0 a 1 3.0 test
q1 Q0 b 2 2.0 test
q1 Q0 c 3 1.0 test
q2 Q0 x 1 9.5 test
q2 Q0 y 2 0.5 test
"""
# q3 is judged and was not answered: an empty list, which scores 0.
QRELS = """\
q1 0 a 0
q1 0 b 2
q1 0 d 1
q2 0 x 1
q3 0 z 1
"""
# q1 shows grades 0, 2, 0 where the best order is 2, 1; q2 is perfect.
NDCG = ((2 / log2(3)) / (2 / log2(2) + 1 / log2(3)) + 1 + 0) / 3
MRR = (1 / 2 + 1 / 1 + 0) / 3


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel and what the wheel asks for."""

    wheel: Path
    bin: Path

    def steelyard(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run the console command as a person would."""
        return subprocess.run([self.bin / "steelyard", *arguments], capture_output=True, text=True, cwd=cwd)

    def has(self, module: str) -> bool:
        """Whether the environment has the module."""
        code = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
        return subprocess.run([self.bin / "python", "-c", code]).returncode == 0


def pip(python: Path | str, *arguments: str | Path) -> None:
    """Run pip; on failure show what it said."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build from a copy, so that nothing is left in the tree, and install into an empty environment."""
    here = tmp_path_factory.mktemp("wheel")
    source = here / "source"
    shutil.copytree(root / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(root / name, source / name)
    pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "-w", here, source)
    (wheel,) = here.glob("*.whl")

    environment = here / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    target = ("--python", environment / "bin" / "python")  # pip itself stays outside
    pip(sys.executable, *target, "install", "--no-compile", "-c", root / "constraints.txt", wheel)
    return Installed(wheel, environment / "bin")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a run and its judgements."""
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def test_wheel_holds_the_package_and_nothing_else(installed: Installed, root: Path):
    inside = {name for name in zipfile.ZipFile(installed.wheel).namelist() if ".dist-info/" not in name}
    files = (path for path in (root / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert inside == {path.relative_to(root / "src").as_posix() for path in files}
    assert "steelyard/py.typed" in inside
    assert any(name.startswith("steelyard/spec/profiles/") and name.endswith(".toml") for name in inside)


def test_version(installed: Installed, tmp_path: Path):
    done = installed.steelyard("--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert VERSION in done.stdout


def test_one_evaluation(installed: Installed, files: Path):
    ask = ["evaluate", "run.trec", "--truth", "qrels.txt", "-m", "ndcg@10", "-m", "mrr", "--format", "json"]
    done = installed.steelyard(*ask, cwd=files)
    assert done.returncode == 0, done.stderr
    values = {row["metric"]: row["value"] for row in json.loads(done.stdout)["results"]}
    assert values == pytest.approx({"ndcg@10": NDCG, "mrr": MRR}, abs=1e-12)


def test_broken_input_is_exit_code_2_and_names_the_file(installed: Installed, files: Path):
    (files / "run.trec").write_text(RUN.replace("9.5", "nan"))
    done = installed.steelyard("evaluate", "run.trec", "--truth", "qrels.txt", "-m", "mrr", cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: " in done.stderr
    assert "run.trec" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("module", ["pandas", "pyarrow", "scipy", "pytest"])
def test_nothing_optional_came_along(installed: Installed, module: str):
    assert not installed.has(module)
