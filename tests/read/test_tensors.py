"""PyTorch tensors that NumPy does not read by itself: with a gradient, or of a type that NumPy lacks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.read import row_arrays

SCORES, LABELS = [0.1, 0.9, 0.4, 0.6], [0, 1, 0, 1]
MATRIX, RELEVANT = [[0.1, 0.9, 0.5], [0.7, 0.2, 0.1]], [[0, 0, 1], [1, 0, 0]]


class Tensor:
    """The part of `torch.Tensor` that is read, with the errors of PyTorch 2.13."""

    def __init__(self, values, dtype="torch.float32", *, requires_grad=False, device="cpu"):
        self.values = np.array(values, np.float32)
        self.dtype, self.requires_grad, self.device = dtype, requires_grad, device

    @property
    def ndim(self):
        return self.values.ndim

    @property
    def shape(self):
        return self.values.shape

    def __len__(self):
        return len(self.values)

    def detach(self):
        return Tensor(self.values, self.dtype, device=self.device)

    def float(self):
        return Tensor(self.values, requires_grad=self.requires_grad, device=self.device)

    def __array__(self, *_args, **_kwargs):
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.device != "cpu":
            raise TypeError(f"can't convert {self.device} device type tensor to numpy.")
        if self.dtype not in ("torch.float16", "torch.float32"):
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return self.values.astype(self.dtype.removeprefix("torch."))


@pytest.fixture(params=["torch.float32", "torch.bfloat16", "torch.float8_e4m3fn"])
def tensor(request):
    """What makes a tensor with a gradient, of each type."""

    def made(values):
        return Tensor(values, request.param, requires_grad=True)

    return made


def test_rows(tensor):
    assert sy.evaluate(tensor(SCORES), LABELS, "auc")["auc"] == 1.0
    assert sy.evaluate(SCORES, tensor(LABELS), "auc", weights=tensor([1, 2, 3, 4]))["auc"] == 1.0
    assert sy.metric("auc").of(predictions=tensor(SCORES), truth=tensor(LABELS)) == 1.0
    probabilities = tensor([[0.2, 0.8], [0.6, 0.4]])
    assert sy.evaluate(probabilities, [1, 0], "top_accuracy@1")["top_accuracy@1"] == 1.0


def test_matrices(tensor):
    assert sy.evaluate(tensor(MATRIX), tensor(RELEVANT), "mrr")["mrr"] == (1 / 2 + 1) / 2
    masked = np.ma.masked_array(RELEVANT, np.zeros((2, 3)))
    masked[0, 0] = np.ma.masked  # read cell by cell
    assert sy.evaluate(tensor(MATRIX), masked, "mrr")["mrr"] == (1 / 2 + 1) / 2


def test_what_metrics_of_lists_read(tensor):
    shown = sy.evaluate(tensor(MATRIX), metrics="coverage@1", catalog=[0, 1, 2])
    assert shown["coverage@1"] == pytest.approx(2 / 3)
    lists = {0: [0, 1], 1: [1]}
    for name, metric, table in [
        ("history", "novelty@1", [[1, 0, 1], [1, 1, 0]]),
        ("features", "diversity@2", MATRIX),
    ]:
        given, wanted = (
            sy.evaluate(lists, metrics=metric, **{name: (one, [0, 1]) if name == "features" else one})
            for one in (tensor(table), np.array(table, np.float32))
        )
        assert given[metric] == wanted[metric]


@pytest.mark.parametrize("dtype", ["torch.bfloat16", "torch.float8_e5m2"])
def test_without_a_gradient(dtype):
    assert sy.evaluate(Tensor(SCORES, dtype), LABELS, "auc")["auc"] == 1.0


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [("torch.float16", pl.Float16), ("torch.float32", pl.Float32), ("torch.bfloat16", pl.Float32)],
)
def test_precision(dtype, kept):
    scores = Tensor(SCORES, dtype, requires_grad=True)
    assert row_arrays(scores, LABELS, numbers=True).frame["score"].dtype == kept


def test_the_caller_s_tensor_keeps_its_gradient():
    scores = Tensor(SCORES, requires_grad=True)
    sy.evaluate(scores, LABELS, "auc")
    assert scores.requires_grad


@pytest.mark.parametrize(("values", "truth"), [(SCORES, LABELS), (MATRIX, RELEVANT)])
def test_another_device_is_one_clear_error(values, truth):
    metric = "auc" if truth is LABELS else "mrr"
    with pytest.raises(sy.SteelyardError, match="predictions cannot be read as an array: .* cuda:0 device"):
        sy.evaluate(Tensor(values, device="cuda:0"), np.array(truth), metric)
