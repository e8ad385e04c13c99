"""Every kind of file gives the same table."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from steelyard import read
from steelyard.text.errors.base import ValueInDataError

FRAME = pl.DataFrame(
    {"user_id": ["007", "a b"], "item_id": ["x", "y"], "score": [0.5, float("-inf")], "junk": [1, 2]}
)
CSV = "user_id,item_id,score,junk\n007,x,0.5,1\na b,y,-inf,2\n"
JSONL = (
    '{"user_id": "007", "item_id": "x", "score": 0.5, "junk": 1}\n'
    '{"user_id": "a b", "item_id": "y", "score": -2, "junk": 2}\n'
)
ROWS = [("007", "x", 0.5), ("a b", "y", float("-inf"))]


def zstd(path: Path, text: str) -> None:
    """Polars is the only zstd at hand: write the lines as a csv of one column without quotes."""
    lines = pl.DataFrame({"line": text.splitlines()})
    lines.lazy().sink_csv(
        path, include_header=False, quote_style="never", separator="\x01", compression="zstd"
    )


@pytest.mark.parametrize("name", ["recs.parquet", "recs.pq"])
def test_parquet(tmp_path, name):
    FRAME.write_parquet(tmp_path / name)
    table = read.predictions(tmp_path / name)
    assert table.frame.columns == ["query", "item", "score"]
    assert table.frame.rows() == ROWS
    assert table.name == str(tmp_path / name)
    assert not table.untyped
    assert not table.listed
    assert table.extra.shape == (2, 0)
    assert table.columns == ("user_id", "item_id", "score", "junk")


@pytest.mark.parametrize("name", ["recs.arrow", "recs.feather", "recs.ipc"])
def test_arrow_file(tmp_path, name):
    FRAME.write_ipc(tmp_path / name, compression="zstd")
    assert read.predictions(tmp_path / name).frame.rows() == ROWS


def test_arrow_stream_in_a_file(tmp_path):
    FRAME.write_ipc_stream(tmp_path / "recs.arrow")
    assert read.predictions(tmp_path / "recs.arrow").frame.rows() == ROWS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("recs.csv", CSV.encode()),
        ("RECS.CSV", CSV.encode()),
        ("recs.tsv", CSV.replace(",", "\t").encode()),
        ("recs.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        (
            "joined.csv.gz",
            gzip.compress(CSV[:40].encode(), mtime=0) + gzip.compress(CSV[40:].encode(), mtime=0),
        ),
        ("bom.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("crlf.csv", CSV.replace("\n", "\r\n").encode()),
        ("quoted.csv", b'"user_id","item_id","score"\n"007","x","0.5"\n"a b","y"," -inf "\n'),
    ],
)
def test_csv(write, name, content):
    table = read.predictions(write(name, content))
    assert table.frame.rows() == ROWS
    assert table.untyped


def test_csv_zst(tmp_path):
    zstd(tmp_path / "recs.csv.zst", CSV)
    assert read.predictions(tmp_path / "recs.csv.zst").frame.rows() == ROWS


def test_csv_quotes_hold_separators_quotes_and_line_ends(write):
    path = write("recs.csv", 'query,item,score\n"say ""hi"", you","two\nlines",1\n')
    assert read.predictions(path).frame.rows() == [('say "hi", you', "two\nlines", 1.0)]


@pytest.mark.parametrize("name", ["recs.jsonl", "recs.ndjson"])
def test_jsonl(write, name):
    table = read.predictions(write(name, JSONL))
    assert table.frame.rows() == [("007", "x", 0.5), ("a b", "y", -2.0)]
    assert not table.untyped


def test_jsonl_compressed(write, tmp_path):
    zstd(tmp_path / "recs.jsonl.zst", JSONL)
    packed = read.predictions(write("recs.jsonl.gz", gzip.compress(JSONL.encode(), mtime=0)))
    assert packed.frame.equals(read.predictions(tmp_path / "recs.jsonl.zst").frame)
    assert packed.frame.rows() == [("007", "x", 0.5), ("a b", "y", -2.0)]


def test_jsonl_types_are_taken_from_every_line(write):
    lines = [f'{{"query": {n}, "item": 1, "score": {n}}}' for n in range(300)]
    lines += ['{"query": 18446744073709551615, "item": 1, "score": 0.25}']
    table = read.predictions(write("late.jsonl", "\n".join(lines)))
    assert table.frame["query"].dtype == pl.UInt64
    assert table.frame.row(300) == (2**64 - 1, 1, 0.25)


def test_path_as_text_and_from_home(write, monkeypatch, tmp_path):
    path = write("recs.csv", CSV)
    assert read.predictions(str(path)).name == str(path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read.predictions("~/recs.csv").frame.rows() == ROWS


def test_relative_path_is_named_as_written(write, monkeypatch, tmp_path):
    write("runs/dense.csv", CSV)
    monkeypatch.chdir(tmp_path)
    table = read.predictions("runs/dense.csv")
    assert table.name == "runs/dense.csv"
    assert table.place(1) == "runs/dense.csv, row 2"


def test_glob_reads_every_file_in_order(write, monkeypatch, tmp_path):
    write("runs/b.csv", "query,item,score\nq3,x,3\n")
    write("runs/a.csv", "query,item,score\nq1,x,1\nq2,x,2\n")
    write("runs/.hidden.csv", "nonsense")
    monkeypatch.chdir(tmp_path)
    table = read.predictions("runs/*.csv")
    assert table.frame["query"].to_list() == ["q1", "q2", "q3"]
    assert table.name == "runs/*.csv"
    assert [table.place(row) for row in range(3)] == [
        "runs/a.csv, row 1",
        "runs/a.csv, row 2",
        "runs/b.csv, row 1",
    ]
    absolute = read.predictions(str(tmp_path / "runs" / "?.csv"))
    assert absolute.frame.equals(table.frame)


def test_list_of_paths_of_several_kinds(write, tmp_path):
    one = write("a.csv", CSV)
    FRAME.write_parquet(tmp_path / "b.parquet")
    table = read.predictions([one, str(tmp_path / "b.parquet")], extra=["junk"][:0])
    assert table.frame.rows() == ROWS + ROWS
    assert table.name == f"{one} and 1 more"
    assert not table.untyped
    assert table.place(2) == f"{tmp_path / 'b.parquet'}, row 1"
    assert read.predictions((one,)).name == str(one)


def test_an_empty_shard_among_others_is_fine(tmp_path):
    FRAME.clear().write_parquet(tmp_path / "part-0.parquet")
    FRAME.write_parquet(tmp_path / "part-1.parquet")
    table = read.predictions(str(tmp_path / "part-*.parquet"))
    assert table.frame.rows() == ROWS
    assert table.place(0) == f"{tmp_path / 'part-1.parquet'}, row 1"


def test_shards_may_differ_in_integer_width(tmp_path):
    frame = pl.DataFrame({"query": [1], "item": [2], "score": [0.5]})
    frame.cast({"query": pl.Int32}).write_parquet(tmp_path / "a.parquet")
    frame.with_columns(query=pl.lit(2**63, pl.UInt64)).write_parquet(tmp_path / "b.parquet")
    table = read.predictions(str(tmp_path / "*.parquet"))
    assert table.frame["query"].dtype == pl.UInt64
    assert table.frame["query"].to_list() == [1, 2**63]


def test_a_name_with_glob_signs_is_a_file_when_it_exists(write):
    for name in ("run[1].csv", "run[2].csv"):
        path = write(name, CSV)
    assert read.predictions(path).frame.rows() == ROWS
    assert read.predictions(str(write("run[1].jsonl", JSONL))).frame.height == 2
    assert read.predictions(str(write("run[1].run", "q Q0 d 1 0.5 t\n"))).frame.height == 1


def test_a_file_without_ending_is_known_by_its_first_bytes(tmp_path):
    FRAME.write_parquet(tmp_path / "part-00000")
    FRAME.write_ipc(tmp_path / "part-00001")
    assert read.predictions(tmp_path / "part-00000").frame.rows() == ROWS
    assert read.predictions(tmp_path / "part-00001").frame.rows() == ROWS


class Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def parquet_bytes() -> bytes:
    out = io.BytesIO()
    FRAME.write_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        CSV.encode(),
        b"\xef\xbb\xbf" + CSV.encode(),
        CSV.replace(",", "\t").encode(),
        gzip.compress(CSV.encode(), mtime=0),
        parquet_bytes(),
    ],
)
def test_standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    table = read.predictions("-")
    assert table.frame.rows() == ROWS
    assert table.name == "standard input"
    assert table.place(1) == "standard input, row 2"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"# made by hand\nq1 Q0 d,1 1 0.5 tag\n", "standard input, line 2"),
        (b"q1\tQ0\td,1\t1\t0.5\ttag\n", "standard input, line 1"),
        (b'{"qid": "q1", "docid": "d,1", "score": 0.5}\n', "standard input, row 1"),
        (b'qid,docid,score\nq1,"d,1",0.5\n', "standard input, row 1"),
    ],
)
def test_standard_input_is_sniffed(monkeypatch, content, place):
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    table = read.predictions("-")
    assert table.frame.rows() == [("q1", "d,1", 0.5)]
    assert table.place(0) == place


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "recs.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CSV,))
    writer.start()
    table = read.predictions(pipe)
    writer.join()
    assert table.frame.rows() == ROWS


def test_extra_columns_keep_their_names_and_types(tmp_path, write):
    FRAME.write_parquet(tmp_path / "recs.parquet")
    table = read.predictions(tmp_path / "recs.parquet", extra=["junk", "absent", "user_id", "junk"])
    assert table.extra.to_dict(as_series=False) == {"junk": [1, 2], "user_id": ["007", "a b"]}
    assert read.predictions(write("recs.csv", CSV), extra=["junk"]).extra["junk"].to_list() == ["1", "2"]


def test_true_and_false_in_csv_are_grades(write):
    table = read.truth(write("log.csv", "user_id,item_id,clicked\n1,a,True\n1,b,false\n"))
    assert table.frame["relevance"].to_list() == [1.0, 0.0]


def test_large_rows_are_named_with_separators(tmp_path):
    table = read.Table(
        frame=pl.DataFrame({"query": ["q"]}),
        extra=pl.DataFrame(),
        name="scores.csv",
        untyped=True,
        listed=False,
    )
    assert table.place(1203) == "scores.csv, row 1,204"


def test_reading_imports_neither_pandas_nor_pyarrow_nor_scipy():
    code = (
        "import sys, steelyard.read; print([m for m in ('pandas', 'pyarrow', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "rows", "noted"),
    [
        ("user_id, item_id, score\nann, b, 0.5\nbob, c d, 1\n", [("ann", "b"), ("bob", "c d")], True),
        (
            'user_id, item_id, score\nann, "b", 0.5\nbob, "say ""hi""", 1\n',
            [("ann", "b"), ("bob", 'say "hi"')],
            True,
        ),
        ("user_id,item_id,score\nann, b,0.5\nbob,c,1\n", [("ann", " b"), ("bob", "c")], False),
        ('user_id,item_id,score\nann," b",0.5\nbob," c",1\n', [("ann", " b"), ("bob", " c")], False),
        ('user_id,item_id,score\nann," b, x",0.5\nbob," c",1\n', [("ann", " b, x"), ("bob", " c")], False),
        ("user_id,item_id,score\nann,b, 0.5\nbob,c, 1\n", [("ann", "b"), ("bob", "c")], False),
    ],
)
def test_a_space_after_each_comma(write, text, rows, noted):
    path = write("recs.csv", text)
    table = read.predictions(path)
    assert table.frame.rows() == [(*rows[0], 0.5), (*rows[1], 1.0)]
    note = f"{path}: every 'item_id' begins with a space, which is removed."
    assert table.notes == ((note,) if noted else ())


