"""How a result is compared with a peer's: every query, every measure, and the means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from steelyard import Result

PEERS = ", ".join(f"{name} {version(name)}" for name in ("pytrec_eval-terrier", "ir_measures"))

# Both sides add up the same float64 terms, sometimes in another order.
TOLERANCE = 1e-12

Values = Mapping[str, Mapping[str, float]]


def by_measure(result: Result, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Our values as ``{measure: {query: value}}``, under the names the peer has for what was asked."""
    labels = list(result)
    assert len(labels) == len(names), f"asked for {len(names)} metrics, got {labels}"
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    name_of = dict(zip(labels, names, strict=True))
    for query, label, value in result.per_query().iter_rows():
        found[name_of[label]][str(query)] = value
    return found


def means(result: Result, names: Sequence[str]) -> dict[str, float]:
    """Our means, under the peer's names."""
    return {name: result[label] for name, label in zip(names, result, strict=True)}


def assert_same(ours: Values, theirs: Values) -> None:
    """Both are ``{measure: {query: value}}``: the same queries, and each value within the tolerance."""
    assert ours.keys() == theirs.keys()
    for name, peer in theirs.items():
        assert ours[name].keys() == peer.keys(), f"{name} is of other queries ({PEERS})"
        apart = {
            query: (ours[name][query], value)
            for query, value in peer.items()
            if not abs(ours[name][query] - value) <= TOLERANCE
        }
        assert not apart, f"{name}, (ours, theirs) by query: {apart} ({PEERS})"


def assert_same_means(ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Both are ``{measure: mean}``."""
    assert_same(*({name: {"mean": value} for name, value in side.items()} for side in (ours, theirs)))
