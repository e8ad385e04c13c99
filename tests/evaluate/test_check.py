"""`sy.check`: runs and results against rules."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import scipy.stats

import steelyard as sy

from ..tables import each_row

QUERIES = [f"q{at}" for at in range(8)]
TRUTH = {query: {"a": 1} for query in QUERIES}
OLD = {query: ["a", "b"] for query in QUERIES}  # the relevant item first: mrr 1
NEW = {query: ["b", "a"] for query in QUERIES}  # second: mrr 1/2
COUNTRY = {query: "JP" if at < 3 else "DE" for at, query in enumerate(QUERIES)}
LOG = {
    "clicked": [1, 0, 1, 0],
    "old": [0.8, 0.3, 0.4, 0.6],  # 3 of 4 pairs in order
    "new": [0.7, 0.2, 0.8, 0.6],  # 4 of 4
    "country": ["JP", "JP", "DE", "DE"],
}


def ruled(found):
    """The verdicts on metrics, without the one on the coverage of the truth."""
    return [one for one in found.verdicts if one.metric != "truth coverage"]


def said(found):
    return [str(one.sentence) for one in ruled(found)]


def test_a_run_against_a_run():
    found = sy.check(NEW, TRUTH, baseline=OLD, max_drop={"mrr": "5%"}, min={"hit_rate@2": 1})
    assert not found.passed
    assert said(found) == [
        "mrr is 0.5000, 50.0 % below the baseline's 1.0000; at most 5 % is allowed",
        "hit_rate@2 is 1.0000; at least 1 is wanted",
    ]
    assert [one.outcome for one in ruled(found)] == ["failed", "passed"]
    assert (found.verdicts[0].value, found.verdicts[0].baseline, found.verdicts[0].drop) == (0.5, 1.0, 0.5)
    assert found.failed == found.verdicts[:1]


def test_the_other_way_round_it_passes():
    found = sy.check(OLD, TRUTH, baseline=NEW, max_drop={"mrr": 0})
    assert found.passed
    assert said(found) == ["mrr is 1.0000, 0.5000 above the baseline's 0.5000"]
    found.raise_if_failed()


def test_a_test_raises_what_failed():
    found = sy.check(NEW, TRUTH, min={"mrr": 0.9, "hit_rate@2": 0.9})
    with pytest.raises(AssertionError) as caught:
        found.raise_if_failed()
    assert str(caught.value) == ("1 of 3 checks failed · predictions\nmrr is 0.5000; at least 0.9 is wanted")


def test_a_saved_result_as_baseline_and_as_what_is_checked(tmp_path):
    """By its ending, or by its beginning where it has another."""
    for name in ("old.steelyard", "old.bin"):
        sy.evaluate(OLD, TRUTH, ["mrr", "ndcg@10"]).save(tmp_path / name)
        found = sy.check(NEW, TRUTH, baseline=tmp_path / name, max_drop={"mrr": 0.25})
        assert not found.passed
        assert found.baseline == str(tmp_path / name)
    sy.evaluate(NEW, TRUTH, "mrr").save(tmp_path / "new.steelyard")
    both = sy.check(
        str(tmp_path / "new.steelyard"), baseline=tmp_path / "old.steelyard", max_drop={"mrr": 0.25}
    )
    assert said(both) == ["mrr is 0.5000, 0.5000 below the baseline's 1.0000; at most 0.25 is allowed"]
    assert both.predictions == str(tmp_path / "new.steelyard")
    assert "new.steelyard: values come from a saved result; nothing was measured anew." in both.to_text()
    results = [sy.evaluate(run, TRUTH, "mrr") for run in (NEW, OLD)]
    assert said(sy.check(results[0], baseline=results[1], max_drop={"mrr": 0.25})) == said(both)


def test_one_metric_under_two_texts(tmp_path):
    """The saved result calls it mrr, since all of its metrics had rel=2; the rule says so itself."""
    truth = {query: {"a": 2} for query in QUERIES}
    sy.evaluate(OLD, truth, "mrr", rel=2).save(tmp_path / "old.steelyard")
    found = sy.check(
        NEW, truth, baseline=tmp_path / "old.steelyard", max_drop={"mrr(rel=2)": 0}, significant=True
    )
    assert [(one.metric, one.baseline) for one in ruled(found)] == [("mrr(rel=2)", 1.0)]
    assert found.failed == (found.verdicts[0],)


def test_several_cutoffs_in_one_rule_and_a_metric_as_a_value():
    found = sy.check(NEW, TRUTH, min={"precision@1,2": 0.5}, max={sy.MRR(): 0.4})
    assert [(one.metric, one.outcome) for one in ruled(found)] == [
        ("precision@1", "failed"), ("mrr", "failed"), ("precision@2", "passed"),
    ]  # fmt: skip


def test_two_score_columns_of_one_log():
    columns = {"score": ["old", "new"], "label": "clicked"}
    found = sy.check(LOG, baseline="old", max_drop={"auc": 0, "calibration": "1%"}, columns=columns)
    assert said(found) == [
        # 2.1 and 2.3 expected clicks of 2
        "calibration is 1.1500, 9.5 % further from 1 than the baseline's 1.0500; at most 1 % is allowed",
        "auc is 1.0000, 0.2500 above the baseline's 0.7500",
    ]
    assert (found.predictions, found.baseline) == ("new", "old")
    assert sy.check(LOG, min={"auc": 0.75}, columns={"score": "old"}).passed


def test_by_slices():
    found = sy.check(NEW, TRUTH, baseline=OLD, max_drop={"mrr": 0.1}, by=COUNTRY)
    assert [(one.slice, one.n) for one in ruled(found)] == [
        ({}, 8),
        ({"slice": "DE"}, 5),
        ({"slice": "JP"}, 3),
    ]
    assert said(found)[1].startswith("DE (5 queries): mrr is 0.5000, 0.5000 below")
    assert found.table()["slice"].to_list() == ["(all)", "DE", "JP", "(all)"]


def outcomes(found):
    return {
        one.slice.get("slice"): (one.outcome, str(one.sentence).rpartition("; ")[2]) for one in ruled(found)
    }


def test_what_cannot_be_decided_fails():
    """n signs agree by chance with probability 2⁻ⁿ: 0.025 needs 6 units, 0.025 / 2 for two slices 7."""
    asked = {"baseline": OLD, "max_drop": {"mrr": 0.4}, "by": COUNTRY}
    found = sy.check(NEW, TRUTH, **asked, mode="harm")
    assert outcomes(found) == {
        None: ("failed", "a drop beyond the limit is shown"),
        "DE": ("failed", "2 tests together need 7 or more"),
        "JP": ("failed", "2 tests together need 7 or more"),
    }
    assert outcomes(sy.check(NEW, TRUTH, **asked, significant=True)) == outcomes(found)
    looser = outcomes(sy.check(NEW, TRUTH, **asked, mode="harm", level=0.85))  # 0.075 / 2 needs 5
    assert looser["DE"] == ("failed", "a drop beyond the limit is shown")
    assert looser["JP"] == ("failed", "2 tests together need 5 or more")
    equal = sy.check(OLD, TRUTH, **asked, mode="non_inferior")
    assert outcomes(equal) == {
        None: ("passed", "a drop beyond the limit is ruled out"),
        "DE": ("failed", "1 test needs 6 or more"),
        "JP": ("failed", "1 test needs 6 or more"),
    }


def test_one_query_cannot_be_decided():
    found = sy.check(
        {"q": ["b", "a"]}, {"q": ["a"]}, baseline={"q": ["a"]}, max_drop={"mrr": 0}, significant=True
    )
    assert not found
    assert said(found)[0].endswith(
        "cannot be decided: the effective sample size is 1; 1 test needs 6 or more"
    )


def test_the_forms():
    found = sy.check(NEW, TRUTH, baseline=OLD, max_drop={"mrr": "5%"}, min={"hit_rate@2": 1})
    assert found.to_text() == repr(found) == found.render("table")
    assert found.to_text().splitlines() == [
        "1 of 3 checks failed · predictions against the baseline · mode point",
        "failed  mrr is 0.5000, 50.0 % below the baseline's 1.0000; at most 5 % is allowed",
        "passed  hit_rate@2 is 1.0000; at least 1 is wanted",
        "passed  8 of 8 queries in the truth have predictions (100.0 %); the baseline has 100.0 %",
        "! mrr, hit_rate@2: effective sample size below 10; the interval is approximate.",
    ]
    assert found.to_text(lang="zh").splitlines()[0] == "3 项检查中有 1 项未通过 · 预测对比基线 · 模式 point"
    assert found.to_markdown().splitlines() == [
        "**1 of 3 checks failed**",
        "",
        "predictions against the baseline · mode point",
        "",
        "| check | verdict | why |",
        "| --- | --- | --- |",
        "| mrr max\\_drop 5 % | failed | mrr is 0.5000, 50.0 % below the baseline's 1.0000; "
        "at most 5 % is allowed |",
        "| hit\\_rate@2 min 1 | passed | hit\\_rate@2 is 1.0000; at least 1 is wanted |",
        "| truth coverage min\\_coverage 1 | passed | "
        "8 of 8 queries in the truth have predictions (100.0 %); the baseline has 100.0 % |",
        "",
        "- mrr, hit\\_rate@2: effective sample size below 10; the interval is approximate.",
    ]
    data = json.loads(found.to_json())
    assert (data["passed"], data["schema_version"]) == (False, 3)
    assert data["verdicts"][0]["rule"] == {"kind": "max_drop", "metric": "mrr", "limit": 5.0, "percent": True}
    assert [one["outcome"] for one in data["verdicts"]] == ["failed", "passed", "passed"]
    assert [note["key"] for note in data["notes"]] == ["few_units"]
    table = found.table()
    assert table.select(
        "metric", "rule", "limit", "percent", "mode", "value", "baseline", "drop", "drop_low", "n", "of"
    ).rows() == [
        ("mrr", "max_drop", 5.0, True, "point", 0.5, 1.0, 0.5, 0.5, 8, "queries"),
        ("hit_rate@2", "min", 1.0, False, None, 1.0, None, None, None, 8, "queries"),
        ("truth coverage", "min_coverage", 1.0, False, None, 1.0, 1.0, None, None, 8, "queries"),
    ]
    assert found.to_csv().splitlines()[0] == ",".join(table.columns)


def test_junit_is_what_readers_of_it_expect():
    by = pl.DataFrame({"query": QUERIES, "country": ["<&\"'\x1b]]>"] * 4 + [None] * 4})
    found = sy.check(NEW, TRUTH, baseline=OLD, max_drop={"mrr": 0.1, "ndcg@10": 1}, by=by)
    tree = ElementTree.fromstring(found.to_junit())
    suite = tree.find("testsuite")
    assert (tree.tag, tree.attrib["tests"], tree.attrib["failures"]) == ("testsuites", "7", "3")
    assert suite.attrib["name"] == "predictions against the baseline · mode point"
    assert "effective sample size below 10" in suite.find("system-out").text
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.attrib["tests"])
    assert all({"classname", "name", "time"} == set(case.attrib) for case in cases)
    assert len(suite.findall("testcase/failure")) == 3
    failure = cases[0].find("failure")
    assert failure.attrib == {
        "type": "max_drop",
        "message": "mrr is 0.5000, 0.5000 below the baseline's 1.0000; at most 0.1 is allowed",
    }
    assert failure.text == failure.attrib["message"]
    assert any("<&\"'\\u001b]]>" in case.attrib["name"] for case in cases)


def test_no_value_in_a_slice():
    by = {"q": "x", "r": "y"}
    truth = {"q": {"a": 1}, "r": {"a": 0}}  # y has nothing relevant: ndcg is undefined
    run = {"q": ["a"], "r": ["a"]}
    found = sy.check(run, truth, min={"ndcg@1": 1}, by=by)
    assert said(found)[0] == "y (0 queries): ndcg@1 has no value here, so no rule on it can pass"
    assert not found
    found = sy.check(run, truth, baseline=run, max_drop={"ndcg@1": 0}, by=by)
    assert said(found)[0].endswith("ndcg@1 has no value here and in the baseline, so nothing can be decided")
    assert [bool(one) for one in found.verdicts] == [False, True, True, True]


def test_files(tmp_path):
    found = sy.check(NEW, TRUTH, min={"mrr": 1})
    for name, begins in {
        "a.xml": "<?xml",
        "a.json": "{",
        "a.md": "**1 of",
        "a.csv": "metric,",
        "a.txt": "1 of",
    }.items():
        found.write(tmp_path / name)
        assert (tmp_path / name).read_text("utf-8").startswith(begins)
    with pytest.raises(sy.SteelyardError, match="its ending does not say in which format"):
        found.write(tmp_path / "a.html")
    with pytest.raises(sy.SteelyardError, match="unknown format 'html'"):
        found.render("html")


def test_the_caller_s_options_stay_his_own():
    columns = {"score": ["old", "new"]}
    sy.check(LOG, baseline="old", max_drop={"auc": 0}, columns=columns)
    assert columns == {"score": ["old", "new"]}


REFUSED = [
    ({}, "there is no rule to check"),
    ({"max_drop": {"mrr": 0}}, "max_drop of mrr needs a baseline to drop from"),
    ({"baseline": OLD, "min": {"mrr": 0}}, "a baseline was given, and no rule compares with it"),
    ({"min": {"mrr": 0}, "significant": True}, "mode harm is a rule on drops, and no rule allows"),
    ({"min": {"mrr": 0}, "mode": "harn"}, "mode must be one of 'point', 'harm', 'non_inferior'; got 'harn'"),
    ({"min": {"mrr": 0}, "mode": "point", "significant": True}, "significant is mode harm, and mode point"),
    ({"min": {"mrr": 0}, "min_coverage": "all"}, "min_coverage of truth coverage must be a number, or"),
    ({"min": {"mrr": 0}, "min_coverage": 1.5}, "min_coverage must be a share from 0 to 1"),
    ({"min": {"mrr": 0}, "paired": 2}, "paired must be True or False; got 2"),
    ({"min": {"mrr": 0}, "significant": 1}, "significant must be True or False; got 1"),
    ({"min": {"mrx": 0}}, "unknown metric 'mrx'; did you mean 'mrr'?"),
    ({"min": {"": 0}}, "cannot read '' as a metric"),
    ({"min": {"mrr": 0}, "level": 95}, "level must be a number between 0 and 1"),
    ({"min": "mrr=0"}, "min must be a mapping of metrics to limits, such as {'auc': 0.7}; got 'mrr=0'"),
    ({"max_drop": ["mrr"]}, "max_drop must be a mapping of metrics to limits, such as {'ndcg@10': '0.5%'}"),
    ({"min": {"mrr": 0}, "tise": "given"}, "mrr has no convention 'tise'; did you mean 'ties'?"),
    ({"baseline": {"q0": ["z"]}, "max_drop": {"mrr": "1%"}}, "the baseline's mrr is 0, and 1 % of 0"),
    ({"baseline": 3, "max_drop": {"mrr": 0}}, "the baseline: predictions is of type int, which"),
    ({"baseline": "none.run", "max_drop": {"mrr": 0}}, "none.run does not exist"),
    ({"baseline": "none.steelyard", "max_drop": {"mrr": 0}}, "none.steelyard does not exist"),
]  # fmt: skip


@each_row(("options", "message"), REFUSED)
def test_what_is_refused(options, message):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.check(NEW, TRUTH, **options)
    assert caught.value.message.startswith(message)


@each_row(
    ("options", "message"),
    [
        ({"baseline": "olf"}, "the baseline 'olf' is none of the score columns; did you mean 'old'?"),
        ({"baseline": "old", "columns": {"score": ["old", "old"]}}, "the score column 'old' is named twice"),
        (
            {"baseline": "old", "columns": {"score": ["old"]}},
            "there are 0 score columns besides the baseline",
        ),
        ({"baseline": "old", "columns": {"score": ["old", "new", "country"]}}, "predictions, row 1: score"),
    ],
)
def test_score_columns_that_are_refused(options, message):
    options = {"columns": {"score": ["old", "new"], "label": "clicked"}, **options}
    with pytest.raises(sy.SteelyardError) as caught:
        sy.check(LOG, max_drop={"auc": 0}, **options)
    assert caught.value.message.startswith(message)


def test_baselines_that_were_measured_otherwise(tmp_path):
    path = tmp_path / "old.steelyard"
    sy.evaluate(OLD, TRUTH, "mrr").save(path)

    def refused(*given, **options):
        with pytest.raises(sy.SteelyardError) as caught:
            sy.check(*given, baseline=path, **{"max_drop": {"mrr": 0}, **options})
        return caught.value.message

    assert refused(NEW, TRUTH, max_drop={"ndcg@10": 0}) == f"the baseline '{path}' has no ndcg@10"
    assert "was measured under another convention" in refused(NEW, TRUTH, ties="expected", missing="skip")
    assert refused(NEW, TRUTH, missing="skip").endswith("missing")
    assert "were measured against different truth" in refused(NEW, {**TRUTH, "q0": {"b": 1}})
    assert "is sliced by nothing" in refused(NEW, TRUTH, by=COUNTRY)
    mine = sy.evaluate(NEW, TRUTH, "mrr")
    assert refused(mine, TRUTH).startswith("truth was given, but what is checked is a result")
    assert refused(mine, by=COUNTRY).startswith("by was given, but what is checked is a result")


def test_saved_results_that_cannot_be_read(tmp_path):
    path = tmp_path / "old.steelyard"
    sy.evaluate(OLD, TRUTH, "mrr").save(path)
    data = path.read_bytes()
    for content, message in [
        (data[: len(data) // 2], "was cut short or changed after it was saved"),
        (data[:20], "is not a complete file that Steelyard saved"),
        (b"", "is empty"),
    ]:
        path.write_bytes(content)
        with pytest.raises(sy.SteelyardError, match=message):
            sy.check(NEW, TRUTH, baseline=path, max_drop={"mrr": 0})


def test_a_saved_result_of_another_version(tmp_path, monkeypatch):
    path = tmp_path / "old.steelyard"
    with monkeypatch.context() as patched:
        patched.setattr("steelyard.result.saved.FORM", "99.0")
        sy.evaluate(OLD, TRUTH, "mrr").save(path)
    with pytest.raises(sy.SteelyardError, match="has file format 99.0"):
        sy.check(NEW, TRUTH, baseline=path, max_drop={"mrr": 0})


def test_what_has_no_one_value():
    log = {"label": ["x", "y", "x"], "predicted": ["x", "x", "x"]}
    with pytest.raises(sy.SteelyardError, match="confusion has a value for each class"):
        sy.check(log, min={"confusion": 1})
    with pytest.raises(sy.SteelyardError, match=r"ndcg@10 has no value in the checked result"):
        sy.check(NEW, {"q0": {"a": 0}}, min={"ndcg@10": 1})


def test_the_example_of_a_test_in_the_guide(root, tmp_path):
    """It runs on the files of the page, and fails in plain words on a worse run."""
    page = (root / "docs" / "guide" / "gates.md").read_text("utf-8")
    for name, content in re.findall(r"\$ cat > (\S+) <<EOF\n(.*?)EOF\n", page, re.DOTALL):
        (tmp_path / name).write_text(content)
    (example,) = re.findall(r"```python\n(# test_quality\.py\n.*?)```", page, re.DOTALL)
    (tmp_path / "test_quality.py").write_text(example)

    def run():
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_quality.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    worse = (tmp_path / "new.csv").read_text().replace("q3,e,0.5", "q3,e,0.3")
    (tmp_path / "new.csv").write_text(worse)
    done = run()
    assert done.returncode == 1
    assert "mrr is 0.6667, 33.3 % below the baseline's 1.0000; at most 20 % is allowed" in done.stdout


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("f1", 4 / 5),  # above 0.5 are two of three clicks
        ("f1(threshold=0.3)", 6 / 7),  # three of three, and one that is none
        ("f1(average=macro)", 4 / 5),  # of the others two of two, and one that is a click: 4/5 again
    ],
)
def test_a_rule_is_on_all_that_stands_in_the_metric(metric, value):
    log = {"label": [1, 0, 1, 0, 1], "score": [0.9, 0.4, 0.35, 0.2, 0.6]}
    (verdict,) = sy.check(log, min={metric: 0.1}).verdicts
    assert (verdict.metric, verdict.value) == (metric, pytest.approx(value))


def test_a_rule_on_f1_at_a_cutoff():
    """Of two items shown one is relevant, of which there is one: 2/3."""
    (verdict,) = ruled(sy.check(NEW, TRUTH, baseline=OLD, max_drop={"f1@2": 0}))
    assert (verdict.metric, verdict.value, verdict.outcome) == ("f1@2", pytest.approx(2 / 3), "passed")


def test_a_run_that_answers_fewer_queries_says_so():
    """Half of its two answers are at the top, and a quarter of the baseline's eight."""
    old = {query: ["a", "b"] if at < 2 else ["b", "a"] for at, query in enumerate(QUERIES)}
    few = {"q0": ["a"], "q5": ["b", "a"]}
    found = sy.check(few, TRUTH, baseline=old, max_drop={"mrr": 0}, missing="skip")
    assert said(found)[0].startswith("mrr is 0.7500, 0.1250 above the baseline's 0.6250; ")
    assert said(found)[0].endswith("; it is measured on 2 queries, the baseline on 8 queries")
    kept = sy.check(few, TRUTH, baseline=old, max_drop={"mrr": 1}, min_coverage=0)
    assert kept  # unanswered queries count as 0
    assert "cannot be decided: 6 units are measured on one side only" in said(found)[0]
    assert [str(one.sentence) for one in found.failed[1:]] == [
        "2 of 8 queries in the truth have predictions (25.0 %); the baseline has 100.0 %; "
        "allow fewer with min_coverage (--min-coverage)"
    ]
    (counted,) = said(sy.check(few, TRUTH, baseline=old, max_drop={"mrr": 1}))
    assert counted.startswith("mrr is 0.1875, 0.4375 below the baseline's 0.6250; at most 1 is allowed")


