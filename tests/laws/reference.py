"""The formulas of the specification in plain Python, one list at a time.

Written from the specification alone and slow on purpose: nothing here knows Steelyard. A metric is the plain
dict of its fields, a list is the list of its grades (None for an item without a judgement).
"""

from __future__ import annotations

import math
import statistics
import struct
from importlib import import_module
from itertools import permutations, product

NAN = math.nan


def value(m, shown, judged, highest=None):
    """The value of one query; NaN where it is undefined. ``highest`` is the highest grade of all truth."""
    if m["metric"] in FORMULAS:
        return FORMULAS[m["metric"]](m, known(shown), judged, highest)
    own = import_module(f"..metrics.ranking.test_{m['metric']}", __package__)
    return own.formula(m, shown, judged, highest)


def known(shown):
    """The grades of a list, 0 for an item without judgement."""
    return [grade or 0 for grade in shown]


def parts(m, shown, judged):
    """Numerator and denominator of a metric that can be pooled."""
    shown = known(shown)
    rel_n, h = _relevant(m, judged), _hits(m, shown)
    if m["metric"] == "precision":
        nothing = m["nothing_relevant"] == "undefined" and not rel_n
        return h, 0 if nothing else _precision_denominator(m, shown, rel_n)
    if m["metric"] == "recall" and m["denominator"] == "achievable" and m["k"] is not None:
        return h, min(m["k"], rel_n)
    return h, rel_n


def filled(m, one, judged):
    """A value with the convention for undefined ones applied; what empty=skip leaves out stays out."""
    skipped = m.get("empty") == "skip" and _relevant(m, judged) > 0
    if not math.isnan(one) or skipped:
        return one
    return {"nan": NAN, "zero": 0.0, "half": 0.5, "one": 1.0}[m["undefined"]]


def mean(m, values):
    """The mean over queries: undefined ones are left out."""
    defined = [one for one in values if not math.isnan(one)]
    if not defined:
        return NAN
    if m["mean"] == "median":
        return statistics.median(defined)
    if m["mean"] == "geometric":
        return math.exp(math.fsum(math.log(max(one, m["floor"])) for one in defined) / len(defined))
    return math.fsum(defined) / len(defined)


def ratio(over, under):
    """A quotient, NaN where there is nothing to divide by."""
    return over / under if under else NAN


# ------------------------------------------------------------------------------------------ the formulas


def _top(shown, k):
    return shown if k is None else shown[:k]


def _hits(m, shown):
    return sum(grade >= m["rel"] for grade in _top(shown, m["k"]))


def _relevant(m, judged):
    return sum(grade >= m["rel"] for grade in judged)


def _precision_denominator(m, shown, rel_n):
    k, n = m["k"], len(shown)
    if m["denominator"] == "achievable":
        return rel_n if k is None else min(k, rel_n)
    if m["denominator"] == "retrieved" or k is None:
        return n if k is None else min(k, n)
    return k


def _precision(m, shown, judged, _):
    return ratio(*parts(m, shown, judged))


def _recall(m, shown, judged, _):
    return ratio(*parts(m, shown, judged))


def _fbeta(m, shown, judged, _):
    rel_n, h = _relevant(m, judged), _hits(m, shown)
    if not rel_n:
        return NAN
    if not h:
        return 0.0
    precision = h / _precision_denominator(m, shown, rel_n)
    recall = h / rel_n
    squared = m["beta"] ** 2
    return (1 + squared) * precision * recall / (squared * precision + recall)


def _hit_rate(m, shown, judged, _):
    if not _relevant(m, judged):
        return NAN
    if m["pooling"] == "pooled":
        return ratio(*parts(m, shown, judged))
    return 1.0 if _hits(m, shown) else 0.0


def _mrr(m, shown, judged, _):
    if not _relevant(m, judged):
        return NAN
    for rank, grade in enumerate(_top(shown, m["k"]), 1):
        if grade >= m["rel"]:
            return 1 / rank
    return 0.0 if m["empty"] == "zero" else NAN


def _map(m, shown, judged, _):
    rel_n, h, total = _relevant(m, judged), 0, []
    if not rel_n:
        return NAN
    for rank, grade in enumerate(_top(shown, m["k"]), 1):
        if grade >= m["rel"]:
            h += 1
            total.append(h / rank)
    if not h:
        return 0.0
    k = math.inf if m["k"] is None else m["k"]
    under = {
        "relevant": rel_n,
        "achievable": min(k, rel_n),
        "hits": h,
        "k": k,
        "shown": min(k, len(shown), rel_n),
    }
    return math.fsum(total) / under[m["denominator"]]


def gain(m, grade):
    """What a grade is worth."""
    if grade <= 0:
        return 0.0
    if m["gain"] == "linear":
        return float(grade)
    if m["gain"] == "exp2":
        return 2.0**grade - 1.0
    if m["gain"] == "binary":
        return 1.0
    pairs = (pair.split(":") for pair in m["gain"].split("/"))
    return {float(left): float(right) for left, right in pairs}[grade]


