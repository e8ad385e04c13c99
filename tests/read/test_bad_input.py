"""Every bad file and every bad value gets one clear error."""

from __future__ import annotations

import gzip
import io
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard import read
from steelyard.text.errors.base import ColumnError, ReadError, SteelyardError, ValueInDataError

from ..tables import each_row

INF = float("inf")
NAN = float("nan")


def scored(score: list[object], dtype: pl.DataType | type[pl.DataType] | None = None) -> pl.DataFrame:
    n = len(score)
    return pl.DataFrame(
        {"query": ["q"] * n, "item": [str(i) for i in range(n)], "score": pl.Series(score, dtype=dtype)}
    )


def test_a_nan_in_a_large_csv_is_named_as_the_sketch_has_it(write, monkeypatch, tmp_path):
    rows = [f"q{n},d,{n}" for n in range(1203)] + ["q1204,d,nan", "q1205,d,inf"]
    write("scores.csv", "query,item,score\n" + "\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueInDataError) as caught:
        read.predictions("scores.csv")
    assert str(caught.value) == (
        "scores.csv, row 1,204: score is 'nan'\nremove the row, or fill it; a NaN cannot be compared"
    )


@each_row(
    ("score", "message"),
    [
        ([1.0, NAN], "predictions, row 2: score is 'nan'"),
        ([1.0, INF], "predictions, row 2: score is 'inf'"),
        ([1.0, None], "predictions, row 2: score is missing"),
        (["0.5", "0.1"], "predictions, row 1: score is text: '0.5'"),
        ([None, None], "predictions, row 1: score is missing"),
        ([True, False], "predictions, row 1: score is boolean: 'true'"),
        ([date(2026, 1, 1)], "predictions, row 1: score is date: '2026-01-01'"),
        ([[1.0], [2.0]], "predictions: score holds lists, but a row is one item"),
        ([1, 2**53 + 1], "predictions, row 2: score is 9007199254740993, too large an integer to be exact"),
        ([1, -(2**53) - 1], "predictions, row 2: score is -9007199254740993, too large"),
    ],
)
def test_bad_scores(score, message):
    with pytest.raises(SteelyardError) as caught:
        read.predictions(scored(score))
    assert message.lower() in caught.value.message.lower()
    assert caught.value.remedy


def test_good_scores():
    assert read.predictions(scored([-INF, -0.0, 1.5])).frame["score"].to_list() == [-INF, 0.0, 1.5]
    assert not np.signbit(read.predictions(scored([-0.0, 1.0])).frame["score"].to_numpy()).any()
    assert read.predictions(scored([1, 2**60])).frame["score"].to_list() == [1.0, 2.0**60]
    assert read.predictions(scored([Decimal("0.5")])).frame["score"].to_list() == [0.5]
    assert read.predictions(scored([0.5], pl.Float32)).frame["score"].to_list() == [0.5]
    assert read.predictions(scored([3, 4], pl.UInt8)).frame["score"].to_list() == [3.0, 4.0]


@each_row(
    ("grade", "message"),
    [
        ([NAN, 1.0], "truth, row 1: relevance (column 'rel') is 'nan'"),
        ([1.0, INF], "truth, row 2: relevance (column 'rel') is 'inf'"),
        ([1.0, -INF], "truth, row 2: relevance (column 'rel') is '-inf'"),
        ([1.0, None], "truth, row 2: relevance (column 'rel') is missing"),
        (["a", "b"], "truth, row 1: relevance (column 'rel') is text: 'a'"),
    ],
)
def test_bad_grades(grade, message):
    with pytest.raises(SteelyardError) as caught:
        read.truth(pl.DataFrame({"qid": [1, 2], "docid": [1, 2], "rel": grade}))
    assert caught.value.message == message
    assert caught.value.remedy


@each_row(
    ("text", "message"),
    [
        ("q,d,high", "row 1: score is 'high', which is not a number"),
        ("q,d,", "row 1: score is missing"),
        ("q,d", "row 1: score is missing"),
        ("q,d,1\n\nq,e,x\n", "row 3: score is 'x', which is not a number"),
        ("q,d,1\n\n,e,2\n", "row 3: query is missing"),
        (",d,1", "row 1: query is missing"),
        ('q,d,"1,5"', "row 1: score is '1,5', which is not a number"),
        ("q,d,1\nq,d,1_0", "row 2: score is '1_0', which is not a number"),
        ("q,d,1,4", "line 2: more fields than the 3 columns of the header"),
        ('"q,d,1', "line 2: a quote inside a field, or a quote that is not closed"),
    ],
)
def test_bad_csv_values(write, text, message):
    with pytest.raises(SteelyardError) as caught:
        read.predictions(write("scores.csv", f"query,item,score\n{text}\n"))
    assert message in caught.value.message
    assert "scores.csv" in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("column", ["query", "item"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", None], "predictions, row 2: {} is missing"),
        ([1.0, 2.0], "predictions, row 1: {} is of type float64 (as '1.0'), but ids are text or integers"),
        ([True, False], "predictions, row 1: {} is of type boolean"),
        ([date(2026, 1, 1), date(2026, 1, 2)], "predictions, row 1: {} is of type date"),
        ([b"a", b"b"], "predictions, row 1: {} is of type binary"),
        ([None, None], "predictions, row 1: {} is missing"),
    ],
)
def test_bad_ids(column, values, message):
    frame = scored([1.0, 2.0]).with_columns(pl.Series(column, values))
    with pytest.raises((ColumnError, ValueInDataError)) as caught:
        read.predictions(frame)
    assert caught.value.message.startswith(message.format(column))
    assert caught.value.remedy


@pytest.mark.parametrize(
    "name", ["scores.csv", "scores.parquet", "scores.jsonl", "run.trec", "scores.arrow", "a.csv.gz"]
)
def test_empty_files(write, name):
    with pytest.raises(ReadError, match="is empty"):
        read.predictions(write(name, b""))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scores.csv", b"query,item,score\n"),
        ("scores.tsv", b"query\titem\tscore"),
        ("run.trec", b"\n\n"),
        ("a.run.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_files_without_rows(write, name, content):
    with pytest.raises(ReadError, match=f"{name} has no rows"):
        read.predictions(write(name, content))


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv.gz", gzip.compress(b"", mtime=0)), ("a.jsonl", b"\n\n"), ("a.csv", b"\n")]
)
def test_files_with_nothing_in_them(write, name, content):
    with pytest.raises(SteelyardError, match=name):
        read.predictions(write(name, content))


def test_parquet_without_rows(tmp_path):
    scored([1.0]).clear().write_parquet(tmp_path / "recs.parquet")
    with pytest.raises(ReadError, match="recs.parquet has no rows"):
        read.predictions(tmp_path / "recs.parquet")


@pytest.mark.parametrize(
    ("name", "header"), [("scores.csv.gz", b"query,item,score\n"), ("scores.jsonl.gz", b"")]
)
def test_truncated_gzip(write, name, header):
    body = b"".join(
        b'{"query":"q%d"}\n' % n if b"json" in name.encode() else b"q%d,d,1\n" % n for n in range(9999)
    )
    whole = gzip.compress(header + body)
    with pytest.raises(ReadError, match=f"{name} is cut short"):
        read.predictions(write(name, whole[:-50]))


def test_corrupt_parquet(write, tmp_path):
    with pytest.raises(ReadError, match="a.parquet is not a valid parquet file"):
        read.predictions(write("a.parquet", b"PAR1 this is not parquet"))
    with pytest.raises(ReadError, match="b.parquet is not a valid parquet file"):
        read.predictions(write("b.parquet", "query,item,score\n"))
    scored([float(n) for n in range(5000)]).write_parquet(tmp_path / "c.parquet")
    whole = (tmp_path / "c.parquet").read_bytes()
    with pytest.raises(ReadError, match="cut.parquet is not a valid parquet file"):
        read.predictions(write("cut.parquet", whole[: len(whole) // 2]))
    with pytest.raises(ReadError, match="hit.parquet is not a valid parquet file"):
        read.predictions(write("hit.parquet", whole[:20] + b"\xff\x00" * 50 + whole[120:]))


def test_corrupt_arrow(write):
    for content in (b"ARROW1\x00\x00 broken", b"no arrow at all"):
        with pytest.raises(ReadError, match="a.feather is not a valid arrow file"):
            read.predictions(write("a.feather", content))


@each_row(
    ("content", "message"),
    [
        ('{"query": "q", "item": "d", "score": 1}\n{"query": \n', "a.jsonl, line 2: not a JSON object"),
        (
            '{"query": "q", "item": "d", "score": NaN}\n',
            "a.jsonl, line 1: not a JSON object (NaN is not JSON)",
        ),
        (
            '{"query": "q", "item": "d", "score": 1}\n{"query": "q", "item": "e", "score": 1e400}\n',
            "a.jsonl, line 2: not a JSON object (1e400 is too large a number)",
        ),
        ("[1, 2]\n", "a.jsonl, line 1: not a JSON object (another JSON value)"),
        ("query,item\n", "a.jsonl, line 1: not a JSON object"),
    ],
)
def test_bad_json(write, content, message):
    with pytest.raises(ReadError) as caught:
        read.predictions(write("a.jsonl", content))
    assert message in caught.value.message
    assert "one object per line" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.csv", b"query,item,score\nq,d,1\nq,caf\xe9,1\n", 3),
        ("a.tsv", b"query\titem\tscore\n\xff\td\t1\n", 2),
        ("a.csv.gz", gzip.compress(b"query,item,score\nq,d,1\nq,e,1\nq,caf\xe9,1\n", mtime=0), 4),
        ("a.jsonl", b'{"query": "q"}\n{"query": "\xff"}\n', 2),
    ],
)
def test_bytes_that_are_not_utf8(write, name, content, line):
    with pytest.raises(ReadError) as caught:
        read.predictions(write(name, content))
    assert f"{name}, line {line}: the bytes are not UTF-8 text" in caught.value.message
    assert "save the file as UTF-8" in caught.value.remedy


def test_a_bad_byte_after_a_split_character_far_into_the_file(write):
    lines = b"q,\xf0\x9f\x8d\x8e,1\n" * 150_000
    with pytest.raises(ReadError, match="line 150,002: the bytes are not UTF-8 text"):
        read.predictions(write("a.csv", b"query,item,score\n" + lines + b"q,\xff,1\n"))


def test_a_folder(tmp_path, write, monkeypatch):
    write("runs/a.csv", "x")
    write("runs/b.csv", "x")
    write("runs/c.parquet", "x")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError) as caught:
        read.predictions("runs")
    assert str(caught.value) == (
        "runs is a folder with files of several formats, such as runs/a.csv and runs/c.parquet\n"
        "name the files of one format: 'runs/*.csv'"
    )


def test_file_not_found(tmp_path, write, monkeypatch):
    write("dense.parquet", "x")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError) as caught:
        read.predictions("dense.parqet")
    assert str(caught.value) == (
        "dense.parqet does not exist; did you mean 'dense.parquet'?\n"
        "check the spelling, and that the file is in the current folder"
    )
    with pytest.raises(ReadError, match="nowhere/x.csv does not exist"):
        read.predictions("nowhere/x.csv")
    with pytest.raises(ReadError, match="is not a file on this machine"):
        read.predictions("nosuch://bucket/x.parquet")


