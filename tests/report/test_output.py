"""Outputs are written whole or not at all, and nothing else is left behind."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import polars as pl
import pytest

from steelyard.errors import OutputError
from steelyard.report import output


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


def test_a_write_that_fails_leaves_the_old_file_and_no_other(result, tmp_path, monkeypatch):
    (tmp_path / "out").write_text("old")

    def full_disk(self: Path, *_args: object, **_options: object) -> int:
        with self.open("w") as file:
            file.write("ha")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(OutputError, match=r"cannot write .*out: No space left on device") as error:
        result.write(tmp_path / "out")
    monkeypatch.undo()
    assert error.value.remedy
    assert (tmp_path / "out").read_text() == "old"
    assert names(tmp_path) == {"out"}


@pytest.mark.parametrize("trouble", [OSError(5, "Input/output error"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("old", ["old", None])
def test_whatever_interrupts_a_write(tmp_path, trouble, old):
    if old:
        (tmp_path / "out").write_text(old)

    def half(path: Path) -> None:
        path.write_text("half of")
        raise trouble

    with pytest.raises(OutputError if isinstance(trouble, OSError) else type(trouble)):
        output.write_whole(tmp_path / "out", half)
    assert names(tmp_path) == ({"out"} if old else set())
    assert not old or (tmp_path / "out").read_text() == old


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
    ids = ["=1+1", "-5", "a-5", None]
    kinds = {"text": pl.String, "category": pl.Categorical, "enum": pl.Enum(ids[:3])}
    frame = pl.DataFrame({name: pl.Series(ids, dtype=kind) for name, kind in kinds.items()})
    frame = frame.with_columns(number=pl.Series([-5, 1, 2, None]), value=pl.Series([-0.5, 1.0, 0.0, None]))
    text = output.frame_as_csv(frame)
    assert text.splitlines()[1:] == [
        "'=1+1,'=1+1,'=1+1,-5,-0.5",
        "'-5,'-5,'-5,1,1.0",
        "a-5,a-5,a-5,2,0.0",
        ",,,,",
    ]
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        output.write_frame(tmp_path / name, frame)
    assert (tmp_path / "a.csv").read_text() == text
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["text"] == "=1+1"
    assert pl.read_parquet(tmp_path / "a.parquet")["text"].to_list() == ids


@pytest.mark.parametrize("name", ["a.txt", "a", "a.json", "csv"])
def test_frames_whose_file_name_says_nothing(tmp_path, name):
    with pytest.raises(OutputError, match="its ending does not say in which format") as error:
        output.write_frame(tmp_path / name, FRAME)
    assert error.value.remedy == "known: .csv, .parquet, .jsonl"
    assert names(tmp_path) == set()


@pytest.mark.parametrize(
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
