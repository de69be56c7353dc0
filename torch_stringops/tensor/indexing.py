"""Indexing with torch's semantics, and functions that gather and reorder strings.

torch indexes the byte ranges, or, if possible, `offsets`, which shares `data`. Positions of a vector and masks of all
strings are used as they are. torch raises the errors for those that are out of bounds.
"""

import contextlib
import operator
from collections.abc import Callable
from types import EllipsisType, NoneType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import check_count, shape_text, wrap_dim
from torch_stringops._native import operator as operator_of
from torch_stringops._tracing import can_read, is_eager, known
from torch_stringops.tensor.ranges import move, pack, ranges, shape_after, strings_at
from torch_stringops.tensor.reshape import unsqueeze
from torch_stringops.tensor.strings import S, Strings, rank, shape

_FULL = slice(None)

_POSITIONS = (torch.int32, torch.int64)

_masked_select = operator_of("_string_masked_select")


def to_index(index: Any) -> Any:
    """Converts an item of an index to a type that torch accepts: lists, tuples and arrays become tensors."""
    if isinstance(index, (NoneType, EllipsisType, bool, int, slice, Tensor)):
        return index
    if isinstance(index, (list, tuple, range)):
        t = _list_tensor(list(index))
        return t if t.dtype is torch.bool else t.to(torch.int64)  # as torch reads lists, of NumPy's ints too
    if isinstance(index, np.bool_):
        return bool(index)
    if isinstance(index, np.ndarray):
        # In torch, uint8 is a mask; in NumPy, it holds positions.
        return torch.from_numpy(index if index.dtype == np.bool_ else index.astype(np.int64, casting="same_kind"))
    try:
        return operator.index(index)
    except TypeError:
        raise TypeError(
            "StringTensor: expected an index of ints, slices, ..., None, bool masks and integer tensors, "
            f"got {type(index).__name__}"
        ) from None


def _list_tensor(values: list[Any]) -> Tensor:
    """Converts a list of an index to a tensor."""
    try:
        return index_tensor(values)
    except (TypeError, ValueError, RuntimeError) as error:
        other = _first_other(values)
        if other is None:  # lists of different lengths, or ints that are too large, of which torch's message speaks
            raise
        at, kind = other
        raise TypeError(
            f"StringTensor: expected a list of ints or bools in an index, got {kind.__name__} at {at}"
        ) from error


def _first_other(values: Any) -> tuple[list[int], type] | None:
    """The indices and the type of the first value of nested lists that is neither a number nor a tensor."""
    if isinstance(values, (list, tuple)):
        for i, value in enumerate(values):
            if (found := _first_other(value)) is not None:
                return [i, *found[0]], found[1]
        return None
    return None if isinstance(values, (int, float, np.generic, np.ndarray, Tensor)) else ([], type(values))


def _num_axes(item: Any) -> int:
    """The number of axes that an item indexes."""
    if isinstance(item, (NoneType, EllipsisType, bool)):
        return 0
    if isinstance(item, Tensor) and item.dtype in (torch.bool, torch.uint8):
        return item.dim()
    return 1


def _expanded(index: Any, rank: int) -> list[Any]:
    """The items of an index, with full slices instead of the ellipsis and for the axes that are not indexed."""
    items = [to_index(i) for i in index] if isinstance(index, tuple) else [to_index(index)]
    missing = rank - sum(map(_num_axes, items))
    at = next((i for i, item in enumerate(items) if isinstance(item, EllipsisType)), None)
    if at is None:
        return items + [_FULL] * missing
    rest = items[at + 1 :]
    second = next((i for i, item in enumerate(rest) if isinstance(item, EllipsisType)), len(rest))
    # For torch, a second one stands for the same axes again, so that items after it are out of bounds. Of these, torch
    # ignores slices without a word, which is an error here.
    if missing and not all(isinstance(item, EllipsisType) for item in rest[second:]):
        raise IndexError("an index can only have a single ellipsis ('...') before other items")
    return items[:at] + [_FULL] * missing + [item for item in rest if not isinstance(item, EllipsisType)]


def _offsets_slice(item: Any, size: Any) -> slice | None:
    """The slice of `offsets` for a slice of the last axis (of `size` strings), or None if it is not a slice."""
    if not isinstance(item, slice) or not (item.step is None or (type(item.step) is int and item.step == 1)):
        return None
    start, stop = item.start, item.stop
    if start is None and stop is None:
        return _FULL
    start = 0 if start is None else start
    if not (isinstance(start, int) and (stop is None or isinstance(stop, int))):
        return None
    if torch.compiler.is_compiling() or not isinstance(size, int):
        # Only bounds that are known to be within the axis; others index the byte ranges.
        if not (known(start >= 0) and known(start <= size)):
            return None
        if stop is None:
            return slice(start, None)
        return slice(start, stop + 1) if known(stop >= start) else None
    start, stop, _ = slice(start, stop).indices(size)
    return slice(start, max(start, stop) + 1)


