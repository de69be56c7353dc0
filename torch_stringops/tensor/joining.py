"""Concatenation and selection: cat, stack, where and related functions.

For inputs that share `data`, such as chunks of one tensor, only the offsets are concatenated. Otherwise the buffers are
concatenated too. Outside of tracing, each is made compact before, so that a small slice of a large buffer stays small.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import MAX_BYTES, check_bytes, check_count, wrap_dim
from torch_stringops._tracing import can_read, known
from torch_stringops.tensor.ranges import (
    S,
    Strings,
    compact,
    num_bytes,
    numel,
    pack,
    ranges,
    rank,
    shape,
    validate,
)
from torch_stringops.tensor.reshape import reshape, unsqueeze


def _one_buffer(op: str, tensors: Sequence[Strings]) -> tuple[Tensor, list[Tensor]]:
    """A single `data` for all tensors, and their offsets into it."""
    first = tensors[0]
    if all(t.data is first.data for t in tensors):
        return first.data, [t.offsets for t in tensors]
    if all(can_read(t.offsets) for t in tensors):
        # An upper bound first: rows may overlap, so that each has all bytes of `data`.
        if sum(t.data.shape[0] * math.prod(t.offsets.shape[:-1]) for t in tensors) > MAX_BYTES:
            check_bytes(op, sum(map(num_bytes, tensors)))
        tensors = [compact(t) for t in tensors]
    total: Any = tensors[0].data.shape[0]
    offsets = [tensors[0].offsets]
    for t in tensors[1:]:
        offsets.append(t.offsets + total)
        total = total + t.data.shape[0]
    # After the additions above, which may overflow: the result is discarded if this fails.
    check_bytes(op, total)
    if torch.compiler.is_compiling():
        torch._check(total <= MAX_BYTES)
    return torch.cat([t.data for t in tensors]), offsets


def cat(tensors: Sequence[S], dim: int, op: str = "cat") -> S:
    first, ndim = tensors[0], rank(tensors[0])
    for i, t in enumerate(tensors):
        if rank(t) == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if rank(t) != ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {ndim} and {rank(t)}")
    dim = wrap_dim(dim, ndim)
    for i, t in enumerate(tensors):
        for d, (expected, size) in enumerate(zip(shape(first), shape(t), strict=True)):
            if d != dim and known(size != expected):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. "
                    f"Expected size {expected} but got size {size} for tensor number {i} in the list."
                )
    if len(tensors) == 1:
        return first._new(first.data.detach(), first.offsets.detach())
    if not torch.compiler.is_compiling():
        check_count(op, sum(numel(t) for t in tensors))
    data, offsets = _one_buffer(op, tensors)
    if dim < ndim - 1:
        return first._new(data, torch.cat(offsets, dim))
    if dim == 0 and data is not first.data and can_read(data):
        # For adjacent compact vectors, the last offset of each is the first of the next.
        return first._new(data, torch.cat([*(o[:-1] for o in offsets[:-1]), offsets[-1]]))
    return pack(
        first,
        torch.cat([o[..., :-1] for o in offsets], dim),
        torch.cat([o[..., 1:] for o in offsets], dim),
        data,
    )


def stack(tensors: Sequence[S], dim: int) -> S:
    first = tensors[0]
    dim = wrap_dim(dim, rank(first) + 1)
    for i, t in enumerate(tensors):
        if rank(t) != rank(first) or any(known(a != b) for a, b in zip(shape(t), shape(first), strict=True)):
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {shape(first)} at entry 0 "
                f"and {shape(t)} at entry {i}"
            )
    if first._scalar:
        return _stack_scalars(tensors)
    return cat([unsqueeze(t, dim) for t in tensors], dim, "stack")


def _stack_scalars(tensors: Sequence[S]) -> S:
    """The case of collating samples of a dataset, optimized for many tensors."""
    first = tensors[0]
    if all(t.data is first.data for t in tensors):
        pairs = torch.stack([t.offsets for t in tensors])
        return pack(first, pairs[:, 0], pairs[:, 1])
    if not all(can_read(t.offsets) for t in tensors):
        return cat([unsqueeze(t, 0) for t in tensors], 0, "stack")
    pieces, ends = [], [0]
    for t in tensors:
        begin, end = t.offsets.tolist()
        if not 0 <= begin <= end <= len(t.data):
            validate(t)
        pieces.append(t.data[begin:end])
        ends.append(ends[-1] + end - begin)
    check_bytes("stack", ends[-1])
    offsets = torch.tensor(ends, dtype=torch.int32, device=first.data.device)
    return first._new(torch.cat(pieces), offsets)


def at_least(ndim: int, t: S) -> S:
    """`torch.atleast_1d`, `atleast_2d` and `atleast_3d`."""
    if ndim >= 1 and t._scalar:
        t = reshape(t, [1])
    if ndim >= 2 and rank(t) == 1:
        t = unsqueeze(t, 0)
    return unsqueeze(t, -1) if ndim >= 3 and rank(t) == 2 else t


def hstack(tensors: Sequence[S], op: str = "hstack") -> S:
    tensors = [at_least(1, t) for t in tensors]
    return cat(tensors, 0 if rank(tensors[0]) == 1 else 1, op)


def vstack(tensors: Sequence[S]) -> S:
    return cat([at_least(2, t) for t in tensors], 0, "vstack")


def dstack(tensors: Sequence[S]) -> S:
    return cat([at_least(3, t) for t in tensors], 2, "dstack")


def column_stack(tensors: Sequence[S]) -> S:
    return hstack([t if rank(t) > 1 else reshape(t, [-1, 1]) for t in tensors], "column_stack")


def where(condition: Any, input: S, other: S, op: str = "where", condition_name: str = "condition") -> S:
    if not isinstance(condition, Tensor) or condition.dtype is not torch.bool:
        got = condition.dtype if isinstance(condition, Tensor) else type(condition).__name__
        raise TypeError(f"{op}: expected `{condition_name}` to be a bool tensor, got {got}")
    if not torch.compiler.is_compiling() and condition.numel() * numel(input) * numel(other) > MAX_BYTES:
        check_count(op, math.prod(torch.broadcast_shapes(condition.shape, shape(input), shape(other))))
    data, (offsets, other_offsets) = _one_buffer(op, [input, other])
    b, e = ranges(input._new(data, offsets, input._scalar))
    c, f = ranges(other._new(data, other_offsets, other._scalar))
    return pack(input, torch.where(condition, b, c), torch.where(condition, e, f), data)


def masked_fill(s: S, mask: Any, value: S) -> S:
    if not value._scalar:
        raise RuntimeError(f"masked_fill: expected `value` of rank 0, got shape {shape(value)}")
    return where(mask, value, s, "masked_fill", "mask")
