"""What every runner does: read the cases, let the library answer each, write the answers.

A runner is started by the Python of its library's own environment, where nothing of this project is
installed: ``python runners/ranx.py CASES ANSWERS``. It says for each kind of case which measures the library
has, under the library's own names, each as a function without arguments.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Measures = Mapping[str, Callable[[], Any]]  # a number, or several in a list or a matrix


def answer(library: str, version: str, kinds: Mapping[str, Callable[[dict[str, Any]], Measures]]) -> None:
    """Answer every case of these kinds; what the library refuses is kept as its error.

    A kind gives no measures for a case that the library cannot be asked. Where it raises, the error stands
    for all that is asked in other cases of the kind, and is kept as ``*``.
    """
    cases, answers = (Path(name) for name in sys.argv[1:3])
    found = {}
    for case in json.loads(cases.read_text("utf-8")):
        if case["kind"] in kinds:
            try:
                measures = kinds[case["kind"]](case)
            except Exception as error:
                found[case["name"]] = {"*": _said(error)}
                continue
            found[case["name"]] = {name: _value(one) for name, one in measures.items()}
    told = {"library": library, "version": version, "answers": found}
    answers.write_text(json.dumps(told, indent=1), "utf-8")


def _value(measure: Callable[[], Any]) -> Any:
    try:
        return _plain(measure())
    except Exception as error:
        return _said(error)


def _plain(value: Any) -> float | str | list[Any]:
    """A number, or a flat list of them; what is not finite as its text."""
    found = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(found, list):
        return [one for part in found for one in _several(_plain(part))]
    found = float(found)
    return found if math.isfinite(found) else str(found)


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _said(error: Exception) -> dict[str, str]:
    """The first line of an error, without times and places of files, which are others each time."""
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    text = re.sub(r"\[\d\d:\d\d:\d\d\] ", "", text)
    return {"error": re.sub(r"(?:/?[\w.-]+/)+[\w.-]+(?::\d+)?", "FILE", text)[:200]}


def by_query(rows: list[list[Any]]) -> dict[str, dict[str, float]]:
    """Rows of (query, item, number) as {query: {item: number}}, which the last of doubled rows wins."""
    found: dict[str, dict[str, float]] = {}
    for query, item, value in rows:
        found.setdefault(query, {})[item] = value
    return found


def ranked_items(rows: list[list[Any]]) -> dict[str, list[str]]:
    """The items of each query, the highest score first and equal scores as they are given."""
    found: dict[str, list[tuple[float, str]]] = {}
    for query, item, score in rows:
        found.setdefault(query, []).append((-score, item))
    return {
        query: [item for _, item in sorted(items, key=lambda one: one[0])] for query, items in found.items()
    }


def items_of(rows: list[list[Any]]) -> dict[str, list[str]]:
    """The items of each query as they are given."""
    found: dict[str, list[str]] = {}
    for query, item, _ in rows:
        found.setdefault(query, []).append(item)
    return found


def relevant(rows: list[list[Any]]) -> list[list[Any]]:
    """The judgements of relevant items: what is given to a library that has no grades."""
    return [row for row in rows if row[2] >= 1]


def shown_grades(case: dict[str, Any]) -> dict[str, tuple[list[float], list[float]]]:
    """The grades and scores of the rows of each query of the run, as learners of rankings take them.

    They know no items: what was not retrieved is not there, and what was not judged has grade 0.
    """
    truth = by_query(case["truth"])
    found: dict[str, tuple[list[float], list[float]]] = {}
    for query, item, score in case["run"]:
        grades, scores = found.setdefault(query, ([], []))
        grades.append(truth.get(query, {}).get(item, 0))
        scores.append(score)
    return found
