"""`s[index]` with torch's semantics: torch indexes the byte ranges, or `offsets` where that is enough."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._layout import check_count, index_tensor, known, move

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor

_FULL = slice(None)


def to_index(index: Any) -> Any:
    """One item of an index, as torch takes it: lists, tuples and arrays become tensors."""
    if index is None or index is Ellipsis or isinstance(index, (bool, int, slice, Tensor)):
        return index
    if isinstance(index, (list, tuple, range)):
        t = index_tensor(list(index))
        return t if t.dtype is torch.bool else t.to(torch.int64)  # as torch reads lists, of NumPy's ints too
    if isinstance(index, np.bool_):
        return bool(index)
    if isinstance(index, np.ndarray):
        # To torch uint8 is a mask, to NumPy ints like others.
        return torch.from_numpy(
            index if index.dtype == np.bool_ else index.astype(np.int64, casting="same_kind")
        )
    try:
        return operator.index(index)
    except TypeError:
        raise TypeError(
            "StringTensor: expected an index of ints, slices, ..., None, bool masks and integer tensors, "
            f"got {type(index).__name__}"
        ) from None


def _num_axes(item: Any) -> int:
    """How many axes an item takes away."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item.dtype in (torch.bool, torch.uint8):
        return item.dim()
    return 1


def _spelled_out(index: Any, rank: int) -> list[Any]:
    """The items of an index, its ellipsis (or its silence about the last axes) replaced by full slices."""
    items = [to_index(i) for i in index] if isinstance(index, tuple) else [to_index(index)]
    missing = rank - sum(map(_num_axes, items))
    at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    if at is None:
        return items + [_FULL] * missing
    if any(item is Ellipsis for item in items[at + 1 :]):
        raise IndexError("an index can only have a single ellipsis ('...')")
    return items[:at] + [_FULL] * missing + items[at + 1 :]


def _offsets_slice(item: Any, size: Any) -> slice | None:
    """The slice of `offsets` for a slice of the last axis (of `size` strings), None where there is none."""
    if not isinstance(item, slice) or not (item.step is None or (type(item.step) is int and item.step == 1)):
        return None
    start, stop = item.start, item.stop
    if start is None and stop is None:
        return _FULL
    start = 0 if start is None else start
    if not (isinstance(start, int) and (stop is None or isinstance(stop, int))):
        return None
    if torch.compiler.is_compiling() or not isinstance(size, int):
        # Bounds that certainly lie in the axis; others go through the byte ranges.
        if not (known(start >= 0) and known(start <= size)):
            return None
        if stop is None:
            return slice(start, None)
        return slice(start, stop + 1) if known(stop >= start) else None
    start, stop, _ = slice(start, stop).indices(size)
    return slice(start, max(start, stop) + 1)


def getitem(s: StringTensor, index: Any) -> StringTensor:
    if s._scalar:
        if isinstance(index, int) and not isinstance(index, bool):
            raise IndexError("invalid index of a 0-dim StringTensor. Use `s.item()` to convert it to a str")
        return move(
            s, operator.itemgetter(index if not isinstance(index, tuple) else tuple(map(to_index, index)))
        )
    rank = s.offsets.dim()
    if rank == 1 and type(index) is int and not torch.compiler.is_compiling():
        size = s.offsets.shape[0] - 1
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {size}")
        index = index % size
        return s._new(s.data, s.offsets[index : index + 2], scalar=True)
    items = _spelled_out(index, rank)
    last = items[-1]
    for item in items:
        if isinstance(item, Tensor):
            check_count("StringTensor", item.numel())
    used = sum(map(_num_axes, items))
    if used == rank and isinstance(last, slice):
        taken = _offsets_slice(last, s.offsets.shape[-1] - 1)
        if taken is not None:
            return s._new(s.data, s.offsets[(*items[:-1], taken)])
    return move(s, operator.itemgetter(tuple(items)))
