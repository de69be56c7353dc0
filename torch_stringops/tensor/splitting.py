"""Chunks of strings along an axis, which share `data`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import wrap_dim
from torch_stringops._tracing import can_read
from torch_stringops.tensor.indexing import getitem
from torch_stringops.tensor.ranges import shape_after
from torch_stringops.tensor.reshape import movedim
from torch_stringops.tensor.strings import S, Strings, rank, shape


def chunks_of(s: S, sizes: list[Any], axis: int) -> list[S]:
    """Chunks of these sizes, which sum to the size of `axis`. They share `data`."""
    data, offsets, new = s._data, s._offsets, s._new
    if not sizes:
        return []
    if axis != offsets.dim() - 1:
        return [new(data, chunk) for chunk in offsets.split_with_sizes(sizes, axis)]
    chunks: list[S] = []
    start: Any = 0
    if len(sizes) > 2 and not torch.compiler.is_compiling() and sizes[0] > 0 and len(set(sizes[:-1])) == 1:
        # A single call for chunks of equal size, whose windows of offsets overlap by one; the last size may differ.
        size, count = sizes[0], len(sizes) - 1
        windows = offsets.narrow(axis, 0, size * count + 1).unfold(axis, size + 1, size)
        chunks = [new(data, chunk) for chunk in windows.unbind(axis)]
        start, sizes = size * count, sizes[count:]
    for size in sizes:
        chunks.append(new(data, offsets.narrow(axis, start, size + 1)))
        start = start + size
    return chunks


def split_as(s: S, dim: int, fn: Callable[[Tensor], Any]) -> list[S]:
    """Splits axis `dim` into the chunks that `fn` returns for a tensor of the same shape."""
    last = rank(s) - 1
    if type(dim) is int and (0 <= dim < last or -last <= dim + 1 <= -1) and can_read(s._offsets):
        return [s._new(s._data, offsets) for offsets in fn(s._offsets)]
    shapes = [chunk.shape for chunk in fn(s._offsets.new_empty(()).expand(shape(s)))]
    axis = wrap_dim(dim, rank(s))
    return chunks_of(s, [chunk_shape[axis] for chunk_shape in shapes], axis)


def _size_of(s: Strings, dim: Any, count: Any) -> int:
    """The size of the last axis if `dim` is that axis and `count` of chunks is positive. 0 for others."""
    if type(count) is int and type(dim) is int and count > 0 and not s._scalar and can_read(s._offsets):
        axes = s._offsets.dim()
        if dim in (axes - 1, -1) and count <= s._offsets.shape[-1]:
            return s._offsets.shape[-1] - 1
    return 0


def chunk(s: S, count: Any, dim: int) -> list[S]:
    """Splits into chunks of equal size, of which the last may be smaller; `count` of them, or fewer."""
    if size := _size_of(s, dim, count):
        return _chunks_of_size(s, -(-size // count), size)
    return split_as(s, dim, lambda t: t.chunk(count, dim))


def split_by(s: S, by: Any, dim: int) -> list[S]:
    """Splits into chunks of `by` strings, of which the last may be smaller, or of the sizes `by`."""
    if type(by) is int and by > 0 and (size := _size_of(s, dim, 1)):
        return _chunks_of_size(s, by, size)
    return split_as(s, dim, lambda t: t.split(by, dim))


def _chunks_of_size(s: S, step: int, size: int) -> list[S]:
    """Chunks of `step` strings of the last axis, of `size` strings, and one of the rest."""
    rest = size % step
    return chunks_of(s, [step] * (size // step) + ([rest] if rest else []), s._offsets.dim() - 1)


def split_with_sizes(s: S, sizes: Any, dim: int) -> list[S]:
    if isinstance(sizes, (list, tuple)) and all(type(size) is int and size >= 0 for size in sizes):
        total = _size_of(s, dim, 1)
        if total and sum(sizes) == total:
            return chunks_of(s, list(sizes), s._offsets.dim() - 1)
    return split_as(s, dim, lambda t: t.split_with_sizes(sizes, dim))


def tensor_split(s: S, indices_or_sections: Any, dim: int) -> list[S]:
    """Splits into a number of chunks, or at indices, which need not be sorted."""
    given = indices_or_sections
    if not isinstance(given, (list, tuple)) and not (isinstance(given, Tensor) and given.dim()):
        if size := _size_of(s, dim, given):
            least, larger = divmod(size, given)
            return chunks_of(s, [least + 1] * larger + [least] * (given - larger), s._offsets.dim() - 1)
        return split_as(s, dim, lambda t: t.tensor_split(given, dim))
    if isinstance(given, Tensor) or not (_size_of(s, dim, 1) and all(type(i) is int and abs(i) < 2**31 for i in given)):
        shape_after(s, lambda t: t.tensor_split(given, dim)[0])  # torch's checks
    indices = given.tolist() if isinstance(given, Tensor) else given
    before = (slice(None),) * wrap_dim(dim, rank(s))
    starts, ends = [0, *indices], [*indices, None]
    return [getitem(s, (*before, slice(a, b))) for a, b in zip(starts, ends, strict=True)]


def unbind(s: S, dim: int) -> list[S]:
    dim = wrap_dim(dim, rank(s))
    if s._scalar:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if dim != rank(s) - 1:
        return [s._new(s._data, offsets) for offsets in s._offsets.unbind(dim)]
    if s._offsets.shape == (1,):
        return []
    if rank(s) == 1:
        return [s._new(s._data, pair, True) for pair in s._offsets.unfold(0, 2, 1).unbind(0)]
    return unbind(movedim(s, -1, 0), 0)
