"""Laws of tables: what may be shuffled, renamed, weighted and sliced without moving a number."""

from __future__ import annotations

import math
from random import Random

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

from ..examples import examples
from ..tables import each_row
from . import reference
from .drawn import WHOLE, per_query, predictions_frame, queries, same, tables, truth_frame
from .variants import NAMES, every_variant, variants

EVERY = every_variant((None, 2, 3))
FEW = [str(metric) for name in NAMES for metric in variants(name, (3,))][::7]


def some(metrics=EVERY, n=6):
    """A few metrics out of all."""
    return st.lists(st.sampled_from(metrics), min_size=1, max_size=n, unique=True)


def several(**options):
    return st.lists(queries(**options), min_size=1, max_size=4)


def shuffled(frame, seed):
    order = list(range(frame.height))
    Random(seed).shuffle(order)
    return frame[order]


def assert_same_bits(left, right):
    for one, other in ((left.table(), right.table()), (left.per_query(), right.per_query())):
        assert one.equals(other, null_equal=True), (one, other)


@examples(60)
@given(
    drawn=several(),
    metrics=some(),
    seed=st.integers(0, 999),
    ties=st.sampled_from(["item_desc", "item_asc", "optimistic", "pessimistic"]),
)
def test_the_order_of_rows_does_not_matter(drawn, metrics, seed, ties):
    said, true = tables(drawn)
    options = {"ties": ties, "weights": {f"q{n:02d}": n + 0.3 for n in range(len(drawn))}}
    once = sy.evaluate(said, true, metrics, **options)
    again = sy.evaluate(shuffled(said, seed), shuffled(true, seed + 1), metrics, **options)
    assert_same_bits(once, again)
    assert once.tally == again.tally


@examples(30)
@given(drawn=several(), seed=st.integers(0, 999))
def test_the_order_of_rows_does_not_matter_to_expected_values(drawn, seed):
    metrics = [metric for metric in EVERY if not metric.without_expected][seed % 5 :: 5]
    said, true = tables(drawn)
    once = sy.evaluate(said, true, metrics, ties="expected")
    assert_same_bits(
        once, sy.evaluate(shuffled(said, seed), shuffled(true, seed + 1), metrics, ties="expected")
    )


@examples(40)
@given(drawn=several(ties=False), metrics=some(), seed=st.integers(0, 999))
def test_renaming_ids_changes_nothing_where_no_ties_exist(drawn, metrics, seed):
    said, true = tables(drawn)
    draw = Random(seed)
    for column in ("query", "item"):
        old = sorted(set(said[column]) | set(true[column]))
        new = draw.sample([f"{chr(97 + n % 26)}{n}" for n in range(300)], len(old))
        said2, true2 = (frame.with_columns(pl.col(column).replace(old, new)) for frame in (said, true))
        again = sy.evaluate(said2, true2, metrics)
        once = sy.evaluate(said, true, metrics)
        names = dict(zip(old, new, strict=True)) if column == "query" else {}
        values = _by_query(once, names)
        assert values == _by_query(again, {})
        for label in once:
            assert same(once[label], again[label])


def _by_query(result, names):
    rows = result.per_query().with_columns(pl.col("value").fill_nan(-1.0)).rows()
    return {(names.get(query, query), label): value for query, label, value in rows}


@examples(30)
@given(drawn=several(), metrics=some(), seed=st.integers(0, 999))
def test_ids_may_be_text_or_numbers(drawn, metrics, seed):
    said, true = tables(drawn)

    def numbered(frame):
        return frame.with_columns(pl.col("query", "item").str.slice(1).cast(pl.Int64))

    once = sy.evaluate(said, true, metrics)
    again = sy.evaluate(numbered(said), numbered(true), metrics)
    assert once.table().equals(again.table(), null_equal=True)


@examples(40)
@given(
    drawn=several(),
    metrics=some(),
    ties=st.sampled_from(["item_desc", "given", "optimistic", "pessimistic"]),
    steps=st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=8, max_size=8),
    start=st.floats(min_value=-1e6, max_value=1e6),
)
def test_a_strictly_increasing_transform_of_scores_changes_nothing(drawn, metrics, ties, steps, start):
    said, true = tables(drawn)
    # scores are 1, 2, 3 …: each becomes the sum of as many steps
    image = {float(n): start + math.fsum(steps[:n]) for n in range(1, len(steps) + 1)}
    assert sorted(image.values()) == list(image.values())
    moved = said.with_columns(pl.col("score").replace_strict(image))
    assert_same_bits(
        sy.evaluate(said, true, metrics, ties=ties), sy.evaluate(moved, true, metrics, ties=ties)
    )


@examples(30)
@given(
    drawn=several(),
    metrics=some(),
    ties=st.sampled_from(["item_desc", "optimistic", "pessimistic"]),
    scale=st.floats(min_value=2**-20, max_value=2**20, width=32),
)
def test_equal_scores_in_single_and_double_precision_give_equal_results(drawn, metrics, ties, scale):
    said, true = tables(drawn)
    single = said.with_columns((pl.col("score") * scale).cast(pl.Float32))
    double = single.with_columns(pl.col("score").cast(pl.Float64))
    once = sy.evaluate(single, true, metrics, ties=ties)
    assert_same_bits(once, sy.evaluate(double, true, metrics, ties=ties))
    values = sy.evaluate(double, true, metrics, ties=ties, conventions={"scores": "float32"}).table()["value"]
    assert values.equals(once.table()["value"], null_equal=True)


