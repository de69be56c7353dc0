"""cat, stack and where: strings of several tensors in one.

Inputs that share `data`, as parts of one tensor do, are joined by their offsets alone. Otherwise the buffers
are concatenated; outside tracing each is made compact first, so that a small slice does not bring its large
buffer along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._fake import MAX_BYTES
from torch_stringops._layout import (
    can_read,
    check_bytes,
    check_count,
    known,
    num_bytes,
    pack,
    ranges,
    wrap_dim,
)

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


def check_strings(op: str, tensors: Any) -> list[StringTensor]:
    from torch_stringops.string_tensor import StringTensor

    if not isinstance(tensors, (list, tuple)) or not tensors:
        raise ValueError(f"{op}: expected a non-empty list or tuple of StringTensors")
    for i, t in enumerate(tensors):
        if not isinstance(t, StringTensor):
            raise TypeError(f"{op}: expected StringTensors, got {type(t).__name__} at position {i}")
    return list(tensors)


def _one_buffer(op: str, tensors: Sequence[StringTensor]) -> tuple[Tensor, list[Tensor]]:
    """One `data` for all, and their offsets into it."""
    first = tensors[0]
    if all(t.data is first.data for t in tensors):
        return first.data, [t.offsets for t in tensors]
    if all(can_read(t.offsets) for t in tensors):
        # Views of few bytes may stand for many: each row for all of `data`.
        if sum(t.data.shape[0] * math.prod(t.offsets.shape[:-1]) for t in tensors) > MAX_BYTES:
            check_bytes(op, sum(map(num_bytes, tensors)))
        tensors = [t.compact() for t in tensors]
    total: Any = tensors[0].data.shape[0]
    offsets = [tensors[0].offsets]
    for t in tensors[1:]:
        offsets.append(t.offsets + total)
        total = total + t.data.shape[0]
    # Offsets have wrapped where this fails; nobody sees them. Under tracing the check goes into the graph.
    check_bytes(op, total)
    if torch.compiler.is_compiling():
        torch._check(total <= MAX_BYTES)
    return torch.cat([t.data for t in tensors]), offsets


def cat(tensors: Any, dim: int = 0, *, op: str = "cat") -> StringTensor:
    """`torch.cat` of string tensors."""
    parts = check_strings(op, tensors)
    first = parts[0]
    for i, t in enumerate(parts):
        if t.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if t.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {t.ndim}")
    dim = wrap_dim(dim, first.ndim)
    for i, t in enumerate(parts):
        for d, (expected, size) in enumerate(zip(first.shape, t.shape, strict=True)):
            if d != dim and known(size != expected):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. "
                    f"Expected size {expected} but got size {size} for tensor number {i} in the list."
                )
    if len(parts) == 1:
        return first.detach()
    if not torch.compiler.is_compiling():
        check_count(op, sum(t.numel() for t in parts))
    data, offsets = _one_buffer(op, parts)
    if dim < first.ndim - 1:
        return first._new(data, torch.cat(offsets, dim))
    if dim == 0 and data is not first.data and can_read(data):
        # Compact vectors, one behind the other: each ends where the next begins.
        return first._new(data, torch.cat([*(o[:-1] for o in offsets[:-1]), offsets[-1]]))
    return pack(
        first,
        torch.cat([o[..., :-1] for o in offsets], dim),
        torch.cat([o[..., 1:] for o in offsets], dim),
        data,
    )


def stack(tensors: Any, dim: int = 0) -> StringTensor:
    """`torch.stack` of string tensors."""
    parts = check_strings("stack", tensors)
    first = parts[0]
    dim = wrap_dim(dim, first.ndim + 1)
    for i, t in enumerate(parts):
        if t.ndim != first.ndim or any(known(a != b) for a, b in zip(t.shape, first.shape, strict=True)):
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 "
                f"and {list(t.shape)} at entry {i}"
            )
    if first._scalar:
        return _stack_scalars(parts)
    return cat([t.unsqueeze(dim) for t in parts], dim, op="stack")


def _stack_scalars(parts: list[StringTensor]) -> StringTensor:
    """What collating the samples of a dataset comes to, hence without a verb for each of them."""
    first = parts[0]
    if all(t.data is first.data for t in parts):
        pairs = torch.stack([t.offsets for t in parts])
        return pack(first, pairs[:, 0], pairs[:, 1])
    if not all(can_read(t.offsets) for t in parts):
        return cat([t.unsqueeze(0) for t in parts], op="stack")
    pieces, ends = [], [0]
    for t in parts:
        begin, end = t.offsets.tolist()
        if not 0 <= begin <= end <= len(t.data):
            t.validate()
        pieces.append(t.data[begin:end])
        ends.append(ends[-1] + end - begin)
    check_bytes("stack", ends[-1])
    return first._new(torch.cat(pieces), torch.tensor(ends, dtype=torch.int32, device=first.device))


def at_least(rank: int, t: StringTensor) -> StringTensor:
    """`torch.atleast_1d`, `atleast_2d`, `atleast_3d`, with new axes where they put them."""
    if rank >= 1 and t.ndim == 0:
        t = t.reshape(1)
    if rank >= 2 and t.ndim == 1:
        t = t.unsqueeze(0)
    return t.unsqueeze(-1) if rank >= 3 and t.ndim == 2 else t


def hstack(tensors: Any, *, op: str = "hstack") -> StringTensor:
    """`torch.hstack`: joined along the second axis, vectors along their only one."""
    parts = [at_least(1, t) for t in check_strings(op, tensors)]
    return cat(parts, 0 if parts[0].ndim == 1 else 1, op=op)


def vstack(tensors: Any) -> StringTensor:
    """`torch.vstack`: rows one below the other."""
    return cat([at_least(2, t) for t in check_strings("vstack", tensors)], op="vstack")


def dstack(tensors: Any) -> StringTensor:
    """`torch.dstack`: joined along the third axis."""
    return cat([at_least(3, t) for t in check_strings("dstack", tensors)], 2, op="dstack")


def column_stack(tensors: Any) -> StringTensor:
    """`torch.column_stack`: vectors as columns."""
    parts = check_strings("column_stack", tensors)
    return hstack([t if t.ndim > 1 else t.reshape(-1, 1) for t in parts], op="column_stack")


def where(
    condition: Any,
    input: StringTensor,
    other: StringTensor,
    *,
    op: str = "where",
    condition_name: str = "condition",
) -> StringTensor:
    """`torch.where` between two string tensors."""
    if not isinstance(condition, Tensor) or condition.dtype is not torch.bool:
        got = condition.dtype if isinstance(condition, Tensor) else type(condition).__name__
        raise TypeError(f"{op}: expected `{condition_name}` to be a bool tensor, got {got}")
    parts = check_strings(op, [input, other])
    if not torch.compiler.is_compiling() and condition.numel() * input.numel() * other.numel() > MAX_BYTES:
        check_count(op, math.prod(torch.broadcast_shapes(condition.shape, input.shape, other.shape)))
    data, offsets = _one_buffer(op, parts)
    (b, e), (c, f) = (ranges(s._new(data, o, scalar=s._scalar)) for s, o in zip(parts, offsets, strict=True))
    return pack(input, torch.where(condition, b, c), torch.where(condition, e, f), data)
