"""What a user sees besides an evaluation: comparisons, gates, searches, pages, charts, files, trec_eval.

An answer has values (numbers, ids, names of metrics) and words apart, so that a change of wording leaves the
values as they are.
"""

from __future__ import annotations

import contextlib
import html
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import tables

import steelyard as sy
from steelyard.cli.main import main as command

Case = Callable[[], Any]
LANGUAGES = ("en", "zh")
SENTENCES = {"text", "one_means", "other_means"}  # columns that hold sentences
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
_MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.S)


def cases() -> Iterator[tuple[str, Case]]:
    """Every case under its name."""
    yield from _comparisons()
    yield from _gates()
    yield from _searches()
    yield from _charts()
    yield from _pages()
    yield from _files()
    yield from _trec_eval()
    yield from _commands()


def frame(table: pl.DataFrame | None) -> list[Any]:
    """A table as lists, without the columns that hold sentences."""
    if table is None:
        return []
    kept = table.drop(SENTENCES, strict=False)
    return [kept.columns, *kept.rows()]


def numbers(text: str) -> list[str]:
    """The numbers of a text, in order."""
    return _NUMBER.findall(text)


def visible(page: str) -> str:
    """What a page says, without its markup."""
    return re.sub(r"\s+", " ", html.unescape(_MARKUP.sub(" ", page))).strip()


def _words(given: Any) -> dict[str, str]:
    return {lang: given.to_text(lang=lang) for lang in LANGUAGES}


