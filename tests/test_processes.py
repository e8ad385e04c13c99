"""Processes and threads: what a fork leaves behind, and that nothing ever waits for it."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.metrics.curves import Curve
from steelyard.result.findings import Differences, Matches
from steelyard.text.errors import RowError
from steelyard.text.errors.measuring import forked_too_late

# q1 has its relevant item at rank 2, q2 at rank 1
RUN = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"a": 0.3, "b": 0.2}}
TRUTH = {"q1": {"b": 1}, "q2": {"a": 1}}
MRR = (1 / 2 + 1 / 1) / 2
SECONDS = 60  # a child that waits for lost threads is ended by the kernel

FORK = f"""
import os, signal, sys
import steelyard as sy

RUN, TRUTH = {RUN}, {TRUTH}

def forked(work):
    "What the child had to say: the value, or the first words of the refusal."
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm({SECONDS})
        try:
            said = repr(work())
        except sy.SteelyardError as error:
            said = f"refused: {{error}}"
        os.write(theirs, said.encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answer:
        said = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said if status == 0 else f"ended with {{status}}"

def mrr():
    return sy.evaluate(RUN, TRUTH, "mrr")["mrr"]
"""

REFUSED = "refused: this process was forked while Polars ran in its parent"
REMEDY = "start processes with spawn or forkserver"


def python(code: str, **variables: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=10 * SECONDS,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_child_of_a_process_that_evaluated_is_refused_at_once():
    said = python(f"{FORK}\nmrr()\nprint(forked(mrr))\nprint(mrr())").splitlines()
    assert said[0].startswith(REFUSED)
    assert said[1].startswith(REMEDY)
    assert said[2] == str(MRR)  # the parent goes on


def test_a_child_made_before_the_first_evaluation_works():
    assert python(f"{FORK}\nsy.evaluate\nprint(forked(mrr))\nprint(forked(mrr))").split() == [str(MRR)] * 2


def test_a_refused_question_leaves_later_children_alone():
    code = """
        try:
            sy.evaluate(RUN, TRUTH, "nonsense")
        except sy.SteelyardError:
            print(forked(mrr))
        """
    assert python(FORK + textwrap.dedent(code)) == f"{MRR}\n"


def test_a_grandchild_of_a_child_that_evaluated_is_refused():
    code = """
        def family():
            return mrr(), forked(mrr), forked(lambda: forked(mrr))
        print(forked(family))
        """
    said = python(FORK + textwrap.dedent(code))
    assert said.startswith(f"({MRR}, ")
    assert said.count(REFUSED) == 2


def test_polars_used_by_the_caller_counts_too():
    """Linux tells the names of threads, so that this is known however Polars was put to work."""
    code = """
        import polars as pl
        print(forked(mrr))
        pl.DataFrame({"a": [1, 2]}).filter(pl.col("a") > 1)
        print(forked(mrr))
        """
    said = python(FORK + textwrap.dedent(code)).splitlines()
    assert said[0] == str(MRR)
    assert said[1].startswith(REFUSED)


def test_a_fork_while_another_thread_evaluates():
    code = """
        import threading
        inside, go_on = threading.Event(), threading.Event()
        def wait(stage):
            inside.set()
            go_on.wait()
        thread = threading.Thread(
            target=lambda: sy.evaluate(RUN, TRUTH, "mrr", progress=wait)
        )
        thread.start()
        inside.wait()
        print(forked(mrr))
        go_on.set()
        thread.join()
        """
    assert python(FORK + textwrap.dedent(code)).startswith(REFUSED)


def test_plain_arrays_need_no_threads_of_polars():
    """``.of`` goes on working in a child, with kernels too."""
    code = """
        import numpy as np
        n = 700_000
        labels = np.arange(n) % 2
        mrr()
        print(forked(lambda: sy.AUC().of(predictions=labels * 0.5, truth=labels)))
        print(forked(lambda: sy.GAUC().of(labels * 0.5, labels, np.arange(n) // 100)))
        print(forked(lambda: sy.NDCG(k=5).of([3, 2, 1])))
        print(forked(lambda: sy.explain("mrr", grades=[0, 1]).value))
        """
    assert python(FORK + textwrap.dedent(code)).split() == ["1.0", "1.0", "1.0", "0.5"]


def test_a_fork_while_kernels_are_being_loaded():
    """The child cannot have what the other thread was loading, and does without."""
    code = """
        import threading, numpy as np
        from steelyard.kernels import choose
        def loss():
            with choose.watched() as missed:
                return sy.LogLoss().of(predictions=[0.5] * 700_000, truth=[1, 0] * 350_000), sorted(missed)
        with choose._loading:  # as the thread of a warm-up holds it
            child = forked(loss)
        print(child)
        """
    value, note = python(FORK + textwrap.dedent(code)).split(", ", 1)
    assert float(value.strip("(")) == pytest.approx(np.log(2), rel=1e-12)
    assert note.startswith("['the process was forked while Numba was being loaded: large tables take longer")


ARGUMENTS = {
    "__getitem__": ("auc",),
    "get": ("auc",),
    "__contains__": ("auc",),
    "label": ("auc",),
    "chart": ("roc",),
    "curve": ("roc",),
    "explain": ("auc",),
    "gap": ("auc",),
    "noting": ("a note",),
    "write": ("out.json",),
    "save": ("out.steelyard",),
    "render": ("table",),
    "report": ("out.html",),
    "system": ("mine",),
    "of": (0,),
}
OF_RANKINGS = {
    **ARGUMENTS,
    "__getitem__": ("mrr",),
    "get": ("mrr",),
    "label": ("mrr",),
    "chart": ("per_query",),
    "curve": ("ndcg",),
    "gap": ("mrr",),
    "explain": ("mrr", "q1"),
}
WRITTEN = {"render": ("csv",), "report": ("page.html",), "write": ("table.csv",)}
SPECIAL = ("__getitem__", "__repr__", "__iter__", "__getstate__", "_repr_html_")


def methods(kind: type) -> list[str]:
    """Whatever a class of ours defines that can be called or looked up."""
    own = {name: value for base in kind.__mro__[:-1] for name, value in vars(base).items()}
    return sorted(
        name
        for name, value in own.items()
        if (inspect.isfunction(value) or isinstance(value, property))
        and (not name.startswith("_") or name in SPECIAL)
    )


@pytest.mark.parametrize(
    ("made", "kind", "arguments"),
    [
        ('sy.evaluate(LOG, metrics=["auc", "gauc", "ne"], by="country")', sy.Result, ARGUMENTS),
        ('sy.evaluate(RUN, TRUTH, ["mrr", "ndcg@2"], by={"q1": "a", "q2": "b"})', sy.Result, OF_RANKINGS),
        ('sy.evaluate(LOG, metrics="auc").curve("precision_recall")', Curve, ARGUMENTS),
        ('sy.differences(RUN, TRUTH, metric="map@2", profiles=("ranx", "recbole"))', Differences, WRITTEN),
        ('sy.which(RUN, TRUTH, {"mrr": 0.75})', Matches, WRITTEN),
    ],
)
def test_whatever_a_result_can_do_answers_or_refuses_in_a_child(monkeypatch, tmp_path, made, kind, arguments):
    """No method waits: each gives its answer, or the refusal."""
    code = f"""
        import json, pickle
        LOG = {{
            "query": ["u", "u", "v", "v"], "label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.7, 0.3],
            "country": ["a", "b", "a", "b"],
        }}
        made = {made}
        def call(name):
            found = getattr(made, name)
            return bool(str(found(*{arguments}.get(name, ())) if callable(found) else found))
        said = {{name: forked(lambda: call(name)) for name in {methods(kind)}}}
        said["pickle"] = forked(lambda: len(pickle.dumps(made)) > 0)
        print(json.dumps(said))
        """
    monkeypatch.chdir(tmp_path)
    said = json.loads(python(FORK + textwrap.dedent(code)))
    bad = {name: one for name, one in said.items() if one != "True" and not one.startswith(REFUSED)}
    assert not bad
    assert any(one.startswith(REFUSED) for one in said.values())


POOLS = f"""
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import steelyard as sy

RUN, TRUTH = {RUN}, {TRUTH}

def mrr(_):
    return sy.evaluate(RUN, TRUTH, "mrr")["mrr"]

def whole(_):
    return sy.evaluate(RUN, TRUTH, "mrr").to_dict()

if __name__ == "__main__":
    here = mrr(0)
    context = multiprocessing.get_context(sys.argv[1])
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        try:
            print(here, *pool.map(mrr, range(2)), next(pool.map(whole, [0])) == whole(0))
        except sy.SteelyardError as error:
            print(error)
"""


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.long), "fork"])
def test_pools_of_processes(tmp_path, method):
    script = Path(tmp_path, "pools.py")
    script.write_text(POOLS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), method], capture_output=True, text=True, timeout=5 * SECONDS
    )
    assert done.returncode == 0, done.stderr
    if method == "fork":  # the refusal comes back through the pool's pipe, and is the same error there
        assert f"refused: {done.stdout}".startswith(REFUSED)
        assert REMEDY in done.stdout
    else:
        assert done.stdout.split() == [str(MRR)] * 3 + ["True"]


@pytest.mark.parametrize("error", [forked_too_late(), RowError("label is null", row=3, remedy="fill it")])
def test_an_error_can_be_sent_to_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert type(again) is type(error)
    assert vars(again) == vars(error)


def test_threads_that_evaluate_at_once_agree():
    random = np.random.default_rng(8)
    runs = [random.random((40, 60)).round(2) for _ in range(12)]
    labels = random.integers(0, 3, (40, 60))
    log = {"label": random.integers(0, 2, 800_000), "score": random.random(800_000)}

    def work(number: int) -> tuple[bytes, float]:
        result = sy.evaluate(runs[number], labels, ["ndcg@10", "map", "mrr"])
        return result.per_query()["value"].to_numpy().tobytes(), sy.evaluate(log, metrics="auc")["auc"]

    alone = [work(number) for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(12))) == alone


def test_an_interrupt_leaves_no_thread_of_ours():
    """Ctrl-C during a kernel: the shares under way end, and none waits for more."""
    code = """
        import os, signal, threading, numpy as np
        from steelyard.kernels import choose
        import steelyard as sy
        compiled, sent = choose.compiled, []
        def interrupted(loop):
            run = compiled(loop)
            def share(*arguments):
                if not sent:
                    sent.append(os.kill(os.getpid(), signal.SIGINT))
                return run(*arguments)
            return share
        choose.compiled = interrupted
        try:
            sy.AUC().of(predictions=np.arange(700_000.0), truth=np.arange(700_000) % 2)
        except KeyboardInterrupt:
            for thread in threading.enumerate()[1:]:
                thread.join(60)
            print(sorted(thread.name for thread in threading.enumerate()))
        """
    assert python(code) == "['MainThread']\n"
