"""Folders of files are tables; the names of KEY=VALUE folders are columns of text."""

from __future__ import annotations

import shutil

import polars as pl
import pytest

import steelyard as sy
from steelyard import read
from steelyard.read.sources import open_sources
from steelyard.read.table import PLACE
from steelyard.text.errors import SteelyardError
from tests.tables import each_row

LOG = pl.DataFrame({"query": ["1", "1"], "item": ["a", "b"], "score": [0.5, 0.25], "label": [0, 1]})


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Two days of two countries each, with as many copies of ``LOG`` as files."""
    monkeypatch.chdir(tmp_path)
    for day in ("2026-11-01", "2026-11-02"):
        for country in ("JP", "F%2FR"):
            folder = tmp_path / "logs" / f"dt={day}" / f"country={country}"
            folder.mkdir(parents=True)
            rows = LOG.with_columns(query=pl.lit(f"{day} {country}"))
            rows.write_parquet(folder / "part-0.parquet")
    return tmp_path / "logs"


def rows_of(given, extra=("dt", "country")):
    table = read.labelled(given, extra=extra)
    return table.frame.select("query").hstack(table.extra).unique(maintain_order=True).rows()


EVERY = [
    ("2026-11-01 F%2FR", "2026-11-01", "F/R"),
    ("2026-11-01 JP", "2026-11-01", "JP"),
    ("2026-11-02 F%2FR", "2026-11-02", "F/R"),
    ("2026-11-02 JP", "2026-11-02", "JP"),
]


@each_row(
    ("given", "places"),
    [
        ("logs", [0, 1, 2, 3]),
        ("logs/", [0, 1, 2, 3]),
        ("logs/dt=*", [0, 1, 2, 3]),
        ("logs/dt=*/country=JP/*.parquet", [1, 3]),
        ("logs/**/*.parquet", [0, 1, 2, 3]),
        (["logs/dt=*/country=JP", "logs/*/country=F*"], [1, 3, 0, 2]),
    ],
)
def test_names_of_folders_are_columns(logs, given, places):
    assert rows_of(given) == [EVERY[place] for place in places]


def test_names_above_a_folder_are_no_columns(logs):
    assert rows_of("logs/dt=2026-11-01", ["country"]) == [(EVERY[0][0], "F/R"), (EVERY[1][0], "JP")]
    _, (source,) = open_sources("logs/dt=2026-11-01/country=JP/part-0.parquet", "labelled", "predictions")
    assert source.columns == tuple(LOG.columns)


def test_values_are_text_and_may_be_missing(tmp_path):
    for value in ("01", "2026-11-01", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / "logs" / f"k={value}").mkdir(parents=True)
        LOG.write_csv(tmp_path / "logs" / f"k={value}" / "a.csv")
    table = read.labelled(tmp_path / "logs", extra=["k"])
    assert table.extra["k"].to_list() == ["01", "01", "2026-11-01", "2026-11-01", None, None]
    assert table.place(2).endswith("k=2026-11-01/a.csv, row 1")
    for source in table.sources:
        frame = source.scan().collect()
        assert frame.drop(PLACE).columns == list(source.columns)
        assert frame["k"].to_list() == source.load(["k"])["k"].to_list()


def test_slices_and_roles(logs):
    result = sy.evaluate("logs", metrics="auc", by="dt", columns={"query": "country"})
    assert dict(result) == {"auc": 0.0}
    assert result.table()["dt"].to_list() == ["(all)", "2026-11-01", "2026-11-02"]


def test_a_plain_folder(tmp_path):
    (tmp_path / "runs" / "_temporary").mkdir(parents=True)
    for name in ("b.csv", "a.csv", ".hidden.csv", "_metadata"):
        LOG.write_csv(tmp_path / "runs" / name)
    LOG.head(1).write_csv(tmp_path / "runs" / "_temporary" / "c.csv")
    table = read.labelled(tmp_path / "runs")
    assert [part.name for part in table.parts] == [
        str(tmp_path / "runs" / name) for name in ("a.csv", "b.csv")
    ]


def write(path, frame=LOG):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_csv(path) if path.suffix != ".parquet" else frame.write_parquet(path)


@each_row(
    ("names", "message"),
    [
        (
            ["a.csv", "b.csv", "c.parquet"],
            "several formats, such as runs/a.csv and runs/c.parquet\n.*'runs/\\*.csv'",
        ),
        (["a.txt"], "runs is a folder without files of a known ending\n.*'runs/\\*.txt'"),
        (["a.csv", "b.txt"], "several formats, such as runs/a.csv and runs/b.txt"),
        (["_a.csv"], "runs is a folder without files of a known ending\n.*'runs/\\*\\*/\\*.parquet'"),
        (["deep/a.csv"], "runs is a folder without files of a known ending"),
        (
            ["dt=1/a.csv", "b.csv"],
            "runs/dt=1/a.csv has the folder columns dt, and runs/b.csv has none",
        ),
        (
            ["dt=1/a.csv", "day=1/a.csv"],
            "runs/dt=1/a.csv has the folder columns dt, and runs/day=1/a.csv has day",
        ),
        (["score=1/a.csv"], "runs/score=1/a.csv has a column 'score', and its folder is named score=…"),
    ],
)
def test_folders_that_are_no_table(tmp_path, monkeypatch, names, message):
    monkeypatch.chdir(tmp_path)
    shutil.rmtree("runs", ignore_errors=True)
    for name in names:
        write(tmp_path / "runs" / name)
    with pytest.raises(SteelyardError, match=f"(?s){message}"):
        read.labelled("runs")


def test_files_of_different_columns_and_damaged_files_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "runs" / "a.parquet")
    write(tmp_path / "runs" / "b.parquet", LOG.with_columns(pl.col("query").cast(pl.Int64)))
    with pytest.raises(SteelyardError, match=r"(?s)runs/a\.parquet.*runs/b\.parquet"):
        read.labelled("runs")
    data = bytearray((tmp_path / "runs" / "a.parquet").read_bytes())
    data[4:12] = b"\xff" * 8
    (tmp_path / "runs" / "b.parquet").write_bytes(data)
    with pytest.raises(SteelyardError, match=r"runs/b\.parquet"):
        read.labelled("runs")


def test_an_empty_file_among_others(tmp_path):
    write(tmp_path / "runs" / "a.parquet", LOG.clear())
    write(tmp_path / "runs" / "b.parquet")
    assert read.labelled(tmp_path / "runs").frame.height == 2
