"""Binary files with a byte that is not as it was written, and files that were cut short."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steelyard import read
from steelyard.read import headers
from steelyard.read.headers import MalformedError
from steelyard.text.errors.base import ColumnError, ReadError

FRAME = pl.DataFrame(
    {
        "query": ["q1", "q1", "q2", "q2"],
        "item": ["a", "b", "a", "c"],
        "score": [0.5, 0.25, 0.125, 1.0],
        "weight": [1, None, 3, None],
        "lists": [[1.0], [2.0, 3.0], [], [4.0]],
    }
)
ROWS = [("q1", "a", 0.5), ("q1", "b", 0.25), ("q2", "a", 0.125), ("q2", "c", 1.0)]


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def streamed(buffer: io.BytesIO) -> None:
    table = FRAME.to_arrow()
    with pa.ipc.new_stream(buffer, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_table(table)


KINDS = {
    "parquet": (".parquet", written(FRAME.write_parquet)),
    "parquet, pages of version 2": (
        ".parquet",
        written(lambda b: pq.write_table(FRAME.to_arrow(), b, data_page_version="2.0", row_group_size=2)),
    ),
    "arrow": (".arrow", written(FRAME.write_ipc)),
    "arrow, packed": (".arrow", written(lambda b: FRAME.write_ipc(b, compression="zstd"))),
    "arrow, a stream": (".arrow", written(FRAME.write_ipc_stream)),
    "arrow, a packed stream": (".arrow", written(streamed)),
}

# Reads every file of a folder; a process that is aborted prints no last line.
READ_ALL = """
import sys
from pathlib import Path
from steelyard import read
from steelyard.text.errors.base import SteelyardError

for path in sorted(Path(sys.argv[1]).iterdir()):
    print(path.name, end=" ", flush=True)
    try:
        read.predictions(path, extra=["weight", "lists"])
        print("read")
    except SteelyardError as error:
        clear = str(path) in error.message and "\\n" not in error.message and error.remedy
        print("refused" if clear else f"refused without a clear sentence: {error}")
