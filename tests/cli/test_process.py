"""The command as a process of its own: exit codes, streams, pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import steelyard as sy

COMMAND = [sys.executable, "-m", "steelyard"]
BASE = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr")

# run.csv and truth.csv are those of test_evaluate: reciprocal ranks 1/2, 1/2 and 0.


def run(folder: Path, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, **options)


def test_version(folder):
    done = run(folder, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"steelyard {sy.__version__}\n", "")


def test_a_table_on_stdout_and_the_talk_on_stderr(folder):
    done = run(folder, *BASE)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "metric   value     95% interval  queries  undefined",
        "mrr     0.3333  0.0343 – 0.8756        3          0",
    ]
    assert "run.csv against truth.csv" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_standard_input_and_json_through_a_pipe(folder):
    done = run(
        folder, "evaluate", "-", "--truth", "truth.csv", "-m", "mrr", "--format", "json",
        input=(folder / "run.csv").read_text(),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["results"][0]["value"] == (1 / 2 + 1 / 2 + 0) / 3
    assert json.loads(done.stdout)["predictions"] == "standard input"


def test_bad_input(folder):
    done = run(folder, *BASE, "--by", "city", "-o", "out.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: no column 'city' in run.csv or truth.csv to slice by\n       ")
    assert "Traceback" not in done.stderr
    assert {path.name for path in folder.iterdir()} == {"run.csv", "truth.csv"}


def test_no_command_at_all_shows_the_help(folder):
    done = run(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: ")
    for command in ("evaluate", "metrics", "demo"):
        assert f"\n  {command} " in done.stderr


def test_a_reader_that_stops_reading(folder):
    """As in `steelyard metrics | head -1`: no traceback."""
    with subprocess.Popen(
        [*COMMAND, *BASE], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        talk = process.stderr.read()
    assert "Traceback" not in talk
    assert "Exception" not in talk


NO_ROOM = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as a full disk: no file may grow
from steelyard.cli import main
main()
"""


def test_a_full_disk_behind_stdout(folder):
    with (folder / "out.txt").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", NO_ROOM, *BASE], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.endswith(
        "error: cannot write standard output: File too large\n       name a place that can be written\n"
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("arguments", [("--help",), ("evaluate", "-h")])
def test_help(folder, arguments):
    done = run(folder, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (BASE, 0),
        ((*BASE, "--format", "json", "--per-query", "-", "-o", "out.json"), 0),
        ((), 2),
        pytest.param(("metrics",), 0, marks=pytest.mark.long),
        pytest.param(("--version",), 0, marks=pytest.mark.long),
        pytest.param((*BASE, "--by", "city"), 2, marks=pytest.mark.long),
    ],
)
def test_closed_streams(folder, closed, arguments, code):
    command = f'"$0" "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, *COMMAND, *arguments], cwd=folder, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert done.returncode == code
    assert done.stdout or code
    if "out.json" in arguments:
        assert json.loads((folder / "out.json").read_text())["results"][0]["metric"] == "mrr"


def test_predictions_from_a_closed_stream(folder):
    command = ["sh", "-c", '"$0" "$@" <&-', *COMMAND, "evaluate", "-", "-m", "mrr"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard input is empty\n")


STARTED = "from steelyard.__main__ import main; print('up', flush=True); main()"


@pytest.mark.parametrize(
    ("command", "times"),
    [
        (BASE, 8),
        pytest.param(BASE, 12, marks=pytest.mark.long),
        pytest.param(("--version",), 12, marks=pytest.mark.long),
        pytest.param((*BASE, "--report", "out.html"), 12, marks=pytest.mark.long),
        pytest.param(("trec_eval", "a", "b"), 12, marks=pytest.mark.long),
    ],
)
def test_an_interrupt_at_any_moment_is_no_failed_gate(folder, command, times):
    (folder / "a").write_text("q 0 a 1\n")
    (folder / "b").write_text("q Q0 a 1 1.0 t\n")
    ended = set()
    for step in range(times):
        with subprocess.Popen(
            [sys.executable, "-c", STARTED, *command], cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.01 + step * 0.72 / times)
            process.send_signal(signal.SIGINT)
            _, talk = process.communicate()
        ended.add(process.returncode)
        assert "Traceback" not in talk, (step, talk)
    assert ended <= {0, 130, -signal.SIGINT}


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("TypeError('no such thing')", "TypeError: no such thing\nerror: this is a bug in Steelyard"),
        ("MemoryError", "error: there is not enough memory"),
        ("RecursionError", "error: this is a bug in Steelyard"),
    ],
)
def test_a_fault_of_ours_is_no_failed_gate(folder, raised, said):
    code = f"""
from steelyard.cli import main, evaluate
def broken(*_, **__): raise {raised}
evaluate.evaluate.callback = broken
main()
"""
    done = subprocess.run([sys.executable, "-c", code, *BASE], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (70, "")
    assert said in done.stderr


def test_an_interrupt_that_an_import_turns_into_another_error(folder):
    code = """
import os, signal
from steelyard.cli import main, evaluate
def importing(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        while True: pass
    except KeyboardInterrupt:
        raise ImportError("a module that failed to import") from None
evaluate.evaluate.callback = importing
main()
"""
    done = subprocess.run([sys.executable, "-c", code, *BASE], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")
