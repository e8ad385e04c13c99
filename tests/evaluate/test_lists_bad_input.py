"""Bad input to metrics of lists as a whole: a clear sentence with its remedy, or a value and a note.

The lists: u is shown a, b, c; v is shown a, d, z; w is shown b alone.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import steelyard as sy
from steelyard.metrics import Coverage, Diversity, Exposure, Novelty

from ..tables import each_row

LISTS = {"u": ["a", "b", "c"], "v": ["a", "d", "z"], "w": ["b"]}
FILMS = ["a", "b", "c", "d", "e"]
GENRES = {"a": ["war"], "b": ["war", "love"], "c": ["love"], "d": ["space"], "z": ["space"]}
HAD = {"u": ["a"], "v": ["b", "a"], "x": ["c"]}


def refused(metrics, lists=LISTS, **tables) -> sy.SteelyardError:
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(lists, metrics=metrics, **tables)
    assert caught.value.remedy
    assert caught.value.render("zh") != str(caught.value)
    return caught.value


def said(metrics, lists=LISTS, **tables) -> list[str]:
    return [str(note) for note in sy.evaluate(lists, metrics=metrics, **tables).notes]


@each_row(
    ("metric", "table", "option"),
    [
        ("coverage@2", "catalog", "--catalog"),
        ("gini@2", "catalog", "--catalog"),
        ("diversity@2", "features", "--features"),
        ("novelty@2", "history", "--history"),
        ("miscalibration@2", "history", "--history"),
        ("exposure@2", "item_groups", "--item-groups"),
        ("unexpectedness@2", "baseline_lists", "--baseline-lists"),
    ],
)
def test_a_missing_table_is_named_with_its_option(metric, table, option):
    error = refused(metric)
    assert error.message.startswith(f"{metric} needs {table}")
    assert f"{table}=…" in error.remedy
    assert f"({option} FILE)" in error.remedy
    with pytest.raises(sy.SteelyardError, match=f"{metric} needs {table}"):
        sy.metric(metric).of([["a", "b"]])


def test_diversity_of_one_item():
    assert refused("diversity@1", features=GENRES).message == (
        "diversity@1 compares the items of a list with each other, so it needs two items"
    )
    with pytest.raises(sy.SteelyardError, match="needs two items"):
        Diversity(k=1).of([["a"]], features=GENRES)


class TestCatalog:
    @each_row(
        "catalog",
        [
            FILMS,
            tuple(FILMS),
            set(FILMS),
            dict.fromkeys(FILMS).keys(),
            np.array(FILMS),
            np.array(FILMS, object),
            pl.Series(FILMS),
            pd.Series(FILMS),
            pd.Index(FILMS),
            pl.DataFrame({"film_id": FILMS}).rename({"film_id": "item"}),
            pl.LazyFrame({"item_id": FILMS, "year": range(5)}),
            pd.DataFrame({"item_id": FILMS}),
            pl.DataFrame({"item": FILMS}).to_arrow(),
            {"item": FILMS},
        ],
        ids=lambda one: f"{type(one).__module__.partition('.')[0]}.{type(one).__name__}",
    )
    def test_every_form(self, catalog):
        # a, b and d of five are among the first two of a list
        assert sy.evaluate(LISTS, metrics="coverage@2", catalog=catalog)["coverage@2"] == 3 / 5
        assert Coverage(k=2).of(LISTS, catalog=catalog) == 3 / 5

    def test_a_column_by_name(self):
        result = sy.evaluate(
            LISTS, metrics="coverage@2", catalog={"film": FILMS}, columns={"catalog.item": "film"}
        )
        assert result["coverage@2"] == 3 / 5

    @pytest.mark.parametrize(
        ("content", "covered"),
        [
            ("\ufeffa\nb\nc\nd\n", 3 / 4),
            ("\ufeffitem\r\na\r\nb\r\n\r\nc\r\n", 2 / 3),
            ("a\nb\n\n \t\nThe Matrix\nMe, you\tand 0 1\n", 2 / 4),
            ("Me, you\na\nb", 2 / 3),
            ("item,year\na,1990\nb,1991\n", 1),
        ],
    )
    def test_a_text_of_ids_has_one_on_each_line(self, content, covered, tmp_path):
        # a, b and d are among the first two of a list
        path = tmp_path / "films.txt"
        path.write_bytes(content.encode())
        assert sy.evaluate(LISTS, metrics="coverage@2", catalog=path)["coverage@2"] == covered

    def test_ids_with_spaces_are_whole(self, tmp_path):
        path = tmp_path / "films.txt"
        path.write_text("The Matrix\nThe  Thing\nUp\n")
        lists = {"u": ["The Matrix", "The  Thing"]}
        assert sy.evaluate(lists, metrics="coverage@2", catalog=path)["coverage@2"] == 2 / 3

    @pytest.mark.parametrize("lines", ["u Q0 a 1 0.5 x\nu Q0 b 2 0.4 x\n", "u 0 a 1\nu\t0\tb\t-1\n"])
    def test_a_run_is_no_catalogue(self, lines, tmp_path):
        path = tmp_path / "films.txt"
        path.write_text(lines)
        assert refused("coverage@2", catalog=path).message == f"{path}: a TREC file cannot hold catalog"

    def test_doubled_ids_count_once(self):
        result = sy.evaluate(LISTS, metrics="coverage@2", catalog=[*FILMS, "a", "b"])
        assert result["coverage@2"] == 3 / 5
        assert "catalog names 2 items more than once: each counts once." in result.notes

    def test_items_outside_are_counted_and_in_no_numerator(self):
        result = sy.evaluate(LISTS, metrics=["coverage@3", "gini@3"], catalog=FILMS)
        assert result["coverage@3"] == 4 / 5
        assert result.tally.outside_catalog == 1
        assert "1 of 7 recommendations is outside catalog and ignored." in result.notes

    def test_the_tally_has_them_beside_accuracy_too(self):
        result = sy.evaluate(LISTS, {"u": ["a"]}, ["ndcg@3", "coverage@3"], catalog=FILMS)
        assert result.tally.outside_catalog == 1
        assert result.tally.hits == 1

    def test_other_names_for_everything(self):
        assert "no item shown is in catalog: check that both name items the same way." in said(
            "coverage@2", catalog=["A", "B"]
        )

    @each_row(
        ("catalog", "message"),
        [
            ([], "catalog has no rows"),
            (["a", None], "catalog, row 2: item is missing"),
            (["a", 1], "catalog: column 'item' holds values of several types (int, str)"),
            ([["a"], ["b"]], "catalog: item holds lists, but a row is one item"),
            (np.array([FILMS]), "the ids of catalog are an array of 1 × 5"),
            (sp.csr_matrix(np.eye(3)), "catalog is a matrix or an array"),
            ({"a": 1, "b": 2}, "catalog is a dict, and none of its keys is a name of items"),
            (5, "catalog is of type int, which is not a table"),
            ("nosuch.csv", "nosuch.csv does not exist"),
            (pl.DataFrame({"x": ["a"]}), "catalog has no column that could be the item: its columns are 'x'"),
            (
                [1, 2],
                "item ids are text in predictions and integers in catalog: text 'a' and integer 1 are "
                "different ids",
            ),
        ],
    )
    def test_what_is_no_catalogue(self, catalog, message):
        assert refused("coverage@2", catalog=catalog).message == message


class TestFeatures:
    def test_zero_vectors_have_no_angle(self):
        zero = {"a": [0.0, 0.0], "b": [1.0, 0.0], "c": [1.0, 1.0], "d": [0.0, 1.0], "z": [1.0, 0.0]}
        error = refused("diversity@3", features=zero)
        assert error.message == (
            "1 of the 5 items shown has features that are all 0 in features, first a, and cosine has no "
            "angle for it"
        )
        assert "featureless=drop" in error.remedy
        result = sy.evaluate(LISTS, metrics="diversity(featureless=drop)@3", features=zero)
        # b and c: 1 - 1/sqrt(2); d and z: 1 - 0
        assert result["diversity(featureless=drop)@3"] == pytest.approx((1 - 1 / 2**0.5 + 1) / 2, abs=1e-15)
        assert "2 of 7 recommendations have no features in features and are left out." in result.notes

    def test_items_without_features(self):
        assert refused("diversity@2", features={"a": ["x"]}).message == (
            "2 of the 3 items shown have no features in features, first b"
        )
        result = sy.evaluate(LISTS, metrics="diversity@2", features={"a": ["x"]}, featureless="drop")
        assert np.isnan(result["diversity@2"])
        assert "diversity@2 is undefined for 3 queries (u, v, w) and leaves them out." in result.notes

    @pytest.mark.parametrize("kind", [pl.Null, pl.Float64, pl.String])
    def test_empty_lists_are_no_features(self, kind):
        empty = pl.DataFrame({"item": ["a", "b", "d"], "x": pl.Series([[], [], []], dtype=pl.List(kind))})
        for features in (empty, {"a": [], "b": [], "d": []}):
            assert refused("diversity@2", features=features).message == (
                "3 of the 3 items shown have no features in features, first a"
            )
            result = sy.evaluate(LISTS, metrics="diversity@2", features=features, featureless="drop")
            assert np.isnan(result["diversity@2"])

    @each_row(
        ("features", "message"),
        [
            ({"a": [float("nan"), 0.0], "b": [1.0, 0.0]}, "features, item 'a': feature 'features' is nan"),
            (pd.DataFrame({"item": ["a", "b"], "x": [1, np.nan]}), "features, row 2: feature 'x' is nan"),
            (pl.DataFrame({"item": ["a", "b"], "x": [1, None]}), "features, row 2: feature 'x' is missing"),
            ({"a": [], "b": None}, "features, item 'b': feature 'features' is missing"),
            (
                {"a": [1.0, 0.0], "b": [1.0]},
                "features, item 'b': feature 'features' is a vector of 1, and the first one is of 2",
            ),
            (
                pl.DataFrame({"item": ["a"], "genre": ["war"], "year": [1990]}),
                "features has numbers ('year') and words ('genre'), which have no common distance",
            ),
            (np.eye(5), "features is a matrix of 5 × 5 without the ids of its items"),
            (sp.eye(5).tocsr(), "features is a matrix of 5 × 5 without the ids of its items"),
            ((np.eye(5), FILMS[:4]), "features is a matrix of 5 × 5 with 4 ids"),
            ((np.eye(5), None), "the ids of features are a NoneType"),
            ((np.eye(5), "abcde"), "the ids of features are a str"),
            (([[1, 0], [0]], ["a", "b"]), "features is of type tuple, not a matrix with its ids"),
            (([["x"], ["y"]], ["a", "b"]), "features is of type tuple, not a matrix with its ids"),
            (([1, 2], ["a", "b"]), "features is of type tuple, not a matrix with its ids"),
            ((pl.DataFrame({"x": [1]}), ["a"]), "features is of type tuple, not a matrix with its ids"),
            ([[1, 0], [0, 1]], "features is of type list, not a matrix with its ids"),
            (([[1, 0], [0, 1]], ["a"]), "features is a matrix of 2 × 2 with 1 id"),
            ((np.zeros((0, 3)), []), "features has no rows"),
            ((sp.csr_matrix((0, 3)), []), "features has no rows"),
            ((np.full((5, 2), np.nan), FILMS), "features, row 1: feature 'features' is nan"),
            (
                (np.eye(5), list("aabcd")),
                "features has 2 rows with duplicate items, first a",
            ),
            (
                pl.DataFrame({"item": ["a", "a"], "x": [1, 2]}),
                "features has 2 rows with duplicate items, first a",
            ),
            (
                pl.DataFrame({"item": FILMS}),
                "features has an item column and no other that could be a feature",
            ),
            (
                {"a": "war", "b": "['war', 'love']"},
                "features, item 'b': feature 'features' is the text '['war', 'love']', not a list",
            ),
            (
                pd.DataFrame({"item": ["a"], "year": [1990], "vector": ["[1. 0.\n 2.]"]}),
                "features, row 1: feature 'vector' is the text '[1. 0.\\n 2.]', not a list",
            ),
            (
                pl.DataFrame({"item": ["a"], "x": pl.Series(["[1]"], dtype=pl.Categorical)}),
                "features, row 1: feature 'x' is the text '[1]', not a list",
            ),
            (
                {"a": [[1, 2]], "b": [[3]]},
                "features: column 'features' holds list(list(int64)), which cannot be a feature",
            ),
            (
                {"a": [["x"]]},
                "features: column 'features' holds list(list(string)), which cannot be a feature",
            ),
            (
                pl.DataFrame({"item": ["a"], "x": np.ones((1, 2, 2))}),
                "features: column 'x' holds array(float64, shape=(2, 2)), which cannot be a feature",
            ),
            (
                pl.DataFrame({"item": ["a"], "x": [[{"y": 1}]]}),
                "features: column 'x' holds list(struct({'y': int64})), which cannot be a feature",
            ),
            ({1: ["x"], 2: ["y"]}, "item ids are text in predictions and integers in features: text 'a' and "
             "integer 1 are different ids"),
        ],
    )  # fmt: skip
    def test_what_is_no_feature(self, features, message):
        assert refused("diversity@2", features=features).message == message

    @pytest.mark.parametrize(
        "values",
        [["war", "love"], [["war"], ["love"]], [[1.0, 0.0], [0.0, 1.0]], [np.eye(2)[0], np.eye(2)[1]]],
    )
    def test_a_series_has_the_features_of_each_item(self, values):
        features = pd.Series(values, index=["a", "b"])
        assert Diversity(k=2).of([["a", "b"]], features=features) == 1  # nothing in common

    @pytest.mark.parametrize(
        "rows", [[[1, 0], [0, 1]], ((1.0, 0.5), (-0.5, 1.0)), [np.eye(2)[0], np.eye(2)[1]]]
    )
    def test_rows_of_numbers_and_their_ids_are_a_matrix(self, rows):
        assert Diversity(k=2).of([["a", "b"]], features=(rows, ["a", "b"])) == 1  # at right angles

    @pytest.mark.parametrize("text", ["NA", "null", "N/A", " NA "])
    def test_a_word_for_a_missing_number(self, text, tmp_path):
        path = tmp_path / "films.csv"
        path.write_text(f"item,year,length\na,1990,1.5\nb,1991,{text}\n")
        assert refused("diversity@2", features=path).message == (
            f"{path}, row 2: feature 'length' is '{text}', a missing value"
        )

    def test_a_word_for_a_missing_number_may_be_a_category(self, tmp_path):
        path = tmp_path / "films.csv"
        path.write_text("item,region\na,NA\nb,EU\n")  # North America
        assert Diversity(k=2).of([["a", "b"]], features=path) == 1

    @pytest.mark.parametrize("text", ["War|Drama", "War; Drama", "War, Drama", "War/Drama"])
    def test_tags_that_seem_joined_in_one_text(self, text):
        genres = {"a": text, "b": "War", "c": "War", "d": "War"}
        note = f"features: 'features' holds texts such as '{text}', and each is one category"
        assert any(one.startswith(note) for one in said("diversity@2", features=genres))

    def test_texts_that_are_single_categories(self):
        genres = {"a": "Film-Noir", "b": "War;Drama", "c": "Science fiction", "d": "War"}
        assert not any("one category" in one for one in said("diversity@2", features=genres))
        rare = dict.fromkeys("abcdefghijk", "War") | {"a": "War|Drama"}  # 1 of 11
        assert not any("one category" in one for one in said("diversity@2", features=rare))

    def test_a_column_that_is_not_there(self):
        frame = pl.DataFrame({"item": FILMS, "genre": list("xxyyz")})
        error = refused("diversity@2", features=frame, columns={"feature": ["genre", "studio"]})
        assert error.message == "features has no column 'studio' (asked for as feature)"

    def test_numbers_where_categories_are_needed(self):
        vectors = {item: [1.0, 2.0] for item in "abcdz"}
        assert refused("miscalibration@2", features=vectors, history=HAD).message.endswith(
            "compares categories, and features holds numbers"
        )


class TestHistory:
    def test_users_without_history_are_told(self):
        notes = said(["novelty@2", "repetition@2"], history=HAD)
        assert "1 of 3 users has no history." in notes
        assert "1 of 5 recommendations is an item that history does not have." in notes

    def test_other_names_for_everything(self):
        assert "no item shown is in history: check that both name items the same way." in said(
            "novelty@2", history={"u": ["A"]}
        )

    @pytest.mark.parametrize(
        "cells", [np.array([[2, 0, 1], [0, 0, 0]]), sp.csr_matrix([[2, 0, 1], [0, 0, 0]])]
    )
    def test_a_matrix(self, cells):
        # user 0 had item 0 twice and item 2 once; both users are shown item 0, then item 1
        result = sy.evaluate(
            np.array([[3.0, 2.0, 1.0]] * 2), metrics=["popularity@2", "repetition@1"], history=cells
        )
        assert result["popularity@2"] == (2 + 0) / 2
        assert result["repetition@1"] == (1 + 0) / 2

    @each_row(
        ("history", "message"),
        [
            ({}, "history has no rows"),
            (pl.DataFrame({"user": [], "item": []}), "history is empty"),
            (
                pl.DataFrame({"user": ["u"], "item": ["a"], "count": [-1]}),
                "history, row 1: count is -1.0",
            ),
            (
                pl.DataFrame({"user": ["u"], "item": ["a"], "count": [None]}),
                "history, row 1: count is missing",
            ),
            (
                {1: ["a"]},
                "query ids are text in predictions and integers in history: text 'u' and integer 1 are "
                "different ids",
            ),
            (
                {"u": [1]},
                "item ids are text in predictions and integers in history: text 'a' and integer 1 are "
                "different ids",
            ),
        ],
    )  # fmt: skip
    def test_what_is_no_history(self, history, message):
        assert refused("novelty@2", history=history).message == message

    def test_a_role_that_the_table_has_not(self):
        error = refused("novelty@2", history=HAD, columns={"history.score": "item"})
        assert error.message == "unknown role 'history.score' in columns"


class TestGroupsAndBaselineLists:
    def test_a_series_names_the_group_of_each_item(self):
        groups = pd.Series({"a": "A", "b": "B", "d": "B"})
        assert Exposure(k=2).of(LISTS, item_groups=groups) == {"A": 2 / 5, "B": 3 / 5}

    @each_row(
        ("groups", "message"),
        [
            ({"a": "A", "b": None}, "item_groups, item 'b': group is missing"),
            (
                {"a": ["A"], "b": ["A", "B"]},
                "item_groups: column 'group' holds lists, and an item is in one group",
            ),
            (
                pl.DataFrame({"item": ["a"], "x": ["A"], "y": ["B"]}),
                "item_groups has the columns x, y besides the item; none is called group",
            ),
            (pl.DataFrame({"item": ["a"]}), "item_groups has an item column and no other"),
            (
                pl.DataFrame({"item": ["a", "a"], "group": ["A", "B"]}),
                "item_groups has 2 rows with duplicate items, first a",
            ),
            (np.array([1, 2]), "item_groups is a matrix or an array"),
            (
                {"item": "a", "group": "A"},
                "item_groups is a dict with a column of items, and its 'item' is of type str",
            ),
            (
                {"item": ["a"], "group": 1},
                "item_groups is a dict with a column of items, and its 'group' is of type int",
            ),
        ],
    )
    def test_what_are_no_groups(self, groups, message):
        assert refused("exposure@2", item_groups=groups).message == message

    def test_a_value_for_each_group(self):
        assert Exposure(k=2).of(LISTS, item_groups={"a": "A"}) == {"A": 1.0}
        assert isinstance(Coverage(k=2).of(LISTS, catalog=FILMS), float)

    @each_row(
        ("baseline_lists", "message"),
        [
            ({"q": ["a"]}, "baseline_lists has none of the users of the lists"),
            (["a", "b"], "baseline_lists is a list of texts, and none is a file"),
            (["usual.csv", "b"], "usual.csv does not exist"),
            (
                {"u": ["a", "a"]},
                "1 row of baseline_lists repeats a (query, item), first u · a "
                "(baseline_lists, query 'u', item 'a' and baseline_lists, query 'u', item 'a')",
            ),
            ({"u": {"a": float("nan")}}, "baseline_lists, query 'u', item 'a': score is 'nan'"),
            (
                pl.DataFrame({"user": ["u"], "item": ["a"]}),
                "baseline_lists has no column that could be the score: its columns are 'user' and 'item'",
            ),
        ],
    )
    def test_what_are_no_baseline_lists(self, baseline_lists, message):
        assert refused("unexpectedness@2", baseline_lists=baseline_lists).message == message

    def test_the_forms_of_baseline_lists_and_groups_are_told(self):
        assert refused("unexpectedness@2", baseline_lists=["a", "b"]).remedy == (
            "give {query: [item, …]} or a table of query, item and score"
        )
        assert refused("exposure@2", item_groups={"item": "a", "group": "A"}).remedy == (
            "give a table of item and group, or {item: group}"
        )

    def test_columns_of_the_usual_lists_alone(self):
        usual = pl.DataFrame({"who": ["u", "u"], "what": ["a", "b"], "score": [2.0, 1.0]})
        result = sy.evaluate(
            LISTS,
            metrics="unexpectedness@2",
            baseline_lists=usual,
            columns={"baseline_lists.query": "who", "baseline_lists.item": "what"},
        )
        assert result["unexpectedness@2"] == 0  # u is shown a and b


class TestLists:
    def test_doubled_items(self):
        assert refused("coverage@2", {"u": ["a", "a"]}, catalog=FILMS).message.startswith(
            "1 row of predictions repeats a (query, item), first u · a"
        )
        assert Coverage(k=2, duplicates="first").of([["a", "a", "b"]], catalog=FILMS) == 2 / 5

    def test_lists_shorter_than_the_cutoff(self):
        assert "1 list is shorter than the cutoff 2: read to the end." in said("coverage@2", catalog=FILMS)

    def test_ties_decide_what_is_shown(self):
        tied = {"u": {"a": 1.0, "b": 1.0, "c": 0.5}}
        assert (
            "66.7% of rows are tied with another row of their query; ties=item_desc decides which of them "
            "are in the list." in said("coverage@1", tied, catalog=FILMS)
        )
        assert refused("coverage@1", tied, catalog=FILMS, ties="error").message.startswith("2 rows share")
        assert (
            "ties=expected gives none" in refused("coverage@1", tied, catalog=FILMS, ties="expected").message
        )

    def test_arrays_of_items_are_lists(self):
        shown = np.array([[1, 2], [1, 3]])
        assert Coverage(k=2).of(shown, catalog=[1, 2, 3, 4]) == 3 / 4
        assert Novelty(k=2).of(shown, history={0: [1], 1: [2], 2: [3], 3: [4]}) == 2  # one of four had each

    @each_row(
        ("lists", "message"),
        [
            ([], "predictions has no rows"),
            ([[], []], "predictions has no rows"),
            (["a", "b"], "predictions, query 0: the value is of type str"),
            (None, "predictions is of type NoneType, which is not a table"),
            (np.array([[0.5, 0.1]]), "predictions: item is of type float (as '0.5')"),
        ],
    )
    def test_what_are_no_lists(self, lists, message):
        with pytest.raises(sy.SteelyardError) as caught:
            Coverage(k=2).of(lists, catalog=FILMS)
        assert caught.value.message.startswith(message)

    def test_a_library_that_has_no_such_metric(self):
        assert refused("coverage@2", catalog=FILMS, profile="trec_eval").message == (
            "trec_eval has no coverage@2"
        )

    def test_conventions_that_lists_have_not(self):
        assert refused("coverage@2", catalog=FILMS, missing="skip").message == (
            "coverage@2 has no convention 'missing'"
        )
