"""The film shop's front page: which films it put before people, what they clicked, and two models of it.

Every user was shown twenty films, more often those that draw everybody. The more a user would enjoy a film,
the likelier the click, but never more than one in two. Two models said beforehand how likely each click was.

- ``p_fame`` knows how much a film draws everybody, and no more. Its probabilities add up; its order is weak.
- ``p_taste`` has a good idea of the liking, so its order is good. It was trained where people click more, and
  so it promises too many clicks: its probabilities are too high.

As everywhere in the shop no exponential is taken: the curve from liking to probability is algebraic.
"""

from __future__ import annotations

import numpy as np

from steelyard.arrays import Flags, Floats, Ints

SHOWN = 20
CEILING = 0.45  # no film is surer to be clicked than this
PROMISED = 1.5  # how many times too high the second model is


def shown_films(rng: np.random.Generator, appeal: Floats, users: int) -> Flags:
    """Which films each user was shown (users × films)."""
    drawn = 0.5 * appeal + rng.standard_normal((users, len(appeal)))
    places: Ints = np.argsort(np.argsort(-drawn, axis=1, kind="stable"), axis=1, kind="stable")
    return places < SHOWN


def clicked(rng: np.random.Generator, liking: Floats) -> Flags:
    """Whether each user would click each film."""
    return rng.random(liking.shape) < probability(liking)


def probability(liking: Floats) -> Floats:
    """How likely a click is: it climbs with the liking, from almost never to almost one in two."""
    steep = 0.9 * (liking - 1.5)
    return CEILING * 0.5 * (1 + steep / np.sqrt(1 + steep * steep))


def by_fame(liking: Floats) -> Floats:
    """The mean over all users of what is likely for each film, the same for everybody."""
    film = probability(liking).sum(axis=0) / len(liking)
    return _shown(np.broadcast_to(film, liking.shape))


def by_taste(rng: np.random.Generator, liking: Floats, error: Floats) -> Floats:
    """What is likely by a good guess of the liking, and too high throughout."""
    guess = liking + error[:, None] * rng.standard_normal(liking.shape)
    return _shown(np.minimum(PROMISED * probability(guess), 0.99))


def _shown(share: Floats) -> Floats:
    """Four decimals, and never 0."""
    rounded: Floats = np.maximum(np.round(share, 4), 0.0001)
    return rounded
