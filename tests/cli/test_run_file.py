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
ties = "item_asc"
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


def test_a_byte_order_mark(steelyard, folder):
    (folder / "run.toml").write_text("\ufeff" + EVERYTHING, encoding="utf-8")
    assert whole(steelyard("evaluate", "--run-file", "run.toml")) == {"mrr": 1 / 2, "recall@1": 0}


def test_every_kind_of_key(steelyard, folder):
    (folder / "run.toml").write_text(EVERYTHING)
    done = steelyard("evaluate", "--run-file", "run.toml")
    # q1 1/2 (three times), q2 1: the middle is 1/2. recall@1 is 0 and 1.
    assert whole(done) == {"mrr": 1 / 2, "recall@1": 0}
    data = json.loads(done.out)
    assert [row["slice"] for row in data["results"][:3]] == [{}, {"country": "DE"}, {"country": "US"}]
    spec = data["results"][0]["spec"]
    assert (spec["ties"], spec["missing"], spec["depth"], spec["mean"]) == ("item_asc", "skip", 2, "median")
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
    (folder / "run.toml").write_text('task = "rerank"\nformat = "json"\nprofile = "steelyard:2026"\n')
    done = steelyard("evaluate", "run.csv", "--truth", "truth.csv", "--run-file", "run.toml")
    assert list(whole(done)) == ["ndcg@10", "map@10", "mrr@10"]


