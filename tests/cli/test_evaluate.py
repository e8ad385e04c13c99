"""`steelyard evaluate`: every option and every form.

run.csv shows a, b, c for q1 and a, d (tied) for q2.
truth.csv has b (2) and z (1) for q1, a (1) for q2, x (1) for q3.
"""

from __future__ import annotations

import csv
import json
from math import log2

import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

BASE = ("evaluate", "run.csv", "--truth", "truth.csv")

# q1: b at rank 2. q2: a is tied with d; ties by item, descending, put d first. q3: nothing shown.
MRR = (1 / 2 + 1 / 2 + 0) / 3


def values(done) -> dict[str, float]:
    assert (done.code, done.err) == (0, "")
    return {row["metric"]: row["value"] for row in json.loads(done.out)["results"] if not row["slice"]}


@pytest.fixture
def number(steelyard, folder):
    """The one number that a command gives."""

    def run(*options: object) -> float:
        (value,) = values(steelyard(*BASE, *options, "--format", "json")).values()
        return value

    return run


def test_table_is_data_and_the_rest_is_talk(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "-m", "precision@2")
    assert done.code == 0
    # precision@2: 1/2, 1/2, 0
    assert done.out.splitlines() == [
        "metric        value     95% interval  queries  undefined",
        "mrr          0.3333  0.0343 – 0.8756        3          0",
        "precision@2  0.3333  0.0343 – 0.8756        3          0",
    ]
    # standard error 1/6; ρ = 1/36 × 2 / (2/9) = 1/4, ρ' = (3/4 + 1) / 4, n = 3 / ρ' = 48/7; t² = 4.302653²
    squared = 4.302653**2 * 7 / 48
    centre = (1 / 3 + squared / 2) / (1 + squared)
    half = (squared * (2 / 9 + squared / 4)) ** 0.5 / (1 + squared)
    assert f"{centre - half:.4f} – {centre + half:.4f}" == "0.0343 – 0.8756"
    talk = done.err.splitlines()
    assert talk[0].endswith(" · run.csv against truth.csv")
    assert talk[1] == "3 queries · 5 predictions · 4 judgements · 60.0% of ranked rows unjudged"
    assert talk[2].startswith("steelyard:2026 · ")
    assert "! 1 query has no predictions: counted as empty lists." in talk
    # mrr is 1/2, 1 or 1/2, 0
    assert any("moves mrr within 0.3333 – 0.5000." in line for line in talk)


def test_json(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "-m", "ndcg@2", "--format", "json")
    data = json.loads(done.out)
    assert data["schema_version"] == 3
    assert (data["predictions"], data["truth"]) == ("run.csv", "truth.csv")
    ndcg = ((2 / log2(3)) / (2 + 1 / log2(3)) + 1 / log2(3) + 0) / 3
    assert values(done) == pytest.approx({"mrr": MRR, "ndcg@2": ndcg}, abs=1e-15)


def test_csv(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "--format", "csv")
    [row] = csv.DictReader(done.out.splitlines())
    assert list(row) == [
        "metric",
        "value",
        "ci_low",
        "ci_high",
        "tie_low",
        "tie_high",
        "n",
        "of",
        "undefined",
        "spec",
    ]
    assert [row[name] for name in ("n", "of", "undefined")] == ["3", "queries", "0"]
    ends = [float(row[name]) for name in ("ci_low", "ci_high", "tie_low", "tie_high")]
    assert ends == pytest.approx([0.034298, 0.875606, 1 / 3, 1 / 2], abs=1e-6)
    assert float(row["value"]) == MRR
    assert sy.metric(row["spec"]) == sy.MRR()
    assert done.out.endswith('@all"\n')


def test_markdown_and_latex(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "--format", "markdown")
    assert done.out.splitlines()[2] == "| mrr | 0.3333 | 0.0343 – 0.8756 | 3 | 0 |"
    done = steelyard(*BASE, "-m", "mrr", "--format", "latex")
    assert r"mrr & 0.3333 & 0.0343 -- 0.8756 & 3 & 0 \\" in done.out.splitlines()


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_output_file(steelyard, folder, form):
    shown = steelyard(*BASE, "-m", "mrr", "--format", form)
    done = steelyard(*BASE, "-m", "mrr", "--format", form, "-o", "out.txt")
    assert (done.code, done.out) == (0, "")
    assert (folder / "out.txt").read_text("utf-8") == shown.out
    assert {path.name for path in folder.iterdir()} == {"run.csv", "truth.csv", "out.txt"}


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "latex"])
def test_the_talk_goes_on_where_the_output_is_a_file(steelyard, folder, form):
    shown = steelyard(*BASE, "-m", "mrr", "--format", form)
    done = steelyard(*BASE, "-m", "mrr", "--format", form, "-o", "out.txt")
    assert "! 1 query has no predictions: counted as" in done.err
    assert done.err == f"{shown.err}written: out.txt\n"


