"""How heavy the source is: ceilings that a change may lower, and raises only with an ADR."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter

# One warm evaluation of one metric on a dict. List, dict and set comprehensions are not counted, as
# Python 3.12 inlines them.
CALLS, FUNCTIONS, MODULES, DEPTH = 351, 210, 38, 16
LINES, CODE, FILES, LONGEST = 55_177, 36_349, 249, 450
PACKAGES = {
    "": 930,
    "api": 1_940,
    "cli": 2_290,
    "demo": 490,
    "engine": 9_220,
    "kernels": 3_300,
    "metrics": 10_850,
    "read": 5_620,
    "render": 7_470,
    "result": 2_860,
    "search": 1_460,
    "spec": 720,
    "stats": 4_730,
    "text": 2_000,
    "trec_eval": 1_420,
}
NAMES_OF_TWO_CLASSES = 0

TRACE = """
import json, sys
import steelyard as sy

def evaluate():
    run = {"q": {"a": 0.9, "b": 0.8, "c": 0.1}, "r": {"a": 0.3}}
    sy.evaluate(run, {"q": {"b": 1}, "r": {"a": 2}}, "ndcg@10")

calls, functions, depth, deepest = 0, set(), 0, 0
INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")

def follow(frame, event, _):
    global calls, depth, deepest
    code = frame.f_code
    if event in ("call", "return") and "steelyard" in code.co_filename and code.co_name not in INLINED:
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


def lines_of_code(text):
    """Lines that are neither blank, comment, docstring nor import."""
    lines = {
        n for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def test_the_source_stays_within_its_size(root):
    lines, code, too_long = Counter[str](), 0, []
    files = list((root / "src" / "steelyard").rglob("*.py"))
    for file in files:
        package, *inside = file.relative_to(root / "src" / "steelyard").parts
        text = file.read_text("utf-8")
        n_lines = len(text.splitlines())
        lines[package if inside else ""] += n_lines
        code += lines_of_code(text)
        if n_lines > LONGEST:
            too_long.append(file.name)
    assert not too_long
    assert not {package: n for package, n in lines.items() if n > PACKAGES[package]}
    assert lines.total() <= LINES
    assert code <= CODE
    assert len(files) <= FILES


def test_no_further_class_name_stands_for_two_things(root):
    found = Counter(
        node.name
        for file in (root / "src").rglob("*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert len([name for name, n in found.items() if n > 1]) <= NAMES_OF_TWO_CLASSES
