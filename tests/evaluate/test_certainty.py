"""Intervals as users see them: the table of certainty, what is drawn as one, and what is said of it."""

from __future__ import annotations

import json
import math
import pickle
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from scipy import stats

import steelyard as sy

from ..tables import each_row

COLUMNS = [
    "metric",
    "value",
    "ci_low",
    "ci_high",
    "interval",
    "level",
    "unit",
    "units",
    "effective_units",
    "standard_error",
]
# (unit, label, probability) and (unit, label, score), worked out by hand
CALIBRATED = [
    *[("a", 1, 0.8), ("a", 0, 0.3), ("b", 0, 0.1), ("b", 1, 0.4)],
    *[("c", 1, 0.3), ("c", 1, 0.6), ("d", 0, 0.2), ("d", 1, 0.7)],
]
SCORED = [
    *[("a", 1, 0.9), ("a", 0, 0.4), ("a", 0, 0.5), ("b", 1, 0.5), ("b", 0, 0.2)],
    *[("c", 1, 0.7), ("c", 1, 0.3), ("c", 0, 0.6), ("d", 0, 0.1), ("d", 1, 0.5)],
]


def log(rows, unit="user") -> pl.DataFrame:
    return pl.DataFrame(rows, schema=[unit, "label", "score"], orient="row")


