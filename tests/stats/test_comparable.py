"""Which systems may be compared, and which are refused because something else than the system differs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.stats.comparable import check_comparable

from ..tables import each_row

QUERIES = [f"q{at}" for at in range(12)]
TRUTH = {query: ["a"] for query in QUERIES}
A = {query: ["b", "a"] if at % 3 else ["a", "b"] for at, query in enumerate(QUERIES)}
B = {query: ["a", "b"] if at % 2 else ["b", "a"] for at, query in enumerate(QUERIES)}
CLICKS = pl.DataFrame(
    {
        "user_id": [1, 1, 1, 2, 2, 3, 3, 3],
        "label": [1, 0, 0, 1, 0, 1, 1, 0],
        "p": [0.9, 0.4, 0.5, 0.5, 0.2, 0.7, 0.3, 0.6],
        "q": [0.8, 0.1, 0.3, 0.6, 0.4, 0.9, 0.5, 0.2],
    }
)


def lists(run, **columns):
    """A run as a table, with what each query has in further columns."""
    rows = [
        {"query": query, "item": item, "rank": place}
        | {name: values(int(query[1:])) for name, values in columns.items()}
        for query, items in run.items()
        for place, item in enumerate(items, 1)
    ]
    return pl.DataFrame(rows)


def refused(one, other):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.compare({"one": one, "other": other})
    return str(caught.value).splitlines()[0]


class TestUnits:
    def test_rows_against_users(self):
        rows = sy.evaluate(CLICKS.select("label", "p"), metrics="logloss")
        users = sy.evaluate(CLICKS.select("user_id", "label", p="q"), metrics="logloss")
        assert (
            refused(rows, users) == "the units of 'one' are rows, but those of 'other' are column 'user_id'"
        )
        assert (
            refused(users, rows) == "the units of 'one' are column 'user_id', but those of 'other' are rows"
        )

    def test_the_same_users_under_another_name(self):
        one = sy.evaluate(CLICKS.select("user_id", "label", "p"), metrics="logloss")
        other = sy.evaluate(CLICKS.select("label", customer_id="user_id", p="q"), metrics="logloss")
        assert sy.compare({"one": one, "other": other})["logloss"]["n"] == 3

    @pytest.mark.parametrize("named", [{"scores": ["p", "q"]}, {"columns": {"score": ["p", "q"]}}])
    def test_a_column_of_scores_is_never_the_query(self, named):
        found = sy.compare(CLICKS, metrics="logloss", **named)
        assert found["logloss"]["n"] == 3
        assert [one.measured[0].drawn for one in found.results.values()] == ["user_id", "user_id"]

    @pytest.mark.parametrize("form", ["frame", "csv"])
    def test_fractions_are_no_units(self, form, tmp_path):
        log = CLICKS.select("label", "p", "q")
        if form == "csv":
            log.write_csv(tmp_path / "log.csv")
            log = tmp_path / "log.csv"
        result = sy.evaluate(log, metrics="auc", columns={"score": "p"})
        assert result.certainty()["unit"].to_list() == ["rows"]
        assert "rows_are_units" in [note.key for note in result.notes]

    def test_whole_numbers_among_floats_are_units(self):
        log = CLICKS.select(pl.col("user_id").cast(pl.Float64), "label", "p")
        assert sy.evaluate(log, metrics="auc").certainty()["unit"].to_list() == ["user_id"]

    def test_a_unit_of_other_queries(self):
        one = sy.evaluate(lists(A, house=lambda at: at // 4), TRUTH, "mrr", unit="house")
        other = sy.evaluate(lists(B, house=lambda at: (at // 4 + 1) % 3), TRUTH, "mrr", unit="house")
        assert refused(one, other) == "query 'q0' belongs to house '0' in 'one', but to '1' in 'other'"

    def test_units_of_the_same_queries(self):
        """In another order, and with queries that no unit is named for."""

        def house(at):
            return None if at > 9 else at // 4

        one = sy.evaluate(lists(A, house=house), TRUTH, "mrr", unit="house")
        other = sy.evaluate(lists(dict(reversed(B.items())), house=house), TRUTH, "mrr", unit="house")
        assert sy.compare({"one": one, "other": other})["mrr"]["difference"] == pytest.approx(9 / 12 - 8 / 12)


class TestWhatElseWasGiven:
    def weighted(self, run, by):
        return sy.evaluate(run, TRUTH, "mrr", weights={query: by(at) for at, query in enumerate(QUERIES)})

    def test_weights_of_one_alone(self):
        one, other = self.weighted(A, lambda at: at + 1), sy.evaluate(B, TRUTH, "mrr")
        assert refused(one, other) == "'one' was measured with weights, but 'other' without"
        assert refused(other, one) == "'other' was measured with weights, but 'one' without"

    def test_other_weights(self):
        one, other = self.weighted(A, lambda at: at + 1), self.weighted(B, lambda at: 2 * at + 1)
        assert refused(one, other) == "'one' and 'other' were measured with different weights"

    def test_weights_that_are_twice_as_large_are_the_same(self):
        one, other = self.weighted(A, lambda at: at + 1), self.weighted(B, lambda at: 2 * at + 2)
        odd = sum(at + 1 for at in range(1, 12, 2))  # where B has the item first
        third = sum(at + 1 for at in range(0, 12, 3))  # where A has
        expected = (odd - third) / 2 / 78
        assert sy.compare({"one": one, "other": other})["mrr"]["difference"] == pytest.approx(expected)

    def test_other_weights_of_rows(self):
        log = CLICKS.with_columns(w=pl.Series([1, 2, 1, 1, 1, 1, 1, 1]), v=pl.lit(1))
        one, other = (
            sy.evaluate(log, metrics="auc", weights=weight, columns={"score": "p", "query": "user_id"})
            for weight in ("w", "v")
        )
        assert refused(one, other) == "'one' and 'other' were measured with different weights"

    def test_exclude_of_one_alone(self):
        one = sy.evaluate(A, TRUTH, "mrr", exclude={"q0": ["b"]})
        assert (
            refused(one, sy.evaluate(B, TRUTH, "mrr"))
            == "'one' was measured with exclude, but 'other' without"
        )

    def test_a_gate_refuses_them_too(self):
        one, other = self.weighted(A, lambda at: at + 1), sy.evaluate(B, TRUTH, "mrr")
        with pytest.raises(sy.SteelyardError, match="was measured with weights, but"):
            sy.check(one, baseline=other, max_drop={"mrr": 0.5})


class TestSlices:
    def test_slices_of_other_queries(self):
        one = sy.evaluate(lists(A, part=lambda at: at % 2), TRUTH, "mrr", by="part")
        other = sy.evaluate(lists(B, part=lambda at: (at + 1) % 2), TRUTH, "mrr", by="part")
        said = "'one' and 'other' have the same query or row in different slices by part"
        assert refused(one, other) == said


def of_lists(metric, **tables):
    return sy.evaluate(A, metrics=metric, **tables)


def of_users(log, **options):
    return sy.evaluate(log.rename({"p": "score"}).drop("q"), metrics=["auc", "gauc"], **options)


LETTERS = {"label": list("abab" * 5), "predicted": list("abba" * 5)}
MATRIX = np.random.default_rng(0).integers(0, 2, (40, 3))
SCORES = np.random.default_rng(1).random((40, 3))
TAKEN = {query: ["x"] for query in QUERIES}
# the same metrics on other data: both results, and what is said of them
OTHER_DATA = {
    "classes": (
        lambda: sy.evaluate(LETTERS, metrics="f1", classes=["a", "b"]),
        lambda: sy.evaluate(LETTERS, metrics="f1", classes=["b", "a"]),
        "'one' was measured with the classes a, b, but 'other' with b, a",
    ),
    "catalog": (
        lambda: of_lists("coverage@1", catalog=["a", "b"]),
        lambda: of_lists("coverage@1", catalog=["a", "b", "c"]),
        "'one' and 'other' were measured with different catalog",
    ),
    "catalog of one alone": (
        lambda: of_lists("novelty@1", history={"u": ["a", "b"]}, catalog=["a", "b"]),
        lambda: of_lists("novelty@1", history={"u": ["a", "b"]}),
        "'one' was measured with catalog, but 'other' without",
    ),
    "history": (
        lambda: of_lists("novelty@1", history={**TAKEN, "v": ["a", "b"]}),
        lambda: of_lists("novelty@1", history={**TAKEN, "v": ["a", "b", "x"]}),
        "'one' and 'other' were measured with different history",
    ),
    "features": (
        lambda: of_lists("diversity@2", features={"a": [1.0, 0.0], "b": [0.0, 1.0]}),
        lambda: of_lists("diversity@2", features={"a": [1.0, 0.0], "b": [0.5, 1.0]}),
        "'one' and 'other' were measured with different features",
    ),
    "tags": (
        lambda: of_lists("diversity(distance=jaccard)@2", features={"a": ["x", "y"], "b": ["y"]}),
        lambda: of_lists("diversity(distance=jaccard)@2", features={"a": ["x", "y"], "b": ["x"]}),
        "'one' and 'other' were measured with different features",
    ),
    "exclude": (
        lambda: sy.evaluate(A, TRUTH, "mrr", exclude={"q0": ["b"]}),
        lambda: sy.evaluate(B, TRUTH, "mrr", exclude={"q1": ["b"]}),
        "'one' and 'other' were measured with different exclude",
    ),
    "users of lists": (
        lambda: of_lists("coverage@1", catalog=["a", "b"]),
        lambda: sy.evaluate({f"u{query}": A[query] for query in A}, metrics="coverage@1", catalog=["a", "b"]),
        "'one' and 'other' were measured on different users, queries or rows (12 and 12)",
    ),
    "users of rows": (
        lambda: of_users(CLICKS),
        lambda: of_users(CLICKS.with_columns(user_id=pl.col("user_id") + 10)),
        "'one' and 'other' were measured on different users, queries or rows (3 and 3)",
    ),
    "rows of users": (
        lambda: of_users(CLICKS),
        lambda: of_users(CLICKS.with_columns(user_id=pl.Series([1, 1, 2, 2, 2, 3, 3, 3]))),
        "'one' and 'other' were measured on different users, queries or rows (3 and 3)",
    ),
    "slices of rows": (
        lambda: of_users(CLICKS.with_columns(part=pl.Series(list("xxxxyyyy"))), by="part"),
        lambda: of_users(CLICKS.with_columns(part=pl.Series(list("xyxxyyyy"))), by="part"),
        "'one' and 'other' have the same query or row in different slices by part",
    ),
    "label matrices": (
        lambda: sy.evaluate(SCORES, MATRIX, "auc(average=ovr_macro)"),
        lambda: sy.evaluate(SCORES, 1 - MATRIX, "auc(average=ovr_macro)"),
        "'one' and 'other' were measured against different truth",
    ),
    "weights of rows in two tables": (
        lambda: weighted_rows([1, 2, 3]),
        lambda: weighted_rows([2, 1, 3]),
        "'one' and 'other' were measured with different weights",
    ),
}


def weighted_rows(weights):
    said = pl.DataFrame({"user_id": [1, 1, 2], "item": [1, 2, 1], "score": [0.2, 0.7, 0.4]})
    true = pl.DataFrame({"user_id": [1, 1, 2], "item": [1, 2, 1], "label": [0, 1, 1], "w": weights})
    return sy.evaluate(said, true, "auc", weights="w")


class TestOtherData:
    @pytest.mark.parametrize("case", OTHER_DATA)
    @pytest.mark.parametrize("saved", [False, True])
    def test_it_is_refused(self, case, saved, tmp_path):
        one, other, said = OTHER_DATA[case]
        results = [one(), other()]
        if saved:
            for place, result in enumerate(results):
                result.slim().save(tmp_path / f"{place}.steelyard")
                results[place] = sy.load(tmp_path / f"{place}.steelyard")
        assert refused(*results).startswith(said)
        label = results[0].metrics[0][0]
        with pytest.raises(sy.SteelyardError):
            sy.check(results[1], baseline=results[0], max_drop={label: 1})
        assert sy.compare({"one": one(), "other": one()})

    def test_very_many_rows(self):
        """Another day's log of as many rows; the labels of its first row are all that differs."""
        n = 1_100_000
        log = pl.DataFrame({"label": np.arange(n) % 2, "score": np.arange(n) % 7 / 7})
        other = log.with_columns(label=pl.when(pl.int_range(n) == 0).then(1).otherwise("label"))
        one, two = (sy.evaluate(each, metrics="logloss", clip=0.01) for each in (log, other))
        assert refused(one, two).startswith("'one' and 'other' were measured against different truth")
        assert sy.compare({"one": one, "other": one})["logloss"]["difference"] == 0

    def test_an_array_that_is_filled_anew(self):
        """The labels of the first day are those that the array had then."""
        labels, scores = np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.4, 0.3])
        monday = sy.evaluate(scores, labels, "auc")
        labels[:] = [0, 1, 0, 1]
        tuesday = sy.evaluate(scores, labels, "auc")
        assert refused(monday, tuesday).startswith("'one' and 'other' were measured against different truth")

    def test_a_result_of_more_metrics(self):
        """Metrics of lists and of rows read one truth in two ways; what both measured is compared."""
        columns = {"query": "user_id"}
        one = sy.evaluate(CLICKS, metrics=["mrr", "auc"], columns={**columns, "score": "p"})
        other = sy.evaluate(CLICKS, metrics="auc", columns={**columns, "score": "q"})
        # of 4 × 4 pairs p orders 4 + 2.5 + 4 + 1 (of the positives 0.9, 0.5, 0.7 and 0.3), q orders all
        assert sy.compare({"one": one, "other": other})["auc"]["difference"] == pytest.approx(
            (16 - 11.5) / 16
        )

    def test_the_queries_that_both_answered(self):
        """Under missing=skip the systems may leave out queries of one truth, and are compared on the rest."""
        one = sy.evaluate({query: A[query] for query in QUERIES[:8]}, TRUTH, "mrr", missing="skip")
        other = sy.evaluate(B, TRUTH, "mrr", missing="skip")
        assert sy.compare({"one": one, "other": other})["mrr"]["n"] == 8

    def test_independent_samples_need_the_same_conventions_and_kinds_of_tables(self):
        one = sy.evaluate(A, TRUTH, "mrr", exclude={"q0": ["b"]})
        other = sy.evaluate(B, {query: ["b"] for query in QUERIES}, "mrr", exclude={"q1": ["a"]})
        check_comparable({"one": one, "other": other}, paired=False)
        for without in (
            sy.evaluate(B, TRUTH, "mrr"),
            sy.evaluate(B, TRUTH, "mrr", weights=dict.fromkeys(B, 2)),
        ):
            with pytest.raises(
                sy.SteelyardError, match="'one' was measured with exclude, but 'other' without"
            ):
                check_comparable({"one": one, "other": without}, paired=False)
        strict = sy.evaluate(B, TRUTH, "mrr", ties="expected", exclude={"q1": ["a"]})
        with pytest.raises(sy.SteelyardError, match="under another convention"):
            check_comparable({"one": one, "other": strict}, paired=False)


