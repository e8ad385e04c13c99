"""What the streams are given: devices, other encodings, and names that hold escape sequences."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.cli.streams import tidied_up

COMMAND = [sys.executable, "-m", "steelyard"]
BASE = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr", "--ci", "none")
SPEC = (
    "mrr(duplicates=error, missing=keep, unexpected=ignore, unjudged=nonrelevant, judgements=all, "
    "grades=as_given, self_match=keep, order=score, ties=item_desc, depth=none, scores=as_given, "
    "item_order=native, "
    "mean=arithmetic, floor=1e-05, undefined=nan, empty=zero, rel=1)@all"
)
HEADS = "metric,value,ci_low,ci_high,tie_low,tie_high,n,of,undefined,spec"
TABLE = f'{HEADS}\nmrr,0.3333333333333333,,,0.3333333333333333,0.5,3,queries,0,"{SPEC}"\n'
ROWS = "query,metric,value\nq1,mrr,0.5\nq2,mrr,0.5\nq3,mrr,0.0\n"

# run.csv and truth.csv are those of test_evaluate: reciprocal ranks 1/2, 1/2 and 0.


def in_a_shell(folder: Path, end: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with its streams as ``end`` says, buffered as they are where nobody changed that."""
    command = ["bash", "-c", f'unset PYTHONUNBUFFERED; "$0" "$@" {end}', *COMMAND, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("options", "end", "expected"),
    [
        (("--format", "csv", "-o", "/dev/stdout"), ">> f", TABLE),
        (("--format", "csv", "-o", "/dev/stdout"), "> f", TABLE),
        (("--format", "csv", "-o", "/dev/fd/3"), "3>> f", TABLE),
        (("--per-query", "/dev/stdout", "-o", "-", "--format", "csv"), ">> f", ROWS + TABLE),
        (("--format", "csv", "-o", "-", "--per-query", "/dev/stdout"), "| cat >> f", ROWS + TABLE),
        (("--format", "csv", "-o", "pipe"), "> /dev/null & cat pipe >> f; wait", TABLE),
    ],
)
def test_a_stream_is_appended_to(folder, options, end, expected):
    (folder / "f").write_text("old\n")
    os.mkfifo(folder / "pipe")
    done = in_a_shell(folder, end, *BASE, *options)
    assert done.returncode == 0, done.stderr
    assert (folder / "f").read_text() == ("" if end == "> f" else "old\n") + expected
    assert {path.name for path in folder.iterdir()} == {"run.csv", "truth.csv", "f", "pipe"}


def test_the_talk_and_the_data_on_one_stream(folder):
    (folder / "f").write_text("old\n")
    done = in_a_shell(folder, "2>> f", *BASE, "--format", "csv", "-o", "/dev/stderr")
    text = (folder / "f").read_text()
    assert (done.returncode, done.stdout) == (0, "")
    assert text.startswith(f"old\n{TABLE}steelyard ")
    assert text.endswith("\nwritten: /dev/stderr\n")


def test_an_explanation_is_appended_too(folder):
    (folder / "f").write_text("old\n")
    done = in_a_shell(folder, ">> f", "explain", "mrr", "--grades", "0,1", "-o", "/dev/stdout")
    assert done.returncode == 0
    assert (folder / "f").read_text().startswith("old\nmrr")


def test_a_reader_who_leaves_takes_no_file_away(folder):
    """Every file is written before anything is shown, and `| true` reads nothing of it."""
    done = in_a_shell(
        folder, "| true; exit ${PIPESTATUS[0]}", *BASE, "-o", "-", "--per-query", "rows.csv", "--chart",
        "per_query=values.json",
    )  # fmt: skip
    assert done.returncode in (0, 128 + signal.SIGPIPE)  # 0 where all was written before `true` had ended
    assert (folder / "rows.csv").read_text() == ROWS
    assert json.loads((folder / "values.json").read_text())["description"]


COMMANDS = [
    (*BASE,),
    (*BASE, "--format", "json"),
    (*BASE, "--per-query", "-"),
    ("explain", "mrr", "--grades", "0,1"),
    ("metrics",),
    *(
        pytest.param(one, marks=pytest.mark.long)
        for one in [("--version",), ("--help",), ("evaluate", "--help")]
    ),
]


@pytest.mark.parametrize(
    ("end", "why"), [(">&-", "it is closed"), ("> /dev/full", "No space left on device")]
)
@pytest.mark.parametrize("arguments", COMMANDS)
def test_data_that_cannot_be_written(folder, arguments, end, why):
    done = in_a_shell(folder, end, *arguments)
    assert done.returncode == 2
    assert done.stderr.endswith(
        f"error: cannot write standard output: {why}\n       name a place that can be written\n"
    )
    assert not re.search("Traceback|Exception", done.stderr)


def test_a_closed_stream_is_refused_before_any_file_is_written(folder):
    done = in_a_shell(folder, ">&-", *BASE, "--format", "json", "--per-query", "-", "-o", "out.json")
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write standard output: it is closed\n")
    assert not (folder / "out.json").exists()