def test_coverage_of_the_truth():
    truth = pl.DataFrame({"item": range(400), "rating": [1.0] * 400})
    some = truth.head(6).rename({"rating": "score"})
    found = sy.check(some, truth, max={"rmse": 0.1})
    assert [str(one.sentence) for one in found.failed] == [
        "6 of 400 rows in the truth have predictions (1.5 %); at least 100.0 % is required; "
        "allow fewer with min_coverage (--min-coverage)"
    ]
    for enough in (0.015, "1.5%"):
        assert sy.check(some, truth, max={"rmse": 0.1}, min_coverage=enough)
    assert not sy.check(some, truth, max={"rmse": 0.1}, min_coverage="2%")
    skipped = sy.check({"q0": ["a"]}, TRUTH, min={"recip_rank": 0.5}, profile="trec_eval")
    assert not skipped
    assert "7 queries have no predictions" in skipped.to_text()
    assert sy.check({"q0": ["a"]}, TRUTH, baseline={"q1": ["a"]}, max_drop={"mrr": 0})  # no less than before


def test_coverage_of_each_slice(tmp_path):
    """Half of the truth is enough on the whole; slice B has none of it, and would not be seen otherwise."""
    truth = pl.DataFrame({"item": range(40), "rating": [1.0] * 40, "part": ["A"] * 20 + ["B"] * 20})
    half = truth.head(20).select("item", score=pl.col("rating"))
    asked = {"max": {"rmse": 0.1}, "min_coverage": 0.5}
    found = sy.check(half, truth, by="part", **asked)
    assert [(str(one.sentence), one.slice) for one in found.failed] == [
        (
            "B: 0 of 20 rows in the truth have predictions (0.0 %); at least 50.0 % is required; "
            "allow fewer with min_coverage (--min-coverage)",
            {"part": "B"},
        )
    ]
    sy.evaluate(half, truth, "rmse", by="part").save(tmp_path / "half.steelyard")
    assert not sy.check(tmp_path / "half.steelyard", **asked)
    lists = {query: OLD[query] for query in QUERIES[3:]}  # nothing for JP
    found = sy.check(lists, TRUTH, min={"mrr": 0.5}, by=COUNTRY, missing="skip", min_coverage=0.6)
    assert [one.slice for one in found.failed] == [{"slice": "JP"}]
    assert sy.check(lists, TRUTH, baseline=lists, max_drop={"mrr": 0}, by=COUNTRY, missing="skip")


