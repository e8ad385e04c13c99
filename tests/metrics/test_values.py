"""A metric is a value: frozen, hashable, complete, and the same after every round trip."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import math
import pickle
from pathlib import Path
from typing import ClassVar, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import steelyard as sy
from steelyard import conventions, metrics
from steelyard.metrics import by_name
from steelyard.metrics.ranking.base import cutoff

from ..tables import each_row

REGISTERED = {cls.name: cls for cls in by_name().values() if issubclass(cls, sy.RankingMetric)}
SOME = [
    sy.PrecisionAt(k=5, denominator="retrieved", pooling="pooled"),
    sy.RecallAt(),
    sy.FBetaAt(k=3, beta=0.5),
    sy.HitRate(k=10, rel=2),
    sy.MRR(empty="skip", ties="pessimistic"),
    sy.MAP(k=5, denominator="achievable", mean="geometric", floor=0.01),
    sy.CG(gain={1: 3, 2: 9}),
    sy.DCG(k=3, discount="jarvelin"),
    sy.IDCG(gain="exp2"),
    sy.NDCG(k=10, ideal="full", max_grade=4),
    sy.RPrecision(missing="skip", depth=100, undefined="zero"),
]
SOME += [cls() for cls in REGISTERED.values() if not any(type(metric) is cls for metric in SOME)]
EVERY = each_row("metric", SOME, ids=str)
CLASSES = each_row("cls", REGISTERED.values(), ids=list(REGISTERED))


@EVERY
def test_a_metric_is_a_value(metric):
    """Frozen and hashable, equal to what is made of its fields, its text, its JSON and its pickle."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        metric.ties = "expected"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del metric.ties
    again = type(metric)(**metric.values())
    assert again == metric
    assert hash(again) == hash(metric)
    assert {metric: 1}[again] == 1
    assert metric != metric.replace(mean="median")
    assert metric != "text"
    # nothing is hidden on it: equal metrics are the same wish
    again = dataclasses.replace(metric)
    assert vars(again) == vars(metric) == metric.values()
    assert again.differing() == metric.differing()
    assert eval(repr(metric), {cls.__name__: cls for cls in REGISTERED.values()}) == metric
    spec = json.loads(json.dumps(metric.spec(), allow_nan=False))
    cls = REGISTERED[spec.pop("metric")]
    assert spec.pop("edition") == metrics.EDITION
    assert cls(**spec) == metric
    for again in (pickle.loads(pickle.dumps(metric)), copy.copy(metric), copy.deepcopy(metric)):
        assert again == metric
        assert hash(again) == hash(metric)
        assert str(again) == str(metric)


def test_metrics_of_different_kinds_differ():
    assert sy.DCG(k=5) != sy.IDCG(k=5)
    assert len({*SOME, *SOME}) == len(SOME)


def test_a_number_is_one_value_however_it_is_written():
    assert sy.MRR(rel=1) == sy.MRR(rel=1.0) == sy.MRR(rel="1") == sy.MRR(rel=np.float64(1)) == sy.MRR()
    assert sy.MRR(k=5) == sy.MRR(k="5") == sy.MRR(k=np.int64(5))
    assert isinstance(sy.MRR(k=np.int64(5)).k, int)
    assert isinstance(sy.MRR(rel=2).rel, float)


@CLASSES
def test_keyword_only(cls):
    with pytest.raises(sy.SteelyardError, match="takes its fields by name"):
        cls(5)
    for parameter in inspect.signature(cls).parameters.values():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    assert set(inspect.signature(cls).parameters) == {field.name for field in dataclasses.fields(cls)}


@CLASSES
def test_unknown_fields_and_values_are_errors(cls):
    with pytest.raises(sy.SteelyardError, match=f"{cls.name} has no field 'tise'; did you mean 'ties'"):
        cls(tise="given")
    with pytest.raises(sy.SteelyardError, match=f"{cls.name}: ties must be one of"):
        cls(ties="givn")


