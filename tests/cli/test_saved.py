"""`steelyard evaluate --save FILE`, `steelyard report FILE`, and a saved result given as a table."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.render import page
from steelyard.result.result import Result

from ..tables import each_row

BASE = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr", "--by", "country")
SAID = "is a result or a part that Steelyard saved, not a table"


def files(folder):
    return {path.name for path in folder.iterdir()} - {"run.csv", "truth.csv"}


@pytest.fixture
def saved(steelyard, folder):
    done = steelyard(*BASE, "--save", "run.steelyard")
    assert done.code == 0, done.err
    return done


def test_the_result_is_kept_beside_the_numbers(steelyard, folder, saved):
    assert saved.err.splitlines()[-1] == "written: run.steelyard"
    assert saved.out == steelyard(*BASE).out
    again, once = sy.load("run.steelyard"), sy.evaluate("run.csv", "truth.csv", "mrr", by="country")
    assert again.to_json() == once.to_json()
    assert again["mrr", {"country": "DE"}] == 1 / 2  # b of q1 at rank 2
    assert files(folder) == {"run.steelyard"}


def test_a_run_file(steelyard, folder):
    (folder / "r.toml").write_text(
        'predictions = "run.csv"\ntruth = "truth.csv"\nmetric = "mrr"\nsave = "a.s"\n'
    )
    assert steelyard("evaluate", "--run-file", "r.toml").code == 0
    assert list(sy.load("a.s")) == ["mrr"]


@each_row(
    ("options", "message"),
    [
        (["--save", ""], "--save names no file: it is empty"),
        (["--save", "."], ". is a folder"),
        (["--save", "-"], "cannot write standard output: a saved result is a file"),
        (["--save", "nowhere/a"], "cannot write nowhere/a: there is no folder nowhere"),
        (["--save", "run.csv"], "cannot write run.csv: it is one of the inputs"),
        (["--save", "a.json", "-o", "a.json"], "two outputs would both be written to a.json"),
        (["--save", "a.svg", "--chart", "slices=a.svg"], "two outputs would both be written to a.svg"),
        (["-o", "a.steelyard"], "cannot write a.steelyard: its ending does not say in which format"),
    ],
)
def test_what_cannot_be_written_is_refused(steelyard, folder, options, message):
    done = steelyard(*BASE, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not files(folder)


def test_the_ending_leads_to_save(steelyard, folder):
    assert "--save a.steelyard" in steelyard(*BASE, "-o", "a.steelyard").err


def test_nothing_is_kept_of_what_fails(steelyard, folder):
    done = steelyard(*BASE, "-m", "recall", "--set", "rel=x", "--save", "run.steelyard")
    assert done.code == 2
    (folder / "truth.csv").write_text("query,item,relevance,country\nq1,b,nan,DE\n")
    assert steelyard(*BASE, "--save", "run.steelyard").code == 2
    assert not files(folder)


def test_what_cannot_be_kept_leaves_no_other_file(steelyard, folder, monkeypatch):
    def broken(*_):
        raise sy.SteelyardError("full")

    monkeypatch.setattr(Result, "save", broken)
    done = steelyard(*BASE, "--save", "run.steelyard", "-o", "a.json", "--per-query", "q.csv")
    assert (done.code, done.out) == (2, "")
    assert not files(folder)


@each_row(
    "command",
    [
        ("evaluate", "run.steelyard", "--truth", "truth.csv", "-m", "mrr"),
        ("evaluate", "run.csv", "--truth", "run.steelyard", "-m", "mrr"),
        ("evaluate", "run.steelyard", "-m", "auc"),
        ("evaluate", "run.steelyard", "-m", "auc", "-m", "mrr"),
        ("evaluate", "run.arrow", "-m", "auc"),
        ("evaluate", "half.steelyard", "-m", "auc"),
        (*BASE, "--exclude", "run.steelyard"),
        (*BASE, "--weights", "run.arrow"),
        (*BASE, "--by-table", "run.steelyard"),
        ("explain", "mrr", "run.steelyard", "--truth", "truth.csv", "--query", "q1"),
    ],
)
def test_a_saved_result_is_no_table(steelyard, folder, saved, command):
    data = (folder / "run.steelyard").read_bytes()
    (folder / "run.arrow").write_bytes(data)  # under another name
    (folder / "half.steelyard").write_bytes(data[:5000])
    done = steelyard(*command)
    assert (done.code, done.out) == (2, "")
    assert SAID in done.err
    assert "sy.load('" in done.err
    assert "steelyard report " in done.err


@pytest.mark.parametrize("given", ["run.steelyard", ["run.steelyard", "run.steelyard"]])
def test_a_saved_result_is_no_table_in_python(folder, saved, given):
    with pytest.raises(sy.SteelyardError, match=SAID) as caught:
        sy.evaluate(given, "truth.csv", "mrr")
    assert caught.value.remedy.startswith("load a result: sy.load('run.steelyard') in Python")
    with pytest.raises(sy.SteelyardError, match=SAID):
        sy.evaluate(folder / "run.steelyard", metrics="auc")
    with pytest.raises(sy.SteelyardError) as caught:
        sy.report(given, "page.html")
    assert "sy.load" in caught.value.remedy


def test_a_table_with_such_columns_is_one(folder):
    (folder / "log.csv").write_text("label,score,kind,version,steelyard,tree\n1,0.9,a,1,b,c\n0,0.1,a,1,b,c\n")
    assert sy.evaluate("log.csv", metrics="auc")["auc"] == 1


def test_a_page_of_what_was_saved_is_the_one_made_at_once(steelyard, folder, saved):
    done = steelyard("report", "run.steelyard", "-o", "page.html")
    assert (done.code, done.out, done.err) == (0, "", "written: page.html\n")
    assert steelyard(*BASE, "--report", "once.html").code == 0
    assert (folder / "page.html").read_bytes() == (folder / "once.html").read_bytes()


def test_a_page_of_several(steelyard, folder, saved):
    other = sy.evaluate("run.csv", "truth.csv", "mrr", by="country", ties="expected")
    other.save("new.steelyard")
    one = sy.load("run.steelyard")
    sy.report({"run": one, "new": other}, "python.html", title="Both", lang="zh")
    options = ("-o", "page.html", "--title", "Both", "--lang", "zh")
    assert steelyard("report", "run.steelyard", "new.steelyard", *options).code == 0
    assert (folder / "page.html").read_bytes() == (folder / "python.html").read_bytes()
    (folder / "b").mkdir()
    other.save("b/run.steelyard")  # two files of one name go by their paths
    assert steelyard("report", "run.steelyard", "b/run.steelyard", "-o", "page.html").code == 0
    assert "b/run.steelyard" in (folder / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "p.html"], "name a saved result"),
        (["run.steelyard"], "name the page: -o page.html"),
        (["run.steelyard", "-o", ""], "-o names no file: it is empty"),
        (["run.steelyard", "-o", "-"], "cannot write -: its ending does not say in which format"),
        (["run.steelyard", "-o", "p.pdf"], "cannot write p.pdf: its ending does not say in which format"),
        (["run.steelyard", "-o", "no/p.html"], "there is no folder no"),
        (["run.steelyard", "-o", "run.steelyard"], "it is one of the inputs"),
        (["run.csv", "-o", "p.html"], "run.csv is not a complete file that Steelyard saved"),
        (["runs.steelyard", "-o", "p.html"], "runs.steelyard does not exist; did you mean 'run.steelyard'?"),
        (["half.steelyard", "-o", "p.html"], "half.steelyard was cut short or changed"),
    ],
)
def test_no_page(steelyard, folder, saved, options, message):
    (folder / "half.steelyard").write_bytes((folder / "run.steelyard").read_bytes()[:-100])
    before = files(folder)
    done = steelyard("report", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert files(folder) == before


def test_a_page_that_fails_leaves_nothing_behind(steelyard, folder, saved, monkeypatch):
    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(page, "contents", broken)
    assert steelyard("report", "run.steelyard", "-o", "page.html").code == 2
    assert files(folder) == {"run.steelyard"}
