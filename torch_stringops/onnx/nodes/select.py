"""Operators that select, scatter and reorder elements, of numbers or strings."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

import torch_stringops
from torch_stringops._tracing import known
from torch_stringops.onnx._registry import ints, is_size, is_static, moves, number, operator
from torch_stringops.string_tensor import StringTensor

_UNBOUNDED = 10**9  # exporters write this or larger numbers for the end of an axis of any size


def _from_end(indices: Tensor, size: Any) -> Tensor:
    return torch.where(indices < 0, indices + size, indices).long()


def _gather_sizes(values: Any, indices: Any, *, axis: int = 0) -> Any:
    return tuple(values[i] for i in indices) if isinstance(indices, tuple) else values[indices]


@operator("Gather", sizes=_gather_sizes)
def gather(x: Any, indices: Tensor, *, axis: int = 0) -> Any:
    axis = axis % max(x.dim(), 1)
    taken = x.index_select(axis, _from_end(indices, x.shape[axis]).reshape(-1))
    return taken.reshape([*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]])


@operator("GatherElements")
def gather_elements(x: Any, indices: Tensor, *, axis: int = 0) -> Any:
    axis = axis % max(x.dim(), 1)
    # torch.gather wants the sizes of the other axes to match, or to be smaller.
    return x.gather(axis, _from_end(indices, x.shape[axis]))


def _linear(indices: Tensor, sizes: list[Any]) -> Tensor:
    """The position of each index, a row of `indices`, in a tensor of shape `sizes`."""
    linear = indices.new_zeros(indices.shape[:-1], dtype=torch.int64)
    for i, size in enumerate(sizes):
        at = _from_end(indices[..., i], size)
        if not torch.compiler.is_compiling() and bool(((at < 0) | (at >= size)).any()):
            raise IndexError(f"expected indices within axis {i} of size {size}")
        linear = linear * size + at
    return linear


@operator("GatherND")
def gather_nd(x: Any, indices: Tensor, *, batch_dims: int = 0) -> Any:
    width = indices.shape[-1]
    batch = list(x.shape[:batch_dims])
    sizes, rest = list(x.shape[batch_dims : batch_dims + width]), list(x.shape[batch_dims + width :])
    linear = _linear(indices, sizes).reshape(math.prod(batch), -1)
    first = torch.arange(math.prod(batch), device=indices.device) * math.prod(sizes)
    flat = x.reshape([math.prod(batch) * math.prod(sizes), *rest])
    taken = flat.index_select(0, (linear + first.unsqueeze(1)).reshape(-1))
    return taken.reshape([*indices.shape[:-1], *rest])


_REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def _scatter(x: Tensor, dim: int, indices: Tensor, updates: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return x.scatter(dim, indices, updates)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"scatter: expected `reduction` to be none, add, mul, max or min, got {reduction!r}")
    return x.scatter_reduce(dim, indices, updates, _REDUCTIONS[reduction])


@operator("Scatter", "ScatterElements")
@moves
def scatter_elements(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none") -> Tensor:
    return _scatter(x, axis, _from_end(indices, x.shape[axis]), updates, reduction)


@operator("ScatterND")
@moves
def scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> Tensor:
    width = indices.shape[-1]
    count, inner = math.prod(x.shape[:width]), math.prod(x.shape[width:])
    linear = _linear(indices, list(x.shape[:width])).reshape(-1, 1).expand(-1, inner)
    flat = _scatter(x.reshape(count, inner), 0, linear, updates.reshape(-1, inner), reduction)
    return flat.reshape(x.shape)


@operator("TensorScatter", host=[])
@moves
def tensor_scatter(
    past: Tensor, update: Tensor, write_indices: Tensor | None = None, *, axis: int = -2, mode: str = "linear"
) -> Tensor:
    axis, length = axis % past.dim(), update.shape[axis]
    begins = past.new_zeros(past.shape[0], dtype=torch.int64) if write_indices is None else write_indices
    at = begins.unsqueeze(1) + torch.arange(length, device=past.device)
    if mode == "circular":
        at = at % past.shape[axis]
    sizes = [1] * past.dim()
    sizes[0], sizes[axis] = past.shape[0], length
    return past.scatter(axis, at.reshape(sizes).expand(update.shape), update)


def _slice_sizes(values: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    if not isinstance(values, tuple) or not all(is_size(value) for value in (starts, ends)):
        return NotImplemented
    return values[slice(number(starts), number(ends), None if steps is None else number(steps))]


def _from_last(at: Any, size: Any) -> Any:
    """A bound of a slice with a negative step: from -1 to the last position."""
    if not is_static(size) and is_static(at) and abs(at) >= _UNBOUNDED:
        return -1 if at < 0 else size - 1
    at = at + size if known(at < 0) else at
    return -1 if known(at < 0) else size - 1 if known(at >= size) else at


@operator("Slice", host=[1, 2, 3, 4], sizes=_slice_sizes)
def slice_axes(x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    begins, stops = ints(starts), ints(ends)
    dims = list(range(len(begins))) if axes is None else ints(axes)
    by = [1] * len(begins) if steps is None else ints(steps)
    kept = [slice(None)] * x.dim()
    for begin, stop, dim, step in zip(begins, stops, dims, by, strict=True):
        if step == 0:
            raise ValueError("Slice: expected steps other than 0")
        if step > 0:
            kept[dim] = slice(begin, stop, step)
        else:
            first, end = (_from_last(at, x.shape[dim]) for at in (begin, stop))
            end = end if known(end <= first) else first
            x = x.index_select(dim, torch.arange(first, end, step, device=x.device))
    return x[tuple(kept)] if x.dim() else x


@operator("Compress")
def compress(x: Any, condition: Tensor, *, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = x.flatten(), 0
    return x.index_select(axis, condition.reshape(-1).nonzero().reshape(-1))


@operator("NonZero")
def non_zero(x: Any) -> Tensor:
    if x.dim() == 0:
        return x.reshape(1).nonzero().t()[:0]  # type: ignore[no-any-return]
    return x.nonzero().t()  # type: ignore[no-any-return]


@operator("OneHot", host=[1])
def one_hot(indices: Tensor, depth: Any, values: Any, *, axis: int = -1) -> Any:
    count = int(number(depth))
    axis = axis % (indices.dim() + 1)
    at = torch.where(indices < 0, indices + count, indices).unsqueeze(axis)
    sizes = [1] * (indices.dim() + 1)
    sizes[axis] = count
    places = torch.arange(count, device=indices.device).reshape(sizes)
    select = torch_stringops.where if isinstance(values, StringTensor) else torch.where
    return select(at == places, values.select(0, 1), values.select(0, 0))


@operator("ReverseSequence")
def reverse_sequence(x: Any, lengths: Tensor, *, batch_axis: int = 1, time_axis: int = 0) -> Any:
    times = torch.arange(x.shape[time_axis], device=lengths.device)
    at = torch.where(times < lengths.unsqueeze(1), lengths.unsqueeze(1) - 1 - times, times)
    if batch_axis > time_axis:
        at = at.t()
    at = at.reshape([*at.shape, *[1] * (x.dim() - 2)])
    return x.gather(time_axis, at.expand(x.shape))


@operator("Tile", host=[1, 2])
def tile(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Version 1 has one number of repeats, and its axis."""
    if axis is None:
        return x.repeat(ints(repeats))
    counts = [1] * x.dim()
    counts[int(number(axis))] = int(number(repeats))
    return x.repeat(counts)


