"""`steelyard demo`: files, an evaluation, and next commands that really run."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import steelyard as sy

from ..once import copy

FILES = {
    "README.txt",
    "clicks.parquet",
    "films.parquet",
    "qrels.txt",
    "seen.parquet",
    "truth.parquet",
    "runs/neighbours.parquet",
    "runs/neighbours.run",
    "runs/popular.parquet",
    "runs/popular.run",
    "runs/taste.parquet",
    "runs/taste.run",
}


@pytest.fixture
def demo(demonstration, tmp_path, monkeypatch):
    """What the demonstration said; a copy of its folder 'a shop' is the current folder."""
    copy(demonstration / "a shop", tmp_path / "a shop")
    monkeypatch.chdir(tmp_path / "a shop")
    return (demonstration / "said").read_text("utf-8")


def test_it_writes_and_says_so(demo):
    assert set(contents(Path.cwd())) == {*FILES, "report.html"}
    assert f"{len(FILES)} files are in a shop." in demo


def test_it_evaluates_what_it_wrote(demo):
    lines = [line.split() for line in demo.splitlines()]
    header = next(line for line in lines if line[:1] == ["recommender"])
    for name in ("popular", "neighbours", "taste"):
        shown = next(line for line in lines if line[:1] == [name])
        result = sy.evaluate(f"runs/{name}.parquet", "truth.parquet", header[1:])
        assert shown[1:] == [f"{result[metric]:.4f}" for metric in header[1:]]
    assert any(line[:2] == ["new", "ndcg@10"] for line in lines)
    assert any("rows excluded." in line for line in demo.splitlines())


def test_it_tells_what_the_popular_recommender_hides(demo):
    films, seen = pl.read_parquet("films.parquet"), pl.read_parquet("seen.parquet")
    lines = [line.split() for line in demo.splitlines()]
    header = [line for line in lines if line[:1] == ["recommender"]][1]
    assert header[1:] == ["coverage@10", "diversity@10", "novelty@10", "personalization@10"]
    known = {"catalog": films, "features": films.select("film_id", "genre"), "history": seen}
    for name in ("popular", "neighbours", "taste"):
        shown = [line for line in lines if line[:1] == [name]][1]
        result = sy.evaluate(f"runs/{name}.parquet", metrics=header[1:], **known)
        assert shown[1:] == [f"{result[metric]:.4f}" for metric in header[1:]]
    run = pl.read_parquet("runs/popular.parquet").sort("score", "film_id", descending=True)
    first = run.group_by("user_id", maintain_order=True).head(10)
    hidden = films.height - first["film_id"].n_unique()
    assert f"What popular hides: whoever looks, its first ten never show {hidden} of the 400 films." in demo
    page = Path("report.html").read_text("utf-8")
    assert "ndcg@10 against diversity@10, novelty@10, coverage@10 and personalization@10" in page


def commands(text: str) -> list[list[str]]:
    lines = text.partition("Try next:\n")[2].partition("\n\n")[0].splitlines()
    assert all(line.startswith("  .venv/bin/steelyard ") for line in lines)
    return [shlex.split(line)[1:] for line in lines]


def test_the_first_line_is_one_sentence(demo):
    graded = pl.read_parquet("truth.parquet").height
    assert demo.splitlines()[0] == (
        f"A small film shop, simulated: 600 users, 400 films, {graded:,} graded films, three recommenders. "
        "12 files are in a shop."
    )


def test_the_commands_it_names_run_as_they_are_printed(demo, steelyard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named = commands(demo)
    assert len(named) == 6
    for arguments in named:
        done = steelyard(*arguments)
        assert done.code == 0, (arguments, done.err)
        assert done.out.strip()


def test_the_readme_names_a_file_that_is_there(demo):
    (name,) = (
        word for word in Path("README.txt").read_text("utf-8").split() if word.startswith("steelyard/demo/")
    )
    assert (Path(sy.__file__).parent.parent / name).is_file()


@pytest.mark.parametrize(
    "name",
    [
        "neighbours",
        pytest.param("popular", marks=pytest.mark.long),
        pytest.param("taste", marks=pytest.mark.long),
    ],
)
def test_both_forms_give_the_same_numbers(demo, name):
    frames = sy.evaluate(f"runs/{name}.parquet", "truth.parquet", ["ndcg@10", "map", "recall@20"])
    trec = sy.evaluate(f"runs/{name}.run", "qrels.txt", ["ndcg@10", "map", "recall@20"])
    assert frames.table().equals(trec.table())


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_without_a_folder_it_makes_one_of_its_own_and_writes_its_files_again(
    demonstration, steelyard, monkeypatch, tmp_path
):
    from steelyard.render import page

    monkeypatch.setattr(page, "find_spec", lambda name: None)  # the page takes longer than all the rest
    copy(demonstration / "a shop", tmp_path / "steelyard-demo")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steelyard-demo" / "qrels.txt").write_text("")
    (tmp_path / "steelyard-demo" / "report.html").unlink()
    assert steelyard("demo").code == 0
    before = contents(demonstration / "a shop")
    assert set(before) == {*FILES, "report.html"}
    assert contents(tmp_path / "steelyard-demo") == {name: before[name] for name in FILES}


def test_a_file_where_the_folder_is_meant(steelyard, tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = steelyard("demo", tmp_path / "taken")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: '{tmp_path / 'taken'}' is a file, not a folder\n"
        "       name a folder, or one that does not exist yet\n"
    )
    assert (tmp_path / "taken").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_it_ends_with_a_report_of_everything(demo):
    assert demo.splitlines()[-1] == (
        "All of this as one page, with its charts: open a shop/report.html in a browser."
    )
    page = Path("report.html").read_text("utf-8")
    assert len(page.encode()) < 2_300_000
    for name in ("popular", "neighbours", "taste", "p_fame", "p_taste"):
        assert f"<bdi>{name}</bdi>" in page
    result = sy.evaluate("clicks.parquet", metrics=["auc", "calibration"], columns={"score": "p_taste"})
    assert result["auc"] > 0.75
    assert 1.4 < result["calibration"] < 1.6
    assert f"{result['auc']:.4f}" in page
    assert "the order is good, the probabilities are off: calibrate" in demo


def test_without_the_extra_it_says_what_the_report_needs(steelyard, tmp_path, monkeypatch):
    from steelyard.render import page

    monkeypatch.setattr(page, "find_spec", lambda name: None)
    done = steelyard("demo", tmp_path / "shop")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].endswith("; run `pip install '.[report]'` in the folder of the clone.")
    assert not (tmp_path / "shop" / "report.html").exists()


def test_files_of_others_are_not_replaced(steelyard, tmp_path):
    (tmp_path / "truth.parquet").write_text("mine")
    done = steelyard("demo", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: {tmp_path / 'truth.parquet'} is there already, and `steelyard demo` did not write it\n"
        "       name an empty folder\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["truth.parquet"]


def test_the_program_that_it_names_is_there_and_on_the_path_by_its_name(demonstration, tmp_path, monkeypatch):
    """The demonstration was made with `.venv` in the folder and without `steelyard` on the path."""
    from steelyard.demo.show import _program

    line = (demonstration / "said").read_text("utf-8").partition("Try next:\n")[2].splitlines()[0]
    assert subprocess.run(["sh", "-c", line], cwd=demonstration, capture_output=True).returncode == 0
    program = tmp_path / "bin" / "steelyard"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert _program() == "steelyard"


def test_without_a_script_the_module_is_named(tmp_path, monkeypatch):
    from steelyard.demo.show import _program

    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "my bin" / "python"))
    assert _program() == f"'{tmp_path}/my bin/python' -m steelyard"
    monkeypatch.chdir(tmp_path)
    assert _program() == "'my bin/python' -m steelyard"
