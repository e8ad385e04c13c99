"""`steelyard evaluate a.run b.run`: several systems in one call."""

from __future__ import annotations

import json

import pytest

import steelyard as sy

from ..tables import each_row

OPTIONS = ("--truth", "truth.csv", "-m", "mrr")


@pytest.fixture
def runs(folder):
    text = (folder / "run.csv").read_text()
    (folder / "better.csv").write_text(text.replace("q1,b,0.8", "q1,b,0.95"))
    (folder / "log.csv").write_text("clicked,old,new\n1,0.8,0.7\n0,0.3,0.2\n1,0.4,0.8\n0,0.6,0.6\n")
    return folder


def values(text):
    return {one["system"]: one["results"][0]["value"] for one in json.loads(text)["systems"]}


def test_runs_under_the_names_of_their_files(steelyard, runs):
    done = steelyard("evaluate", "run.csv", "better.csv", *OPTIONS, "--format", "json")
    assert done.code == 0
    assert values(done.out) == {"run": pytest.approx(1 / 3), "better": pytest.approx(1 / 2)}


def test_a_table_with_a_column_for_the_system(steelyard, runs):
    done = steelyard("evaluate", "run.csv", "new=better.csv", *OPTIONS, "--by", "country", "--ci", "none")
    assert done.out.splitlines() == [
        "system  country  metric   value  queries  undefined",
        "run     (all)    mrr     0.3333        3          0",
        "run     DE       mrr     0.5000        1          0",
        "run     US       mrr     0.2500        2          0",
        "new     (all)    mrr     0.5000        3          0",
        "new     DE       mrr     1.0000        1          0",
        "new     US       mrr     0.2500        2          0",
    ]
    assert done.err.startswith(f"steelyard {sy.__version__} · run, new against truth.csv\n")


def test_a_row_for_each_system(steelyard, runs):
    done = steelyard(
        "evaluate", "run.csv", "better.csv", *OPTIONS, "-m", "hit_rate@1", "--wide", "--format", "csv"
    )
    assert done.out.splitlines() == [
        "system,queries,mrr,hit_rate@1",
        "run,3,0.3333333333333333,0.0",
        "better,3,0.5,0.3333333333333333",
    ]


def test_score_columns_of_one_log(steelyard, runs):
    done = steelyard("evaluate", "log.csv", "-m", "auc", "--columns", "score=old,new", "--format", "json")
    assert values(done.out) == {"old": 0.75, "new": 1.0}
    # --scores means the same in every command, and scores= in Python
    assert (
        steelyard("evaluate", "log.csv", "-m", "auc", "--scores", "old,new", "--format", "json").out
        == done.out
    )
    found = sy.evaluate("log.csv", metrics="auc", scores=["old", "new"])
    assert {name: one["auc"] for name, one in found.items()} == values(done.out)
    assert sy.evaluate("log.csv", metrics="auc", scores="new")["auc"] == 1.0
    gate = steelyard("check", "log.csv", "--scores", "new,old", "--baseline", "old", "--max-drop", "auc=0")
    assert gate.code == 0
    explained = steelyard("explain", "auc", "log.csv", "--scores", "new")
    assert "auc = (4 + 0 / 2) / (2 × 2) = 1.0000" in explained.out


