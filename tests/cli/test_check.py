"""`steelyard check`: exit codes, forms, run files, and what is refused."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import steelyard as sy

# of run.csv: q1 has b at rank 2, q2 has d and then a (a tie, by item descending), q3 nothing
BASE = ("check", "run.csv", "--truth", "truth.csv")
MRR = (1 / 2 + 1 / 2 + 0) / 3


@pytest.fixture
def better(folder):
    """A run whose q1 begins with b: its mrr is higher by 1/6."""
    text = (folder / "run.csv").read_text()
    (folder / "better.csv").write_text(text.replace("q1,b,0.8", "q1,b,0.95"))
    return folder


def test_rules_that_are_kept(steelyard, folder):
    done = steelyard(*BASE, "--min", "mrr=0.3", "--max", "mrr=0.4")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "2 checks passed · run.csv",
        f"passed  mrr is {MRR:.4f}; at least 0.3 is wanted",
        f"passed  mrr is {MRR:.4f}; at most 0.4 is wanted",
    ]


def test_a_drop_from_a_run(steelyard, better):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=5%")
    assert done.code == 1
    assert done.out.splitlines() == [
        "1 of 1 check failed · run.csv against better.csv",
        "failed  mrr is 0.3333, 33.3 % below the baseline's 0.5000; at most 5 % is allowed",
    ]
    back = steelyard(
        "check", "better.csv", "--truth", "truth.csv", "--baseline", "run.csv", "--max-drop", "mrr=0"
    )
    assert back.code == 0


def test_a_saved_result_and_brackets_in_the_metric(steelyard, better):
    kept = steelyard(
        "evaluate", "better.csv", "--truth", "truth.csv", "-m", "mrr(rel=1)", "--save", "b.steelyard"
    )
    assert kept.code == 0
    done = steelyard(*BASE, "--baseline", "b.steelyard", "--max-drop", "mrr(rel=1)=0.1")
    assert done.code == 1
    assert "mrr is 0.3333, 0.1667 below the baseline's 0.5000; at most 0.1 is allowed" in done.out


def test_by_slices(steelyard, better):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=0.2", "--by", "country")
    assert done.code == 1
    assert done.out.splitlines()[1:] == [
        "failed  DE (1 query): mrr is 0.5000, 0.5000 below the baseline's 1.0000; at most 0.2 is allowed",
        "passed  mrr is 0.3333, 0.1667 below the baseline's 0.5000; at most 0.2 is allowed",
        "passed  US (2 queries): mrr is 0.2500, as the baseline's is",
    ]


def test_three_queries_are_no_significant_drop(steelyard, better):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=0", "--significant")
    assert done.code == 0
    assert "the difference is not significant (p = 1.000), so it passes" in done.out  # one of three moved


def test_two_score_columns(steelyard, folder):
    (folder / "log.csv").write_text("clicked,old,new\n1,0.8,0.7\n0,0.3,0.2\n1,0.4,0.8\n0,0.6,0.6\n")
    rule = ("--baseline", "new", "--max-drop", "auc=0.1")
    done = steelyard("check", "log.csv", "--columns", "score=old,new", *rule)
    assert done.code == 1
    assert "auc is 0.7500, 0.2500 below the baseline's 1.0000; at most 0.1 is allowed" in done.out


def test_files_for_the_pipeline_are_written_of_what_failed(steelyard, folder):
    done = steelyard(*BASE, "--min", "mrr=0.9", "--junit", "g.xml", "--markdown", "g.md", "-o", "g.json")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines() == [
        "written: g.xml",
        "written: g.md",
        "written: g.json",
        "1 of 1 check failed · run.csv",
        "mrr is 0.3333; at least 0.9 is wanted",
    ]
    assert ElementTree.parse(folder / "g.xml").getroot().attrib["failures"] == "1"
    assert (folder / "g.md").read_text().startswith("**1 of 1 check failed**")
    assert json.loads((folder / "g.json").read_text())["passed"] is False


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "junit", "table"])
def test_forms_on_standard_output(steelyard, folder, form):
    done = steelyard(*BASE, "--min", "mrr=0.9", "--format", form)
    assert done.code == 1
    found = sy.check("run.csv", "truth.csv", min={"mrr": 0.9})
    assert done.out == found.render(form) + "\n"
    assert (done.err == "") == (form == "table")


def test_a_run_file(steelyard, better):
    (better / "gate.toml").write_text(
        'predictions = "run.csv"\nbaseline = "better.csv"\ntruth = "truth.csv"\nby = "country"\n'
        'significant = true\nmin = "mrr=0.3"\n[max_drop]\nmrr = "5%"\n"ndcg@10" = 0.5\n'
    )
    done = steelyard("check", "--run-file", "gate.toml", "--format", "json")
    assert done.code == 1
    data = json.loads(done.out)
    rules = {(one["metric"], one["rule"]["kind"], one["rule"]["limit"]) for one in data["verdicts"]}
    assert rules == {("mrr", "max_drop", 5.0), ("ndcg@10", "max_drop", 0.5), ("mrr", "min", 0.3)}
    assert data["significant"] is True
    assert steelyard("check", "--run-file", "gate.toml", "--min", "mrr=0.1", "--max-drop", "mrr=1").code == 0


def test_in_chinese(steelyard, better):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=5%", "--lang", "zh")
    assert done.out.splitlines() == [
        "1 项检查中有 1 项未通过 · run.csv 对比 better.csv",
        "未通过  mrr 为 0.3333，相对基线的 0.5000 低 33.3 %；至多允许 5 %",
    ]


DROP = ("--baseline", "better.csv", "--max-drop")
REFUSED = [
    ((), "there is no rule to check"),
    (("--max-drop", "mrr=5%"), "max_drop of mrr needs a baseline to drop from"),
    (("--baseline", "better.csv", "--min", "mrr=0"), "a baseline was given, and no rule compares with it"),
    ((*DROP, "mrr"), "--max-drop takes METRIC=VALUE; got 'mrr'"),
    ((*DROP, "=0.5"), "--max-drop takes METRIC=VALUE; got '=0.5'"),
    ((*DROP, "mrr="), "--max-drop takes METRIC=VALUE; got 'mrr='"),
    ((*DROP, "mrr=abc"), "max_drop of mrr must be a number, or a percentage such as 0.5%; got 'abc'"),
    ((*DROP, "mrr=-1%"), "max_drop of mrr must be 0 or more; got -1%"),
    (("--min", "mrr"), "--min takes METRIC=VALUE; got 'mrr'"),
    (("--min", "mrr=5%"), "min of mrr is a value, not a percentage; got 5%"),
    (("--min", "mrx=1"), "unknown metric 'mrx'; did you mean 'mrr'?"),
    (("--min", "mrr=0", "--significant"), "only a drop can be significant, and there is no rule on one"),
    ((*DROP, "mrr=5%", "--level", "95"), "level must be a number between 0 and 1"),
    (("--min", "mrr=0", "--junit", ""), "--junit names no file: it is empty"),
    (("--min", "mrr=0", "--junit", "-"), "cannot write standard output: --junit is a file"),
    (("--min", "mrr=0", "--junit", "nowhere/a.xml"), "cannot write nowhere/a.xml: there is no"),
    (("--min", "mrr=0", "--junit", "run.csv"), "cannot write run.csv: it is one of the inputs"),
    (("--min", "mrr=0", "--junit", "a.x", "--markdown", "a.x"), "two outputs would both be written to a.x"),
    (("--min", "mrr=0", "-o", "a.html"), "cannot write a.html: its ending does not say in which format"),
    (("--min", "mrr=0", "--format", "html"), "Invalid value for '--format': 'html' is not one of"),
    ((*DROP, "mrr=0", "--by", "countri"), "no column 'countri' in run.csv or truth.csv to slice by"),
    (("--baseline", "no.run", "--max-drop", "mrr=0"), "no.run does not exist"),
    (("--baseline", "half.steelyard", "--max-drop", "mrr=0"), "half.steelyard was cut short or changed"),
    (("--baseline", "b.steelyard", "--max-drop", "ndcg@10=0"), "the baseline 'b.steelyard' has no ndcg@10"),
    (("--baseline", "b.steelyard", "--max-drop", "mrr=0", "--ties", "expected"), "under another convention"),
    (("--baseline", "b.steelyard", "--max-drop", "mrr=0", "--by", "country"), "'b.steelyard' is sliced by"),
    (("--baseline", "none.csv", "--max-drop", "mrr=1%"), "the baseline's mrr is 0, of which 1 % is nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_is_refused(steelyard, better, options, message):
    sy.evaluate("better.csv", "truth.csv", "mrr").save("b.steelyard")
    data = (better / "b.steelyard").read_bytes()
    (better / "half.steelyard").write_bytes(data[: len(data) // 2])
    (better / "none.csv").write_text("query,item,score\nq1,nothing,1\n")
    before = {path: path.read_bytes() for path in better.iterdir()}
    done = steelyard(*BASE, *options)
    assert (done.code, done.out) == (2, ""), done.err
    assert message in done.err
    assert {path: path.read_bytes() for path in better.iterdir()} == before


def test_results_that_are_measured_already(steelyard, better):
    for name in ("run", "better"):
        sy.evaluate(f"{name}.csv", "truth.csv", "mrr").save(f"{name}.steelyard")
    command = ("check", "run.steelyard", "--baseline", "better.steelyard", "--max-drop", "mrr=0.5")
    assert steelyard(*command).code == 0
    assert "--by was given, but what is checked is a result" in steelyard(*command, "--by", "country").err
    assert steelyard(*command, "--truth", "truth.csv").code == 2


def test_another_truth(steelyard, better):
    sy.evaluate("better.csv", "truth.csv", "mrr").save("b.steelyard")
    (better / "other.csv").write_text("query,item,relevance\nq1,a,1\n")
    done = steelyard(
        "check", "run.csv", "--truth", "other.csv", "--baseline", "b.steelyard", "--max-drop", "mrr=1"
    )
    assert done.code == 2
    assert "'b.steelyard' and 'run.csv' were measured against different truth" in done.err


def test_without_a_run(steelyard):
    done = steelyard("check", "--min", "mrr=0")
    assert (done.code, done.out) == (2, "")
    assert "name the run" in done.err
