"""The measures of trec_eval, in the order in which it prints them, and their parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from steelyard.text.errors import as_trec_eval

Takes = Literal["nothing", "cutoffs", "shares", "numbers", "pairs"]
Average = Literal["mean", "sum", "geometric", "topics", "none"]
Format = Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"]

FORMATS: tuple[Format, ...] = ("qrels", "qrels_jg", "prefs", "qrels_prefs")
OF_PREFERENCES: tuple[Format, ...] = ("prefs", "qrels_prefs")

FLOOR = 0.00001  # the least value in geometric means, whatever the default profile takes
_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True)
class Measure:
    """A measure, its parameters, and what its last line says of all topics."""

    name: str
    takes: Takes = "nothing"  # cutoffs and shares give a value each, numbers and pairs one value
    default: tuple[float, ...] = ()
    average: Average = "mean"
    metric: str = ""  # the same as a metric of Steelyard
    since: int = 9
    of: str = ""  # what it averages over several judges
    formats: tuple[Format, ...] = ("qrels",)

    @property
    def written(self) -> str:
        if self.takes == "pairs":
            return f"{self.name}[.GRADE=GAIN,…]"
        return ".".join([self.name, ",".join(f"{number:g}" for number in self.default)]).rstrip(".")

    @property
    def whole(self) -> bool:
        return self.average in ("sum", "topics")


MEASURES = (
    Measure("runid", average="none", formats=FORMATS),
    Measure("num_q", average="topics", formats=FORMATS),
    Measure("num_ret", average="sum"),
    Measure("num_rel", average="sum"),
    Measure("num_rel_ret", average="sum"),
    Measure("map", metric="map"),
    Measure("gm_map", average="geometric", metric="map(mean=geometric)"),
    Measure("Rprec", metric="r_precision"),
    Measure("bpref", metric="bpref"),
    Measure("recip_rank", metric="mrr"),
    Measure("iprec_at_recall", "shares", _RECALLS, metric="iprecision@0.5"),
    Measure("P", "cutoffs", _RANKS, metric="precision@10"),
    Measure("relstring", "numbers", (10.0,), average="none"),
    Measure("recall", "cutoffs", _RANKS, metric="recall@10"),
    Measure("infAP", metric="infap"),
    Measure("gm_bpref", average="geometric", metric="bpref(mean=geometric)"),
    Measure("Rprec_mult", "shares", _MULTIPLES),
    Measure("utility", "numbers", (1.0, -1.0, 0.0, 0.0)),
    Measure("11pt_avg", "numbers", _RECALLS, metric="iprecision_11pt"),
    Measure("binG"),
    Measure("G", "pairs"),
    Measure("dcg", "pairs", metric="dcg", since=10),
    Measure("ideal_dcg", "pairs", metric="idcg", since=10),
    Measure("ndcg", "pairs", metric="ndcg"),
    Measure("ndcg_rel", "pairs"),
    Measure("Rndcg", "pairs"),
    Measure("ndcg_cut", "cutoffs", _RANKS, metric="ndcg@10"),
    Measure("map_cut", "cutoffs", _RANKS, metric="map@10"),
    Measure("relative_P", "cutoffs", _RANKS, metric="precision(denominator=achievable)@10"),
    Measure("success", "cutoffs", (1, 5, 10), metric="hit_rate@10"),
    Measure("set_P", metric="precision@all"),
    Measure("set_relative_P"),
    Measure("set_recall", metric="recall@all"),
    Measure("set_map"),
    Measure("set_F", "numbers", (1.0,), metric="f1@all"),
    Measure("num_nonrel_judged_ret", average="sum"),
    *(
        Measure(name, average="sum", formats=OF_PREFERENCES)
        for name in ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
    ),
    *(
        Measure(f"prefs_{name}", formats=OF_PREFERENCES)
        for name in (
            *("simp", "pair", "avgjg", "avgjg_Rnonrel"),
            *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
            *("simp_imp", "pair_imp", "avgjg_imp"),
        )
    ),
    Measure("map_avgjg", of="map", formats=("qrels_jg",)),
    Measure("P_avgjg", "cutoffs", _RANKS, of="P", formats=("qrels_jg",)),
    Measure("Rprec_mult_avgjg", "shares", _MULTIPLES, of="Rprec_mult", formats=("qrels_jg",)),
    Measure("yaap"),
    Measure("rbp", "pairs", metric="rbp(p=0.9, max_grade=query)", since=10),
    Measure("rbp_resid", "pairs", since=10),
    Measure("unj", "cutoffs", (5, 10, 20), since=10),
)

_ALL: dict[Format, list[str]] = {
    form: [measure.name for measure in MEASURES if form in measure.formats] for form in FORMATS
}
_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
NICKNAMES = {
    "official": [*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"],
    "set": [*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"],
    "all_trec": [name for name in _ALL["qrels"] if name not in ("dcg", "ideal_dcg", "yaap")],
    "all_prefs": _ALL["prefs"],
    "prefs": _ALL["prefs"][:8],  # without those that count only some preferences
    "qrels_jg": _ALL["qrels_jg"],
}

WHOLE = r"^\s*([+-]?[0-9]+)"
DECIMAL = r"^\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
NO_NUMBER = r"(?i)^\s*[+-]?(nan|inf)"  # which C's atof reads as one
_DIGITS = 18  # of a whole number that C holds


@dataclass(frozen=True)
class MeasureAsked:
    """A measure with its parameters, and the printed names of its values."""

    measure: Measure
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def p(self) -> float:
        return next((value for name, value in reversed(self.pairs) if name == "p"), 0.9)

    def gains(self, edition: int) -> dict[int, float]:
        """The gain of each level that has one; trec_eval 9 takes any name for a level."""
        gains: dict[int, float] = {}
        for name, value in self.pairs:
            if edition > 9 and not re.fullmatch("[+-]?[0-9]+", name):
                continue
            if whole(name) < 0:
                raise as_trec_eval.gain_of_nothing(name=self.name, level=whole(name))
            gains.setdefault(whole(name), value)
        return gains


def named(text: str, edition: int) -> tuple[str, str | None]:
    """The name in the text of one ``-m``, of a measure or a nickname, and the text of its parameters."""
    name, point, parameters = text.partition(".")
    if point and not parameters:
        raise as_trec_eval.empty_parameters(text=text)
    known = [measure.name for measure in MEASURES if measure.since <= edition]
    if name not in NICKNAMES and name not in known:
        raise as_trec_eval.no_such_measure(name, [*NICKNAMES, *known])
    return name, parameters or None


def asked(texts: Iterable[str], edition: int) -> list[MeasureAsked]:
    """Every measure asked for, once, in printing order; without any the official ones."""
    names: set[str] = set()
    parameters: dict[str, str] = {}
    for text in list(texts) or ["official"]:
        name, of_name = named(text, edition)
        names.update(NICKNAMES.get(name, [name]))
        if of_name is not None:
            parameters.setdefault(name, of_name)
    return [
        _asked(measure, parameters.get(measure.name))
        for measure in MEASURES
        if measure.name in names and measure.since <= edition
    ]


def _asked(measure: Measure, text: str | None) -> MeasureAsked:
    name, takes = measure.name, measure.takes
    parts = [] if text is None else text.split(",")
    if takes == "cutoffs":
        cutoffs = tuple(sorted(whole(part) for part in parts)) or measure.default
        if wrong := [part for part in parts if whole(part) <= 0]:
            raise as_trec_eval.bad_cutoff(name=name, value=wrong[0])
        return MeasureAsked(measure, tuple(f"{name}_{k}" for k in _once(name, cutoffs)), cutoffs)
    if takes == "shares":
        shares = tuple(sorted(decimal(part) for part in parts)) or measure.default
        return MeasureAsked(measure, tuple(f"{name}_{share:3.2f}" for share in _once(name, shares)), shares)
    if takes == "nothing" or text is None:
        return MeasureAsked(measure, (name,), measure.default)
    printed = (f"{name}_{text}",)
    if takes == "numbers":
        return MeasureAsked(measure, printed, tuple(decimal(part) for part in parts))
    if any(part.count("=") != 1 for part in parts):
        raise as_trec_eval.bad_pairs(name=name, text=text)
    pairs = (part.split("=") for part in parts)
    return MeasureAsked(measure, printed, pairs=tuple((name, decimal(value)) for name, value in pairs))


def _once(name: str, cutoffs: tuple[float, ...]) -> tuple[float, ...]:
    for cutoff, following in pairwise(cutoffs):
        if cutoff == following:
            raise as_trec_eval.same_cutoff(name=name, value=cutoff)
    return cutoffs


def whole(text: str) -> int:
    """The whole number that a text begins with, or 0: C's ``atol``.

    >>> whole("23.4"), whole("-2"), whole("two")
    (23, -2, 0)
    """
    match = re.match(WHOLE, text)
    if match and len(match[1]) > _DIGITS:
        raise as_trec_eval.bad_number(text=match[1])
    return int(match[1]) if match else 0


def decimal(text: str) -> float:
    """The number that a text begins with, or 0: C's ``atof``.

    >>> decimal(".25"), decimal("1e-2x"), decimal("none")
    (0.25, 0.01, 0.0)
    """
    match = re.match(DECIMAL, text)
    if re.match(NO_NUMBER, text) or (match and not math.isfinite(float(match[1]))):
        raise as_trec_eval.bad_number(text=text)
    return float(match[1]) if match else 0.0