def _view(s: S, index: Any) -> S | None:
    """A fast path: the strings at an int, a slice, or an int for each axis. None for others, and if out of range."""
    offsets, kind = s._offsets, type(index)
    size = offsets.shape[-1] - 1
    if offsets.dim() == 1:
        if kind is int:
            if -size <= index < size:
                at = index % size
                return s._new(s._data, offsets[at : at + 2], True)
        elif kind is slice:
            try:
                start, stop, step = index.indices(size)
            except TypeError:
                return None
            if step == 1:
                return s._new(s._data, offsets[start : max(start, stop) + 1])
    elif kind is int or kind is slice:
        return s._new(s._data, offsets[index])
    elif kind is tuple and len(index) == offsets.dim() and all(type(i) is int for i in index):
        *leading, last = index
        if -size <= last < size:
            at = last % size
            return s._new(s._data, offsets[(*leading, slice(at, at + 2))], True)
    return None


def getitem(s: S, index: Any) -> S:
    if s._scalar:
        if isinstance(index, int) and not isinstance(index, bool):
            raise IndexError("invalid index of a 0-dim StringTensor. Use `s.item()` to convert it to a str")
        return move(s, operator.itemgetter(index if not isinstance(index, tuple) else tuple(map(to_index, index))))
    if not torch.compiler.is_compiling():
        view = _view(s, index)
        if view is not None:
            return view
        if s._offsets.dim() == 1 and _is_index_of(s, index):
            check_count("StringTensor", index.numel())
            return _at(s, index, operator.itemgetter(index))
        if _is_mask_of(s, index):
            return s._new(*_masked_select(s._data, s._offsets, index))
    elif isinstance(index, int) and not isinstance(index, bool):
        # Not by a tuple, of whose ints torch.compile makes constants.
        if s._offsets.dim() > 1:
            return s._new(s._data, s._offsets[index])
        begins, ends = ranges(s)
        return pack(s, begins[index], ends[index])
    rank = s._offsets.dim()
    items = _expanded(index, rank)
    last = items[-1]
    if isinstance(last, NoneType):  # an axis of size 1 after the others
        return unsqueeze(getitem(s, tuple(items[:-1])), -1)
    for item in items:
        if isinstance(item, Tensor):
            check_count("StringTensor", item.numel())
    if isinstance(last, slice) and sum(map(_num_axes, items)) == rank:
        taken = _offsets_slice(last, s._offsets.shape[-1] - 1)
        if isinstance(taken, slice):
            return s._new(s._data, _rows(s._offsets, (*items[:-1], taken)))
    if rank == len(items) == 1 and _is_index_of(s, last):
        return _at(s, last, operator.itemgetter(last))
    if len(items) == 1 and _is_mask_of(s, last):
        return s._new(*_masked_select(s._data, s._offsets, last))
    key = last if len(items) == 1 else tuple(items)
    begins, ends = ranges(s)
    return pack(s, begins[key], ends[key])


def _rows(offsets: Tensor, items: tuple[Any, ...]) -> Tensor:
    """Indexes rows of `offsets`."""
    index = items[0]
    if isinstance(index, Tensor) and all(item is _FULL for item in items[1:]) and can_read(offsets):
        if index.dtype is torch.bool and list(index.shape) == [offsets.shape[0]]:
            index = index.nonzero().squeeze(1)
        if index.dtype in _POSITIONS and index.dim() == 1:
            # It copies whole rows, but rejects negative positions, and its errors do not name the axis.
            with contextlib.suppress(IndexError, RuntimeError):
                return offsets.index_select(0, index)
    return offsets[items]


def _is_index_of(s: Strings, index: Any) -> bool:
    """Whether an index consists of positions. Of a single one, the string shares `data`."""
    return (
        isinstance(index, Tensor) and index.dtype in _POSITIONS and index.dim() >= 1 and index.device == s._data.device
    )


def _is_mask_of(s: Strings, mask: Any) -> bool:
    """Whether `mask` is bool, with an element for each string."""
    return (
        isinstance(mask, Tensor)
        and mask.dtype is torch.bool
        and mask.device == s._data.device
        and mask.dim() == rank(s) >= 1
        and all(known(a == b) for a, b in zip(mask.shape, shape(s), strict=True))
    )


