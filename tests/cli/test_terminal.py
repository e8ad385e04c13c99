"""On a terminal: header, table, conventions and notes together, and a bar while long work goes on."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path
from threading import Thread

import pytest

from steelyard.cli import streams

BASE = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr", "-m", "precision@2")
NO_COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def on_a_terminal(
    folder: Path,
    *arguments: str,
    code: str = "from steelyard.cli import main; main()",
    columns: int = 100,
    **environment: str,
) -> tuple[int, str]:
    """Run the command with a terminal for stdout and stderr; what it showed, without colours."""
    ours, theirs = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the last writer has left
                return
            if not part:
                return
            shown.append(part)

    reader = Thread(target=read)
    reader.start()
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(columns), **environment},
    ) as process:
        os.close(theirs)
    reader.join()
    os.close(ours)
    return process.returncode, b"".join(shown).decode().replace("\r\n", "\n")


def test_everything_in_one_place(folder):
    code, shown = on_a_terminal(folder, *BASE)
    assert code == 0
    lines = shown.splitlines()
    assert lines[0].endswith(" · run.csv against truth.csv")
    assert lines[1].startswith("3 queries · 5 predictions · 4 judgements")
    assert lines[3:6] == [
        "  metric        value     95% interval  queries  undefined",
        "  mrr          0.3333  0.0343 – 0.8756        3          0",
        "  precision@2  0.3333  0.0343 – 0.8756        3          0",
    ]
    assert lines[7].startswith("conventions  steelyard:2026 · ")
    assert "! 1 query has no predictions: counted as empty lists." in lines


def test_sentences_are_wrapped_and_the_table_is_not(folder):
    code, shown = on_a_terminal(folder, *BASE, columns=30)
    assert code == 0
    lines = shown.splitlines()
    start = lines.index("  metric        value     95% interval  queries  undefined")  # 58 wide
    assert all(len(line) <= 30 for line in [*lines[:start], *lines[start + 3 :]])
    assert lines[1:4] == [
        "  against truth.csv",
        "3 queries · 5 predictions · 4",
        "  judgements · 60.0% of ranked",
    ]
    note = lines.index("! 1 query has no predictions:")
    assert lines[note + 1].startswith("  counted as")


def test_the_talk_beside_a_file_is_wrapped_too(folder):
    code, shown = on_a_terminal(folder, *BASE, "-o", "out.csv", columns=30)
    assert code == 0
    assert all(len(line) <= 30 for line in shown.splitlines())
    assert shown.splitlines()[-1] == "written: out.csv"
    assert (folder / "out.csv").read_text().startswith("metric,value")


def test_the_width_is_that_of_the_terminal_itself(monkeypatch):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 57))
    monkeypatch.delenv("COLUMNS", raising=False)
    with os.fdopen(theirs, "w") as stream:
        assert streams.width(stream) == 57
        monkeypatch.setenv("COLUMNS", "33")
        assert streams.width(stream) == 33
    os.close(ours)
    assert streams.width(io.StringIO()) is None


def test_a_chosen_form_is_that_form_alone(folder):
    code, shown = on_a_terminal(folder, *BASE, "--format", "csv")
    assert code == 0
    assert shown.splitlines()[0] == "metric,value,ci_low,ci_high,tie_low,tie_high,n,of,undefined,spec"


def test_an_error_is_red_and_readable(folder):
    code, shown = on_a_terminal(folder, *BASE, "--by", "city")
    assert code == 2
    assert "\x1b[31m" in shown
    assert NO_COLOUR.sub("", shown).startswith(
        "error: no column 'city' in run.csv or truth.csv to slice by\n"
    )


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_that_nobody_wants(folder, environment):
    """As https://no-color.org has it: NO_COLOR with any value, and a terminal that has none."""
    code, shown = on_a_terminal(folder, "evaluate", "--nosuch", **environment)
    assert code == 2
    assert "\x1b" not in shown
    assert shown.startswith("error: No such option")


def test_an_empty_no_color_is_none(folder):
    assert "\x1b[31m" in on_a_terminal(folder, "evaluate", "--nosuch", NO_COLOR="")[1]


def test_data_on_a_terminal_is_escaped(folder):
    (folder / "run.csv").write_text("query,item,score\n\x1b]0;pwned\x07,a,1\n")
    (folder / "truth.csv").write_text("query,item,relevance\n\x1b]0;pwned\x07,a,1\n")
    code, shown = on_a_terminal(
        folder, "evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr", "--per-query", "-"
    )
    assert code == 0
    assert "\x1b]" not in shown
    assert "query,metric,value\n\\u001b]0;pwned\\u0007,mrr,1.0\n" in shown


SLOW = """
import threading
from steelyard.engine import rankings
from steelyard import progress
from steelyard.cli import main
progress._DELAY = 0.0
there, appear = threading.Event(), progress._Bar.appear
def seen(bar):
    appear(bar)
    there.set()
progress._Bar.appear = seen
measure = rankings.Rankings.of
def wait(*arguments, **options):
    there.wait()  # the work takes as long as the bar needs to appear
    return measure(*arguments, **options)
rankings.Rankings.of = wait
main()
"""


def test_long_work_shows_a_bar_that_is_gone_in_the_end(folder):
    code, shown = on_a_terminal(folder, *BASE, code=SLOW)
    assert code == 0
    plain = NO_COLOUR.sub("", shown)
    assert "━" in plain
    assert "averaging" in plain
    assert (
        "  mrr          0.3333  0.0343 – 0.8756        3          0" in plain.replace("\r", "\n").splitlines()
    )
    assert "\x1b[?25h" in shown  # the cursor is back


def test_trec_eval_escapes_what_a_terminal_is_shown(folder):
    """Another reader than a terminal gets the bytes as they are."""
    topic = "q\x1b[2J"
    (folder / "qrels").write_text(f"{topic} 0 a 1\n")
    (folder / "run").write_text(f"{topic} Q0 a 1 1.0 t\x1b[31m\n")
    command = ("trec_eval", "-q", "-m", "runid", "-m", "map", "qrels", "run")
    code, shown = on_a_terminal(folder, *command)
    assert (code, "\x1b" in shown) == (0, False)
    assert "map                   \tq\\u001b[2J\t1.0000\n" in shown
    piped = subprocess.run(
        [sys.executable, "-m", "steelyard", *command], cwd=folder, capture_output=True, text=True
    )
    assert f"\t{topic}\t1.0000\n" in piped.stdout
