"""`steelyard merge`: the parts that `steelyard partial` wrote, as one result."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

METRICS = ("-m", "auc", "-m", "gauc", "-m", "logloss", "--by", "country")
NAMES = {"predictions", "truth"}
TREC = {"q1": "d1 d2 d3", "q2": "d2 d1 d4", "q3": "d4 d3 d1"}
JUDGED = {"q1": "d2", "q2": "d4", "q3": "d4"}


@pytest.fixture(scope="module")
def log():
    random = np.random.default_rng(7)
    n = 600
    users = random.integers(0, 40, n)
    return pl.DataFrame(
        {
            "user_id": users,
            "label": random.integers(0, 2, n),
            "score": random.random(n),
            "country": np.array(["DE", "JP", "US"])[users % 3],
        }
    )


@pytest.fixture
def parts(log, steelyard, tmp_path, monkeypatch):
    """The current folder, with a log and with its three parts."""
    monkeypatch.chdir(tmp_path)
    log.write_parquet("all.parquet")
    for n in range(3):
        log.filter(pl.col("user_id") // 15 == n).write_parquet(f"{n}.parquet")
        assert steelyard("partial", f"{n}.parquet", *METRICS, "-o", f"{n}.state").code == 0
    return tmp_path


STATES = ("0.state", "1.state", "2.state")


def same(one, other):
    """Whether two JSON values agree, sums to their last digits and everything else exactly."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return math.isclose(one, other, rel_tol=1e-9) if isinstance(one, float) else one == other


def assert_same(merged, whole):
    """The JSON of both commands, but for the names of the files."""
    (one, other) = (json.loads(done.out) for done in (merged, whole))
    for key in NAMES & one.keys():
        names = one.pop(key), other.pop(key)
        assert names[0] != names[1] or names == (None, None)
    assert same(one, other)


def test_the_json_of_an_evaluation(steelyard, parts):
    whole = steelyard("evaluate", "all.parquet", *METRICS, "--format", "json")
    assert_same(steelyard("merge", *STATES, "--format", "json"), whole)
    assert_same(steelyard("merge", *reversed(STATES), "--format", "json"), whole)


def test_the_table_of_an_evaluation(steelyard, parts):
    whole, merged = steelyard("evaluate", "all.parquet", *METRICS), steelyard("merge", *STATES)
    assert merged.code == 0
    assert merged.out == whole.out
    assert merged.err.splitlines()[1:] == whole.err.splitlines()[1:]
    assert merged.err.startswith(f"steelyard {sy.__version__} · 0.parquet … 2.parquet\n")


@each_row(
    "options", [("--wide",), ("--wide", "--least", "200"), ("--format", "markdown"), ("--format", "latex")]
)
def test_other_tables(steelyard, parts, options):
    whole = steelyard("evaluate", "all.parquet", *METRICS, *options)
    assert steelyard("merge", *STATES, *options).out == whole.out


def test_lists_in_csv(steelyard, folder):
    """run.csv and truth.csv are split by query."""
    both = {name: (folder / name).read_text().splitlines() for name in ("run.csv", "truth.csv")}
    for at, queries in enumerate([("q1",), ("q2", "q3")]):
        for name, (header, *lines) in both.items():
            (folder / f"{at}-{name}").write_text(
                "\n".join([header, *(one for one in lines if one.startswith(queries))])
            )
        options = ("--truth", f"{at}-truth.csv", "-m", "mrr", "-m", "ndcg@2", "--by", "country")
        assert steelyard("partial", f"{at}-run.csv", *options, "-o", f"{at}.state").code == 0
    options = ("-m", "mrr", "-m", "ndcg@2", "--by", "country", "--format", "json")
    whole = steelyard("evaluate", "run.csv", "truth.csv", *options)
    assert_same(steelyard("merge", "0.state", "1.state", "--format", "json"), whole)


