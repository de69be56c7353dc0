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
_AVG: tuple[Callable[..., Tensor], ...] = (
    functional.avg_pool1d,
    functional.avg_pool2d,
    functional.avg_pool3d,
)


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
) -> tuple[Tensor, Tensor | None]:
    rank = _rank("MaxPool", x)
    by, spread = strides or [1] * rank, dilations or [1] * rank
    around = _pads(x.shape[2:], kernel_shape, by, spread, pads, auto_pad)
    around = _windows(x, kernel_shape, by, spread, around, ceil_mode)
    lowest = -math.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
    padded = functional.pad(x, _flat(around), value=lowest)
    if outputs == 1:
        work = padded if x.is_floating_point() else padded.double()
        return _MAX[rank - 1](work, kernel_shape, by, 0, spread).to(x.dtype), None
    values, at = _MAX[rank - 1](padded, kernel_shape, by, 0, spread, return_indices=True)
    return values, _in_input(at, x, padded, around, storage_order)


def _in_input(at: Tensor, x: Tensor, padded: Tensor, around: list[tuple[Any, Any]], column_major: int) -> Tensor:
    """Positions in the padded planes as positions in the whole input."""
    places = []
    for axis in reversed(range(len(around))):
        size = padded.shape[2 + axis]
        places.append(at % size - around[axis][0])
        at = torch.div(at, size, rounding_mode="floor")
    places.reverse()  # by axis
    order = reversed(range(len(places))) if column_major else range(len(places))
    linear = torch.zeros_like(places[0])
    for axis in order:
        linear = linear * x.shape[2 + axis] + places[axis]
    planes = torch.arange(x.shape[0] * x.shape[1], device=x.device)
    planes = planes.reshape([x.shape[0], x.shape[1], *[1] * len(around)])
    return linear + planes * math.prod(x.shape[2:])


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
    return _sums(x, kernel_shape, auto_pad, ceil_mode, count_include_pad, dilations, pads, strides, True)


def _sums(
    x: Tensor,
    kernel: list[int],
    auto_pad: str,
    ceil_mode: int,
    count_pad: int,
    dilations: list[int] | None,
    pads: list[int] | None,
    strides: list[int] | None,
    mean: bool,
) -> Tensor:
    """Sums of windows, or means over the elements in them that count. A convolution with ones."""
    rank = _rank("AveragePool", x)
    by, spread = strides or [1] * rank, dilations or [1] * rank
    given = _pads(x.shape[2:], kernel, by, spread, pads, auto_pad)
    around = _windows(x, kernel, by, spread, given, ceil_mode)
    ones = x.new_ones([1, 1, *kernel])

    def summed(t: Tensor) -> Tensor:
        planes = functional.pad(t, _flat(around)).reshape(-1, 1, *_padded(t, around))
        total = _CONV[rank - 1](planes, ones, None, by, [0] * rank, spread)
        return total.reshape([*t.shape[:2], *total.shape[2:]])

    if not mean:
        return summed(x)
    counted = torch.ones_like(x[:1, :1])
    if count_pad:
        inside = functional.pad(counted, _flat(given), value=1.0)
        extra = [(0, a - g) for (_, a), (_, g) in zip(around, given, strict=True)]
        planes = functional.pad(inside, _flat(extra))
        return summed(x) / _CONV[rank - 1](planes, ones, None, by, [0] * rank, spread)
    return summed(x) / summed(counted)


def _padded(t: Tensor, around: list[tuple[Any, Any]]) -> list[Any]:
    return [size + before + after for size, (before, after) in zip(t.shape[2:], around, strict=True)]


@operator("LpPool")
def lp_pool(
    x: Tensor,
    *,
    kernel_shape: list[int],
    p: int = 2,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    powers = x.abs() ** p
    return _sums(powers, kernel_shape, auto_pad, ceil_mode, 0, dilations, pads, strides, False) ** (1 / p)


@operator("GlobalAveragePool")
def global_average_pool(x: Tensor) -> Tensor:
    return x.mean(list(range(2, x.dim())), keepdim=True)


@operator("GlobalMaxPool")
def global_max_pool(x: Tensor) -> Tensor:
    return x.amax(list(range(2, x.dim())), keepdim=True)


@operator("GlobalLpPool")
def global_lp_pool(x: Tensor, *, p: int = 2) -> Tensor:
    return (x.abs() ** p).sum(list(range(2, x.dim())), keepdim=True) ** (1 / p)
