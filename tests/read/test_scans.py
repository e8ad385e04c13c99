"""Scanning a source gives the rows that loading it gives, with the same numbers and notes."""

from __future__ import annotations

import gzip

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard import read
from steelyard.read.lists import by_item
from steelyard.read.roles import Finder
from steelyard.read.sources import open_sources
from steelyard.read.table import PLACE, Source
from steelyard.read.text import ZSTD
from steelyard.text.errors import SteelyardError
from tests.tables import each_row

FRAME = pl.DataFrame({"query": ["1", "1", "2"], "item": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]})
CSV = {
    "plain": "query,item,score\n1,a,0.5\n1,b,0.25\n2,a,1.0\n",
    "blank lines": "query,item,score\n\n1,a,0.5\n  \n1,b,0.25\n,,\n2,a,1.0\n\n",
    "spaces": "query, item, score\n1, a, 0.5\n1, b, 0.25\n\n2, a, 1.0\n",
    "quotes": 'query,item,score\n1,"a ""x"", y",0.5\n1,"b\nc",0.25\n2,a,1\n',
    "quotes after spaces": 'query, item\n1, "a ""x"""\n1, b\n',
    "spaces in quotes": 'query,item,score\n1," a",0.5\n1," b",0.25\n',
    "mark": "\ufeffquery,item\n1,a\n",
    "carriage returns": "query,item\r\n1,a\r\n\r\n1,b\r\n",
    "no rows": "query,item,score\n",
    "missing values": "query,item,note\n1,a,\n1,b, x\n2,c, y\n",
}
TREC = {
    "alike": "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.25 t\n",
    "odd blanks": " 1 Q0\ta 1 0.5\n\n# a comment\n1 Q0 b 2 0.25 t and more\n",
    "mark": "\ufeff1 Q0 a 1 0.5 t\n1 Q0 b 2 0.25 t\n",
}


def source_of(given, kind="predictions") -> Source:
    return open_sources(given, kind, kind)[1][0]


def check_scan(source: Source, roles=None) -> None:
    """A scan gives what ``load`` and ``tidy`` give, in values, row numbers and notes."""
    roles = {c: c for c in source.columns if c in ("query", "item", "score")} if roles is None else roles
    scanned = source.scan().collect(engine="streaming")
    seen = source.inspect(source.columns, roles) if source.inspect else ()
    frame, rows, notes = source.load(source.columns), None, ()
    if source.tidy is not None:
        tidied = source.tidy(frame, roles)
        frame, rows, notes = tidied.frame, tidied.rows, tidied.notes
    assert scanned.drop(PLACE, strict=False).equals(frame)
    assert scanned.columns[:1] == [PLACE] or scanned.drop(PLACE, strict=False).columns == list(source.columns)
    numbers = range(1, scanned.height + 1) if rows is None else rows.to_list()
    assert list(scanned[PLACE] if PLACE in scanned.columns else range(1, frame.height + 1)) == list(numbers)
    assert tuple(seen) == notes


def collected(given):
    source = source_of(given)
    with source.guard():
        return source.scan().collect(engine="streaming")


