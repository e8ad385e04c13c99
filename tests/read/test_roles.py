"""Which column is which."""

from __future__ import annotations

import polars as pl
import pytest

from steelyard import read
from steelyard.engine.coding import encode
from steelyard.text.errors.base import ColumnError, SteelyardError

from ..tables import each_row


def frame(*names: str, **columns: list[object]) -> pl.DataFrame:
    return pl.DataFrame({name: [1, 2] for name in names} | columns)


@each_row(
    ("query", "item", "score"),
    [
        ("query", "item", "score"),
        ("qid", "docno", "sim"),
        ("q", "docid", "p"),
        ("user_id", "movie_id", "prediction"),
        ("userId", "movieId", "yScore"),
        ("USER-ID", "Product ID", "Predicted"),
        ("session.id", "corpus-id", "pCTR"),
        ("\uff51uery_\uff49d", "doc_id", "probability"),
        ("reviewerID", "asin", "logit"),
        ("topic_id", "sku", "similarity"),
        ("customer_id", "articleId", "y_pred"),
        ("uid", "iid", "proba"),
        ("visitorid", "itemid", "PROB"),
        ("member_id", "news_id", "pred"),
    ],
)
def test_names_people_use(query, item, score):
    table = read.predictions(frame("timestamp", "title", query, item, **{score: [0.5, 0.25]}))
    assert table.frame.rows() == [(1, 1, 0.5), (2, 2, 0.25)]


@each_row(
    "name",
    [
        *("relevance", "rel", "grade", "label", "rating", "judgment", "judgement", "gain"),
        *("target", "y", "y_true", "clicked", "click", "is_click", "stars"),
    ],
)
def test_names_of_grades(name):
    table = read.truth(frame("user_id", "item_id", **{name: [3, 0]}))
    assert table.frame["relevance"].to_list() == [3.0, 0.0]
    assert table.notes == ()


def test_score_is_the_grade_of_truth_when_nothing_else_is(write):
    path = write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\n")
    assert read.truth(path).frame.rows() == [("q1", "d1", 2.0)]
    both = read.truth(frame("qid", "docid", score=[9, 9], rel=[1, 0]))
    assert both.frame["relevance"].to_list() == [1.0, 0.0]


def test_truth_without_grades_says_so():
    table = read.truth(frame("user_id", "item_id"))
    assert table.frame["relevance"].to_list() == [1.0, 1.0]
    assert table.notes == ("truth has no relevance column: every row counts as grade 1.",)


def test_two_candidates_are_an_error(tmp_path, monkeypatch):
    frame("user_id", "session_id", "item_id", "score").write_parquet(tmp_path / "recs.parquet")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ColumnError) as caught:
        read.predictions("recs.parquet")
    assert str(caught.value) == (
        "two columns of recs.parquet could be the query: 'user_id' and 'session_id'\n"
        'say which one: --columns query=user_id, or columns={"query": "user_id"} in Python'
    )


@each_row(
    ("names", "role"),
    [
        (("query", "qid", "item", "score"), "query"),
        (("query", "item", "doc_id", "score"), "item"),
        (("query", "item", "score", "prob"), "score"),
        (("query", "item", "rank", "position"), "rank"),
    ],
)
def test_an_exact_name_does_not_outrank_another(names, role):
    with pytest.raises(ColumnError, match=f"two columns of predictions could be the {role}"):
        read.predictions(frame(*names))


def test_two_grades_are_an_error_but_unneeded_doubles_are_not():
    with pytest.raises(
        ColumnError, match="two columns of truth could be the relevance: 'rating' and 'clicked'"
    ):
        read.truth(frame("user_id", "item_id", "rating", "clicked"))
    assert read.predictions(frame("query", "item", "score", "rank", "position")).frame.width == 3
    assert read.predictions(frame("query", "item", "score", "prob"), orders=["given"]).frame.width == 2


def test_three_candidates():
    with pytest.raises(ColumnError, match="three columns of truth could be the query: 'q', 'qid' and 'uid'"):
        read.truth(frame("q", "qid", "uid", "item"))


def test_columns_settle_it():
    both = frame("user_id", "session_id", "item_id", p=[1, 2])
    assert read.predictions(both, columns={"query": "session_id"}).frame.width == 3
    odd = frame("a", "b", "c")
    table = read.predictions(odd, columns={"query": "a", "item": "b", "score": "c"})
    assert table.frame.columns == ["query", "item", "score"]


def test_a_column_taken_for_one_role_is_no_candidate_for_another():
    table = read.labelled(frame("qid", "rating", "pred", "y"), columns={"label": "y"})
    assert table.frame.columns == ["query", "relevance", "score"]
    log = read.labelled(frame("qid", "score", "prob", "x"), columns={"label": "score"})
    assert log.frame.columns == ["query", "relevance", "score"]


