"""Files of every kind, most of them after an accident: numbers that agree with their tally, or a refusal."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random
from typing import Any

import steelyard as sy

from .case import Case, check_result, rng_of
from .command import run_command
from .odd import NUMBERS, TEXTS, spoiled_bytes
from .results import every_form
from .tables import BINARY_KINDS, TEXT_KINDS, beside, shown, task, written

_ENDINGS = [*TEXT_KINDS, *BINARY_KINDS, "run", "qrels", "gz", "json", "zst", "x"]
_ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "gbk", "utf-8-sig", "utf-7"]
_PIECES = [
    *(text.encode("utf-8", "surrogatepass") for text in [*NUMBERS, *TEXTS]),
    *(b"\xff", b"\x9b", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\0" * 8, b"\xff" * 8),
    *(
        b",",
        b"\t",
        b"\n",
        b"\r",
        b"\r\n",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[" * 2000,
        b'{"a":' * 2000,
        b" ",
        b"\n\n",
    ),
    *(b"PAR1", b"ARROW1", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x80" * 9 + b"\x01"),
]


def draw(seed: int) -> Case:
    rng = rng_of("readers", seed)
    drawn = task(rng)
    hurt = rng.choice(list(drawn.tables))
    files = {}
    for name, rows in drawn.tables.items():
        kind = rng.choice(TEXT_KINDS + BINARY_KINDS if name == hurt else ["csv", "parquet"])
        data = written(rng, rows, kind)
        if name == hurt:
            data, kind = _after_accident(rng, data, kind)
            hurt = f"{name}.{kind}"
        files[f"{name}.{kind}"] = data
    metrics = rng.sample(drawn.metrics, rng.randint(1, 3))
    if rng.random() < 0.15:
        return _by_command(files, metrics, hurt, stream=rng.random() < 0.5)
    paths: list[str | list[str]] = list(files)
    options: dict[str, Any] = {"by": "country"} if rng.random() < 0.2 else {}
    if rng.random() < 0.1:  # a table in two files, the second of another kind
        paths[0] = [paths[0], "more.csv"]
        files["more.csv"] = written(rng, next(iter(task(rng).tables.values())), "csv")
    if "qrels" in drawn.tables and rng.random() < 0.2:
        kind, name = rng.choice(["csv", "tsv", "jsonl", *BINARY_KINDS]), rng.choice(["exclude", "weights"])
        data, kind = _after_accident(rng, written(rng, beside(rng, name), kind), kind)
        options[name] = Path(f"{name}.{kind}")
        files[str(options[name])] = data
    text = f"sy.evaluate(*{paths}, metrics={metrics}, **{options})\n{shown(files)}"

    def run() -> None:
        result = sy.evaluate(*paths, metrics=metrics, **options)
        check_result(result)
        every_form(result)

    return Case(text, run, files, hurt.partition(".")[2])


def _by_command(files: dict[str, bytes], metrics: list[str], hurt: str, *, stream: bool) -> Case:
    names = ["-" if stream and name == hurt else name for name in files]
    flags = [part for metric in metrics for part in ("-m", metric)]
    arguments = ["evaluate", names[0], *(["--truth", names[1]] if len(names) > 1 else []), *flags]
    text = f"steelyard {arguments}{f' < {hurt}' if stream else ''}\n{shown(files)}"
    stdin = files[hurt] if stream else b""
    return Case(text, lambda: run_command(arguments, stdin), files, hurt.partition(".")[2])


def _after_accident(rng: Random, data: bytes, kind: str) -> tuple[bytes, str]:
    """The bytes of a file after an accident, if it had one, and the ending under which they are found."""
    packed = kind in TEXT_KINDS and rng.random() < 0.15
    match rng.randrange(20):
        case 0:
            data = data.decode("utf-8", "replace").encode(rng.choice(_ENCODINGS), "replace")
        case 1:
            data = data.replace(b"\n", rng.choice([b"\r", b"\r\n", b"\n\n", b""]))
        case 2:
            data = rng.randbytes(rng.randint(0, 200))
        case 3 | 4 | 5 | 6 | 7:
            pass
        case _:
            data = spoiled_bytes(rng, data, _PIECES)
    if packed:
        data = gzip.compress(data, mtime=0)
        if rng.random() < 0.5:
            data = spoiled_bytes(rng, data, _PIECES)
        kind += rng.choice([".gz", ".gz", ".gz", ""])
    return data, rng.choice(_ENDINGS) if rng.random() < 0.05 else kind