def test_lists_that_are_masked_or_excluded_answer_nothing():
    masked = {query: {"a": float("-inf") if at < 2 else 1.0} for at, query in enumerate(QUERIES)}
    for found in (
        sy.check(masked, TRUTH, min={"mrr": 0.5}),
        sy.check(OLD, TRUTH, min={"mrr": 0.5}, exclude={"q0": ["a", "b"], "q1": ["a", "b"]}),
    ):
        assert str(found.failed[0].sentence).startswith(
            "6 of 8 queries in the truth have predictions (75.0 %)"
        )
        assert "2 queries have predictions, but every row of them is masked, excluded or removed." in repr(
            found
        )


def test_a_repeated_rule_changes_no_interval():
    log = pl.DataFrame(
        {"user": range(40), "label": [1, 0] * 20, "old": [0.6, 0.4] * 20, "new": [0.7, 0.6] * 20}
    )
    asked = {"baseline": "old", "columns": {"query": "user", "score": ["old", "new"]}, "mode": "harm"}
    once = sy.check(log, max_drop={"brier": 0.01}, **asked).verdicts[0]
    twice = sy.check(log, max_drop={"brier": 0.01, " brier": 0.02}, **asked).verdicts
    assert {one.limits for one in twice} == {once.limits}


def test_one_heavy_user_decides_nothing():
    """3,000 rows of one user and 12 of others count like one user, also where draws make the interval."""
    rng = np.random.default_rng(1)
    user = np.r_[np.zeros(3000, int), np.arange(1, 13)]
    log = pl.DataFrame({"user": user, "label": rng.integers(0, 2, 3012), "old": rng.random(3012)})
    log = log.with_columns(new=pl.col("old") * 0.99)
    columns = {"query": "user", "score": ["old", "new"]}
    found = sy.check(log, baseline="old", columns=columns, max_drop={"ece": 0.5}, mode="non_inferior")
    assert "the effective sample size is 1.01; 1 test needs 6 or more" in said(found)[0]


