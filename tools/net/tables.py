"""Small seeded tables in which everything happens: ties, gaps, doubled rows, masks, one-class groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

SEED = 2026
COUNTRIES = ("DE", "JP", "US")
CLASSES = ("cat", "dog", "eel")


def rankings() -> dict[str, pl.DataFrame]:
    """A run, its judgements, and what goes with them; every fifth score or so is tied with another."""
    random = np.random.default_rng(SEED)
    run, truth = [], []
    for number in range(40):
        query = f"q{number:02d}"
        country = COUNTRIES[number % 3]
        items = random.permutation(60)[:25]
        if number % 11 != 7:  # some queries are judged and never answered
            length = 25 if number % 4 else 6
            scores = random.normal(size=length).round(1)
            run += [
                (query, f"d{item:02d}", float(score), place + 1, country)
                for place, (item, score) in enumerate(zip(items[:length], np.sort(scores)[::-1], strict=True))
            ]
        if number % 13 != 5:  # some are answered and never judged
            judged = random.permutation(60)[:18]
            high = 1 if number % 17 == 3 else 4  # some have nothing relevant
            grades = random.integers(-1, high, 18)
            truth += [
                (query, f"d{item:02d}", int(grade), country)
                for item, grade in zip(judged, grades, strict=True)
            ]
    said = pl.DataFrame(run, schema=["query", "item", "score", "rank", "country"], orient="row")
    true = pl.DataFrame(truth, schema=["query", "item", "relevance", "country"], orient="row")
    queries = true["query"].unique(maintain_order=True)
    return {
        "run": said.drop("rank"),
        "ranked": said.drop("score"),
        "truth": true,
        "qrels": true.drop("country"),
        "seen": said.filter(pl.int_range(pl.len()) % 7 == 0).select("query", "item"),
        "weights": pl.DataFrame(
            {"query": queries, "weight": random.integers(1, 9, len(queries)).astype(float)}
        ),
        "doubled": pl.concat(
            [said.drop("rank"), said.drop("rank")[5:9].with_columns(pl.col("score") + 0.25)]
        ),
    }


def beside_lists() -> dict[str, Any]:
    """What is known of the run's items and users; five items are outside the catalogue, four in no group."""
    random = np.random.default_rng(SEED + 1)
    items = [f"d{number:02d}" for number in range(60)]
    tags = ("war", "love", "sf", "crime")
    return {
        "catalog": items[:55],
        "features": {
            item: [tags[at] for at in sorted(random.permutation(4)[: random.integers(1, 4)].tolist())]
            for item in items
        },
        "history": {
            f"q{number:02d}": {
                items[at]: int(random.integers(1, 5)) for at in random.permutation(60)[:12].tolist()
            }
            for number in range(35)
        },
        "item_groups": {item: f"studio {number % 3}" for number, item in enumerate(items[4:])},
        "baseline_lists": {
            f"q{number:02d}": [items[at] for at in random.permutation(60)[:8].tolist()]
            for number in range(40)
        },
    }


def vectors() -> dict[str, list[float]]:
    """A vector for each item."""
    random = np.random.default_rng(SEED + 2)
    return {f"d{number:02d}": random.normal(size=4).round(2).tolist() for number in range(60)}


def integer_ids(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table with whole numbers for ids."""
    return frame.with_columns(pl.col("query", "item").str.slice(1).cast(pl.Int64))


def clicks() -> pl.DataFrame:
    """Impressions of 30 users with a probability, a hard guess and a weight."""
    random = np.random.default_rng(SEED + 1)
    n = 600
    user = random.integers(0, 30, n)
    p = random.beta(1.2, 4, n).round(2)
    clicked = (random.random(n) < p).astype(int)
    clicked[user == 4] = 0
    clicked[user == 9] = 1
    return pl.DataFrame(
        {
            "user_id": [f"u{number:02d}" for number in user],
            "clicked": clicked,
            "score": p,
            "country": [COUNTRIES[number] for number in random.integers(0, 3, n)],
            "device": [("app", "web", None)[number] for number in random.integers(0, 3, n)],
            "weight": random.integers(0, 4, n).astype(float),
        }
    )


def animals() -> pl.DataFrame:
    """Three classes with a probability for each, and the guess."""
    random = np.random.default_rng(SEED + 2)
    n = 240
    p = random.dirichlet([1.5, 1.0, 0.6], n).round(2)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    true = [random.choice(CLASSES, p=row / row.sum()) for row in p.clip(0)]
    return pl.DataFrame(
        {
            "label": true,
            "guess": [CLASSES[number] for number in p.argmax(1)],
            "country": [COUNTRIES[number] for number in random.integers(0, 3, n)],
            "weight": random.integers(1, 4, n).astype(float),
            **{f"p_{name}": p[:, column].clip(0).round(2) for column, name in enumerate(CLASSES)},
        }
    )


def ratings() -> pl.DataFrame:
    """Stars and what was foretold."""
    random = np.random.default_rng(SEED + 3)
    n = 300
    stars = random.integers(1, 6, n).astype(float)
    return pl.DataFrame(
        {
            "user_id": [f"u{number:02d}" for number in random.integers(0, 20, n)],
            "item_id": [f"i{number:03d}" for number in range(n)],
            "rating": stars,
            "prediction": (stars + random.normal(size=n)).round(3),
            "country": [COUNTRIES[number] for number in random.integers(0, 3, n)],
        }
    )


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """Scores and grades of 12 users and 40 items; some scores are masked."""
    random = np.random.default_rng(SEED + 4)
    scores = random.normal(size=(12, 40)).round(1)
    scores[random.random((12, 40)) < 0.1] = -np.inf
    return scores, random.choice([0, 0, 0, 1, 2], size=(12, 40))


def labels() -> tuple[np.ndarray, np.ndarray]:
    """Several labels per row, foretold and true."""
    random = np.random.default_rng(SEED + 5)
    true = random.integers(0, 2, (50, 4))
    return np.where(random.random((50, 4)) < 0.8, true, 1 - true), true
