"""Intervals on the command line and in run files: how they are asked for, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest

from ..tables import each_row

EVALUATE = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr")
# run.csv and truth.csv have three queries: reciprocal ranks 1/2, 1/2 and 0


def limits(done) -> tuple[float, float]:
    assert done.code == 0, done.err
    [found] = json.loads(done.out)["results"]
    return found["ci_low"], found["ci_high"]


def test_the_options_are_those_of_python(steelyard, folder):
    usual, wide, plain = (
        limits(steelyard(*EVALUATE, "--format", "json", *further))
        for further in ((), ("--level", "0.99"), ("--ci", "t", "--level", "0.5"))
    )
    assert wide[0] < usual[0] < usual[1] < wide[1]
    # mean 1/3, standard error √((2 × (1/6)² + (1/3)²) / 6) = 1/6; t at 2 degrees of freedom is 1/√1.5
    assert plain == pytest.approx((1 / 3 - 1.5**-0.5 / 6, 1 / 3 + 1.5**-0.5 / 6))


def test_the_head_of_the_table_tells_the_level(steelyard, folder):
    assert "  95% interval  " in steelyard(*EVALUATE).out
    assert "  99.5% interval  " in steelyard(*EVALUATE, "--level", "0.995").out
    assert "  90% 置信区间  " in steelyard(*EVALUATE, "--level", "0.9", "--lang", "zh").out
    assert "interval" not in steelyard(*EVALUATE, "--ci", "none").out


def test_a_seed_draws_anew_and_the_same_again(steelyard, folder):
    found = [
        limits(steelyard(*EVALUATE, "--ci", "bootstrap", "--seed", seed, "--format", "json"))
        for seed in ("1", "1", "2")
    ]
    assert found[0] == found[1]
    data = json.loads(steelyard(*EVALUATE, "--seed", "7", "--format", "json").out)
    assert data["certainty"]["seed"] == 7


def test_a_column_of_units(steelyard, folder):
    done = steelyard(*EVALUATE, "--unit", "device", "--format", "json")
    data = json.loads(done.out)
    assert data["certainty"]["unit"] == "device"
    assert data["results"][0]["ci_low"] is not None


def test_in_a_run_file(steelyard, folder):
    (folder / "run.toml").write_text(
        """
        predictions = "run.csv"
        truth = "truth.csv"
        metric = "mrr"
        ci = "bootstrap"
        level = 0.9
        unit = "device"
        seed = 12
        format = "json"
        """
    )
    data = json.loads(steelyard("evaluate", "--run-file", "run.toml").out)
    wanted = {"ci": "bootstrap", "level": 0.9, "unit": "device", "seed": 12, "replicates": 1000}
    assert data["certainty"] == wanted
    flag = json.loads(steelyard("evaluate", "--run-file", "run.toml", "--level", "0.8").out)
    assert flag["certainty"]["level"] == 0.8


@pytest.mark.parametrize(
    ("key", "said"),
    [("level = true", "run.toml: level must be text or a number"), ("ci = 3", "must be text")],
)
def test_a_run_file_with_another_type(steelyard, folder, key, said):
    (folder / "run.toml").write_text(f'predictions = "run.csv"\ntruth = "truth.csv"\nmetric = "mrr"\n{key}\n')
    done = steelyard("evaluate", "--run-file", "run.toml")
    assert done.code == 2
    assert said in done.err


REFUSED = {
    "level in percent": (("--level", "95"), "level must be a number between 0 and 1", "write 0.95 for 95 %"),
    "level 0": (("--level", "0"), "got 0", ""),
    "level 1": (("--level", "1"), "got 1", ""),
    "level as text": (("--level", "most"), "got 'most'", ""),
    "level without a number": (("--level", "nan"), "got 'nan'", ""),
    "unknown ci": (("--ci", "boot"), "ci must be one of 'auto', 'none'", "did you mean 'bootstrap'?"),
    "seed as text": (("--seed", "lucky"), "seed must be a whole number from 0 to 2**64 - 1; got 'lucky'", ""),
    "unit that is no column": (
        ("--unit", "devise"),
        "no column 'devise' in run.csv or truth.csv to draw units by",
        "the columns are:",
    ),
    "unit in both tables": (("--unit", "item"), "both run.csv and truth.csv have a column 'item'", "rename"),
    "unit that varies within a query": (
        ("--unit", "relevance"),
        "column 'relevance' of truth.csv varies within query q1: '2' and '1'",
        "a slice, a weight or a unit of a ranking must be constant within a query",
    ),
}


@each_row(("options", "said", "remedy"), REFUSED.values(), ids=REFUSED)
def test_refused(steelyard, folder, options, said, remedy):
    done = steelyard(*EVALUATE, *options, "-o", "out.csv")
    assert done.code == 2
    assert said in done.err
    assert remedy in done.err
    assert not (folder / "out.csv").exists()


def test_a_unit_of_fractions(steelyard, folder):
    table = pl.DataFrame({"part": [0.5, 1.5], "label": [1, 0], "score": [0.9, 0.2]})
    table.write_parquet(folder / "clicks.parquet")
    done = steelyard("evaluate", "clicks.parquet", "-m", "logloss", "--unit", "part")
    assert done.code == 2
    assert "column 'part' holds a fraction, which cannot name units" in done.err
    table.write_csv(folder / "clicks.csv")  # without types they are text
    assert steelyard("evaluate", "clicks.csv", "-m", "logloss", "--unit", "part").code == 0


def test_one_query(steelyard, folder):
    (folder / "one.csv").write_text("query,item,score\nq1,b,1\n")
    (folder / "few.csv").write_text("query,item,relevance\nq1,b,1\n")
    done = steelyard("evaluate", "one.csv", "--truth", "few.csv", "-m", "mrr", "--format", "json")
    [found] = json.loads(done.out)["results"]
    assert (found["value"], found["ci_low"], found["ci_high"]) == (1.0, None, None)
    done = steelyard("evaluate", "one.csv", "--truth", "few.csv", "-m", "mrr")
    assert "no interval, since only one unit (query, user or group) has data for it" in done.err
    assert done.code == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_help_has_every_option(steelyard, lang):
    text = steelyard("evaluate", "--help", "--lang", lang).out
    for option in (
        "--ci [auto|none|influence|score|t|bootstrap|bca]",
        "--level SHARE",
        "--unit COLUMN",
        "--seed N",
    ):
        assert option in text
