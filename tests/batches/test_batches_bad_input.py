"""What cannot be read in parts is refused with the sentence in memory, which names the file and the row."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.api import batches as api
from steelyard.engine import partial_units, slices
from steelyard.engine.batches import Split

from ..tables import each_row
from .in_parts import counted, memory_of

USER = {"columns": {"query": "user"}}
BAD = 33  # the row that is changed: row 14 of the second of three files
OF_ROWS = [["logloss"], ["auc"], ["gauc"], ["auc", "gauc", "logloss"]]


def clicks():
    random = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "user": [f"u{number % 7}" for number in range(60)],
            "item": [f"i{number}" for number in range(60)],
            "label": random.integers(0, 2, 60),
            "score": np.round(random.random(60), 3),
            "w": 1.0,
        }
    )


def changed(frame, column, value, row=BAD):
    values = frame[column].to_list()
    values[row] = value
    return frame.with_columns(pl.Series(column, values, frame[column].dtype, strict=False))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(frame, name="log", n=3):
    """A table as several files."""
    size = -(-frame.height // n)
    for number in range(n):
        frame[number * size : (number + 1) * size].write_parquet(f"{name}{number}.parquet")
    return f"{name}*.parquet"


def refusal(*arguments, **options):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(*arguments, **options)
    return caught.value


def same_refusal(*arguments, rows=4, **options):
    """The sentence that refuses tables in parts, the same as in memory."""
    right = refusal(*arguments, **options)
    with patch.object(api, "run_in_parts", wraps=api.run_in_parts) as called:
        found = refusal(*arguments, memory=memory_of(rows), **options)
    assert called.called
    assert (type(found), found.sentence, found.remedy) == (type(right), right.sentence, right.remedy)
    return found.sentence


# --------------------------------------------------------------------------------- one bad row


@pytest.mark.parametrize("metrics", OF_ROWS, ids="-".join)
@each_row(
    ("column", "value", "said"),
    [
        ("label", None, "label is null"),
        ("label", 3, "label is 3, and labels must be 0 and 1; found 0, 1 and 3"),
        ("score", float("nan"), "score is 'nan'"),
    ],
)
def test_a_bad_value_of_rows(folder, metrics, column, value, said):
    table = save(changed(clicks(), column, value))
    assert same_refusal(table, metrics=metrics, **USER) == f"log1.parquet, row 14: {said}"


@pytest.mark.parametrize("metrics", [["logloss"], ["gauc", "logloss"]], ids="-".join)
def test_a_probability_above_one(folder, metrics):
    table = save(changed(clicks(), "score", 1.5))
    error = refusal(table, metrics=metrics, memory=memory_of(4), **USER)
    assert error.sentence.startswith(
        "log1.parquet, row 14: score is 1.5, and logloss needs probabilities in "
    )


@each_row(("value", "said"), [(-1.0, "is -1"), (None, "is null"), (float("inf"), "is inf")])
def test_a_bad_weight(folder, value, said):
    table = save(changed(clicks(), "w", value))
    for metrics in OF_ROWS:
        found = same_refusal(table, metrics=metrics, weights="w", **USER)
        assert found == f"log1.parquet, row 14: weight (column 'w') {said}"


def test_a_row_without_a_user(folder):
    table = save(changed(clicks(), "user", None))
    found = same_refusal(table, metrics=["auc", "gauc"], **USER)
    assert found == "log1.parquet, row 14: query (column 'user') is missing"


def two_tables(metric, predictions, truth):
    """Predictions in three files, and a truth for rankings or for rows."""
    run = save(predictions.select("item", "score", query="user"), "run")
    label = "relevance" if metric == "mrr" else "label"
    truth.select("item", pl.col("label").alias(label), query="user").write_parquet("truth.parquet")
    return run, "truth.parquet"


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("metric", ["mrr", "auc"])
@each_row(
    ("role", "column", "value", "said"),
    [
        ("run", "score", float("nan"), "score is 'nan'"),
        ("run", "item", None, "item is missing"),
        ("run", "user", None, "query is missing"),
        ("truth", "label", None, r"\w+ is (null|missing)"),
        ("truth", "item", None, "item is missing"),
    ],
)
def test_a_bad_value_of_two_tables(folder, metric, together, role, column, value, said):
    """``together`` says that the rows of a query stand together, so that parts end between queries."""
    good = clicks()
    bad = changed(good, column, value)
    run, truth = (bad, good) if role == "run" else (good, bad)
    run = run.sort("user", maintain_order=True) if together else run
    found = same_refusal(*two_tables(metric, run, truth), metrics=metric, rows=12)
    row = run.with_row_index("row").filter(
        pl.col(column).is_null() | pl.col(column).cast(pl.String).eq("NaN")
    )
    place = row["row"][0] if role == "run" else BAD
    name = (
        f"run{place // 20}.parquet, row {place % 20 + 1}"
        if role == "run"
        else f"truth.parquet, row {BAD + 1}"
    )
    assert found.startswith(f"{name}: ")
    assert re.fullmatch(said, found.removeprefix(f"{name}: "))


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("role", ["run", "truth"])
@pytest.mark.parametrize("metric", ["mrr", "auc"])
def test_a_pair_twice(folder, metric, role, together):
    good = clicks()
    bad = pl.concat([good, good[BAD : BAD + 1]])
    run, truth = (bad, good) if role == "run" else (good, bad)
    run = run.sort("user", maintain_order=True) if together else run
    found = same_refusal(*two_tables(metric, run, truth), metrics=metric, rows=12)
    assert "first u5 · i33 (" in found
    if role == "truth":
        assert "(truth.parquet, row 34 and truth.parquet, row 61)" in found
    elif not together:
        assert "(run1.parquet, row 13 and run2.parquet, row 19)" in found


# --------------------------------------------------------------------------------- files


def test_a_file_with_a_corrupt_page(folder):
    table = save(clicks())
    pl.concat([clicks()] * 20).write_parquet("log1.parquet", compression="snappy", row_group_size=100)
    data = bytearray(Path("log1.parquet").read_bytes())
    data[600:760] = bytes(byte ^ 0xFF for byte in data[600:760])
    Path("log1.parquet").write_bytes(data)
    for metrics in (["auc"], ["gauc"]):
        for memory in (None, memory_of(4)):
            sentence = refusal(table, metrics=metrics, memory=memory, **USER).sentence
            assert sentence.startswith("log1.parquet is not a valid parquet file: ")


@each_row(
    ("damage", "said"),
    [
        (
            lambda data: data[: len(data) // 2],
            "log1.parquet is not a valid parquet file: it does not end like",
        ),
        (lambda _: b"", "log1.parquet is empty"),
        (lambda _: b"text", "log1.parquet is not a valid parquet file: "),
    ],
)
def test_a_damaged_file(folder, damage, said):
    table = save(clicks())
    file = Path("log1.parquet")
    file.write_bytes(damage(file.read_bytes()))
    for metrics in (["auc"], ["gauc"]):
        assert same_refusal(table, metrics=metrics, **USER).startswith(said)


TOGETHER = "log0.parquet and log1.parquet do not fit together: "


@each_row(
    ("change", "said"),
    [
        (
            pl.col("label").cast(pl.String),
            f"{TOGETHER}'label' is int64 in the first and text in the second",
        ),
        (
            pl.col("user").hash(),
            f"{TOGETHER}'query' is text in the first and uint64 in the second",
        ),
        (
            pl.col("score").alias("points"),
            "log1.parquet has no column that could be the score: its columns are ",
        ),
    ],
)
def test_files_of_different_columns(folder, change, said):
    table = save(clicks())
    other = pl.read_parquet("log1.parquet").with_columns(change)
    other = other.drop("score") if "points" in other.columns else other
    other.write_parquet("log1.parquet")
    assert same_refusal(table, metrics=["auc", "gauc"], **USER).startswith(said)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_empty_file_among_others(folder, at):
    table = save(clicks())
    clicks().clear().write_parquet(f"log{at}.parquet")
    for metrics in OF_ROWS:
        right = sy.evaluate(table, metrics=metrics, **USER)
        with counted() as passes:
            found = sy.evaluate(table, metrics=metrics, memory=memory_of(4), **USER)
        assert min(passes) > 1
        assert dict(found) == pytest.approx(dict(right), rel=1e-12)
        assert found.tally == right.tally


def test_empty_files_alone(folder):
    table = save(clicks().clear())
    assert same_refusal(table, metrics=["auc"]) == "log*.parquet has no rows"


@pytest.mark.parametrize("metrics", OF_ROWS, ids="-".join)
def test_a_file_that_changes_between_or_within_passes(folder, metrics):
    table = save(clicks())
    read = Split.parts

    def parts(split):
        for number, part in enumerate(read(split)):
            if number == 1:
                clicks()[:7].write_parquet("log2.parquet")
            yield part

    with patch.object(Split, "parts", parts):
        error = refusal(table, metrics=metrics, memory=memory_of(4), **USER)
    assert error.sentence == "log2.parquet changed while it was read"


def test_a_file_that_vanishes(folder):
    table = save(clicks())

    def parts(split):
        Path("log2.parquet").unlink(missing_ok=True)
        return iter(())

    with patch.object(Split, "parts", parts):
        error = refusal(table, metrics=["auc"], memory=memory_of(4))
    assert error.sentence == "log2.parquet changed while it was read"


# --------------------------------------------------------------------------------- all rows


def values_in_parts(*arguments, rows=4, **options):
    right = sy.evaluate(*arguments, **options)
    with counted() as passes:
        found = sy.evaluate(*arguments, memory=memory_of(rows), **options)
    assert min(passes) > 1
    assert dict(found) == pytest.approx(dict(right), rel=1e-12, nan_ok=True)
    notes = [[note.render() for note in result.notes] for result in (found, right)]
    assert notes[0] == notes[1]
    return dict(found)


@pytest.mark.parametrize("ci", ["auto", "none"])
def test_no_positives_in_a_part_and_at_all(folder, ci):
    """The first 40 rows have no positive; with the others there are both classes."""
    frame = clicks().with_columns(label=(pl.int_range(pl.len()) >= 40).cast(pl.Int64))
    frame = changed(frame, "label", 0, row=50)
    found = values_in_parts(save(frame), metrics=["auc", "gauc", "logloss", "pr_auc"], ci=ci, **USER)
    assert found["auc"] == found["auc"]
    none = save(frame.with_columns(label=pl.lit(0)))
    found = values_in_parts(none, metrics=["auc", "gauc", "logloss", "pr_auc"], ci=ci, **USER)
    assert np.isnan(found["auc"])
    assert np.isnan(found["gauc"])


@pytest.mark.parametrize("ci", ["auto", "none"])
@pytest.mark.parametrize("metrics", OF_ROWS, ids="-".join)
def test_no_weight_and_no_label(folder, metrics, ci):
    table = save(clicks().with_columns(w=pl.lit(0.0)))
    found = same_refusal(table, metrics=metrics, weights="w", ci=ci, **USER)
    assert found == "all weights in column 'w' of log*.parquet are 0"
    table = save(clicks().with_columns(label=pl.lit(None, pl.Int64)))
    found = same_refusal(table, metrics=metrics, unlabelled="drop", ci=ci, **USER)
    assert found == "no row of log*.parquet has a label"


RUN = pl.DataFrame(
    {"query": [f"q{at // 3}" for at in range(24)], "item": ["a", "b", "c"] * 8, "score": [3, 2, 1] * 8}
)
TRUTH = pl.DataFrame({"query": [f"q{at}" for at in range(8)], "item": ["a"] * 8, "relevance": [1] * 8})
STRANGE = pl.concat_str(pl.lit("x"), "query").alias("query")


@each_row(
    ("tables", "options", "said"),
    [
        (
            {"truth": TRUTH.with_columns(STRANGE)},
            {},
            "no query of run.parquet is in truth.parquet: 'q0' and 'q1' ",
        ),
        (
            {"truth": TRUTH.with_columns(relevance=pl.lit(0.5))},
            {"grades": "relevant"},
            "truth.parquet has no grade of 1 or more",
        ),
        (
            {"weights": TRUTH.select("query", weight=pl.lit(0.0))},
            {},
            "all weights in weights.parquet are 0",
        ),
        (
            {"weights": TRUTH.select("query", weight=1.0)[:6]},
            {},
            "2 queries have no weight in weights.parquet",
        ),
        ({"by": TRUTH.select(STRANGE, country="item")}, {}, "no query of run.parquet is in by.parquet"),
        (
            {"baseline_lists": RUN.with_columns(STRANGE)},
            {"metrics": ["unexpectedness@2"]},
            "baseline_lists.parquet has none of the users of the lists",
        ),
        ({"truth": TRUTH.clear()}, {}, "truth.parquet has no rows"),
    ],
)
def test_what_all_queries_lack(folder, tables, options, said):
    for name, frame in {"run": RUN, "truth": TRUTH, **tables}.items():
        frame.write_parquet(f"{name}.parquet")
    call = {name: f"{name}.parquet" for name in tables if name not in ("run", "truth")}
    call = {name: Path(path) for name, path in call.items()}
    options = {"metrics": ["mrr"], **options}
    assert same_refusal("run.parquet", "truth.parquet", rows=3, **call, **options).startswith(said)


@pytest.mark.parametrize("metrics", [["logloss"], ["gauc"]], ids="-".join)
def test_slices_of_one_row(folder, metrics, monkeypatch):
    """What has one value in each row of a part may have several rows of each value."""
    monkeypatch.setattr(slices, "MOST_SLICES", 6)
    table = save(clicks())
    values_in_parts(table, metrics=metrics, by="user", **USER)
    found = same_refusal(table, metrics=metrics, by="item", **USER)
    assert found == "column 'item' has 60 values in 60 rows: nearly every one would be its own slice"


def test_two_tables_without_a_common_row(folder):
    run, truth = two_tables("auc", clicks(), clicks().with_columns(item=pl.col("item") + "x"))
    found = same_refusal(run, truth, metrics=["auc", "logloss"])
    assert found.startswith(
        "no row of run*.parquet is in truth.parquet, matched by query and item: 'u0' and 'i0' "
    )


# --------------------------------------------------------------------------------- bounds


def test_more_judgements_than_a_part_has_rows(folder):
    more = [
        TRUTH.with_columns(item=pl.lit(f"i{number}"), relevance=pl.lit(number % 3, pl.Int64))
        for number in range(60)
    ]
    RUN.write_parquet("run.parquet")
    pl.concat([TRUTH, *more]).write_parquet("truth.parquet")
    values_in_parts("run.parquet", "truth.parquet", ["ndcg", "recall@2", "mrr"], rows=3)


def test_a_query_larger_than_a_part(folder):
    RUN.write_parquet("run.parquet")
    TRUTH.write_parquet("truth.parquet")
    for run in (RUN, RUN.sort("item")):
        run = pl.concat([run, run.filter(pl.col("query") == "q3").with_columns(item=pl.col("item") + "x")])
        run.write_parquet("run.parquet")
        values_in_parts("run.parquet", "truth.parquet", ["mrr"], rows=2)
        error = refusal("run.parquet", "truth.parquet", "mrr", memory=memory_of(1))
        assert error.sentence == (
            "run.parquet: query q3 has 6 rows, and a part of the data holds whole queries of up to 4 rows"
        )
        assert "memory='8GB'" in error.remedy


@pytest.mark.parametrize("ci", ["bootstrap", "bca"])
def test_resampling_of_too_many_rows(folder, ci, monkeypatch):
    table = save(clicks())
    monkeypatch.setattr(partial_units, "MOST_UNITS", 59)
    error = refusal(table, metrics=["mcc", "auc"], ci=ci, memory=memory_of(4))
    assert error.sentence == f"ci={ci} keeps every row of mcc, and 60 rows are too many to be kept"
    monkeypatch.setattr(partial_units, "MOST_UNITS", 60)
    values_in_parts(table, metrics=["logloss"], ci=ci)


def test_a_group_of_two_units(folder):
    table = save(clicks())
    error = refusal(table, metrics=["auc", "gauc"], unit="item", memory=memory_of(4), **USER)
    assert error.sentence == (
        "gauc: a group has rows of several units, which has no interval if the table is read in parts"
    )
    values_in_parts(table, metrics=["auc", "gauc"], unit="item", ci="none", **USER)


@each_row("memory", ["0", "-1", "2XB", "", "GB", "1e3", 0, -5, True, 1.5, [1], "2 G B"])
def test_no_size(folder, memory):
    error = refusal(save(clicks()), metrics="auc", memory=memory)
    assert error.sentence.startswith("memory must be a size such as '2GB' or '500MB'; got ")


def test_no_size_on_the_command_line(folder, steelyard):
    done = steelyard("evaluate", save(clicks()), "-m", "auc", "--memory", "much")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: memory must be a size such as '2GB' or '500MB'; got 'much'\n")


# --------------------------------------------------------------------------------- temporary folders


@each_row(("place", "why"), [("file", "File exists"), ("file/inner", "Not a directory")])
def test_a_file_in_place_of_the_folder(folder, place, why):
    Path("file").write_text("")
    error = refusal(save(clicks()), metrics="gauc", memory=memory_of(4), temp_dir=place, **USER)
    assert error.sentence == f"cannot write parts to the temporary folder {place}: {why}"
    assert "temp_dir=FOLDER" in error.remedy


@each_row(
    "error",
    [
        pl.exceptions.ComputeError("failed to write: No space left on device (os error 28)"),
        OSError(28, "No space left on device"),
    ],
)
def test_a_full_disk(folder, error):
    def full(*_arguments, **_options):
        raise error

    with patch.object(pl.LazyFrame, "sink_ipc", full):
        found = refusal(save(clicks()), metrics="gauc", memory=memory_of(4), temp_dir="parts", **USER)
    assert found.sentence == "the disk of parts is full, and parts of the tables are written there"
    assert list(Path("parts").iterdir()) == []


def test_an_error_leaves_nothing(folder):
    table = save(changed(clicks(), "label", None))
    refusal(table, metrics="gauc", memory=memory_of(4), temp_dir="parts", **USER)
    assert list(Path("parts").iterdir()) == []


# A run that waits, in the middle of its first pass, until it is ended or a file "go" is there.
WAITING = """
import time
from pathlib import Path
from steelyard.engine.batches import Split