def test_single_precision_ties_what_it_cannot_tell_apart():
    said = {"q": {"a": 1.0 + 5e-8, "b": 1.0}}
    for scores, value in (("as_given", 1.0), ("float32", 0.5)):
        assert sy.evaluate(said, {"q": {"a": 1}}, "mrr", conventions={"scores": scores})["mrr"] == value


def test_ranks_are_no_scores():
    # 2^24 + 1 has no single precision of its own: as a rank it is one nevertheless
    said = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "rank": [2**24 + 1, 2**24]})
    assert (
        sy.evaluate(said, {"q": {"a": 1}}, "mrr", conventions={"scores": "float32"}, ties="item_asc")["mrr"]
        == 1 / 2
    )


# ------------------------------------------------------------------------------- weights, slices, means


def averaged(name):
    return [
        metric.replace(mean=mean)
        for metric in variants(name, (None, 2))
        for mean in ("arithmetic", "geometric", "median")
        if getattr(metric, "max_grade", "") != "truth" or getattr(metric, "ideal", "full") != "full"
    ]


AVERAGED = [metric for name in NAMES for metric in averaged(name)]


@examples(60)
@given(data=st.data(), drawn=several(), metrics=some(AVERAGED))
def test_a_whole_weight_is_as_many_copies(data, drawn, metrics):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(drawn), max_size=len(drawn)))
    if not any(weights):
        return
    said, true = tables(drawn)
    weighed = sy.evaluate(said, true, metrics, weights={f"q{n:02d}": w for n, w in enumerate(weights)})
    copies = [query for query, weight in zip(drawn, weights, strict=True) for _ in range(weight)]
    copied = sy.evaluate(*tables(copies), metrics)
    for label in weighed:
        assert same(weighed[label], copied[label]), label
    counted = weighed.table()["n"] + weighed.table()["undefined"]
    assert set(counted) == {sum(weight > 0 for weight in weights)}


@examples(40)
@given(drawn=st.lists(queries(), min_size=2, max_size=5), metrics=some(AVERAGED))
def test_a_weight_of_zero_is_no_query(drawn, metrics):
    said, true = tables(drawn)
    weights = {f"q{n:02d}": float(n > 0) for n in range(len(drawn))}
    weighed = sy.evaluate(said, true, metrics, weights=weights)
    without = sy.evaluate(
        said.filter(pl.col("query") != "q00"), true.filter(pl.col("query") != "q00"), metrics
    )
    for label in weighed:
        assert same(weighed[label], without[label], 0.0), label


@examples(40)
@given(
    drawn=st.lists(queries(), min_size=2, max_size=5),
    metrics=some(AVERAGED),
    places=st.lists(st.sampled_from(["fr", "de", "jp"]), min_size=5, max_size=5),
    weigh=st.booleans(),
)
def test_a_slice_is_the_evaluation_of_its_queries(drawn, metrics, places, weigh):
    said, true = tables(drawn)
    of_query = pl.DataFrame(
        {"query": [f"q{n:02d}" for n in range(len(drawn))], "place": places[: len(drawn)]}
    )
    true = true.join(of_query, on="query", maintain_order="left")
    weights = {f"q{n:02d}": n + 1 for n in range(len(drawn))} if weigh else None
    rows = sy.evaluate(said, true, metrics, by="place", weights=weights).table()
    assert set(rows["place"]) == {"(all)", *of_query["place"]}
    for (place,), part in rows.group_by("place", maintain_order=True):
        inside = of_query if place == "(all)" else of_query.filter(pl.col("place") == place)
        alone = sy.evaluate(
            *(
                frame.join(inside.select("query"), on="query", maintain_order="left")
                for frame in (said, true)
            ),
            metrics,
            weights=weights,
        ).table()
        assert part.drop("place").equals(alone, null_equal=True)


@examples(60)
@given(drawn=several(ties=False), metrics=some(AVERAGED))
def test_the_whole_is_the_mean_of_the_queries_or_their_sums_divided(drawn, metrics):
    result = sy.evaluate(*tables(drawn), metrics)
    for (label, metric), values in zip(result.metrics, per_query(result).values(), strict=True):
        spec = metric.spec()
        if metric.pooled:
            parts = [reference.parts(spec, query.shown, query.judged) for query in drawn]
            assert same(result[label], reference.ratio(*map(sum, zip(*parts, strict=True)))), label
        else:
            assert same(result[label], reference.mean(spec, values)), label


# ------------------------------------------------------------------------------- the reference, whole


