"""`steelyard explain`: every option, every form, and what happens when it fails."""

from __future__ import annotations

import pytest

import steelyard as sy

from ...tables import each_row

RUN = "query,item,score\nq1,a,0.9\nq1,b,0.8\nq1,c,0.8\nq2,a,0.7\nq2,d,0.7\n"
TRUTH = "query,item,relevance\nq1,b,2\nq1,z,1\nq2,a,1\n"
LOG = "user,clicked,p\nu,1,0.9\nu,0,0.2\nv,1,0.3\nv,0,0.4\n"
DATA = ("run.csv", "--truth", "truth.csv")


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "run.csv").write_text(RUN)
    (tmp_path / "truth.csv").write_text(TRUTH)
    (tmp_path / "log.csv").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_grades(steelyard):
    done = steelyard("explain", "ndcg(gain=exp2)@5", "--grades", "3,2,3,0,1")
    assert (done.code, done.err) == (0, "")
    assert done.out == sy.explain("ndcg(gain=exp2)@5", grades=[3, 2, 3, 0, 1]).to_text() + "\n"
    assert "\x1b" not in done.out
    done = steelyard("explain", "recall@3", "--grades", "1, 0, 1", "--judged", "1,1,1,0", "--lang", "zh")
    assert "  recall = 2 / 3 = 0.6667" in done.out.splitlines()
    assert "相关物品数" in done.out


def test_a_query(steelyard, here):
    done = steelyard("explain", "ndcg@10", *DATA, "--query", "q1", "--set", "ties=expected")
    assert done.code == 0
    assert done.out == sy.explain("ndcg@10", *DATA[::2], query="q1", ties="expected").to_text() + "\n"
    assert "2–3" in done.out


def test_rows(steelyard, here):
    columns = ("--columns", "query=user", "--columns", "label=clicked", "--columns", "score=p")
    done = steelyard("explain", "auc", "log.csv", *columns)
    assert "auc = " in done.out
    done = steelyard("explain", "auc", "log.csv", *columns, "--query", "v")
    assert done.out.startswith("auc of v — ")
    done = steelyard("explain", "auc", "--labels", "1,0,1", "--scores", ".9,.2,.4", "--weights", "1,2,1")
    assert done.code == 0
    done = steelyard("explain", "accuracy", "--labels", "a,b", "--predicted", "a,a", "--classes", "a,b")
    assert "accuracy = " in done.out
    done = steelyard("explain", "gauc", "--labels", "1,0,1,0", "--scores", "3,2,1,4", "--groups", "u,u,v,v")
    assert done.out.startswith("gauc — ")


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        (("--format", "markdown"), "### mrr"),
        (("--format", "html"), '<div lang="en"><h3>mrr</h3>'),
        (("--format", "table"), "mrr — "),
        (("-o", "-"), "mrr — "),
    ],
)
def test_forms(steelyard, options, begins):
    assert steelyard("explain", "mrr", "--grades", "0,1", *options).out.startswith(begins)


@pytest.mark.parametrize(
    ("name", "options", "begins"),
    [
        ("x.md", (), "### mrr"),
        ("x.html", (), "<!doctype html>"),
        ("x.txt", (), "mrr — "),
        ("x", (), "mrr — "),
        ("x.md", ("--format", "html"), "<!doctype html>"),
    ],
)
def test_files(steelyard, here, name, options, begins):
    done = steelyard("explain", "mrr", "--grades", "0,1", "-o", name, *options)
    assert (done.code, done.out, done.err) == (0, "", f"written: {name}\n")
    assert (here / name).read_text("utf-8").startswith(begins)


@each_row(
    ("arguments", "message", "remedy"),
    [
        (("ndcg@3",), "there is nothing to explain ndcg@3 on", "--grades 3,2,3,0,1"),
        (("ndcg@3", "--grades", "3,x"), "--grades takes numbers separated by commas; got '3,x'", "3,2,3,0,1"),
        (("ndgc@3", "--grades", "3"), "unknown metric 'ndgc@3'; did you mean 'ndcg@3'?", "known"),
        (("ndcg@3", *DATA), "ndcg@3 has a value for each of 2 queries: say which one", "--query"),
        (
            ("ndcg@3", *DATA, "--query", "q11"),
            "query 'q11' was not evaluated; did you mean 'q1'",
            "'q1' and 'q2'",
        ),
        (("ndcg@3", *DATA, "--query", "q1", "-o", "run.csv"), "cannot write run.csv", "another file"),
        (("ndcg@3", "none.csv", "--truth", "truth.csv"), "none.csv", ""),
        (("ndcg@3", *DATA, "--grades", "1"), "grades and predictions are both given", "one of them"),
        (("auc", "--grades", "1"), "auc is a metric of rows", "--labels"),
    ],
)
def test_errors(steelyard, here, arguments, message, remedy):
    done = steelyard("explain", *arguments)
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first.startswith("error: ")
    assert message in first
    assert remedy in "\n".join(rest)


@pytest.mark.parametrize("name", ["out.pdf", "out.json", "out.csv"])
def test_an_ending_that_names_another_form(steelyard, tmp_path, name):
    asked = ("explain", "mrr", "--grades", "0,1", "-o", str(tmp_path / name))
    done = steelyard(*asked)
    assert (done.code, done.out) == (2, "")
    assert f"{name}: its ending does not say in which format" in done.err
    assert not (tmp_path / name).exists()
    assert steelyard(*asked, "--format", "markdown").code == 0


def test_help_has_examples(steelyard):
    done = steelyard("explain", "--help")
    assert done.code == 0
    assert 'steelyard explain "ndcg(gain=exp2)@5" --grades 3,2,3,0,1' in done.out
    assert "explain" in steelyard("--help").out


def test_a_metric_of_rows_suggests_the_one_of_lists(steelyard):
    done = steelyard("explain", "recall", "--grades", "1,0")
    assert done.code != 0
    assert "did you mean recall@3" in done.err
    assert "--labels" in steelyard("explain", "auc", "--grades", "1,0").err