def _at(s: S, positions: Tensor, fn: Callable[[Tensor], Tensor]) -> S:
    """The strings at positions of the flattened tensor; `fn` raises torch's error if one is out of bounds."""
    if not can_read(positions):
        return strings_at(s, positions)
    try:
        return strings_at(s, positions)
    except (IndexError, RuntimeError):  # RuntimeError since torch 2.15
        return move(s, fn)


def index_tensor(values: Any) -> Tensor:
    """Converts a sequence of ints or bools to a tensor on the CPU, regardless of the default device."""
    if type(values) is list and values and is_eager():
        # torch takes 80 ns for each int, native code 5.
        ints = _convert.int64_bytes(values)
        if ints is not None:
            return torch.frombuffer(ints, dtype=torch.int64)
    return torch.as_tensor(values, device=None if isinstance(values, Tensor) else "cpu")


def select(s: S, dim: int, index: Any) -> S:
    if s._scalar:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    if isinstance(index, Tensor):
        if index.numel() != 1 or index.is_floating_point() or index.is_complex():
            raise TypeError(
                "select: expected `index` to be an int, or a tensor of one, "
                f"got {index.dtype} of shape {shape_text(index)}"
            )
        index = index.reshape(()).long()  # it must not add axes, nor be a mask
    elif isinstance(index, bool) or not isinstance(index, (int, torch.SymInt)):
        index = int(operator.index(index))  # a bool in an index would be a mask
    dim = wrap_dim(dim, rank(s))
    if dim == 0:
        return getitem(s, index if type(index) is int else (index,))
    if dim == rank(s) - 1 and not isinstance(index, Tensor):
        begins, ends = ranges(s)
        return pack(s, begins.select(dim, index), ends.select(dim, index))
    return getitem(s, (_FULL,) * dim + (index,))


def narrow(s: S, dim: int, start: Any, length: Any) -> S:
    if s._scalar:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, rank(s))
    if dim == rank(s) - 1 and type(start) is int and type(length) is int and can_read(s._offsets):
        size = s._offsets.shape[-1] - 1
        if 0 <= start <= size and 0 <= length <= size - start:
            return s._new(s._data, s._offsets.narrow(dim, start, length + 1))
    if dim < rank(s) - 1:
        return s._new(s._data, s._offsets.narrow(dim, start, length))
    shape_after(s, lambda t: t.narrow(dim, start, length))  # torch's checks
    start = start + shape(s)[dim] if start < 0 else start
    return s._new(s._data, s._offsets.narrow(dim, start, length + 1))


def index_select(s: S, dim: int, index: Any) -> S:
    _check_index("index_select", index)
    if not s._scalar and wrap_dim(dim, rank(s)) != rank(s) - 1:
        return s._new(s._data, s._offsets.index_select(dim, index))
    # index_select rejects negative positions.
    if rank(s) == 1 and _is_index_of(s, index) and index.dim() == 1 and can_read(index) and not (index < 0).any():
        return _at(s, index, lambda t: t.index_select(dim, index))
    return move(s, lambda t: t.index_select(dim, index))


def masked_select(s: S, mask: Any) -> S:
    if _is_mask_of(s, mask):
        return s._new(*_masked_select(s._data, s._offsets, mask))
    return move(s, lambda t: t.masked_select(mask))


def take(s: S, index: Any) -> S:
    _check_index("take", index)
    if _is_index_of(s, index) and index.dtype is torch.int64:
        return _at(s, index, lambda t: t.take(index))
    return move(s, lambda t: t.take(index))


def gather(s: S, dim: int, index: Any) -> S:
    _check_index("gather", index)
    return move(s, lambda t: t.gather(dim, index))


def take_along_dim(s: S, indices: Any, dim: int | None) -> S:
    return move(s, lambda t: torch.take_along_dim(t.contiguous(), indices, dim))


def flip(s: S, dims: list[Any]) -> S:
    axes = [wrap_dim(d, rank(s)) for d in dims]
    if s._scalar or rank(s) - 1 in axes:
        return move(s, lambda t: t.flip(axes))
    return s._new(s._data, s._offsets.flip(axes))


def roll(s: S, shifts: Any, dims: Any) -> S:
    return move(s, lambda t: t.roll(shifts, dims))


def diagonal(s: S, offset: int, dim1: int, dim2: int) -> S:
    return move(s, lambda t: t.diagonal(offset, dim1, dim2))


def _check_index(op: str, index: Any) -> None:
    """Limits the size of an index, which a stride of 0 leaves unlimited. torch rejects other types than tensors."""
    if isinstance(index, Tensor):
        check_count(op, index.numel())
