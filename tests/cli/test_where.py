"""`--where` and `--storage-option`, and folders as tables of a command."""

from __future__ import annotations

import json

import pytest

import steelyard as sy

WHERE = ("--where", "device = 'phone'")
RULES = ("--truth", "truth.csv", "--min", "mrr=0.4")


def value_of(done, place=0):
    assert done.code == 0, done.err
    return json.loads(done.out)["results"][place]["value"]


@pytest.fixture
def runs(folder):
    """A folder of the run, one KEY=VALUE folder for each query."""
    head, *lines = (folder / "run.csv").read_text().splitlines()
    for query in ("q1", "q2"):
        (folder / "runs" / f"part={query}").mkdir(parents=True)
        rows = [head, *(line for line in lines if line.startswith(query))]
        (folder / "runs" / f"part={query}" / "a.csv").write_text("\n".join(rows))
    return folder


def test_rows_of_a_file(steelyard, folder):
    table = ("--truth", "truth.csv", "-m", "mrr", "--format", "json")
    done = steelyard("evaluate", "run.csv", *table, "--save", "r.steelyard", *WHERE)
    assert json.loads(done.out)["results"][0]["value"] == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert sy.load("r.steelyard").names.predictions == "run.csv (where device = 'phone')"


def test_a_folder(steelyard, runs):
    table = ("--truth", "truth.csv", "-m", "mrr", "--format", "json")
    whole = steelyard("evaluate", "run.csv", *table)
    assert value_of(steelyard("evaluate", "runs", *table)) == value_of(whole)
    one = steelyard("evaluate", "runs", *table, "--where", "part = 'q1'")
    assert value_of(one) == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert json.loads(one.out)["predictions"] == "runs (where part = 'q1')"


def test_two_files_without_an_option(steelyard, runs):
    """The second is the truth of the first, which both are opened to find out."""
    for run, where in (("run.csv", "query = 'q1'"), ("runs", "part = 'q1' and score > '0'")):
        done = steelyard("evaluate", run, "truth.csv", "-m", "mrr", "--format", "json", "--where", where)
        assert value_of(done) == pytest.approx(1 / 2 if run == "run.csv" else 1 / 6)
        assert json.loads(done.out)["predictions"] == f"{run} (where {where})"


def test_an_output_may_not_replace_a_file_of_the_folder(steelyard, runs):
    done = steelyard("evaluate", "runs", "--truth", "truth.csv", "-m", "mrr", "-o", "runs/part=q1/a.csv")
    assert done.code == 2
    assert "it is one of the inputs" in done.err


def test_other_commands(steelyard, folder):
    (folder / "other.csv").write_text((folder / "run.csv").read_text())
    compared = steelyard("compare", "run.csv", "other.csv", "--truth", "truth.csv", "-m", "mrr", *WHERE)
    assert compared.code == 0, compared.err
    assert "0.1667" in compared.out
    checked = steelyard("check", "run.csv", *RULES, *WHERE)
    assert checked.code == 1
    assert "mrr is 0.1667" in checked.out
    part = steelyard("partial", "run.csv", "--truth", "truth.csv", "-m", "mrr", "-o", "one.state", *WHERE)
    assert part.code == 0, part.err
    assert value_of(steelyard("merge", "one.state", "--format", "json")) == pytest.approx(1 / 6)


def test_a_run_file(steelyard, folder):
    lines = ["where = \"device = 'phone'\"", 'storage-option = ["aws_region=eu-west-1"]', 'metric = "mrr"']
    (folder / "run.toml").write_text("\n".join([*lines, 'truth = "truth.csv"']))
    assert value_of(steelyard("evaluate", "run.csv", "--run-file", "run.toml", "--format", "json")) < 0.2


def test_bad_conditions_and_options(steelyard, folder):
    evaluate = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr")
    done = steelyard(*evaluate, "--where", "devise = 'phone'")
    assert done.code == 2
    assert "run.csv has no column 'devise' (named in where); did you mean 'device'?" in done.err
    done = steelyard(*evaluate, "--storage-option", "aws_region")
    assert done.code == 2
    assert "--storage-option" in done.err