def _systems() -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The run of the tables, the same with other scores, and one that lacks some queries."""
    t = tables.rankings()
    run = t["run"].drop("country")
    other = run.with_columns(score=(pl.col("score") * 7).sin())
    shuffled = run.with_columns(score=pl.col("item").hash(3).cast(pl.Float64))
    return {"first": run, "second": other, "third": shuffled}, t["truth"]


def _scored() -> pl.DataFrame:
    log = tables.clicks().drop("weight")
    return log.with_columns(p_new=(pl.col("score") * 0.8 + 0.1 * pl.col("clicked")).round(2)).rename(
        {"score": "p_old"}
    )


def _untied() -> tuple[pl.DataFrame, pl.DataFrame]:
    """A run without ties and grades from 0, which every library takes."""
    systems, truth = _systems()
    return systems["third"], truth.drop("country").filter(pl.col("relevance") >= 0)


TWO_SCORES = {"score": ["p_old", "p_new"], "label": "clicked", "query": "user_id"}
ACCURACY = ["ndcg@10", "mrr", "recall@10"]


def _comparisons() -> Iterator[tuple[str, Case]]:
    systems, truth = _systems()
    log = _scored()

    def ranked(metrics: Any = ACCURACY, **options: Any) -> Case:
        return lambda: _comparison(sy.compare(systems, truth, metrics, draws=2000, **options))

    def clicks(metrics: Any, **options: Any) -> Case:
        def compared() -> Any:
            two = sy.evaluate(log, metrics=metrics, columns=TWO_SCORES)
            return _comparison(sy.compare(dict(two.items()), draws=2000, **options))

        return compared

    yield "compare rankings", ranked()
    yield "compare by country", ranked(by="country")
    for test in ("randomisation", "t", "wilcoxon", "bootstrap", "sign"):
        yield f"compare test={test}", ranked(test=test)
    yield "compare test=mcnemar", ranked(["hit_rate@3"], test="mcnemar")
    for correct in ("holm", "bonferroni", "bh", "none"):
        yield f"compare correct={correct}", ranked(correct=correct)
    yield "compare baseline, level", ranked(baseline="second", level=0.9)
    yield "compare unpaired", ranked(paired=False)
    yield "compare profile", ranked(["ndcg@10", "map"], profile="trec_eval")
    yield "compare clicks", clicks(["auc", "gauc", "logloss", "calibration", "ece"])
    yield "compare classes", clicks(["f1(threshold=0.3)", "mcc(threshold=0.3)", "accuracy(threshold=0.3)"])
    yield "refused compare, unknown test", ranked(test="chi2")
    yield "refused compare, unknown baseline", ranked(baseline="fourth")


def _comparison(found: Any) -> dict[str, Any]:
    tables = {
        "table": found.table(),
        "lost": found.lost_slices(),
    }
    name = (
        found.systems[-1]
        if found.baseline is None or found.baseline != found.systems[-1]
        else found.systems[0]
    )
    moved = [
        [(query.query, query.baseline, query.value, [item.item for item in query.shown]) for query in rows]
        for label, metric in found.metrics
        if metric.unit == "queries" and found.testing.paired
        for rows in [found.moved(label, name, baseline=found.baseline or found.systems[0])]
    ]
    return {
        "values": {name: frame(table) for name, table in tables.items()} | {"moved": moved},
        "words": _words(found),
        "written": {
            "csv": found.to_csv(),
            "markdown": found.to_markdown(),
            "latex": found.to_latex(),
            "notes": [str(note) for note in found.notes],
        },
    }


def _gates() -> Iterator[tuple[str, Case]]:
    systems, truth = _systems()

    def checked(**rules: Any) -> Case:
        def gate() -> Any:
            found = sy.check(systems["second"], truth, **rules)
            return {
                "values": {"passed": found.passed, "table": frame(found.table())},
                "words": _words(found),
                "written": {"junit": found.to_junit(), "markdown": found.to_markdown()},
            }

        return gate

    base = systems["first"]
    yield "check min and max", checked(min={"ndcg@10": 0.1, "mrr": 0.9}, max={"recall@10": 0.99})
    for mode in ("point", "harm", "non_inferior"):
        yield f"check mode={mode}", checked(baseline=base, max_drop={"ndcg@10": "5%", "mrr": 0.01}, mode=mode)
    yield (
        "check by country, coverage",
        checked(baseline=base, max_drop={"ndcg@10": 0.02}, by="country", min_coverage=0.5),
    )
    yield "refused check, no rule", checked()


def _searches() -> Iterator[tuple[str, Case]]:
    run, truth = _untied()

    def claimed(**claims: float) -> Case:
        def search() -> Any:
            asked = {text.replace("_at_", "@"): value for text, value in claims.items()}
            found = sy.which(run, truth, asked)
            return {"values": frame(found.table()), "words": _words(found)}

        return search

    yield (
        "which map",
        claimed(
            map_at_10=round(
                sy.evaluate(run, truth, "map(denominator=hits)@10")["map(denominator=hits)@10"], 4
            )
        ),
    )
    yield "which nothing fits", claimed(mrr_at_10=0.123456789)
    yield "which two claims", claimed(ndcg_at_10=0.2, map_at_10=0.1)
    for metric, profiles in {
        "map@10": ("recbole", "trec_eval"),
        "ndcg@10": ("lightgbm", "sklearn"),
        "recall@10": ("ranx", "lenskit:2025"),
    }.items():

        def explained(metric: str = metric, profiles: tuple[str, str] = profiles) -> Any:
            found = sy.differences(run, truth, metric, profiles=profiles)
            shares = {"values": found.values, "gap": found.gap, "parts": found.parts}
            return {
                "values": {"table": frame(found.table()), "queries": frame(found.per_query()), **shares},
                "words": _words(found),
            }

        yield f"differences {metric} of {' and '.join(profiles)}", explained


def _evaluated() -> dict[str, Any]:
    """A result of each kind, from which charts and pages are made."""
    systems, truth = _systems()
    t, beside = tables.rankings(), tables.beside_lists()
    zoo = tables.animals().drop("weight")
    return {
        "rankings": sy.evaluate(systems["first"], truth, ACCURACY, by="country"),
        "clicks": sy.evaluate(
            tables.clicks().drop("weight"), metrics=["auc", "gauc", "logloss", "calibration"], by="country"
        ),
        "classes": sy.evaluate(
            zoo,
            metrics=["f1(average=macro)", "accuracy", "confusion"],
            columns={"label": "label", "predicted": "guess"},
        ),
        "ratings": sy.evaluate(tables.ratings(), metrics=["rmse", "mae"], by="country"),
        "lists": sy.evaluate(
            t["run"].drop("country"),
            t["qrels"],
            ["ndcg@10", "coverage@10", "diversity@10", "gini@10"],
            **beside,
        ),
    }


def _charts() -> Iterator[tuple[str, Case]]:
    for kind, result in _evaluated().items():
        for name in result.charts():
            yield f"chart {name} of {kind}", lambda result=result, name=name: _chart(result.chart(name))
    systems, truth = _systems()
    compared = sy.compare(systems, truth, ACCURACY, by="country", draws=2000)
    for name in ("forest", "scatter", "slice_differences"):
        system = {"system": "second"} if name != "forest" else {}
        yield f"chart {name}", lambda name=name, more=system: _chart(compared.chart(name, **more))


def _chart(chart: Any) -> dict[str, Any]:
    specs = {lang: chart.spec(lang) for lang in LANGUAGES}
    return {"values": frame(chart.table), "drawn": specs["en"], "words": specs}


def _pages() -> Iterator[tuple[str, Case]]:
    results = _evaluated()

    def page(write: Callable[..., None]) -> Case:
        def written() -> Any:
            with tempfile.TemporaryDirectory() as folder:
                said = {}
                for lang in LANGUAGES:
                    path = Path(folder, f"{lang}.html")
                    write(path, lang)
                    said[lang] = visible(path.read_text("utf-8"))
            return {"values": numbers(said["en"]), "words": said}

        return written

    for kind, result in results.items():
        yield (
            f"page {kind}",
            page(lambda path, lang, result=result: result.report(path, lang=lang, title="Net")),
        )
    systems, truth = _systems()
    compared = sy.compare(systems, truth, ACCURACY, by="country", draws=2000)
    yield "page comparison", page(lambda path, lang: compared.report(path, lang=lang, title="Net"))
    several = {name: sy.evaluate(run, truth, ACCURACY) for name, run in systems.items()}
    yield "page several", page(lambda path, lang: sy.report(several, path, lang=lang, title="Net"))
    gap = sy.differences(*_untied(), "map@10", profiles=("recbole", "trec_eval"))
    yield "page differences", page(lambda path, lang: gap.report(path, lang=lang, title="Net"))
    for metric in ("ndcg@5", "auc"):

        def explained(path: Path, lang: str, metric: str = metric) -> None:
            given = (
                {"grades": [3, 0, 2, 0, 1]}
                if metric != "auc"
                else {"labels": [1, 0, 1, 0], "scores": [4, 3, 2, 1]}
            )
            path.write_text(sy.explain(metric, **given).to_html(lang), "utf-8")

        yield f"page explain {metric}", page(explained)


def _files() -> Iterator[tuple[str, Case]]:
    for kind, result in _evaluated().items():

        def kept(result: Any = result) -> Any:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "kept.steelyard")
                result.save(path)
                loaded = sy.load(path)
            return {
                "values": {
                    "table": frame(loaded.table()),
                    "certainty": frame(loaded.certainty()),
                    "same": loaded.to_json() == result.to_json(),
                },
                "words": _words(loaded),
            }

        yield f"saved {kind}", kept
        yield (
            f"written {kind}",
            lambda result=result: {
                "values": result.to_csv(),
                "written": {form: result.render(form) for form in ("json", "markdown", "latex")},
                "words": result.to_html(),
            },
        )


def _run(*arguments: str) -> dict[str, Any]:
    """What a command prints on both streams, and how it ends."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    code: Any = 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["steelyard", *arguments]),
    ):
        try:
            command()
        except SystemExit as ended:
            code = ended.code
    said, talk = (stream.detach().getvalue().decode() for stream in (out, err) if not stream.flush())
    return {"values": {"exit": code, "numbers": numbers(said)}, "written": said, "words": talk}


