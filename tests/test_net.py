"""The net asks about everything there is, and notices when an answer changes by one bit."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys

import pytest

from steelyard.metrics import by_name

pytestmark = pytest.mark.long  # they evaluate some hundred times, as `make net-check` does


@pytest.fixture(scope="module")
def net(root, tmp_path_factory):
    def run(*arguments):
        command = [sys.executable, str(root / "tools" / "net"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    folder = tmp_path_factory.mktemp("net") / "answers"
    done = run("write", folder)
    assert done.returncode == 0, done.stderr
    return run, folder


@pytest.fixture(scope="module")
def answers(net):
    return {path.stem: json.loads(path.read_text("utf-8")) for path in net[1].glob("*.json")}


def test_every_metric_and_every_choice_is_asked_for(answers):
    asked = {}
    for answer in answers.values():
        for spec in answer.get("spec", {}).values():
            for field, value in spec.items():
                asked.setdefault((spec["metric"], field), set()).add(str(value).lower())
    shared = {}
    for (_, field), values in asked.items():
        shared.setdefault(field, set()).update(values)
    refused = " ".join(name for name in answers if name.startswith("refused"))
    for name, metric in by_name().items():
        assert (metric.name, "metric") in asked, f"no case asks for {name}"
        own = {field.name for field in dataclasses.fields(metric)} - _of_every_metric()
        for field in dataclasses.fields(metric):
            seen = asked[metric.name, field.name] if field.name in own else shared[field.name]
            missing = set(field.metadata.get("meaning", ())) - seen
            missing -= {word for word in missing if f"{field.name}={word}" in refused}
            assert not missing, f"no case asks for {name} with {field.name} in {missing}"


def _of_every_metric():
    from steelyard.metrics import LabelledMetric, RankingMetric

    return {field.name for family in (LabelledMetric, RankingMetric) for field in dataclasses.fields(family)}


def test_every_answer_has_what_it_should(answers):
    for name, answer in answers.items():
        if name.startswith("refused") or name == "clicks-unlabelled=error":
            assert set(answer) == {"refused", "words_zh"}, name
        else:
            assert answer["values"], name


def test_the_same_answers_are_found_equal(net, tmp_path):
    run, folder = net
    done = run("compare", folder, folder)
    assert done.returncode == 0
    assert ", 0 differ" in done.stdout


def test_a_single_bit_is_found(net, tmp_path):
    run, folder = net
    changed = tmp_path / "changed"
    changed.mkdir()
    for path in folder.glob("*.json"):
        (changed / path.name).write_bytes(path.read_bytes())
    target = changed / "clicks-auc.json"
    answer = json.loads(target.read_text("utf-8"))
    at = answer["values"][0].index("value")
    value = float.fromhex(answer["values"][1][at])
    answer["values"][1][at] = math.nextafter(value, 2).hex()
    target.write_text(json.dumps(answer), "utf-8")
    done = run("compare", folder, changed)
    assert done.returncode == 1
    assert "clicks-auc.json: values[1]" in done.stdout
    assert ", 1 differ" in done.stdout
    assert run("compare", folder, changed, "--only", "tally").returncode == 0
