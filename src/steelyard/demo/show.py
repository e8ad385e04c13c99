"""The film shop as files, in parquet and in the TREC formats, and its evaluation in front of the user."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.api.compare import compare
from steelyard.api.evaluate import evaluate
from steelyard.api.load import report
from steelyard.demo.shop import Shop, simulate
from steelyard.render import output, page, text
from steelyard.render.text import aligned, indented, wrapped
from steelyard.result.result import Result
from steelyard.text import ENGLISH, Message, languages, say
from steelyard.text.errors import OutputError, writing
from steelyard.text.errors.forms import reason_of
from steelyard.text.labels import in_table, percent

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


def write(shop: Shop, folder: Path, lang: str = ENGLISH) -> list[Path]:
    """Write the shop to ``folder`` and return the paths of the files.

    Each file is whole or absent. Only files of an earlier demo are replaced.
    """
    tables = {"truth": shop.truth, "seen": shop.seen, "films": shop.films, "clicks": shop.clicks}
    tables |= {f"runs/{name}": run for name, run in shop.runs.items()}
    zero, place = pl.lit("0").alias("round"), pl.int_range(1, pl.len() + 1).over("user_id").alias("place")
    trec = {"qrels.txt": shop.truth.select("user_id", zero, "film_id", "relevance")}
    for name, run in shop.runs.items():
        fields = ("user_id", pl.lit("Q0").alias("q0"), "film_id", place, "score", pl.lit(name))
        trec[f"runs/{name}.run"] = run.select(*fields)
    names = ["README.txt", *(f"{name}.parquet" for name in tables), *trec]
    _create(folder)
    _refuse_others(folder, [*names, REPORT])
    _create(folder / "runs")
    output.write_text(folder / "README.txt", _readme(tables, lang))  # first: it marks the folder
    for name, table in tables.items():
        output.write_frame(folder / f"{name}.parquet", table)
    for name, table in trec.items():
        lines = table.write_csv(include_header=False, separator=" ", quote_style="never")
        output.write_text(folder / name, lines)
    return [folder / name for name in names]


def _readme(tables: dict[str, pl.DataFrame], lang: str) -> str:
    rows = say("rows // of a file").render(lang)
    files = "\n".join(
        f"  {name + '.parquet':<24} {table.height:>7,} {rows}   {', '.join(table.columns)}"
        for name, table in tables.items()
    )
    return "\n\n".join([MARK.render(lang), files, README.render(lang)])


def _refuse_others(folder: Path, names: Iterable[str]) -> None:
    present = next((folder / name for name in names if os.path.lexists(folder / name)), None)
    if present is not None and not _is_marked(folder / "README.txt"):
        raise writing.not_the_demo_s(path=present)


def _is_marked(readme: Path) -> bool:
    try:
        with readme.open("rb") as file:
            return file.readline().strip().decode() in map(MARK.render, languages())
    except (OSError, UnicodeDecodeError):
        return False


def _create(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise writing.not_a_folder(path=folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = say("name a folder that you may write to")
        raise writing.cannot_write(what=folder, why=reason_of(error), remedy=remedy) from error


# --- its evaluation

METRICS = ("ndcg@10", "map@10", "mrr", "recall@20", "hit_rate@10")
OF_LISTS = ("coverage@10", "diversity@10", "novelty@10", "personalization@10")
OF_CLICKS = ("auc", "gauc", "pr_auc", "logloss", "ne", "calibration")
MODELS = ("p_fame", "p_taste")


def show(folder: Path, tell: Callable[[str], object], width: int | None = None, lang: str = ENGLISH) -> None:
    """Simulate, write, evaluate, and print the next commands to try; sentences are wrapped to ``width``."""

    def told(message: Message) -> str:
        return wrapped(message.render(lang), width)

    def begin(message: Message) -> None:
        tell(f"\n{told(message)}\n")

    shop = simulate()
    paths = write(shop, folder, lang)
    begun = say(
        "A small film shop, simulated: {users} users, {films} films, {graded:,} graded films, "
        "three recommenders. {files} files are in {folder}.",
        users=shop.users.height,
        films=shop.films.height,
        graded=shop.truth.height,
        files=len(paths),
        folder=str(folder),
    )
    tell(f"{told(begun)}\n")

    truth, films, seen = (folder / f"{name}.parquet" for name in ("truth", "films", "seen"))
    known: dict[str, Any] = {
        "by": shop.users.select("user_id", "segment"),  # with the users who never came back
        "catalog": films,
        "features": films,
        "history": seen,
        "columns": {"feature": "genre"},
    }
    results = {
        name: evaluate(folder / "runs" / f"{name}.parquet", truth, (*METRICS, *OF_LISTS), **known)
        for name in shop.runs
    }
    tell(_side_by_side(say("recommender").render(lang), METRICS, results))
    begin(say("Are the differences statistically significant? The other two against popular, user by user:"))
    runs = {name: folder / "runs" / f"{name}.parquet" for name in shop.runs}
    tell(indented(compare(runs, truth, METRICS[:2], baseline="popular").to_text(lang=lang)))
    popular = results["popular"]
    hidden = say(
        "What popular hides: whoever looks, its first ten never show {hidden} of the {films} films. Its "
        "lists are varied (diversity), but two users share {shared} of theirs (personalization), and little "
        "in them is new to people (novelty):",
        hidden=round((1 - popular["coverage@10"]) * shop.films.height),
        films=shop.films.height,
        shared=percent(1 - popular["personalization@10"]),
    )
    begin(hidden)
    tell(_side_by_side(say("recommender").render(lang), OF_LISTS, results))

    begin(say("One of them in full, sliced by segment, with what each user had seen before taken out:"))
    best = folder / "runs" / "taste.parquet"
    full = evaluate(best, truth, ["ndcg@10", "recall@20"], by="segment", exclude=seen)
    tell(text.full(full.system(lang=lang), width=width))

    log = folder / "clicks.parquet"
    models = {
        name: evaluate(log, metrics=OF_CLICKS, columns={"score": name}, by="segment") for name in MODELS
    }
    shown = shop.clicks.height
    begin(say("The clicks of its front page, {n:,} films shown, predicted by two models:", n=shown))
    tell(_side_by_side(say("model").render(lang), OF_CLICKS, models))
    begin(say("The second against the first, user by user:"))
    tell(indented(compare(log, metrics=OF_CLICKS[:2], scores=MODELS, baseline=MODELS[0]).to_text(lang=lang)))
    tell("")
    for name, result in models.items():
        for reading in result.readings():
            tell(told(say("→ {name}: {reading}", name=name, reading=reading.sentence)))

    tell("\n" + say("Try next:").render(lang))
    for command in _next(folder):
        tell(f"  {_program()} {command}")
    tell("\n" + told(_reported({**results, **models}, folder / REPORT, lang)))


def _side_by_side(kind: str, metrics: Sequence[str], results: Mapping[str, Result]) -> str:
    rows = [[name, *(in_table(result[metric]) for metric in metrics)] for name, result in results.items()]
    return indented(aligned([[kind, *metrics], *rows], 1))


def _reported(results: Mapping[str, Result], path: Path, lang: str) -> Message:
    try:
        page.check()
    except OutputError as missing:
        return say("No page of this was made: {what}; {hint}.", what=missing.sentence, hint=missing.hint)
    report(results, path, title=say("A small film shop"), lang=lang)
    return say("All of this as one page, with its charts: open {path} in a browser.", path=str(path))


def _next(folder: Path) -> list[str]:
    def at(name: str) -> str:
        return shlex.quote((folder / name).as_posix())

    by_parquet, by_qrels = f"--truth {at('truth.parquet')}", f"--truth {at('qrels.txt')}"
    films = at("films.parquet")
    return [
        f"evaluate {at('runs/popular.parquet')} {by_parquet} -m ndcg@10 -m mrr --ties expected",
        f"evaluate {at('runs/neighbours.run')} {by_qrels} --task ranking --profile trec_eval",
        f"compare {at('runs/popular.parquet')} {at('runs/neighbours.parquet')} {by_parquet} -m ndcg@10 "
        "--baseline popular --by segment",
        f"evaluate {at('runs/taste.run')} -m coverage@10 -m diversity@10 --catalog {films} "
        f"--features {films} --columns feature=genre",
        f"evaluate {at('clicks.parquet')} --columns score=p_taste --task ctr --by country",
        "metrics ndcg",
    ]


def _program() -> str:
    if shutil.which("steelyard"):
        return "steelyard"
    python = Path(sys.executable)
    script = python.with_name(f"steelyard{python.suffix if os.name == 'nt' else ''}")
    return _from_here(script) if script.is_file() else f"{_from_here(python)} -m steelyard"


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))
