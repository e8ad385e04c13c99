"""Every table of every command may come through a pipe: no byte is lost, and no pipe is read twice.

Each query has one relevant item. A good run has it first (reciprocal rank 1), a bad run second (1/2).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading

import pytest

import steelyard as sy

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="process substitution needs bash")
SIZES = {"small": 30, "large": 4_000}  # a pipe holds 64 KiB; the large runs have twice as much


def lines(n, first, second):
    return "".join(f"q{at} Q0 {first} 1 2 s\nq{at} Q0 {second} 2 1 s\n" for at in range(n))


@pytest.fixture(params=["large", pytest.param("small", marks=pytest.mark.long)])
def runs(request, tmp_path, monkeypatch):
    n = SIZES[request.param]
    for name, text in {
        "good.run": lines(n, "a", "b"),
        "bad.run": lines(n, "b", "a"),
        "qrels": "".join(f"q{at} 0 a 1\n" for at in range(n)),
        "seen.csv": "query,item\n" + "".join(f"q{at},b\n" for at in range(n)),
    }.items():
        (tmp_path / name).write_text(text)
    assert ((tmp_path / "bad.run").stat().st_size > 2 << 16) == (request.param == "large")
    monkeypatch.chdir(tmp_path)


def bash(line):
    line = f"steelyard() {{ '{sys.executable}' -m steelyard \"$@\"; }}; {line}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)


DROP = "mrr is 0.5000, 0.5000 below the baseline's 1.0000; nothing worse is allowed"


@pytest.mark.parametrize(
    "line",
    [
        "check bad.run --truth qrels --baseline <(cat good.run)",
        "check <(cat bad.run) --truth <(cat qrels) --baseline <(cat good.run)",
        "check - --truth <(cat qrels) --baseline good.run < bad.run",
        "check bad.run --truth - --baseline good.run < qrels",
        "check bad.run --truth qrels --baseline - < good.run",
    ],
)
def test_check(runs, line):
    done = bash(f"steelyard {line} --max-drop mrr=0")
    assert (done.returncode, done.stdout.splitlines()[1]) == (1, f"failed  {DROP}"), done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "<(cat bad.run) <(cat good.run) --truth qrels",
        "old=<(cat bad.run) new=<(cat good.run) --truth <(cat qrels)",
        "bad.run - --truth <(cat qrels) < good.run",
    ],
)
def test_compare(runs, line):
    done = bash(f"steelyard compare {line} -m mrr --format csv")
    assert done.returncode == 0, done.stderr
    heading, row = (text.split(",") for text in done.stdout.splitlines())
    assert float(dict(zip(heading, row, strict=True))["difference"]) == 1 - 1 / 2


def test_what_both_runs_share_is_read_once(runs):
    """Without b, which every user saw, both runs have a in first place."""
    done = bash(
        "steelyard compare bad.run good.run --truth qrels --exclude <(cat seen.csv) -m mrr --format csv"
    )
    assert done.returncode == 0, done.stderr
    heading, row = (text.split(",") for text in done.stdout.splitlines())
    assert float(dict(zip(heading, row, strict=True))["difference"]) == 0
    done = bash(
        "steelyard check bad.run --baseline good.run --truth qrels --exclude <(cat seen.csv) --max-drop mrr=0"
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("line", ["<(cat a.csv) <(cat b.csv)", "- b.csv < a.csv", "a.csv - < b.csv"])
def test_two_systems(tmp_path, monkeypatch, line):
    """Scores of a put both positives above both negatives, those of b three of the four pairs in order."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("label,p\n1,0.9\n1,0.8\n0,0.3\n0,0.1\n")
    (tmp_path / "b.csv").write_text("label,p\n1,0.2\n1,0.8\n0,0.3\n0,0.1\n")
    done = bash(f"steelyard evaluate {line} -m auc --columns score=p")
    assert done.returncode == 0, done.stderr
    assert [row.split()[2] for row in done.stdout.splitlines()[1:]] == ["1.0000", "0.7500"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate <(cat bad.run) <(cat qrels) -m mrr", "0.5000"),
        ("evaluate <(cat bad.run) --truth <(cat qrels) -m mrr", "0.5000"),
        ("which <(cat bad.run) --truth <(cat qrels) --claim mrr=0.5000", "give 0.5000 for mrr"),
        (
            "differences <(cat bad.run) --truth <(cat qrels) -m mrr --profiles trec_eval,ranx",
            "0.5000",
        ),
    ],
)
def test_other_commands(runs, line, said):
    done = bash(f"steelyard {line}")
    assert (done.returncode, said in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "check - --truth qrels --baseline - --max-drop mrr=0",
        "check - --truth - --baseline good.run --max-drop mrr=0",
        "compare bad.run - --truth - -m mrr",
    ],
)
def test_standard_input_serves_one_table(runs, line):
    done = bash(f"steelyard {line} < bad.run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: standard input is named for more than one table")


def test_a_saved_result_may_come_from_a_pipe_of_its_name(runs, tmp_path):
    """The ending says that it is a saved result, so that nothing has to look inside."""
    sy.evaluate("good.run", "qrels", "mrr").save("good.steelyard")
    done = bash(
        "mkfifo base.steelyard; cat good.steelyard > base.steelyard & "
        "steelyard check bad.run --truth qrels --baseline base.steelyard --max-drop mrr=0"
    )
    assert (done.returncode, DROP in done.stdout) == (1, True), done.stderr


def test_named_pipes_in_python(runs, tmp_path):
    pipes = {}
    for name in ("good.run", "bad.run", "qrels", "seen.csv"):
        pipes[name] = tmp_path / f"pipe {name}"
        os.mkfifo(pipes[name])
        data = (tmp_path / name).read_bytes()
        threading.Thread(target=pipes[name].write_bytes, args=(data,), daemon=True).start()
    found = sy.check(
        pipes["bad.run"],
        pipes["qrels"],
        baseline=pipes["good.run"],
        exclude=pipes["seen.csv"],
        max_drop={"mrr": 0},
    )
    assert [one.value for one in found.verdicts if one.metric == "mrr"] == [1]


def test_minus_is_a_label_too():
    """One positive of score 0.9 above two negatives: every pair is in order."""
    assert sy.evaluate([0.1, 0.9, 0.5], ["-", "+", "-"], "auc", classes=["-", "+"])["auc"] == 1