class TestNames:
    def test_one_run_in_place_of_systems(self):
        """Whether its lists have scores or not."""
        for run in (A, {query: dict.fromkeys(items, 1.0) for query, items in A.items()}):
            with pytest.raises(sy.SteelyardError, match="this is one run: 'q0' is a query of it"):
                sy.compare(run, TRUTH, "mrr")

    @pytest.mark.parametrize(
        ("old", "new", "labels", "metric", "difference"),
        [
            ([0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.6, 0.2], [1, 0, 1, 0], "auc", 1 - 1 / 4),
            (["a", "b", "b"], ["a", "a", "b"], ["a", "a", "b"], "accuracy", 1 - 2 / 3),
        ],
    )
    def test_lists_beside_labels_are_systems(self, old, new, labels, metric, difference):
        found = sy.compare({"old": old, "new": new}, labels, metric)
        assert found[metric]["difference"] == pytest.approx(difference)

    def test_two_systems_of_one_name(self):
        with pytest.raises(sy.SteelyardError, match="two systems are called '1'"):
            sy.compare({1: A, "1": B}, TRUTH, "mrr")

    def test_one_file_twice(self, tmp_path):
        lists(A).write_csv(tmp_path / "a.csv")
        with pytest.raises(sy.SteelyardError, match=r"a\.csv is given twice"):
            sy.compare([tmp_path / "a.csv", str(tmp_path / "a.csv")], TRUTH, "mrr")

    def test_several_files_of_one_system(self, tmp_path):
        table = lists(A)
        for name, part in (("one", table[:12]), ("two", table[12:])):
            part.write_csv(tmp_path / f"{name}.csv")
        files = [str(tmp_path / "one.csv"), str(tmp_path / "two.csv")]
        assert sy.compare({"a": files, "b": lists(A)}, TRUTH, "mrr")["mrr"]["difference"] == 0

    def test_the_baseline_by_its_file(self, tmp_path):
        for name, run in (("a", A), ("b", B)):
            lists(run).write_csv(tmp_path / f"{name}.csv")
        files = [tmp_path / "a.csv", tmp_path / "b.csv"]
        assert sy.compare(files, TRUTH, "mrr", baseline=str(files[1])).baseline == "b"

    @pytest.mark.parametrize("asked", [(), ("mrr", "b", "a", "zzz"), ("mrr", {"x": 1}, {"y": 1})])
    def test_names_that_are_no_difference(self, asked):
        found = sy.compare({"a": A, "b": B}, TRUTH, "mrr")
        with pytest.raises(sy.SteelyardError, match=f"got {len(asked)} names"):
            found[asked]

    def test_no_metrics(self):
        with pytest.raises(sy.SteelyardError) as caught:
            sy.compare({"a": A, "b": B}, TRUTH)
        assert "--task" not in str(caught.value)

    def test_intervals_go_with_the_test(self):
        with pytest.raises(sy.SteelyardError, match="compare takes no ci"):
            sy.compare({"a": A, "b": B}, TRUTH, "mrr", ci="t")

    def test_the_bound_of_a_seed(self):
        with pytest.raises(sy.SteelyardError, match=r"from 0 to 2\*\*64 - 1; got 18446744073709551616"):
            sy.compare({"a": A, "b": B}, TRUTH, "mrr", seed=2**64)


