"""Kernels are chosen by size, prepared once, and missed only where they were wanted."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.kernels import choose
from steelyard.text import say

SMALL = {"label": [1, 0], "score": [0.8, 0.2]}
LARGE = {"label": [1, 0] * 50, "score": np.linspace(0, 1, 100)}
MISSED = "Numba cannot be imported (no LLVM): large tables take longer, and the numbers are the same."


def test_only_a_result_that_missed_kernels_says_so(monkeypatch):
    monkeypatch.setattr(choose, "LARGE", 100)
    monkeypatch.setattr(choose, "LARGE_WHEN_LOADED", 100)
    monkeypatch.setattr(choose, "_lacking", say(MISSED))
    inside = []

    def small_inside(stage: str) -> None:
        inside.append(sy.evaluate(SMALL, metrics="auc", ci="none").notes)

    assert sy.evaluate(SMALL, metrics="auc", ci="none").notes == ()
    assert sy.evaluate(LARGE, metrics="auc", ci="none", progress=small_inside).notes == (MISSED,)
    assert set(inside) == {()}
    assert sy.evaluate(SMALL, metrics="auc", ci="none").notes == ()


class Machine:
    """What Numba makes of a loop, as far as it is asked."""

    def __init__(self, loop, *, spoilt: bool) -> None:
        self.loop, self.spoilt, self.compiled = loop, spoilt, []

    def compile(self, types: tuple) -> None:
        assert choose._loading.locked()  # a process that is forked now has no machine code, and knows it
        self.compiled.append(types)
        if self.spoilt:
            raise EOFError("Ran out of input")

    def __call__(self, *arguments: object) -> object:
        assert not choose._loading.locked()
        return self.loop(*arguments)


@pytest.fixture
def machines(monkeypatch):
    import numba

    made: list[Machine] = []

    def njit(loop, *, cache: bool = False, nogil: bool) -> Machine:
        assert nogil
        made.append(Machine(loop, spoilt=cache and loop.__name__ == "spoilt"))
        return made[-1]

    monkeypatch.setattr(numba, "njit", njit)
    return made


def test_machine_code_is_made_once_for_each_type(machines):
    run = choose.compiled(lambda values: values.sum())
    assert [run(np.arange(n)) for n in (2, 3, 4)] == [1, 3, 6]
    assert run(np.array([0.5])) == 0.5
    [machine] = machines
    assert len(machine.compiled) == 2


def test_without_its_cache_a_loop_is_compiled_anew(machines):
    def spoilt(values):
        return values.sum()

    run = choose.compiled(spoilt)
    assert [run(np.arange(3)), run(np.arange(3))] == [3, 3]
    assert [len(machine.compiled) for machine in machines] == [1, 1]


def test_a_loop_that_fails_is_not_compiled_again(machines):
    run = choose.compiled(lambda values: values[5])
    for _ in range(2):
        with pytest.raises(IndexError):
            run(np.arange(3))
    assert [len(machine.compiled) for machine in machines] == [1]