def _outside(size: Any, before: Any, after: Any, mode: str, device: torch.device) -> Tensor:
    """The positions in an axis of `size` of the elements of the padded axis."""
    at = torch.arange(-before, size + after, device=device)
    if mode == "edge":
        return at.clamp(0, size - 1)
    if mode == "wrap":
        return torch.remainder(at, size)
    period = max(2 * (size - 1), 1)
    at = at.abs() % period
    return torch.where(at >= size, period - at, at)


@operator("Pad", host=[1, 3])
def pad(
    x: Any,
    pads: Any = None,
    constant_value: Any = None,
    axes: Any = None,
    *,
    mode: str = "constant",
    value: float = 0.0,
    paddings: list[int] | None = None,
) -> Any:
    """Versions before 11 take the pads and the value as attributes."""
    amounts = ints(paddings if pads is None else pads)
    dims = list(range(x.dim())) if axes is None else [axis % x.dim() for axis in ints(axes)]
    if len(amounts) != 2 * len(dims):
        raise ValueError(f"Pad: expected two pads for each of {len(dims)} axes, got {len(amounts)}")
    pairs = {dim: (amounts[i], amounts[i + len(dims)]) for i, dim in enumerate(dims)}
    if mode == "constant":
        flat = [amount for dim in reversed(range(x.dim())) for amount in pairs.get(dim, (0, 0))]
        if isinstance(x, StringTensor):
            return x.pad(flat, "" if constant_value is None else constant_value.reshape([]))
        if isinstance(constant_value, Tensor):
            inside = functional.pad(torch.ones_like(x, dtype=torch.bool), flat)
            return torch.where(inside, functional.pad(x, flat), constant_value.reshape(()))
        return functional.pad(x, flat, value=value)
    if mode not in ("edge", "reflect", "wrap"):
        raise ValueError(f"Pad: expected `mode` to be constant, reflect, edge or wrap, got {mode!r}")
    for dim, (before, after) in pairs.items():
        x = x.index_select(dim, _outside(x.shape[dim], before, after, mode, x.device))
    return x


@operator("Trilu", host=[1])
@moves
def trilu(x: Tensor, k: Any = None, *, upper: int = 1) -> Tensor:
    diagonal = 0 if k is None else number(k)
    return torch.triu(x, diagonal) if upper else torch.tril(x, diagonal)


def _range_sizes(start: Any, limit: Any, delta: Any, **_: Any) -> Any:
    if (known(delta > 0) and known(limit < start)) or (known(delta < 0) and known(limit > start)):
        limit = start
    return torch.arange(start, limit, delta)


@operator("Range", sizes=_range_sizes)
def arange(start: Tensor, limit: Tensor, delta: Tensor, *, stash_type: int = 1) -> Tensor:
    limit = torch.where((limit > start) == (delta > 0), limit, start)  # no elements
    return torch.arange(number(start), number(limit), number(delta), dtype=start.dtype, device=start.device)


@operator("Unique")
def unique(x: Any, *, axis: int | None = None, sorted: int = 1) -> tuple[Any, Tensor, Tensor, Tensor]:
    values, inverse, counts = x.unique(
        sorted=True, return_inverse=True, return_counts=True, dim=axis if axis is not None else None
    )
    inverse, axis = inverse.reshape(-1), 0 if axis is None else axis
    places = torch.arange(inverse.shape[0], device=inverse.device)
    first = inverse.new_full([counts.shape[0]], 2**62).scatter_reduce(0, inverse, places, "amin")
    if sorted:
        return values, first, inverse, counts
    order = first.argsort()
    rank = torch.empty_like(order).scatter(0, order, torch.arange(order.shape[0], device=order.device))
    return values.index_select(axis, order), first[order], rank[inverse], counts[order]
