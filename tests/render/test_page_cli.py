"""`steelyard evaluate … --report FILE.html`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .clicks import LOG, files

BASE = ("evaluate", "log.csv", "-m", "auc", "-m", "logloss", "--by", "country")


def test_the_report_is_written_beside_the_numbers(steelyard, folder):
    done = steelyard(*BASE, "--report", "report.html")
    assert done.code == 0, done.err
    assert (folder / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert done.err.splitlines()[-1] == "written: report.html"
    assert done.out == steelyard(*BASE).out
    assert files(folder) == {"log.csv", "report.html"}


def test_the_language_of_the_report(steelyard, folder):
    assert steelyard(*BASE, "--report", "en.html").code == 0
    assert steelyard(*BASE, "--report", "zh.html", "--lang", "zh").code == 0
    assert '<html lang="en"' in (folder / "en.html").read_text("utf-8")
    assert '<html lang="zh' in (folder / "zh.html").read_text("utf-8")


def test_the_same_command_gives_the_same_bytes(steelyard, folder):
    for name in ("one.html", "two.html"):
        assert steelyard(*BASE, "--report", name).code == 0
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()


def test_the_report_of_a_run_file(steelyard, folder):
    (folder / "run.toml").write_text('predictions = "log.csv"\nmetric = "auc"\nreport = "r.html"\n')
    assert steelyard("evaluate", "--run-file", "run.toml").code == 0
    assert files(folder) == {"log.csv", "run.toml", "r.html"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "nowhere/r.html"], "cannot write nowhere/r.html: there is no folder nowhere"),
        (["--report", "."], ". is a folder"),
        (["--report", "report.json"], "cannot write report.json: its ending does not say in which format"),
        (["--report", "-"], "cannot write -: its ending does not say in which format"),
        (
            ["--report", "r.html", "-o", "r.html"],
            "the report and another output would both be written to r.html",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(steelyard, folder, options, message):
    done = steelyard(*BASE, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert files(folder) == {"log.csv"}


def test_an_input_is_not_written_over(steelyard, folder):
    (folder / "log.html").symlink_to(folder / "log.csv")
    done = steelyard(*BASE, "--report", "log.html")
    assert (done.code, done.out) == (2, "")
    assert "it is one of the inputs" in done.err
    assert (folder / "log.csv").read_text() == LOG


def test_bad_input_leaves_no_report(steelyard, folder):
    (folder / "log.csv").write_text(LOG.replace("0.4", "nan"))
    done = steelyard(*BASE, "--report", "report.html")
    assert (done.code, done.out) == (2, "")
    assert files(folder) == {"log.csv"}


def test_a_folder_without_permission(steelyard, folder, monkeypatch):
    """Root may write anywhere, so the refusal is played."""
    (folder / "locked").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "locked")
    done = steelyard(*BASE, "--report", "locked/r.html")
    assert (done.code, done.out) == (2, "")
    assert "no permission" in done.err


def test_a_report_that_fails_leaves_nothing_behind(steelyard, folder, monkeypatch):
    from steelyard.render import page

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(page, "contents", broken)
    done = steelyard(*BASE, "--report", "report.html", "-o", "numbers.json", "--per-query", "q.csv")
    assert done.code == 2
    assert files(folder) == {"log.csv"}


def test_without_the_extra(steelyard, folder, monkeypatch):
    from steelyard.render import page

    real = page.find_spec
    monkeypatch.setattr(page, "find_spec", lambda name: None if name == "altair" else real(name))
    done = steelyard(*BASE, "--report", "report.html")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: a report is made with jinja2, altair and vl-convert-python, which are not installed\n"
        "       run `pip install '.[report]'` in the folder of the clone\n"
    )
    assert files(folder) == {"log.csv"}