def test_columns_for_one_table_only():
    columns = {"predictions.query": "a", "truth.query": "b", "item": "c", "truth.score": "zzz"}
    assert read.predictions(frame("a", "c", "score"), columns=columns).frame.width == 3
    assert read.truth(frame("b", "c", "rel"), columns=columns).frame.width == 3
    with pytest.raises(ColumnError) as caught:
        read.truth(frame("bb", "c"), columns=columns)
    assert str(caught.value) == (
        "truth has no column 'b' (asked for as truth.query); did you mean 'bb'?\nthe columns are 'bb' and 'c'"
    )


def test_a_name_that_only_the_other_table_has_falls_back():
    columns = {"query": "user_key"}
    assert read.predictions(frame("user_key", "item", "score"), columns=columns).frame.height == 2
    assert read.truth(frame("user_id", "item"), columns=columns).frame.height == 2


def test_check_columns_finds_names_in_neither_table():
    said = read.predictions(frame("user_id", "item", "score"))
    true = read.truth(frame("user_id", "item", "country"))
    read.check_columns({"query": "user_id"}, said, true, extra=["country"])
    read.check_columns(None, said, true)
    with pytest.raises(
        ColumnError, match=r"neither predictions nor truth has a column 'usr_id' \(asked for as query\)"
    ):
        read.check_columns({"query": "usr_id"}, said, true)
    with pytest.raises(ColumnError, match="did you mean 'country'"):
        read.check_columns(None, said, true, extra=["contry"])


def test_one_table_has_no_other_to_hold_the_name():
    with pytest.raises(ColumnError, match=r"predictions has no column 'clickd' \(asked for as relevance\)"):
        read.labelled(frame("qid", "clicked", "score"), columns={"label": "clickd"})


@pytest.mark.parametrize("key", ["user", "tables.query", "predictions.user", "scor"])
def test_unknown_roles(key):
    with pytest.raises(ColumnError) as caught:
        read.predictions(frame("query", "item", "score"), columns={key: "query"})
    assert caught.value.message.startswith(f"unknown role '{key}' in columns")
    assert caught.value.message.endswith("; did you mean 'score'?") == (key == "scor")
    assert (
        "'query', 'item', 'score', 'rank', 'relevance', 'weight', 'predicted', 'probability', 'count', "
        "'group', 'feature' and 'label'" in caught.value.remedy
    )


def test_a_role_named_twice():
    with pytest.raises(ColumnError, match="columns names the relevance twice: 'a' and 'b'"):
        read.truth(frame("query", "item", "a", "b"), columns={"label": "a", "relevance": "b"})


def test_a_missing_column_lists_what_there_is():
    with pytest.raises(ColumnError) as caught:
        read.predictions(frame("user_id", "item_id", "scroe"))
    assert caught.value.message == (
        "predictions has no column that could be the score: its columns are 'user_id', 'item_id' and 'scroe'"
    )
    assert '--columns score=scroe, or columns={"score": "scroe"} in Python' in caught.value.remedy
    assert "--order given" in caught.value.remedy


def test_a_csv_without_header(write):
    with pytest.raises(ColumnError) as caught:
        read.predictions(write("recs.csv", "q1,d1,0.5\nq1,d2,0.4\n"))
    assert "seems to have no header: its first line is 'q1', 'd1' and '0.5'" in caught.value.message
    assert caught.value.remedy.startswith("name its columns")


def test_a_csv_with_other_separators(write):
    with pytest.raises(ColumnError, match="fields are separated by commas in .csv files"):
        read.predictions(write("recs.csv", "query;item;score\nq1;d1;0.5\n"))


def test_names_that_polars_would_take_for_patterns(tmp_path):
    odd = frame("*", "^.*$", "score", "^s.*$")
    columns = {"query": "*", "item": "^.*$"}
    odd.write_parquet(tmp_path / "odd.parquet")
    for source in (odd, odd.lazy(), tmp_path / "odd.parquet"):
        table = read.predictions(source, columns=columns, extra=["^s.*$"])
        assert table.frame.rows() == [(1, 1, 1.0), (2, 2, 2.0)]
        assert table.extra.columns == ["^s.*$"]


def test_a_csv_with_the_same_header_twice(write):
    with pytest.raises(ColumnError, match=r"recs.csv has two columns called 'score'"):
        read.predictions(write("recs.csv", "query,item,score,score\nq,d,1,2\n"))


