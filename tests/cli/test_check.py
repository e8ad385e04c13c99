"""`steelyard check`: exit codes, forms, run files, and what is refused."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import steelyard as sy

from ..tables import each_row

# run.csv answers two of three queries: q1 has b at rank 2, q2 has d and then a (a tie), q3 nothing
ALL = ("check", "run.csv", "--truth", "truth.csv")
BASE = (*ALL, "--min-coverage", "66%")
COVERED = "2 of 3 queries in the truth have predictions (66.7 %); at least 66.0 % is required"
ROUGH = "! mrr: effective sample size below 10; the interval is approximate."
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
    assert done.out.splitlines()[:5] == [
        "3 checks passed · run.csv",
        f"passed  mrr is {MRR:.4f}; at least 0.3 is wanted",
        f"passed  mrr is {MRR:.4f}; at most 0.4 is wanted",
        f"passed  {COVERED}",
        "! 1 query has no predictions: counted as empty lists.",
    ]
    assert ROUGH in done.out
    unanswered = steelyard(*ALL, "--min", "mrr=0.3")
    assert unanswered.code == 1
    assert "at least 100.0 % is required; allow fewer with min_coverage (--min-coverage)" in unanswered.out


def test_a_drop_from_a_run(steelyard, better):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=5%")
    assert done.code == 1
    assert done.out.splitlines()[:2] == [
        "1 of 2 checks failed · run.csv against better.csv · mode point",
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
    done = steelyard(*ALL, "--baseline", "better.csv", "--max-drop", "mrr=0.2", "--by", "country")
    assert done.code == 1
    assert done.out.splitlines()[1:4] == [
        "failed  DE (1 query): mrr is 0.5000, 0.5000 below the baseline's 1.0000; at most 0.2 is allowed",
        "passed  mrr is 0.3333, 0.1667 below the baseline's 0.5000; at most 0.2 is allowed",
        "passed  US (2 queries): mrr is 0.2500, as the baseline's is",
    ]


@pytest.mark.parametrize("mode", [["--significant"], ["--mode", "harm"], ["--mode", "non_inferior"]])
def test_three_queries_decide_nothing(steelyard, better, mode):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=0", *mode)
    assert done.code == 1
    assert "cannot be decided: the effective sample size is 3; 1 test needs 6 or more" in done.out


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
        "1 of 2 checks failed · run.csv",
        "mrr is 0.3333; at least 0.9 is wanted",
    ]
    tree = ElementTree.parse(folder / "g.xml").getroot()
    assert tree.attrib["failures"] == "1"
    told = "1 query has no predictions: counted as empty lists."
    assert told in tree.find("testsuite/system-out").text
    assert (folder / "g.md").read_text().startswith("**1 of 2 checks failed**")
    data = json.loads((folder / "g.json").read_text())
    assert data["passed"] is False
    assert told in [note["text"] for note in data["notes"]]


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "junit", "table"])
def test_forms_on_standard_output(steelyard, folder, form):
    done = steelyard(*BASE, "--min", "mrr=0.9", "--format", form)
    assert done.code == 1
    found = sy.check("run.csv", "truth.csv", min={"mrr": 0.9}, min_coverage="66%")
    assert done.out == found.render(form) + "\n"
    assert (done.err == "") == (form == "table")


def test_a_run_file(steelyard, better):
    (better / "gate.toml").write_text(
        'predictions = "run.csv"\nbaseline = "better.csv"\ntruth = "truth.csv"\nby = "country"\n'
        'mode = "harm"\nmin_coverage = 0.66\nmin = "mrr=0.3"\n[max_drop]\nmrr = "5%"\n"ndcg@10" = 0.5\n'
    )
    done = steelyard("check", "--run-file", "gate.toml", "--format", "json")
    assert done.code == 1
    data = json.loads(done.out)
    ndcg, coverage = ("ndcg@10", "max_drop", 0.5), ("truth coverage", "min_coverage", 0.66)
    assert rules_of(data) == {("mrr", "max_drop", 5.0), ndcg, ("mrr", "min", 0.3), coverage}
    assert data["mode"] == "harm"
    # rules of the command line join those of the file, and win on the same metric
    flags = ("--min", "ndcg@10=0.1", "--max-drop", "mrr=1", "--mode", "point", "--format", "json")
    data = json.loads(steelyard("check", "--run-file", "gate.toml", *flags).out)
    mine = {("mrr", "max_drop", 1.0), ("ndcg@10", "min", 0.1)}
    assert rules_of(data) == {*mine, ndcg, ("mrr", "min", 0.3), coverage}
    assert data["mode"] == "point"


def rules_of(data):
    return {(one["metric"], one["rule"]["kind"], one["rule"]["limit"]) for one in data["verdicts"]}


def test_in_chinese(steelyard, better):
    done = steelyard(*BASE, "--baseline", "better.csv", "--max-drop", "mrr=5%", "--lang", "zh")
    assert done.out.splitlines()[:3] == [
        "2 项检查中有 1 项未通过 · run.csv 对比 better.csv · 模式 point",
        "未通过  mrr 为 0.3333，相对基线的 0.5000 低 33.3 %；至多允许 5 %",
        "通过    标注共 3 个查询，其中 2 个有预测（66.7 %）；要求至少 66.0 %",
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
    (("--min", "mrr=0", "--significant"), "mode harm is a rule on drops, and no rule allows a largest drop"),
    (("--min", "mrr=0", "--mode", "harn"), "Invalid value for '--mode': 'harn' is not one of"),
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
    (("--baseline", "none.csv", "--max-drop", "mrr=1%"), "the baseline's mrr is 0, and 1 % of 0 is 0"),
]  # fmt: skip


@each_row(("options", "message"), REFUSED)
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