def test_equal_differences_rule_out_only_what_their_number_can():
    """100 queries without a change leave 3.84 / 103.84 = 3.7 % of them open, each by 1."""
    truth = {f"q{at}": ["a"] for at in range(100)}
    run = {f"q{at}": ["b", "a"] if at == 0 else ["a"] for at in range(100)}
    limits = {"mrr": 0.036}
    assert not sy.check(run, truth, baseline=run, max_drop=limits, mode="non_inferior")
    assert sy.check(run, truth, baseline=run, max_drop={"mrr": 0.038}, mode="non_inferior")
    assert sy.check(run, truth, baseline=run, max_drop=limits, mode="harm")


def test_no_value_per_class_has_a_drop():
    runs = [{"label": ["x", "y", "x"], "predicted": said} for said in (["x", "y", "x"], ["x", "x", "x"])]
    with pytest.raises(sy.SteelyardError, match="confusion has a value for each class"):
        sy.check(runs[0], baseline=runs[1], max_drop={"confusion": 0.5})


def test_score_columns_without_a_baseline():
    with pytest.raises(
        sy.SteelyardError, match=r"there are several score columns \(old, new\), and no baseline"
    ):
        sy.check(LOG, min={"auc": 0.5}, columns={"score": ["old", "new"], "label": "clicked"})


