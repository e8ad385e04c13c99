"""A file holds what was saved, or it is refused in one sentence; it never gives something else."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import registry
from steelyard.result import saved as storage
from steelyard.result.saved import FORM
from steelyard.version import VERSION

RUN, TRUTH = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"a": 0.3}}, {"q1": {"b": 1}, "q2": {"a": 2}}


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "run.steelyard"
    sy.evaluate(RUN, TRUTH, "ndcg@10").save(file)
    return file


def refused(path: Any, said: str, remedy: str) -> None:
    with pytest.raises(sy.SteelyardError) as error:
        sy.load(path)
    assert str(error.value) == f"{said}\n{remedy}"
    assert error.value.render("zh") != str(error.value)


def test_the_file_is_a_zip_of_tables_that_others_can_read(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        values = pl.read_parquet(io.BytesIO(archive.read("values.parquet")))
        queries = pl.read_parquet(io.BytesIO(archive.read("queries.parquet")))
        lists = pl.read_parquet(io.BytesIO(archive.read("lists.parquet")))
    assert (manifest["kind"], manifest["version"], manifest["steelyard"]) == ("result", FORM, VERSION)
    # q1 has its item at rank 2: 1 / log2(3) = 0.6309; q2 at rank 1
    assert values.select("metric", "value").rows() == [("ndcg@10", pytest.approx((0.6309298 + 1) / 2))]
    assert queries.select("query", "ndcg@10").rows() == [("q1", pytest.approx(0.6309298)), ("q2", 1.0)]
    assert lists.rows() == [("q1", "a", 0.9), ("q1", "b", 0.8), ("q2", "a", 0.3)]


def test_the_same_result_gives_the_same_bytes(path):
    data = path.read_bytes()
    sy.evaluate(RUN, TRUTH, "ndcg@10").save(path)
    assert path.read_bytes() == data
    sy.load(path).save(path)
    assert path.read_bytes() == data


CHANGED = "{path} was cut short or changed after it was saved\nsave or copy it again"
FOREIGN = (
    "{path} is not a complete file that Steelyard saved\n"
    "name a file that result.save or sy.partial wrote; sy.evaluate reads predictions and truth"
)


def told(path: Path) -> str:
    with pytest.raises(sy.SteelyardError) as error:
        sy.load(path)
    return str(error.value).replace(str(path), "{path}")


def test_a_file_that_is_cut_anywhere(path):
    data = path.read_bytes()
    for length in range(1, len(data), 17):
        path.write_bytes(data[:length])
        assert told(path) in (CHANGED, FOREIGN)
    path.write_bytes(data[:-1])
    assert told(path) == CHANGED


def unharmed(path: Path, expected: str) -> bool:
    """Whether a damaged file gives the same result; else it is refused."""
    try:
        return sy.load(path).to_json() == expected
    except sy.SteelyardError as error:
        return str(error).replace(str(path), "{path}") in (CHANGED, FOREIGN)


@pytest.mark.parametrize(
    ("flip", "step"),
    [(0x01, 7), (0xFF, 11), *(pytest.param(1 << bit, 1, marks=pytest.mark.long) for bit in range(8))],
)
def test_a_file_with_a_byte_changed(path, flip, step):
    """Dates and rights of the files in a zip mean nothing; any other byte is checked."""
    expected = sy.load(path).to_json()
    data = bytearray(path.read_bytes())
    for at in range(0, len(data), step):
        data[at] ^= flip
        path.write_bytes(data)
        assert unharmed(path, expected), at
        data[at] ^= flip


FRAME = pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})


def other_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("scores.csv", "query,item,score\n")


@pytest.mark.parametrize(
    "write",
    [
        FRAME.write_csv,
        FRAME.write_parquet,
        FRAME.write_ipc,
        FRAME.write_ipc_stream,
        FRAME.write_ndjson,
        other_zip,
        lambda path: path.write_text("q Q0 a 1 2.0 tag\n"),
        lambda path: path.write_bytes(b"\x80\x04\x95"),
        lambda path: path.write_bytes(b"PK\x03\x04"),
        lambda path: path.write_bytes(b"ARROW1"),
    ],
)
def test_another_kind_of_file(tmp_path, write):
    write(tmp_path / "run.steelyard")
    assert told(tmp_path / "run.steelyard") == FOREIGN


def test_no_file_at_all(tmp_path, path):
    refused(
        path.parent / "runs.steelyard",
        f"{path.parent / 'runs.steelyard'} does not exist; did you mean 'run.steelyard'?",
        f"check the spelling, and that the file is in {path.parent}",
    )
    nowhere = tmp_path / "none" / "run.steelyard"
    refused(
        nowhere, f"{nowhere} does not exist", f"check the spelling, and that the file is in {nowhere.parent}"
    )
    empty = tmp_path / "empty"
    empty.touch()
    refused(empty, f"{empty} is empty", "check the step that wrote it")
    refused(
        tmp_path,
        f"{tmp_path} is a folder, not a file",
        f"name the files in it: '{tmp_path}/*'",
    )
    refused(
        7,
        "the name of a file must be text or a path; got 7",
        "name what result.save wrote: 'run.steelyard'",
    )
    with pytest.raises(sy.SteelyardError, match="cannot be read: embedded null"):
        sy.load("a\0b")


def test_a_file_without_the_right_to_read_it(path, monkeypatch):
    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    refused(path, f"{path} may not be read: permission denied", "ask its owner, or run chmod u+r on it")


def change(path: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    """Write the file again with another manifest, as a program could."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files["manifest.json"])
    edit(manifest)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**files, "manifest.json": json.dumps(manifest)}.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("version", ["5.0", "6.0", "70.1", "none", 1])
