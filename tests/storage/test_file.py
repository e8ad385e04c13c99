"""A file holds what was written, or it is refused in one sentence; it never gives something else."""

from __future__ import annotations

import io
import json
import os
import re
import tracemalloc
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard import storage
from steelyard.engine.protocol import Tally
from steelyard.messages import say
from steelyard.metrics import registry
from steelyard.storage.sealed import seal
from steelyard.storage.tree import to_tree
from steelyard.version import VERSION

VALUE = {
    "queries": pl.Series("query", ["q1", "q2", None]),
    "values": np.array([0.5, np.nan]),
    "notes": (say("{n:,} {n:row|rows} excluded.", key="excluded", n=3),),
    "metric": sy.NDCG(k=10),
}


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "run.steelyard"
    file.write_bytes(storage.to_bytes("result", "1.0", VALUE, {}))
    return file


def read(path: object, version: str = "1.0", kind: str = "result"):
    return storage.read(path, kind, version, storage.HELD)


def refused(path: object, said: str, remedy: str, **how: str) -> None:
    with pytest.raises(sy.SteelyardError) as error:
        read(path, **how)
    assert str(error.value) == f"{said}\n{remedy}"
    assert error.value.told("zh") != str(error.value)


def test_what_was_written_is_read(path):
    for given in (path, str(path)):
        found = read(given)
        assert found["queries"].equals(VALUE["queries"], null_equal=True)
        assert found["values"].tobytes() == VALUE["values"].tobytes()
        assert found["notes"] == VALUE["notes"]
        assert found["notes"][0].told("zh") == VALUE["notes"][0].told("zh")
        assert found["metric"] == sy.NDCG(k=10)


def test_the_file_is_arrow_that_others_can_read(path):
    row = pl.read_ipc(path).row(0, named=True)
    assert (row["kind"], row["version"], row["steelyard"]) == ("result", "1.0", VERSION)
    assert row["0"] == ["q1", "q2", None]


def test_the_same_value_gives_the_same_bytes():
    assert len({storage.to_bytes("result", "1.0", VALUE, {}) for _ in range(3)}) == 1


CHANGED = "{path} was cut short or changed after it was saved\nsave or copy it again"
FOREIGN = (
    "{path} is not a file that Steelyard saved, or no more than the beginning of one\n"
    "name what result.save wrote; predictions and truth are read by sy.evaluate"
)


def told(path: Path) -> str:
    with pytest.raises(sy.SteelyardError) as error:
        read(path)
    return str(error.value).replace(str(path), "{path}")


def test_a_file_that_is_cut_at_any_byte(path):
    data = path.read_bytes()
    for length in range(1, len(data)):
        path.write_bytes(data[:length])
        assert told(path) in (CHANGED, FOREIGN)
    assert told(path) == CHANGED
    path.write_bytes(data + b"\0")
    assert told(path) == CHANGED


@pytest.mark.parametrize("flip", [0x01, 0xFF])
def test_a_file_with_any_byte_changed(path, flip):
    data = bytearray(path.read_bytes())
    for at in range(len(data)):
        data[at] ^= flip
        path.write_bytes(data)
        assert told(path) in (CHANGED, FOREIGN)
        data[at] ^= flip
    path.write_bytes(data)
    assert read(path)["metric"] == sy.NDCG(k=10)


def test_two_parts_of_a_file_that_changed_places(path):
    data = path.read_bytes()
    path.write_bytes(data[:200] + data[300:400] + data[200:300] + data[400:])
    assert told(path) == CHANGED


def test_texts_that_look_like_the_check(tmp_path):
    """Categories stand in the schema, beside the name of the column that holds the check."""
    texts = [f"check:{digit * 32}" for digit in "0af"]
    for kind in (pl.String, pl.Enum(texts)):
        value = pl.Series("check:" + "0" * 32, texts, kind)
        file = tmp_path / "run.steelyard"
        file.write_bytes(storage.to_bytes("result", "1.0", value, {}))
        found = read(file)
        assert found.equals(value, check_names=True, check_dtypes=True)


FRAME = pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})


