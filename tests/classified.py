"""Rows of classes from plain arrays, read by the door that callers use; further fields as they are given."""

from __future__ import annotations

from dataclasses import replace

from steelyard.engine.protocol import Need
from steelyard.engine.rows import states_of_arrays


def of_labels(labels, predicted, *, classes=None, weight=None, **fields):
    states = states_of_arrays(predicted, labels, numbers=False, classes=classes, weights=weight)
    return replace(states.state(Need(reads="classes", metric="a test", several_labels=True)), **fields)


def of_matrices(truth, said, *, scores=False, weight=None, **fields):
    reads = "scores" if scores else "classes"
    states = states_of_arrays(said, truth, numbers=False, weights=weight)
    return replace(states.state(Need(reads=reads, metric="a test", several_labels=True)), **fields)


of_probabilities = of_labels  # a matrix, with a column for each class