def test_a_gate_is_true_exactly_when_it_passed():
    assert sy.check(OLD, TRUTH, min={"mrr": 1})
    assert not sy.check(NEW, TRUTH, min={"mrr": 1})


def test_many_slices_hide_no_drop():
    """Two queries in each of 6,000 cities: too few for any test, and each falls from 1 to 0."""
    queries = [f"q{at}" for at in range(12_000)]
    cities = [f"c{at // 2}" for at in range(12_000)]
    truth = pl.DataFrame({"query": queries, "item": "a", "relevance": 1, "city": cities})
    run, worst = (pl.DataFrame({"query": queries, "item": item, "score": 1.0}) for item in "ab")
    found = sy.check(worst, truth, baseline=run, max_drop={"mrr": 0}, mode="harm", by="city")
    assert len(found.failed) == 6_001
    assert found.verdicts[0].slice == {}


def test_no_floor_of_replicates_hides_a_drop():
    """ece has no closed form; 2,000 replicates cannot show p below 0.05 / 60, and its interval can."""
    rng = np.random.default_rng(5)
    label = rng.integers(0, 2, 3000)
    log = {"label": label, "country": [f"c{at % 60}" for at in range(3000)]}
    log |= {"old": np.where(label, 0.9, 0.1), "new": np.where(label, 0.1, 0.9)}
    found = sy.check(
        log,
        baseline="old",
        columns={"score": ["old", "new"]},
        max_drop={"ece": 0.1},
        mode="harm",
        by="country",
    )
    assert len(found.failed) == 61


