"""`--catalog --features --history --item-groups --baseline-lists` and `--task recommendation`.

run.csv shows a, b, c for q1 and d, a (tied, the higher id first) for q2.
"""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

from ..tables import each_row

FILMS = ["a", "b", "c", "d", "e"]


@pytest.fixture
def shop(folder):
    """The current folder, with what is known of five films besides."""
    (folder / "films.csv").write_text(
        "item,genre,year\na,war,1990\nb,love,1991\nc,love,1990\nd,war,2000\ne,war,2001\n"
    )
    (folder / "had.csv").write_text("query,item,plays\nq1,a,2\nq2,b,1\nq2,a,1\nq9,c,1\n")
    (folder / "studios.csv").write_text("item,studio\na,A\nb,A\nc,B\nd,B\ne,C\n")
    (folder / "usual.run").write_text("q1 Q0 a 1 3 plain\nq1 Q0 e 2 2 plain\nq2 Q0 a 1 3 plain\n")
    return folder  # fmt: skip


@pytest.fixture
def values(steelyard):
    def run(*options: object) -> dict[str, list[float]]:
        done = steelyard("evaluate", "run.csv", *options, "--format", "json")
        assert done.code == 0, done.err
        found: dict[str, list[float]] = {}
        for row in json.loads(done.out)["results"]:
            found.setdefault(row["metric"], []).append(row["value"])
        return found

    return run


def test_every_table(shop, values):
    found = values(
        "-m", "coverage@2", "-m", "diversity@2", "-m", "popularity@1", "-m", "exposure@2",
        "-m", "unexpectedness@2", "--catalog", "films.csv", "--features", "films.csv", "--history", "had.csv",
        "--item-groups", "studios.csv", "--baseline-lists", "usual.run",
        "--columns", "feature=genre", "--columns", "history.count=plays",
    )  # fmt: skip
    assert found == {
        "coverage@2": [3 / 5],
        "diversity@2": [(1 + 0) / 2],  # a and b differ in genre, d and a do not
        "popularity@1": [(3 + 0) / 2],  # a was had three times, d never
        "exposure@2": [3 / 4, 1 / 4, 0],
        "unexpectedness@2": [(1 / 2 + 1 / 2) / 2],  # b and d are not usual
    }


def test_several_columns_of_features(shop, values):
    two = values("-m", "diversity(distance=hamming)@2", "--features", "studios.csv")
    assert two == {"diversity(distance=hamming)@2": [(0 + 1) / 2]}
    (shop / "both.csv").write_text("item,genre,studio,year\na,x,A,1\nb,y,A,2\nd,x,B,3\n")
    both = values(
        "-m", "diversity(distance=hamming)@2", "--features", "both.csv", "--columns", "feature=genre,studio"
    )
    assert both == {"diversity(distance=hamming)@2": [(1 / 2 + 1 / 2) / 2]}  # one of two columns differs


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl", "arrow", "csv.gz", "txt"])
def test_a_catalogue_of_every_kind(folder, values, kind):
    frame, path = pl.DataFrame({"item": FILMS}), folder / f"films.{kind}"
    write = {
        "csv": lambda: frame.write_csv(path),
        "tsv": lambda: frame.write_csv(path, separator="\t"),
        "parquet": lambda: frame.write_parquet(path),
        "jsonl": lambda: frame.write_ndjson(path),
        "arrow": lambda: frame.write_ipc(path),
        "csv.gz": lambda: path.write_bytes(gzip.compress(frame.write_csv().encode())),
        "txt": lambda: path.write_text("\n".join(FILMS)),  # one id on each line
    }
    write[kind]()
    assert values("-m", "coverage@2", "--catalog", f"films.{kind}") == {"coverage@2": [3 / 5]}


def test_a_history_of_judgements(shop, values):
    (shop / "had.qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    assert values("-m", "repetition@2", "--history", "had.qrels") == {"repetition@2": [1 / 4]}


def test_a_run_file(shop, steelyard):
    (shop / "run.toml").write_text(
        'predictions = "run.csv"\nmetric = ["coverage@2", "diversity@2"]\ncatalog = "films.csv"\n'
        'features = ["films.csv"]\nitem-groups = "studios.csv"\n[columns]\nfeature = ["genre"]\n'
    )
    done = steelyard("evaluate", "--run-file", "run.toml")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1].split() == ["coverage@2", "0.6000", "5", "items", "0"]
    assert "! item_groups was given, and no metric reads it." in done.err.splitlines()


