"""Bytes that readers of text take in different ways are refused, by their line; what is not text is named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import sys
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard import read
from steelyard.read import text
from steelyard.text.errors.base import ReadError, SteelyardError

ROWS = [("q", "a", 0.5), ("q", "b", 0.25)]
LINES = {
    "csv": ["query,item,score", "q,a,0.5", "q,b,0.25"],
    "tsv": ["query\titem\tscore", "q\ta\t0.5", "q\tb\t0.25"],
    "jsonl": ['{"query": "q", "item": "a", "score": 0.5}', '{"query": "q", "item": "b", "score": 0.25}'],
    "run": ["q Q0 a 1 0.5 t", "q Q0 b 2 0.25 t"],
}


def zstd(content: bytes, folder: Path) -> bytes:
    """Polars is the only zstd at hand: write the lines as a csv of one column without quotes."""
    path = folder / "packed.zst"
    lines = pl.DataFrame({"line": content.decode().removesuffix("\n").split("\n")})
    lines.lazy().sink_csv(
        path, include_header=False, quote_style="never", separator="\x01", compression="zstd"
    )
    return path.read_bytes()


class Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.fixture(params=["file", "gzip", "zstd", "standard input"])
def give(request, write, monkeypatch, tmp_path):
    """A text as something that can be read, and the name it has in messages."""

    def given(kind: str, content: bytes) -> tuple[str | Path, str]:
        if request.param == "standard input":
            monkeypatch.setattr(sys, "stdin", Stdin(content))
            return "-", "standard input"
        if request.param == "gzip":
            path = write(f"a.{kind}.gz", gzip.compress(content, mtime=0))
        elif request.param == "zstd":
            path = write(f"a.{kind}.zst", zstd(content, tmp_path))
        else:
            path = write(f"a.{kind}", content)
        return path, str(path)

    return given


def refusal(source: str | Path) -> SteelyardError:
    with pytest.raises(ReadError) as caught:
        read.predictions(source)
    return caught.value


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_usual_line_ends(give, kind, end):
    for last in (end, ""):
        source, _ = give(kind, (end.join(LINES[kind]) + last).encode())
        assert read.predictions(source).frame.rows() == ROWS


@pytest.mark.parametrize("kind", LINES)
def test_mixed_line_ends(give, kind):
    first, *others = LINES[kind]
    source, _ = give(kind, (first + "\r\n" + "\n".join(others) + "\n").encode())
    assert read.predictions(source).frame.rows() == ROWS


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("end", ["\r", "\r\r\n"])
def test_lines_that_end_with_a_carriage_return(give, kind, end):
    source, name = give(kind, (end.join(LINES[kind]) + end).encode())
    error = refusal(source)
    assert error.message == (
        f"{name}, line 1: a carriage return without a line feed, "
        "which may be the end of a line or a part of it"
    )
    unpack = {"gz": "gunzip -c < OLD | ", "zst": "zstd -dc < OLD | "}.get(name.rpartition(".")[2], "")
    assert f"old Macs: {unpack}tr '\\r' '\\n' {'' if unpack else '< OLD '}> NEW" in error.remedy


@pytest.mark.parametrize("kind", ["csv", "tsv", "run"])
@pytest.mark.parametrize(
    ("byte", "what"), [(b"\r", "a carriage return without a line feed"), (b"\0", "a NUL byte")]
)
def test_a_byte_inside_of_a_field(give, kind, byte, what):
    *others, last = LINES[kind]
    source, name = give(
        kind, "\n".join(others).encode() + b"\n" + last.encode().replace(b"b", b"b" + byte + b"c")
    )
    assert refusal(source).message.startswith(f"{name}, line {len(LINES[kind])}: {what}")


def test_a_carriage_return_in_quotes(write):
    assert "line 2: a carriage return" in refusal(write("a.csv", 'query,item,score\nq,"a\rb",1\n')).message
    path = write("b.csv", 'query,item,score\r\nq,"a\r\nb",1\r\n')
    assert read.predictions(path).frame.rows() == [("q", "a\r\nb", 1.0)]


@pytest.mark.parametrize(
    ("byte", "what"),
    [(b"\r", "a carriage return"), (b"\0", "a NUL byte"), (b"\xff", "the bytes are not UTF-8")],
)
def test_trouble_far_into_a_file(write, byte, what):
    """Blocks are of whole lines, so that neither a character nor a line end is cut in two."""
    lines = "q,\N{RED APPLE},1\r\n".encode() * 300_000
    assert len(lines) > 2 << 20
    path = write("a.csv", b"query,item,score\r\n" + lines + b"q," + byte + b"x,1\r\n")
    assert refusal(path).message.startswith(f"{path}, line 300,002: {what}")
    text.check("a.csv", b"query,item,score\r\n" + lines)


def test_bytes_that_are_not_utf8_before_a_line_with_too_many_fields(write):
    content = b"label,score\n\x9b\n,,0"
    for name, packed in (("a.csv", content), ("a.csv.gz", gzip.compress(content, mtime=0))):
        with pytest.raises(ReadError, match=f"{name}, line 2: the bytes are not UTF-8 text"):
            read.labelled(write(name, packed))


@pytest.mark.parametrize("kind", LINES)
def test_a_byte_order_mark(write, kind):
    path = write(f"a.{kind}", b"\xef\xbb\xbf" + "\n".join(LINES[kind]).encode())
    assert read.predictions(path).frame.rows() == ROWS


@pytest.mark.parametrize("deep", ["[" * 2000 + "]" * 2000, '{"a":' * 2000 + "1" + "}" * 2000, "[" * 100_000])
def test_json_that_is_nested_too_deeply(give, deep):
    source, name = give(
        "jsonl", f'{LINES["jsonl"][0]}\n{{"query": "q", "item": "b", "x": {deep}}}\n'.encode()
    )
    assert refusal(source).message.startswith(f"{name}, line 2: not a JSON object (")


def test_a_damaged_gzip(write):
    packed = gzip.compress("\n".join(LINES["csv"]).encode() * 99, mtime=0)
    checksum = packed[:-8] + bytes(8)
    inside = packed[:20] + bytes([packed[20] ^ 255]) + packed[21:]
    for content in (checksum, inside):
        for name in ("a.csv.gz", "a"):
            path = write(name, content)
            assert str(refusal(path)) == (
                f"{path} is damaged: its compressed data is invalid\ncopy or download it again"
            )


def test_a_damaged_zstd(write, tmp_path):
    packed = zstd(("\n".join(LINES["csv"]) + "\n").encode() * 99, tmp_path)
    assert "is cut short" in refusal(write("a.csv.zst", packed[:-9])).message
    assert "is damaged" in refusal(write("a.csv.zst", packed + b"garbage")).message


def database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a)")
    return connection.serialize()


def written(write) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


FRAME = pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})
FOREIGN = {
    "parquet": (
        written(FRAME.write_parquet),
        "holds parquet, which does not match its ending",
        "the ending .parquet",
    ),
    "arrow": (written(FRAME.write_ipc), "holds arrow, which does not match its ending", "the ending .arrow"),
    "zip": (
        written(lambda b: zipfile.ZipFile(b, "w").writestr("a", "b")),
        "is a zip archive or a spreadsheet",
        "save the sheet as csv",
    ),
    "sqlite": (database(), "is an SQLite database", "sqlite3 -header -csv"),
    "pickle": (pickle.dumps([1]), "is a Python pickle", "read_pickle"),
    "npy": (written(lambda b: np.save(b, [1])), "is a NumPy array", "numpy.load"),
    "bzip2": (bz2.compress(b"a,b\n"), "is compressed with bzip2", "decompress it first"),
    "xz": (lzma.compress(b"a,b\n"), "is compressed with xz", "decompress it first"),
}


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "run"])
def test_what_is_not_text_is_named(write, what, ending):
    content, message, remedy = FOREIGN[what]
    path = write(f"a.{ending}", content)
    error = refusal(path)
    assert error.message.startswith(f"{path} {message}")
    assert remedy in error.remedy


def test_parquet_and_arrow_under_each_others_ending(write):
    assert "holds arrow" in refusal(write("a.parquet", FOREIGN["arrow"][0])).message
    assert "holds parquet" in refusal(write("a.feather", FOREIGN["parquet"][0])).message


def test_a_link_that_leads_nowhere(tmp_path):
    link = tmp_path / "run.csv"
    link.symlink_to("gone.csv")
    assert str(refusal(link)) == (
        f"{link} is a link to gone.csv, which does not exist\nmake the link anew, or name the file itself"
    )


def test_nothing_is_read_beyond_the_line_that_is_looked_for(write):
    lines = b"a\n" * (1 << 22)
    packed = gzip.compress(lines)
    path = write("cut.gz", packed[: len(packed) // 2])  # what lies beyond cannot be read
    assert [text._line(path, at) for at in (0, 1, 2, 2001)] == [1, 1, 2, 1001]
