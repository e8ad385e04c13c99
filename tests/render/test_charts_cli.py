"""`steelyard evaluate … --chart NAME=FILE`."""

from __future__ import annotations

import pytest

from ..tables import each_row
from .clicks import LOG, files

BASE = ("evaluate", "log.csv", "-m", "auc", "-m", "gauc", "--columns", "query=user", "--by", "country")


def test_charts_are_written_beside_the_numbers(steelyard, folder):
    done = steelyard(*BASE, "--chart", "roc=roc.svg", "--chart", "slices(gauc)=by.png")
    assert done.code == 0, done.err
    assert (folder / "roc.svg").read_text("utf-8").startswith("<svg ")
    assert (folder / "by.png").read_bytes().startswith(b"\x89PNG")
    assert done.err.splitlines()[-2:] == ["written: roc.svg", "written: by.png"]
    assert done.out.splitlines()[0].startswith("country")
    assert files(folder) == {"log.csv", "roc.svg", "by.png"}


def test_the_language_of_charts(steelyard, folder):
    assert steelyard(*BASE, "--chart", "roc=en.json").code == 0
    assert steelyard(*BASE, "--chart", "roc=zh.json", "--lang", "zh").code == 0
    assert "假阳性率" in (folder / "zh.json").read_text("utf-8")
    assert "假阳性率" not in (folder / "en.json").read_text("utf-8")


def test_charts_of_a_run_file(steelyard, folder):
    (folder / "run.toml").write_text(
        'predictions = "log.csv"\nmetric = "auc"\nchart = ["roc=a.svg", "gain=b.svg"]\n'
    )
    assert steelyard("evaluate", "--run-file", "run.toml").code == 0
    assert files(folder) == {"log.csv", "run.toml", "a.svg", "b.svg"}


@each_row(
    ("chart", "message"),
    [
        ("rok=a.svg", "unknown chart 'rok'; did you mean 'roc'?"),
        ("roc", "--chart takes NAME=FILE; got 'roc'"),
        ("roc=", "--chart takes NAME=FILE"),
        ("=a.svg", "--chart takes NAME=FILE"),
        ("slices(auc=a.svg", "--chart takes NAME=FILE"),
        ("roc=a.bmp", "cannot write the chart a.bmp"),
        ("roc=nowhere/a.svg", "there is no folder nowhere"),
        ("roc(auc)=a.svg", "the chart 'roc' shows no single metric"),
        ("difference=a.svg", "shows two results, and `steelyard evaluate` has one"),
        ("forest=a.svg", "the chart 'forest' shows two results, and `steelyard evaluate` has one"),
        ("trade_off=a.svg", "shows several results, and `steelyard evaluate` has one"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_any_work(steelyard, folder, chart, message):
    (folder / "log.csv").write_text("label,score\nno,numbers\n")  # never read
    done = steelyard(*BASE, "--chart", chart)
    assert done.code == 2
    assert message in done.err
    assert files(folder) == {"log.csv"}


@pytest.mark.parametrize(
    ("chart", "message"),
    [
        ("confusion=a.svg", "the chart 'confusion' needs a confusion matrix"),
        ("slices(mrr)=a.svg", "this result has no 'mrr'"),
        ("per_query(auc)=a.svg", "the chart 'per_query' cannot show 'auc'"),
    ],
)
def test_what_the_data_does_not_support_leaves_no_file(steelyard, folder, chart, message):
    done = steelyard(*BASE, "--chart", "roc=roc.svg", "--chart", chart, "-o", "numbers.json")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert files(folder) == {"log.csv"}


def test_no_file_is_written_twice_or_over_an_input(steelyard, folder):
    for more in (["--chart", "gain=a.svg"], ["-o", "a.svg"], ["--per-query", "a.svg"]):
        done = steelyard(*BASE, "--chart", "roc=a.svg", *more)
        assert done.code == 2, more
    (folder / "log.json").write_text(LOG)
    done = steelyard("evaluate", "log.json", "-m", "auc", "--chart", "roc=log.json")
    assert done.code == 2
    assert "one of the inputs" in done.err
    assert (folder / "log.json").read_text() == LOG
