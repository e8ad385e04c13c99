"""Write the film shop to a folder and evaluate it in front of the user."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.api.compare import compare
from steelyard.api.evaluate import evaluate
from steelyard.api.load import report
from steelyard.demo.files import REPORT, write
from steelyard.demo.shop import simulate
from steelyard.render import page, text
from steelyard.render.text import aligned, indented, wrapped
from steelyard.result.result import Result
from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import OutputError
from steelyard.text.labels import in_table, percent

METRICS = ("ndcg@10", "map@10", "mrr", "recall@20", "hit_rate@10")
OF_LISTS = ("coverage@10", "diversity@10", "novelty@10", "personalization@10")
OF_CLICKS = ("auc", "gauc", "pr_auc", "logloss", "ne", "calibration")
MODELS = ("p_fame", "p_taste")


def show(folder: Path, tell: Callable[[str], object], width: int | None = None, lang: str = ENGLISH) -> None:
    """Simulate, write, evaluate, and print the next commands to try; sentences are wrapped to ``width``."""

    def told(message: Message) -> str:
        return wrapped(message.told(lang), width)

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
    tell(_side_by_side(say("recommender").told(lang), METRICS, results))
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
    tell(_side_by_side(say("recommender").told(lang), OF_LISTS, results))

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
    tell(_side_by_side(say("model").told(lang), OF_CLICKS, models))
    begin(say("The second against the first, user by user:"))
    tell(indented(compare(log, metrics=OF_CLICKS[:2], scores=MODELS, baseline=MODELS[0]).to_text(lang=lang)))
    tell("")
    for name, result in models.items():
        for reading in result.readings():
            tell(told(say("→ {name}: {reading}", name=name, reading=reading.said)))

    tell("\n" + say("Try next:").told(lang))
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
        return say("No page of this was made: {what}; {hint}.", what=missing.said, hint=missing.hint)
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
