"""How heavy the source is: ceilings that a change may lower, and raises only with an ADR."""

from __future__ import annotations

import json
import subprocess
import sys

# an evaluation of one metric on a dict, warm
CALLS, FUNCTIONS, MODULES, DEPTH = 1_950, 560, 72, 21
LINES, FILES = 60_100, 393

TRACE = """
import json, sys
import steelyard as sy

def evaluate():
    run = {"q": {"a": 0.9, "b": 0.8, "c": 0.1}, "r": {"a": 0.3}}
    sy.evaluate(run, {"q": {"b": 1}, "r": {"a": 2}}, "ndcg@10")

calls, functions, depth, deepest = 0, set(), 0, 0

def follow(frame, event, _):
    global calls, depth, deepest
    if event in ("call", "return") and "steelyard" in frame.f_code.co_filename:
        depth += 1 if event == "call" else -1
        deepest = max(deepest, depth)
        if event == "call":
            calls += 1
            functions.add((frame.f_code.co_filename, frame.f_code.co_qualname))

evaluate()
sys.setprofile(follow)
evaluate()
sys.setprofile(None)
print(json.dumps([calls, len(functions), len({file for file, _ in functions}), deepest]))
"""


def test_one_evaluation_passes_few_functions():
    done = subprocess.run([sys.executable, "-c", TRACE], capture_output=True, text=True, check=True)
    measured = dict(zip(("calls", "functions", "modules", "depth"), json.loads(done.stdout), strict=True))
    assert measured["calls"] > 100, "the trace saw nothing"
    for name, ceiling in zip(measured, (CALLS, FUNCTIONS, MODULES, DEPTH), strict=True):
        assert measured[name] <= ceiling, f"{measured[name]} {name}; the ceiling is {ceiling}"


def test_the_source_stays_within_its_size(root):
    files = list((root / "src").rglob("*.py"))
    lines = sum(len(file.read_text("utf-8").splitlines()) for file in files)
    assert lines <= LINES
    assert len(files) <= FILES