@pytest.fixture
def trec(steelyard, tmp_path, monkeypatch):
    """A TREC run with a part for each query."""
    monkeypatch.chdir(tmp_path)
    whole = {"run": "", "qrels.txt": ""}
    for query, items in TREC.items():
        lines = {
            "run": "".join(f"{query} Q0 {item} 1 {-at} me\n" for at, item in enumerate(items.split())),
            "qrels.txt": f"{query} 0 {JUDGED[query]} 1\n",
        }
        for name, text in lines.items():
            (tmp_path / f"{query}.{name}").write_text(text)
            whole[name] += text
        done = steelyard("partial", f"{query}.run", f"{query}.qrels.txt", "-m", "mrr", "-o", f"{query}.state")
        assert done.code == 0
    (tmp_path / "all.run").write_text(whole["run"])
    (tmp_path / "all.qrels.txt").write_text(whole["qrels.txt"])
    return tmp_path


def test_lists_of_trec(steelyard, trec):
    whole = steelyard("evaluate", "all.run", "all.qrels.txt", "-m", "mrr", "--format", "json")
    merged = steelyard("merge", "*.state", "--format", "json")
    assert_same(merged, whole)
    assert json.loads(merged.out)["results"][0]["value"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)


def test_every_output(steelyard, trec):
    files = (
        "-o",
        "table.json",
        "--per-query",
        "queries.csv",
        "--save",
        "all.steelyard",
        "--report",
        "page.html",
    )
    done = steelyard("merge", "*.state", *files, "--chart", "per_query=chart.json")
    assert (done.code, done.out) == (0, "")
    written = ["all.steelyard", "queries.csv", "table.json", "page.html", "chart.json"]
    assert [line for line in done.err.splitlines() if "written" in line] == [
        f"written: {one}" for one in written
    ]
    assert (
        sy.load("all.steelyard")["mrr"]
        == json.loads((trec / "table.json").read_text())["results"][0]["value"]
    )
    assert pl.read_csv("queries.csv")["value"].to_list() == pytest.approx([1 / 2, 1 / 3, 1])
    assert steelyard("merge", "*.state", "--per-query", "-").out == (trec / "queries.csv").read_text()


def test_one_part(steelyard, trec):
    assert steelyard("merge", "q3.state", "--format", "csv").out.splitlines()[1].startswith("mrr,1.0,")


def test_a_run_file(steelyard, trec):
    (trec / "merge.toml").write_text('parts = ["q1.state", "q2.state"]\nformat = "csv"\nlang = "zh"\n')
    assert steelyard("merge", "--run-file", "merge.toml").out.splitlines()[1].startswith("mrr,0.4166")
    assert (
        steelyard("merge", "q3.state", "--run-file", "merge.toml").out.splitlines()[1].startswith("mrr,1.0,")
    )
    (trec / "merge.toml").write_text('parts = {a = "q1.state"}\n')
    assert (
        "merge.toml: parts must be text or a list of text"
        in steelyard("merge", "--run-file", "merge.toml").err
    )


def test_a_pipe(trec):
    """A part that one process writes to standard output and another reads from standard input."""
    name = [sys.executable, "-m", "steelyard"]
    command = [*name, "partial", "q1.run", "q1.qrels.txt", "-m", "mrr", "-o", "/dev/stdout"]
    part = subprocess.run(command, capture_output=True, check=True).stdout
    command = [*name, "merge", "-", "q3.state", "--format", "json"]
    done = subprocess.run(command, input=part, capture_output=True, check=True)
    assert json.loads(done.stdout)["results"][0]["value"] == pytest.approx((1 / 2 + 1) / 2)
    assert done.stderr == b""


