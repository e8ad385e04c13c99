"""A small film shop: who its customers are, what they saw, and what three recommenders would show them.

The people. Each of 600 users lives in a country, watches on a device and belongs to a segment by how much
they watch: new, casual, regular or heavy. A taste is a point in a space of six traits. People of one country
lean the same way, and each has likes of their own besides.

The films. Each of 400 films belongs to a genre, which sits somewhere in the same six traits, and the film
stands near its genre. Some films appeal to everybody, whatever the taste.

The liking. How much a user would enjoy a film is the agreement of the two points plus the film's appeal.
Nobody observes it: people choose what to watch by a noisy impression of it, in which fame counts for more.

The history (``seen``). Every user has watched some films already, 1 to 79 of them by segment. A film's
``popularity`` is the number of users who saw it.

The truth. Later, users watch further films and judge them by what they thought of them, which is the liking
and a mood: 0 thumbed down, 1 watched, 2 liked, 3 loved. Twelve users never come back and have no truth at
all. Eight are hard to please: all they judged got a 0, so that no film is relevant for them.

The recommenders. Each shows a user at most 50 films.

- ``popular`` scores every film by its popularity. The scores are counts, so many films of a list are tied.
- ``neighbours`` has a rough idea of the liking, rougher the less it knows of the user. It finds six films for
  every film the user saw, so people with a short history get an unfinished list, and those who saw fewer than
  three films get none.
- ``taste`` has a good idea of the liking. Its record of what people saw is out of date: it does not know the
  two films each saw last, and so recommends many of them again.

The clicks. On the front page every user was shown twenty films, more often those that draw everybody. The
more a user would enjoy a film, the likelier the click, but never more than one in two. Two models said
beforehand how likely each click was.

- ``p_fame`` knows how much a film draws everybody, and no more. Its probabilities add up; its order is weak.
- ``p_taste`` has a good idea of the liking, so its order is good. It was trained where people click more, and
  so it promises too many clicks: its probabilities are too high.

The same seed gives the same bytes on every machine with the same NumPy. That is why sums of products are
taken term by term (a BLAS adds in an order of its own), why no logarithm or exponential is taken (processors
differ in the last digit; the curve from liking to probability is algebraic), and why equal values stay in
the order of the ids.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from steelyard.arrays import Flags, Floats, Ints

USERS, FILMS, TRAITS, LONGEST = 600, 400, 6, 50
NEVER_BACK, HARD_TO_PLEASE = 12, 8

COUNTRIES = {"BR": 0.16, "DE": 0.22, "JP": 0.12, "US": 0.50}
DEVICES = {"phone": 0.45, "tablet": 0.15, "tv": 0.40}
GENRES = ("animation", "comedy", "crime", "documentary", "drama", "family", "horror", "romance", "sf", "war")

# In the order of the segments: the films they saw and the films they judge (from, up to), and how far off the
# two recommenders are that know something of the user.
SEGMENTS = {"casual": 0.40, "heavy": 0.10, "new": 0.20, "regular": 0.30}
SEEN = np.array([(10, 25), (40, 80), (1, 13), (20, 45)])
JUDGED = np.array([(5, 13), (12, 31), (3, 9), (8, 21)])
ERROR_NEIGHBOURS = np.array([0.95, 0.70, 1.50, 0.80])
ERROR_TASTE = np.array([0.40, 0.25, 0.80, 0.30])

GRADE_EDGES = np.array([0.6, 1.7, 2.7])
SHOWN = 20
CEILING = 0.45  # no film is surer to be clicked than this
PROMISED = 1.5  # how many times too high the second model is


@dataclass(frozen=True, kw_only=True)
class Shop:
    """The film shop's tables.

    >>> shop = simulate()
    >>> shop.truth.columns
    ['user_id', 'film_id', 'relevance', 'country', 'device', 'segment']
    >>> list(shop.runs)
    ['popular', 'neighbours', 'taste']
    """

    users: pl.DataFrame
    """One row per user: user_id, country, device, segment."""
    films: pl.DataFrame
    """One row per film: film_id, genre, popularity (the users who saw it)."""
    seen: pl.DataFrame
    """What was watched before: user_id, film_id."""
    truth: pl.DataFrame
    """What was judged afterwards: user_id, film_id, relevance 0 to 3, and the user's columns."""
    runs: dict[str, pl.DataFrame]
    """What each recommender would show, best first: user_id, film_id, score."""
    clicks: pl.DataFrame
    """What the front page showed: user_id, film_id, clicked, p_fame, p_taste, and the user's columns."""


