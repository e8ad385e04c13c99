"""`steelyard compare`: runs, columns of a log and saved results; every form; every mistake."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row


@pytest.fixture
def runs(folder):
    """Two runs of 30 queries with their truth, and a log with two columns of scores."""
    rng = np.random.default_rng(4)
    queries = [f"q{i}" for i in range(30)]
    truth = [(query, f"d{j}", int(j < 3)) for query in queries for j in range(6)]
    pl.DataFrame(truth, schema=["query", "item", "relevance"], orient="row").write_csv("qrels.csv")
    for name, luck in (("bm25", 2.0), ("dense", 0.5)):
        rows = [(query, item, grade + luck * rng.normal()) for query, item, grade in truth]
        pl.DataFrame(rows, schema=["query", "item", "score"], orient="row").write_csv(f"{name}.csv")
    clicked = rng.integers(0, 2, 200)
    pl.DataFrame(
        {
            "clicked": clicked,
            "p_old": rng.random(200) * 0.9,
            "p_new": rng.random(200) * 0.5 + 0.4 * clicked,
            "country": rng.choice(["DE", "JP"], 200),
        }
    ).write_csv("log.csv")
    return folder


BASE = ("compare", "bm25.csv", "dense.csv", "--truth", "qrels.csv", "-m", "ndcg@3", "-m", "mrr")


def test_runs(steelyard, runs):
    done = steelyard(*BASE, "--baseline", "bm25")
    assert done.code == 0
    table = sy.compare(["bm25.csv", "dense.csv"], "qrels.csv", ["ndcg@3", "mrr"], baseline="bm25")
    assert done.out == table.to_text() + "\n"
    assert done.out.splitlines()[1].split()[:3] == ["ndcg@3", "dense", "bm25"]
    assert "2 systems · against bm25 · 30 queries" in done.err


def test_names(steelyard, runs):
    (runs / "x=1.csv").write_bytes((runs / "dense.csv").read_bytes())
    done = steelyard(
        "compare", "old=bm25.csv", "x=1.csv", "--truth", "qrels.csv", "-m", "mrr", "--format", "json"
    )
    assert [one["name"] for one in json.loads(done.out)["systems"]] == ["old", "x=1"]


@pytest.mark.parametrize(
    "columns", [("--scores", "p_old,p_new"), ("--scores", "p_old, p_new"), ("--columns", "score=p_old,p_new")]
)
def test_columns_of_one_log(steelyard, runs, columns):
    done = steelyard("compare", "log.csv", *columns, "-m", "auc", "-m", "logloss", "--by", "country")
    assert done.code == 0, done.err
    wanted = sy.compare("log.csv", scores=["p_old", "p_new"], metrics=["auc", "logloss"], by="country")
    assert done.out == wanted.to_text() + "\n"


def test_saved_results(steelyard, runs):
    for name in ("bm25", "dense"):
        steelyard(
            "evaluate", f"{name}.csv", "--truth", "qrels.csv", "-m", "mrr", "--save", f"{name}.steelyard"
        )
    done = steelyard("compare", "bm25.steelyard", "dense.steelyard", "--test", "t", "--format", "csv")
    assert done.code == 0, done.err
    wanted = sy.compare(["bm25.csv", "dense.csv"], "qrels.csv", "mrr", test="t")
    assert done.out == wanted.to_csv()
    mixed = steelyard(
        "compare", "bm25.steelyard", "dense.csv", "--truth", "qrels.csv", "-m", "mrr", "--test", "t",
        *("--format", "csv"),
    )  # fmt: skip
    assert mixed.out == done.out


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("json", "{"),
        ("csv", "metric,system,baseline,value"),
        ("markdown", "| metric | system | against |"),
        ("latex", "\\begin{table}"),
    ],
)
def test_forms(steelyard, runs, form, begins):
    done = steelyard(*BASE, "--format", form)
    assert done.out.startswith(begins)
    ending = {"markdown": "md", "latex": "tex"}.get(form, form)
    wrote = steelyard(*BASE, "-o", f"x.{ending}")
    assert wrote.code == 0
    assert wrote.out == ""
    assert (runs / f"x.{ending}").read_text("utf-8").rstrip("\n") == done.out.rstrip("\n")
    assert f"written: x.{ending}" in wrote.err


def test_wide(steelyard, runs):
    head, *lines = steelyard(*BASE, "--wide").out.splitlines()
    assert head.split() == ["system", "ndcg@3", "mrr"]
    assert [line.split()[0] for line in lines[:2]] == ["bm25", "dense"]


def test_options_reach_the_tests(steelyard, runs):
    done = steelyard(
        *BASE, "--test", "wilcoxon", "--correct", "bonferroni", "--level", "0.9", "--seed", "3",
        *("--draws", "2000", "--format", "json"),
    )  # fmt: skip
    testing = json.loads(done.out)["testing"]
    asked = {"test": "wilcoxon", "correct": "bonferroni", "level": 0.9, "seed": 3, "draws": 2000}
    assert testing == asked | {"paired": True, "tests": 2, "tests_in_slices": 0}


def test_a_run_file(steelyard, runs):
    (runs / "cmp.toml").write_text(
        'truth = "qrels.csv"\nmetric = ["mrr"]\nbaseline = "one"\ntest = "sign"\ndraws = 5000\n'
        '[predictions]\none = "bm25.csv"\nother = "dense.csv"\n'
    )
    done = steelyard("compare", "--run-file", "cmp.toml", "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["baseline"], found["testing"]["test"], found["testing"]["draws"]) == ("one", "sign", 5000)
    (runs / "log.toml").write_text('predictions = "log.csv"\nscores = "p_old,p_new"\nmetric = "auc"\n')
    done = steelyard("compare", "--run-file", "log.toml", "--format", "json")
    assert [one["name"] for one in json.loads(done.out)["systems"]] == ["p_old", "p_new"]


def test_a_report(steelyard, runs):
    pytest.importorskip("altair")
    done = steelyard(*BASE, "--report", "page.html")
    assert done.code == 0, done.err
    assert (runs / "page.html").read_text("utf-8").startswith("<!doctype html>")


def test_in_chinese(steelyard, runs):
    done = steelyard(*BASE, "--lang", "zh")
    assert "校正 p 值" in done.out
    assert "两两比较" in done.err


RUNS = ("bm25.csv", "dense.csv", "--truth", "qrels.csv", "-m", "ndcg@3")
REFUSED = [
    ((), "name the systems"),
    (("bm25.csv", "--truth", "qrels.csv", "-m", "mrr"), "there is one system only, 'bm25'"),
    (("log.csv", "-m", "auc"), "there is one system only, 'log'"),
    ((*RUNS, "--baseline", "bm52"), "the baseline 'bm52' is none of the systems; did you mean 'bm25'?"),
    ((*RUNS, "--test", "tt"), "Invalid value for '--test': 'tt' is not one of"),
    ((*RUNS, "--correct", "x"), "Invalid value for '--correct': 'x' is not one of"),
    ((*RUNS, "--level", "95"), "level must be a number between 0 and 1"),
    ((*RUNS, "--draws", "many"), "draws must be a whole number from 1,000 to 10,000,000; got 'many'"),
    ((*RUNS, "--test", "mcnemar"), "McNemar's test compares values of 0 and 1, and ndcg@3 has"),
    ((*RUNS, "--test", "delong"), "DeLong's test compares auc only; ndcg@3 is another metric"),
    (("x=bm25.csv", "x=dense.csv", *RUNS[2:]), "two systems are called 'x'"),
    (("bm25.csv", "bm25.csv", *RUNS[2:]), "bm25.csv is given twice"),
    (("nosuch.csv", *RUNS[1:]), "nosuch.csv does not exist"),
    ((*RUNS[:4],), "no metric was given"),
    (("log.csv", "--scores", "p_old,p_nw", "-m", "auc"), "log.csv has no column 'p_nw'"),
    (("log.csv", "--scores", "p_old", "-m", "auc"), "scores must be the names of two columns at least"),
    (("log.csv", "bm25.csv", "--scores", "a,b", "-m", "auc"), "log.csv has no column 'a,b'"),
    (("old.steelyard", "cut.steelyard"), "cut.steelyard"),
    (("old.steelyard", "other.steelyard"), "were measured against different truth"),
    (("old.steelyard", "ties.steelyard"), "mrr was measured under another convention"),
    (("old.steelyard", "map.steelyard"), "no metric was measured for all of old, map"),
    (("old.steelyard", "old.steelyard", "--truth", "qrels.csv"), "old.steelyard is given twice"),
    (("a=old.steelyard", "b=old.steelyard", "--truth", "qrels.csv"), "truth was given, but the systems are"),
    (("a=old.steelyard", "b=old.steelyard", "--by", "x"), "--by was given, but the systems are results"),
    ((*RUNS, "-o", "x.xyz"), "x.xyz"),
    ((*RUNS, "-o", "bm25.csv"), "cannot write bm25.csv: it is one of the inputs"),
    ((*RUNS, "--report", ""), "--report names no file: it is empty"),
]


@pytest.fixture
def saved(runs):
    """Results that cannot be compared with the one of old.steelyard."""
    truth = pl.read_csv("qrels.csv")
    sy.evaluate("bm25.csv", "qrels.csv", "mrr").save("old.steelyard")
    sy.evaluate("bm25.csv", "qrels.csv", "map").save("map.steelyard")
    sy.evaluate("bm25.csv", "qrels.csv", "mrr", ties="expected").save("ties.steelyard")
    sy.evaluate("bm25.csv", truth.head(60), "mrr").save("other.steelyard")
    (runs / "cut.steelyard").write_bytes((runs / "old.steelyard").read_bytes()[:-9])


@each_row(("options", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_refused(steelyard, runs, saved, options, said):
    before = {path: path.stat().st_mtime_ns for path in runs.iterdir()}
    done = steelyard("compare", *options)
    assert done.code == 2
    assert done.out == ""
    assert said in done.err
    assert "Traceback" not in done.err
    assert {path: path.stat().st_mtime_ns for path in runs.iterdir()} == before


def test_systems_without_a_common_query(steelyard, runs):
    for name in ("bm25", "dense"):
        rows = pl.read_csv(f"{name}.csv")
        odd = pl.col("query").str.slice(1).cast(pl.Int64) % 2 == int(name == "dense")
        rows.filter(odd).write_csv(f"{name}_half.csv")
    done = steelyard("compare", "bm25_half.csv", "dense_half.csv", *RUNS[2:], "--missing", "skip")
    assert done.code == 2
    assert "have no unit in common that ndcg@3 has a value for" in done.err


def test_one_query_and_an_undefined_metric(steelyard, runs):
    (runs / "one.csv").write_text("query,item,relevance\nq1,d0,1\n")
    done = steelyard("compare", *RUNS[:2], "--truth", "one.csv", "-m", "mrr")
    assert done.code == 0
    assert "no interval and no test, since there is only one unit" in done.err
    (runs / "none.csv").write_text("query,item,relevance\nq1,d0,0\nq2,d0,0\n")
    done = steelyard("compare", *RUNS[:2], "--truth", "none.csv", "-m", "ndcg@3")
    assert done.code == 0
    assert done.out.splitlines()[1].split()[3:6] == ["–", "–", "–"]


def test_the_baseline_as_it_was_typed(steelyard, runs):
    done = steelyard(
        *("compare", "bm25.csv", "new=dense.csv", "--truth", "qrels.csv", "-m", "mrr", "--format", "json"),
        *("--baseline", "dense.csv"),
    )
    assert json.loads(done.out)["baseline"] == "new"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("bm25.csv", "--truth", "qrels.csv", "-m", "mrr"), "steelyard compare old.run new.run"),
        (("log.csv", "--scores", "p_old", "-m", "auc"), "--scores p_old,p_new"),
        (("bm25.csv", "dense.csv", "--truth", "qrels.csv", "-m", "mrr", "--ci", "t"), "--test bootstrap"),
    ],
)
def test_remedies_are_those_of_the_command_line(steelyard, runs, options, said):
    done = steelyard("compare", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_no_metric_recommends_no_option_of_another_command(steelyard, runs):
    done = steelyard("compare", "bm25.csv", "dense.csv", "--truth", "qrels.csv")
    assert "--task" not in done.err
