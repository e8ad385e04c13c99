"""What is measured: seeded tables, written to build/bench before any clock runs and used again if there.

``python -m bench.workloads ranking full`` writes one of them by hand; that of lists as a whole has tables of
its own. The benchmarks do so in a process of
their own: the process that measures stays small, since its size is the least that a child can report.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"

VERSION = 1  # raise it when a workload changes, and the old files are left alone
SEED = 2026
ITEMS = 1_999_993  # a prime: steps of any width visit every item before one comes again
GRADES, CHANCES = (0, 1, 2, 3), (0.2, 0.5, 0.2, 0.1)


@dataclass(frozen=True)
class Size:
    """Queries, rows of each, judgements of each, and how many of these are among the rows."""

    queries: int
    rows: int
    judged: int
    retrieved: int

    def __str__(self) -> str:
        return (
            f"{self.queries:,} queries x {self.rows:,} rows ({self.queries * self.rows:,}), "
            f"{self.queries * self.judged:,} judgements"
        )


SIZES = {
    "full": Size(10_000, 1_000, 50, 40),
    "quick": Size(1_000, 1_000, 50, 40),  # still enough rows for the compiled kernels
    "small": Size(50, 100, 20, 15),
}


@dataclass(frozen=True)
class ListSize:
    """Users, items shown to each, items that each had and wanted, and the catalogue with its features."""

    users: int
    shown: int
    had: int
    wanted: int
    items: int
    width: int

    def __str__(self) -> str:
        return (
            f"{self.users:,} users x {self.shown} items, {self.users * self.had:,} interactions, "
            f"{self.items:,} items with {self.width} features"
        )


LIST_SIZES = {
    "full": ListSize(100_000, 100, 50, 10, 1_000_000, 128),
    "quick": ListSize(10_000, 100, 50, 10, 100_000, 128),
}


@dataclass(frozen=True)
class Workload:
    """A folder with ``run.<kind>`` and ``qrels.<kind>`` of one size."""

    name: str
    size: str
    folder: Path

    def run(self, kind: str = "parquet") -> str:
        return str(self.folder / f"run.{kind}")

    def qrels(self, kind: str = "parquet") -> str:
        return str(self.folder / f"qrels.{kind}")

    def __str__(self) -> str:
        return str(SIZES[self.size])


def workload(name: str, size: str) -> Workload:
    """The workload of that name, written first if it is not there."""
    folder = FOLDER / f"{name}-{size}-v{VERSION}"
    if not folder.is_dir():
        print(f"writing {folder.relative_to(ROOT)} ...", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "bench.workloads", name, size], cwd=ROOT, check=True)
    return Workload(name, size, folder)


def write(name: str, size: str) -> None:
    """Write the files of a workload; the folder appears only when it is whole."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=FOLDER))
    try:
        if name == "lists":
            _write_lists(LIST_SIZES[size], unfinished)
        else:
            _write_ranking(name, size, unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(FOLDER / f"{name}-{size}-v{VERSION}")
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write_ranking(name: str, size: str, folder: Path) -> None:
    run, qrels = tables(SIZES[size], _CHANGES[name])
    if name == "trec":
        _write_trec(run, qrels, folder)
        return
    run.write_parquet(folder / "run.parquet")
    qrels.write_parquet(folder / "qrels.parquet")
    if size == "small":
        run.write_csv(folder / "run.csv")
        qrels.write_csv(folder / "qrels.csv")
        _write_trec(run, qrels, folder)


def tables(size: Size, change: Callable[[Any, Any], Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A run and its judgements.

    The rows of a query stand together, its items are distinct, and the queries come in no order, as they do
    where questions are drawn from a log. Relevant items score higher than the rest. Scores have four
    decimals, so that a few rows in a hundred are tied. Every second list is in the order of its scores.
    """
    import numpy as np
    import polars as pl

    random = np.random.default_rng(SEED)
    n = size.queries
    queries = np.char.add("q", np.char.zfill(random.permutation(n).astype(str), 6))

    every = size.rows + size.judged - size.retrieved
    start, step = random.integers(0, ITEMS, (n, 1)), random.integers(1, ITEMS, (n, 1))
    items = (start + step * np.arange(every)) % ITEMS
    grades = random.choice(GRADES, size=(n, size.judged), p=CHANCES)

    scores = random.normal(size=(n, size.rows))
    scores[:, : size.retrieved] += 0.8 * grades[:, : size.retrieved]
    scores = scores.round(4)
    order = random.permuted(np.tile(np.arange(size.rows), (n, 1)), axis=1)
    order[::2] = np.argsort(-scores[::2], axis=1, kind="stable")

    run = pl.DataFrame(
        {
            "query": pl.Series(queries).gather(np.repeat(np.arange(n), size.rows)),
            "item": _ids(np.take_along_axis(items[:, : size.rows], order, axis=1)),
            "score": np.take_along_axis(scores, order, axis=1).ravel(),
        }
    )
    judged = np.concatenate([items[:, : size.retrieved], items[:, size.rows :]], axis=1)
    qrels = pl.DataFrame(
        {
            "query": pl.Series(queries).gather(np.repeat(np.arange(n), size.judged)),
            "item": _ids(judged),
            "relevance": grades.ravel(),
        }
    )
    return change(run, random), qrels


def _write_lists(size: ListSize, folder: Path) -> None:
    """Lists, truth, history and baseline lists of users and items that are whole numbers, and features.

    Popularity has a long tail: half of what is shown and had is an eighth of the catalogue. Lists are
    distinct, best first; half of what a user wants is shown to him. All have the same baseline list: the
    items that were had most.
    """
    import numpy as np
    import polars as pl

    random = np.random.default_rng(SEED)
    names = random.permutation(size.items)

    def some(rows: int, columns: int) -> np.ndarray[Any, Any]:
        """Places by popularity, distinct in each row."""
        drawn = ((size.items - columns) * random.random((rows, columns)) ** 3).astype(np.int64)
        return random.permuted(np.sort(drawn, axis=1) + np.arange(columns), axis=1)

    def table(places: np.ndarray[Any, Any], *, score: bool) -> pl.DataFrame:
        users, columns = places.shape
        frame = {"query": np.repeat(np.arange(users), columns), "item": names[places.ravel()]}
        return pl.DataFrame(frame | ({"score": np.tile(np.arange(columns, 0.0, -1), users)} if score else {}))

    shown, had = some(size.users, size.shown), some(size.users, size.had)
    half = size.wanted // 2
    wanted = np.concatenate(
        [random.permuted(shown, axis=1)[:, :half], some(size.users, size.wanted - half)], axis=1
    )
    popular = np.bincount(had.ravel(), minlength=size.items).argsort(kind="stable")[::-1][: size.shown]
    table(shown, score=True).write_parquet(folder / "recs.parquet")
    table(wanted, score=False).unique(maintain_order=True).write_parquet(folder / "truth.parquet")
    table(had, score=False).write_parquet(folder / "history.parquet")
    table(np.tile(popular, (size.users, 1)), score=True).write_parquet(folder / "baseline_lists.parquet")
    np.save(folder / "features.npy", random.standard_normal((size.items, size.width), dtype=np.float32))


def _ids(numbers: np.ndarray[Any, Any]) -> pl.Series:
    import polars as pl

    text = pl.Series(numbers.ravel()).cast(pl.String).str.zfill(8)
    return pl.select("doc" + text).to_series()


def _as_it_is(run: pl.DataFrame, _random: np.random.Generator) -> pl.DataFrame:
    return run


def _shuffled(run: pl.DataFrame, random: np.random.Generator) -> pl.DataFrame:
    return run[random.permutation(run.height)]


def _tied(run: pl.DataFrame, _random: np.random.Generator) -> pl.DataFrame:
    """Scores without decimals: ten different ones or so in a list."""
    import polars as pl

    return run.with_columns(pl.col("score").round(0))


_CHANGES = {
    **{"ranking": _as_it_is, "ranking-shuffled": _shuffled, "ranking-ties": _tied},
    **{"small": _as_it_is, "trec": _as_it_is},
}


def _write_trec(run: pl.DataFrame, qrels: pl.DataFrame, folder: Path) -> None:
    with (folder / "run.trec").open("w", encoding="utf-8") as file:
        for query, item, score in run.iter_rows():
            file.write(f"{query} Q0 {item} 1 {score} bench\n")
    with (folder / "qrels.trec").open("w", encoding="utf-8") as file:
        for query, item, grade in qrels.iter_rows():
            file.write(f"{query} 0 {item} {grade}\n")


if __name__ == "__main__":
    write(*sys.argv[1:])