class TestModes:
    """Ten users with the differences D, by hand: mean 0.05, standard error 0.0183, t of 9 is 2.2622."""

    D = np.array([0.05, -0.05, 0.15, 0.05, 0.0, 0.1, 0.05, 0.0, 0.1, 0.05])

    def found(self, allowed, mode, **options):
        error = self.D.std(ddof=1) / np.sqrt(10)
        assert (self.D.mean(), error) == (pytest.approx(0.05), pytest.approx(0.0183, abs=1e-4))
        log = pl.DataFrame({"user": range(10), "label": 1.0, "old": 1.1, "new": 1.1 + self.D})
        asked = {"columns": {"query": "user", "score": ["old", "new"]}, "baseline": "old", **options}
        (verdict,) = sy.check(log, max_drop={"mae": allowed}, mode=mode, **asked).verdicts
        wide = 2.262157 * error
        assert (verdict.drop_low, verdict.drop_high) == pytest.approx((0.05 - wide, 0.05 + wide), rel=1e-5)
        assert verdict.mode == mode
        return verdict

    @each_row(
        ("allowed", "point", "harm", "non_inferior"),
        [
            (0.0, False, False, False),  # the interval 0.0086 to 0.0914 lies beyond it
            (0.02, False, True, False),  # neither shown nor ruled out
            (0.06, True, True, False),
            (0.1, True, True, True),
        ],
    )
    def test_each(self, allowed, point, harm, non_inferior):
        modes = {"point": point, "harm": harm, "non_inferior": non_inferior}
        assert {mode: bool(self.found(allowed, mode)) for mode in modes} == modes

    def test_how_many_would_decide(self):
        """The half width is 0.0413 at 10 users; a gap of 0.03 wants (0.0413 / 0.03)² = 1.9 times as many."""
        verdict = self.found(0.02, "harm")
        assert verdict.units_to_decide == 19
        assert "about 19 units would decide; no drop beyond the limit is shown" in str(verdict.sentence)
        assert self.found(0.0, "harm").units_to_decide is None


