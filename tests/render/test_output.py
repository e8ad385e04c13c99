"""Outputs are written whole or not at all, and nothing else is left behind."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
import pytest

import steelyard as sy
from steelyard.render import output
from steelyard.text.errors import OutputError

from ..tables import each_row


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_form_is_written_as_it_is_rendered(result, form, tmp_path):
    result.write(tmp_path / "out", form)
    assert (tmp_path / "out").read_text("utf-8") == result.render(form) + "\n"
    assert names(tmp_path) == {"out"}


def test_json_is_the_usual_form_and_text_paths_work(result, tmp_path):
    result.write(str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == result.to_dict()


def test_an_old_file_is_replaced_and_its_folder_unchanged(result, tmp_path):
    (tmp_path / "out").write_text("old")
    (tmp_path / "other").write_text("mine")
    result.write(tmp_path / "out", "csv")
    assert (tmp_path / "out").read_text("utf-8").startswith("site,metric,value")
    assert names(tmp_path) == {"out", "other"}


FULL_DISK = """
import resource, sys
from pathlib import Path
import polars as pl
import steelyard as sy
from steelyard.render import output

result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, "mrr")
chart = result.chart("per_query")
rows = pl.concat([result.per_query()] * 1000)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # as a full disk: no file may grow further
for name in sys.argv[1:]:
    path = Path(name)
    try:
        if path.stem == "rows":
            output.write_frame(path, rows)
        elif path.suffix == ".html":
            result.report(path)
        elif path.suffix == ".svg":
            chart.save(path)
        else:
            result.write(path)
    except sy.SteelyardError as error:
        print(error.message)
"""


def test_a_full_disk(tmp_path):
    """Polars tells of it in exceptions of its own, for parquet in another than for the rest."""
    files = ["out.json", "rows.csv", "rows.jsonl", "rows.parquet", "page.html", "chart.svg"]
    for name in files:
        (tmp_path / name).write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, *files], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"cannot write {name}: File too large" for name in files]
    assert names(tmp_path) == set(files)
    assert {(tmp_path / name).read_text() for name in files} == {"old"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # what Windows calls 112 is EHOSTDOWN to Linux
        ("There is not enough space on the disk. (os error 112)", "There is not enough space on the disk"),
        ("parquet: underlying IO error: File too large (os error 27)", "File too large"),
    ],
)
def test_the_reason_is_in_the_words_of_the_system(tmp_path, text, reason):
    def refused(file: BinaryIO) -> None:
        raise pl.exceptions.ComputeError(text)

    with pytest.raises(OutputError) as caught:
        output.write_whole(tmp_path / "out", refused)
    assert caught.value.message.endswith(f": {reason}")


@pytest.mark.parametrize("trouble", [OSError(5, "Input/output error"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("old", ["old", None])
def test_whatever_interrupts_a_write(tmp_path, trouble, old):
    if old:
        (tmp_path / "out").write_text(old)

    def half(file: BinaryIO) -> None:
        file.write(b"half of")
        raise trouble

    with pytest.raises(OutputError if isinstance(trouble, OSError) else type(trouble)):
        output.write_whole(tmp_path / "out", half)
    assert names(tmp_path) == ({"out"} if old else set())
    assert not old or (tmp_path / "out").read_text() == old


def test_a_writer_that_goes_on_after_it_was_interrupted(tmp_path):
    """Ctrl-C ends a call of Polars while its threads still write; given a name, they would make it anew."""
    interrupted = threading.Event()

    def later(target: Any) -> None:
        interrupted.wait()
        with suppress(Exception):  # by now the file is closed
            pl.DataFrame({"query": ["q1"]}).write_csv(target)

    def write(target: Any) -> None:
        writer = threading.Thread(target=later, args=(target,))
        writer.start()
        writers.append(writer)
        raise KeyboardInterrupt

    writers: list[threading.Thread] = []
    with pytest.raises(KeyboardInterrupt):
        output.write_whole(tmp_path / "out.csv", write)
    interrupted.set()
    writers[0].join()
    assert names(tmp_path) == set()


def test_a_private_file_is_private_while_it_is_written(tmp_path):
    (tmp_path / "out").write_text("old")
    (tmp_path / "out").chmod(0o600)
    before = os.umask(0o022)
    try:
        output.write_whole(
            tmp_path / "out", lambda file: file.write(oct(os.fstat(file.fileno()).st_mode & 0o777).encode())
        )
    finally:
        os.umask(before)
    assert (tmp_path / "out").read_text() == "0o600"


def test_a_rename_that_fails(result, tmp_path, monkeypatch):
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OutputError, match="Permission denied"):
        result.write(tmp_path / "out")
    assert names(tmp_path) == set()


def test_a_folder_where_a_file_is_meant(result, tmp_path):
    with pytest.raises(OutputError, match="is a folder") as error:
        result.write(tmp_path)
    assert error.value.remedy == "name a file"


def test_a_folder_that_is_not_there(result, tmp_path):
    with pytest.raises(OutputError, match=f"there is no folder {tmp_path / 'none'}"):
        result.write(tmp_path / "none" / "out.json")
    assert names(tmp_path) == set()


def test_a_file_that_may_not_be_written(result, tmp_path, monkeypatch):
    """Root may write anywhere, so the refusal is played."""
    (tmp_path / "out").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "out")
    with pytest.raises(OutputError, match="out: no permission"):
        result.write(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "old"


def test_the_usual_permissions_apply(result, tmp_path):
    before = os.umask(0o027)
    try:
        result.write(tmp_path / "out")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(result, tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "real.csv").write_text("old")
    (tmp_path / "out.csv").symlink_to(tmp_path / "far" / "real.csv")
    result.write(tmp_path / "out.csv", "csv")
    assert (tmp_path / "out.csv").is_symlink()
    assert (tmp_path / "far" / "real.csv").read_text().startswith("site,metric")
    assert names(tmp_path / "far") == {"real.csv"}


def test_a_pipe_or_a_device_is_written_to_and_never_replaced(result, tmp_path):
    """As root a rename onto /dev/null would do away with the device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")))
    reader.start()
    result.write(pipe, "csv")
    reader.join()
    assert read == [result.to_csv()]
    assert pipe.is_fifo()
    assert names(tmp_path) == {"pipe"}


