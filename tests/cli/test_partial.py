"""`steelyard partial`: one part of the data in one file."""

from __future__ import annotations

import json

import polars as pl
import pytest

from steelyard.api.partial import Partial

from ..tables import each_row

CLICKS = {
    "user": ["u", "u", "v", "v"],
    "label": [1, 0, 1, 0],
    "p": [0.8, 0.3, 0.4, 0.6],
    "old": [0.9, 0.1, 0.2, 0.3],
}
ROWS = ("partial", "clicks.parquet", "-m", "auc", "--scores", "p")
LISTS = ("partial", "run.csv", "--truth", "truth.csv", "-m", "mrr")
INPUTS = {"run.csv", "truth.csv", "clicks.parquet"}


@pytest.fixture
def part(folder):
    pl.DataFrame(CLICKS).write_parquet(folder / "clicks.parquet")
    return folder


def written(folder):
    return {path.name for path in folder.iterdir()} - INPUTS


def of_file(path):
    return Partial.of_bytes(path.read_bytes())


@each_row(
    ("command", "held"),
    [
        (LISTS, "3 queries"),
        (ROWS, "4 rows"),
        (("partial", "clicks.parquet", "-m", "rmse", "--scores", "p"), "4 rows"),
        ((*LISTS, "-m", "coverage@1", "--catalog", "truth.csv"), "3 queries"),
    ],
)
def test_one_line_says_what_was_written(steelyard, part, command, held):
    done = steelyard(*command, "-o", "a.state")
    size = (part / "a.state").stat().st_size
    assert (done.code, done.out, done.err) == (0, "", f"written: a.state ({held}, {size:,} bytes)\n")
    assert written(part) == {"a.state"}


def test_the_line_in_chinese(steelyard, part):
    done = steelyard(*ROWS, "-o", "a.state", "--lang", "zh")
    assert done.err.startswith("已写入：a.state（4 行，")


def test_every_option_of_an_evaluation(steelyard, part):
    options = (
        "--by",
        "country",
        "--weights",
        "sessions",
        "--ties",
        "item_asc",
        "--set",
        "mean=median",
        "--ci",
        "none",
    )
    assert steelyard(*LISTS, *options, "-o", "a.state").code == 0
    result, options = of_file(part / "a.state").result(), (*options, "--format", "json")
    whole = steelyard("evaluate", *LISTS[1:], *options)
    assert json.loads(result.to_json()) == json.loads(whole.out)


def test_the_second_of_two_files_is_the_truth(steelyard, part):
    assert steelyard("partial", "run.csv", "truth.csv", "-m", "mrr", "-o", "a.state").code == 0
    assert of_file(part / "a.state").result()["mrr"] == pytest.approx(1 / 3)


def test_files_that_are_one_table(steelyard, part):
    pl.DataFrame(CLICKS).write_parquet(part / "more.parquet")
    done = steelyard("partial", "*.parquet", *ROWS[2:], "-o", "a.state")
    assert done.err.startswith("written: a.state (8 rows, ")


def test_a_task(steelyard, part):
    assert steelyard(*LISTS[:4], "--task", "ranking", "-o", "a.state").code == 0
    assert list(of_file(part / "a.state").result()) == ["ndcg@10", "map@10", "precision@10"]


def test_a_note_on_a_task_is_in_the_result(steelyard, part):
    assert steelyard(*LISTS[:4], "--task", "recommendation", "-o", "a.state").code == 0
    whole = steelyard("evaluate", *LISTS[1:4], "--task", "recommendation", "--format", "json")
    notes = json.loads(whole.out)["notes"]
    assert notes == json.loads(of_file(part / "a.state").result().to_json())["notes"]
    assert "task 'recommendation' skips" in str(notes)


def test_standard_input(steelyard, part):
    done = steelyard("partial", "-", *LISTS[2:], "-o", "a.state", stdin=(part / "run.csv").read_bytes())
    assert done.code == 0
    assert of_file(part / "a.state").result().names.predictions == "standard input"


def test_a_run_file(steelyard, part):
    (part / "run.toml").write_text(
        'predictions = "clicks.parquet"\nmetric = "auc"\nscores = "p"\nwhole = "rows"\n'
        'ci = "none"\ntolerance = 0.001\noutput = "a.state"\n'
    )
    assert steelyard("partial", "--run-file", "run.toml").code == 0
    states = of_file(part / "a.state").states
    assert (states.whole, states.tolerance) == ("rows", 0.001)


def test_a_file_that_is_there_is_replaced(steelyard, part):
    (part / "a.state").write_text("old")
    assert steelyard(*ROWS, "-o", "a.state").code == 0
    assert of_file(part / "a.state").result()["auc"] == 3 / 4


@each_row(
    ("command", "message"),
    [
        (ROWS, "name the file of the part: -o part.state"),
        ((*ROWS, "-o", "-"), "name the file of the part: -o part.state"),
        ((*ROWS, "-o", ""), "-o names no file: it is empty"),
        ((*ROWS, "-o", "."), ". is a folder"),
        ((*ROWS, "-o", "no/a.state"), "cannot write no/a.state: there is no folder no"),
        ((*ROWS, "-o", "clicks.parquet"), "cannot write clicks.parquet: it is one of the inputs"),
        (("partial", "-m", "auc", "-o", "a.state"), "name the predictions"),
        (("partial", "clicks.parquet", "-o", "a.state"), "no metric was given"),
        (("partial", "no.csv", "-m", "auc", "-o", "a.state"), "no.csv does not exist"),
        ((*ROWS, "--whole", "days", "-o", "a.state"), "'days' is not one of 'units', 'rows'"),
        ((*LISTS, "--whole", "rows", "-o", "a.state"), "mrr needs whole lists"),
        ((*ROWS, "--tolerance", "much", "-o", "a.state"), "tolerance must be a number between 0 and 1"),
        ((*ROWS, "--tolerance", "7", "-o", "a.state"), "tolerance must be a number between 0 and 1"),
        ((*ROWS, "--totals", "run.csv", "-o", "a.state"), "run.csv is not a complete file"),
        ((*ROWS, "--format", "json", "-o", "a.state"), "No such option '--format'"),
    ],
)  # fmt: skip
def test_what_is_refused_writes_nothing(steelyard, part, command, message):
    done = steelyard(*command)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not written(part)


@each_row(
    "command",
    [
        ("partial", "run.csv", "b=run.csv", "--truth", "truth.csv", "-m", "mrr"),
        ("partial", "run.csv", "clicks.parquet", "--truth", "truth.csv", "-m", "mrr"),
        ("partial", "clicks.parquet", "-m", "auc", "--scores", "p,old"),
        ("partial", "clicks.parquet", "-m", "auc", "--columns", "score=p,old"),
    ],
)
def test_several_systems_are_refused(steelyard, part, command):
    done = steelyard(*command, "-o", "a.state")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: a part holds one system; got 2\n"
        "       give one run and one score column; to read several files as one table, quote their pattern\n"
    )
    assert not written(part)
