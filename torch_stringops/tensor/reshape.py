"""Functions that change the shape, permute axes or repeat strings, with torch's arguments."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import check_count, check_shape, check_storage, wrap_dim
from torch_stringops._tracing import Size, can_read, known
from torch_stringops.tensor.ranges import (
    check_copies,
    contiguous_offsets,
    move,
    pack,
    ranges,
    shape_after,
    strings_at,
)
from torch_stringops.tensor.strings import S, cat_op, numel, rank, shape

# The number of strings up to which positions are gathered faster than byte ranges are. It is less than that up to which
# `check_shape` and `check_copies` accept any shape without axes of size 0.
_FEW = 2**12

# The number of copies up to which a list of them is concatenated faster than byte ranges are gathered.
_FEW_COPIES = 32


def reshape(s: S, sizes: list[Size]) -> S:
    new = _inferred(numel(s), sizes) if can_read(s._offsets) else None
    return reshaped(s, shape_after(s, lambda t: t.reshape(sizes)) if new is None else new)


def _inferred(count: int, sizes: list[Any]) -> list[int] | None:
    """The shape of `count` elements after `reshape`, or None for sizes that torch checks."""
    if not all(type(size) is int and size >= -1 for size in sizes) or sizes.count(-1) > 1:
        return None
    others = math.prod(size for size in sizes if size >= 0)
    if -1 not in sizes:
        return sizes if others == count else None
    return [count // others if size == -1 else size for size in sizes] if others and count % others == 0 else None


def reshaped(s: S, new: list[Size]) -> S:
    """Reshapes `s` to the shape `new`, without -1. Shares `data` if the bytes are in that order."""
    check_shape("reshape", new)
    old, offsets = shape(s), s._offsets
    if new == old and can_read(offsets):
        return s._new(s._data, offsets, s._scalar)
    if s._scalar:  # all new sizes are 1
        return s._new(s._data, offsets.reshape([*new[:-1], 2] if new else [2]), not new)
    if not new:
        return s._new(s._data, offsets.reshape(-1, 2)[0] if offsets.dim() > 1 else offsets, True)
    if known(numel(s) == 0):
        return s._new(s._data, offsets.new_zeros([*new[:-1], new[-1] + 1]))
    if known(new[-1] == old[-1]):
        return s._new(s._data, offsets.reshape([*new[:-1], new[-1] + 1]))
    if can_read(offsets) and offsets.is_cpu and offsets.dtype is torch.int32:
        rows = _reshaped_offsets(offsets, new)
        if rows is not None:
            return s._new(s._data, rows)
    begins, ends = offsets[..., :-1].reshape(new), offsets[..., 1:].reshape(new)
    # The strings of a row of `offsets` are adjacent; different rows need not be.
    if known(new[-1] >= 1) and (
        offsets.dim() == 1
        or known(old[-1] % new[-1] == 0)
        or (can_read(offsets) and torch.equal(begins[..., 1:], ends[..., :-1]))
    ):
        return s._new(s._data, contiguous_offsets(begins, ends))
    return pack(s, begins, ends)


def _reshaped_offsets(offsets: Tensor, new: list[int]) -> Tensor | None:
    """The offsets of strings of the shape `new`. None if strings of a row of it are not adjacent."""
    check_storage("reshape", "offsets", offsets)
    offsets = offsets.contiguous()
    out = offsets.new_empty([*new[:-1], new[-1] + 1])
    cols = offsets.shape[-1] - 1
    args = offsets.data_ptr(), offsets.numel(), cols, out.data_ptr(), out.numel(), new[-1]
    return out if _convert.reshape_offsets(*args) else None


def flatten(s: S, start_dim: int, end_dim: int) -> S:
    return reshaped(s, shape_after(s, lambda t: t.flatten(start_dim, end_dim)))


def unflatten(s: S, dim: int, sizes: Any) -> S:
    return reshaped(s, shape_after(s, lambda t: t.unflatten(dim, sizes)))


def squeeze(s: S, dim: Any) -> S:
    axes = rank(s)
    if dim is None:
        dims = list(range(axes))
    else:
        dims = [wrap_dim(d, axes) for d in (dim if isinstance(dim, (list, tuple)) else (dim,))]
        if len(set(dims)) < len(dims):
            raise RuntimeError("squeeze: a dim appears multiple times in the list of dims")
    return reshaped(s, [size for d, size in enumerate(shape(s)) if not (d in dims and known(size == 1))])


def unsqueeze(s: S, dim: int) -> S:
    dim = wrap_dim(dim, rank(s) + 1)
    if dim == rank(s):
        if not s._scalar and can_read(s._offsets):
            return reshaped(s, [*shape(s), 1])
        return s._new(s._data, torch.stack(ranges(s), dim=-1))
    return s._new(s._data, s._offsets.unsqueeze(dim))


def permute(s: S, order: list[Any]) -> S:
    if not (can_read(s._offsets) and _axes(order, rank(s)) and len(order) == rank(s)):
        shape_after(s, lambda t: t.permute(order))  # torch's checks
    return _permuted(s, order)


def _axes(dims: Sequence[Any], rank: int) -> list[int] | None:
    """The distinct axes `dims` of at least one, or None for others, which torch checks."""
    if not dims or not all(type(d) is int and -rank <= d < rank for d in dims):
        return None
    axes = [d % rank for d in dims]
    return axes if len(set(axes)) == len(axes) else None


def _permuted(s: S, order: list[int]) -> S:
    last = rank(s) - 1
    if order and order[-1] % (last + 1) == last:
        return s._new(s._data, s._offsets.permute(order))
    if s._scalar or not can_read(s._offsets):
        return move(s, lambda t: t.permute(order))
    offsets = s._offsets.permute(order)
    at = order.index(last) if last in order else order.index(-1)
    before = (slice(None),) * at
    return pack(s, offsets[(*before, slice(None, -1))], offsets[(*before, slice(1, None))])


def transpose(s: S, dim0: int, dim1: int) -> S:
    a, b = wrap_dim(dim0, rank(s)), wrap_dim(dim1, rank(s))
    order = list(range(rank(s)))
    if order:
        order[a], order[b] = order[b], order[a]
    return _permuted(s, order)


def reversed_axes(s: S) -> S:
    return _permuted(s, list(range(rank(s)))[::-1])


def t(s: S) -> S:
    if rank(s) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank(s)}D")
    return reversed_axes(s)


def mT(s: S) -> S:
    if rank(s) == 1:
        raise RuntimeError("mT needs at least 2 dimensions, got 1")
    return transpose(s, -2, -1) if rank(s) else s


def movedim(s: S, source: Any, destination: Any) -> S:
    if can_read(s._offsets):
        given = [dims if isinstance(dims, (list, tuple)) else (dims,) for dims in (source, destination)]
        sources, places = (_axes(dims, rank(s)) for dims in given)
        if sources and places and len(sources) == len(places) and type(source) is type(destination):
            order = [d for d in range(rank(s)) if d not in sources]
            for place, axis in sorted(zip(places, sources, strict=True)):
                order.insert(place, axis)
            return _permuted(s, order)
    # torch computes the order: axis i of this tensor has size i + 1.
    numbered = s._offsets.new_empty(()).expand(list(range(1, rank(s) + 1)))
    return permute(s, [int(size) - 1 for size in numbered.movedim(source, destination).shape])


def expand(s: S, sizes: list[Size]) -> S:
    new = _expanded(shape(s), sizes) if can_read(s._offsets) else None
    if new is None:
        new = shape_after(s, lambda t: t.expand(sizes))  # torch's checks
        for dim, size in enumerate(new):
            if type(size) is int and size < 0:  # torch accepts it for rank 0
                raise RuntimeError(
                    f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {dim}"
                )
    few = 0 < math.prod(new) <= _FEW if can_read(s._offsets) else False
    if not few:
        check_shape("expand", new)
    if not s._scalar and known(new[-1] == s._offsets.shape[-1] - 1):
        return s._new(s._data, s._offsets.expand([*new[:-1], new[-1] + 1]))
    # The last axis has size 1, or the rank is 0.
    if few:
        if s._scalar and new:
            return strings_at(s, s._offsets.new_zeros(new))
        return move(s, lambda t: t.expand(new))
    if can_read(s._offsets):
        check_copies("expand", s, math.prod(new) // max(numel(s), 1))
    return move(s, lambda t: t.expand(new))


def _expanded(old: list[int], sizes: list[Any]) -> list[int] | None:
    """The shape after `expand`, or None for sizes that torch checks."""
    leading = len(sizes) - len(old)
    if leading < 0 or not all(type(size) is int and size >= -1 for size in sizes) or -1 in sizes[:leading]:
        return None
    last = [had if size == -1 else size for had, size in zip(old, sizes[leading:], strict=True)]
    if any(had not in (1, size) for had, size in zip(old, last, strict=True)):
        return None
    return sizes[:leading] + last


def repeat(s: S, times: list[Any]) -> S:
    if can_read(s._offsets):
        counts = [int(n) for n in times]
        if any(n < 0 for n in counts):
            raise RuntimeError(f"repeat: expected counts of at least 0, got {counts}")
        if len(counts) == rank(s) == 1 and 1 < counts[0] <= _FEW_COPIES and s._offsets.is_cpu:
            return s._new(*cat_op([s._data, s._offsets] * counts[0], [-1], "repeat"))
        sizes = [1] * (len(counts) - rank(s)) + shape(s)
        check_shape("repeat", [n * size for n, size in zip(counts, sizes, strict=False)])
        check_copies("repeat", s, math.prod(counts))
    if not s._scalar and len(times) >= rank(s) and isinstance(times[-1], int) and times[-1] == 1:
        return s._new(s._data, s._offsets.repeat(times))
    return move(s, lambda t: t.repeat(times))


def tile(s: S, times: list[Any]) -> S:
    return repeat(s, [1] * max(0, rank(s) - len(times)) + times)


def repeat_interleave(s: S, repeats: Any, dim: int | None) -> S:
    if isinstance(repeats, (int, np.integer)):
        check_copies("repeat_interleave", s, repeats)
    elif isinstance(repeats, Tensor) and can_read(s._offsets) and can_read(repeats) and repeats.numel():
        if int(repeats.min()) < 0:
            raise RuntimeError("repeat_interleave: repeats can not be negative")
        slices = numel(s) if dim is None or s._scalar else shape(s)[wrap_dim(dim, rank(s))]
        # float64, since a sum of int64 may overflow, for which torch writes out of bounds.
        total = int(repeats.sum(dtype=torch.float64))
        count = total * (slices if repeats.numel() == 1 else 1)
        check_count("repeat_interleave", count * numel(s) // max(slices, 1))
    return move(s, lambda t: t.repeat_interleave(repeats, dim))