def lists(hits_of_ten) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ten items for each query, of which the first so many are relevant; the list is told by a column."""
    n = len(hits_of_ten)
    run = pl.DataFrame(
        {
            "query": np.repeat(np.arange(n), 10),
            "item": np.tile(np.arange(10), n),
            "score": np.tile(np.arange(10.0, 0, -1), n),
        }
    )
    truth = run.drop("score").with_columns(
        relevance=(pl.col("item") < pl.Series(np.repeat(hits_of_ten, 10))).cast(pl.Int64)
    )
    return run, truth


def hits(n: int, found: int, **options) -> sy.Result:
    run = {f"q{i}": ["a", "b"] for i in range(n)}
    truth = {f"q{i}": {"a" if i < found else "b": 1} for i in range(n)}
    return sy.evaluate(run, truth, "hit_rate@1", **options)


def row(result: sy.Result, metric: str | None = None) -> dict:
    rows = result.certainty().to_dicts()
    return rows[0] if metric is None else next(one for one in rows if one["metric"] == metric)


def keys(result: sy.Result) -> list[str]:
    return [note.key for note in result.notes]


def wilson(share: float, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return centre - half, centre + half


class TestTheTable:
    def test_its_columns(self):
        assert hits(12, 8).certainty().columns == COLUMNS

    def test_hits_have_wilsons_interval(self):
        found = row(hits(50, 47))
        assert (found["ci_low"], found["ci_high"]) == pytest.approx(wilson(47 / 50, 50), abs=1e-12)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.837829, 0.979385), abs=1e-6)
        assert (found["interval"], found["level"], found["unit"]) == ("score", 0.95, "queries")
        assert found["units"] == 50
        assert found["effective_units"] == pytest.approx(50)
        assert found["standard_error"] == pytest.approx(math.sqrt(0.94 * 0.06 / 49))

    def test_fifty_hits_of_fifty(self):
        found = row(hits(50, 50))
        assert (found["ci_low"], found["ci_high"]) == (pytest.approx(0.928652, abs=1e-6), 1.0)

    def test_another_level(self):
        found = row(hits(50, 47, level=0.9))
        assert (found["ci_low"], found["ci_high"]) == pytest.approx(wilson(0.94, 50, 1.644853626951472))
        assert found["level"] == 0.9

    def test_values_between_0_and_1(self):
        run, truth = lists([2, 5, 10, 0, 8])
        found = row(sy.evaluate(run, truth, "precision@10"))
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.150458, 0.849542), abs=1e-6)
        assert found["standard_error"] == pytest.approx(math.sqrt(0.034))

    def test_weights_of_queries(self):
        run, truth = lists([9, 1, 4, 6])
        result = sy.evaluate(run, truth, "precision@10", weights={0: 4, 1: 1, 2: 2, 3: 1})
        found = row(result)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.089475, 0.969205), abs=1e-6)
        assert found["effective_units"] == pytest.approx(2.90909, abs=1e-5)
        assert found["standard_error"] == pytest.approx(math.sqrt(0.0443378), abs=1e-6)

    def test_rows_of_users(self):
        found = row(sy.evaluate(log(CALIBRATED), metrics="calibration"))
        assert (found["value"], found["interval"], found["unit"]) == (pytest.approx(0.68), "log", "user")
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.291709, 1.585144), abs=1e-6)
        found = row(sy.evaluate(log(SCORED), metrics="auc"))
        assert (found["value"], found["interval"]) == (pytest.approx(19 / 25), "logit")
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.215592, 0.973323), abs=1e-6)
        assert found["standard_error"] == pytest.approx(math.sqrt(0.0161828), abs=1e-6)

    def test_slices_have_their_own_units(self):
        table = log(SCORED).with_columns(half=pl.col("user").is_in(["a", "b"]).cast(pl.String))
        every = sy.evaluate(table, metrics="logloss", by="half").certainty()
        assert every["half"].to_list() == ["(all)", "false", "true"]
        assert every["units"].to_list() == [4, 2, 2]
        for name in ("false", "true"):
            alone = row(sy.evaluate(table.filter(pl.col("half") == name), metrics="logloss"))
            [there] = every.filter(pl.col("half") == name).drop("half").to_dicts()
            assert there == pytest.approx(alone)

    def test_a_value_per_class(self):
        table = pl.DataFrame({"label": list("aabb") * 3, "predicted": list("abba") * 3})
        found = sy.evaluate(table, metrics="recall(average=none)").certainty()
        assert found.columns[:3] == ["metric", "class", "value"]
        assert found["class"].to_list() == ["a", "b"]

    def test_its_limits_are_those_of_the_tidy_table(self):
        result = sy.evaluate(log(SCORED), metrics=["auc", "logloss", "gauc"])
        same = ["metric", "value", "ci_low", "ci_high"]
        assert result.table().select(same).equals(result.certainty().select(same))

    def test_no_interval(self):
        result = hits(12, 8, ci="none")
        assert row(result)["interval"] == "none"
        unknown = ["ci_low", "ci_high", "units", "effective_units", "standard_error"]
        assert result.certainty().select(unknown).row(0) == (None,) * 5
        assert "interval" not in str(result)

    def test_a_slice_column_of_the_same_name(self):
        table = log(SCORED).with_columns(level=pl.lit("x"))
        with pytest.raises(sy.SteelyardError, match="the table of intervals has two columns called 'level'"):
            sy.evaluate(table, metrics="auc", by="level").certainty()

    def test_saved_pickled_slim_and_in_json(self, tmp_path):
        result = sy.evaluate(log(SCORED), metrics=["auc", "ks"], level=0.9, seed=3)
        result.save(tmp_path / "kept.steelyard")
        again = [sy.load(tmp_path / "kept.steelyard"), pickle.loads(pickle.dumps(result)), result.slim()]
        assert all(one.certainty().equals(result.certainty()) for one in again)
        data = json.loads(result.to_json())
        assert data["certainty"] == {
            "ci": "auto",
            "level": 0.9,
            "unit": None,
            "seed": 3,
            "replicates": 1000,
        }
        limits = [(one["ci_low"], one["ci_high"]) for one in data["results"]]
        assert limits == result.table().select("ci_low", "ci_high").rows()


class TestUnits:
    def test_a_column_joins_queries(self):
        # two queries each: the mean of four pairs of equal values is that of four values
        run = {f"q{i}": ["a", "b"] for i in range(8)}
        truth = {f"q{i}": {"a" if i < 6 else "b": 1} for i in range(8)}
        pairs = {f"q{i}": f"pair {i // 2}" for i in range(8)}
        assert row(sy.evaluate(run, truth, "hit_rate@1"))["units"] == 8
        table = pl.DataFrame(
            {"query": list(pairs), "item": ["a"] * 8, "score": [1.0] * 8, "pair": list(pairs.values())}
        )
        found = row(sy.evaluate(table, truth, "hit_rate@1", unit="pair"))
        assert (found["unit"], found["units"]) == ("pair", 4)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx(wilson(3 / 4, 4))

    def test_the_querys_own_column_is_the_query(self):
        run = pl.DataFrame({"qid": [1, 2, 3], "item": ["a"] * 3, "score": [1.0] * 3})
        truth = pl.DataFrame({"qid": [1, 2, 3], "item": ["a", "b", "a"]})
        named = sy.evaluate(run, truth, "mrr", unit="qid").certainty()
        assert named.equals(sy.evaluate(run, truth, "mrr").certainty())

    def test_a_column_joins_rows(self):
        by_name = sy.evaluate(log(SCORED, "who"), metrics="auc", unit="who").certainty()
        by_role = sy.evaluate(log(SCORED), metrics="auc").certainty()
        assert by_name["unit"][0] == "who"
        assert by_name.drop("unit").equals(by_role.drop("unit"))

    def test_rows_without_a_unit_are_units_of_their_own(self):
        holes = log(SCORED, "who").with_columns(who=pl.when(pl.col("who") != "d").then("who"))
        named = (
            log(SCORED, "who")
            .with_row_index()
            .with_columns(
                who=pl.when(pl.col("who") != "d").then("who").otherwise(pl.col("index").cast(pl.String))
            )
        )
        found, wanted = (
            sy.evaluate(one, metrics="logloss", unit="who").certainty()
            for one in (holes, named.drop("index"))
        )
        assert found["units"][0] == 5
        assert found.row(0) == pytest.approx(wanted.row(0))

    @pytest.mark.parametrize("kind", [pl.Int8, pl.UInt64, pl.Float64, pl.String, pl.Categorical, pl.Date])
    def test_of_any_type(self, kind):
        number = {"a": 1, "b": 2, "c": 5, "d": 9}
        who = log(SCORED)["user"].replace_strict(number)
        who = who.cast(pl.String).cast(kind) if kind == pl.Categorical else who.cast(kind)
        found = sy.evaluate(log(SCORED).with_columns(who=who).drop("user"), metrics="auc", unit="who")
        assert found.certainty()["ci_low"][0] == pytest.approx(0.215592, abs=1e-6)

    def test_files_of_which_only_some_have_a_user(self, tmp_path):
        table = log(SCORED, "user_id")
        table[:5].write_csv(tmp_path / "1.csv")
        table[5:].drop("user_id").write_csv(tmp_path / "2.csv")
        every = [tmp_path / "1.csv", tmp_path / "2.csv"]
        for files in (every, every[::-1]):
            found = sy.evaluate(files, metrics=["auc", "logloss"])
            assert row(found)["unit"] == "rows"
            assert "rows_are_units" in keys(found)

    def test_files_whose_users_are_of_two_types(self, tmp_path):
        pl.DataFrame({"user_id": [1, 2], "label": [1, 0], "score": [0.6, 0.4]}).write_parquet(
            tmp_path / "1.parquet"
        )
        pl.DataFrame({"user_id": ["x", "2"], "label": [1, 0], "score": [0.7, 0.5]}).write_parquet(
            tmp_path / "2.parquet"
        )
        found = sy.evaluate([tmp_path / "1.parquet", tmp_path / "2.parquet"], metrics="logloss")
        assert row(found)["unit"] == "rows"

    @pytest.mark.parametrize("query", [None, "session_id", "request_id"])
    def test_the_user_is_wider_than_the_session(self, query):
        """Four users: a t quantile of three degrees, not one of the ten sessions."""
        table = log(SCORED).with_columns(session_id=pl.arange(10), request_id=pl.arange(10))
        columns = None if query is None else {"query": query}
        found = sy.evaluate(table, metrics="auc", columns=columns)
        assert (row(found)["unit"], row(found)["units"]) == ("user", 4)
        assert row(found)["ci_low"] == pytest.approx(0.215592, abs=1e-6)
        [note] = [note for note in found.notes if note.key == "widest_unit"]
        assert str(note) == (
            "predictions: the unit of intervals of row metrics is 'user', the widest of 'user', 'session_id' "
            "and 'request_id'; pass unit=NAME to use another."
        )
        as_asked = sy.evaluate(table, metrics="auc", columns=columns, unit="session_id")
        assert (row(as_asked)["unit"], row(as_asked)["units"]) == ("session_id", 10)
        assert "widest_unit" not in keys(as_asked)

    def test_the_session_is_wider_than_the_query(self):
        table = log(SCORED, "session_id").with_columns(qid=pl.arange(10))
        found = row(sy.evaluate(table, metrics="auc", columns={"query": "qid"}))
        assert (found["unit"], found["units"]) == ("session_id", 4)

    def test_groups_stay_sessions(self):
        table = log(SCORED).with_columns(session_id=pl.Series([1, 1, 1, 2, 2, 3, 4, 4, 5, 5]))
        options = {"metrics": "gauc", "columns": {"query": "session_id"}}
        found, named = sy.evaluate(table, **options), sy.evaluate(table, **options, unit="user")
        assert found["gauc"] == (3 * 1 + 2 * 1 + 2 * 0 + 2 * 1) / 9  # sessions 1, 2, 4, 5; 3 has one class
        assert found.certainty().equals(named.certainty())
        assert row(found)["unit"] == "user"

    def test_a_user_that_is_named_needs_no_note(self):
        table = log(SCORED).with_columns(session_id=pl.arange(10))
        found = sy.evaluate(table, metrics=["auc", "gauc"], columns={"query": "user"})
        assert row(found, "auc")["unit"] == "user"
        assert "widest_unit" not in keys(found)

    def test_a_column_of_another_name_may_be_wider_than_the_user(self):
        table = log(SCORED).with_columns(house=pl.Series([1] * 5 + [2] * 5))
        found = row(sy.evaluate(table, metrics="auc", columns={"query": "house"}))
        assert (found["unit"], found["units"]) == ("house", 2)

    def test_fractions_are_no_users(self):
        table = log(SCORED, "session_id").with_columns(user_id=pl.arange(10) + 0.5)
        found = sy.evaluate(table, metrics="gauc", columns={"query": "session_id"})
        assert row(found)["unit"] == "session_id"
        assert "widest_unit" not in keys(found)

    def test_two_columns_that_could_be_the_user_are_none(self):
        table = log(SCORED).with_columns(customer_id=pl.col("user"))
        found = sy.evaluate(table, metrics="logloss")
        assert (row(found)["unit"], row(found)["units"]) == ("rows", 10)
        assert "rows_are_units" in keys(found)

    def test_a_table_beside_names_the_units(self):
        known = pl.DataFrame({"user": ["a", "b", "c", "d"], "house": [1, 1, 2, 3]})
        found = row(sy.evaluate(log(SCORED), metrics="logloss", by=known, unit="house"))
        assert (found["unit"], found["units"]) == ("house", 3)

    def test_resampled_units_are_those_with_rows(self):
        # whole numbers that lie close together are numbered as they are, with gaps
        rows = [(7 * at, label, score) for at, (_, label, score) in enumerate(SCORED)]
        table = pl.concat([log(rows), log(rows)])
        result = sy.evaluate(table, metrics="ks", ci="bootstrap", by="label")
        assert result.certainty()["units"].to_list() == [10, 5, 5]


class TestDegenerate:
    METRICS = ("mrr", "hit_rate@1", "dcg@2", "mrr(mean=geometric)", "mrr(mean=median)")

    def test_one_query(self):
        result = sy.evaluate({"q": ["a"]}, {"q": {"a": 1}}, self.METRICS)
        assert result.certainty()["value"].to_list() == [1.0] * 5
        assert all(math.isnan(limit) for name in ("ci_low", "ci_high") for limit in result.table()[name])
        assert "one_unit" in keys(result)
        assert " – " in str(result).splitlines()[4]

    def test_all_values_equal(self):
        run = {f"q{i}": ["a", "b"] for i in range(10)}
        truth = {f"q{i}": {"b": 1} for i in range(10)}
        result = sy.evaluate(run, truth, self.METRICS)
        score = row(result, "mrr")
        assert score["ci_low"] < 0.5 < score["ci_high"]  # as if the next query could differ
        assert row(result, "hit_rate@1")["ci_low"] == 0
        assert row(result, "hit_rate@1")["ci_high"] == pytest.approx(wilson(0, 10)[1])
        median = row(result, "mrr(mean=median)")  # the 2nd and the 9th of ten values
        assert (median["ci_low"], median["ci_high"]) == (0.5, 0.5)
        for label in ("dcg@2", "mrr(mean=geometric)"):
            found = row(result, label)
            assert math.isnan(found["ci_low"])
            assert math.isnan(found["ci_high"])
        [note] = result.notes  # ten are not few, though their shares are not exact
        assert (
            str(note) == "dcg@2, mrr(mean=geometric): all units have the same value, so there is no interval."
        )

    def test_undefined_for_every_query(self):
        run = {f"q{i}": ["a", "b"] for i in range(10)}
        truth = {f"q{i}": {"b": 0} for i in range(10)}
        result = sy.evaluate(run, truth, ["mrr", "recall@2", "mrr(mean=median)"])
        found = result.certainty()
        assert found.select("value", "ci_low", "ci_high").fill_nan(None).null_count().row(0) == (3, 3, 3)
        assert found["units"].to_list() == [0, 0, 0]
        assert {"one_unit", "few_units"}.isdisjoint(keys(result))

    def test_one_class(self):
        table = {"label": [1, 1, 1], "score": [0.2, 0.6, 0.7]}
        found = row(sy.evaluate(table, metrics="auc"))
        assert math.isnan(found["value"])
        assert math.isnan(found["ci_low"])

    def test_one_unit_holds_a_class(self):
        table = log([("a", 1, 0.9), ("a", 1, 0.4), ("a", 0, 0.5), ("b", 0, 0.2)])
        result = sy.evaluate(table, metrics="auc")
        assert math.isnan(row(result)["ci_low"])
        assert "one_unit" in keys(result)


def test_values_in_a_small_part_of_their_bounds():
    """Distances of 1/2 and 1/3: the added unit lies 1 + 10/20 times as far from the mean, not at 0 or 1."""
    tags = {"a": ["x", "y"], "b": ["x"], "c": ["x", "y", "z"]}
    shown = {f"u{at}": ["a", "b" if at % 2 else "c"] for at in range(20)}
    found = row(sy.evaluate(shown, metrics="diversity(distance=jaccard)@2", features=tags))
    mean, away = 5 / 12, 1 / 12
    design = (20 * away**2 + (1.5 * away) ** 2) / 21 / (mean * (1 - mean))
    low, high = wilson(mean, 20 / design, stats.t.ppf(0.975, 19))
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((low, high), rel=1e-9)


class TestNotes:
    @staticmethod
    def clicks(n: int, of_first: int = 0) -> pl.DataFrame:
        """Rows of users, four each, and more of the first."""
        user = np.r_[np.zeros(of_first, np.int64), np.arange(n) // 4]
        at = np.arange(len(user))
        return pl.DataFrame({"user": user, "label": at % 3 == 0, "score": 0.2 + (at * 7 % 11) / 20}).cast(
            {"label": pl.Int64}
        )

    def test_rows_are_units(self):
        result = sy.evaluate(self.clicks(80).drop("user"), metrics=["auc", "logloss"])
        assert keys(result) == ["rows_are_units"]
        assert result.notes[0] == "intervals assume independent rows; pass unit=NAME if rows share a user."
        assert keys(sy.evaluate(self.clicks(80), metrics=["auc", "logloss"])) == []
        assert keys(sy.evaluate(self.clicks(80).drop("user"), metrics=["auc", "logloss"], ci="none")) == []

    def test_few_units(self):
        result = sy.evaluate(self.clicks(36), metrics=["auc", "logloss"])
        assert [note.render("en") for note in result.notes] == [
            "auc, logloss: effective sample size below 10; the interval is approximate."
        ]
        assert keys(sy.evaluate(self.clicks(80), metrics="logloss")) == []

    def test_rows_that_carry_the_variance_are_what_counts(self):
        """48 small losses and two large ones: the variance comes from two rows, 2 · 2 + 1 effective units."""
        label, score = [0] * 25 + [1] * 25, [0.01] * 25 + [0.99] * 25
        score[0], score[-1] = 0.99, 0.01
        result = sy.evaluate(pl.DataFrame({"label": label, "score": score}), metrics="brier", ci="t")
        found = result.certainty().row(0, named=True)
        loss = np.array([0.99**2] * 2 + [0.01**2] * 48)
        away = loss - loss.mean()
        carriers = (away**2).sum() ** 2 / (away**4).sum()
        assert 2 < carriers < 2.2
        assert found["effective_units"] == pytest.approx(1 + 2 * carriers, rel=1e-9)
        wide = stats.t.ppf(0.975, 2 * carriers) * loss.std(ddof=1) / math.sqrt(50)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.0, loss.mean() + wide), rel=1e-9)
        assert "few_units" in keys(result)

    def test_a_loss_without_positives_is_rough(self):
        """Every loss is near its mean; what a positive would cost nobody saw."""
        log = pl.DataFrame({"label": [0] * 100, "score": np.linspace(0.01, 0.03, 100)})
        assert "few_units" in keys(sy.evaluate(log, metrics="logloss"))
        assert "few_units" in keys(sy.evaluate(log, metrics="brier"))
        assert "few_units" not in keys(sy.evaluate(log, metrics="accuracy"))

    def test_a_heavy_unit_is_named(self):
        result = sy.evaluate(self.clicks(400, of_first=40), metrics=["logloss", "auc"])
        [note] = result.notes
        # 44 of 440 rows, the others 4 each: 1 / (0.1² + 99 × (4/440)²)
        effective = 1 / (0.1**2 + 99 * (4 / 440) ** 2)
        assert (
            str(note) == f"unit 0 contributes 10.0% of logloss; effective sample size {effective:.1f} of 100."
        )
        assert note.key == "heavy_unit"

    def test_five_percent_are_not_heavy_where_all_have_as_much(self):
        assert "heavy_unit" not in keys(sy.evaluate(self.clicks(40), metrics="logloss"))  # 10 % each
        assert "heavy_unit" not in keys(
            sy.evaluate(self.clicks(400, of_first=12), metrics="logloss")
        )  # 3.9 %

    def test_the_rows_of_a_rare_class_are_not_heavy(self):
        table = pl.DataFrame({"label": [1] * 12 + [0] * 500, "score": np.arange(512) % 97 / 100})
        assert keys(sy.evaluate(table, metrics="auc")) == ["rows_are_units"]

    def test_not_resampled_where_rows_are_very_many(self, monkeypatch):
        table = self.clicks(80)
        before = sy.evaluate(table, metrics=["ece", "logloss"])
        assert row(before, "ece")["ci_low"] is not None
        monkeypatch.setattr("steelyard.stats.intervals.MOST_RESAMPLED", 79)
        result = sy.evaluate(table, metrics=["ece", "logloss"])
        found = row(result, "ece")
        assert (found["ci_low"], found["ci_high"], found["interval"]) == (None, None, "none")
        assert row(result, "logloss")["ci_low"] > 0
        assert [str(note) for note in result.notes if note.key == "not_resampled"] == [
            "ece: no interval, since resampling so many rows takes long; ask for it with ci=bootstrap."
        ]
        asked = sy.evaluate(table, metrics="ece", ci="bootstrap")
        assert row(asked)["ci_low"] is not None
        assert "not_resampled" not in keys(asked)

    def test_a_kind_that_a_metric_has_not(self):
        result = sy.evaluate(self.clicks(80), metrics=["auc", "logloss"], ci="score")
        assert result.certainty()["interval"].to_list() == ["logit", "log"]
        assert [str(note) for note in result.notes] == [
            "auc, logloss: there is no interval of the kind score; the one that suits the metric is given."
        ]

    @pytest.mark.parametrize("ci", ["score", "t", "influence", "bootstrap", "bca", "auto"])
    def test_a_kind_that_a_metric_has_is_not_spoken_of(self, ci):
        run, truth = lists([3, 4, 10, 0, 8, 2, 7, 9, 9, 1, 5, 6])
        result = sy.evaluate(run, truth, "precision@10", ci=ci)
        kinds = {"influence": "t", "bootstrap": "percentile", "auto": "score"}
        assert row(result)["interval"] == kinds.get(ci, ci)
        assert "other_interval" not in keys(result)

    def test_in_chinese(self):
        result = sy.evaluate(self.clicks(36).drop("user"), metrics="auc")
        assert all(note.render("zh") != str(note) for note in result.notes)


REFUSED = {
    "level in percent": (
        {"level": 95},
        "level must be a number between 0 and 1, such as 0.95; got 95",
        "write 0.95 for 95 %",
    ),
    "level 0": ({"level": 0}, "got 0", ""),
    "level 1": ({"level": 1}, "got 1", ""),
    "level as text": ({"level": "most"}, "got 'most'", ""),
    "unknown ci": ({"ci": "scor"}, "ci must be one of 'auto', 'none', 'influence'", "did you mean 'score'?"),
    "seed as text": ({"seed": "lucky"}, "seed must be a whole number from 0 to 2**64 - 1; got 'lucky'", ""),
    "seed below 0": ({"seed": -1}, "seed must be a whole number from 0 to 2**64 - 1; got -1", ""),
    "unit that is no column": (
        {"unit": "hose"},
        "no column 'hose' in predictions or truth to draw units by",
        "the columns are:",
    ),
    "unit in both tables": (
        {"unit": "house"},
        "both predictions and truth have a column 'house' to draw units by",
        "drop or rename one of them",
    ),
    "unit that varies within a query": (
        {"unit": "score"},
        "column 'score' of predictions varies within query q1: '2.0' and '1.0'",
        "a slice, a weight or a unit of a ranking must be constant within a query",
    ),
    "unit of fractions": (
        {"unit": "half"},
        "column 'half' holds a fraction, which cannot name units",
        "name a column of text, whole numbers or dates (unit=NAME)",
    ),
    "unit of durations": (
        {"unit": "stay"},
        "column 'stay' holds a duration, which cannot name units",
        "unit=NAME",
    ),
    "unit of lists": (
        {"unit": "tags"},
        "column 'tags' holds List(String), which cannot name units",
        "unit=NAME",
    ),
    "unit that is no name": ({"unit": 3}, "unit must be the name of a column; got 3", ""),
}
RUN = pl.DataFrame(
    {
        "query": ["q1", "q1", "q2"],
        "item": ["a", "b", "a"],
        "score": [2.0, 1.0, 2.0],
        "house": [1, 1, 2],
        "half": [0.5, 0.5, 1.5],
        "tags": [["x"], ["x"], ["y"]],
        "stay": [timedelta(1), timedelta(1), timedelta(2)],
    }
)
TRUTH = pl.DataFrame({"query": ["q1", "q2"], "item": ["a", "b"], "house": [1, 2]})


@each_row(("options", "said", "remedy"), REFUSED.values(), ids=REFUSED)
def test_refused(options, said, remedy):
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(RUN, TRUTH, "mrr", **options)
    assert said in str(error.value)
    assert remedy in error.value.remedy


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"unit": "score"}, "column 'score' holds a fraction, which cannot name units"),
        ({"unit": "stay"}, "column 'stay' holds a duration, which cannot name units"),
        ({"unit": "hose"}, "no column 'hose' in predictions to draw units by"),
    ],
)
def test_refused_of_rows(options, said):
    with pytest.raises(sy.SteelyardError, match=said):
        sy.evaluate(log(SCORED).with_columns(stay=timedelta(1)), metrics="auc", **options)


def test_a_duration_called_user_is_no_unit():
    rows = pl.DataFrame({"label": [0, 1], "score": [0.2, 0.7], "user": [timedelta(1), timedelta(2)]})
    assert sy.evaluate(rows, metrics="brier")["brier"] == pytest.approx((0.2**2 + 0.3**2) / 2)


def test_arrays_have_no_column():
    with pytest.raises(sy.SteelyardError, match="unit names a column, and plain arrays have none"):
        sy.evaluate(np.array([0.1, 0.9]), np.array([0, 1]), "auc", unit="user")


def test_an_explanation_is_of_the_value_alone():
    made = sy.explain("auc", log(SCORED))
    assert made.value == pytest.approx(19 / 25)
    assert "interval" not in str(made)


def test_one_error_of_fifty_has_as_many_degrees_of_freedom_as_rows():
    """On the logit scale: ln(49) ± t(49) · 0.02 / (0.98 · 0.02), where √(0.98 · 0.02 / 49) = 0.02."""
    truth = np.array([0, 1] * 25)
    predictions = np.where(np.arange(50) == 0, 1, truth)
    table = sy.evaluate(predictions=predictions, truth=truth, metrics="accuracy").table()
    away = stats.t.ppf(0.975, 49) / 0.98
    expected = [1 / (1 + math.exp(-(math.log(49) + side * away))) for side in (-1, 1)]
    assert table.select("ci_low", "ci_high").row(0) == pytest.approx(expected, rel=1e-9)
