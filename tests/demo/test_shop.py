"""The film shop has what its documentation promises."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
import pytrec_eval
from polars.testing import assert_frame_equal
from sklearn.metrics import roc_auc_score

from steelyard.demo import Shop, simulate

PAIR = ["user_id", "film_id"]
NAMES = ["popular", "neighbours", "taste"]


@pytest.fixture(scope="module")
def shop() -> Shop:
    return simulate()


def tables(shop: Shop) -> dict[str, pl.DataFrame]:
    return {
        "users": shop.users,
        "films": shop.films,
        "seen": shop.seen,
        "truth": shop.truth,
        "clicks": shop.clicks,
        **shop.runs,
    }


def nested(table: pl.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    """``{user: {film: value}}``, as pytrec_eval wants it."""
    users = table.partition_by("user_id", as_dict=True)
    return {
        str(user): dict(zip(rows["film_id"], rows[value], strict=True)) for (user,), rows in users.items()
    }


def ndcg(run: pl.DataFrame, truth: pl.DataFrame) -> dict[str, float]:
    """nDCG@10 of each user of the truth by pytrec_eval; a user without a list has 0."""
    judge = pytrec_eval.RelevanceEvaluator(nested(truth, "relevance"), {"ndcg_cut.10"})
    values = {user: row["ndcg_cut_10"] for user, row in judge.evaluate(nested(run, "score")).items()}
    return dict.fromkeys(truth["user_id"].unique(), 0.0) | values


def mean(values: dict[str, float]) -> float:
    return math.fsum(values.values()) / len(values)


def test_sizes(shop: Shop) -> None:
    assert shop.users.height == shop.users["user_id"].n_unique() == 600
    assert shop.films.height == shop.films["film_id"].n_unique() == 400
    assert 10_000 < shop.seen.height < 20_000
    assert 5_000 < shop.truth.height < 8_000
    assert list(shop.runs) == NAMES
    assert shop.clicks.height == 600 * 20
    assert all(25_000 < run.height <= 600 * 50 for run in shop.runs.values())


def test_columns(shop: Shop) -> None:
    text = pl.String()
    assert dict(shop.users.schema) == dict.fromkeys(["user_id", "country", "device", "segment"], text)
    assert dict(shop.films.schema) == {"film_id": text, "genre": text, "popularity": pl.Int64()}
    assert dict(shop.seen.schema) == {"user_id": text, "film_id": text}
    slices = dict.fromkeys(["country", "device", "segment"], text)
    judged = {"user_id": text, "film_id": text, "relevance": pl.Int64(), **slices}
    assert dict(shop.truth.schema) == judged
    shown = {
        "user_id": text,
        "film_id": text,
        "clicked": pl.Int64(),
        "p_fame": pl.Float64(),
        "p_taste": pl.Float64(),
    }
    assert dict(shop.clicks.schema) == {**shown, **slices}
    for run in shop.runs.values():
        assert dict(run.schema) == {"user_id": text, "film_id": text, "score": pl.Float64()}


def test_no_null_and_no_row_twice(shop: Shop) -> None:
    for name, table in tables(shop).items():
        key = [column for column in PAIR if column in table.columns]
        assert not table.select(key).is_duplicated().any(), name
        assert table.null_count().sum_horizontal().item() == 0, name


def test_every_id_is_a_user_or_a_film(shop: Shop) -> None:
    for name in ["seen", "truth", "clicks", *NAMES]:
        table = tables(shop)[name]
        assert table.join(shop.users, on="user_id", how="anti").is_empty(), name
        assert table.join(shop.films, on="film_id", how="anti").is_empty(), name


def test_same_seed_same_shop(shop: Shop) -> None:
    again = simulate(2026)
    for (name, one), two in zip(tables(shop).items(), tables(again).values(), strict=True):
        assert one.equals(two), name


def test_another_seed_another_shop(shop: Shop) -> None:
    other = simulate(7)
    assert not shop.truth.equals(other.truth)
    assert not shop.runs["taste"].equals(other.runs["taste"])


def test_slice_columns_are_those_of_the_user(shop: Shop) -> None:
    of_truth = shop.truth.select("user_id", "country", "device", "segment").unique()
    of_users = shop.users.join(of_truth, on="user_id", how="semi")
    assert_frame_equal(of_truth, of_users, check_row_order=False)
    assert of_truth["country"].n_unique() == of_truth["segment"].n_unique() == 4
    assert of_truth["device"].n_unique() == 3


def test_popularity_counts_the_history(shop: Shop) -> None:
    viewers = dict(shop.seen["film_id"].value_counts().iter_rows())
    assert {film: viewers.get(film, 0) for film in shop.films["film_id"]} == dict(
        shop.films.select("film_id", "popularity").iter_rows()
    )


def test_every_grade_occurs_often(shop: Shop) -> None:
    grades = dict(shop.truth["relevance"].value_counts().iter_rows())
    assert sorted(grades) == [0, 1, 2, 3]
    assert min(grades.values()) > 300


def test_judged_films_were_not_seen_before(shop: Shop) -> None:
    assert shop.truth.join(shop.seen, on=PAIR, how="semi").is_empty()


def test_some_users_like_nothing_and_some_never_come_back(shop: Shop) -> None:
    best = shop.truth.group_by("user_id").agg(pl.col("relevance").max())
    assert best.height == 600 - 12
    assert best.filter(pl.col("relevance") == 0).height >= 8


@pytest.mark.parametrize("name", NAMES)
def test_lists_fall_and_have_at_most_50_films(shop: Shop, name: str) -> None:
    run = shop.runs[name]
    falls = run.select((pl.col("score").diff() <= 0).over("user_id").all()).item()
    assert falls
    assert run.group_by("user_id").len()["len"].max() == 50
    assert run["score"].is_finite().all()


def test_popular_is_full_of_ties(shop: Shop) -> None:
    run = shop.runs["popular"]
    tied = run.filter(pl.len().over("user_id", "score") > 1)
    assert tied.height > 0.3 * run.height
    assert (run["score"] == run["score"].round()).all()
    scored = run.join(shop.films, on="film_id")
    assert (scored["score"] == scored["popularity"]).all()


def test_neighbours_leaves_lists_unfinished(shop: Shop) -> None:
    lengths = shop.runs["neighbours"].group_by("user_id").len()
    unfinished = lengths.filter(pl.col("len") < 50)
    assert 20 < unfinished.height < 100
    without = shop.truth.select("user_id").unique().join(lengths, on="user_id", how="anti")
    assert 3 < without.height < 40
    assert all(shop.runs[name]["user_id"].n_unique() == 600 for name in ("popular", "taste"))


def test_only_taste_shows_seen_films(shop: Shop) -> None:
    again = {name: run.join(shop.seen, on=PAIR, how="semi").height for name, run in shop.runs.items()}
    assert again["popular"] == again["neighbours"] == 0
    assert 300 < again["taste"] <= 2 * 600


def test_scores_survive_single_precision(shop: Shop) -> None:
    """trec_eval reads scores as 32-bit floats: it must see the same ties."""
    for name, run in shop.runs.items():
        short = run.with_columns(pl.col("score").cast(pl.Float32))
        assert short.select("user_id", "score").n_unique() == run.select("user_id", "score").n_unique(), name


def test_quality_of_the_three(shop: Shop) -> None:
    popular, neighbours, taste = (mean(ndcg(shop.runs[name], shop.truth)) for name in NAMES)
    assert popular > 0.1
    assert neighbours > popular + 0.05
    assert taste > neighbours + 0.1
    assert taste < 0.8


def test_leaving_out_seen_films_helps_taste(shop: Shop) -> None:
    run = shop.runs["taste"]
    unseen = run.join(shop.seen, on=PAIR, how="anti")
    assert mean(ndcg(unseen, shop.truth)) > mean(ndcg(run, shop.truth)) + 0.01


def test_for_new_users_popular_beats_neighbours(shop: Shop) -> None:
    """The slice that turns the order of the means around."""
    new = shop.truth.filter(pl.col("segment") == "new")
    assert mean(ndcg(shop.runs["popular"], new)) > mean(ndcg(shop.runs["neighbours"], new)) + 0.03


def test_what_popular_hides(shop: Shop) -> None:
    """Few films, the same for everybody: two users share more than half of their first ten."""
    shown = {
        name: run.group_by("user_id", maintain_order=True).head(10).select(PAIR)
        for name, run in shop.runs.items()
    }
    films = {name: lists["film_id"].n_unique() for name, lists in shown.items()}
    assert films["popular"] < 0.1 * 400
    assert min(films["neighbours"], films["taste"]) > 0.8 * 400
    both = (
        shown["popular"]
        .join(shown["popular"], on="film_id")
        .filter(pl.col("user_id") != pl.col("user_id_right"))
    )
    assert 0.5 < both.height / (600 * 599) / 10 < 0.7
    viewers = shown["popular"].join(shop.films, on="film_id")["popularity"].mean()
    assert viewers > 2 * shown["taste"].join(shop.films, on="film_id")["popularity"].mean()


def test_clicks_are_rare_and_the_probabilities_are(shop: Shop) -> None:
    clicks = shop.clicks
    assert set(clicks["clicked"]) == {0, 1}
    assert 0.05 < clicks["clicked"].mean() < 0.2
    for model in ("p_fame", "p_taste"):
        assert clicks[model].is_between(0.0001, 0.99).all()
        assert clicks[model].n_unique() > 100


def test_one_model_of_clicks_has_the_order_and_the_other_the_amount(shop: Shop) -> None:
    clicks = shop.clicks
    fame, taste = (roc_auc_score(clicks["clicked"], clicks[model]) for model in ("p_fame", "p_taste"))
    assert 0.6 < fame < 0.7
    assert taste > 0.75
    happened = clicks["clicked"].sum()
    assert abs(clicks["p_fame"].sum() / happened - 1) < 0.1
    assert clicks["p_taste"].sum() / happened > 1.3
    assert clicks.group_by("film_id").agg(pl.col("p_fame").n_unique())["p_fame"].max() == 1
