"""The types of arrays, and arrays from a caller's values."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from steelyard import processes
from steelyard.text.errors import reading
from steelyard.text.errors.forms import word

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]

T = TypeVar("T")

UNSTORED = {"stored": False}  # the metadata of a field that a saved result does not need

# the errors of objects that cannot be converted, compared or sorted: 10**400 overflows, pandas' NA has no
# truth value, a signalling NaN has no arithmetic
UNFIT_OBJECT = (TypeError, ValueError, ArithmeticError)


def read_only(value: T) -> T:
    """The value with read-only arrays that cannot be made writeable; the caller's arrays do not change.

    >>> read_only(np.zeros(2)).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    holder = Frozen()
    vars(holder)["value"] = value
    holder.__post_init__()
    return cast("T", vars(holder)["value"])


class Frozen:
    """A dataclass with read-only arrays, which several metrics share."""

    def __post_init__(self) -> None:
        held = vars(self)
        for name, value in held.items():
            if isinstance(value, np.ndarray):
                base: object = value.base
                if isinstance(base, memoryview) and base.readonly:
                    continue
                if type(value) is np.ndarray and value.dtype.kind in "biuf":
                    held[name] = np.asarray(value.data.toreadonly())
                else:  # a buffer cannot hold times and long texts
                    held[name] = value.view()
                    held[name].flags.writeable = False
            elif isinstance(value, tuple) and [part for part in value if isinstance(part, np.ndarray)]:
                parts = [read_only(part) for part in value]
                held[name] = type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        Frozen.__post_init__(self)


class Copied(Generic[T]):
    """A field of frozen data; reading it returns a copy, which for a frame is refused after a fork."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: object, _kind: type | None = None) -> T:
        if owner is None:
            raise AttributeError(self._name)  # there is no default
        held = vars(owner)[self._name]
        if not isinstance(held, dict):  # a frame
            processes.check()
        return copy(cast("T", held))

    def __set__(self, owner: object, value: T) -> None:
        vars(owner)[self._name] = value


if TYPE_CHECKING:
    once = cached_property
else:

    class once(cached_property):  # noqa: N801 - it reads like the decorator that it is
        """A cached property with read-only arrays."""

        def __get__(self, owner: Any, kind: type[Any] | None = None) -> Any:
            if owner is not None and self.attrname not in vars(owner):
                vars(owner)[self.attrname] = read_only(self.func(owner))
            return super().__get__(owner, kind)


def offsets_of(lengths: NDArray[Any]) -> Ints:
    """The offsets of parts with these lengths, and the end of the last one.

    >>> offsets_of(np.array([2, 0, 1]))
    array([0, 2, 2, 3])
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def parts_of(offsets: Ints, which: Ints) -> tuple[Ints, Ints]:
    """The entries of some parts, and the offsets of these parts among them.

    >>> parts_of(np.array([0, 2, 2, 5]), np.array([0, 2]))
    (array([0, 1, 2, 3, 4]), array([0, 2, 5]))
    """
    lengths = np.diff(offsets)[which]
    ends = offsets_of(lengths)
    return np.repeat(offsets[:-1][which] - ends[:-1], lengths) + np.arange(ends[-1]), ends


def array_of(role: str, values: Any) -> NDArray[Any]:
    """A caller's values as an array of one dimension or more; masked values are null.

    >>> array_of("label", np.ma.masked_array([1, 0], [False, True])).tolist()
    [1, None]
    """
    if np.ma.is_masked(values):
        kept = np.ma.getdata(values).astype(object)
        kept[np.ma.getmaskarray(values)] = None
        return kept
    array = numpy_of(role, values)
    if not array.ndim:
        raise reading.not_an_array(role=word(role), type=type(values).__name__)
    if array.dtype.kind == "V" and not issubclass(array.dtype.type, np.void):
        return array.astype(np.float32)  # bfloat16 and other types that NumPy does not know
    if array.dtype.kind in "cV":
        raise reading.not_numbers(role=word(role), type=array.dtype.name)
    return array


def numpy_of(role: str, values: Any) -> NDArray[Any]:
    """A caller's values as NumPy reads them; PyTorch tensors without gradient, bfloat16 as float32."""
    try:
        kind = str(getattr(values, "dtype", ""))
        if kind.startswith("torch."):
            values = values.detach()
            values = values.float() if kind.startswith(("torch.bfloat16", "torch.float8")) else values
        return np.asarray(values)
    except ValueError:
        raise reading.uneven(role, *_lengths_that_differ(values)) from None
    except Exception as error:  # of a foreign object
        raise reading.unreadable_array(role=word(role), reason=str(error).partition("\n")[0]) from None


def numbers_of(role: str, values: Any) -> NDArray[Any]:
    """A caller's values as floats; single precision stays single.

    >>> numbers_of("weight", [1, 2])
    array([1., 2.])
    """
    array = array_of(role, values)
    if array.dtype.kind == "f":
        return array if array.dtype.itemsize <= 8 else array.astype(np.float64)
    if array.dtype.kind in "mM":
        raise reading.not_numbers(role=word(role), type=array.dtype.name)
    try:
        return _exact(role, array, array.astype(np.float64))
    except UNFIT_OBJECT:
        row, value = first_not_number(array)
        raise reading.not_a_number(row=row, column=role, cell=role, value=value) from None


def _exact(role: str, integers: NDArray[Any], floats: Floats) -> Floats:
    """The floats of integers, unless one is so large that it loses a digit."""
    kind = integers.dtype
    if kind.kind in "iu" and kind.itemsize == 8:
        lowest, highest = (-(2.0**63), 2.0**63) if kind.kind == "i" else (0.0, 2.0**64)
        inside = np.where((floats >= lowest) & (floats < highest), floats, 0.0)
        lost = np.argwhere(inside.astype(kind) != integers)
        if len(lost):
            value = integers[tuple(lost[0])].item()
            raise reading.inexact_in_row(row=int(lost[0][0]), column=role, cell=role, value=value)
    return floats


def _lengths_that_differ(values: Any) -> tuple[int, int | None, int | None] | tuple[()]:
    """The first row with another length than row 0, and both lengths; None for a single value."""
    rows = values if isinstance(values, list | tuple) else ()
    lengths = [len(row) if _is_list(row) else None for row in rows]
    odd = next((at for at, length in enumerate(lengths) if length != lengths[0]), None)
    return () if odd is None else (odd, lengths[odd], lengths[0])


def _is_list(row: Any) -> bool:
    if isinstance(row, str | bytes) or hasattr(row, "nnz"):  # a sparse matrix has no len()
        return False
    return hasattr(row, "__len__") and getattr(row, "ndim", 1) > 0


def first_not_number(array: NDArray[Any]) -> tuple[int, Any]:
    """The first row with a value that is not a number, and that value; there must be one."""
    for row, values in enumerate(array.tolist()):
        for value in values if isinstance(values, list) else [values]:
            try:
                float(value)
            except UNFIT_OBJECT:
                if value is not None:  # a null is NaN
                    return row, value
    return 0, array.tolist()[0]
