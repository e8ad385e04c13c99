"""Against trec_eval's own test suite: its data, read as TREC files, and the outputs it expects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import steelyard as sy

# Printed with %6.4f: the true value is at most half of the last digit away.
HALF_A_DIGIT = 0.5e-4 + 1e-12

NAMES = {
    "map": "map",
    "gm_map": "map(mean=geometric)",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "set_P": "precision@all",
    "set_recall": "recall@all",
    "set_F": "f1@all",
}
WITH_CUTOFF = {
    "P": "precision@{}",
    "recall": "recall@{}",
    "map_cut": "map@{}",
    "ndcg_cut": "ndcg@{}",
    "success": "hit_rate@{}",
    "relative_P": "precision(denominator=achievable)@{}",
}
COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret"}
NOT_HERE = re.compile(
    r"runid|relstring.*|gm_bpref|infAP|11pt_avg_.*|Rprec_mult_.*|utility.*|binG|G|"
    r"ndcg_rel|Rndcg|set_relative_P|set_map|num_nonrel_judged_ret|rbp|rbp_resid|unj_.*"
)


@dataclass(frozen=True)
class Case:
    """One case of trec_eval's `make quicktest`, by its number in the data's README."""

    number: str
    judgements: str
    run: str
    expected: str
    conventions: dict[str, object] = field(default_factory=dict)
    least: int = 0  # how many of our measures the output has

    def __str__(self) -> str:
        return f"case-{self.number}"


CASES = [
    Case("1", "qrels.test", "results.test", "out.test", least=25),
    Case("2", "qrels.test.with-comments", "results.test", "out.test", least=25),
    Case("3", "qrels.comment.test", "results.comment.test", "out.comment.test", least=25),
    Case("4", "qrels.test", "results.test", "out.test.a", least=69),
    Case("5", "qrels.test", "results.test", "out.test.aq", least=69),
    # -c: a judged topic that the run lacks counts 0 (topic 302)
    Case("6", "qrels.test", "results.trunc", "out.test.aqc", {"missing": "keep"}, least=69),
    # -c -M100
    Case("7", "qrels.test", "results.trunc", "out.test.aqcM", {"missing": "keep", "depth": 100}, least=69),
    # -l2; grades from -1 to 4
    Case("8", "qrels.rel_level", "results.test", "out.test.aql", {"rel": 2}, least=69),
    # -mndcg.1=3,2=9,4=4.5 among others
    Case("14", "qrels.test", "results.test", "out.test.meas_params", least=17),
]


def text_of(measure: str, version: str) -> str | None:
    """Our text for a measure as trec_eval prints it, or None where we have none yet."""
    if measure in NAMES:
        return NAMES[measure]
    if NOT_HERE.fullmatch(measure):
        return None
    if measure.startswith("ndcg_") and "=" in measure:
        return f"ndcg(gain={measure.removeprefix('ndcg_').replace('=', ':').replace(',', '/')})"
    rounding = "trec10" if version == "10.0" else "trec9"
    if measure == "11pt_avg":
        return f"iprecision_11pt(rounding={rounding})"
    name, _, cutoff = measure.rpartition("_")
    if name == "iprec_at_recall":
        return f"iprecision(rounding={rounding})@{cutoff}"
    return WITH_CUTOFF[name].format(int(cutoff))


def lines(path: Path) -> list[tuple[str, str, str]]:
    """Measure, topic and value as text."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    return [(measure.strip(), topic, value) for measure, topic, value in rows]


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    folder = shared / "data" / "trec_eval_test"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data/trec_eval_test")
    return folder


VERSIONS = [(case, "10.0") for case in CASES]
VERSIONS += [(case, "9.0.8") for case in CASES if case.number not in ("2", "3")]  # no comments before 10.0


@pytest.mark.parametrize(("case", "version"), VERSIONS, ids=str)
def test_every_value_that_it_prints(data, case, version):
    folder = data if version == "10.0" else data / f"v{version}_expected"
    expected = lines(folder / case.expected)
    measures = [name for name in dict.fromkeys(name for name, _, _ in expected) if name not in COUNTS]
    texts = {name: text for name in measures if (text := text_of(name, version)) is not None}
    assert len(texts) >= case.least

    result = evaluated(data, case, list(texts.values()))
    label_of = dict(zip(texts, result, strict=True))
    values = {(label, topic): value for topic, label, value in result.per_query().iter_rows()}
    apart = []
    for name, topic, printed in expected:
        if name not in texts:
            continue
        value = result[label_of[name]] if topic == "all" else values[label_of[name], topic]
        if not abs(value - float(printed)) <= HALF_A_DIGIT:
            apart.append((name, topic, value, printed))
    assert not apart, f"(measure, topic, ours, trec_eval {version}): {apart}"


@pytest.mark.parametrize("case", CASES[:-1], ids=str)
def test_its_counts(data, case):
    """num_q and num_ret are in the tally; num_rel and num_rel_ret are what pooled metrics divide."""
    count = {
        name: int(value)
        for name, topic, value in lines(data / case.expected)
        if topic == "all" and name in COUNTS
    }
    pooled = ["precision(pooling=pooled)@all", "recall(pooling=pooled)@all"]
    result = evaluated(data, case, pooled)
    assert result.tally.queries == count["num_q"]
    if "depth" not in case.conventions:  # the tally counts the rows before they are cut
        assert result.tally.retrieved == count["num_ret"]
    precision, recall = (result[label] for label in result)
    assert precision == pytest.approx(count["num_rel_ret"] / count["num_ret"], abs=1e-12)
    assert recall == pytest.approx(count["num_rel_ret"] / count["num_rel"], abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "text", "printed"),
    [
        ("dcg", "dcg", {"301": 11.0775, "302": 34.5255, "303": 2.9008, "all": 16.1679}),
        ("ideal_dcg", "idcg", {"301": 79.3480, "302": 52.1780, "303": 7.9069, "all": 46.4776}),
        (
            "ndcg.1=3,2=9,3=1.5,4=4.5",
            "ndcg(gain=1:3/2:9/3:1.5/4:4.5)",
            {"301": 0.1434, "302": 0.6617, "303": 0.3669, "all": 0.3906},
        ),
    ],
)
def test_graded_measures_that_no_case_has(data, measure, text, printed):
    """Made with trec_eval 10.0, built from its tag: `-q -m <measure> qrels.rel_level results.test`."""
    result = sy.evaluate(data / "results.test", data / "qrels.rel_level", text, profile="trec_eval:10")
    values = {topic: value for topic, _, value in result.per_query().iter_rows()} | {"all": result[text]}
    assert values == pytest.approx(printed, rel=0, abs=HALF_A_DIGIT), measure


def evaluated(data: Path, case: Case, texts: list[str]) -> sy.Result:
    return sy.evaluate(
        data / case.run, data / case.judgements, texts, profile="trec_eval", **case.conventions
    )
