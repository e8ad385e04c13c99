"""TREC runs and qrels, as untidy as they come."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import read
from steelyard.text.errors.base import ReadError, SteelyardError, ValueInDataError

from ..tables import each_row

RUN = "301 Q0 FBIS3-1 1 9.25 bm25\n301 Q0 FBIS3-2 2 -1e-3 bm25\n"
ROWS = [("301", "FBIS3-1", 9.25), ("301", "FBIS3-2", -0.001)]


@pytest.mark.parametrize("name", ["run.trec", "run.txt", "bm25.run", "run", "input.bm25"])
def test_a_run_under_any_name(write, name):
    table = read.predictions(write(name, RUN))
    assert table.frame.columns == ["query", "item", "score"]
    assert table.frame.rows() == ROWS
    assert table.untyped
    assert table.notes == ()
    assert table.place(1).endswith(f"{name}, line 2")


@each_row(
    "content",
    [
        RUN.replace(" ", "\t"),
        RUN.replace(" ", " \t  "),
        RUN.replace("\n", "\r\n"),
        RUN.replace("301 ", "   301 "),
        RUN.replace(" bm25", ""),
        RUN.replace(" bm25", "\r"),
        RUN.rstrip("\n"),
        "\n \n\t\n" + RUN + "\n\n",
        "\ufeff" + RUN,
        RUN.replace(" ", "\x0b").replace("Q0", "\x0cQ0"),
    ],
)
def test_odd_whitespace(write, content):
    assert read.predictions(write("run.trec", content)).frame.rows() == ROWS


def test_what_follows_the_tag_of_a_run_is_left_out_with_a_note(write):
    path = write("run.trec", RUN.replace("bm25", "bm25 of mine, 7"))
    table = read.predictions(path)
    assert table.frame.rows() == ROWS
    assert table.notes == (
        f"{path}: 2 lines have more than 6 columns, as line 1; the rest of the line is ignored.",
    )
    path = write("run.trec", RUN + "302 Q0 FBIS3-1 1 1 bm25 again \n")
    assert read.predictions(path).notes == (
        f"{path}: 1 line has more than 6 columns, as line 3; the rest of the line is ignored.",
    )


def test_lines_are_counted_as_the_editor_counts_them(write):
    path = write(
        "run.trec", "# a comment\n\n301 Q0 d#1 1 2 t\n# another # one\n#301 Q0 d2 1 2 t\n301 0 d3 2 1 t\n"
    )
    table = read.predictions(path)
    assert table.frame.rows() == [("301", "d#1", 2.0), ("301", "d3", 1.0)]
    assert [table.place(0), table.place(1)] == [f"{path}, line 3", f"{path}, line 6"]
    assert table.notes == (f"{path}: 3 comment lines (#) are skipped.",)


def test_gzip(write):
    assert read.predictions(write("run.trec.gz", gzip.compress(RUN.encode(), mtime=0))).frame.rows() == ROWS
    halves = gzip.compress(RUN[:27].encode(), mtime=0) + gzip.compress(RUN[27:].encode(), mtime=0)
    assert read.predictions(write("run.gz", halves)).frame.rows() == ROWS


def test_zstd(tmp_path):
    lines = pl.DataFrame({"line": RUN.splitlines()}).lazy()
    lines.sink_csv(
        tmp_path / "run.trec.zst",
        include_header=False,
        quote_style="never",
        separator="\x01",
        compression="zstd",
    )
    assert read.predictions(tmp_path / "run.trec.zst").frame.rows() == ROWS


def test_order_by_rank_and_as_given(write):
    path = write("run.trec", RUN)
    assert read.predictions(path, orders=["rank"]).frame.to_dict(as_series=False) == {
        "query": ["301", "301"],
        "item": ["FBIS3-1", "FBIS3-2"],
        "rank": [1.0, 2.0],
        "score": [9.25, -0.001],
    }
    assert read.predictions(path, orders=["given"]).frame.columns == ["query", "item", "score"]


def test_quotes_and_commas_are_part_of_an_id(write):
    table = read.predictions(write("run.trec", 'q"1 Q0 "d,1 1 .5 t\n'))
    assert table.frame.rows() == [('q"1', '"d,1', 0.5)]


def test_qrels(write):
    table = read.truth(write("qrels.txt", "301 0 d1 2\n301\t0\td2 -1 \n302 Q0 d1 0.5\r\n"))
    assert table.frame.rows() == [("301", "d1", 2.0), ("301", "d2", -1.0), ("302", "d1", 0.5)]
    assert table.frame.columns == ["query", "item", "relevance"]


def test_pairs_from_a_run_or_qrels(write):
    assert read.pairs(write("seen.run", RUN)).frame.rows() == [("301", "FBIS3-1"), ("301", "FBIS3-2")]
    assert read.pairs(write("seen.qrels", "1 0 d1 1\n")).frame.rows() == [("1", "d1")]


@each_row(
    ("content", "message", "remedy"),
    [
        (
            "1 Q0 d1 1 0.5 t\n1 Q0 d2\n",
            "line 2: a TREC run has 6 columns (query Q0 item rank score tag), this line has 3",
            "ending .csv or .tsv",
        ),
        ("1 0 d1 2\n", "line 1: a TREC run has 6 columns", "are predictions and truth swapped?"),
        (
            "1 Q0 d1 1 0.5 t\n1 Q0 new york 2 0.4 t\n",
            "line 2: a TREC run has 6 columns (query Q0 item rank score tag), this line has 7",
            "ids hold no white space",
        ),
        ("\n# c\n1 Q0 d1 1 abc t\n", "line 3: score is 'abc', which is not a number", "remove the row"),
        ("1 Q0 d1 1 0.5x t\n", "line 1: score is '0.5x', which is not a number", ""),
        ("1 Q0 d1 1 0x1F t\n", "line 1: score is '0x1F', which is not a number", ""),
        ("1 Q0 d1 1 NaN t\n", "line 1: score is 'NaN'", "a NaN cannot be compared"),
        ("1 Q0 d1 1 inf t\n", "line 1: score is 'inf'", "only -inf is allowed"),
        ("# nothing\n\n", "has no rows", "at least one row"),
        ("", "is empty", ""),
    ],
)
def test_bad_runs(write, content, message, remedy):
    with pytest.raises(SteelyardError) as caught:
        read.predictions(write("run.trec", content))
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    assert "run.trec" in caught.value.message


@each_row(
    ("content", "message"),
    [
        (
            "301 d1 2\n",
            "line 1: a TREC qrels has 4 columns (query 0 item grade), this line has 3: '301 d1 2'",
        ),
        (
            "301 0 d1 2\n301 0 d2 1 2\n",
            "line 2: a TREC qrels has 4 columns (query 0 item grade), this line has 5: '301 0 d2 1 2'",
        ),
        ("301 0 d1 2 # good\n", "line 1: a TREC qrels has 4 columns (query 0 item grade), this line has 6"),
        ("301 0 new york 1\n", "line 1: a TREC qrels has 4 columns (query 0 item grade), this line has 5"),
        ("301 0 d1 high\n", "line 1: relevance is 'high', which is not a number"),
        ("301 0 d1 1\n301 0 d2 inf\n", "line 2: relevance is 'inf'"),
        ("301 0 d1 nan\n", "line 1: relevance is 'nan'"),
        (RUN, "is a TREC run (query Q0 item rank score tag), not a qrels file"),
    ],
)
def test_bad_qrels(write, content, message):
    with pytest.raises(SteelyardError) as caught:
        read.truth(write("qrels.txt", content))
    assert message in caught.value.message
    assert caught.value.remedy


def test_a_trec_file_holds_neither_labels_nor_weights(write):
    path = write("run.trec", RUN)
    with pytest.raises(ReadError, match="a TREC file cannot hold scores and labels in one table"):
        read.labelled(path)
    with pytest.raises(ReadError, match="a TREC file cannot hold weights"):
        read.query_weights(path)


def test_truncated_gzip(write):
    whole = gzip.compress(np.random.default_rng(1).bytes(4000).hex().encode())
    with pytest.raises(ReadError, match="run.trec.gz is cut short"):
        read.predictions(write("run.trec.gz", whole[: len(whole) // 2]))


def test_bytes_that_are_not_text(write):
    with pytest.raises(ReadError, match=r"run.trec, line 2: the bytes are not UTF-8 text"):
        read.predictions(write("run.trec", RUN[:27].encode() + b"301 Q0 caf\xe9 2 1 t\n"))
    packed = gzip.compress(b"1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n1 Q0 \xff 3 1 t\n", mtime=0)
    with pytest.raises(ReadError, match=r"run.gz, line 3: the bytes are not UTF-8 text"):
        read.predictions(write("run.gz", packed))


FIELD = st.text(
    st.characters(codec="utf-8", exclude_characters="\0 \t\n\r\x0b\x0c\ufeff"), min_size=1, max_size=6
)
GAP = st.text(" \t", min_size=1, max_size=3)


@given(
    rows=st.lists(st.tuples(FIELD.filter(lambda q: q[0] != "#"), FIELD, GAP), min_size=1, max_size=5),
)
def test_any_id_without_whitespace_survives(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("trec") / "run.trec"
    path.write_bytes("\n".join(gap.join([q, "Q0", d, "1", "0.5", "t"]) for q, d, gap in rows).encode())
    assert read.predictions(path).frame.rows() == [(q, d, 0.5) for q, d, _ in rows]


def test_a_million_lines(tmp_path):
    n = 1_000_000
    lines = pl.select(
        pl.format(
            "q{} Q0 d{} {} {} tag",
            pl.int_range(n) // 1000,
            pl.int_range(n),
            pl.int_range(n) % 1000,
            pl.int_range(n) / 7,
        )
    )
    path = tmp_path / "big.run"
    lines.write_csv(path, include_header=False, quote_style="never", separator="\x01")
    table = read.predictions(path)
    assert table.frame.row(n - 1) == ("q999", "d999999", (n - 1) / 7)


def test_rank_must_be_a_number_only_when_it_is_used(write):
    path = write("run.trec", "1 Q0 d1 first 0.5 t\n")
    assert read.predictions(path).frame.height == 1
    with pytest.raises(ValueInDataError, match="rank is 'first', which is not a number"):
        read.predictions(path, orders=["rank"])


def test_one_comment_line(write):
    path = write("run.trec", "# by hand\n1 Q0 d1 1 0.5 t\n")
    assert read.predictions(path).notes == (f"{path}: 1 comment line (#) is skipped.",)
