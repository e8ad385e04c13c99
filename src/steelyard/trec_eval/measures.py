"""The measures of trec_eval, in the order in which it prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Takes = Literal["nothing", "cutoffs", "shares", "numbers", "pairs"]
Average = Literal["mean", "sum", "geometric", "topics", "none"]
Format = Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"]

FORMATS: tuple[Format, ...] = ("qrels", "qrels_jg", "prefs", "qrels_prefs")
OF_PREFERENCES: tuple[Format, ...] = ("prefs", "qrels_prefs")

_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True)
class Measure:
    """A measure: what parameters it takes, and what the last line says of all topics.

    ``cutoffs`` are whole numbers and ``shares`` numbers, with a value for each; ``numbers`` and ``pairs``
    belong to one value. ``metric`` is the same in Steelyard's words, where there are some. ``of`` is what the
    measure averages over several judges. ``formats`` are those of the judgements that it is calculated from.
    """

    name: str
    takes: Takes = "nothing"
    default: tuple[float, ...] = ()
    average: Average = "mean"
    metric: str = ""
    since: int = 9
    of: str = ""
    formats: tuple[Format, ...] = ("qrels",)

    @property
    def written(self) -> str:
        """The measure as ``-m`` takes it, with the parameters that it has without any."""
        if self.takes == "pairs":
            return f"{self.name}[.GRADE=GAIN,…]"
        return ".".join([self.name, ",".join(f"{one:g}" for one in self.default)]).rstrip(".")

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

_NUMBERS = ("runid", "num_q")
_COUNTS = (*_NUMBERS, "num_ret", "num_rel", "num_rel_ret")
_SETS = ("set_P", "set_recall", "set_relative_P", "set_map", "set_F")
_FIRST_OF_PREFERENCES = (
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
    *("prefs_simp", "prefs_pair", "prefs_avgjg"),
)
_NOT_OF_TREC = ("dcg", "ideal_dcg", "yaap")  # what all_trec leaves out


def _of(form: Format) -> tuple[str, ...]:
    return tuple(one.name for one in MEASURES if form in one.formats)


NICKNAMES = {
    "official": (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_COUNTS, "utility", *_SETS),
    "all_trec": tuple(name for name in _of("qrels") if name not in _NOT_OF_TREC),
    "all_prefs": _of("prefs"),
    "prefs": (*_NUMBERS, *_FIRST_OF_PREFERENCES),
    "qrels_jg": _of("qrels_jg"),
}