def test_a_sample_of_two_decides_nothing():
    """Two equal values have no variance of their own; the other sample's must not stand for theirs."""
    results = [
        sy.evaluate({f"{day}{at}": ["a"] if at % 2 or day == "t" else ["b", "a"] for at in range(n)},
                    {f"{day}{at}": ["a"] for at in range(n)}, "mrr")
        for day, n in (("t", 2), ("m", 200))
    ]  # fmt: skip
    found = sy.check(
        results[0], baseline=results[1], max_drop={"mrr": 0.05}, paired=False, mode="non_inferior"
    )
    assert "the effective sample size is 2; 1 test needs 6 or more" in said(found)[0]


def test_independent_samples():
    """Monday's log against Tuesday's: Welch's interval, as SciPy has it."""
    rng = np.random.default_rng(3)
    monday, tuesday = (
        {"user": rng.permutation(10_000)[:n], "rating": np.zeros(n), "score": np.sqrt(rng.gamma(2, 0.5, n))}
        for n in (60, 90)
    )
    base = sy.evaluate(monday, metrics="mse", columns={"query": "user"})
    asked = {"baseline": base, "max_drop": {"mse": 0.1}, "columns": {"query": "user"}, "mode": "non_inferior"}
    with pytest.raises(sy.SteelyardError):
        sy.check(tuesday, **asked)
    (verdict,) = sy.check(tuesday, **asked, paired=False).verdicts
    squares = [day["score"] ** 2 for day in (tuesday, monday)]
    welch = scipy.stats.ttest_ind(*squares, equal_var=False).confidence_interval(0.95)
    assert (verdict.drop_low, verdict.drop_high) == pytest.approx((welch.low, welch.high))
    assert "independent samples" in repr(sy.check(tuesday, **asked, paired=False))


