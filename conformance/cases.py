"""The data that all libraries are given: ties, doubled rows, missing queries, odd grades, one class, weights.

Everything is made from the standard library's generator, so that every Python makes the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

Case = dict[str, Any]  # its name, its kind, and rows as lists that JSON can hold
ITEMS = 40


def cases() -> list[Case]:
    """Every case, each with a name of its own."""
    made = [*_rankings(), *_clicks(), *_classes(), *_labels(), *_ratings()]
    assert len({case["name"] for case in made}) == len(made)
    return made


def digest(answered: Iterable[str]) -> str:
    """A hash of the cases that were answered: answers stay valid when a case is added that nobody asked."""
    names = set(answered)
    made = [case for case in cases() if case["name"] in names]
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]


def _rankings() -> Iterator[Case]:
    """Rows of (query, item, score) and of (query, item, grade), in the order in which they are given."""
    yield _ranking("five_users", _FIVE_RUN, _FIVE_TRUTH)
    yield _ranking("plain", *_lists(1))
    yield _ranking("graded", *_lists(2, grades=(0, 1, 2, 3)))
    yield _ranking("float_grades", *_lists(3, grades=(0.0, 0.5, 1.0, 2.5)))
    yield _ranking("negative_grades", *_lists(4, grades=(-1, 0, 1, 2)))
    yield _ranking("ties", *_lists(5, score=lambda rng: rng.randrange(1, 5) / 4))
    yield _ranking("ties_graded", *_lists(6, grades=(0, 1, 2, 3), score=lambda rng: rng.randrange(1, 5) / 4))
    yield _ranking("constant_scores", *_lists(7, score=lambda _: 0.5))
    yield _ranking("negative_scores", *_lists(8, score=lambda rng: rng.uniform(-3, 1)))
    yield _ranking("more_truth", *_lists(9, of_run=0.6, of_truth=1.0))
    yield _ranking("more_predictions", *_lists(10, of_run=1.0, of_truth=0.6))
    yield _ranking("missing_on_both_sides", *_lists(11, of_run=0.7, of_truth=0.8))
    yield _ranking("short_lists", *_lists(12, lengths=(1, 2, 3)))
    yield _ranking("nothing_relevant", *_lists(13, grades=(0, 0, 0, 1), judged=(1, 2)))
    yield _ranking("near_scores", *_lists(16, score=lambda rng: rng.randrange(1, 5) / 4 + rng.random() / 1e9))
    yield _ranking("own_item", *_lists(17, item_like="q"))  # among the items shown is the query itself
    yield _ranking("long_lists", *_lists(18, lengths=(ITEMS,), judged=(1, 2, 12)))  # beyond XGBoost's 32
    unseen = {"grades": (0, 0, 1, 2), "of_run": 0.8, "of_truth": 0.8}
    yield _ranking("unseen", *_lists(19, score=lambda rng: rng.gauss(0, 1), **unseen))
    run, truth = _lists(14)
    yield _ranking("doubled_predictions", [*run, *[[q, i, s / 2] for q, i, s in run[::7]]], truth)
    run, truth = _lists(15)
    yield _ranking("doubled_truth", run, [*truth, *truth[::5]])


def _ranking(name: str, run: list[list[Any]], truth: list[list[Any]]) -> Case:
    return {"name": name, "kind": "ranking", "run": run, "truth": truth}


# Users 1 to 5 with four items each at most; user 4 has no recommendations, user 5 no truth.
_FIVE_RUN = [
    [query, item, 1 - place / 10]
    for query, items in {"u1": "1234", "u2": "56", "u3": "1728", "u5": "1234"}.items()
    for place, item in enumerate(items)
]
_FIVE_TRUTH = [
    [query, item, 1]
    for query, items in {
        "u1": ["1", "3", "9"],
        "u2": ["6"],
        "u3": ["7", "2", "10", "11", "12", "13"],
        "u4": ["1", "2"],
    }.items()
    for item in items
]


def _lists(
    seed: int,
    *,
    queries: int = 25,
    grades: tuple[float, ...] = (1,),
    lengths: tuple[int, ...] = (3, 10, 25),
    judged: tuple[int, ...] = (1, 4, 12),
    score: Callable[[Random], float] = lambda rng: rng.random(),
    of_run: float = 1.0,
    of_truth: float = 1.0,
    item_like: str = "i",
) -> tuple[list[list[Any]], list[list[Any]]]:
    rng = Random(seed)
    run, truth = [], []
    for at in range(queries):
        query = f"q{at:02d}"
        items = [f"{item_like}{item:02d}" for item in rng.sample(range(ITEMS), ITEMS)]
        if rng.random() < of_run:
            run += [[query, item, score(rng)] for item in items[: rng.choice(lengths)]]
        if rng.random() < of_truth:
            found = rng.sample(items[:30], rng.choice(judged))
            truth += [[query, item, rng.choice(grades)] for item in found]
    return run, truth


def _clicks() -> Iterator[Case]:
    """Labels of 0 and 1 with scores from 0 to 1, groups, and weights where there are any."""
    yield _click("clicks", *_log(21))
    yield _click("clicks_ties", *_log(22, score=lambda rng: rng.randrange(0, 11) / 10))
    yield _click("clicks_constant", *_log(23, score=lambda _: 0.25))
    yield _click("clicks_certain", *_log(24, score=lambda rng: rng.choice((0.0, 0.2, 0.7, 1.0))))
    yield _click("clicks_all_positive", *_log(25, rate=1.0))
    yield _click("clicks_all_negative", *_log(26, rate=0.0))
    yield _click("clicks_rare", *_log(27, rows=2000, rate=0.01))
    yield _click("clicks_weighted", *_log(28, score=lambda rng: rng.randrange(1, 20) / 20), weighted=True)
    yield _click("clicks_groups", *_log(29, rows=300, groups=40))  # some groups have one class only
    near = _log(30, score=lambda rng: rng.randrange(0, 10) / 10 + rng.random() / 1e9)
    yield _click("clicks_near", *near)  # tied in single precision, and not in double
    yield _click("clicks_near_threshold", *_log(60, score=lambda rng: 0.5 + rng.randrange(-2, 3) / 1e9))
    yield _click("clicks_halves", *_log(61, score=lambda rng: round(2 * rng.random()) / 2))
    yield _click("clicks_extreme", *_log(62, score=lambda rng: rng.choice(_EXTREME)))
    yield _click("clicks_weighted_scores", *_log(63), weighted=True)
    zeros = _click("clicks_zero_weights", *_log(64), weighted=True)  # a group whose weights are all 0 too
    group, weight = zeros["group"], zeros["weight"]
    zeros["weight"] = [0.0 if at % 3 == 0 or group[at] == group[0] else one for at, one in enumerate(weight)]
    yield zeros
    one_class = _click("clicks_one_class_weighted", *_log(65), weighted=True)  # every negative weighs nothing
    one_class["weight"] = [
        one * two for one, two in zip(one_class["weight"], one_class["label"], strict=True)
    ]
    yield one_class
    labels = ["1000", "110", "10", "00000000", "11", "101001"]
    scores = ["9931", "444", "27", "12345678", "56", "876521"]
    yield _click(
        "six_groups",
        [int(one) for part in labels for one in part],
        [int(one) / 10 for part in scores for one in part],
        [f"g{at}" for at, part in enumerate(labels) for _ in part],
    )


_EXTREME = (1e-40, 1e-16, 1e-12, 1e-8, 1e-4, 0.3, 0.7, 1 - 1e-4, 1 - 1e-8, 1 - 1e-12, 1 - 1e-16)


def _click(
    name: str, label: list[int], score: list[float], group: list[str], *, weighted: bool = False
) -> Case:
    rng = Random(name)
    weight = [rng.randrange(1, 9) / 4 for _ in label] if weighted else None
    return {"name": name, "kind": "clicks", "label": label, "score": score, "group": group, "weight": weight}


def _log(
    seed: int,
    *,
    rows: int = 200,
    groups: int = 12,
    rate: float = 0.3,
    score: Callable[[Random], float] = lambda rng: rng.random(),
) -> tuple[list[int], list[float], list[str]]:
    rng = Random(seed)
    label = [int(rng.random() < rate) for _ in range(rows)]
    if 0 < rate < 1:
        label[:2] = [0, 1]
    return label, [score(rng) for _ in label], sorted(f"g{rng.randrange(groups):02d}" for _ in label)


def _classes() -> Iterator[Case]:
    """Three classes: what is true, what was said, and a probability of each."""
    yield _classed("classes", 31)
    yield _classed("classes_ties", 32, steps=4)
    yield _classed("classes_one_never_said", 33, said=("a", "b"))
    yield _classed("classes_one_never_true", 34, true=("a", "b"))
    yield _classed("classes_weighted", 35, weighted=True)
    single = _classed("classes_single_row", 36, true=("a", "b"))  # the third class has one row
    single["label"][5] = "c"
    yield single
    certain = _classed("classes_certain", 37)
    for row in certain["probability"][::4]:
        row[:] = [float(one == max(row)) for one in row]
    yield certain


def _classed(
    name: str,
    seed: int,
    *,
    rows: int = 120,
    true: tuple[str, ...] = ("a", "b", "c"),
    said: tuple[str, ...] = ("a", "b", "c"),
    steps: int = 1000,
    weighted: bool = False,
) -> Case:
    rng = Random(seed)
    label = [rng.choice(true) for _ in range(rows)]
    predicted = [rng.choice((one, *said)) if one in said else rng.choice(said) for one in label]
    parts = [[rng.randrange(1, steps + 1) for _ in "abc"] for _ in range(rows)]
    return {
        "name": name,
        "kind": "classes",
        "classes": ["a", "b", "c"],
        "label": label,
        "predicted": predicted,
        "probability": [[one / sum(row) for one in row] for row in parts],
        "weight": [rng.randrange(1, 9) / 4 for _ in range(rows)] if weighted else None,
    }


def _labels() -> Iterator[Case]:
    """Three labels of which a row may have any: a column of 0 and 1 each, what was called, and scores."""
    yield _labelled("labels", 51)
    yield _labelled("labels_ties_and_one_never_called", 52, steps=4, called=(0, 1))
    yield _labelled("labels_weighted", 53, weighted=True)


def _labelled(
    name: str, seed: int, *, steps: int = 1000, called: tuple[int, ...] = (0, 1, 2), weighted: bool = False
) -> Case:
    rng = Random(seed)
    label = [[int(rng.random() < rate) for rate in (0.5, 0.3, 0.2)] for _ in range(80)]
    return {
        "name": name,
        "kind": "labels",
        "classes": ["a", "b", "c"],
        "label": label,
        "predicted": [
            [int(at in called and rng.random() < 0.2 + 0.6 * one) for at, one in enumerate(row)]
            for row in label
        ],
        "score": [[rng.randrange(1, steps + 1) / (steps + 1) for _ in row] for row in label],
        "weight": [rng.randrange(1, 9) / 4 for _ in label] if weighted else None,
    }


def _ratings() -> Iterator[Case]:
    """Ratings that were given and those that were predicted."""
    for name, seed, weighted in (("ratings", 41, False), ("ratings_weighted", 42, True)):
        rng = Random(seed)
        label = [float(rng.randrange(1, 6)) for _ in range(100)]
        yield {
            "name": name,
            "kind": "ratings",
            "label": label,
            "predicted": [one + rng.gauss(0, 1) for one in label],
            "weight": [rng.randrange(1, 9) / 4 for _ in label] if weighted else None,
        }
    rng = Random(43)
    large = [2.0**24 + rng.randrange(0, 9) for _ in range(50)]  # single precision holds every second one
    yield _rated("ratings_large", large, [one + rng.gauss(0, 1) for one in large])
    yield _rated("ratings_one_row", [3.0], [2.5])
    for name, said in (("ratings_constant_met", 4.0), ("ratings_constant_missed", 3.0)):
        yield _rated(name, [4.0] * 20, [4.0] * 19 + [said])


def _rated(name: str, label: list[float], predicted: list[float]) -> Case:
    return {"name": name, "kind": "ratings", "label": label, "predicted": predicted, "weight": None}