def test_replace():
    metric = sy.NDCG(k=10, gain="exp2")
    other = metric.replace(k=5, ties="given")
    assert other == sy.NDCG(k=5, gain="exp2", ties="given")
    assert metric == sy.NDCG(k=10, gain="exp2")
    assert metric.replace() == metric
    with pytest.raises(sy.SteelyardError, match="ndcg has no field 'rel'"):
        metric.replace(rel=2)


def test_repr_is_short():
    assert repr(sy.NDCG(gain="exp2", k=10)) == "NDCG(k=10, gain='exp2')"
    assert repr(sy.RPrecision()) == "RPrecision()"


@EVERY
def test_the_specification_is_complete(metric):
    spec = metric.spec()
    fields = {field.name for field in dataclasses.fields(metric)}
    assert set(spec) == fields | {"metric", "edition"}
    assert fields >= {*conventions.ALIGN_FIELDS, *conventions.RANK_FIELDS, "undefined", "mean", "floor"}
    assert spec["metric"] == metric.name
    assert spec["edition"] == "steelyard:2026"
    assert all(spec[name] == getattr(metric, name) for name in fields)
    assert dataclasses.asdict(metric.need().align).items() <= metric.values().items()
    assert dataclasses.asdict(metric.need().rank).items() <= metric.values().items()


def test_the_names_of_fields_are_those_of_the_design():
    known = {"duplicates", "missing", "unexpected", "unjudged", "judgements", "grades", "self_match"}
    assert known <= set(conventions.ALIGN_FIELDS)
    assert {"order", "ties", "depth"} <= set(conventions.RANK_FIELDS)


def choice_fields(cls):
    return [field for field in dataclasses.fields(cls) if "meaning" in field.metadata]


@CLASSES
def test_types_say_what_the_meanings_say(cls):
    hints = get_type_hints(cls)
    for field in choice_fields(cls):
        keys = tuple(field.metadata["meaning"])
        assert field.default in keys
        assert all(field.metadata["meaning"].values())
        if get_origin(hints[field.name]) is Literal:
            assert get_args(hints[field.name]) == keys, field.name
        else:
            assert (field.name, hints[field.name]) == ("gain", str)  # a mapping is taken too


def test_every_field_is_a_choice_or_a_number_and_the_first_choice_is_the_default():
    for cls in REGISTERED.values():
        for field in dataclasses.fields(cls):
            assert ("meaning" in field.metadata) != ("number" in field.metadata), (cls.name, field.name)
        for field in choice_fields(cls):
            assert field.default == next(iter(field.metadata["meaning"])), (cls.name, field.name)


@CLASSES
def test_every_value_of_every_choice_is_taken(cls):
    for field in choice_fields(cls):
        for value in field.metadata["meaning"]:
            needs_k = (field.name, value) in {("denominator", "k"), ("ideal", "full")}
            metric = cls(**{field.name: value}, **({"k": 5} if needs_k else {}))
            assert getattr(metric, field.name) == value
            assert sy.metric(str(metric)) == metric


@CLASSES
def test_every_metric_says_what_it_is(cls):
    assert cls.__doc__
    assert cls.zh
    assert sy.metric(str(cls())) == cls()
    assert cls.at in ("required", "optional", "never")
    assert cls.bounds[0] < cls.bounds[1]
    assert cls.direction in ("higher", "none")


def test_every_file_with_a_metric_is_found():
    written = {
        file.stem
        for file in Path(metrics.__file__).parent.rglob("*.py")
        if "\n@register(" in file.read_text()
    }
    assert {cls.__module__.rpartition(".")[2] for cls in by_name().values()} == written
    assert {cls.__name__ for cls in by_name().values()} <= set(metrics.__all__)


def test_every_metric_is_public():
    for cls in REGISTERED.values():
        assert cls.__name__ in sy.__all__
        assert getattr(sy, cls.__name__) is cls
        assert cls.__name__ in metrics.__all__