@pytest.mark.parametrize(
    ("content", "message", "remedy"),
    [
        (
            'metrik = "mrr"\n',
            "run.toml has a key 'metrik' that is no option; did you mean 'metric'?",
            "known: baseline_lists, by, ",
        ),
        ('zzz = "mrr"\n', "run.toml has a key 'zzz' that is no option", "per_query"),
        ("metric = [\n", "cannot read the run file run.toml: ", "a run file is TOML, with the flags as keys"),
        ("metric = " + "[" * 9999, "run.toml: it is nested too deeply", "a run file is TOML"),
        ("depth = " + "1" * 9999, "cannot read the run file run.toml: ", "a run file is TOML"),
        ("metric = 'a\0'\n", "cannot read the run file run.toml: ", "a run file is TOML"),
        ("metric = 'caf\xe9'\n", "cannot read the run file run.toml: ", "a run file is TOML"),
        ('format = "html"\n', "'html' is not one of 'table', 'json', 'csv', 'markdown', 'latex'", "--help"),
        ('ties = "random"\nmetric="mrr"\ntruth="truth.csv"\n', "ties must be one of", ""),
        ('depth = 0\nmetric="mrr"\ntruth="truth.csv"\n', "depth must be a whole number above 0", ""),
        ("predictions = 5\n", "run.toml: predictions must be text or a list of text; got 5", ""),
        ('predictions = ["a.csv", 5]\n', "predictions must be text or a list of text; got 5", ""),
        ("output = 5\n", "run.toml: output must be text; got 5", "correct output in run.toml"),
        ("per-query = true\n", "run.toml: per-query must be text; got True", ""),
        ('format = ["csv"]\n', "run.toml: format must be text; got ['csv']", ""),
        ("metric = 5\n", "run.toml: metric must be text or a list of text; got 5", ""),
        ("ties = false\n", "run.toml: ties must be text or a number; got False", ""),
        ("set = 5\n", "run.toml: set must be a table or a list of text; got 5", ""),
        ("set.rel = [1]\n", "run.toml: set.rel must be text or a number; got [1]", ""),
        (
            "columns.truth.item = 2020-01-01\n",
            "columns.truth.item must be text or a number; got datetime.date(2020, 1, 1)",
            "",
        ),
        ('run-file = "other.toml"\n', "run.toml names a run file itself", "into one file"),
        ('ties="given"\nset.ties="expected"', "ties is set twice in run.toml, to 'given' and to 'exp", ""),
        ('set = ["rel=1", "rel=2"]\n', "rel is set twice in run.toml, to '1' and to '2'", ""),
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


# The tie of q2: given 1, the mean over both orders (1 + 1/2) / 2, by item descending 1/2.
START = 'predictions = "run.csv"\ntruth = "truth.csv"\nmetric = "mrr"\nformat = "json"\n'
GIVEN, EXPECTED = (1 / 2 + 1 + 0) / 3, (1 / 2 + 3 / 4 + 0) / 3


@pytest.mark.parametrize(
    "in_file", ['ties = "expected"\n', '[set]\nties = "expected"\n', 'set = ["ties=expected"]\n']
)
@pytest.mark.parametrize(
    ("options", "value"),
    [((), EXPECTED), (("--ties", "given"), GIVEN), (("--set", "ties=given"), GIVEN)],
)
def test_the_command_line_wins_however_either_states_it(steelyard, folder, in_file, options, value):
    (folder / "run.toml").write_text(START + in_file)
    done = steelyard("evaluate", "--run-file", "run.toml", *options)
    assert whole(done) == {"mrr": pytest.approx(value, abs=1e-15)}


def test_settings_on_the_command_line_leave_the_others_of_the_file(steelyard, folder):
    (folder / "run.toml").write_text(START + '[set]\nrel = 2\nundefined = "one"\n')
    # with rel=2 only b of q1 is relevant, at rank 2; q2 and q3 are undefined
    done = steelyard("evaluate", "--run-file", "run.toml")
    assert whole(done) == {"mrr": pytest.approx((1 / 2 + 1 + 1) / 3, abs=1e-15)}
    done = steelyard("evaluate", "--run-file", "run.toml", "--set", "undefined=zero")
    assert whole(done) == {"mrr": pytest.approx((1 / 2 + 0 + 0) / 3, abs=1e-15)}


def test_columns_on_the_command_line_leave_the_others_of_the_file(steelyard, folder):
    (folder / "run.csv").write_text("who,what,points,other\nq1,b,2,1\nq1,a,1,2\n")
    columns = '[columns]\nscore = "points"\npredictions.query = "who"\npredictions.item = "what"\n'
    (folder / "run.toml").write_text(START + columns)
    assert whole(steelyard("evaluate", "--run-file", "run.toml")) == {"mrr": pytest.approx(1 / 3, abs=1e-15)}
    done = steelyard("evaluate", "--run-file", "run.toml", "--columns", "score=other")  # b is second
    assert whole(done) == {"mrr": pytest.approx(1 / 6, abs=1e-15)}


@pytest.mark.parametrize(
    "columns",
    ['columns.truth.query = "user"', '[columns.truth]\nquery = "user"', 'columns = ["truth.query=user"]'],
)
def test_columns_of_one_table(steelyard, folder, columns):
    (folder / "truth.csv").write_text("user,query,item,relevance\nq1,x,b,1\nq2,x,a,1\n")
    (folder / "run.toml").write_text(START + 'ties = "given"\n' + columns)
    assert whole(steelyard("evaluate", "--run-file", "run.toml")) == {"mrr": (1 / 2 + 1) / 2}


def test_several_files_that_are_one_table(steelyard, folder):
    (folder / "one.csv").write_text("query,item,score\nq1,b,1\n")
    (folder / "two.csv").write_text("query,item,score\nq2,a,1\n")
    (folder / "run.toml").write_text(START.replace('"run.csv"', '["one.csv", "two.csv"]'))
    done = steelyard("evaluate", "--run-file", "run.toml")
    assert whole(done) == {"mrr": pytest.approx((1 + 1 + 0) / 3, abs=1e-15)}
    assert steelyard("evaluate", "--run-file", "run.toml", "-o", "two.csv").err == (
        "error: cannot write two.csv: it is one of the inputs\n       name another file\n"
    )
    done = steelyard("evaluate", "run.csv", "--run-file", "run.toml")
    assert json.loads(done.out)["predictions"] == "run.csv"


def test_a_run_file_is_not_written_over(steelyard, folder):
    (folder / "run.toml").write_text(START)
    done = steelyard("evaluate", "--run-file", "run.toml", "-o", "run.toml")
    assert done.err == "error: cannot write run.toml: it is one of the inputs\n       name another file\n"
    assert (folder / "run.toml").read_text() == START


def test_paths_are_relative_to_the_current_folder(steelyard, folder):
    (folder / "far").mkdir()
    (folder / "far" / "run.toml").write_text(START)
    done = steelyard("evaluate", "--run-file", "far/run.toml")
    assert whole(done) == {"mrr": pytest.approx(1 / 3, abs=1e-15)}
    assert "relative to the current" in " ".join(steelyard("evaluate", "--help").out.split())
