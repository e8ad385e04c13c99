"""A case of the fuzzer: what is done, and how it may end."""

from __future__ import annotations

import json
import math
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import steelyard as sy
from steelyard.metrics import Metric

HOME = Path(sy.__file__).parent
_TOLERANCE = 1e-9  # of a value against the bounds of its metric


@dataclass(frozen=True)
class Case:
    """Something to do, as text that shows it whole, the files it needs, and the deed itself."""

    text: str
    run: Callable[[], object]
    files: Mapping[str, bytes] = field(default_factory=dict)
    kind: str = ""  # what an abort of the process is told by


@dataclass(frozen=True)
class Outcome:
    """How a case ended: accepted, refused, void or a find; ``what`` tells finds apart."""

    end: str
    what: str = ""
    detail: str = ""


class VoidError(Exception):
    """A case that never reached the library."""


class FindError(Exception):
    """Something that must not be, though nothing was raised."""


def rng_of(family: str, seed: int) -> Random:
    """The random numbers of one case, the same on every machine."""
    return Random(f"{family} {seed}")


def judged(case: Case) -> Outcome:
    """Run a case in the current folder: it must come to an end, or be refused by a SteelyardError."""
    try:
        for name, data in case.files.items():
            Path(name).write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            case.run()
    except sy.SteelyardError as error:
        if not error.message.strip():
            return Outcome("find", "an error without a message", traceback.format_exc())
        return Outcome("refused", detail=str(error))
    except VoidError:
        return Outcome("void")
    except FindError as find:
        return Outcome("find", str(find).partition(";")[0], str(find))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Polars is no Exception
        return Outcome("find", f"{type(error).__name__} in {place(error)}", traceback.format_exc())
    return Outcome("accepted")


def place(error: BaseException) -> str | None:
    """The innermost line of ours, as file and function; None where the library was not reached.

    ``called`` hands arguments on: a call that lacks one ends there, as it does before any other function.
    """
    ours = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(HOME)
    ]
    if not ours or (isinstance(error, TypeError) and ours[-1].name == "called"):
        return None
    return f"{Path(ours[-1].filename).relative_to(HOME).as_posix()} {ours[-1].name}"


def check_result(result: sy.Result) -> None:
    """Values within bounds and counts that agree with each other, in every form."""
    metrics = dict(result.metrics)
    for row in result.table().iter_rows(named=True):
        label, value = row["metric"], row["value"]
        check_value(metrics[label], value, label)
        if min(row["n"], row["undefined"]) < 0:
            raise FindError(f"a count below 0; {row}")
        if math.isnan(value) and row["n"] > 0 and not row["undefined"]:
            raise FindError(f"{metrics[label].name} is NaN though nothing is undefined; {label} {row}")
    if any(count < 0 for count in result.tally.to_dict().values()):
        raise FindError(f"a tally below 0; {result.counts()}")
    json.loads(result.to_json())
    repr(result)


def check_value(metric: Metric, value: Any, label: str = "") -> None:
    """A number within the bounds of its metric, or NaN."""
    if isinstance(value, list):  # one per class
        for one in value:
            check_value(metric, one, label)
        return
    low, high = metric.bounds
    if not (math.isnan(value) or low - _TOLERANCE <= value <= high + _TOLERANCE):
        raise FindError(f"{metric.name} is outside its bounds; {label or metric}: {value}")
    if math.isinf(value) and math.isfinite(high if value > 0 else low):
        raise FindError(f"{metric.name} is infinite; {label or metric}")
