"""How to name the columns of a file that has no header, in a command that works as it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What a table holds, by what it is read as; of several the longest that its columns suffice for.
_HEADERS = {
    "predictions": ("query item", "query item score"),
    "truth": ("query item", "query item relevance"),
    "exclude": ("query item",),
    "weights": ("query weight",),
    "labelled": ("query relevance score", "query item relevance score"),
    "rows": ("label score",),
    "grouped rows": ("query label score",),
    "predicted rows": ("query score", "query item score"),
    "true rows": ("query label", "query item label"),
}
_COMMANDS = {
    "truth": "… --truth -",
    "true rows": "… --truth -",
    "exclude": "… --exclude -",
    "weights": "… --weights /dev/stdin",
}
_SHOWN = {".gz": "gunzip -c < FILE", ".zst": "zstd -dc < FILE"}


def command(name: str, table: str, first: Sequence[str], separator: str) -> str:
    r"""The command that evaluates a file under a header; ``first`` are the fields of its first line.

    >>> print(command("run.csv", "predictions", ["7", "21", "0.5"], ","))
    (printf 'query,item,score\n'; cat FILE) | steelyard evaluate - …
    """
    names = separator.join(_header(table, first)).replace("\t", "\\t")
    show = next((text for ending, text in _SHOWN.items() if name.endswith(ending)), "cat FILE")
    return f"(printf '{names}\\n'; {show}) | steelyard evaluate {_COMMANDS.get(table, '- …')}"


def _header(table: str, first: Sequence[str]) -> list[str]:
    width = len(first)
    fitting = [names.split() for names in _HEADERS[table] if len(names.split()) <= width]
    names = fitting[-1] if fitting else _HEADERS[table][0].split()[:width]
    if table == "predictions" and width > 2 and re.fullmatch("[0-9]+", first[2]):
        names[2] = "rank"  # as MS MARCO has it
    return [*names, *(f"column_{place + 1}" for place in range(len(names), width))]