def test_metrics_are_those_of_the_rules():
    with pytest.raises(sy.SteelyardError, match="check takes no metrics and no task"):
        sy.check(NEW, TRUTH, metrics="mrr", min={"mrr": 0.1})


def test_a_baseline_without_what_a_rule_names():
    """f1 of another threshold is another metric."""
    log = {"label": [1, 0, 1, 0, 1], "score": [0.9, 0.4, 0.35, 0.2, 0.6]}
    with pytest.raises(sy.SteelyardError, match=r"the baseline '.*' has no f1\(threshold=0\.3\)"):
        sy.check(log, baseline=sy.evaluate(log, metrics="f1"), max_drop={"f1(threshold=0.3)": 0.1})


@pytest.mark.parametrize("column", ["*", "^n.*$"])
def test_a_slice_column_is_taken_by_its_exact_name(column):
    old, new = [0.8, 0.2, 0.7, 0.4], [0.2, 0.8, 0.3, 0.6]
    log = pl.DataFrame(
        {"label": [1, 0] * 20, "old": old * 10, "new": new * 10, column: ["a", "a", "b", "b"] * 10}
    )
    found = sy.check(
        log,
        baseline="old",
        columns={"score": ["old", "new"]},
        max_drop={"logloss": 0.01},
        by=[column],
        significant=True,
    )
    assert not found.passed
    assert [one.slice for one in found.failed] == [{}, {column: "a"}, {column: "b"}]


def test_rules_by_the_names_of_the_profile_s_library(tmp_path):
    """P_5 is 1 of 5 in every query; a saved result is asked by the names of the profile it was made under."""
    found = sy.check(OLD, TRUTH, min={"P_5": 0.2}, max={"recip_rank": 0.9}, profile="trec_eval")
    assert said(found) == [
        "recip_rank is 1.0000; at most 0.9 is wanted",
        "P_5 is 0.2000; at least 0.2 is wanted",
    ]
    sy.evaluate(OLD, TRUTH, "P_5", profile="trec_eval").save(tmp_path / "old.steelyard")
    assert sy.check(tmp_path / "old.steelyard", min={"P_5": 0.2}).passed
    with pytest.raises(sy.SteelyardError, match=r"this result has no 'trec_eval:P_10'"):
        sy.check(tmp_path / "old.steelyard", min={"trec_eval:P_10": 0.1})


def test_a_saved_result_is_shown_under_the_name_of_its_file(tmp_path):
    """It was measured from the arguments; what is checked is what the file keeps."""
    for name, run in (("new", NEW), ("old", OLD)):
        sy.evaluate(run, TRUTH, "mrr").save(tmp_path / f"{name}.steelyard")
    new, old = tmp_path / "new.steelyard", tmp_path / "old.steelyard"
    found = sy.check(new, baseline=old, max_drop={"mrr": 0})
    assert (found.predictions, found.baseline) == (str(new), str(old))
    assert said(found) == ["mrr is 0.5000, 0.5000 below the baseline's 1.0000; nothing worse is allowed"]
    assert sy.check(new, TRUTH, baseline=OLD, max_drop={"mrr": 1}).predictions == str(new)