@pytest.mark.parametrize(
    ("name", "options", "start"),
    [
        ("out.json", (), "{"),
        ("out.csv", (), "metric,value"),
        ("out.md", (), "| metric | value"),
        ("out.tex", (), r"\begin{tabular}"),
        ("out", (), "metric   value"),
        ("out.json", ("--format", "csv"), "metric,value"),
        ("out.json", ("--format", "table"), "metric   value"),
    ],
)
def test_the_ending_says_the_form(steelyard, folder, name, options, start):
    assert steelyard(*BASE, "-m", "mrr", "-o", name, *options).code == 0
    assert (folder / name).read_text("utf-8").startswith(start)


@pytest.mark.parametrize("name", ["out.pdf", "out.parquet", "out.html"])
def test_an_ending_that_names_another_form(steelyard, folder, name):
    done = steelyard(*BASE, "-m", "mrr", "-o", name)
    assert (done.code, done.out) == (2, "")
    assert f"cannot write {name}: its ending does not say in which format" in done.err
    assert {path.name for path in folder.iterdir()} == {"run.csv", "truth.csv"}
    assert steelyard(*BASE, "-m", "mrr", "-o", name, "--format", "json").code == 0


def test_the_rows_per_query_are_said_to_be_written(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "--per-query", "each.csv", "-o", "out.json")
    assert done.err.splitlines() == ["written: each.csv", "written: out.json"]


def test_ids_that_would_be_formulas(steelyard, folder):
    (folder / "risky.csv").write_text("query,item,score\n=1+1,a,1\n")
    (folder / "judged.csv").write_text("query,item,relevance\n=1+1,a,1\n")
    asked = ("evaluate", "risky.csv", "--truth", "judged.csv", "-m", "mrr")
    assert steelyard(*asked, "--per-query", "-").out.splitlines()[1] == "'=1+1,mrr,1.0"
    for name in ("each.csv", "each.jsonl"):
        assert steelyard(*asked, "--per-query", name).code == 0
    assert (folder / "each.csv").read_text().splitlines()[1] == "'=1+1,mrr,1.0"
    assert '"query":"=1+1"' in (folder / "each.jsonl").read_text()


def test_the_language_of_the_readings(steelyard, folder):
    (folder / "log.csv").write_text("clicked,p\n1,0.8\n0,0.2\n1,0.7\n0,0.3\n")
    asked = ("evaluate", "log.csv", "-m", "auc", "-m", "ne", "-m", "calibration")
    assert "→ ranking and calibration are both good (auc" in steelyard(*asked).err
    assert "→ 排序" in steelyard(*asked, "--lang", "zh").err
    assert steelyard(*asked, "--lang", "de").code == 2


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_dash_is_standard_output(steelyard, folder, form):
    shown = steelyard(*BASE, "-m", "mrr", "--format", form)
    assert steelyard(*BASE, "-m", "mrr", "--format", form, "-o", "-") == shown
    assert {path.name for path in folder.iterdir()} == {"run.csv", "truth.csv"}


EACH = ["query,metric,value", "q1,mrr,0.5", "q2,mrr,0.5", "q3,mrr,0.0"]


def test_rows_per_query_on_standard_output(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "--per-query", "-")
    assert done.out.splitlines() == EACH
    assert (
        "  mrr     0.3333  0.0343 – 0.8756        3          0" in done.err.splitlines()
    )  # the table is told beside
    assert "! 1 query has no predictions: counted as" in done.err


def test_rows_per_query_on_standard_output_and_the_result_in_a_file(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "--per-query", "-", "-o", "out.json")
    assert (done.out.splitlines(), done.err) == (EACH, "written: out.json\n")
    assert json.loads((folder / "out.json").read_text())["results"][0]["value"] == MRR


