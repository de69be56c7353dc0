"""Reductions along axes, cumulative sums, and the positions of extreme values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_stringops.onnx._registry import ints, number, operator


def _prod_of_sizes(values: Any, *_: Any, keepdims: int = 1, **__: Any) -> Any:
    total = math.prod(values) if isinstance(values, tuple) else values
    return (total,) if keepdims and isinstance(values, tuple) else total


def _sum_of_sizes(values: Any, *_: Any, keepdims: int = 1, **__: Any) -> Any:
    total = sum(values) if isinstance(values, tuple) else values
    return (total,) if keepdims and isinstance(values, tuple) else total


def _reduce(
    x: Tensor,
    axes: Any,
    keepdims: int,
    noop_with_empty_axes: int,
    function: Callable[[Tensor, list[int]], Tensor],
) -> Tensor:
    """Reduces `axes`, all if there are none. `function` keeps the axes."""
    dims = [] if axes is None else ints(axes)
    if not dims:
        if noop_with_empty_axes:
            return function(x.unsqueeze(0), [0]).squeeze(0)
        dims = list(range(x.dim()))
    dims = [dim % max(x.dim(), 1) for dim in dims]
    if x.dim() == 0:
        return function(x.unsqueeze(0), [0]).squeeze(0)
    result = function(x, dims)
    return result if keepdims else result.squeeze(dims)


def _reduction(
    name: str, function: Callable[[Tensor, list[int]], Tensor], sizes: Callable[..., Any] | None = None
) -> Callable[..., Tensor]:
    def reduction(x: Tensor, axes: Any = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Tensor:
        return _reduce(x, axes, keepdims, noop_with_empty_axes, function)

    reduction.__name__ = reduction.__qualname__ = f"reduce_{name[6:].lower()}"
    return operator(name, host=[1], sizes=sizes)(reduction)


def _extreme(function: Callable[..., Tensor], x: Tensor, dims: list[int]) -> Tensor:
    if x.dtype is torch.bool:
        return _extreme(function, x.to(torch.uint8), dims).to(torch.bool)
    if any(x.shape[dim] == 0 for dim in dims):
        # The neutral element, which torch does not define.
        sizes = [1 if i in dims else size for i, size in enumerate(x.shape)]
        lowest = function is torch.amax
        if x.is_floating_point():
            return x.new_full(sizes, -math.inf if lowest else math.inf)
        limits = torch.iinfo(x.dtype)
        return x.new_full(sizes, limits.min if lowest else limits.max)
    return function(x, dims, keepdim=True)


def _sum(x: Tensor, dims: list[int]) -> Tensor:
    return x.sum(dims, keepdim=True, dtype=x.dtype)


def _prod(x: Tensor, dims: list[int]) -> Tensor:
    for dim in dims:
        x = x.prod(dim, keepdim=True, dtype=x.dtype)
    return x


def _mean(x: Tensor, dims: list[int]) -> Tensor:
    if x.is_floating_point():
        return x.mean(dims, keepdim=True)
    count = math.prod(x.shape[dim] for dim in dims)
    return torch.div(_sum(x, dims), count, rounding_mode="trunc")


def _l2(x: Tensor, dims: list[int]) -> Tensor:
    if x.is_floating_point():
        return torch.sqrt(_sum(x * x, dims))
    return torch.sqrt(_sum((x * x).double(), dims)).to(x.dtype)


def _log_sum_exp(x: Tensor, dims: list[int]) -> Tensor:
    return torch.logsumexp(x if x.is_floating_point() else x.double(), dims, keepdim=True).to(x.dtype)


reduce_max = _reduction("ReduceMax", lambda x, dims: _extreme(torch.amax, x, dims))
reduce_min = _reduction("ReduceMin", lambda x, dims: _extreme(torch.amin, x, dims))
reduce_sum = _reduction("ReduceSum", _sum, _sum_of_sizes)
reduce_prod = _reduction("ReduceProd", _prod, _prod_of_sizes)
reduce_mean = _reduction("ReduceMean", _mean)
reduce_l1 = _reduction("ReduceL1", lambda x, dims: _sum(x.abs(), dims))
reduce_l2 = _reduction("ReduceL2", _l2)
reduce_logsum = _reduction("ReduceLogSum", lambda x, dims: torch.log(_sum(x, dims)))
reduce_logsumexp = _reduction("ReduceLogSumExp", _log_sum_exp)
reduce_sumsquare = _reduction("ReduceSumSquare", lambda x, dims: _sum(x * x, dims))


def _position(function: Callable[..., Tensor], x: Tensor, axis: int, keepdims: int, last: int) -> Tensor:
    if not last:
        return function(x, axis, keepdim=bool(keepdims))
    return x.shape[axis] - 1 - function(x.flip(axis), axis, keepdim=bool(keepdims))


@operator("ArgMax")
def arg_max(x: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
    return _position(torch.argmax, x, axis, keepdims, select_last_index)


@operator("ArgMin")
def arg_min(x: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
    return _position(torch.argmin, x, axis, keepdims, select_last_index)


@operator("CumSum", host=[1])
def cum_sum(x: Tensor, axis: Any, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
    dim = number(axis)
    x = x.flip(dim) if reverse else x
    result = torch.cumsum(x, dim, dtype=x.dtype)
    if exclusive:
        first = torch.zeros_like(x.narrow(dim, 0, min(1, x.shape[dim])))
        result = torch.cat([first, result.narrow(dim, 0, max(x.shape[dim] - 1, 0))], dim)
    return result.flip(dim) if reverse else result


@operator("TopK", host=[1])
def top_k(x: Tensor, k: Any, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> tuple[Tensor, Tensor]:
    """Equal values are in the order of their positions, which torch.topk does not promise."""
    values, at = torch.sort(x, dim=axis, descending=bool(largest), stable=True)
    count = number(k)
    return values.narrow(axis, 0, count), at.narrow(axis, 0, count)