def simulate(seed: int = 2026) -> Shop:
    """Simulate the film shop; the same seed gives the same shop."""
    rng = np.random.default_rng(seed)
    country, device, segment = (_drawn(rng, shares) for shares in (COUNTRIES, DEVICES, SEGMENTS))
    genre = rng.integers(len(GENRES), size=FILMS)
    appeal = 0.6 * rng.standard_normal(FILMS)
    liking = _agreement(rng, country, genre) + appeal

    impression = liking + 0.6 * appeal
    history = _places(impression + 1.1 * rng.standard_normal(liking.shape))
    count = _between(rng, SEEN[segment])
    seen = history < count[:, None]
    popularity = seen.sum(axis=0)

    afterwards = _places(np.where(seen, -np.inf, impression + 0.7 * rng.standard_normal(liking.shape)))
    judged = afterwards < _between(rng, JUDGED[segment])[:, None]
    grade = np.digitize(liking + 0.5 * rng.standard_normal(liking.shape), GRADE_EDGES)
    away, unhappy = np.split(rng.permutation(USERS)[: NEVER_BACK + HARD_TO_PLEASE], [NEVER_BACK])
    judged[away] = False
    grade[unhappy] = 0

    full = np.full(USERS, LONGEST)
    known = np.where(count < 3, 0, 6 * count)
    remembered = history < count[:, None] - 2
    counts = np.broadcast_to(popularity.astype(np.float64), liking.shape)
    known_of = {"country": (COUNTRIES, country), "device": (DEVICES, device), "segment": (SEGMENTS, segment)}
    named = {name: np.array(list(words))[which] for name, (words, which) in known_of.items()}
    users = pl.DataFrame({"user_id": _user_ids(), **named})
    runs = {
        "popular": _lists(counts, hidden=seen, length=full),
        "neighbours": _lists(_guess(rng, liking, ERROR_NEIGHBOURS[segment]), hidden=seen, length=known),
        "taste": _lists(_guess(rng, liking, ERROR_TASTE[segment]), hidden=remembered, length=full),
    }
    shown = _places(0.5 * appeal + rng.standard_normal(liking.shape)) < SHOWN
    log = _pairs(
        shown,
        clicked=(rng.random(liking.shape) < _probability(liking)).astype(np.int64),
        p_fame=_by_fame(liking),
        p_taste=_by_taste(rng, liking, ERROR_TASTE[segment]),
    )
    return Shop(
        users=users,
        films=pl.DataFrame(
            {"film_id": _film_ids(), "genre": np.array(GENRES)[genre], "popularity": popularity}
        ),
        seen=_pairs(seen),
        truth=_pairs(judged, relevance=grade).join(users, on="user_id", how="left", maintain_order="left"),
        runs=runs,
        clicks=log.join(users, on="user_id", how="left", maintain_order="left"),
    )


def _drawn(rng: np.random.Generator, shares: dict[str, float]) -> Ints:
    return rng.choice(len(shares), size=USERS, p=list(shares.values()))


def _between(rng: np.random.Generator, ranges: Ints) -> Ints:
    """A random whole number for each (from, to) of ``ranges``, below ``to``."""
    return rng.integers(ranges[:, 0], ranges[:, 1])


def _agreement(rng: np.random.Generator, country: Ints, genre: Ints) -> Floats:
    leaning = 0.6 * rng.standard_normal((TRAITS, len(COUNTRIES)))
    centre = 0.5 * rng.standard_normal((TRAITS, len(GENRES)))
    taste = leaning[:, country] + 0.8 * rng.standard_normal((TRAITS, USERS))
    style = centre[:, genre] + 0.3 * rng.standard_normal((TRAITS, FILMS))
    fit: Floats = (taste[:, :, None] * style[:, None, :]).sum(axis=0)
    return fit


def _guess(rng: np.random.Generator, liking: Floats, error: Floats) -> Floats:
    guess: Floats = np.round(liking + error[:, None] * rng.standard_normal(liking.shape), 4) + 0.0
    return guess


def _places(score: Floats) -> Ints:
    return np.argsort(np.argsort(-score, axis=1, kind="stable"), axis=1, kind="stable")


def _lists(score: Floats, *, hidden: Flags, length: Ints) -> pl.DataFrame:
    """The films of each user by descending score, without the hidden ones, at most ``length`` or 50."""
    open_score = np.where(hidden, -np.inf, score)
    order = np.argsort(-open_score, axis=1, kind="stable")[:, :LONGEST]
    shown = np.take_along_axis(open_score, order, axis=1)
    kept = (np.arange(LONGEST) < length[:, None]) & np.isfinite(shown)
    return pl.DataFrame(
        {
            "user_id": _user_ids()[np.nonzero(kept)[0]],
            "film_id": _film_ids()[order[kept]],
            "score": shown[kept],
        }
    )


def _pairs(chosen: Flags, **values: Ints | Floats) -> pl.DataFrame:
    user, film = np.nonzero(chosen)
    columns = {name: value[chosen] for name, value in values.items()}
    return pl.DataFrame({"user_id": _user_ids()[user], "film_id": _film_ids()[film], **columns})


def _user_ids() -> npt.NDArray[np.str_]:
    return _ids("u", USERS)


def _film_ids() -> npt.NDArray[np.str_]:
    return _ids("f", FILMS)


def _ids(letter: str, count: int) -> npt.NDArray[np.str_]:
    return np.strings.add(letter, np.strings.zfill(np.arange(1, count + 1).astype(np.str_), 4))


def _probability(liking: Floats) -> Floats:
    """The probability of a click: it rises with the liking, from almost 0 to almost one in two."""
    steep = 0.9 * (liking - 1.5)
    return CEILING * 0.5 * (1 + steep / np.sqrt(1 + steep * steep))


def _by_fame(liking: Floats) -> Floats:
    """The mean probability of each film over all users, the same for everybody."""
    film = _probability(liking).sum(axis=0) / len(liking)
    return _shown(np.broadcast_to(film, liking.shape))


def _by_taste(rng: np.random.Generator, liking: Floats, error: Floats) -> Floats:
    """The probability by a good guess of the liking, too high throughout."""
    guess = liking + error[:, None] * rng.standard_normal(liking.shape)
    return _shown(np.minimum(PROMISED * _probability(guess), 0.99))


def _shown(share: Floats) -> Floats:
    rounded: Floats = np.maximum(np.round(share, 4), 0.0001)
    return rounded