def _in_folder(write: Callable[[Path], list[str]]) -> Case:
    """A command on files of a folder of its own, under names that are the same every day."""

    def run() -> Any:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            return _run(*write(Path()))

    return run


def _trec_files(folder: Path) -> None:
    systems, truth = _systems()
    rows = (f"{query} Q0 {item} 1 {score} net" for query, item, score in systems["first"].rows())
    (folder / "run").write_text("\n".join(rows) + "\n", "utf-8")
    rows = (f"{query} 0 {item} {grade}" for query, item, grade in truth.drop("country").rows())
    (folder / "qrels").write_text("\n".join(rows) + "\n", "utf-8")


def _trec_eval() -> Iterator[tuple[str, Case]]:
    flags = {
        "": [],
        "-c": ["-c"],
        "-q all_trec": ["-q", "-m", "all_trec"],
        "-l 2 -M 10": ["-l", "2", "-M", "10", "-m", "all_trec"],
        "-J -n": ["-J", "-q", "-n"],
        "--as 9": ["--as", "9", "-m", "all_trec"],
        "parameters": ["-m", "P.3,7", "-m", "ndcg_cut.4", "-m", "rbp.0.9"],
    }
    for name, more in flags.items():

        def asked(folder: Path, more: list[str] = more) -> list[str]:
            _trec_files(folder)
            return ["trec_eval", *more, "qrels", "run"]

        yield f"trec_eval {name}".strip(), _in_folder(asked)


def _commands() -> Iterator[tuple[str, Case]]:
    metrics = ["-m", "ndcg@10", "-m", "mrr"]
    asked: dict[str, list[str]] = {
        **{
            f"evaluate --format {form}": ["evaluate", "run", "--truth", "qrels", *metrics, "--format", form]
            for form in ("table", "json", "csv", "markdown", "latex")
        },
        "evaluate in Chinese": ["evaluate", "run", "--truth", "qrels", *metrics, "--lang", "zh"],
        "evaluate, unknown metric": ["evaluate", "run", "--truth", "qrels", "-m", "ndgc@10"],
        "evaluate, no such file": ["evaluate", "runs", "--truth", "qrels", *metrics],
        "explain": ["explain", "ndcg@5", "--grades", "3,2,3,0,1"],
        "metrics": ["metrics"],
        "metrics ndcg": ["metrics", "ndcg"],
        "profiles": ["profiles"],
        "check": ["check", "run", "--truth", "qrels", "--min", "mrr=0.99"],
        "which": ["which", "run", "--truth", "qrels", "--claim", "mrr@10=0.3"],
    }
    for name, arguments in asked.items():

        def run(folder: Path, arguments: list[str] = arguments) -> list[str]:
            _trec_files(folder)
            return arguments

        yield f"command {name}", _in_folder(run)