def test_names_that_no_file_can_have(write):
    assert read.predictions(write("~x.csv", "query,item,score\nq,d,1\n")).frame.height == 1
    with pytest.raises(ReadError, match="cannot be read"):
        read.predictions("a\0b.csv")
    with pytest.raises(ReadError, match="cannot be read"):
        read.predictions("x" * 5000)


def test_a_glob_without_match(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError, match=r"no file matches runs/\*\.csv"):
        read.predictions("runs/*.csv")
    with pytest.raises(ReadError, match="the list of paths is empty"):
        read.predictions([])


def test_permission_denied(write, monkeypatch):
    path = write("secret.csv", "query,item,score\nq,d,1\n")

    def refuse(self: Path, *_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReadError, match="secret.csv may not be read: permission denied"):
        read.predictions(path)


def test_other_trouble_with_the_disk(write, monkeypatch):
    path = write("a.csv", "query,item,score\nq,d,1\n")

    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(ReadError, match="a.csv cannot be read: Input/output error"):
        read.predictions(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scores.json", "is one JSON document, not a table"),
        ("scores.xlsx", ".xlsx files are not read"),
        ("scores.npy", ".npy files are not read"),
        ("scores.csv.bz2", ".bz2 files are not read"),
        ("scores.parquet.gz", "parquet is not read through .gz"),
        ("scores.arrow.zst", "arrow is not read through .zst"),
    ],
)
def test_kinds_that_are_not_read(write, name, message):
    with pytest.raises(ReadError) as caught:
        read.predictions(write(name, b"x"))
    assert message in caught.value.message
    assert caught.value.remedy


