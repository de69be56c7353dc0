"""Concatenation and selection: cat, stack, where and related functions.

For inputs that share `data`, such as chunks of one tensor, only the offsets are concatenated, if the last axis stays.
Otherwise the result is compact.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import MAX_BYTES, check_bytes, check_count, wrap_dim
from torch_stringops._native import operator
from torch_stringops._tracing import can_read, is_eager, known
from torch_stringops.tensor.ranges import pack, strings_at
from torch_stringops.tensor.reshape import expand, movedim, reshape, unsqueeze
from torch_stringops.tensor.strings import S, Strings, cat_op, numel, rank, shape

_call_where = operator("_string_where")


def _cat(tensors: Sequence[S], dim: int, op: str = "cat") -> S:
    first, ndim = tensors[0], rank(tensors[0])
    if ndim == 1 and dim in (0, -1) and len(tensors) > 1:
        joined = _join_alike(op, tensors, [-1], 0)
        if joined is not None:
            return joined
    if any(t._scalar or t._offsets.dim() != ndim for t in tensors):
        for i, t in enumerate(tensors):
            if t._scalar:
                raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        # As in torch, strings of shape [0] are skipped, whatever the rank of the others.
        others = [t for t in tensors if t._offsets.dim() != 1 or not known(t._offsets.shape[0] == 1)]
        if 0 < len(others) < len(tensors):
            return _cat(others, dim, op)
        wrap_dim(dim, ndim)  # torch checks the axis before it compares the ranks
        for t in tensors:
            if rank(t) != ndim:
                raise RuntimeError(f"Tensors must have same number of dimensions: got {ndim} and {rank(t)}")
    if ndim == 1 and dim not in (0, -1) and all(known(t._offsets.shape[0] == 1) for t in tensors):
        dim = 0  # torch does not check it
    dim = wrap_dim(dim, ndim)
    if ndim > 1:
        _check_sizes(tensors, dim)
    if len(tensors) == 1:
        return first._new(first._data.detach(), first._offsets.detach())
    if dim < ndim - 1 and all(t._data is first._data for t in tensors):
        check_count(op, sum(numel(t) for t in tensors))
        return first._new(first._data, torch.cat([t._offsets for t in tensors], dim))
    if not (is_eager() and all(type(t._offsets) is Tensor and t._offsets.is_cpu for t in tensors)):
        return _cat_buffers(op, tensors, dim)
    strings = [part for t in tensors for part in (t._data, t._offsets)]
    if ndim == 1:
        return first._new(*cat_op(strings, [-1], op))
    sizes = shape(first)
    sizes[dim] = sum(shape(t)[dim] for t in tensors)
    check_count(op, math.prod(sizes))
    if math.prod(sizes[:dim]) == 1:
        return first._new(*cat_op(strings, sizes, op))
    if dim < ndim - 1:
        counts = [t._offsets.numel() // t._offsets.shape[-1] for t in tensors]
        data, rows = cat_op(strings, [sum(counts), sizes[-1]], op)
        offsets = [o.reshape(t._offsets.shape) for o, t in zip(rows.split(counts), tensors, strict=True)]
        return first._new(data, torch.cat(offsets, dim))
    counts = [numel(t) for t in tensors]
    numbers = torch.arange(sum(counts), dtype=torch.int32, device="cpu").split(counts)
    positions = torch.cat([n.reshape(shape(t)) for n, t in zip(numbers, tensors, strict=True)], dim)
    return strings_at(first, positions, *tensors[1:])


def _join_alike(op: str, tensors: Sequence[S], sizes: list[int], joined: int) -> S | None:
    """All strings in one call, which checks that the tensors have the same shape in all axes but `joined`.

    There may be thousands of tensors, so little is read of each here. None if they are not alike, or if native code
    cannot read them: the caller then finds out why.
    """
    first = tensors[0]
    if not is_eager() or not first._offsets.is_cpu:
        return None
    scalar = first._scalar
    strings: list[Tensor] = []
    append = strings.append  # faster than to extend by two
    for t in tensors:
        offsets = t._offsets
        if type(offsets) is not Tensor or t._scalar is not scalar:
            return None
        append(t._data)
        append(offsets)
    try:
        return first._new(*cat_op(strings, sizes, op, joined))
    except (RuntimeError, ValueError):
        return None


def _check_sizes(tensors: Sequence[Strings], dim: int) -> None:
    """Checks that the tensors have the same size in all axes but `dim`."""
    first = tensors[0]
    same, like = not torch.compiler.is_compiling(), first._offsets.shape
    for i, t in enumerate(tensors):
        if same and t._offsets.shape == like:
            continue
        for d, (expected, size) in enumerate(zip(shape(first), shape(t), strict=True)):
            if d != dim and known(size != expected):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. "
                    f"Expected size {expected} but got size {size} for tensor number {i} in the list."
                )


def _cat_buffers(op: str, tensors: Sequence[S], dim: int) -> S:
    """Concatenates without native code, under tracing and on other devices."""
    first, ndim = tensors[0], rank(tensors[0])
    if not torch.compiler.is_compiling():
        check_count(op, sum(numel(t) for t in tensors))
    data, offsets = _one_buffer(op, tensors)
    if dim < ndim - 1:
        return first._new(data, torch.cat(offsets, dim))
    return pack(
        first,
        torch.cat([o[..., :-1] for o in offsets], dim),
        torch.cat([o[..., 1:] for o in offsets], dim),
        data,
    )


def _one_buffer(op: str, tensors: Sequence[Strings]) -> tuple[Tensor, list[Tensor]]:
    """A single `data` for all tensors, and their offsets into it."""
    first = tensors[0]
    if all(t._data is first._data for t in tensors):
        return first._data, [t._offsets for t in tensors]
    total: Any = tensors[0].data.shape[0]
    offsets = [tensors[0].offsets]
    for t in tensors[1:]:
        offsets.append(t._offsets + total)
        total = total + t._data.shape[0]
    # After the additions above, which may overflow: the result is discarded if this fails.
    check_bytes(op, total)
    if torch.compiler.is_compiling():
        torch._check(total <= MAX_BYTES)
    return torch.cat([t._data for t in tensors]), offsets


def _stack(tensors: Sequence[S], dim: int) -> S:
    first = tensors[0]
    dim = wrap_dim(dim, rank(first) + 1)
    needs_only_offsets = dim < rank(first) and all(t._data is first._data for t in tensors)
    stacked = None if needs_only_offsets else _join_alike("stack", tensors, [len(tensors), *shape(first)], -1)
    if stacked is not None:
        return movedim(stacked, 0, dim) if dim else stacked
    same, like = not torch.compiler.is_compiling(), first._offsets.shape
    for i, t in enumerate(tensors):
        if same and t._scalar is first._scalar and t._offsets.shape == like:
            continue
        if rank(t) != rank(first) or any(known(a != b) for a, b in zip(shape(t), shape(first), strict=True)):
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {shape(first)} at entry 0 "
                f"and {shape(t)} at entry {i}"
            )
    return _cat([unsqueeze(t, dim) for t in tensors], dim, "stack")


def at_least(ndim: int, t: S) -> S:
    """`torch.atleast_1d`, `atleast_2d` and `atleast_3d`."""
    if ndim >= 1 and t._scalar:
        t = reshape(t, [1])
    if ndim >= 2 and rank(t) == 1:
        t = unsqueeze(t, 0)
    return unsqueeze(t, -1) if ndim >= 3 and rank(t) == 2 else t


def hstack(tensors: Sequence[S], op: str = "hstack") -> S:
    tensors = [at_least(1, t) for t in tensors]
    return _cat(tensors, 0 if rank(tensors[0]) == 1 else 1, op)


def vstack(tensors: Sequence[S]) -> S:
    return _cat([at_least(2, t) for t in tensors], 0, "vstack")


def dstack(tensors: Sequence[S]) -> S:
    return _cat([at_least(3, t) for t in tensors], 2, "dstack")


def column_stack(tensors: Sequence[S]) -> S:
    return hstack([t if rank(t) > 1 else reshape(t, [-1, 1]) for t in tensors], "column_stack")


def _where(condition: Any, input: S, other: S, op: str = "where", condition_name: str = "condition") -> S:
    if not isinstance(condition, Tensor) or condition.dtype is not torch.bool:
        got = condition.dtype if isinstance(condition, Tensor) else type(condition).__name__
        raise TypeError(f"{op}: expected `{condition_name}` to be a bool tensor, got {got}")
    if can_read(condition) and condition.dim() >= 1:
        *leading, last = condition.shape
        like = (*leading, last + 1)
        if (input._scalar or input._offsets.shape == like) and (other._scalar or other._offsets.shape == like):
            return input._new(*_call_where(condition, input._data, input._offsets, other._data, other._offsets))
    if not torch.compiler.is_compiling() and condition.numel() * numel(input) * numel(other) > MAX_BYTES:
        check_count(op, math.prod(torch.broadcast_shapes(condition.shape, shape(input), shape(other))))
    numbers, count = positions_of(input), numel(input)
    positions = torch.where(condition, numbers, positions_of(other) + count)
    if positions.dim() == 0:
        return reshape(strings_at(input, positions.reshape(1), other), [])
    return strings_at(input, positions, other)


def _broadcast_tensors(tensors: Sequence[S]) -> tuple[S, ...]:
    """The strings, expanded to the shape to which their shapes broadcast."""
    sizes = list(torch.broadcast_shapes(*map(shape, tensors)))
    return tuple(expand(t, sizes) for t in tensors)


def positions_of(s: Strings) -> Tensor:
    """The positions of the strings."""
    return torch.arange(numel(s), device=s._offsets.device).reshape(shape(s))


def masked_fill(s: S, mask: Any, value: S) -> S:
    if not value._scalar:
        raise RuntimeError(f"masked_fill: expected `value` of rank 0, got shape {shape(value)}")
    return _where(mask, value, s, "masked_fill", "mask")
