"""Notes where scores order lists otherwise than ranks do, or than the rows stand."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.read import headers

RUN = pl.DataFrame(
    {
        "query": [1, 1, 1, 2, 2, 2],
        "item": ["a", "b", "c", "a", "b", "c"],
        "rank": [1, 2, 3, 1, 2, 3],
        "score": [0.9, 0.8, 0.7, 0.1, 0.3, 0.2],
    }
)
TRUTH = pl.DataFrame({"query": [1, 2], "item": ["a", "a"], "relevance": [1, 1]})
RANKS = (
    "column 'rank' orders 1 of 2 lists differently from the scores, which are used; "
    "order=rank uses the ranks."
)


def rising(lists: int, of: int, first: str = "") -> str:
    return (
        f"the scores of {lists:,} of {first}{of:,} lists rise from row to row, and the highest score is "
        "best: if they are distances, negate them, or use order=given for the order of rows."
    )


def distances(*lists: list[float]) -> pl.DataFrame:
    rows = [(query, str(item), score) for query, one in enumerate(lists) for item, score in enumerate(one)]
    return pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")


def truth_of(run: pl.DataFrame) -> pl.DataFrame:
    return run.select("query", "item").unique("query", keep="first").with_columns(relevance=1)


def notes(run, truth=TRUTH, **options) -> list[str]:
    """What is said of an evaluation, but for its intervals, which rest on few queries here."""
    return list(sy.evaluate(run, truth, "mrr", ci="none", **options).notes)


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "arrow", "trec"])
def test_ranks_against_scores_in_files(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RUN.write_csv("run.csv")
    RUN.write_parquet("run.parquet")
    RUN.write_ndjson("run.jsonl")
    RUN.write_ipc("run.arrow")
    lines = [f"{query} Q0 {item} {rank} {score} x\n" for query, item, rank, score in RUN.iter_rows()]
    (tmp_path / "run.trec").write_text("".join(lines))
    (tmp_path / "truth.qrels").write_text("1 0 a 1\n2 0 a 1\n")
    assert notes(f"run.{form}", "truth.qrels") == [RANKS]


def test_ranks_against_scores_in_memory():
    for run in (RUN, RUN.to_pandas(), RUN.to_arrow()):
        assert notes(run) == [RANKS]
    labelled = RUN.with_columns(label=pl.Series([1, 0, 0, 1, 0, 0]))
    assert list(sy.evaluate(labelled, metrics="mrr", ci="none").notes) == [RANKS]


def test_what_the_note_offers_settles_it():
    result = sy.evaluate(RUN, TRUTH, "mrr", order="rank", ci="none")
    assert (result["mrr"], result.notes) == (1, ())


def test_ranks_that_agree():
    assert notes(RUN.with_columns(rank=pl.Series([1, 2, 3, 3, 1, 2]))) == []
    # equal ranks say nothing, equal scores neither, and a mask stands nowhere
    assert notes(RUN.with_columns(rank=pl.lit(1))) == []
    assert not any("orders" in note for note in notes(RUN.with_columns(score=pl.lit(0.5))))
    masked = RUN.with_columns(score=pl.Series([0.9, -np.inf, -np.inf, 0.3, -np.inf, -np.inf]))
    assert notes(masked) == ["4 rows with a score of -inf: not retrieved."]


def test_a_position_may_be_where_a_row_was_shown():
    shown = RUN.rename({"rank": "position"})
    assert notes(shown) == []
    assert notes(shown, columns={"rank": "position"}) == [RANKS.replace("'rank'", "'position'")]


def test_ranks_that_are_no_numbers_are_left_alone():
    assert notes(RUN.with_columns(rank=pl.lit("first"))) == []
    assert notes(RUN.with_columns(rank=pl.concat_list("score"))) == []


EVALUATE_ALL = """
import sys
from pathlib import Path
import steelyard as sy

for path in sorted(Path(sys.argv[1]).glob("*.parquet")):
    print(path.name, sy.evaluate(path, Path(sys.argv[1], "truth.csv"), "mrr")["mrr"], flush=True)
print("to the end")
"""


def test_broken_ranks_neither_end_nor_refuse_what_does_not_ask_for_them(tmp_path):
    RUN.write_parquet(tmp_path / "whole.parquet")
    TRUTH.write_csv(tmp_path / "truth.csv")
    content = (tmp_path / "whole.parquet").read_bytes()
    chunk = next(one for one in headers.parquet_layout(content).chunks if one.column == b"rank")
    for place in range(chunk.start, chunk.start + chunk.size):
        flipped = bytearray(content)
        flipped[place] ^= 1  # in a page header the sign of a number
        (tmp_path / f"{place:05}.parquet").write_bytes(flipped)
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE_ALL, tmp_path], capture_output=True, text=True, check=False
    )
    *lines, last = done.stdout.splitlines()
    assert (done.returncode, last) == (0, "to the end"), done.stderr[-2000:]
    assert len(lines) == chunk.size + 1
    # by score the one relevant item stands first in one list and third in the other
    assert {float(line.split()[1]) for line in lines} == {(1 / 1 + 1 / 3) / 2}


def test_ranks_that_cannot_be_read_are_left_alone(tmp_path):
    mixed = RUN.to_pandas().assign(rank=[1, "x", b"y", 1, 2, 3])
    assert notes(mixed) == []
    twice = tmp_path / "run.csv"
    twice.write_text("query,item,rank,score,rank\n1,a,2,0.9,1\n1,b,1,0.8,2\n")
    truth = tmp_path / "truth.csv"
    truth.write_text("query,item\n1,a\n")
    assert notes(twice, truth) == [f"{truth} has no relevance column: every row counts as grade 1."]


def test_distances_given_as_scores():
    run = distances([0.1, 0.2, 0.4], [0.3, 0.5, 0.6], [0.9, 0.1, 0.2])
    result = sy.evaluate(run, truth_of(run), "mrr", ci="none")
    assert result.notes == (rising(2, 3),)
    # the relevant item is the nearest, and stands last in two lists, first in the other
    assert result["mrr"] == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)


def test_what_the_note_on_distances_offers_settles_it():
    run = distances([0.1, 0.2, 0.4], [0.3, 0.5, 0.6])
    for settled in (
        sy.evaluate(run.with_columns(-pl.col("score")), truth_of(run), "mrr", ci="none"),
        sy.evaluate(run, truth_of(run), "mrr", order="given", ci="none"),
    ):
        assert (settled["mrr"], settled.notes) == (1, ())


def test_scores_that_do_not_rise():
    for lists in (
        [[0.4, 0.2, 0.1], [0.6, 0.5, 0.3]],
        [[0.1, 0.2, 0.4], [0.6, 0.5, 0.3]],  # one of two
        [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]],  # two rows rise by chance
        [[0.1, 0.2, 0.3]],  # one short list too
        [[0.1, 0.1, 0.3], [0.1, 0.1, 0.3]],
    ):
        run = distances(*lists)
        assert not any("rise" in note for note in notes(run, truth_of(run)))


def test_the_columns_of_a_matrix_have_no_order():
    scores = np.tile(np.arange(5.0), (4, 1))
    assert notes(scores, np.eye(4, 5)) == []


def test_the_first_rows_of_a_long_table_are_looked_at():
    run = pl.DataFrame({"query": np.repeat(np.arange(6001), 10)}).with_columns(
        item=pl.int_range(pl.len()) % 10, score=pl.int_range(pl.len()).cast(pl.Float64)
    )
    assert notes(run, truth_of(run))[0] == rising(5000, 5000, "the first ")
