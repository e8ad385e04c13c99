"""Parts that do not fit together, files that hold no part, and calls that parts refuse."""

from __future__ import annotations

import io
import json
import zipfile

import polars as pl
import pytest

import steelyard as sy
from steelyard import SteelyardError

from ..tables import each_row
from .agreement import assert_agree

LOG = pl.DataFrame(
    {
        "query": ["u", "u", "v", "v"],
        "label": [1, 0, 1, 0],
        "score": [0.9, 0.2, 0.4, 0.5],
        "country": ["DE", "JP", "DE", "JP"],
        "w": [1.0, 2.0, 1.0, 0.5],
    }
)
OTHER = LOG.with_columns(query=pl.Series(["x", "x", "y", "y"]))
RUN, TRUTH = {"q1": ["a", "b"], "q2": ["b", "a"]}, {"q1": {"a": 1}, "q2": {"a": 1}}


def rows(frame=OTHER, metrics="auc", **options):
    return sy.partial(frame, metrics=metrics, **{"whole": "rows", **options})


def lists(name="q3", metrics="mrr", **options):
    return sy.partial({name: ["a", "b"]}, {name: {"a": 1}}, metrics, **options)


def refused(parts, match):
    """The sentence that refuses parts, whatever their order, merged by every way."""
    for some in (parts, parts[::-1]):
        for merge in (sy.merge, lambda given: given[0].merge(*given[1:])):
            with pytest.raises(SteelyardError, match=match) as caught:
                merge(some)
            assert caught.value.remedy
    return caught.value


# --------------------------------------------------------------------------------- parts that differ


@each_row(
    ("other", "match"),
    [
        (lambda: rows(level=0.9), r"^parts differ in level: 0\.9"),
        (lambda: rows(unit="country"), "^parts differ in unit: "),
        (lambda: rows(ci="bootstrap"), "^parts differ in ci: "),
        (lambda: rows(ci="bootstrap", seed=3), "^parts differ in (ci|seed): "),
        (lambda: rows(by="country"), "^parts differ in by: "),
        (lambda: rows(classes=[0, 1]), "^parts differ in classes: "),
        (lambda: rows(profile="sklearn"), "^parts differ in "),
        (lambda: rows(whole="units"), "^parts differ in whole: "),
        (lambda: rows(undefined="zero"), "^parts differ in undefined of auc: (nan and zero|zero and nan)"),
        (lambda: rows(weights="w"), "^parts differ in "),
        (lambda: rows(OTHER.drop("query")), "^parts differ in "),
        (
            lambda: rows(OTHER.with_columns(query=pl.Series([1, 1, 2, 2]))),
            "is (String|Int64) in one part and (String|Int64) in another",
        ),
        (
            lambda: rows(OTHER.with_columns(pl.col("score").cast(pl.Float32))),
            r"^'score' is float\d\d in one part and float\d\d in another",
        ),
    ],
)
def test_rows_that_differ(other, match):
    refused([rows(LOG), other()], match)


@each_row("other", ["logloss", ["auc", "logloss"], "auc(max_fpr=0.5)", "recall"])
def test_rows_of_other_metrics(other):
    refused([rows(LOG), rows(metrics=other)], "^parts differ in metrics: ")


@each_row("other", ["logloss", ["auc", "logloss"], "auc(max_fpr=0.5)", "recall"])
def test_rows_of_other_metrics_are_refused(other):
    refused([rows(LOG), rows(metrics=other)], "^parts differ in ")


def test_slices_of_another_type():
    numbers = OTHER.with_columns(country=pl.Series([1, 1, 2, 2]))
    error = refused([rows(LOG, by="country"), rows(numbers, by="country")], "^'country' is ")
    assert error.remedy == "cast it to one type in every part"


def test_labels_of_another_type():
    numbers = pl.DataFrame({"label": [0, 1, 2], "predicted": [0, 1, 1]})
    texts = numbers.cast(pl.String)
    error = refused(
        [rows(numbers, "accuracy"), rows(texts, "accuracy")], "^parts differ in their classes: .*1.* and "
    )
    assert "classes=" in error.remedy


def test_named_classes_differ():
    three, two = (
        rows(OTHER.drop("score").with_columns(predicted="label"), "accuracy", classes=classes)
        for classes in ([0, 1, 2], [0, 1])
    )
    refused([three, two], r"^parts differ in classes: \(0, 1")


def test_columns_of_probabilities_differ():
    def part(n):
        shares = {f"p{at}": [1 / n] * 4 for at in range(n)}
        frame = pl.DataFrame({"label": [0, 1, 0, 1], **shares})
        return rows(frame, "logloss", columns={"probability": list(shares)}, classes=list(range(n)))

    refused([part(3), part(4)], "^parts differ in classes: ")