@each_row("whole", ["units", "rows"])
def test_parts_of_a_tolerance(steelyard, parts, whole):
    for n in range(3):
        options = ("-m", "auc", "--ci", "none", "--tolerance", "1e-3", "--whole", whole, "-o", f"{n}.state")
        assert steelyard("partial", f"{n}.parquet", *options).code == 0
    exact = steelyard("evaluate", "all.parquet", "-m", "auc", "--format", "json")
    done = steelyard("merge", *STATES, "--format", "json")
    (one,), (other,) = (json.loads(one.out)["results"] for one in (done, exact))
    assert one["value"] == pytest.approx(other["value"], abs=1e-3)
    assert "auc is exact to within" in done.out


def test_parts_of_two_passes(steelyard, parts):
    for n in range(3):
        done = steelyard("partial", f"{n}.parquet", "-m", "auc", "--ci", "none", "-o", f"{n}.first")
        assert done.code == 0
    for n in range(3):
        done = steelyard("partial", f"{n}.parquet", "-m", "auc", "--totals", "*.first", "-o", f"{n}.state")
        assert done.code == 0
    whole = steelyard("evaluate", "all.parquet", "-m", "auc", "--format", "json")
    assert_same(steelyard("merge", *STATES, "--totals", "*.first", "--format", "json"), whole)
    done = steelyard("merge", *STATES)
    assert (done.code, done.out) == (2, "")
    assert "auc needs the parts of its first pass" in done.err


@each_row(
    ("arguments", "message"),
    [
        ((), "name the parts"),
        (("",), "name the parts"),
        (("day-*.state",), "no file matches day-*.state"),
        (("0.state", "no.state"), "no.state does not exist"),
        (("0.state", "."), ". is a folder, not a file\n       name the files in it: './*.state'"),
        (("0.state", "0.parquet"), "0.parquet is not a complete file that Steelyard saved"),
        (("0.state", "saved.steelyard"), "saved.steelyard holds a result, not a partial result"),
        (("half.state", "1.state"), "half.state was cut short or changed after it was saved"),
        (("short.state",), "short.state is not a complete file that Steelyard saved"),
        (("empty.state",), "empty.state is empty"),
        (("0.state", "-o", "0.state"), "cannot write 0.state: it is one of the inputs"),
        (("0.state", "-o", "a.xyz"), "cannot write a.xyz: its ending does not say in which format"),
        (("0.state", "--chart", "forest=a.svg"), "the chart 'forest' shows two results"),
        (("0.state", "--chart", "slices(mrr)=a.svg"), "this result has no 'mrr'"),
        (("0.state", "--least", "2"), "a minimum size applies to the wide table only"),
        (("0.state", "-m", "auc"), "No such option '-m'"),
    ],
)
def test_what_is_refused_writes_nothing(steelyard, parts, arguments, message):
    data = (parts / "0.state").read_bytes()
    (parts / "half.state").write_bytes(data[: len(data) // 2])
    (parts / "short.state").write_bytes(data[:20])
    (parts / "empty.state").write_bytes(b"")
    sy.evaluate("0.parquet", metrics="auc").save("saved.steelyard")
    before = {path: path.read_bytes() for path in parts.iterdir()}
    outputs = [] if "-o" in arguments else ["-o", "out.json", "--save", "out.steelyard"]
    done = steelyard("merge", *arguments, *outputs)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert {path: path.read_bytes() for path in parts.iterdir()} == before


@each_row(
    ("options", "parts_named", "message"),
    [
        (("-m", "auc"), "0.state and x.state", "parts differ in"),
        ((*METRICS, "--ci", "none"), "0.state and x.state", "parts differ in ci: auto and none"),
        (METRICS, "1.state and x.state", "is in two parts"),
    ],
)
def test_two_parts_that_do_not_fit_are_named(steelyard, parts, options, parts_named, message):
    assert steelyard("partial", "1.parquet", *options, "-o", "x.state").code == 0
    done = steelyard("merge", *STATES, "x.state")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {parts_named}: ")
    assert message in done.err.splitlines()[0]


def test_a_part_given_twice(steelyard, parts):
    done = steelyard("merge", *STATES, "1.state")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: 1.state and 1.state: the part of ")
    assert "is given twice\n" in done.err