@pytest.mark.parametrize(
    "write",
    [
        FRAME.write_csv,
        FRAME.write_parquet,
        FRAME.write_ipc,
        FRAME.write_ipc_stream,
        FRAME.write_ndjson,
        lambda path: path.write_text("q Q0 a 1 2.0 tag\n"),
        lambda path: path.write_bytes(b"\x80\x04\x95"),
        lambda path: path.write_bytes(b"PK\x03\x04"),
        lambda path: path.write_bytes(b"ARROW1"),
    ],
)
def test_another_kind_of_file(tmp_path, write):
    write(tmp_path / "run.steelyard")
    assert told(tmp_path / "run.steelyard") == FOREIGN


def test_sealed_bytes_of_another_kind(tmp_path):
    file = tmp_path / "part"
    file.write_bytes(seal("score table", "1", []))
    refused(file, f"{file} holds 'score table', not 'result'", "name what result.save wrote")


def test_no_file_at_all(tmp_path, path):
    refused(
        path.parent / "runs.steelyard",
        f"{path.parent / 'runs.steelyard'} does not exist; did you mean 'run.steelyard'?",
        f"check the spelling, and that it lies in {path.parent}",
    )
    nowhere = tmp_path / "none" / "run.steelyard"
    refused(nowhere, f"{nowhere} does not exist", f"check the spelling, and that it lies in {nowhere.parent}")
    empty = tmp_path / "empty"
    empty.touch()
    refused(empty, f"{empty} is empty", "check the step that wrote it")
    refused(
        tmp_path,
        f"{tmp_path} cannot be read: Is a directory",
        "check the disk and the path, then try again",
    )
    refused(
        7,
        "the name of a file must be text or a path; got 7",
        "name what result.save wrote: 'run.steelyard'",
    )
    with pytest.raises(sy.SteelyardError, match="cannot be read: embedded null"):
        read("a\0b")


def test_a_file_without_the_right_to_read_it(path, monkeypatch):
    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    refused(path, f"{path} may not be read: permission denied", "ask its owner, or run chmod u+r on it")


@pytest.mark.parametrize(("saved", "reads"), [("2.0", "1.7"), ("10.0", "9.0"), ("1.3", "2.0")])
def test_another_major_version(tmp_path, saved, reads):
    file = tmp_path / "run.steelyard"
    file.write_bytes(storage.to_bytes("result", saved, VALUE, {}))
    refused(
        file,
        f"{file} was saved by Steelyard {VERSION}, in version {saved} of its form; "
        f"this is Steelyard {VERSION}, which reads version {reads}",
        f"load it with Steelyard {VERSION}, or evaluate again",
        version=reads,
    )


def test_a_later_minor_version(path):
    path.write_bytes(storage.to_bytes("result", "1.9", VALUE, {}))
    assert read(path, "1.2")["metric"] == sy.NDCG(k=10)


def with_tree(tree: str, version: str = "1.0") -> bytes:
    return seal("result", version, [pl.Series("tree", [tree])])


@pytest.mark.parametrize(
    "tree",
    [
        "",
        "[]",
        "{}",
        '{"value": {"class": "result"}, "objects": []}',
        '{"value": {"at": 0}, "objects": [{"class": "hits", "fields": {}}]}',
        '{"value": {"at": 0}, "objects": [{"class": "asked", "fields": {"metric": {"at": 0}}}]}',
        '{"value": {"at": 0}, "objects": [{"array": "7", "dtype": "<f8", "shape": []}]}',
        '{"value": {"a later form": 1}, "objects": []}',
        '{"value": ' + "[" * 100_000 + "]" * 100_000 + ', "objects": []}',
    ],
)
def test_a_sound_file_that_says_nothing_sensible(tmp_path, tree):
    file = tmp_path / "run.steelyard"
    file.write_bytes(with_tree(tree))
    assert told(file) == CHANGED
    file.write_bytes(with_tree(tree, "1.1"))
    assert told(file).startswith(f"{{path}} was saved by Steelyard {VERSION}, in version 1.1 of its form;")