def test_order():
    ranked = frame("query", "item", rank=[1, 2])
    scored = ranked.with_columns(score=pl.Series([0.5, 0.1]))
    assert read.predictions(ranked).frame.columns == ["query", "item", "rank"]
    with pytest.raises(ColumnError, match="no column that could be the score"):
        read.predictions(ranked, orders=["score"])
    both = read.predictions(scored, orders=["default", "rank"])
    assert both.frame.columns == ["query", "item", "rank", "score"]
    assert read.predictions(scored).frame.columns == ["query", "item", "score"]
    # the score comes along for its masks
    assert read.predictions(scored, orders=["rank"]).frame.columns == ["query", "item", "rank", "score"]
    assert read.predictions(scored, orders=["given"]).frame.columns == ["query", "item", "score"]
    assert read.predictions(ranked, orders=["given"]).frame.columns == ["query", "item"]
    with pytest.raises(ColumnError, match="predictions has no column that could be the rank"):
        read.predictions(frame("query", "item", "score"), orders=["rank"])


def test_labelled_without_items():
    table = read.labelled(frame("qid", pred=[0.5, 0.25], grade=[True, False]), extra=["grade"])
    assert table.frame.to_dict(as_series=False) == {
        "query": [1, 2],
        "relevance": [1.0, 0.0],
        "score": [0.5, 0.25],
    }
    assert table.extra["grade"].to_list() == [True, False]
    assert table.name == "predictions"
    with_items = read.labelled(frame("qid", "doc_id", "pred", "grade"))
    assert with_items.frame.columns == ["query", "relevance", "item", "score"]
    with pytest.raises(ColumnError, match="no column that could be the relevance"):
        read.labelled(frame("qid", "pred"))


def test_the_weight_is_the_column_named_so():
    assert read.weight_column({"weight": "w", "query": "q"}) == "w"
    assert read.weight_column({"truth.weight": "w"}) == "w"
    assert read.weight_column({"query": "q"}) is None
    assert read.weight_column(None) is None


def test_query_weights():
    table = read.query_weights(frame("user_id", w=[0.5, 2]))
    assert table.frame.rows() == [(1, 0.5), (2, 2.0)]
    with pytest.raises(ColumnError, match="weights has no column that could be the weight"):
        read.query_weights(frame("user_id"))


def test_pairs():
    table = read.pairs(frame("user_id", "item_id", "when"), name="seen")
    assert table.frame.columns == ["query", "item"]
    assert table.name == "seen"


def test_a_choice_for_a_role_of_the_other_table_takes_nothing_away():
    rated = frame("user_id", "item_id", rating=[2, 5])
    columns = {"score": "rating"}
    assert read.truth(rated, columns=columns).frame["relevance"].to_list() == [2.0, 5.0]
    assert read.predictions(rated, columns=columns).frame["score"].to_list() == [2.0, 5.0]
    scored = frame("user_id", "item_id", score=[3, 4])
    assert read.predictions(scored, columns={"label": "score"}).frame["score"].to_list() == [3.0, 4.0]


def test_a_remedy_names_the_table_where_both_may_have_the_column():
    with pytest.raises(ColumnError) as caught:
        read.predictions(frame("user_id", "item_id", "rating"))
    assert (
        '--columns predictions.score=rating, or columns={"predictions.score": "rating"} in Python'
        in caught.value.remedy
    )


@each_row(
    ("columns", "what"),
    [
        (["a"], "a list"),
        ("query=a", "a str"),
        ({"query": 3}, "a mapping with 3 in it"),
        ({3: "query"}, "a mapping with 3 in it"),
        ({"query": None}, "a mapping with None in it"),
    ],
)
def test_columns_that_are_no_mapping(columns, what):
    with pytest.raises(ColumnError) as caught:
        read.predictions(frame("query", "item", "score"), columns=columns)
    assert caught.value.message == f"columns is {what}, not a mapping from role to column name"
    assert 'columns={"query": "user_id"' in caught.value.remedy


def nothing(columns: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    return pl.DataFrame(schema=columns)


@each_row(
    "source",
    [
        {},
        {"u": []},
        {"u": {}},
        nothing({"user_id": pl.Int64, "item_id": pl.Int64}),
        nothing({}),
        nothing({}).lazy(),
    ],
)
def test_nothing_to_exclude(source):
    table = read.pairs(source)
    assert table.frame.schema == {"query": pl.String, "item": pl.String}
    assert table.frame.height == 0
    with pytest.raises(SteelyardError, match="^truth has no (rows|column that could be the query)"):
        read.truth(source)


def test_nothing_to_exclude_in_files(write):
    empty = write("none.csv", "user_id,item_id\n")
    assert read.pairs(empty).frame.rows() == []
    some = write("some.csv", "user_id,item_id\nu,a\n")
    assert read.pairs([empty, some]).frame.rows() == [("u", "a")]


@pytest.mark.parametrize("ids", [("u", "a"), (1, 2), (2**63, 2**63)])
def test_nothing_to_exclude_is_encoded(ids):
    query, item = ids
    said, true = read.predictions({query: {item: 0.5}}), read.truth({query: [item]})
    excluded = encode(said, true, read.pairs({})).excluded
    assert excluded.tolist() == [False]
