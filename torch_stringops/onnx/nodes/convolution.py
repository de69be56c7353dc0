"""Convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torch_stringops.onnx._registry import operator

_CONV: tuple[Callable[..., Tensor], ...] = (torch.conv1d, torch.conv2d, torch.conv3d)
_MAX: tuple[Callable[..., Any], ...] = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)


def _rank(name: str, x: Tensor) -> int:
    if not 3 <= x.dim() <= 5:
        raise ValueError(f"{name}: expected an input of rank 3 to 5, got {x.dim()}")
    return x.dim() - 2


def _pads(
    sizes: Any,
    kernel: list[int],
    strides: list[int],
    dilations: list[int],
    pads: list[int] | None,
    auto_pad: str,
) -> list[tuple[Any, Any]]:
    """The padding before and after each axis."""
    count = len(kernel)
    if auto_pad in ("NOTSET", "VALID", ""):
        given = [0] * 2 * count if pads is None or auto_pad == "VALID" else pads
        return list(zip(given[:count], given[count:], strict=True))
    result = []
    for size, width, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max(((size + stride - 1) // stride - 1) * stride + (width - 1) * dilation + 1 - size, 0)
        half = total // 2
        result.append((half, total - half) if auto_pad == "SAME_UPPER" else (total - half, half))
    return result


def _flat(pads: list[tuple[Any, Any]]) -> list[Any]:
    return [pad for pair in reversed(pads) for pad in pair]


@operator("Conv")
def conv(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    rank = _rank("Conv", x)
    by, spread, kernel = strides or [1] * rank, dilations or [1] * rank, list(weight.shape[2:])
    around = _pads(x.shape[2:], kernel, by, spread, pads, auto_pad)
    if all(before is after or before == after for before, after in around):
        return _CONV[rank - 1](x, weight, bias, by, [before for before, _ in around], spread, group)
    return _CONV[rank - 1](functional.pad(x, _flat(around)), weight, bias, by, [0] * rank, spread, group)


def _windows(
    x: Tensor, kernel: list[int], by: list[int], spread: list[int], around: list[tuple[Any, Any]], ceil: int
) -> list[tuple[Any, Any]]:
    """The padding with what is missing behind the last window, if sizes are rounded up."""
    if not ceil:
        return around
    result = []
    for axis, (before, after) in enumerate(around):
        width = (kernel[axis] - 1) * spread[axis] + 1
        size = x.shape[2 + axis] + before + after
        missing = (by[axis] - (size - width) % by[axis]) % by[axis]
        # A window must begin within the input or the padding before it.
        begins = size - width + missing
        result.append((before, after + (missing if begins < x.shape[2 + axis] + before else 0)))
    return result


@operator("MaxPool")
def max_pool(
    x: Tensor,
    *,
    kernel_shape: list[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    storage_order: int = 0,
    strides: list[int] | None = None,
    outputs: int = 1,
) -> tuple[Tensor, None]:
    rank = _rank("MaxPool", x)
    by, spread = strides or [1] * rank, dilations or [1] * rank
    around = _pads(x.shape[2:], kernel_shape, by, spread, pads, auto_pad)
    around = _windows(x, kernel_shape, by, spread, around, ceil_mode)
    lowest = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
    padded = functional.pad(x, _flat(around), value=lowest)
    if outputs > 1:
        raise ValueError("MaxPool: expected one output, as the positions of maxima are not supported")
    work = padded if x.is_floating_point() else padded.double()
    return _MAX[rank - 1](work, kernel_shape, by, 0, spread).to(x.dtype), None


@operator("AveragePool")
def average_pool(
    x: Tensor,
    *,
    kernel_shape: list[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """Sums of windows, divided by the numbers of elements in them that count. A sum is a convolution with ones."""
    rank = _rank("AveragePool", x)
    by, spread = strides or [1] * rank, dilations or [1] * rank
    given = _pads(x.shape[2:], kernel_shape, by, spread, pads, auto_pad)
    around = _windows(x, kernel_shape, by, spread, given, ceil_mode)
    counted = functional.pad(torch.ones_like(x[:1, :1]), _flat(given), value=float(bool(count_include_pad)))
    more = [(0, after - before) for (_, after), (_, before) in zip(around, given, strict=True)]
    ones = x.new_ones([1, 1, *kernel_shape])

    def summed(t: Tensor) -> Tensor:
        return _CONV[rank - 1](t, ones, None, by, [0] * rank, spread)

    padded = functional.pad(x, _flat(around))
    total = summed(padded.reshape(-1, 1, *padded.shape[2:]))
    return total.reshape([*x.shape[:2], *total.shape[2:]]) / summed(functional.pad(counted, _flat(more)))


@operator("GlobalAveragePool")
def global_average_pool(x: Tensor) -> Tensor:
    return x.mean(list(range(2, x.dim())), keepdim=True)


@operator("GlobalMaxPool")
def global_max_pool(x: Tensor) -> Tensor:
    return x.amax(list(range(2, x.dim())), keepdim=True)