def test_a_closed_stream_that_nothing_is_written_to(folder):
    done = in_a_shell(folder, ">&-", *BASE, "-o", "out.csv")
    assert done.returncode == 0
    assert (folder / "out.csv").read_text() == TABLE


@pytest.mark.parametrize(("arguments", "code"), [(BASE, 0), (("evaluate", "none.csv", "-m", "mrr"), 2)])
def test_talk_that_nobody_can_hear(folder, arguments, code):
    """The numbers are there all the same, and the exit code."""
    done = in_a_shell(folder, "2> /dev/full", *arguments)
    assert (done.returncode, done.stderr) == (code, "")
    assert bool(done.stdout) == (code == 0)


def encoded(monkeypatch: pytest.MonkeyPatch, encoding: str, *arguments: str) -> tuple[int, str, str]:
    """Run a command with streams of another encoding; what each holds in it."""
    monkeypatch.setattr(sys, "argv", ["steelyard", *arguments])
    out, err = (TextIOWrapper(BytesIO(), encoding=encoding, newline="") for _ in range(2))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    code = 0
    try:
        main()
    except SystemExit as left:
        code = int(left.code or 0)
    read = []
    for stream in (out, err):
        stream.flush()
        # click takes ascii for a mistake and writes its help in UTF-8
        read.append(stream.buffer.getvalue().decode("utf-8" if encoding == "ascii" else encoding))  # type: ignore[attr-defined]
    return (code, *read)  # type: ignore[return-value]


CHINESE = "query,item,score\n中文,é,2\n中文,b,1\n"
JUDGED = "query,item,relevance,site\n中文,b,1,ℵ\n"
ASK = ("evaluate", "zh.csv", "--truth", "zh_truth.csv", "-m", "mrr")


@pytest.fixture
def chinese(folder):
    (folder / "zh.csv").write_text(CHINESE, "utf-8")
    (folder / "zh_truth.csv").write_text(JUDGED, "utf-8")
    return folder


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "gbk", "ascii", "utf-8"])
@pytest.mark.parametrize(
    "arguments",
    [
        (*ASK, "--by", "site"),
        ("metrics",),
        ("metrics", "ndcg", "--lang", "zh"),
        ("explain", "ndcg@2", "--grades", "1,0", "--lang", "zh"),
        ("explain", "mrr", "zh.csv", "--truth", "zh_truth.csv", "--query", "文"),
        ("evaluate", "中.csv", "-m", "mrr"),
        ("evaluate", "--help"),
        ("--nosuch", "→"),
    ],
)
def test_no_encoding_ends_in_a_traceback(chinese, monkeypatch, encoding, arguments):
    code, out, err = encoded(monkeypatch, encoding, *arguments)
    assert code in (0, 2)
    assert out if code == 0 else err.startswith("error: ")


def test_what_an_encoding_lacks_has_a_readable_stand_in(chinese, monkeypatch):
    code, out, err = encoded(monkeypatch, "ascii", *ASK, "--by", "site")
    assert code == 0
    assert out.splitlines()[-1].split() == ["\\u2135", "mrr", "0.5000", "-", "1", "0"]
    assert err.startswith(
        f"steelyard {sy.__version__} - zh.csv against zh_truth.csv\n1 query - 2 predictions"
    )


def test_json_holds_everything_in_any_encoding(chinese, monkeypatch):
    whole = [
        encoded(monkeypatch, name, *ASK, "--by", "site", "--format", "json") for name in ("utf-8", "ascii")
    ]
    (_, plain, _), (code, escaped, _) = whole
    assert code == 0
    assert "ℵ" in plain
    assert "\\u2135" in escaped
    assert json.loads(escaped) == json.loads(plain)


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_other_data_is_refused_rather_than_changed(chinese, monkeypatch, form):
    code, out, err = encoded(monkeypatch, "cp1252", *ASK, "--by", "site", "--format", form)
    assert (code, out) == (2, "")
    assert err == (
        "error: cannot write standard output: its encoding, cp1252, has no '\\u2135'\n"
        "       name a file with -o or --per-query, which is UTF-8, or set PYTHONIOENCODING=utf-8\n"
    )
    code, out, _ = encoded(monkeypatch, "gbk", *ASK, "--per-query", "-")
    assert (code, out) == (0, "query,metric,value\n中文,mrr,0.5\n")


def test_markdown_and_html_have_references_for_it(chinese, monkeypatch):
    _, out, _ = encoded(monkeypatch, "cp1252", *ASK, "--by", "site", "--format", "markdown")
    assert f"| &#{ord('ℵ')}; | mrr | 0.5000 |" in out
    explained = ("explain", "mrr", "--grades", "0,1", "--lang", "zh", "--format", "html")
    code, out, _ = encoded(monkeypatch, "latin-1", *explained)
    assert code == 0
    assert f"&#{ord('倒')};" in out  # 倒数排名, the reciprocal rank