@each_row(
    ("other", "match"),
    [
        (lambda: lists(ties="expected"), "^parts differ in ties of mrr: (expected|item_desc) and "),
        (lambda: lists(missing="skip"), "^parts differ in missing of mrr: (skip|keep) and "),
        (lambda: lists(weights={"q3": 2}), "^parts differ in "),
        (lambda: lists(by={"q3": "DE"}), "^parts differ in by: "),
        (lambda: lists(3), "^'query' is (String|Int64) in one part and (String|Int64) in another"),
        (lambda: lists("q1"), "^query 'q1' is in two parts"),
        (lambda: rows(), "^parts differ in "),
    ],
)
def test_rankings_that_differ(other, match):
    refused([sy.partial(RUN, TRUTH, "mrr"), other()], match)


def test_items_of_another_type():
    texts = sy.partial({"u": ["a"]}, metrics="personalization@1")
    numbers = sy.partial({"v": [1]}, metrics="personalization@1")
    refused([texts, numbers], "^'item' is (String|Int64) in one part and ")


@each_row(
    ("metrics", "match"),
    [
        ("auc", "'u' is in two parts"),
        ("logloss", "'u' is in two parts"),
        ("gauc", "'u' is in two parts"),
        (["gauc", "logloss"], "'u' is in two parts"),
    ],
)
def test_a_user_in_two_parts(metrics, match):
    parts = [rows(LOG[[0, 2]], metrics, whole="units"), rows(LOG[[1]], metrics, whole="units")]
    error = refused(parts, match)
    assert "whole=rows" in error.remedy
    merged = sy.merge([rows(LOG[[0, 2]], metrics), rows(LOG[[1]], metrics)])
    assert_agree(merged, sy.evaluate(LOG[[0, 2, 1]], metrics=metrics), fingerprints=False)


def test_a_unit_in_two_parts():
    parts = [rows(LOG[:2], whole="units", unit="country"), rows(LOG[2:], whole="units", unit="country")]
    refused(parts, "^unit 'DE' is in two parts")


def test_a_unit_of_rankings_in_two_parts():
    """Rankings keep each query, so the unit of two queries may be in two parts."""
    region = pl.DataFrame({"query": ["q1", "q2", "q3"], "region": ["north", "north", "south"]})
    call = {"by": region, "unit": "region"}
    run, truth = RUN | {"q3": ["b", "a"]}, TRUTH | {"q3": {"b": 1}}
    parts = [sy.partial({query: run[query]}, {query: truth[query]}, "mrr", **call) for query in run]
    assert_agree(sy.merge(parts), sy.evaluate(run, truth, "mrr", **call))


