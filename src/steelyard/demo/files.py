"""The film shop as files: parquet for every table, and TREC runs and qrels of the same rows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import polars as pl

from steelyard.demo.shop import Shop
from steelyard.text import ENGLISH, languages, say
from steelyard.text.errors import writing
from steelyard.text.errors.forms import reason_of

REPORT = "report.html"  # written when everything else is there
MARK = say("A small film shop, simulated by `steelyard demo`: nobody in these files exists.")
README = say("""\
truth.parquet grades the films users watched later: 0 thumbed down, 1 watched, 2 liked, 3 loved. Country,
device and segment are the user's. qrels.txt holds the same grades, and runs/*.run the same lists and scores
to the last digit, in the TREC formats: both forms give the same numbers. films.parquet is the catalogue,
seen.parquet what users watched before. clicks.parquet is the log of the front page, with what two models
said of each click beforehand. report.html shows all of it.

What to look for
  popular     scores are counts of viewers: many films of a list are tied. Two users share more than
              half of their lists, and most of the shop is never shown (personalization, coverage)
  neighbours  lists of people with a short history are unfinished, a few people get none, and
              new users are better served by popular (--by segment shows it)
  taste       the best of the three, but it recommends films that people have just seen
  truth       some users never came back (no row), some liked nothing they saw (only zeros)
  p_fame      the same for everybody: its probabilities add up, its order is weak
  p_taste     its order is good, its probabilities are half as high again as they should be

What to try in this folder
  steelyard evaluate runs/taste.parquet --truth truth.parquet -m ndcg@10 -m recall@50
  steelyard evaluate runs/taste.parquet --truth truth.parquet -m ndcg@10 --exclude seen.parquet
  steelyard evaluate runs/popular.run --truth qrels.txt -m ndcg@10 --ties expected
  steelyard evaluate runs/neighbours.parquet --truth truth.parquet -m ndcg@10 --by segment
  steelyard evaluate runs/popular.parquet --truth truth.parquet -m hit_rate@10 --by country --by device
  steelyard evaluate runs/popular.parquet -m coverage@10 -m gini@10 --catalog films.parquet
  steelyard evaluate runs/taste.parquet -m novelty@10 -m repetition@10 --history seen.parquet
  steelyard evaluate clicks.parquet --columns score=p_taste --task ctr --by segment
  steelyard evaluate clicks.parquet --columns score=p_fame --task ctr --report clicks.html
  steelyard compare runs/popular.run runs/taste.run --truth qrels.txt -m ndcg@10 --baseline popular
  steelyard compare clicks.parquet --scores p_fame,p_taste -m auc -m gauc --report models.html

How the shop is made: the first lines of steelyard/demo/shop.py say it in plain words.
""")
_OTHER_FOLDER = say("name a folder that you may write to")


def write(shop: Shop, folder: Path, lang: str = ENGLISH) -> list[Path]:
    """Write the shop to ``folder`` and return the paths of the files.

    A file is whole or absent: it is written under another name and then renamed. Only files of an earlier
    demo are replaced.
    """
    tables = {"truth": shop.truth, "seen": shop.seen, "films": shop.films, "clicks": shop.clicks}
    tables |= {f"runs/{name}": run for name, run in shop.runs.items()}
    contents = {"README.txt": _readme(tables, lang)}  # first: it marks the folder as the demonstration's
    contents |= {f"{name}.parquet": _parquet(table) for name, table in tables.items()}
    zero = pl.lit("0").alias("round")
    contents["qrels.txt"] = _trec(shop.truth.select("user_id", zero, "film_id", "relevance"))
    contents |= {f"runs/{name}.run": _run(run, name) for name, run in shop.runs.items()}

    _create(folder)
    _refuse_others(folder, [*contents, REPORT])
    _create(folder / "runs")
    return [_put(folder / name, content) for name, content in contents.items()]


def _parquet(table: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _run(run: pl.DataFrame, name: str) -> bytes:
    place = pl.int_range(1, pl.len() + 1).over("user_id").alias("place")
    return _trec(run.select("user_id", pl.lit("Q0").alias("q0"), "film_id", place, "score", pl.lit(name)))


def _trec(table: pl.DataFrame) -> bytes:
    return table.write_csv(include_header=False, separator=" ", quote_style="never").encode()


def _readme(tables: dict[str, pl.DataFrame], lang: str) -> bytes:
    rows = say("rows // of a file").told(lang)
    files = "\n".join(
        f"  {name + '.parquet':<24} {table.height:>7,} {rows}   {', '.join(table.columns)}"
        for name, table in tables.items()
    )
    return "\n\n".join([MARK.told(lang), files, README.told(lang)]).encode()


def _refuse_others(folder: Path, names: Iterable[str]) -> None:
    present = next((folder / name for name in names if os.path.lexists(folder / name)), None)
    if present is not None and not _is_marked(folder / "README.txt"):
        raise writing.not_the_demo_s(path=present)


def _is_marked(readme: Path) -> bool:
    try:
        with readme.open("rb") as file:
            return file.readline().strip().decode() in map(MARK.told, languages())
    except (OSError, UnicodeDecodeError):
        return False


def _create(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise writing.not_a_folder(path=folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise writing.cannot_write(what=folder, why=reason_of(error), remedy=_OTHER_FOLDER) from error


def _put(path: Path, content: bytes) -> Path:
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        raise writing.cannot_write(what=path, why=reason_of(error), remedy=_OTHER_FOLDER) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return path