def test_a_column_whose_name_has_a_comma_stays_one(steelyard, runs):
    (runs / "odd.csv").write_text('clicked,"old,new"\n1,0.8\n0,0.3\n')
    done = steelyard("evaluate", "odd.csv", "-m", "auc", "--columns", "score=old,new", "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["results"][0]["value"] == 1.0


def test_one_run_stays_as_it_was(steelyard, runs):
    done = steelyard("evaluate", "run.csv", *OPTIONS, "--format", "json")
    assert done.out == sy.evaluate("run.csv", "truth.csv", "mrr").to_json() + "\n"


def test_files_of_several(steelyard, runs):
    done = steelyard(
        "evaluate", "run.csv", "better.csv", *OPTIONS, "-o", "a.md", "--per-query", "q.csv",
        "--chart", "difference=d.json", "--chart", "per_query=p.json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert (runs / "a.md").read_text().startswith("| system | metric | value |")
    assert (runs / "q.csv").read_text().splitlines()[:2] == ["system,query,metric,value", "run,q1,mrr,0.5"]
    assert {"d.json", "p.json"} <= {path.name for path in runs.iterdir()}


def test_one_report(steelyard, runs):
    done = steelyard("evaluate", "run.csv", "better.csv", *OPTIONS, "--report", "both.html")
    assert done.code == 0, done.err
    page = (runs / "both.html").read_text("utf-8")
    assert ">run<" in page
    assert ">better<" in page


def test_a_path_that_exists_is_no_name(steelyard, runs):
    (runs / "day=1").mkdir()
    (runs / "day=1" / "run.csv").write_text((runs / "better.csv").read_text())
    done = steelyard("evaluate", "run.csv", "day=1/run.csv", *OPTIONS, "--format", "json")
    assert values(done.out) == {"run.csv": pytest.approx(1 / 3), "day=1/run.csv": 0.5}
    done = steelyard("evaluate", "better.csv", "day=*/run.csv", *OPTIONS, "--format", "json")
    assert values(done.out) == {"better": 0.5, "run": 0.5}


def test_a_file_and_a_name_that_meet_are_told_apart(steelyard, runs):
    done = steelyard("evaluate", "run.csv", "run=better.csv", *OPTIONS, "--format", "json")
    assert list(values(done.out)) == ["run.csv", "run"]


def test_a_run_file(steelyard, runs):
    (runs / "r.toml").write_text(
        'truth = "truth.csv"\nmetric = "mrr"\n[predictions]\nold = "run.csv"\nnew = ["better.csv"]\n'
    )
    done = steelyard("evaluate", "--run-file", "r.toml", "--format", "json")
    assert done.code == 0, done.err
    assert list(values(done.out)) == ["old", "new"]
    (runs / "r.toml").write_text('truth = "truth.csv"\nmetric = "mrr"\npredictions = ["run.csv"]\n')
    assert "results" in json.loads(steelyard("evaluate", "--run-file", "r.toml", "--format", "json").out)


REFUSED = [
    (("x=run.csv", "x=better.csv"), "two systems are called 'x'"),
    (("run.csv", "x=nothing.csv", "x=better.csv"), "two systems are called 'x'"),
    (("run.csv", "run.csv"), "run.csv is given twice"),
    (("run.csv", "nothing.csv"), "nothing.csv does not exist"),
    (("x=-", "y=-"), "standard input"),
    (("run.csv", "better.csv", "--save", "a.steelyard"), "a file holds one result; got 2"),
    (("run.csv", "better.csv", "--by", "system"), "by names a column 'system', and the result table"),
    (("run.csv", "better.csv", "--columns", "score=score,device"), "several runs and several score columns"),
    (("log.csv", "--columns", "score=old,old"), "the score column 'old' is named twice"),
    (("log.csv", "--columns", "score=old,"), "score columns are named by text"),
    (("run.csv", "better.csv", "-o", "run.csv"), "cannot write run.csv: it is one of the inputs"),
]  # fmt: skip


@each_row(("arguments", "message"), REFUSED)
def test_what_is_refused(steelyard, runs, arguments, message):
    before = {path: path.read_bytes() for path in runs.iterdir()}
    done = steelyard("evaluate", *arguments, *OPTIONS)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert {path: path.read_bytes() for path in runs.iterdir()} == before


def test_what_holds_for_all_rows_is_said_once(steelyard, runs):
    # of equal scores auc has no interval, so the metrics that the note is about differ
    (runs / "log.csv").write_text("clicked,old,new\n1,0.8,0.4\n0,0.3,0.4\n1,0.4,0.4\n0,0.6,0.4\n")
    done = steelyard("evaluate", "log.csv", "-m", "auc", "-m", "logloss", "--scores", "old,new")
    assert done.err.count("intervals assume independent rows") == 1


def test_the_second_of_two_files_is_the_truth(steelyard, runs):
    done = steelyard("evaluate", "run.csv", "truth.csv", "-m", "mrr", "--wide", "--format", "csv")
    assert done.code == 0
    # the first relevant item is second, second (of a tie) and nowhere
    assert done.out.splitlines() == ["queries,mrr", f"3,{(1 / 2 + 1 / 2 + 0) / 3}"]
    assert "run.csv against truth.csv" in done.err


def test_two_runs_without_truth(steelyard, runs):
    done = steelyard("evaluate", "run.csv", "better.csv", "-m", "mrr")
    assert done.code == 2
    assert "better.csv is read as the truth of run.csv" in done.err
    assert "give the truth with --truth FILE" in done.err


def test_two_files_that_need_no_truth_are_systems(steelyard, runs):
    (runs / "catalog.csv").write_text("item\na\nb\nc\nd\n")
    (runs / "second.csv").write_text((runs / "log.csv").read_text())
    lists = steelyard(
        *("evaluate", "run.csv", "better.csv", "-m", "coverage@1"),
        *("--catalog", "catalog.csv", "--format", "json"),
    )
    assert list(values(lists.out)) == ["run", "better"]
    logs = steelyard(
        "evaluate", "log.csv", "second.csv", "-m", "auc", "--columns", "score=old", "--format", "json"
    )
    assert values(logs.out) == {"log": 0.75, "second": 0.75}
