"""The program trec_eval itself, where TREC_EVAL names it: what it prints, and our value."""

from __future__ import annotations

import os
import subprocess

import pytest

from conformance.cases import cases
from conformance.judged import ours_of

PROGRAM = os.environ.get("TREC_EVAL", "")
ASKED = {
    **{name: name for name in ("map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "11pt_avg")},
    **{
        f"{name}_10": f"{name}.10" for name in ("P", "recall", "success", "map_cut", "ndcg_cut", "relative_P")
    },
    "iprec_at_recall_0.30": "iprec_at_recall.0.30",
    "set_F": "set_F",
}


@pytest.fixture(scope="module")
def profile():
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    return "trec_eval:10" if " 10." in said.stdout + said.stderr else "trec_eval"


@pytest.mark.parametrize(
    "name",
    ["plain", "graded", "negative_grades", "ties", "ties_graded", "constant_scores", "more_predictions"],
)
def test_what_it_prints_is_our_value_to_four_decimals(name, profile, tmp_path):
    case = next(one for one in cases() if one["name"] == name)
    run, truth = tmp_path / "run", tmp_path / "qrels"
    run.write_text("".join(f"{q} Q0 {i} 0 {s!r} made\n" for q, i, s in case["run"]), "ascii")
    truth.write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g in case["truth"]), "ascii")
    measures = [word for asked in ASKED.values() for word in ("-m", asked)]
    ended = subprocess.run([PROGRAM, *measures, truth, run], capture_output=True, text=True, check=True)
    printed = {line.split()[0]: line.split()[-1] for line in ended.stdout.splitlines()}
    ours = ours_of(case, profile, ASKED)
    assert {measure: f"{ours[measure]:.4f}" for measure in ASKED} == printed