NAMES_OF_ITEMS = [f"d{n}" for n in range(9)] + ["é", "z", "Z", "\U0001f600", "￿", "q1"]
NAMES_OF_QUERIES = ["q0", "q1", "q2", "q3", "d4"]
CONVENTIONS = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["item_desc", "item_asc", "given"]),
        "duplicates": st.sampled_from(["first", "best"]),
        "missing": st.sampled_from(["keep", "skip"]),
        "unexpected": st.sampled_from(["ignore", "keep"]),
        "unjudged": st.sampled_from(["nonrelevant", "drop"]),
        "judgements": st.sampled_from(["all", "retrieved", "mixed"]),
        "self_match": st.sampled_from(["keep", "drop"]),
        "depth": st.sampled_from([None, 1, 2, 5]),
        "order": st.sampled_from(["score", "rank", "given"]),
        "undefined": st.sampled_from(["nan", "zero", "one"]),
        "scores": st.sampled_from(["as_given", "float32"]),
    }
)


@st.composite
def rows(draw, names, numbers, *, mask=False):
    """Rows with doubled pairs; an item that is masked is so in all its rows."""
    queries_, items = names
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(queries_), st.sampled_from(items)), min_size=1, max_size=24)
    )
    masked = set(draw(st.lists(st.sampled_from(pairs), max_size=2))) if mask else ()
    return [(*pair, -math.inf if pair in masked else float(draw(numbers))) for pair in pairs]


SCORES = st.sampled_from([0.0, 1.0, 1.0 + 2e-8, 2.0, -3.5])


@examples(250)
@given(
    said=rows((NAMES_OF_QUERIES, NAMES_OF_ITEMS), SCORES, mask=True),
    true=rows((NAMES_OF_QUERIES, NAMES_OF_ITEMS), st.sampled_from(WHOLE)),
    seen=st.sets(st.tuples(st.sampled_from(NAMES_OF_QUERIES), st.sampled_from(NAMES_OF_ITEMS)), max_size=3),
    conventions=CONVENTIONS,
    metrics=some(EVERY, 12),
)
def test_agrees_with_the_reference_under_every_convention(said, true, seen, conventions, metrics):
    said = unmasked(said, conventions)
    if not {row[0] for row in said} & {row[0] for row in true}:
        return
    check(said, true, seen, conventions, metrics)


@examples(120)
@given(
    said=rows(([1, 2, 10], [1, 9, 10, 11, 2, -3]), SCORES, mask=True),
    true=rows(([1, 2, 10], [1, 9, 10, 11, 2, -3]), st.sampled_from(WHOLE)),
    conventions=CONVENTIONS,
    item_order=st.sampled_from(["native", "text"]),
    metrics=some(EVERY, 12),
)
def test_agrees_with_the_reference_for_integer_ids(said, true, conventions, item_order, metrics):
    said = unmasked(said, conventions)
    if not {row[0] for row in said} & {row[0] for row in true}:
        return
    check(said, true, set(), conventions | {"item_order": item_order}, metrics)


def unmasked(said, conventions):
    """Only a score can be a mask: a rank is finite, and lists as given have no number."""
    if conventions["order"] == "score":
        return said
    return [(query, item, abs(number)) for query, item, number in said if number > -math.inf]


def test_a_mask_is_a_mask_in_whatever_order():
    said = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "score": [-math.inf, 1.0]})
    asked = ["mrr(order=given)", "mrr"]
    together = sy.evaluate(said, {"q": {"b": 1}}, asked)
    assert [together[label] for label in asked] == [1.0, 1.0]
    assert [sy.evaluate(said, {"q": {"b": 1}}, label)[label] for label in asked] == [1.0, 1.0]


def check(said, true, seen, conventions, metrics):
    frame = predictions_frame(said)
    if conventions["order"] == "rank":
        frame = frame.rename({"score": "rank"})
    excluded = pl.DataFrame(sorted(seen), schema=["query", "item"], orient="row") if seen else None
    result = sy.evaluate(frame, truth_frame(true), metrics, exclude=excluded, conventions=conventions)
    highest = max(row[2] for row in true)
    assert len(result) == len(metrics)
    if conventions["judgements"] == "mixed" and not result.tally.queries:
        assert all(
            math.isnan(result[label]) or conventions["undefined"] != "nan" for label, _ in result.metrics
        )
        return
    for (label, metric), values in zip(result.metrics, per_query(result).values(), strict=True):
        spec = metric.spec()
        ranked = reference.lists(spec, said, true, seen)
        assert len(values) == len(ranked)
        wanted = [
            reference.filled(spec, reference.value(spec, shown, judged, highest), judged)
            for shown, judged in ranked.values()
        ]
        for query, value, right in zip(ranked, values, wanted, strict=True):
            assert same(value, right), (label, query, value, right)
        if not metric.pooled:
            assert same(result[label], reference.mean(spec, wanted)), label


@each_row("metric", FEW)
def test_a_list_of_items_ranks_as_scores_that_fall(metric):
    truth = {"q": {"a": 1, "c": 2, "e": 3}, "r": {"b": 2}}
    listed = {"q": ["c", "b", "a", "d"], "r": ["a", "b"]}
    scored = {query: {item: -place for place, item in enumerate(items)} for query, items in listed.items()}
    one, other = (sy.evaluate(said, truth, metric) for said in (listed, scored))
    assert one.table()["value"].equals(other.table()["value"], null_equal=True)
