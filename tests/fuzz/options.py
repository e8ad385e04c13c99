"""The command line with options drawn at random: numbers, or one error; nothing half-written."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random

from steelyard.cli.options import FLAGS
from steelyard.metrics.registry import TASKS

from .case import Case, rng_of
from .command import run_command
from .grammar import metric_text, value_text, well_formed
from .odd import NUMBERS, TEXTS, spoiled, spoiled_bytes
from .tables import clicks, predictions, shown, truth, written

_FORMS = ["table", "json", "csv", "markdown", "latex", "x"]
_ROLES = [
    "query",
    "item",
    "score",
    "rank",
    "label",
    "predicted",
    "weight",
    "relevance",
    "probability",
    "truth.query",
    "x",
]
_COLUMNS = ["query", "item", "score", "country", "user_id", "label", "relevance", "x"]
_OUTPUTS = [
    "out.json",
    "out.csv",
    "out.md",
    "out",
    "no/out.json",
    "-",
    "run.csv",
    ".",
    "out.xyz",
    "",
    "out.html",
]
_PER_QUERY = ["per.csv", "per.parquet", "per.jsonl", "per.xyz", "-", "no/per.csv", "out.csv"]
_CHARTS = [
    "roc=c.json",
    "calibration=c.json",
    "slices=c.json",
    "slices(auc)=c.json",
    "x=c.json",
    "roc",
    "roc=",
    "per_query=c.xyz",
]
_KEYS = [
    "predictions",
    "truth",
    "metric",
    "task",
    "profile",
    "columns",
    "by",
    "classes",
    "set",
    "ties",
    "depth",
    "format",
    "x",
]


def draw(seed: int) -> Case:
    rng = rng_of("options", seed)
    files = {
        "run.csv": written(rng, predictions(rng), "csv"),
        "qrels.txt": written(rng, truth(rng), "trec"),
        "log.csv": written(rng, clicks(rng), "csv"),
    }
    command = rng.choice([_evaluate, _evaluate, _evaluate, _explain, _metrics])
    arguments = command(rng, files)
    if rng.random() < 0.1:
        at = rng.randint(0, len(arguments))
        arguments[at:at] = [rng.choice(["--x", "-h", "--version", "-m", "--", "--by", *TEXTS])]
    arguments = [argument.replace("\0", "") for argument in arguments]  # a shell can pass none
    outputs = [
        after
        for flag, after in pairwise(arguments)
        if flag in ("-o", "--output", "--per-query") and arguments.count(after) == 1  # and is no input
    ]
    outputs += [text.partition("=")[2] for text in arguments if "=c." in text]
    text = f"steelyard {arguments}\n{shown(files)}"
    return Case(text, lambda: run_command(arguments, outputs=outputs), files, "options")


def _some(rng: Random, *choices: list[str], most: int = 4) -> list[str]:
    return [part for one in rng.sample(choices, rng.randint(0, min(most, len(choices)))) for part in one]


def _text(rng: Random, usual: list[str]) -> str:
    """One of the usual values, seldom something odd."""
    if rng.random() < 0.85:
        return rng.choice(usual)
    return rng.choice([*NUMBERS, *TEXTS]) if rng.random() < 0.5 else spoiled(rng, rng.choice(usual))


def _pair(rng: Random, keys: list[str], values: list[str]) -> str:
    return f"{_text(rng, keys)}{'=' if rng.random() < 0.97 else ''}{_text(rng, values)}"


def _flag(rng: Random) -> list[str]:
    field = rng.choice(FLAGS)
    return [f"--{field.name.replace('_', '-')}", value_text(rng, field)]


def _asked(rng: Random) -> list[str]:
    if rng.random() < 0.15:
        return ["--task", _text(rng, list(TASKS))]
    text = (
        rng.choice(["ndcg@10", "auc", "mrr", "logloss", "gauc"]) if rng.random() < 0.5 else well_formed(rng)
    )
    return ["-m", text if rng.random() < 0.9 else metric_text(rng)]


def _evaluate(rng: Random, files: dict[str, bytes]) -> list[str]:
    tables = (
        ["log.csv"] if rng.random() < 0.4 else [_text(rng, ["run.csv"]), "--truth", _text(rng, ["qrels.txt"])]
    )
    run_file = []
    if rng.random() < 0.25:
        files["run.toml"] = _run_file(rng)
        run_file = ["--run-file", _text(rng, ["run.toml"])]
        tables = tables if rng.random() < 0.6 else []
    return [
        "evaluate",
        *tables,
        *(_asked(rng) if rng.random() < 0.9 else []),
        *_some(
            rng,
            _asked(rng),
            ["--profile", _text(rng, ["steelyard:2026", "trec_eval"])],
            ["--columns", _pair(rng, _ROLES, _COLUMNS)],
            ["--by", _text(rng, _COLUMNS)],
            ["--classes", _text(rng, ["0,1", "a,b", "1,0", ",", "1"])],
            ["--exclude", _text(rng, ["run.csv", "qrels.txt", "-"])],
            ["--weights", _text(rng, ["score", "weight", "log.csv", "x.csv"])],
            [
                "--set",
                _pair(
                    rng,
                    ["rel", "gain", "mean", "truth", "ties", "beta", "bins"],
                    [*NUMBERS, "median", "exp2"],
                ),
            ],
            _flag(rng),
            _flag(rng),
            ["--format", _text(rng, _FORMS)],
            ["-o", _text(rng, _OUTPUTS)],
            ["--per-query", _text(rng, _PER_QUERY)],
            ["--chart", _text(rng, _CHARTS)],
            ["--lang", _text(rng, ["en", "zh"])],
        ),
        *run_file,
    ]


def _run_file(rng: Random) -> bytes:
    lines = []
    for key in rng.sample(_KEYS, rng.randint(0, 4)):
        usual = {
            "predictions": ["run.csv"],
            "truth": ["qrels.txt"],
            "metric": ["mrr", "auc"],
            "by": _COLUMNS,
            "columns": ["query=x"],
        }
        text = json.dumps(_text(rng, usual.get(key, ["given", "x", "rel=2", "table"])), ensure_ascii=False)
        value = rng.choice(
            [
                text,
                text,
                text,
                f"[{text}]",
                f"[[{text}]]",
                "5",
                "true",
                "1.5",
                "{}",
                "{a = 1}",
                "{a = {b = 'c'}}",
                "[]",
                "2020-01-01",
            ]
        )
        lines.append(f"{key} = {value}\n")
    data = "".join(lines).encode("utf-8", "surrogatepass")
    return (
        spoiled_bytes(rng, data, [b"\xff", b"\0", b"[", b"]", b"=", b'"', b"\n", b"a.b.", b"x = 1\n", b"#"])
        if rng.random() < 0.3
        else data
    )


def _explain(rng: Random, _files: dict[str, bytes]) -> list[str]:
    def numbers(usual: list[str]) -> str:
        return ",".join(_text(rng, usual) for _ in range(rng.randint(1, 5)))

    examples = [
        ["--grades", numbers(["0", "1", "2"])],
        ["--grades", numbers(["0", "1"]), "--judged", numbers(["0", "1", "2"])],
        ["--labels", "1,0,1,0", "--scores", "0.9,0.4,0.4,0.1"],
        ["--labels", numbers(["0", "1", "a"]), "--scores", numbers(["0.5", "0.2", "1"])],
        ["--labels", "a,b,a", "--predicted", "a,b,b"],
        ["run.csv", "--truth", "qrels.txt", "--query", _text(rng, ["q0", "q1", "x"])],
        ["log.csv", "--query", _text(rng, ["u", "v"])],
        ["log.csv"],
    ]
    return [
        "explain",
        _asked(rng)[1] if rng.random() < 0.95 else "roc",
        *rng.choice(examples),
        *_some(
            rng,
            ["--weights", numbers(["1", "2"])],
            ["--groups", numbers(["u", "v"])],
            ["--classes", _text(rng, ["0,1", "a,b"])],
            ["--columns", _pair(rng, _ROLES, _COLUMNS)],
            ["--profile", _text(rng, ["trec_eval"])],
            ["--set", _pair(rng, ["rel", "gain", "ties"], [*NUMBERS, "expected"])],
            ["--lang", _text(rng, ["en", "zh"])],
            ["--format", _text(rng, ["table", "markdown", "html"])],
            ["-o", _text(rng, ["out.md", "out.html", "out.txt", "no/out.md", "-", "run.csv"])],
        ),
    ]


def _metrics(rng: Random, _files: dict[str, bytes]) -> list[str]:
    name = [_text(rng, ["ndcg", "auc", "召回率", "precision", "x"])] if rng.random() < 0.7 else []
    return [
        "metrics",
        *name,
        *_some(rng, ["--task", _text(rng, list(TASKS))], ["--lang", _text(rng, ["en", "zh"])]),
    ]