class TestRecommendation:
    BASE = ("evaluate", "run.csv", "--task", "recommendation")

    def labels(self, done) -> list[str]:
        assert done.code == 0, done.err
        return [line.split(",")[0] for line in done.out.splitlines()[1:]]

    def test_all_of_it(self, shop, steelyard):
        done = steelyard(
            *self.BASE, "--truth", "truth.csv", "--catalog", "films.csv", "--features", "films.csv",
            "--history", "had.csv", "--columns", "feature=genre", "--format", "csv",
        )  # fmt: skip
        assert self.labels(done) == ["ndcg@10", "recall@10", "coverage@10", "diversity@10", "novelty@10"]
        assert "skips" not in done.err

    def test_what_is_left_out_is_told(self, shop, steelyard):
        done = steelyard(*self.BASE, "--catalog", "films.csv", "--history", "had.csv", "--format", "csv")
        assert self.labels(done) == ["coverage@10", "novelty@10"]
        assert (
            "! task 'recommendation' skips ndcg@10, recall@10 (need truth); diversity@10 (needs features)."
            in done.err.splitlines()
        )
        done = steelyard(*self.BASE, "--truth", "truth.csv", "--lang", "zh", "--format", "json")
        left_out = json.loads(done.out)["notes"][-1]
        assert left_out["key"] == "left_out_of_task"
        assert left_out["figures"]["task"] == "recommendation"

    def test_nothing_to_measure_with(self, folder, steelyard):
        done = steelyard(*self.BASE)
        assert done.code == 2
        assert done.err.splitlines() == [
            "error: task 'recommendation' has no table that it needs",
            "       give truth, catalog, features or history, or several of them",
        ]

    def test_another_library(self, shop, steelyard):
        done = steelyard(
            *self.BASE, "--catalog", "films.csv", "--truth", "truth.csv", "--profile", "trec_eval"
        )
        assert done.code == 2
        assert "includes coverage@10, which trec_eval does not have" in done.err


@each_row(
    ("options", "message"),
    [
        (["-m", "coverage@2"], "coverage@2 needs catalog, which was not given"),
        (["-m", "coverage@2", "--catalog", "nosuch.csv"], "nosuch.csv does not exist"),
        (["-m", "coverage@2", "--catalog", "run.csv", "-o", "run.csv"], "it is one of the inputs"),
        (["-m", "coverage@2", "--catalog", "usual.run"], "usual.run: a TREC file cannot hold catalog"),
        (["-m", "diversity@2", "--features", "films.csv"], "has numbers ('year') and words ('genre')"),
        (
            ["-m", "diversity@2", "--features", "films.csv", "--columns", "feature=genre,colour"],
            "films.csv has no column 'colour' (asked for as feature)",
        ),
        (
            ["-m", "coverage@2", "--catalog", "films.csv", "--per-query", "x.csv"],
            "so there is no value per query",
        ),
        (["-m", "ndcg@2", "--truth", "truth.csv", "--columns", "feature=genre"], "(asked for as feature)"),
    ],
)
def test_refusals(shop, steelyard, options, message):
    before = sorted(path.name for path in shop.iterdir())
    done = steelyard("evaluate", "run.csv", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
    assert sorted(path.name for path in shop.iterdir()) == before


def test_explain(shop, steelyard):
    done = steelyard("explain", "coverage@2", "run.csv", "--catalog", "films.csv")
    assert done.code == 0, done.err
    assert "0.6000" in done.out
    done = steelyard("explain", "novelty@2", "run.csv", "--history", "had.csv", "--query", "q1")
    assert done.code == 0, done.err
    done = steelyard("explain", "novelty@2", "run.csv", "--history", "had.csv", "-o", "had.csv")
    assert done.code == 2
    assert "it is one of the inputs" in done.err
