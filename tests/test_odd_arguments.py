"""Whatever an argument of a public function is, the answer is a result or one clear sentence."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import steelyard as sy

RUN = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0, "b": 2.0}}
OTHER = {"q": {"a": 1.0, "b": 2.0}, "r": {"a": 1.0, "b": 2.0}}
TRUTH = {"q": {"a": 1}, "r": {"a": 1}}
LOG = {"label": [1, 0, 1, 0], "score": [0.2, 0.1, 0.3, 0.4]}
LONG = "x" * 300
ODD: list[Any] = [
    *(True, 1.0, 1.5, -1, 2**70, 10**400, math.nan, np.int64(2**62), np.float64(2.0)),
    *(Decimal("1e999999999"), Decimal("NaN"), "", "a\0b", LONG, f"{LONG}.csv", f"{LONG}/*", b"x"),
    *([], [[]], {}, {1: 2}, object(), np.zeros(3), pl.DataFrame(), pl.Series([1]), int, ...),
]
NOT_ASKED = {"progress", "part", "names", "operand", "line"}


def findings() -> dict[str, Any]:
    result = sy.evaluate(RUN, TRUTH, "mrr")
    return {
        "result": result,
        "comparison": sy.compare({"a": RUN, "b": OTHER}, TRUTH, "mrr"),
        "matches": sy.which(RUN, TRUTH, {"mrr": 0.5}, changes=0),
        "differences": sy.differences(RUN, TRUTH, "map", profiles=("recbole", "trec_eval")),
        "checked": sy.check(RUN, TRUTH, min={"mrr": 0.5}),
        "explanation": sy.explain("ndcg@5", grades=[3, 2]),
        "chart": result.chart("per_query"),
    }


def methods() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every public method of what functions give, with arguments that it takes."""
    usual = {"metric": "mrr", "query": "q", "name": "per_query", "difference": 0.1}
    found = {}
    for owner, value in findings().items():
        for name in dir(value):
            method = getattr(value, name)
            if not name.startswith("_") and inspect.ismethod(method):
                taken = {one: usual[one] for one in inspect.signature(method).parameters if one in usual}
                found[f"{owner}.{name}"] = method, taken
    return found


FUNCTIONS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "evaluate": (sy.evaluate, {"predictions": RUN, "truth": TRUTH, "metrics": "mrr"}),
    "evaluate rows": (sy.evaluate, {"predictions": LOG, "metrics": ["auc", "ece"]}),
    "compare": (sy.compare, {"systems": {"a": RUN, "b": OTHER}, "truth": TRUTH, "metrics": "mrr"}),
    "which": (sy.which, {"predictions": RUN, "truth": TRUTH, "claims": {"mrr": 0.5}}),
    "differences": (
        sy.differences,
        {"predictions": RUN, "truth": TRUTH, "metric": "map", "profiles": ("recbole", "trec_eval")},
    ),
    "check": (
        sy.check,
        {"predictions": RUN, "truth": TRUTH, "baseline": OTHER, "max_drop": {"mrr": 0.1}, "mode": "harm"},
    ),
    "explain": (sy.explain, {"metric": "ndcg@5", "grades": [3, 2]}),
    "load": (sy.load, {}),
    "metric": (sy.metric, {}),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*FUNCTIONS, "methods"])
@pytest.mark.parametrize(
    "values", [ODD[::2], pytest.param(ODD[1::2], marks=pytest.mark.long)], ids=["half", "other half"]
)
def test_an_odd_argument_is_taken_or_refused(values, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed = []
    for one, (call, usual) in (methods() if name == "methods" else {name: FUNCTIONS[name]}).items():
        for argument in inspect.signature(call).parameters.values():
            if argument.kind in (argument.VAR_KEYWORD, argument.VAR_POSITIONAL) or argument.name in NOT_ASKED:
                continue
            for value in values:
                try:
                    call(**{**usual, argument.name: value})
                except sy.SteelyardError:
                    pass
                except TypeError as error:
                    if "required" not in str(error):
                        failed.append((one, argument.name, value, error))
                except Exception as error:
                    failed.append((one, argument.name, value, error))
    assert failed == []