def test_nothing_on_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"")

    monkeypatch.setattr(sys, "stdin", Stdin())
    with pytest.raises(ReadError, match="standard input is empty"):
        read.predictions("-")


def test_files_that_do_not_fit_together(write, tmp_path):
    one = write("a.csv", "query,item,score,country\nq,d,1,DE\n")
    two = write("b.csv", "query,item,rank\nq,d,1\n")
    with pytest.raises(ColumnError, match=r"b.csv do not fit together: only one of them has 'rank'"):
        read.predictions([one, two])
    three = write("c.csv", "query,item,score\nq,e,1\n")
    with pytest.raises(ColumnError, match=r"c.csv do not fit together: only one of them has 'country'"):
        read.predictions([one, three], extra=["country"])
    pl.DataFrame({"query": [1], "item": ["d"], "score": [1.0]}).write_parquet(tmp_path / "d.parquet")
    with pytest.raises(ColumnError, match="'query' is text in the first and int64 in the second"):
        read.predictions([one, tmp_path / "d.parquet"])


def test_a_bad_row_in_the_second_file_is_named_there(write):
    one = write("a.csv", "query,item,score\nq,d,1\nq,e,1\n")
    two = write("b.csv", "query,item,score\nq,f,1\nq,g,x\n")
    with pytest.raises(ValueInDataError, match=r"b.csv, row 2: score is 'x'"):
        read.predictions([one, two])