@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/thread-self/fd/{}", "link"])
def test_a_descriptor_is_appended_to_whatever_it_leads_to(result, tmp_path, monkeypatch, name):
    """As `-o /dev/stdout >> file`: the shell has opened an ordinary file, and it is not ours to replace."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "file"
    file.write_text("old\n")
    with file.open("ab") as opened:
        (tmp_path / "link").symlink_to(f"/dev/fd/{opened.fileno()}")
        path = Path(name.format(opened.fileno()))
        assert output.is_stream(path)
        result.write(path, "csv")
        opened.write(b"new\n")
    assert file.read_text("utf-8") == f"old\n{result.to_csv()}new\n"
    assert names(tmp_path) == {"file", "link"}


def test_a_descriptor_goes_on_where_it_stands(result, tmp_path):
    file = tmp_path / "file"
    with file.open("wb", buffering=0) as opened:
        opened.write(b"first\n")
        result.write(f"/dev/fd/{opened.fileno()}", "csv")
        opened.write(b"last\n")
    assert file.read_text("utf-8") == f"first\n{result.to_csv()}last\n"


def test_the_descriptor_of_another_process(result, tmp_path):
    file = tmp_path / "file"
    file.write_text("old\n")
    with file.open("ab") as opened:
        other = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=opened)
    with other:
        result.write(f"/proc/{other.pid}/fd/1", "csv")
    assert file.read_text("utf-8") == f"old\n{result.to_csv()}"


def test_every_other_output_is_appended_too(result, tmp_path):
    file = tmp_path / "file"
    file.write_text("old\n")
    with file.open("ab") as opened:
        path = Path(f"/dev/fd/{opened.fileno()}")
        output.write_frame(path, FRAME)
        result.report(path)
        result.chart("per_query").save(path)
    text = file.read_text("utf-8")
    assert text.startswith("old\nquery,metric,value\nq1,mrr,0.5\n")
    assert (
        text.index("q1,mrr,0.5") < text.index("<!doctype html>") < text.index("</html>") < text.rindex("<svg")
    )


def test_what_was_printed_before_stands_before_it(tmp_path):
    code = "print('first'); import steelyard as sy\n"
    code += "sy.evaluate({'q': ['a']}, {'q': ['a']}, 'mrr').write('/dev/stdout', 'csv'); print('last')"
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    first, heads, row, last = (tmp_path / "out").read_text().splitlines()
    assert (first, heads, last) == (
        "first",
        "metric,value,ci_low,ci_high,tie_low,tie_high,n,of,undefined,spec",
        "last",
    )
    assert row.startswith("mrr,1.0,,,,,1,queries,0,")


def test_a_descriptor_that_is_not_open(result):
    with pytest.raises(OutputError, match="cannot write /dev/fd/98765: nothing is open there"):
        result.write("/dev/fd/98765", "csv")


def test_an_ordinary_link_leads_to_no_descriptor(tmp_path):
    (tmp_path / "fd").mkdir()
    (tmp_path / "fd" / "1").write_text("")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "nowhere").symlink_to("none")
    for name in ("fd/1", "round", "nowhere", "none"):
        assert not output.is_stream(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "why"),
    [("a" * 300, "File name too long"), ("round", "Too many levels of symbolic links"), ("a\0b", "NUL")],
)
def test_names_that_no_file_can_have(result, tmp_path, name, why):
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OutputError, match=f"^cannot write .*: .*{why}"):
        result.write(tmp_path / name, "csv")
    assert names(tmp_path) == {"round"}


@pytest.mark.parametrize("path", [None, 5, b"out.csv", ["out.csv"]])
def test_what_names_no_file(result, path):
    said = re.escape(f"the name of a file must be text or a path; got {path!r}")
    for write in (result.write, result.report, result.chart("per_query").save, partial(sy.report, result)):
        with pytest.raises(OutputError, match=said):
            write(path)


def test_a_long_name_is_written(result, tmp_path):
    """255 bytes are what a folder takes; the temporary file beside it has a shorter name."""
    name = "ä" * 120 + ".csv"
    result.write(tmp_path / name)
    assert names(tmp_path) == {name}


FRAME = pl.DataFrame({"query": ["q1", "q,2"], "metric": ["mrr"] * 2, "value": [0.5, float("nan")]})


def test_frames_as_the_file_name_says(tmp_path):
    for name in ("a.csv", "a.jsonl", "a.ndjson", "a.parquet", "A.CSV"):
        output.write_frame(tmp_path / name, FRAME)
    csv = 'query,metric,value\nq1,mrr,0.5\n"q,2",mrr,\n'
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "A.CSV").read_text() == csv
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [line["value"] for line in lines] == [0.5, None]
    assert (tmp_path / "a.ndjson").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
    assert pl.read_parquet(tmp_path / "a.parquet").equals(FRAME)
    assert len(names(tmp_path)) == 5


def test_text_that_would_be_a_formula(tmp_path):
    ids = ["=1+1", "-cmd", "a-5", None]
    kinds = {"text": pl.String, "category": pl.Categorical, "enum": pl.Enum(ids[:3])}
    frame = pl.DataFrame({name: pl.Series(ids, dtype=kind) for name, kind in kinds.items()})
    frame = frame.with_columns(number=pl.Series([-5, 1, 2, None]), value=pl.Series([-0.5, 1.0, 0.0, None]))
    text = output.frame_as_csv(frame)
    assert text.splitlines()[1:] == [
        "'=1+1,'=1+1,'=1+1,-5,-0.5",
        "'-cmd,'-cmd,'-cmd,1,1.0",
        "a-5,a-5,a-5,2,0.0",
        ",,,,",
    ]
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        output.write_frame(tmp_path / name, frame)
    assert (tmp_path / "a.csv").read_text() == text
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["text"] == "=1+1"
    assert pl.read_parquet(tmp_path / "a.parquet")["text"].to_list() == ids


NUMBERS = ["-1", "+1", "-0.5", "-.5", "-5.", "-1e-9", "+2E+10", "-007"]
FORMULAS = ["-1+1", "-cmd", "+A1", "-1 ", "--1", "-", "+", "-1e", "-.", "-inf", "-1\n", "-١", "@1", "=1"]


def test_a_number_is_no_formula():
    """In the cells and in the names of columns."""
    frame = pl.DataFrame({"text": [*NUMBERS, *FORMULAS]})
    read = list(csv.reader(io.StringIO(output.frame_as_csv(frame))))
    assert [row[0] for row in read[1:]] == [*NUMBERS, *(f"'{text}" for text in FORMULAS)]
    wide = pl.DataFrame({name: [0] for name in (*NUMBERS, *FORMULAS)})
    assert next(csv.reader(io.StringIO(output.frame_as_csv(wide)))) == [
        *NUMBERS,
        *(f"'{text}" for text in FORMULAS),
    ]


def test_a_slice_of_whole_numbers():
    log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.7, 0.3], "shift": [-1, -1, 1, 1]}
    lines = sy.evaluate(log, metrics="auc", by="shift").to_csv().splitlines()
    assert [line.split(",")[0] for line in lines] == ["shift", "(all)", "-1", "1"]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.json", "csv"])
def test_frames_whose_file_name_says_nothing(tmp_path, name):
    with pytest.raises(OutputError, match="its ending does not say in which format") as error:
        output.write_frame(tmp_path / name, FRAME)
    assert error.value.remedy == "known: .csv, .parquet, .jsonl"
    assert names(tmp_path) == set()


@each_row(
    ("name", "form"),
    [
        ("out.json", "json"),
        ("out.csv", "csv"),
        ("out.md", "markdown"),
        ("far/out.v2.tex", "latex"),
        ("OUT.JSON", "json"),
        ("out.txt", "table"),
        ("out", None),
        ("out.parquet", None),
        (".json", None),
    ],
)
def test_the_form_that_a_file_name_says(name, form):
    assert output.form_of(name) == output.form_of(Path(name)) == form


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_permissions(result, tmp_path, mode):
    (tmp_path / "out.csv").write_text("old")
    (tmp_path / "out.csv").chmod(mode)
    result.write(tmp_path / "out.csv", "csv")
    assert (tmp_path / "out.csv").read_text().startswith("site,metric")
    assert (tmp_path / "out.csv").stat().st_mode & 0o777 == mode


def test_one_file_under_two_names(tmp_path):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("a")
    (tmp_path / "soft").symlink_to("a")
    (tmp_path / "hard").hardlink_to(tmp_path / "a")
    (tmp_path / "nowhere").symlink_to("c")
    for name in ("a", "soft", "hard", "../" + tmp_path.name + "/a"):
        assert output.same_file(tmp_path / "a", tmp_path / name)
    assert output.same_file(tmp_path / "c", tmp_path / "nowhere")
    assert not output.same_file(tmp_path / "a", tmp_path / "b")
    assert not output.same_file(Path("/dev/null"), Path("/dev/null"))  # written to, never replaced