print("to the end")
"""


@pytest.mark.parametrize("kind", KINDS)
def test_whole_files(kind, write):
    ending, content = KINDS[kind]
    table = read.predictions(write(f"whole{ending}", content), extra=["weight", "lists"])
    assert table.frame.rows() == ROWS
    assert table.extra.equals(FRAME.select("weight", "lists"))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_byte_never_ends_the_process(kind, tmp_path):
    """The lowest bit of every byte: it is the sign of a number in a page header. And one seeded bit more."""
    ending, content = KINDS[kind]
    draw = random.Random(kind)
    for place in range(len(content)):
        for bit in {0, draw.randrange(1, 8)} if place % 3 == 0 else {0}:
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            (tmp_path / f"{place:05}-{bit}{ending}").write_bytes(flipped)
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, tmp_path], capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"after {lines[-1]}: {done.stderr[-2000:]}"
    assert lines.pop() == "to the end"
    assert {line.split(" ", 1)[1] for line in lines} == {"read", "refused"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_cut_short(kind, write):
    """A stream may end after its columns or after any batch; everything else ends as it must."""
    ending, content = KINDS[kind]
    for length in range(1, len(content)):
        path = write(f"{length}{ending}", content[:length])
        try:
            rows = read.predictions(path).frame.rows()
        except ReadError:
            continue
        assert "stream" in kind
        assert rows == ROWS


def test_a_negative_count_in_a_page_header(write):
    """A page header in Thrift: 0x15 begins an integer, and the lowest bit of its value is the sign."""
    _, content = KINDS["parquet"]
    page = bytes([0x15, 8, 0x15])  # data_page_header: num_values = 4 (as 2 * 4), then the encoding
    place = content.index(b"\x2c" + page) + 2
    for value in (9, 10):  # -5, and one more than there are
        broken = content[:place] + bytes([value]) + content[place + 1 :]
        with pytest.raises(ReadError) as caught:
            read.predictions(write("a.parquet", broken))
        assert caught.value.message.endswith(
            "a.parquet is not a valid parquet file: it counts something that cannot be there"
        )


def test_an_impossible_size_in_a_packed_arrow_file(write):
    """A packed buffer begins with its size: 4 rows of 8 bytes are 32, which no 40 bytes can make 2**61."""
    _, content = KINDS["arrow, packed"]
    size = (32).to_bytes(8, "little")
    broken = content.replace(size, (2**61).to_bytes(8, "little"), 1)
    assert broken != content
    with pytest.raises(ReadError, match=r"a\.arrow is not a valid arrow file: it counts something"):
        read.predictions(write("a.arrow", broken))


def test_only_the_columns_that_are_wanted_are_looked_at(write):
    path = write("a.parquet", KINDS["parquet"][1])
    layout = headers.parquet_layout(path)
    assert layout.names == ("query", "item", "score", "weight", "lists")
    assert {chunk.column for chunk in layout.chunks} == {name.encode() for name in layout.names}
    spoiled = bytearray(path.read_bytes())
    weight = next(chunk for chunk in layout.chunks if chunk.column == b"weight")
    spoiled[weight.start] = 0xFF
    write("a.parquet", bytes(spoiled))
    layout.check(path, ["query", "score"])
    with pytest.raises(MalformedError):
        layout.check(path, ["weight"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x15",
        b"\x1c" * 100,
        b"\x19" * 5000,
        b"\x18\x7f",
        b"\x1f\x00",
        b"\x15" + b"\xff" * 20,
        b"\x19\xfc\xff\xff\xff\xff\x0f\x00",
    ],
)
def test_bytes_that_are_no_thrift(content):
    with pytest.raises(MalformedError):
        headers.Thrift(content).struct()


def doubled(name: str, folder: Path) -> Path:
    table = pa.table([["q"], ["a"], [1.0], [2.0]], names=["query", "item", "score", "score"])
    path = folder / name
    if name.endswith("parquet"):
        pq.write_table(table, path)
    else:
        make = pa.ipc.new_stream if "stream" in name else pa.ipc.new_file
        with pa.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "stream.arrow"])
def test_doubled_names(name, tmp_path):
    path = doubled(name, tmp_path)
    with pytest.raises(ColumnError) as caught:
        read.predictions(path)
    assert str(caught.value) == f"{path} has two columns called 'score'\nrename or drop one of them"


@pytest.mark.parametrize(
    "words",
    [
        pl.exceptions.ComputeError("called `Result::unwrap()` on an `Err` value: JoinError::Panic(Id(7), …)"),
        pl.exceptions.ComputeError('out-of-spec: InvalidFlatbufferSchema(Error { type_: "Footer" })'),
        pl.exceptions.PanicException("range end index 9 out of range for slice of length 3"),
    ],
)
def test_the_words_of_the_readers_code_are_not_repeated(tmp_path, monkeypatch, words):
    path = tmp_path / "run.parquet"
    path.write_bytes(KINDS["parquet"][1])

    def broken(*_given, **_options):
        raise words

    monkeypatch.setattr(pl.LazyFrame, "collect_schema", broken)
    with pytest.raises(ReadError) as caught:
        read.predictions(path)
    assert caught.value.message == f"{path} is not a valid parquet file: it is damaged inside"
    assert caught.value.remedy.startswith("write or copy it again")


def test_a_damaged_schema_is_told_without_code(tmp_path):
    sound = KINDS["parquet"][1]
    at = sound.index(b"ARROW:schema") + 40  # within the schema in base64, which has no "!"
    path = tmp_path / "run.parquet"
    path.write_bytes(sound[:at] + b"!" + sound[at + 1 :])
    with pytest.raises(ReadError, match="is not a valid parquet file: it is damaged inside"):
        read.predictions(path)
