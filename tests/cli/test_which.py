"""`steelyard which`: forms, claims from a table, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import pytest

from ..tables import each_row

# of run.csv: q1 has b at rank 2, q2 has d and then a (a tie, by item descending), q3 nothing
BASE = ("which", "run.csv", "--truth", "truth.csv")
MRR = (1 / 2 + 1 / 2 + 0) / 3


def test_a_number_and_whose_it_is(steelyard, folder):
    done = steelyard(*BASE, "--claim", f"mrr={MRR:.4f}")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].endswith("0.3333 for mrr (0.33325 to 0.33335)")
    assert lines[1].startswith("run.csv against truth.csv · ")
    assert lines[3].split() == ["value", "as", "-m", "library", "changed"]
    assert any(line.split()[:2] in (["0.333333", "mrr"], ["=", "mrr"]) for line in lines)


def test_without_the_missing_query_it_is_trec_evals(steelyard, folder):
    done = steelyard(*BASE, "--claim", "recip_rank=0.5000", "--format", "json")
    data = json.loads(done.out)
    assert data["claims"] == [
        {"metric": "recip_rank", "printed": "0.5000", "value": 0.5, "low": 0.49995, "high": 0.50005}
    ]
    first = data["matches"][0]
    assert (first["profile"], first["metrics"], first["values"]) == (
        "trec_eval",
        ["trec_eval:recip_rank"],
        [0.5],
    )
    assert first["changes"] == {}


def test_what_is_listed_can_be_asked_for(steelyard, folder):
    found = steelyard(*BASE, "--claim", "mrr=0.5000", "--format", "csv")
    for row in csv.DictReader(io.StringIO(found.out)):
        again = steelyard(
            "evaluate",
            "run.csv",
            "--truth",
            "truth.csv",
            "-m",
            row["metric"],
            "--format",
            "json",
            "--ci",
            "none",
        )
        assert json.loads(again.out)["results"][0]["value"] == float(row["value"]) == 0.5


def test_claims_of_a_table_and_of_options(steelyard, folder):
    (folder / "table.csv").write_text("metric,value\nmrr,0.5000\n")
    done = steelyard(*BASE, "--claims", "table.csv", "--claim", "hit_rate@2=1.00", "-o", "found.json")
    assert done.code == 0
    assert "written: found.json" in done.err
    data = json.loads((folder / "found.json").read_text())
    assert data["matches"][0]["profile"] == "trec_eval"
    assert len(data["claims"]) == len(data["matches"][0]["metrics"]) == 2


def test_nothing_fits(steelyard, folder):
    done = steelyard(*BASE, "--claim", "mrr=0.98765", "--changes", "1")
    assert done.code == 0
    assert done.out.startswith("no convention that was tried gives 0.98765 for mrr")
    assert "nearest:" in done.out
    assert "? another split" in done.out


def test_in_chinese(steelyard, folder):
    done = steelyard(*BASE, "--claim", "mrr=0.5000", "--lang", "zh")
    assert "种约定得到 mrr = 0.5000（0.49995 到 0.50005）" in done.out
    none = steelyard(*BASE, "--claim", "mrr=0.98765", "--changes", "0", "--lang", "zh")
    assert "最接近的：" in none.out
    assert "? 数据划分不同：" in none.out


def test_markdown(steelyard, folder):
    done = steelyard(*BASE, "--claim", "mrr=0.5000", "--format", "markdown")
    assert "| value | as -m | library | changed |" in done.out
    assert "| trec\\_eval:mrr |" in done.out or "| trec\\_eval:recip\\_rank |" in done.out


def test_clicks(steelyard, folder):
    (folder / "log.csv").write_text("clicked,p\n1,0.8\n0,0.4\n1,0.3\n0,0.6\n")
    done = steelyard("which", "log.csv", "--claim", "auc=0.50")
    assert done.code == 0
    assert "for auc (0.495 to 0.505)" in done.out


@each_row(
    ("arguments", "said"),
    [
        ([], "nothing is claimed"),
        (["--claim", "mrr"], "--claim takes METRIC=VALUE; got 'mrr'"),
        (["--claim", "mrr=abc"], "the value claimed for mrr must be a number such as 0.302; got 'abc'"),
        (["--claim", "mrr=33.3"], "mrr is never 33.3: its values are from 0 to 1"),
        (["--claim", "mmrr=0.5"], "unknown metric 'mmrr'"),
        (["--claim", "nobody:mrr=0.5"], "unknown profile 'nobody'"),
        (["--claim", "mrr=0.5", "--claim", "mrr=0.4"], "two values are claimed for mrr: 0.5 and 0.4"),
        (["--claims", "nowhere.csv"], "nowhere.csv"),
        (["--claim", "mrr=0.5", "--changes", "3"], "Invalid value for '--changes'"),
        (["--claim", "mrr=0.5", "-o", "run.csv"], "run.csv"),
        (["--claim", "mrr=0.5", "-o", "found.pdf"], "found.pdf"),
        (["--claim", "mrr=0.5", "--profile", "trec_eval"], "No such option '--profile'"),
    ],
)
def test_what_is_refused(steelyard, folder, arguments, said):
    done = steelyard(*BASE, *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert (folder / "run.csv").read_text().startswith("query,item")


def test_no_predictions(steelyard, folder):
    done = steelyard("which", "--claim", "mrr=0.5")
    assert done.code == 2
    assert "name the predictions" in done.err


@pytest.mark.parametrize(
    "line", [("which", "--claim", "auc=0.75"), ("differences", "-m", "auc", "--profiles", "sklearn,lightgbm")]
)
def test_the_score_column(steelyard, folder, line):
    """Scores p have three of the four pairs in order."""
    (folder / "log.csv").write_text("label,p,q\n1,0.2,1\n1,0.8,1\n0,0.3,1\n0,0.1,1\n")
    done = steelyard(line[0], "log.csv", *line[1:], "--scores", "p")
    assert (done.code, "0.75" in done.out) == (0, True), done.err