@pytest.mark.parametrize("text", ["9007199254740993", " -9007199254740993 ", "+9007199254740993", "9" * 50])
def test_integers_in_csv_that_a_float_cannot_hold(write, text):
    path = write("a.csv", f"query,item,score\nq,d,1e300\nq,e,{text}\n")
    with pytest.raises(ValueInDataError) as caught:
        read.predictions(path)
    assert caught.value.message == (
        f"{path}, row 2: score is {text.strip()}, too large an integer to be exact as a 64-bit float"
    )


def test_large_numbers_in_csv_that_are_exact(write):
    path = write("a.csv", "query,item,score\nq,a,9007199254740992\nq,b,1152921504606846976\nq,c,1e300\n")
    assert read.predictions(path).frame["score"].to_list() == [2.0**53, 2.0**60, 1e300]


@pytest.mark.parametrize("packed", [False, True])
def test_a_header_that_is_not_utf8(write, packed):
    content = b"query,item,score,caf\xe9\nq,d,1,x\n"
    path = write("a.csv.gz" if packed else "a.csv", gzip.compress(content, mtime=0) if packed else content)
    with pytest.raises(ReadError, match="line 1: the bytes are not UTF-8 text"):
        read.predictions(path)


def test_a_header_with_a_true_replacement_sign(write):
    assert read.predictions(write("a.csv", "query,item,score,\ufffd\nq,d,1,x\n")).frame.height == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "query,item,score\nq,d,1\n"),
        ("a.jsonl", '{"query": "q", "item": "d", "score": 1}\n'),
        ("a.run", "q Q0 d 1 0.5 t\n"),
        ("a", "query,item,score\nq,d,1\n"),
    ],
)
def test_utf16(write, name, text, encoding):
    path = write(name, text.encode(encoding))
    with pytest.raises(ReadError) as caught:
        read.predictions(path)
    assert caught.value.message == f"{path}: the file is UTF-16: save it as UTF-8"
    assert "iconv -f utf-16" in caught.value.remedy


def test_utf32_and_packed_utf16(write):
    text = "query,item,score\nq,d,1\n"
    with pytest.raises(ReadError, match="the file is UTF-32: save it as UTF-8"):
        read.predictions(write("a.csv", text.encode("utf-32")))
    with pytest.raises(ReadError, match="the file is UTF-16: save it as UTF-8"):
        read.predictions(write("a.csv.gz", gzip.compress(text.encode("utf-16"), mtime=0)))


@pytest.mark.parametrize("extra", [b"garbage!!", b"\0" * 20])
@pytest.mark.parametrize(
    ("name", "text"), [("a.csv.gz", b"query,item,score\nq,d,1\n"), ("a.run.gz", b"q Q0 d 1 0.5 t\n")]
)
def test_extra_bytes_after_gzip(write, name, text, extra):
    path = write(name, gzip.compress(text, mtime=0) + extra)
    with pytest.raises(ReadError) as caught:
        read.predictions(path)
    assert caught.value.message == f"{path} has extra bytes after the compressed data"
    assert caught.value.remedy


def test_two_gzip_members_are_one_file(write):
    packed = gzip.compress(b"query,item,score\nq,d,1\n", mtime=0) + gzip.compress(b"q,e,2\n", mtime=0)
    assert read.predictions(write("a.csv.gz", packed)).frame.height == 2


def test_long_values_are_shortened(write):
    with pytest.raises(ValueInDataError) as caught:
        read.predictions(write("a.csv", f"query,item,score\nq,d,{'x' * 900}\n"))
    assert caught.value.message.endswith(f"row 1: score is '{'x' * 59}…', which is not a number")