def discount(m, rank):
    """How much a rank counts."""
    kind = m.get("discount", "none")
    if kind == "none" or (kind == "jarvelin" and rank <= 2):
        return 1.0
    return 1.0 / math.log2(rank + 1 if kind == "log2" else rank)


def _worth(m, gains):
    return math.fsum(one * discount(m, rank) for rank, one in enumerate(gains, 1))


def _best(m, grades, limit):
    gains = sorted((gain(m, grade) for grade in grades), reverse=True)
    return _worth(m, gains if limit is None else gains[:limit])


def _dcg(m, shown, judged, _):
    return _worth(m, [gain(m, grade) for grade in _top(shown, m["k"])])


def _idcg(m, shown, judged, _):
    return _best(m, judged, m["k"])


def _ndcg(m, shown, judged, highest):
    k = m["k"]
    n_shown = len(_top(shown, k))
    if m["ideal"] == "full":
        top_grade = highest if m["max_grade"] == "truth" else m["max_grade"]
        ideal = _worth(m, [gain(m, top_grade)] * k)
    else:
        ideal = {
            "judged": lambda: _best(m, judged, k),
            "judged_uncut": lambda: _best(m, judged, None),
            "judged_shown": lambda: _best(m, judged, n_shown),
            "retrieved": lambda: _best(m, shown, k),
            "topk": lambda: _best(m, _top(shown, k), None),
        }[m["ideal"]]()
    return ratio(_dcg(m, shown, judged, highest), ideal)


def _r_precision(m, shown, judged, _):
    rel_n = _relevant(m, judged)
    return ratio(sum(grade >= m["rel"] for grade in shown[:rel_n]), rel_n)


FORMULAS = {
    "precision": _precision,
    "recall": _recall,
    "fbeta": _fbeta,
    "hit_rate": _hit_rate,
    "mrr": _mrr,
    "map": _map,
    "cg": _dcg,
    "dcg": _dcg,
    "idcg": _idcg,
    "ndcg": _ndcg,
    "r_precision": _r_precision,
}

# ------------------------------------------------------------------------------------------ ties


def orders(groups):
    """Every order of a list whose tie groups are given, the equal ones once: each stands for as many."""
    for arrangement in product(*(sorted(set(permutations(group)), key=str) for group in groups)):
        yield [grade for group in arrangement for grade in group]


def expected(m, groups, judged, highest=None):
    """The mean over all orders of tied items; NaN only where every order is undefined."""
    values = [value(m, order[: m["depth"]], judged, highest) for order in orders(groups)]
    assert len({math.isnan(one) for one in values}) == 1, "defined for some orders only: no expected form"
    return math.fsum(values) / len(values)


# ------------------------------------------------------------------------------------------ align and rank


def lists(m, predictions, truth, exclude=()):
    """Per evaluated query, ascending: the grades as ranked, and the grades of all judged items.

    ``predictions`` are rows (query, item, score or rank), ``truth`` rows (query, item, grade), both in the
    order given; ``exclude`` is a set of (query, item).
    """
    predicted = dict.fromkeys(row[0] for row in predictions)
    judged = dict.fromkeys(row[0] for row in truth)
    evaluated = [q for q in judged if m["missing"] != "skip" or q in predicted]
    if m["unexpected"] == "keep":
        evaluated += [q for q in predicted if q not in judged]
    found = {q: _list(m, q, predictions, truth, exclude) for q in sorted(evaluated)}
    if m["judgements"] == "mixed":
        return {q: some for q, some in found.items() if some is not None}
    return found


def _list(m, query, predictions, truth, exclude):
    grades = {}
    for _, item, grade in (row for row in truth if row[0] == query):
        if item in grades and m["duplicates"] == "best":
            grades[item] = max(grades[item], grade)
        grades.setdefault(item, grade)
    best = {}
    for place, (_, item, number) in enumerate(row for row in predictions if row[0] == query):
        strength = _strength(m, number, place)
        gone = number == -math.inf or (query, item) in exclude
        if gone or (m["self_match"] == "drop" and item == query):
            continue
        if item not in best or (m["duplicates"] == "best" and strength > best[item][0]):
            best[item] = (strength, place)
    if m["unjudged"] == "drop":
        best = {item: row for item, row in best.items() if item in grades}
    if m["judgements"] != "all":
        grades = {item: grade for item, grade in grades.items() if item in best}
    if m["judgements"] == "mixed" and len({(grades.get(item) or 0) > 0 for item in best}) < 2:
        return None
    order = sorted(best, key=lambda item: _tie_key(m, item, best[item]))
    if m["ties"] == "item_desc":
        order.reverse()
    order.sort(key=lambda item: -best[item][0])
    return [grades.get(item) for item in order][: m["depth"]], list(grades.values())


def _strength(m, number, place):
    if m["order"] == "given":
        return -place
    if m["order"] == "rank":
        return -number
    return struct.unpack("f", struct.pack("f", number))[0] if m["scores"] == "float32" else number


def _tie_key(m, item, row):
    if m["ties"] == "given":
        return row[1]
    if isinstance(item, str):
        return item.encode()
    return str(item).encode() if m["item_order"] == "text" else item