class TestClasses:
    """Of class a three rows are right of three with one false call in old: 6/7; two of three in new: 4/5."""

    LOG = pl.DataFrame(
        {"label": list("aaabbb"), "old": list("aaaabb"), "new": list("aabbbb"), "user_id": list("uvwuvw")}
    )

    @pytest.fixture
    def found(self):
        metric = "f1(average=none)"
        return sy.compare(
            {
                name: sy.evaluate(self.LOG, metrics=metric, columns={"predicted": name})
                for name in ("old", "new")
            }
        )

    def test_by_its_name(self, found):
        row = found["f1(average=none)", {"class": "a"}]
        assert row["difference"] == pytest.approx(4 / 5 - 6 / 7)
        assert found["f1(average=none)", "new", "old", {"class": "b"}]["difference"] == pytest.approx(
            6 / 7 - 4 / 5
        )
        assert found.needed("f1(average=none)", 0.1, at={"class": "a"}) > 3

    def test_without_a_name_it_is_asked_for(self, found):
        with pytest.raises(sy.SteelyardError, match="has a difference for each class\nname the class: cmp"):
            found["f1(average=none)"]

    def test_one_that_is_not_there(self, found):
        with pytest.raises(sy.SteelyardError, match="there is no slice class=z"):
            found["f1(average=none)", {"class": "z"}]

    def test_of_a_metric_without_classes(self):
        found = sy.compare({"a": A, "b": B}, TRUTH, "mrr")
        with pytest.raises(sy.SteelyardError, match="has no slices"):
            found["mrr", {"class": "a"}]


class TestSaved:
    def test_a_note_says_that_nothing_was_measured_anew(self, tmp_path):
        for name, run in (("a", A), ("b", B)):
            sy.evaluate(run, TRUTH, "mrr").save(tmp_path / f"{name}.steelyard")
        files = [tmp_path / "a.steelyard", tmp_path / "b.steelyard"]
        found = sy.compare(files)
        assert list(found.results) == ["a", "b"]
        said = "values come from a saved result; nothing was measured anew."
        assert said in map(str, found.notes)
        mixed = sy.compare({"a": files[0], "b": B}, TRUTH, "mrr")
        assert [str(note) for note in mixed.notes if "saved" in note] == [f"a: {said}"]


class TestBaseline:
    @each_row(
        "baseline",
        [[], {}, ["a"], 0, np.zeros(3), CLICKS, object(), True],
        ids=lambda one: type(one).__name__,
    )
    @each_row("systems", [{"a": A, "b": B}, [A, B]])
    def test_what_is_no_name_is_refused(self, baseline, systems):
        with pytest.raises(sy.SteelyardError, match="^baseline must be the name of a system; got ") as caught:
            sy.compare(systems, TRUTH, "mrr", baseline=baseline)
        assert caught.value.remedy.startswith("the systems are ")
