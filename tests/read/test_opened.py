"""A call with metrics of rankings and of rows reads each table once."""

from __future__ import annotations

import os
import threading
from dataclasses import replace

import polars as pl
import pytest

import steelyard as sy
from steelyard.read import files as file_kinds
from steelyard.read import frames

# q1 has its positive in second place of two, q2 in first place: reciprocal ranks 1/2 and 1, and of the four
# pairs of a positive and a negative row, 0.5 > 0.3 is right twice over (0.5 > 0.4 too) and 0.4 > 0.5 is not
LOG = pl.DataFrame(
    {
        "user": ["q1", "q1", "q2", "q2"],
        "clicked": [0, 1, 1, 0],
        "score": [0.5, 0.4, 0.6, 0.3],
        "unused": [1, 2, 3, 4],
    }
)
METRICS = ["mrr", "auc"]
VALUES = {"mrr": (1 / 2 + 1) / 2, "auc": 3 / 4}
COLUMNS = {"query": "user", "label": "clicked"}


@pytest.fixture
def loads(monkeypatch):
    """The columns that were loaded of parquet files, one list for each file that was opened."""
    files = []
    form = file_kinds.FORMATS["parquet"]

    def counted(*given):
        source, loaded = form.open(*given), []
        files.append(loaded)

        def load(wanted):
            loaded.extend(wanted)
            return source.load(wanted)

        return replace(source, load=load)

    monkeypatch.setitem(file_kinds.FORMATS, "parquet", replace(form, open=counted))
    return files


def test_a_frame_is_opened_once(monkeypatch):
    opener, opened = frames.source_of, []
    monkeypatch.setattr(frames, "source_of", lambda *given: opened.append(given) or opener(*given))
    assert dict(sy.evaluate(LOG, metrics=METRICS, columns=COLUMNS)) == VALUES
    assert len(opened) == 1


def test_a_parquet_file(tmp_path, loads):
    LOG.write_parquet(tmp_path / "log.parquet")
    result = sy.evaluate(tmp_path / "log.parquet", metrics=METRICS, columns=COLUMNS)
    assert dict(result) == VALUES
    assert [sorted(columns) for columns in loads] == [["clicked", "score", "user"]]


def test_two_parquet_files(tmp_path, loads):
    items = LOG.with_columns(item=pl.Series(["a", "b", "a", "b"]))
    items.select("user", "item", "score").write_parquet(tmp_path / "said.parquet")
    items.select("user", "item", label="clicked").write_parquet(tmp_path / "true.parquet")
    result = sy.evaluate(tmp_path / "said.parquet", tmp_path / "true.parquet", METRICS)
    assert dict(result) == VALUES
    assert [sorted(columns) for columns in loads] == [["item", "score", "user"], ["item", "label", "user"]]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe(tmp_path):
    pipe = tmp_path / "log.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(LOG.write_csv().encode()), daemon=True)
    writer.start()
    assert dict(sy.evaluate(pipe, metrics=METRICS, columns=COLUMNS)) == VALUES
    writer.join(10)


def test_an_arrow_stream_that_can_be_asked_once():
    class Stream:
        asked = 0

        def __arrow_c_stream__(self, requested_schema=None):
            self.asked += 1
            assert self.asked == 1
            return LOG.__arrow_c_stream__(requested_schema)

    stream = Stream()
    assert dict(sy.evaluate(stream, metrics=METRICS, columns=COLUMNS)) == VALUES
    assert stream.asked == 1


def test_a_query_that_is_not_collected_yet():
    collected = []

    def seen(frame):
        collected.append(sorted(frame.columns))
        return frame

    lazy = LOG.lazy().map_batches(seen, projection_pushdown=False, schema=LOG.schema)
    assert dict(sy.evaluate(lazy, metrics=METRICS, columns=COLUMNS)) == VALUES
    assert len(collected) == 1


def test_one_table_as_predictions_and_as_truth_is_still_noticed(tmp_path):
    LOG.write_csv(tmp_path / "log.csv")
    columns = {"query": "user", "item": "unused", "score": "score", "label": "score"}
    with pytest.raises(sy.SteelyardError, match="is both the"):
        sy.evaluate(tmp_path / "log.csv", tmp_path / "log.csv", METRICS, columns=columns)


def test_columns_of_a_query_without_an_order_belong_together():
    """Each collect of a group_by may give its rows in another order."""
    n = 3000
    first = pl.int_range(n, eager=True) % 3 == 0
    log = pl.DataFrame({"query": pl.int_range(n, eager=True) // 3, "item": pl.int_range(n, eager=True) % 3})
    log = log.with_columns(label=first.cast(pl.Int64), score=first * 0.9 + 0.01)
    columns = [pl.col("label").first(), pl.col("score").first(), (-pl.col("score")).first().alias("worst")]
    lazy = log.lazy().group_by("query", "item").agg(columns)
    mixed = sy.evaluate(lazy.drop("worst"), metrics=["ndcg@5", "accuracy", "auc"])
    assert dict(mixed) == {"ndcg@5": 1.0, "accuracy": 1.0, "auc": 1.0}
    both = sy.evaluate(lazy, metrics="auc", scores=["score", "worst"])
    assert [result["auc"] for result in both.values()] == [1.0, 0.0]
    compared = sy.compare(lazy, scores=["score", "worst"], metrics="auc").table()
    assert compared.select("value", "difference").rows() == [(0.0, -1.0)]