def doubled(times: int) -> str:
    """A message whose figure stands in it twice, within another such message."""
    node = '"word"'
    for _ in range(times):
        node = f'{{"message": ["{{a}}{{a}}", {{"a": {node}}}, ""]}}'
    return node


def shared(times: int) -> str:
    """Objects that each hold the next one twice; a set takes the hash of all."""
    pair = '{{"class": "side", "fields": {{"codes": {{"at": {at}}}, "ids": {{"at": {at}}}}}}}'
    objects = ", ".join(pair.format(at=at + 1) for at in range(times))
    return f'{{"value": {{"set": [{{"at": 0}}]}}, "objects": [{objects}, 1]}}'


HOSTILE = {
    "width": '{"message": ["{n:>400000000}", {"n": 1}, ""]}',
    "precision": '{"message": ["{n:.400000000f}", {"n": 1}, ""]}',
    "doubled": doubled(26),
    "empty and doubled": doubled(26).replace("word", ""),
    "deep messages": '{"message": ["{a}", {"a": ' * 300 + "1" + '}, ""]}' * 300,
    "deep lists": "[" * 200 + "]" * 200,
    "a long span": json.dumps({"microseconds": "9" * 30}),
    "a span of a million digits": json.dumps({"microseconds": "9" * 1_000_000}),
    "a number of a million digits": json.dumps({"int": "f" * 1_000_000}),
    "a large decimal": '{"decimal": "1e999999999"}',
    "no decimal": '{"decimal": "1,5"}',
    "no date": '{"date": "2026-99-99"}',
}


@pytest.mark.parametrize("node", HOSTILE.values(), ids=list(HOSTILE))
def test_a_small_file_that_asks_for_much(tmp_path, node):
    tree = f'{{"value": {node}, "objects": []}}'
    file = tmp_path / "run.steelyard"
    file.write_bytes(with_tree(tree))
    tracemalloc.start()
    assert told(file) == CHANGED
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


def test_objects_that_are_shared_without_end(tmp_path):
    file = tmp_path / "run.steelyard"
    file.write_bytes(with_tree(shared(40)))
    assert told(file) == CHANGED


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("0", [None], pl.Null).new_from_index(0, 50_000_000).implode(),
        pl.Series("0", ["text"] * 100).implode(),
    ],
)
def test_an_array_that_holds_no_numbers(tmp_path, column):
    file = tmp_path / "run.steelyard"
    tree = '{"value": {"scalar": {"array": "0", "dtype": "<f8", "shape": [-1]}}, "objects": []}'
    file.write_bytes(seal("result", "1.0", [pl.Series("tree", [tree]), column]))
    assert told(file) == CHANGED


def test_a_head_that_is_no_text(tmp_path):
    file = tmp_path / "run.steelyard"
    for version in (1, "9" * 5000):
        file.write_bytes(with_tree("{}", version))  # type: ignore[arg-type]
        assert told(file).startswith("{path} was ")


def test_a_file_of_two_rows_or_none(path):
    frame = pl.read_ipc(path)
    for other in (frame.head(0), pl.concat([frame, frame])):
        out = io.BytesIO()
        other.write_ipc(out)
        path.write_bytes(out.getvalue())
        assert told(path) == CHANGED


def test_a_metric_that_is_not_defined_where_it_is_loaded(tmp_path, monkeypatch):
    file = tmp_path / "run.steelyard"
    file.write_bytes(storage.to_bytes("result", "1.0", VALUE, {}))
    monkeypatch.delitem(registry._canonical, "ndcg")
    refused(
        file,
        f"{file} holds values of the metric 'ndcg', which is not defined here",
        "run the code that defines it, and load again",
    )


def test_numbers_are_held_as_columns_and_compressed(tmp_path):
    values = np.zeros(100_000)
    assert len(storage.to_bytes("result", "1.0", values, {})) < values.nbytes / 50


def test_the_tree_names_no_module():
    """A name in a file is looked up in a list; it is never imported."""
    tree, _ = to_tree(Tally(**dict.fromkeys(Tally.__dataclass_fields__, 1)), storage.HELD)
    assert not re.search(r"steelyard|Tally|\.", str(tree))


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