def test_blank_lines_are_left_out(write):
    path = write("recs.csv", "query,item,score\nq,a,1\n\n  \nq,b,2\n,,\n\n")
    table = read.predictions(path)
    assert table.frame.rows() == [("q", "a", 1.0), ("q", "b", 2.0)]
    assert table.notes == (f"{path}: 2 blank lines are skipped.",)
    assert [table.place(0), table.place(1)] == [f"{path}, row 1", f"{path}, row 4"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_at_the_end_are_not_worth_a_note(write, end):
    path = write("recs.tsv", end.join(["query\titem\tscore", "q\ta\t1", "", "", ""]))
    table = read.predictions(path)
    assert table.frame.rows() == [("q", "a", 1.0)]
    assert table.notes == ()


def test_a_row_with_something_elsewhere_is_not_blank(write):
    with pytest.raises(ValueInDataError, match="row 2: query is missing"):
        read.predictions(write("recs.csv", "query,item,score,junk\nq,a,1,x\n,,,y\n"))


CONTENTS = {
    "csv": (b"qid,docid,score\nq1,d,0.5\n", "row 1"),
    "tsv": (b"qid\tdocid\tscore\nq1\td\t0.5\n", "row 1"),
    "jsonl": (b'{"qid": "q1", "docid": "d", "score": 0.5}\n', "row 1"),
    "TREC": (b"q1 Q0 d 1 0.5 tag\n", "line 1"),
    "TREC with tabs": (b"q1\tQ0\td\t1\t0.5\tuser\n", "line 1"),
    "gzip": (gzip.compress(b"qid,docid,score\nq1,d,0.5\n", mtime=0), "row 1"),
}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("name", ["recs", "recs.txt", "part-0.dat"])
def test_an_unknown_ending_is_sniffed(write, kind, name):
    content, place = CONTENTS[kind]
    path = write(name, content)
    table = read.predictions(path)
    assert table.frame.rows() == [("q1", "d", 0.5)]
    assert table.place(0) == f"{path}, {place}"


def test_a_large_compressed_file_without_ending_is_sniffed(write):
    rows = "".join(f"q{n % 97},{n * 7919 % 100003},{n}\n" for n in range(40_000))
    packed = gzip.compress(f"query,item,score\n{rows}".encode(), mtime=0)
    assert len(packed) > 2 * 65536
    assert read.predictions(write("recs.gz", packed)).frame.height == 40_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_without_ending_is_sniffed(tmp_path):
    pipe = tmp_path / "63"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(CSV,))
    writer.start()
    table = read.predictions(pipe)
    writer.join()
    assert table.frame.rows() == ROWS
