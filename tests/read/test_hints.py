"""What a person is told to do is what helps."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from datetime import datetime

import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard import read
from steelyard.cli.main import steelyard
from steelyard.text.errors.base import ColumnError, ReadError, ValueInDataError

# As MS MARCO has them: no header. The relevant passage of query 300674 stands at rank 2.
RUN = "300674\t21\t1\n300674\t7067032\t2\n"
QRELS = "300674\t0\t7067032\t1\n"


def test_a_run_without_header(write):
    run, qrels = write("run.tsv", RUN), write("qrels.dev.trec", QRELS)
    with pytest.raises(ColumnError) as caught:
        sy.evaluate(run, qrels, "mrr")
    assert caught.value.message == f"{run} seems to have no header: its first line is '300674', '21' and '1'"
    remedy = caught.value.remedy.removeprefix("name its columns, such as ").partition("; if that is")[0]
    assert remedy == r"(printf 'query\titem\trank\n'; cat FILE) | steelyard evaluate - …"
    command = remedy.replace("FILE", str(run)).replace("steelyard", f"{sys.executable} -m steelyard")
    done = subprocess.run(
        ["sh", "-c", command.replace("…", f"--truth {qrels} -m mrr --format csv")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1].split(",")[:2] == ["mrr", "0.5"]


def test_qrels_without_header(write):
    path = write("qrels.tsv", QRELS)
    with pytest.raises(ColumnError) as caught:
        read.truth(path)
    assert (
        "seems to have no header: its first line is '300674', '0', '7067032' and '1'" in caught.value.message
    )
    assert "needs the ending .trec" in caught.value.remedy
    assert read.truth(write("qrels.trec", QRELS)).frame.rows() == [("300674", "7067032", 1.0)]


def test_a_csv_without_header(write, monkeypatch):
    for source in (write("run.csv", "1,21,0.5\n"), "-"):
        monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(b"1,21,0.5\n")}))
        with pytest.raises(
            ColumnError, match="seems to have no header: its first line is '1', '21' and '0.5'"
        ) as caught:
            read.predictions(source)
        assert r"printf 'query,item,score\n'" in caught.value.remedy


def test_a_column_may_be_called_by_a_number(write):
    path = write("run.tsv", "1\t2\t3\nq\ta\t0.5\n")
    columns = {"query": "1", "item": "2", "score": "3"}
    assert read.predictions(path, columns=columns).frame.rows() == [("q", "a", 0.5)]


@pytest.mark.parametrize("sign", ["NA", "null", r"\N", "", "NaN", " n/a ", "#N/A"])
def test_missing_among_numbers(write, sign):
    """The pairs that are left: 0.5 of a click stands above 0.2 of none."""
    path = write("log.csv", f"label,score\n1,0.5\n{sign},0.3\n0,0.2\n")
    with pytest.raises(ValueInDataError) as caught:
        sy.evaluate(path, metrics="auc")
    assert caught.value.message.startswith(f"{path}, row 2: label is ")
    assert "unlabelled=drop" in caught.value.remedy
    result = sy.evaluate(path, metrics="auc", unlabelled="drop")
    assert result["auc"] == 1.0
    assert result.tally.unlabelled == 1


@pytest.mark.parametrize("sign", ["NA", "null", r"\N", "<NA>"])
def test_missing_grades_and_scores(write, sign):
    path = write("truth.csv", f"query,item,grade\nq,a,1\nq,b, {sign}\n")
    with pytest.raises(ValueInDataError) as caught:
        read.truth(path)
    assert caught.value.message == f"{path}, row 2: relevance (column 'grade') is ' {sign}', a missing value"
    with pytest.raises(ValueInDataError, match="row 1: score is 'NA', a missing value"):
        read.predictions(write("run.csv", "query,item,score\nq,a,NA\n"))


LISTS = pl.DataFrame({"query": ["q"], "item": [["a", "b"]]})


@pytest.mark.parametrize(
    "kind", ["polars", "lazy", "pandas", "pandas of arrow", "pyarrow", "parquet", "jsonl"]
)
def test_a_column_of_lists_in_any_table(kind, tmp_path):
    LISTS.write_parquet(tmp_path / "a.parquet")
    LISTS.write_ndjson(tmp_path / "a.jsonl")
    sources = {
        "polars": LISTS,
        "lazy": LISTS.lazy(),
        "pandas": pd.DataFrame({"query": ["q"], "item": [["a", "b"]]}),
        "pandas of arrow": LISTS.to_pandas(use_pyarrow_extension_array=True),
        "pyarrow": LISTS.to_arrow(),
        "parquet": tmp_path / "a.parquet",
        "jsonl": tmp_path / "a.jsonl",
    }
    assert read.predictions(sources[kind]).frame.rows() == [("q", "a"), ("q", "b")]


def test_what_that_remedy_gives():
    truth = {"q": ["b"]}
    assert sy.evaluate(LISTS.explode("item"), truth, "mrr", order="given")["mrr"] == 0.5
    assert sy.evaluate(dict(LISTS.iter_rows()), truth, "mrr")["mrr"] == 0.5


@pytest.mark.parametrize("column", ["query", "score"])
def test_dates_that_python_cannot_write(column):
    """The year 292,277 is beyond datetime; it has no place here anyway."""
    far = pl.Series([2**62]).cast(pl.Datetime("us"))
    near = pl.Series([datetime(2026, 11, 15)])
    frame = pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})
    for dates in (far, near):
        with pytest.raises(ColumnError, match="datetime"):
            read.predictions(frame.with_columns(dates.alias(column)))


def test_a_file_that_has_no_more_than_the_ending_in_common_is_not_meant(write):
    run = write("run.csv", "query,item,score\nq,a,1\n")
    with pytest.raises(ReadError) as caught:
        read.predictions(run.with_name("nope.csv"))
    assert caught.value.message.endswith("nope.csv does not exist")
    assert caught.value.remedy == f"check the spelling, and that the file is in {run.parent}"
    for slip in ("rum.csv", "run.csvv", "run.tsv"):
        with pytest.raises(ReadError) as caught:
            read.predictions(run.with_name(slip))
        assert caught.value.message.endswith("does not exist; did you mean 'run.csv'?")


@pytest.mark.parametrize(("byte", "text"), [("\0", "q,b\0,1\n"), ("\r", "q,b\r,1\n")])
def test_odd_bytes_of_a_packed_file_are_removed_as_the_remedy_says(write, byte, text):
    path = write("run.csv.gz", gzip.compress(f"query,item,score\n{text}".encode()))
    with pytest.raises(ReadError) as caught:
        read.predictions(path)
    start = "remove it (" if byte == "\0" else "else remove it: "
    command = caught.value.remedy.partition(start)[2].partition(")")[0]
    mended = path.with_name("new.csv")
    command = command.replace("OLD", str(path)).replace("NEW", str(mended))
    subprocess.run(["sh", "-c", command], check=True)
    assert read.predictions(mended).frame.rows() == [("q", "b", 1.0)]
    packed = path.with_name("run.csv.zst")
    lines = pl.LazyFrame({"line": ["query,item,score", text.strip("\n")]})
    lines.sink_csv(packed, include_header=False, quote_style="never", compression="zstd")
    with pytest.raises(ReadError, match=r"zstd -dc < OLD \| tr -d"):
        read.predictions(packed)


# Files without header, what is asked of them, and the value by hand: the relevant item is second, which is
# 1/2; the one positive row has the higher score, which is an area of 1.
HEADERLESS = {
    "a run of two columns": ("7\t21\n7\t22\n", "run.tsv", "RUN --truth TRUTH --order given -m mrr", 0.5),
    "a run of four": ("7,21,0.9,x\n7,22,0.8,y\n", "run.csv", "RUN --truth TRUTH -m mrr", 0.5),
    "a packed run": ("7,21,0.9\n7,22,0.8\n", "run.csv.gz", "RUN --truth TRUTH -m mrr", 0.5),
    "a truth": ("7,21,0\n7,22,1\n", "qrels.csv", "GOOD --truth RUN -m mrr", 0.5),
    "a truth without grades": ("7\t22\n", "qrels.tsv", "GOOD --truth RUN -m mrr", 0.5),
    "labels inside": ("7,0,0.9\n7,1,0.8\n", "log.csv", "RUN -m mrr", 0.5),
    "rows": ("1,0.9\n0,0.1\n", "rows.csv", "RUN -m auc", 1.0),
    "rows of more": ("1\t0.9\ta\n0\t0.1\tb\n", "rows.tsv", "RUN -m auc", 1.0),
    "equal fields": ("1,1\n0,0.1\n", "rows.csv", "RUN -m auc", 1.0),
    "grouped rows": ("7,1,0.9\n7,0,0.1\n", "rows.csv", "RUN -m gauc", 1.0),
    "items to leave out": ("7,21\n", "seen.csv", "GOOD --truth TRUTH --exclude RUN -m mrr", 1.0),
    "weights": ("7,2\n", "weights.csv", "GOOD --truth TRUTH --weights RUN -m mrr", 0.5),
}


@pytest.mark.parametrize(("content", "name", "asked", "value"), HEADERLESS.values(), ids=HEADERLESS)
def test_a_header_fits_the_table_and_its_columns(write, monkeypatch, capsys, content, name, asked, value):
    packed = gzip.compress(content.encode()) if name.endswith(".gz") else content
    path = str(write(name, packed))
    asked = asked.replace("GOOD", str(write("good.csv", "query,item,score\n7,21,0.9\n7,22,0.8\n")))
    asked = asked.replace("TRUTH", str(write("truth.csv", "query,item,relevance\n7,22,1\n")))
    with pytest.raises(ColumnError, match="seems to have no header") as caught:
        steelyard.main(["evaluate", *asked.replace("RUN", path).split()], standalone_mode=False)
    remedy = caught.value.remedy.partition("such as ")[2].partition("; if that is")[0]
    under_header, _, given = remedy.partition(" | steelyard evaluate ")
    done = subprocess.run(["sh", "-c", under_header.replace("FILE", path)], capture_output=True, check=True)
    source = given.replace("…", "").split()[-1]
    if source == "/dev/stdin":  # the one of another process
        source = str(write("stdin", done.stdout))
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(done.stdout)}))
    steelyard.main(
        ["evaluate", *asked.replace("RUN", source).split(), "--format", "csv"], standalone_mode=False
    )
    assert capsys.readouterr().out.splitlines()[1].split(",")[1] == str(value)
