"""`--run-file`: the options as TOML keys; flags win."""

from __future__ import annotations

import json

import pytest

# run.csv and truth.csv are those of test_evaluate: reciprocal ranks 1/2, 1/2 (a tie) and 0 (not answered).
EVERYTHING = """\
predictions = "run.csv"
truth = "truth.csv"
metric = ["mrr", "recall@1"]
missing = "skip"
ties = "expected"
depth = 2
by = "country"
weights = "sessions"
format = "json"
per-query = "each.csv"

[columns]
query = "query"
"predictions.item" = "item"

[set]
mean = "median"
"""


def whole(done) -> dict[str, float]:
    assert done.code == 0, done.err
    return {row["metric"]: row["value"] for row in json.loads(done.out)["results"] if not row["slice"]}


def test_every_kind_of_key(steelyard, folder):
    (folder / "run.toml").write_text(EVERYTHING)
    done = steelyard("evaluate", "--run-file", "run.toml")
    # q1 1/2 (three times), q2 3/4: the middle is 1/2. recall@1 is 0 and 1/2.
    assert whole(done) == {"mrr": 1 / 2, "recall@1": 0}
    data = json.loads(done.out)
    assert [row["slice"] for row in data["results"][:3]] == [{}, {"country": "DE"}, {"country": "US"}]
    spec = data["results"][0]["spec"]
    assert (spec["ties"], spec["missing"], spec["depth"], spec["mean"]) == ("expected", "skip", 2, "median")
    assert (folder / "each.csv").read_text().count("\n") == 1 + 2 * 2


def test_flags_win(steelyard, folder):
    (folder / "run.toml").write_text(EVERYTHING)
    done = steelyard(
        "evaluate", "--missing", "keep", "--run-file", "run.toml", "--ties", "item_desc", "-m", "map",
        "--set", "mean=arithmetic", "--format", "csv", "--per-query", "other.csv", "--by", "device",
    )  # fmt: skip
    lines = done.out.splitlines()
    assert lines[0].startswith("device,metric")
    # map of q1 is (1/2) / 2, three times; of q2 1/2; of q3 0
    assert float(lines[1].split(",")[2]) == pytest.approx((3 * (1 / 2 / 2) + 1 / 2 + 0) / 5, abs=1e-15)
    assert {line.split(",")[1] for line in lines[1:]} == {"map"}
    assert not (folder / "each.csv").exists()
    assert (folder / "other.csv").exists()


def test_one_metric_or_a_task_as_text(steelyard, folder):
    (folder / "run.toml").write_text('metric = "mrr"\nformat = "json"\ntruth = "truth.csv"\n')
    assert list(whole(steelyard("evaluate", "run.csv", "--run-file", "run.toml"))) == ["mrr"]
    (folder / "run.toml").write_text('task = "rerank"\nformat = "json"\nprofile = "house:2026"\n')
    done = steelyard("evaluate", "run.csv", "--truth", "truth.csv", "--run-file", "run.toml")
    assert list(whole(done)) == ["ndcg@10", "map@10", "mrr@10"]


@pytest.mark.parametrize(
    ("content", "message", "remedy"),
    [
        (
            'metrik = "mrr"\n',
            "run.toml has a key 'metrik' that is no option; did you mean 'metric'?",
            "known: by, ",
        ),
        ('zzz = "mrr"\n', "run.toml has a key 'zzz' that is no option", "per_query"),
        ("metric = [\n", "cannot read the run file run.toml: ", "a run file is TOML, with the flags as keys"),
        ("metric = 'caf\xe9'\n", "cannot read the run file run.toml: ", "a run file is TOML"),
        ('format = "html"\n', "'html' is not one of 'table', 'json', 'csv', 'markdown', 'latex'", "--help"),
        ('ties = "random"\nmetric="mrr"\ntruth="truth.csv"\n', "ties must be one of", ""),
        ('depth = 0\nmetric="mrr"\ntruth="truth.csv"\n', "depth must be a whole number above 0", ""),
        ('metric = "mrr"\ntruth = "no.csv"\n', "no.csv does not exist", ""),
    ],
)
def test_what_cannot_be_read(steelyard, folder, content, message, remedy):
    (folder / "run.toml").write_bytes(content.encode("latin-1"))
    done = steelyard("evaluate", "run.csv", "--run-file", "run.toml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert message in done.err
    assert remedy in done.err
    assert "Traceback" not in done.err


def test_a_run_file_that_is_not_there(steelyard, folder):
    done = steelyard("evaluate", "run.csv", "--run-file", "none.toml")
    assert done.code == 2
    assert done.err.startswith("error: cannot read the run file none.toml: No such file or directory\n")