def written(path, text, packing):
    data = text.encode() if isinstance(text, str) else text
    if packing == "gz":
        path = path.with_name(f"{path.name}.gz")
        data = gzip.compress(data)
    if packing == "zst":
        path = path.with_name(f"{path.name}.zst")
        data = pa.compress(data, codec="zstd", asbytes=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
@pytest.mark.parametrize("text", CSV.values(), ids=list(CSV))
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_separated_text(tmp_path, text, packing, ending):
    if ending == "tsv":
        text = text.replace(",", "\t")
    path = written(tmp_path / f"log.{ending}", text, packing)
    source = source_of(path)
    assert source.slow
    check_scan(source)
    check_scan(source, {"query": "query"})


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
@pytest.mark.parametrize("text", TREC.values(), ids=list(TREC))
def test_trec_runs(tmp_path, text, packing):
    path = written(tmp_path / "run.trec", text, packing)
    check_scan(source_of(path))
    assert source_of(path).scan().collect().height == 2


def test_trec_qrels_and_catalogs(tmp_path):
    path = written(tmp_path / "a.qrels", "1 0 a 1\n\n1 0 b 0\n", "")
    check_scan(source_of(path, "truth"))
    items = written(tmp_path / "items.txt", "item\n\na\nb\n", "")
    check_scan(source_of(items, "catalog"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [("1 Q0 a 1\n", "predictions"), ("1 Q0 a 1 0.5 t\n", "truth"), ("\n \n", "truth")],
)
def test_a_scan_refuses_what_loading_refuses(tmp_path, text, kind):
    path = written(tmp_path / "run.trec", text, "")
    with pytest.raises(SteelyardError) as loading:
        source_of(path, kind).load(["query"])
    with pytest.raises(SteelyardError) as scanning:
        source_of(path, kind).scan()
    assert str(loading.value) == str(scanning.value)


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
def test_jsonl(tmp_path, packing):
    lines = FRAME.write_ndjson().replace("\n", "\n\n", 1)
    check_scan(source_of(written(tmp_path / "log.jsonl", lines, packing)))
    odd = source_of(written(tmp_path / "odd.jsonl", '{"query": 1}\n{"query": "1"}\n', packing))
    with pytest.raises(SteelyardError, match=r"odd.jsonl.*line 1"):
        odd.inspect(["query"], {"query": "query"})


def test_binary_files_and_frames(tmp_path):
    FRAME.write_parquet(tmp_path / "log.parquet")
    FRAME.write_ipc(tmp_path / "log.arrow")
    for given in (
        tmp_path / "log.parquet",
        tmp_path / "log.arrow",
        FRAME,
        FRAME.lazy(),
        FRAME.to_arrow(),
        FRAME.to_pandas(),
        {"1": {"a": 0.5, "b": 0.25}, "2": {"a": 1.0}},
    ):
        source = source_of(given)
        check_scan(source)
        assert not source.slow
        assert source.scan().collect_schema().names() == ["query", "item", "score"]


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
@each_row(
    ("data", "message"),
    [
        (b'query,item\n1,"a" b\n2,c\n', "line 2: a quote inside a field"),
        (b"query,item\n1,a\0\n", "line 2: a NUL byte"),
        (b"query,item\n1,\xff\n", "the bytes are not UTF-8"),
        (b"query,item\n1,a,b\n", "line 2: more fields than the 2 columns"),
        (b"query,item\n1,a\r2,b\n", "line 2: a carriage return"),
    ],
)
def test_text_is_checked_without_loading(tmp_path, data, message, packing):
    path = written(tmp_path / "log.csv", data, packing)
    with pytest.raises(SteelyardError, match=message):
        collected(path)


def test_a_damaged_page_is_found_without_loading(tmp_path):
    FRAME.write_parquet(tmp_path / "log.parquet", compression="uncompressed")
    data = bytearray((tmp_path / "log.parquet").read_bytes())
    data[4:8] = b"\xff\xff\xff\xff"
    (tmp_path / "log.parquet").write_bytes(data)
    source = source_of(tmp_path / "log.parquet")
    with pytest.raises(SteelyardError, match=r"log\.parquet"):
        source.check(["query"])
    FRAME.write_parquet(tmp_path / "log.parquet", row_group_size=1, compression="zstd")
    data = (tmp_path / "log.parquet").read_bytes()
    at = data.rindex(ZSTD)
    (tmp_path / "log.parquet").write_bytes(data[:at] + b"\xff" * 4 + data[at + 4 :])
    source = source_of(tmp_path / "log.parquet")
    with pytest.raises(SteelyardError, match=r"log\.parquet"), source.guard():
        source.scan().collect(engine="streaming")


def test_columns_of_pandas_that_cannot_be_read_are_left_out():
    frame = pd.DataFrame({"query": ["1", "1"], "item": ["a", "b"], "score": [1.0, 0.5], "odd": [1, "a"]})
    assert source_of(frame).scan().collect_schema().names() == ["query", "item", "score"]


def test_hidden_columns_are_not_scanned():
    assert source_of(FRAME).without(["item"]).scan().collect_schema().names() == ["query", "score"]
    assert read.Opened(FRAME).sources("predictions", "predictions")[1][0].scan().collect().equals(FRAME)


LISTS = pl.DataFrame(
    {
        "query": ["1", "2", "3", "4"],
        "items": [["a", "b"], ["a"], [], None],
        "scores": [[0.5, 0.25], [1.0], [], None],
        "tags": [["x"], [], None, []],
        "day": [1, 2, 3, 4],
    }
)


def by_item_of(given, kind="predictions", ordered=True):
    return by_item(source_of(given, kind), Finder(source_of(given, kind), kind, None), kind, ordered=ordered)


def test_lists_of_items(tmp_path):
    LISTS.write_parquet(tmp_path / "lists.parquet")
    LISTS.write_ndjson(tmp_path / "lists.jsonl")
    for given in (tmp_path / "lists.parquet", tmp_path / "lists.jsonl", LISTS, LISTS.lazy()):
        for kind in ("predictions", "truth"):
            source = by_item_of(given, kind)
            scanned = source.scan().collect(engine="streaming")
            assert scanned.columns == [PLACE, "query", "items", "scores", "day"]  # tags have other lengths
            columns, roles = ["query", "items", "scores", "day"], {"query": "query", "item": "items"}
            tidied = source.tidy(source.load(columns), roles)
            assert scanned.drop(PLACE).equals(tidied.frame)
            assert scanned[PLACE].to_list() == tidied.rows.to_list() == [1, 1, 2, 4]
            assert source.inspect(columns, roles) == tidied.notes
            for wrong in ("tags", "day"):
                with pytest.raises(SteelyardError) as loading:
                    source.tidy(source.load(["items", wrong]), {"score": wrong})
                with pytest.raises(SteelyardError) as scanning:
                    source.inspect(["items", wrong], {"score": wrong})
                assert str(loading.value) == str(scanning.value)


def test_lists_of_one_length(tmp_path):
    frame = pl.DataFrame({"query": ["1"], "items": pl.Series([["a", "b"]], dtype=pl.Array(pl.String, 2))})
    assert by_item_of(frame).scan().collect().rows() == [(1, "1", "a"), (1, "1", "b")]


def stream_of(rows=1):
    table = FRAME.to_arrow()
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows))