@pytest.mark.parametrize("name", ["catalog", "features", "item_groups"])
def test_tables_of_items_are_the_same_in_every_part(name):
    metric = {"catalog": "coverage@1", "features": "diversity@2", "item_groups": "exposure@1"}[name]
    tables = {
        "catalog": (["a", "b"], ["a", "b", "c"]),
        "features": ({"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["x"]}),
        "item_groups": ({"a": "x", "b": "y"}, {"a": "x", "b": "x"}),
    }[name]
    parts = [
        sy.partial({user: ["a", "b"]}, metrics=metric, **{name: table})
        for user, table in zip("uv", tables, strict=True)
    ]
    error = refused(parts, f"(?m)^{name} differs from part to part$")
    assert error.remedy == "give every part the whole table"


# --------------------------------------------------------------------------------- lists of parts


def test_the_same_part_twice(tmp_path):
    part = rows(LOG)
    part.save(tmp_path / "part.state")
    both = [part, rows()]
    for twice in ([part, part], [part, tmp_path / "part.state"], [*both, both[1]]):
        with pytest.raises(SteelyardError, match="(?m)^the part of predictions is given twice$") as caught:
            sy.merge(twice)
        assert caught.value.remedy == "give each part once"
    with pytest.raises(SteelyardError, match="is given twice"):
        part.merge(both[1]).merge(both[1])


def test_nothing_to_merge():
    for nothing in ([], (), iter([])):
        with pytest.raises(SteelyardError, match="(?m)^there is nothing to merge$"):
            sy.merge(nothing)


@each_row(
    ("given", "what"),
    [([3], "int"), ([None], "NoneType"), ([LOG], "DataFrame"), ([sy.evaluate(LOG, metrics="auc")], "Result")],
)
def test_what_is_not_a_part(given, what):
    with pytest.raises(SteelyardError, match=f"(?m)^{what} is not a partial result$"):
        sy.merge(given)


@pytest.mark.parametrize(
    "call", [lambda: sy.merge(3), lambda: rows().merge(3), lambda: sy.Partial.of_bytes("text")]
)
def test_what_is_no_list_of_parts(call):
    with pytest.raises(SteelyardError):
        call()


# --------------------------------------------------------------------------------- files


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "part.state"
    rows(LOG, ["auc", "gauc", "logloss"], by="country").save(path)
    return path


def read_as(path, data):
    path.write_bytes(data)
    return sy.merge(path)


def test_files_that_were_cut_short(saved):
    data = saved.read_bytes()
    for n in (1, 30, 60, len(data) // 4, len(data) // 2, len(data) - 30, len(data) - 1):
        with pytest.raises(SteelyardError, match=r"part\.state (was cut short|is not a complete file)"):
            read_as(saved, data[:n])
    with pytest.raises(SteelyardError, match=r"part\.state is empty"):
        read_as(saved, b"")


def test_files_with_one_byte_altered(saved):
    """A byte that says nothing, such as the date of a file in the zip, changes no number."""
    data, whole = saved.read_bytes(), sy.merge(saved)
    places = range(0, len(data), max(1, len(data) // 150))
    refusals = []
    for place in places:
        altered = bytearray(data)
        altered[place] ^= 0x21
        try:
            merged = read_as(saved, bytes(altered))
        except SteelyardError as error:
            refusals.append(error.sentence)
        else:
            assert_agree(merged, whole)
    assert len(refusals) > 0.8 * len(places)
    assert all("part.state" in sentence for sentence in refusals)


def test_files_of_another_kind(tmp_path, saved):
    sy.evaluate(LOG, metrics="auc").save(tmp_path / "result.steelyard")
    with pytest.raises(SteelyardError, match=r"(?m)result\.steelyard holds a result, not a partial result$"):
        sy.merge([saved, tmp_path / "result.steelyard"])
    with pytest.raises(SteelyardError, match=r"(?m)part\.state holds a partial result, not a result$"):
        sy.load(saved)
    LOG.write_parquet(tmp_path / "log.parquet")
    (tmp_path / "words.txt").write_text("a part\n", "utf-8")
    for name in ("log.parquet", "words.txt"):
        with pytest.raises(SteelyardError, match=f"(?m){name} is not a complete file that Steelyard saved$"):
            sy.merge(tmp_path / name)
    with pytest.raises(SteelyardError, match=r"(?m)absent\.state does not exist$"):
        sy.merge(tmp_path / "absent.state")
    with pytest.raises(SteelyardError, match="is a folder, not a file"):
        sy.merge(tmp_path)


def test_the_remedy_of_a_file_that_holds_no_part(tmp_path):
    (tmp_path / "words.txt").write_text("a part\n", "utf-8")
    with pytest.raises(SteelyardError) as caught:
        sy.merge(tmp_path / "words.txt")
    assert "sy.partial" in caught.value.remedy


def with_manifest(data, **changes):
    """The bytes of a saved part with other entries in its manifest."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.json":
                content = json.dumps({**json.loads(content), **changes}).encode()
            new.writestr(name, content)
    return out.getvalue()


def test_files_of_other_versions(saved):
    data = saved.read_bytes()
    said = r"(?m)has file format 9\.0, written by Steelyard 99\.1; this Steelyard .* reads format 1\.0$"
    with pytest.raises(SteelyardError, match=said):
        read_as(saved, with_manifest(data, version="9.0", steelyard="99.1"))
    later = with_manifest(data, version="1.1", what_is_new=3)  # a minor version adds what may be ignored
    assert_agree(read_as(saved, later), sy.Partial.of_bytes(data).result())


@pytest.mark.parametrize("changes", [{"rows": None}, {"notes": 3}], ids=str)
def test_a_manifest_without_what_merging_needs(changes, tmp_path):
    with pytest.raises(SteelyardError):
        read_as(tmp_path / "part.state", with_manifest(rows(LOG).to_bytes(), **changes))


@each_row("changes", [{"ids": 3}, {"plan": {}}, {"rows": {}}, {"sums": {}}, {"kind": "result"}])
def test_a_manifest_that_does_not_fit(changes, tmp_path):
    data = with_manifest(rows(LOG).to_bytes(), **changes)
    with pytest.raises(SteelyardError):
        read_as(tmp_path / "part.state", data)


# --------------------------------------------------------------------------------- calls of sy.partial


@each_row("metric", ["ndcg", "coverage@1", "mrr@2", "novelty@1"])
def test_rankings_need_whole_units(metric):
    tables = {"catalog": ["a", "b"], "history": {"q1": ["a"]}}
    name = metric
    with pytest.raises(SteelyardError, match=f"^{name} needs whole lists, and whole=rows says") as caught:
        sy.partial(RUN, TRUTH, metric, whole="rows", **tables)
    assert "whole=units" in caught.value.remedy


@each_row("whole", ["all", "unit", "", None, 3, True, ["units"]])
def test_whole_is_one_of_two_words(whole):
    with pytest.raises(SteelyardError, match="^whole must be one of 'units', 'rows'"):
        sy.partial(LOG, metrics="auc", whole=whole)


def test_several_score_columns_are_refused():
    two = LOG.with_columns(new=pl.col("score") / 2)
    for options in ({"columns": {"score": ["score", "new"]}}, {"scores": ["score", "new"]}):
        with pytest.raises(
            SteelyardError, match=r"^a part holds one system; 2 score columns are named \(score, new\)"
        ) as caught:
            sy.partial(two, metrics="auc", **options)
        assert caught.value.remedy == "make the parts of each score column apart: scores=NAME"


def test_several_score_columns_are_not_explained():
    two = LOG.with_columns(new=pl.col("score") / 2)
    with pytest.raises(SteelyardError) as caught:
        sy.partial(two, metrics="auc", scores=["score", "new"])
    assert "explained" not in caught.value.sentence


def test_a_part_without_rows_is_refused():
    """As ``sy.evaluate`` refuses a table without rows."""
    for whole in ("units", "rows"):
        with pytest.raises(SteelyardError, match="(?m)has no rows$"):
            sy.partial(LOG.head(0), metrics="auc", whole=whole)
    with pytest.raises(SteelyardError, match="(?m)has no rows$"):
        sy.partial({}, {"q3": {"a": 1}}, "mrr")
    with pytest.raises(SteelyardError, match="^no query of predictions is in truth"):
        sy.partial({"x": ["a"]}, {"q3": {"a": 1}}, "mrr")


@each_row(
    "arguments", [{"level": 2}, {"metrics": "ndgc"}, {"by": "planet"}, {"weights": "mass"}, {"unit": "house"}]
)
def test_what_evaluate_refuses_partial_refuses(arguments):
    call = {"metrics": "auc", **arguments}
    with pytest.raises(SteelyardError) as right:
        sy.evaluate(LOG, **call)
    with pytest.raises(SteelyardError) as caught:
        sy.partial(LOG, **call)
    assert str(caught.value) == str(right.value)


# --------------------------------------------------------------------------------- what is allowed


def test_a_slice_in_one_part_alone():
    frame = pl.concat([LOG, OTHER.with_columns(country=pl.Series(["AT", None, "JP", "JP"]))])
    for metrics in ("auc", ["logloss", "f1"], "gauc"):
        parts = [rows(part, metrics, by="country", whole="units") for part in (frame[:4], frame[4:])]
        whole = sy.evaluate(frame, metrics=metrics, by="country")
        assert_agree(sy.merge(parts), whole, fingerprints=False)
        assert_agree(sy.merge(parts[::-1]), whole, fingerprints=False)


HISTORY = {"u": ["a", "b"], "v": ["b"], "w": ["c", "a"]}
LISTS = {"u": ["a", "c"], "v": ["d", "b"]}
OF_HISTORY = ["novelty@2", "popularity@2", "repetition@2", "popularity_lift@2", "novelty(normalise=true)@2"]


@each_row("split", [False, True])
def test_a_history_whole_in_each_part_or_split_by_users(split):
    parts = []
    for user in LISTS:
        mine = {user: HISTORY[user]} if split else HISTORY
        if split and user == "v":  # w has no list
            mine = mine | {"w": HISTORY["w"]}
        parts.append(sy.partial({user: LISTS[user]}, metrics=OF_HISTORY, history=mine))
    assert_agree(sy.merge(parts), sy.evaluate(LISTS, metrics=OF_HISTORY, history=HISTORY))
    assert_agree(sy.merge(parts[::-1]), sy.evaluate(LISTS, metrics=OF_HISTORY, history=HISTORY))
    # repetition: a of a and c was had by u, b of d and b by v
    assert sy.merge(parts)["repetition@2"] == pytest.approx((1 / 2 + 1 / 2) / 2)


def test_a_user_of_the_history_in_two_parts_is_counted_once_or_refused():
    """Neither whole nor split: w is in the history of both parts."""
    parts = [
        sy.partial(
            {user: LISTS[user]}, metrics="popularity@2", history={"w": HISTORY["w"], user: HISTORY[user]}
        )
        for user in LISTS
    ]
    whole = sy.evaluate(LISTS, metrics="popularity@2", history=HISTORY)
    try:
        merged = sy.merge(parts)
    except SteelyardError:
        return
    assert merged["popularity@2"] == whole["popularity@2"]
