"""`steelyard differences`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json

import pytest

from ..tables import each_row

# of run.csv: b at rank 2, a at rank 2 of a tie; q3 has no list: 0 by default, and trec_eval leaves it out
BASE = ("differences", "run.csv", "--truth", "truth.csv", "-m", "mrr")
TWO = ("--profiles", "steelyard:2026,trec_eval")


def test_both_numbers_and_what_lies_between(steelyard, folder):
    done = steelyard(*BASE, *TWO)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "mrr is 0.3333 under steelyard:2026, 0.5000 under trec_eval: +0.1667"
    assert lines[3].split() == [
        *("+0.1667", "missing", "steelyard:2026", "queries", "without", "predictions"),
        *("count", "as", "empty", "lists"),
    ]
    assert lines[-1] == (
        "They differ in grades, scores, item_order and undefined too, which changes nothing here."
    )


def test_in_chinese(steelyard, folder):
    done = steelyard(*BASE, *TWO, "--lang", "zh")
    assert done.code == 0
    assert done.out.startswith("mrr 在 steelyard:2026 下为 0.3333，在 trec_eval 下为 0.5000：+0.1667")
    assert "which changes nothing" not in done.out


def test_files(steelyard, folder):
    files = ("-o", "parts.json", "--chart", "steps.svg", "--report", "page.html")
    done = steelyard(*BASE, *TWO, *files)
    assert (done.code, done.out) == (0, "")
    told = json.loads((folder / "parts.json").read_text("utf-8"))
    assert [one["part"] for one in told["conventions"]] == [pytest.approx(1 / 6), 0, 0, 0, 0]
    assert "missing: +0.1667" in (folder / "steps.svg").read_text("utf-8")
    assert "The difference, explained" in (folder / "page.html").read_text("utf-8")


@pytest.mark.parametrize(("form", "begins"), [("csv", "metric,convention,"), ("markdown", "**mrr is 0.3333")])
def test_forms(steelyard, folder, form, begins):
    done = steelyard(*BASE, *TWO, "--format", form)
    assert done.code == 0
    assert done.out.startswith(begins)


@each_row(
    ("given", "said"),
    [
        (("--profiles", "trec_eval"), "compares two profiles; got 1"),
        ((), "compares two profiles; got 0"),
        (("--profiles", "trec_eval,sklearn,steelyard:2026"), "two profiles; got 3"),
        (("--profiles", "trec_eval,trec_eval"), "named twice"),
        (("--profiles", "trec_eval,trek"), "unknown profile 'trek'"),
        (("--profiles", "trec_eval,sklearn"), "sklearn has no mrr"),
        ((*TWO, "-o", "run.csv"), "run.csv"),
        ((*TWO, "-o", "parts.xml"), "parts.xml"),
        ((*TWO, "--chart", "steps.gif"), "steps.gif"),
        ((*TWO, "--report", "page.pdf"), "page.pdf"),
        ((*TWO, "--report", "page.html", "-o", "page.html", "--format", "json"), "page.html"),
        ((*TWO, "--chart", " "), "--chart"),
    ],
)
def test_refused(steelyard, folder, given, said):
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    done = steelyard(*BASE, *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_what_is_missing(steelyard, folder):
    assert "name the predictions" in steelyard("differences", *TWO, "-m", "mrr").err
    assert "no metric was given" in steelyard("differences", "run.csv", *TWO).err