def test_the_registry_has_the_metrics_of_the_specification():
    assert set(REGISTERED).issuperset(
        [
            "precision",
            "recall",
            "fbeta",
            "hit_rate",
            "mrr",
            "map",
            "cg",
            "dcg",
            "idcg",
            "ndcg",
            "r_precision",
        ]
    )


# ------------------------------------------------------------------------------- a user's own metric


def test_a_users_own_metric_works_like_the_others():
    @sy.register("top_grade", zh="最高等级", aliases=("best",), aliases_at=("tg",))
    class TopGrade(sy.RankingMetric):
        """The highest grade among the first k, as a share of the highest there is."""

        k: int | None = cutoff()
        scale: Literal["share", "grade"] = conventions.choice(
            default="share", meaning={"share": "of the highest grade there is", "grade": "the grade itself"}
        )
        bounds: ClassVar = (0.0, float("inf"))

        def per_query(self, ranked):
            hits = ranked.hits.where(ranked.hits.within(ranked.limit(self.k)) > 0)
            best = np.zeros(ranked.n_queries)
            np.maximum.at(best, hits.query, hits.grade)
            return best / ranked.max_grade if self.scale == "share" else best

    assert sy.metric("Top-Grade@2") == TopGrade(k=2)
    assert sy.metric("最高等级") == sy.metric("best") == TopGrade()
    assert sy.metric("tg@3") == TopGrade(k=3)
    assert str(TopGrade(k=2, scale="grade")) == "top_grade(scale=grade)@2"
    assert TopGrade(k=2).of([1, 3, 4]) == 3 / 4
    assert "top_grade" in by_name()
    with pytest.raises(sy.SteelyardError, match="did you mean 'top_grade@2'"):
        sy.metric("top_grad@2")
    with pytest.raises(sy.SteelyardError, match="top_grade: scale must be one of"):
        TopGrade(scale="shar")

    said = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}}
    true = {"q1": {"b": 1, "c": 4}, "q2": {"a": 2, "z": 4}}
    result = sy.evaluate(
        said,
        true,
        ["top_grade@2", "top_grade(scale=grade)", TopGrade(k=1), "mrr"],
        weights={"q1": 1, "q2": 3},
    )
    assert result["top_grade@2"] == (1 / 4 + 3 * 2 / 4) / 4
    assert result["top_grade(scale=grade)"] == (4 + 3 * 2) / 4
    assert result[TopGrade(k=1)] == (0 + 3 * 2 / 4) / 4
    assert result.spec()["top_grade@2"]["scale"] == "share"
    assert "top_grade@2" in result.to_json()
    assert "top_grade@2" in repr(result)
    with pytest.raises(sy.SteelyardError, match="trec_eval has no top_grade@2"):
        sy.evaluate(said, true, "top_grade@2", profile="trec_eval")


def test_what_was_registered_for_a_test_is_gone():
    assert "top_grade" not in by_name()


def test_a_users_gain_metric():
    @sy.register("first_gain")
    class FirstGain(sy.GainMetric):
        """The gain of the item at the top."""

        def per_query(self, ranked):
            first = ranked.hits.where(ranked.hits.before == 0)
            return ranked.sum_by_query(first.query, self.gains(first.grade))

    assert sy.metric("first_gain(gain=exp2)").of([3, 1]) == 7
    assert (
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 2}}, "first_gain(gain=1:3/2:9)")[
            "first_gain(gain=1:3/2:9)"
        ]
        == 9
    )


@pytest.mark.parametrize("grades", [[math.nan, 1], [math.inf]])
def test_grades_are_finite(grades):
    with pytest.raises(sy.SteelyardError, match="a grade is NaN or infinite"):
        sy.MRR().of(grades)
    with pytest.raises(sy.SteelyardError, match="a grade is NaN or infinite"):
        sy.MRR().of([1], judged=grades)