def test_an_output_keeps_its_permissions(steelyard, folder):
    for name in ("out.json", "each.csv"):
        (folder / name).write_text("old")
        (folder / name).chmod(0o600)
    assert steelyard(*BASE, "-m", "mrr", "-o", "out.json", "--per-query", "each.csv").code == 0
    for name in ("out.json", "each.csv"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600
        assert (folder / name).read_text() != "old"


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_per_query_file(steelyard, folder, ending):
    done = steelyard(*BASE, "-m", "mrr", "-m", "recall@1", "--per-query", f"each.{ending}")
    assert done.code == 0
    assert "mrr" in done.out
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}[ending]
    assert read(folder / f"each.{ending}").rows() == [
        ("q1", "mrr", 1 / 2),
        ("q2", "mrr", 1 / 2),
        ("q3", "mrr", 0.0),
        ("q1", "recall@1", 0.0),
        ("q2", "recall@1", 0.0),
        ("q3", "recall@1", 0.0),
    ]


def test_output_and_per_query_together(steelyard, folder):
    done = steelyard(
        *BASE, "-m", "mrr", "--per-query", "each.csv", "--output", "out.json", "--format", "json"
    )
    assert (done.code, done.out, done.err) == (0, "", "written: each.csv\nwritten: out.json\n")
    assert json.loads((folder / "out.json").read_text())["results"][0]["value"] == MRR
    assert (folder / "each.csv").exists()


def test_several_metrics_in_one_option(steelyard, folder):
    done = steelyard(*BASE, "-m", "precision@1,2,4", "--metric", "ndcg@5:gain=exp2", "--format", "json")
    assert list(values(done)) == ["precision@1", "precision@2", "precision@4", "ndcg(gain=exp2)@5"]
    assert values(done)["precision@4"] == pytest.approx((1 / 4 + 1 / 4 + 0) / 3, abs=1e-15)


def test_task(steelyard, folder):
    done = steelyard(*BASE, "--task", "search", "--format", "json")
    assert list(values(done)) == ["mrr@10", "recall@1000", "ndcg@10"]
    done = steelyard(*BASE, "-m", "mrr", "--task", "retrieval", "--format", "json")
    assert list(values(done)) == ["mrr", "recall@100", "hit_rate@100"]


def test_profile(number):
    # trec_eval leaves q3 out
    assert number("-m", "mrr", "--profile", "trec_eval") == (1 / 2 + 1 / 2) / 2


def test_columns(steelyard, folder):
    (folder / "run.csv").write_text("who,what,s,t\nq1,b,1,0\nq2,a,1,0\n")
    columns = ("--columns", "predictions.query=who", "--columns", "item=what", "--columns", "score=s")
    done = steelyard(*BASE, "-m", "mrr", *columns, "--format", "json")
    assert values(done) == {"mrr": pytest.approx((1 + 1 + 0) / 3, abs=1e-15)}


