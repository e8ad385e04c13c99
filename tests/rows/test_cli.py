"""Rows on the command line: `steelyard evaluate` with labels inside, or with a truth."""

from __future__ import annotations

import json

import polars as pl
import pytest

import steelyard as sy

from .given import ANIMALS, CHANCES, CLICKS, GUESSES, LOG

FRAME = pl.DataFrame(LOG).with_columns(country=pl.Series(list("ddffdf")), w=pl.Series([2, 1, 1, 3, 1, 0]))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with clicks, animals and two tables in it."""
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("log.csv")
    FRAME.write_parquet("log.parquet")
    pl.DataFrame({"animal": ANIMALS, "guess": GUESSES}).write_csv("animals.csv")
    names = ("p_cat", "p_cow", "p_dog")
    chances = dict(zip(names, zip(*CHANCES, strict=True), strict=True))
    pl.DataFrame({"animal": ANIMALS, **chances}).write_csv("chances.csv")
    rows = FRAME.with_row_index("item")
    rows.select("user_id", "item", "p").write_parquet("said.parquet")
    rows.select("user_id", "item", "clicked").reverse().write_csv("true.csv")
    return tmp_path


def values(done):
    assert done.code == 0, done.err
    return {row["metric"]: row["value"] for row in json.loads(done.out)["results"] if not row["slice"]}


@pytest.mark.parametrize("file", ["log.csv", "log.parquet"])
def test_clicks(steelyard, folder, file):
    asked = [part for name in CLICKS for part in ("-m", name)]
    assert values(steelyard("evaluate", file, *asked, "--format", "json")) == pytest.approx(CLICKS, rel=1e-12)


def test_a_task_of_clicks(steelyard, folder):
    done = steelyard("evaluate", "log.csv", "--task", "ctr", "--ci", "none")
    assert done.code == 0
    header, *rows = (line.split() for line in done.out.splitlines())
    assert header == ["metric", "value", "n", "of", "undefined"]
    assert rows == [
        ["auc", "0.7778", "6", "rows", "0"],
        ["gauc", "0.7000", "2", "groups", "1"],
        ["logloss", f"{CLICKS['logloss']:.4f}", "6", "rows", "0"],
        ["calibration", f"{3.35 / 3:.4f}", "6", "rows", "0"],
    ]
    assert (
        "→ most of the AUC comes from differences between users, not within users "
        "(auc 0.7778 − gauc 0.7000 = 0.0778 > 0.05)." in done.err
    )
    assert "! gauc uses 2 of 3 groups" in done.err


@pytest.mark.parametrize(
    ("task", "metrics"),
    [("classification", ["precision", "recall", "f1", "pr_auc"]), ("rating", ["rmse", "mae"])],
)
def test_other_tasks(steelyard, folder, task, metrics):
    done = steelyard("evaluate", "log.csv", "--task", task, "--format", "json")
    assert list(values(done)) == metrics
    assert values(done)[metrics[-1]] == pytest.approx(CLICKS[metrics[-1]], rel=1e-12)


def test_slices_and_weights(steelyard, folder):
    options = ("--by", "country", "--weights", "w", "--format", "json")
    done = steelyard("evaluate", "log.csv", "-m", "accuracy", *options)
    rows = json.loads(done.out)["results"]
    assert [row["slice"] for row in rows] == [{}, {"country": "d"}, {"country": "f"}]
    # right: 0.8 (2), 0.3 (1), 0.1 (1) in d; 0.85 (1) and 0.4 (3) are wrong in f, 0.9 weighs nothing
    assert [row["value"] for row in rows] == [4 / 8, 4 / 4, 0 / 4]
    assert [row["n"] for row in rows] == [5, 3, 2]
    assert json.loads(done.out)["weights"] == "column 'w'"


def test_two_tables(steelyard, folder):
    done = steelyard(
        "evaluate", "said.parquet", "--truth", "true.csv", "-m", "auc", "-m", "gauc", "--format", "json"
    )
    assert values(done) == pytest.approx({"auc": CLICKS["auc"], "gauc": CLICKS["gauc"]}, rel=1e-12)
    refused = steelyard("evaluate", "said.parquet", "--truth", "true.csv", "-m", "recall")
    assert refused.code == 2
    assert "did you mean recall@100 or recall@all?" in refused.err


def test_predicted_classes(steelyard, folder):
    options = ("--columns", "label=animal", "--columns", "predicted=guess", "--format", "csv", "--ci", "none")
    done = steelyard("evaluate", "animals.csv", "-m", "recall(average=none)", "-m", "accuracy", *options)
    assert [line.partition(',"')[0] for line in done.out.splitlines()] == [
        "metric,class,value,ci_low,ci_high,tie_low,tie_high,n,of,undefined,spec",
        "recall(average=none),cat,1.0,,,,,2,rows,0",
        "recall(average=none),cow,0.0,,,,,1,rows,0",
        "recall(average=none),dog,0.5,,,,,2,rows,0",
        "accuracy,,0.6,,,,,5,rows,0",
    ]


def test_probabilities_and_classes(steelyard, folder):
    columns = ("--columns", "label=animal", "--columns", "probability=p_cat,p_cow,p_dog")
    done = steelyard("evaluate", "chances.csv", "-m", "logloss", *columns, "--format", "json")
    chances = sy.evaluate(CHANCES, ANIMALS, "logloss")
    assert values(done) == {"logloss": pytest.approx(chances["logloss"], rel=1e-12)}
    turned = ("--columns", "label=animal", "--columns", "probability=p_dog,p_cat,p_cow")
    named = steelyard(
        "evaluate", "chances.csv", "-m", "logloss", *turned, "--classes", "dog, cat,cow", "--format", "json"
    )
    assert values(named) == pytest.approx(values(done), rel=1e-12)
    assert "belong to classes" not in named.err


def test_named_classes_of_a_score(steelyard, folder):
    words = pl.when(pl.col("clicked") == 1).then(pl.lit("yes")).otherwise(pl.lit("no"))
    FRAME.with_columns(clicked=words).write_csv("words.csv")
    done = steelyard(
        "evaluate", "words.csv", "-m", "auc", "-m", "f1", "--classes", "no,yes", "--format", "json"
    )
    assert values(done) == pytest.approx({"auc": CLICKS["auc"], "f1": CLICKS["f1"]}, rel=1e-12)


def test_unlabelled_rows(steelyard, folder):
    FRAME.with_columns(clicked=pl.Series([1, None, 0, 1, None, 1])).write_csv("gaps.csv")
    refused = steelyard("evaluate", "gaps.csv", "-m", "auc")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("error: gaps.csv, row 2: label is null, as in 1 further row\n")
    done = steelyard("evaluate", "gaps.csv", "-m", "auc", "--unlabelled", "drop")
    # 0.85 stands above 0.8 and 0.4, below 0.9
    assert done.out.splitlines()[1].split() == ["auc", "0.3333", "–", "4", "0"]
    assert "! 2 rows without a label: left out." in done.err
    assert "a row without a label is left out and counted" in done.err


@pytest.mark.parametrize("metrics", [["auc"], ["ndcg@10", "auc"], ["mrr", "gauc", "f1"]])
def test_standard_input_is_read_once(steelyard, folder, metrics):
    asked = [part for name in metrics for part in ("-m", name)]
    content = (folder / "log.csv").read_bytes()
    piped = steelyard("evaluate", "-", *asked, "--format", "json", stdin=content)
    assert values(piped) == values(steelyard("evaluate", "log.csv", *asked, "--format", "json"))


def test_standard_input_is_one_table(steelyard, folder):
    done = steelyard("evaluate", "-", "--truth", "-", "-m", "auc", stdin=b"user,score\n1,0.5\n")
    assert done.code == 2
    assert done.err == (
        "error: standard input is named for more than one table, and it can be read only once\n"
        "       give the others as files\n"
    )


def test_one_class_only_is_undefined_and_no_error(steelyard, folder):
    FRAME.filter(clicked=1).write_csv("clicks.csv")
    done = steelyard("evaluate", "clicks.csv", "-m", "auc", "-m", "recall")
    assert done.code == 0
    assert [line.split() for line in done.out.splitlines()[1:]] == [
        ["auc", "–", "–", "0", "3"],
        ["recall", "0.6667", "0.0031", "–", "0.9992", "3", "0"],
    ]
    assert "! auc is undefined: only one class is there." in done.err


def test_groups_one_by_one(steelyard, folder):
    done = steelyard("evaluate", "log.csv", "-m", "gauc", "--per-query", "each.csv")
    assert done.code == 0
    assert (folder / "each.csv").read_text() == "query,metric,value\nu1,gauc,0.5\nu2,gauc,1.0\nu3,gauc,\n"
    refused = steelyard("evaluate", "log.csv", "-m", "auc", "--per-query", "rows.csv", "-o", "out.csv")
    assert refused.code == 2
    assert "so there is no value per query" in refused.err
    assert not (folder / "rows.csv").exists()
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.csv is empty"),
        (b"label,score\n", "bad.csv has no rows"),
        (b"label,score\n,\n,\n", "bad.csv has no rows"),
        (b"label,score\n,0.1\n,0.2\n", "no row of bad.csv has a label"),
        (b"label,score\n1,high\n", "bad.csv, row 1: score is 'high', which is not a number"),
        (b"label,score\n1,0.5\n\n0,\n", "bad.csv, row 3: score is missing"),
        (
            b"label;score\n1;0.5\n",
            "bad.csv has no column that could be the label: its columns are 'label;score'",
        ),
    ],
)
def test_odd_files(steelyard, folder, content, message):
    (folder / "bad.csv").write_bytes(content)
    done = steelyard("evaluate", "bad.csv", "-m", "auc", "-o", "out.json")
    assert done.code == 2
    assert done.err.splitlines()[0] == f"error: {message}"
    assert not (folder / "out.json").exists()


def test_a_run_file(steelyard, folder):
    (folder / "run.toml").write_text(
        'predictions = "log.csv"\ntask = "rating"\nby = ["country"]\nunlabelled = "drop"\nweights = "w"\n'
    )
    done = steelyard("evaluate", "--run-file", "run.toml", "--format", "json")
    assert list(values(done)) == ["rmse", "mae"]
    assert {row["spec"]["unlabelled"] for row in json.loads(done.out)["results"]} == {"drop"}