def test_another_major_version(path, version):
    change(path, lambda manifest: manifest.update(version=version))
    refused(
        path,
        f"{path} has file format {version}, written by Steelyard {VERSION}; "
        f"this Steelyard {VERSION} reads format {FORM}",
        "evaluate again and save, or load it with a Steelyard that reads this format",
    )


def test_a_later_minor_version(path):
    def later(manifest):
        manifest.update(version="7.9", added={"a form of next year": 1})
        manifest["metrics"][0]["added"] = 1

    change(path, later)
    assert sy.load(path)["ndcg@10"] == pytest.approx((0.6309298 + 1) / 2)


EDITS = {
    "no metrics": lambda manifest: manifest.pop("metrics"),
    "no state": lambda manifest: manifest.update(states=[]),
    "another class": lambda manifest: manifest.update(plan={"os.system": {}}),
    "another table": lambda manifest: manifest["lists"]["tables"][0].update(table="nowhere"),
    "another shape": lambda manifest: manifest["metrics"][0]["whole"].update(shape=[7, 7]),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_sound_file_that_says_nothing_sensible(path, edit):
    change(path, EDITS[edit])
    assert told(path) == CHANGED
    change(path, lambda manifest: manifest.update(version="7.1"))
    assert told(path).startswith(f"{{path}} has file format 7.1, written by Steelyard {VERSION};")


def test_a_metric_that_is_not_defined_where_it_is_loaded(path, monkeypatch):
    monkeypatch.delitem(registry._canonical, "ndcg")
    refused(
        path,
        f"{path} holds values of the metric 'ndcg', which is not defined here",
        "run the code that defines it, and load again",
    )


def test_the_manifest_names_no_module_and_no_class(path):
    """A name in a file is looked up in a table; it is never imported."""
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert "steelyard." not in json.dumps({**manifest, "plan": None, "notes": None})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_only_regular_files_are_looked_into(tmp_path, path, monkeypatch):
    """A pipe gives each byte once, and a named pipe without a writer would wait for ever."""
    os.mkfifo(tmp_path / "run")
    assert not storage.is_saved(tmp_path / "run")
    assert not storage.is_saved("/dev/null")
    monkeypatch.chdir(tmp_path)
    path.rename("-")
    assert not storage.is_saved("-")  # which is standard input
    assert storage.is_saved("./-")


def test_a_table_edited_by_other_software_is_refused(tmp_path):
    path = tmp_path / "run.steelyard"
    sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, ["mrr", "ndcg@2"]).save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    edited = io.BytesIO()
    pl.read_parquet(io.BytesIO(files["values.parquet"])).reverse().write_parquet(edited)
    files["values.parquet"] = edited.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    with pytest.raises(sy.SteelyardError, match="was cut short or changed after it was saved"):
        sy.load(path)


@pytest.mark.parametrize("edited", [{"plan": None}, {"metrics": []}, {"tally": 3}, {"notes": None}])
def test_a_manifest_edited_by_hand_is_one_sentence(tmp_path, edited):
    path = tmp_path / "run.steelyard"
    sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr").save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["manifest.json"] = json.dumps({**json.loads(files["manifest.json"]), **edited}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    with pytest.raises(sy.SteelyardError, match="was cut short or changed after it was saved"):
        sy.load(path)