def test_by(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr", "--by", "country", "--by", "device", "--format", "csv")
    rows = [line.split(",") for line in done.out.splitlines()[1:]]
    assert [(row[0], row[1], float(row[3])) for row in rows] == [
        ("(all)", "(all)", MRR),
        ("DE", "phone", 1 / 2),
        ("US", "(none)", 0.0),
        ("US", "tv", 1 / 2),
    ]
    table = steelyard(*BASE, "-m", "mrr", "--by", "country").out.splitlines()
    assert table[1].split() == ["(all)", "mrr", "0.3333", "0.0343", "–", "0.8756", "3", "0"]


def test_exclude(folder, number):
    (folder / "seen.csv").write_text("query,item\nq1,a\nq2,d\n")
    assert number("-m", "mrr", "--exclude", "seen.csv") == pytest.approx((1 + 1 + 0) / 3, abs=1e-15)


def test_weights_from_a_column_and_from_a_table(folder, number):
    weighed = (3 * (1 / 2) + 1 / 2 + 0) / 5
    assert number("-m", "mrr", "--weights", "sessions") == pytest.approx(weighed, abs=1e-15)
    (folder / "sessions").write_text("x")
    (folder / "weights.csv").write_text("query,weight\nq1,3\nq2,1\nq3,1\n")
    assert number("-m", "mrr", "--weights", "weights.csv") == pytest.approx(weighed, abs=1e-15)


@each_row(
    ("ties", "q2"),
    [
        ("item_desc", 1 / 2),
        ("item_asc", 1),
        ("given", 1),
        ("expected", 3 / 4),
        ("optimistic", 1),
        ("pessimistic", 1 / 2),
    ],
)
def test_ties(number, ties, q2):
    assert number("-m", "mrr", "--ties", ties) == pytest.approx((1 / 2 + q2) / 3, abs=1e-15)


@each_row(
    ("options", "value"),
    [
        (("--missing", "skip"), (1 / 2 + 1 / 2) / 2),
        (("--missing", "keep"), MRR),
        (("--unjudged", "drop"), (1 + 1 + 0) / 3),
        (("--depth", "1"), 0.0),
        (("--depth", "none"), MRR),
        (("--order", "given"), (1 / 2 + 1 + 0) / 3),
        (("--undefined", "zero"), MRR),
        (("--unexpected", "keep"), MRR),
        (("--duplicates", "best"), MRR),
        (("--self-match", "drop"), MRR),
        (("--set", "scores=float32"), MRR),
        (("--item-order", "text"), MRR),
        (("--set", "mean=median"), 1 / 2),
        (("--set", "rel=2", "--undefined", "one"), (1 / 2 + 1 + 1) / 3),
        (("--set", "judgements=retrieved"), (1 / 2 + 1 / 2) / 2),
        (("--set", "depth=1", "--set", "empty=zero"), 0.0),
    ],
)
def test_conventions(number, options, value):
    assert number("-m", "mrr", *options) == pytest.approx(value, abs=1e-15)


def test_a_metric_s_text_wins_over_a_flag(steelyard, folder):
    done = steelyard(*BASE, "-m", "mrr(missing=keep)", "-m", "mrr", "--missing", "skip", "--format", "json")
    assert values(done) == {"mrr(missing=keep)": pytest.approx(MRR), "mrr": 1 / 2}


def test_one_labelled_table(steelyard, folder):
    (folder / "log.tsv").write_text("qid\tlabel\tscore\n1\t0\t0.5\n1\t1\t0.5\n")
    done = steelyard("evaluate", "log.tsv", "-m", "mrr", "--format", "json")
    assert values(done) == {"mrr": (1 + 1 / 2) / 2}


def test_globs_are_expanded_here(steelyard, folder):
    (folder / "part1.csv").write_text("query,item,score\nq1,b,1\n")
    (folder / "part2.csv").write_text("query,item,score\nq2,a,1\n")
    done = steelyard("evaluate", "part*.csv", "--truth", "truth.csv", "-m", "mrr", "--format", "json")
    assert values(done) == {"mrr": pytest.approx(2 / 3, abs=1e-15)}


def test_standard_input_on_either_side(steelyard, folder):
    run, truth = (folder / "run.csv").read_bytes(), (folder / "truth.csv").read_bytes()
    options = ("-m", "mrr", "--format", "json")
    assert values(steelyard("evaluate", "-", "--truth", "truth.csv", *options, stdin=run)) == {"mrr": MRR}
    assert values(steelyard("evaluate", "run.csv", "--truth", "-", *options, stdin=truth)) == {"mrr": MRR}


def test_ties_that_change_nothing_are_said_with_verbose_only(steelyard, folder):
    # q2 ties a and d, and both are among the first two
    asked = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "hit_rate@2")
    said = "40.0% of rows are tied with another row of their query; tie order changes no metric by 0.0001 or"
    assert "are tied" not in steelyard(*asked).err
    assert said in steelyard(*asked, "--verbose").err
    notes = json.loads(steelyard(*asked, "--format", "json").out)["notes"]
    assert "ties_change_nothing" in [note["key"] for note in notes]
    compared = steelyard("compare", "a=run.csv", "b=run.csv", *asked[2:])
    assert "are tied" not in compared.err
    assert said in steelyard("compare", "a=run.csv", "b=run.csv", *asked[2:], "--verbose").err


def test_help_names_every_option(steelyard):
    done = steelyard("evaluate", "--help")
    assert done.code == 0
    tables = ["--truth", "--columns", "--scores", "--by", "--exclude", "--weights", "--run-file"]
    metrics = ["-m", "--metric", "--task", "--profile", "--set"]
    align = ["--duplicates", "--missing", "--unexpected", "--unjudged", "--self-match"]
    rank = ["--order", "--ties", "--depth", "--item-order", "--undefined"]
    outputs = ["--format", "-o", "--output", "--per-query"]
    for option in [*tables, *metrics, *align, *rank, *outputs]:
        assert f"{option} " in done.out or f"{option}," in done.out
