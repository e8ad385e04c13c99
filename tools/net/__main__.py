"""The net: the answers to some hundred questions as files, and what differs between two such folders.

    python tools/net check HEAD                  # the working tree against a commit
    python tools/net write build/net/after       # the answers of the working tree
    python tools/net compare build/net/before build/net/after

Numbers are kept to the bit, words as they are shown. ``check`` and ``compare`` exit with 1 where anything
differs; ``--only values …`` names the parts to compare, and ``--numbers`` all parts but the words.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import surfaces
from cases import cases

import steelyard as sy
from steelyard.engine.slices import ENDS
from steelyard.render import text

VALUES = ("values", "certainty", "per_query", "tally", "spec")
WORDS = ("words", "words_zh", "written", "drawn", "refused")
PARTS = (*VALUES, *WORDS)


def write(folder: Path) -> int:
    """Ask every question; one file for each answer. The folder is written anew."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    names = set()
    for name, case in (*cases(), *surfaces.cases()):
        if name in names:
            raise SystemExit(f"two cases are called {name}")
        names.add(name)
        text = json.dumps(answer(case), indent=1, ensure_ascii=False, sort_keys=True)
        (folder / f"{_file(name)}.json").write_text(text + "\n", "utf-8")
    print(f"{len(names)} answers in {folder}")
    return 0


def answer(case: Any) -> dict[str, Any]:
    """What a case gives, part by part; an error is an answer too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            given = case()
    except sy.SteelyardError as error:
        return {"refused": str(error), "words_zh": error.render("zh")}
    if isinstance(given, dict):
        return {part: _exact(value) for part, value in given.items()}
    if isinstance(given, sy.Result):
        return _result(given)
    if hasattr(given, "recomputed"):
        return {
            "values": _exact([given.value, given.recomputed()]),
            "words": {lang: given.to_text(lang, 100) for lang in ("en", "zh")},
        }
    return {"values": _frame(given.frame)}


def _result(result: sy.Result) -> dict[str, Any]:
    document = result.to_dict()
    has_queries = any(one.units is not None for one in result.measured)
    return {
        "values": _values(result.table()),
        "certainty": _frame(result.table().select(ENDS)),
        "per_query": _frame(result.per_query()) if has_queries else [],
        "tally": document["tally"],
        "spec": result.spec(),
        "words": _without_folder(repr(result)),
        "words_zh": _without_folder(text.full(result.system(lang="zh"), limit=text.TERMINAL_ROWS)),
    }


def _values(table: pl.DataFrame) -> list[Any]:
    """The table as older answers have it: no certainty, no column ``of``, and null for the whole."""
    nothing = pl.lit(None, pl.Float64)
    kept = table.drop("of", "tie_low", "tie_high").with_columns(ci_low=nothing, ci_high=nothing)
    columns, *rows = _frame(kept)
    return [columns, *([None if cell == "(all)" else cell for cell in row] for row in rows)]


def _without_folder(said: str) -> str:
    """What is said, without the folder of the day, which stands in the names of files."""
    return re.sub(r"/\S*/(run|qrels)", r"\1", said)


def _frame(frame: pl.DataFrame) -> list[Any]:
    return [frame.columns, *_exact(frame.rows())]


def _exact(values: Any) -> Any:
    """Floating-point numbers to the last bit."""
    if isinstance(values, float):
        return values.hex()
    if isinstance(values, list | tuple):
        return [_exact(value) for value in values]
    if isinstance(values, dict):
        return {name: _exact(value) for name, value in values.items()}
    return values


def _file(name: str) -> str:
    return re.sub(r"[^\w@=,.]+", "-", name).strip("-")


def compare(before: Path, after: Path, only: list[str]) -> int:
    """Name every answer that differs, with the first difference of each of its parts."""
    files = [{path.name: path for path in sorted(folder.glob("*.json"))} for folder in (before, after)]
    if not files[0] or not files[1]:
        empty = before if not files[0] else after
        raise SystemExit(f"{empty} holds no answers; write them with: python tools/net write {empty}")
    found = 0
    for name in sorted({*files[0], *files[1]}):
        if name not in files[0] or name not in files[1]:
            print(f"{name}: only in {before if name in files[0] else after}")
            found += 1
            continue
        old, new = (json.loads(side[name].read_text("utf-8")) for side in files)
        differing = [part for part in only if old.get(part) != new.get(part)]
        found += bool(differing)
        for part in differing:
            place, was, now = next(_differences(old.get(part), new.get(part), part))
            print(f"{name}: {place}\n  - {_shown(was)}\n  + {_shown(now)}")
    both = len({*files[0]} & {*files[1]})
    print(f"{both} answers compared ({', '.join(only)}), {found} differ")
    return 1 if found else 0


def check(revision: str, only: list[str]) -> int:
    """Compare the working tree with a commit, which answers with its own source and its own net."""
    named = subprocess.run(
        ["git", "rev-parse", "--verify", f"{revision}^{{commit}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if named.returncode:
        raise SystemExit(f"{revision} is no commit of this repository")
    commit = named.stdout.strip()
    before, after = (Path("build", "net", name) for name in (commit, "now"))
    if not before.exists():
        with tempfile.TemporaryDirectory() as folder:
            packed = subprocess.run(["git", "archive", commit], capture_output=True, check=True).stdout
            with tarfile.open(fileobj=io.BytesIO(packed)) as files:
                files.extractall(folder, filter="data")
            source = os.environ | {"PYTHONPATH": str(Path(folder, "src"))}
            arguments = [str(Path(folder, "tools", "net")), "write", str(before.resolve())]
            subprocess.run([sys.executable, *arguments], env=source, check=True)
    write(after)
    return compare(before, after, only)


def _differences(old: Any, new: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}):
            if name not in old or name not in new:
                yield f"{place}.{name}", old.get(name, "absent"), new.get(name, "absent")
            elif old[name] != new[name]:
                yield from _differences(old[name], new[name], f"{place}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (was, now) in enumerate(zip(old, new, strict=True)):
            if was != now:
                yield from _differences(was, now, f"{place}[{at}]")
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        lines = zip([*old.split("\n"), ""], [*new.split("\n"), ""], strict=False)
        yield next((f"{place}, line {at}", *pair) for at, pair in enumerate(lines, 1) if pair[0] != pair[1])
    else:
        yield place, old, new


def _shown(value: Any) -> str:
    """A value as a person reads it; a hexadecimal number also in decimals."""
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and re.fullmatch(r"-?0x[01]\.[0-9a-f]+p[+-]\d+", value):
        text += f" = {float.fromhex(value)!r}"
    return text if len(text) < 300 else f"{text[:300]} …"


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python tools/net", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="ask every question and keep the answers in a folder")
    writing.add_argument("folder", type=Path)
    comparing = commands.add_parser("compare", help="what differs between two folders; exit 1 if anything")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    checking = commands.add_parser("check", help="what differs between a commit and the working tree")
    checking.add_argument("revision", nargs="?", default="HEAD")
    for command in (comparing, checking):
        command.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
        command.add_argument("--numbers", dest="only", action="store_const", const=list(VALUES))
    asked = parser.parse_args()
    if asked.command == "write":
        return write(asked.folder)
    if asked.command == "check":
        return check(asked.revision, asked.only)
    return compare(asked.before, asked.after, asked.only)


if __name__ == "__main__":
    sys.exit(main())