def test_the_encoding_that_the_environment_names(folder):
    done = subprocess.run(
        [*COMMAND, "metrics", "--lang", "zh"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u" in done.stdout


TITLE = "\x1b]0;pwned\x07"  # sets the title of a terminal
TURNED = "b\u202eb"  # shows what follows from right to left
ONE_BYTE = "\x9b31m"  # a control sequence in one character
HOSTILE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture
def hostile(folder):
    rows = [f"{TITLE},x,1", f"{TURNED},y,2", f"{ONE_BYTE},y,2", '"new\nline",y,1']
    (folder / "h.csv").write_text("\n".join(["user_id,item_id,score", *rows]), "utf-8")
    (folder / "twice.csv").write_text("\n".join(["user_id,item_id,score", rows[0], rows[0]]), "utf-8")
    judged = [f"{TITLE},x,1,{TURNED}", f"{ONE_BYTE},x,1,{ONE_BYTE}", f"none,x,0,{TITLE}"]
    (folder / "t.csv").write_text("\n".join(["user_id,item_id,relevance,site", *judged]), "utf-8")
    (folder / f"{TITLE}.csv").write_text(f"{TITLE},{TURNED},n\na,b,1\n", "utf-8")
    (folder / "run.toml").write_text('"\\u001b[31m" = 1', "utf-8")
    return folder


PAIR = ("h.csv", "--truth", "t.csv")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("evaluate", *PAIR, "-m", "mrr", "--by", "site"), 0),
        (("evaluate", *PAIR, "-m", "mrr", "-o", f"{TITLE}\n.csv"), 0),
        (("evaluate", *PAIR, "-m", "mrr", "--chart", f"per_query={TITLE}.json"), 0),
        (("evaluate", "twice.csv", "--truth", "t.csv", "-m", "mrr"), 2),
        (("evaluate", f"{TITLE}.csv", "--truth", "t.csv", "-m", "mrr"), 2),
        (("evaluate", *PAIR, "-m", TITLE), 2),
        (("evaluate", *PAIR, "-m", "mrr", "--by", TITLE), 2),
        (("evaluate", *PAIR, "-m", "mrr", "--columns", f"query={TITLE}"), 2),
        (("evaluate", *PAIR, "-m", "mrr", "--set", f"{TITLE}={TURNED}"), 2),
        (("evaluate", *PAIR, "-m", "mrr", "--format", TITLE), 2),
        (("evaluate", *PAIR, "-m", "mrr", f"--{TURNED}"), 2),
        (("evaluate", "--run-file", "run.toml"), 2),
        (("evaluate", "--run-file", TITLE), 2),
        (("explain", "mrr", *PAIR, "--query", "other"), 2),
        (("explain", "mrr", *PAIR, "--query", TITLE), 0),
        (("explain", "mrr", *PAIR, "--query", ONE_BYTE), 0),
        (("explain", "f1", "--labels", f"{TITLE},b", "--predicted", f"{TITLE},b"), 0),
        (("explain", "auc", "--labels", f"{TITLE},b", "--scores", "1,0"), 2),
        (("metrics", TITLE), 2),
        ((TITLE,), 2),
    ],
)
def test_no_name_reaches_the_terminal_as_it_is(hostile, steelyard, arguments, code):
    done = steelyard(*arguments)
    assert done.code == code, done.err
    assert not HOSTILE.search(done.out + done.err)
    assert code == 0 or len(done.err.splitlines()) == 2  # an error and its remedy, whatever is in them


def test_what_was_written_is_told_in_one_line(hostile, steelyard):
    done = steelyard("evaluate", *PAIR, "-m", "mrr", "-o", "a\x1b[31m\nb.csv")
    assert done.err.splitlines()[-1] == "written: a\\u001b[31m\\nb.csv"
    assert (hostile / "a\x1b[31m\nb.csv").exists()


def test_data_keeps_the_values(hostile, steelyard):
    done = steelyard("evaluate", *PAIR, "-m", "mrr", "--per-query", "-")
    assert done.out.splitlines()[1] == f"{TITLE},mrr,1.0"
    read = json.loads(steelyard("evaluate", *PAIR, "-m", "mrr", "--by", "site", "--format", "json").out)
    assert {TITLE, TURNED, ONE_BYTE} <= {one["slice"].get("site") for one in read["results"]}


INTERRUPTED = """
import os, sys, time
import polars as pl
from steelyard.cli import main
from steelyard.cli.streams import tidied_up

def write(frame, file):
    file.write(b"half of")
    file.flush()
    print("writing", flush=True)
    time.sleep(600)

pl.DataFrame.write_csv = write
main()
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)],
)
def test_a_signal_while_a_file_is_written(folder, number, code):
    (folder / "rows.csv").write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, *BASE, "--per-query", "rows.csv", "-o", "out.json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(number)
        said = process.stderr.read()
    assert process.returncode == code
    assert "Traceback" not in said
    assert {path.name for path in folder.iterdir()} == {"run.csv", "truth.csv", "rows.csv"}
    assert (folder / "rows.csv").read_text() == "old"


def test_signals_that_python_does_not_handle_stay_as_they_are(monkeypatch):
    """Python knows no handler of a signal that a library of C took, and could not give it back."""
    taken = []
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", lambda number, handler: taken.append(number))
    with tidied_up():
        pass
    assert taken == []