read = Split.parts

def parts(split):
    for number, part in enumerate(read(split)):
        if number == 1:
            Path("waits").touch()
            while not Path("go").exists():
                time.sleep(0.01)
        yield part

Split.parts = parts
from steelyard.cli import main
main()
"""
ARGUMENTS = ["log*.parquet", "-m", "gauc", "--columns", "query=user", "--memory", str(memory_of(4))]
ARGUMENTS = ["evaluate", *ARGUMENTS, "--temp-dir", "parts", "-o", "out.json"]


@contextmanager
def waiting(folder):
    """A run in the middle of its work; its files are in a folder of "parts"."""
    command = [sys.executable, "-c", WAITING, *ARGUMENTS]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            end = time.monotonic() + 60
            while not (folder / "waits").exists():
                assert run.poll() is None, run.stderr.read()
                assert time.monotonic() < end
                time.sleep(0.01)
            assert len(list((folder / "parts").iterdir())) == 1
            yield run
        finally:
            run.kill()


def finished(folder):
    command = [sys.executable, "-m", "steelyard", *ARGUMENTS]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "out.json").read_text())["results"][0]["value"]


needs_signals = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@needs_signals
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_interrupted_run_leaves_nothing(folder, number, code):
    save(clicks())
    with waiting(folder) as run:
        run.send_signal(number)
        assert run.wait(60) == code
        assert "Traceback" not in run.stderr.read()
    assert list((folder / "parts").iterdir()) == []
    assert not (folder / "out.json").exists()


@needs_signals
def test_the_next_run_removes_what_a_killed_one_left(folder):
    table = save(clicks())
    with waiting(folder) as run:
        run.kill()
        run.wait(60)
    assert len(list((folder / "parts").iterdir())) == 1
    assert not (folder / "out.json").exists()
    assert finished(folder) == sy.evaluate(table, metrics="gauc", **USER)["gauc"]
    assert list((folder / "parts").iterdir()) == []


@needs_signals
def test_two_runs_share_a_folder(folder):
    """The folder of a run that goes on stays when another one begins and ends; both have their results."""
    right = sy.evaluate(save(clicks()), metrics="gauc", **USER)["gauc"]
    with waiting(folder) as run:
        assert finished(folder) == right
        assert len(list((folder / "parts").iterdir())) == 1
        (folder / "out.json").unlink()
        (folder / "go").touch()
        assert run.wait(60) == 0, run.stderr.read()
    assert json.loads((folder / "out.json").read_text())["results"][0]["value"] == right
    assert list((folder / "parts").iterdir()) == []
