"""``python -m tests.fuzz``: a million cases, or with a family and a seed the one case that they name."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from .crew import ROOT, Find, Tally, run, run_all
from .families import FAMILIES

SHARES = {"grammar": 0.5, "readers": 0.2, "objects": 0.15, "options": 0.15}
KEPT = ROOT / "build" / "fuzz"
_CHUNK = 2500  # cases that one process runs before another takes its place


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("family", nargs="?", choices=list(FAMILIES), help="show one case of this family")
    parser.add_argument("case", nargs="?", type=int, help="its number")
    parser.add_argument("--cases", type=int, default=1_000_000, help="how many in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="where the numbers of the cases begin")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(arguments)
    if asked.case is not None:
        return _one(asked.family, asked.case)
    families = [asked.family] if asked.family else list(FAMILIES)
    work = list(_work(families, asked.cases, asked.seed))
    print(f"{'family':10}{'cases':>10}{'accepted':>10}{'refused':>10}{'void':>10}{'finds':>10}")
    tallies = {}
    for family in families:
        tallies |= {family: Tally(), **run_all([part for part in work if part[0] == family], asked.processes)}
        ends = [tallies[family].ends[end] for end in ("accepted", "refused", "void", "find")]
        print(f"{family:10}{sum(ends):>10,}" + "".join(f"{count:>10,}" for count in ends), flush=True)
    found = _told(tallies)
    ran = sum(tally.ends.total() for tally in tallies.values())
    if ran != asked.cases:
        print(f"{ran:,} cases ran, not {asked.cases:,}")
    return int(found or ran != asked.cases)


def _one(family: str, number: int) -> int:
    """Show a case, how it ended, and why."""
    case, tally = FAMILIES[family](number), Tally()
    print(case.text)
    run(family, range(number, number + 1), tally)
    print(*tally.ends, *tally.details, sep="\n")
    return int(bool(tally.finds))


def _work(families: list[str], cases: int, seed: int) -> Iterator[tuple[str, range]]:
    """The cases of each family by its share, ``cases`` in all, in chunks."""
    shares = list(accumulate(SHARES[family] for family in families))
    borders = [0, *(round(cases * share / shares[-1]) for share in shares)]
    for family, first, last in zip(families, borders, borders[1:], strict=False):
        stop = seed + last - first
        for start in range(seed, stop, _CHUNK):
            yield family, range(start, min(start + _CHUNK, stop))


def _told(tallies: dict[str, Tally]) -> bool:
    """Name each kind of find once, and keep it; whether there is one."""
    kinds = defaultdict(list)
    for tally in tallies.values():
        for find in tally.finds:
            kinds[find.what].append(find)
    for what, finds in sorted(kinds.items(), key=lambda kind: -len(kind[1])):
        shortest = min(finds, key=lambda find: len(find.detail))
        print(f"{len(finds):6,} × {what}: python -m tests.fuzz {shortest.family} {shortest.seed}")
        _keep(shortest)
    return bool(kinds)


def _keep(find: Find) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "_", f"{find.what}_{find.family}_{find.seed}")
    text = f"{FAMILIES[find.family](find.seed).text}\n\n{find.what}\n{find.detail}"
    Path(KEPT, f"{name[-120:]}.txt").write_text(text, "utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