class Producer:
    """Something of another library that has nothing but its stream."""

    def __arrow_c_stream__(self, schema=None):
        return stream_of().__arrow_c_stream__(schema)


def test_streams_are_read_once():
    for given in (stream_of(), Producer()):
        source = source_of(given)
        assert source.slow
        assert source.peek(["item"], 2)["item"].to_list() == ["a", "b"]
        assert source.scan().collect(engine="streaming").equals(FRAME)
        for again in (lambda one=source: one.scan().collect(), lambda one=source: one.load(["query"])):
            with pytest.raises(SteelyardError, match="predictions can.* be"), source.guard():
                again()
    loaded = source_of(stream_of())
    assert loaded.load(["item", "query"]).columns == ["item", "query"]
    assert loaded.scan().select("score").collect()["score"].to_list() == [0.5, 0.25, 1.0]
    assert loaded.scan().select("query").head(2).collect()["query"].to_list() == ["1", "1"]


def test_an_arrow_stream_in_a_file(tmp_path):
    with pa.ipc.new_stream(tmp_path / "log.arrow", FRAME.to_arrow().schema) as file:
        for batch in stream_of():
            file.write(batch)
    source = source_of(tmp_path / "log.arrow")
    check_scan(source)
    check_scan(source)
    assert source.peek(["item"], 2)["item"].to_list() == ["a", "b"]
    assert source.scan().filter(pl.col("query") == "1").select(pl.len()).collect().item() == 2
    assert source.scan().select(pl.len()).collect().item() == 3


def test_datasets_of_pyarrow(tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    for name in ("a", "b"):
        FRAME.write_parquet(tmp_path / f"{name}.parquet")
    source = source_of(dataset.dataset(tmp_path, format="parquet"))
    check_scan(source)
    assert source.scan().collect().equals(pl.concat([FRAME, FRAME]))
    result = sy.evaluate(
        dataset.dataset(tmp_path), {"1": ["b"]}, "mrr", duplicates="first", where="query = '1'"
    )
    assert result["mrr"] == 0.5


def test_duckdb_relations():
    duckdb = pytest.importorskip("duckdb")
    frame = FRAME.with_columns(pl.Series('odd "name', [1, 2, 3]))
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    source = source_of(relation)
    assert source.slow
    assert source.unordered
    check_scan(source)
    check_scan(source)
    assert source.scan().select("query").head(1).collect().item() == "1"
    assert source.peek(["item"], 2)["item"].to_list() == ["a", "b"]
    assert source.load([]).height == 3
    assert sy.evaluate(relation, {"1": ["b"]}, "mrr")["mrr"] == 0.5
    assert sy.evaluate(relation, {"1": ["b"]}, "mrr", where="query = '1' and item = 'b'")["mrr"] == 1


def test_duckdb_is_asked_for_the_wanted_columns_only():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql(
        "select '1' as query, 'a' as item, 0.5 as score, error('unwanted') as odd"
    )
    assert sy.evaluate(relation, {"1": ["a"]}, "mrr")["mrr"] == 1
    assert source_of(relation).scan().select("query").collect().item() == "1"
    failing = source_of(relation)
    with pytest.raises(SteelyardError, match="predictions cannot be collected: .*unwanted"):
        failing.load(["odd"])
    with pytest.raises(SteelyardError, match="predictions cannot be collected: .*unwanted"), failing.guard():
        failing.scan().collect()
