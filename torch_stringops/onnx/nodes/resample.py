"""Resize, Upsample, GridSample and Col2Im, and random tensors of the shape of another."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from torch_stringops.onnx._registry import ints, moves, on_strings, operator
from torch_stringops.onnx._tensors import DTYPES
from torch_stringops.string_tensor import StringTensor

_COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
)
_NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@operator("Resize", host=[1, 2, 3])
class Resize(nn.Module):
    """Resizes one axis after the other: each element is a weighted sum of those near its position in the input."""

    def __init__(
        self,
        *,
        antialias: int = 0,
        axes: list[int] | None = None,
        coordinate_transformation_mode: str = "half_pixel",
        cubic_coeff_a: float = -0.75,
        exclude_outside: int = 0,
        extrapolation_value: float = 0.0,
        keep_aspect_ratio_policy: str = "stretch",
        mode: str = "nearest",
        nearest_mode: str = "round_prefer_floor",
    ) -> None:
        super().__init__()
        if antialias:
            raise ValueError("Resize with `antialias` is not supported")
        if mode not in ("nearest", "linear", "cubic") or nearest_mode not in _NEAREST:
            raise ValueError(
                f"Resize: expected `mode` nearest, linear or cubic, got {mode!r}, {nearest_mode!r}"
            )
        if coordinate_transformation_mode not in _COORDINATES:
            raise ValueError(f"Resize: unknown transformation {coordinate_transformation_mode!r}")
        if keep_aspect_ratio_policy not in ("stretch", "not_larger", "not_smaller"):
            raise ValueError(f"Resize: unknown policy {keep_aspect_ratio_policy!r}")
        self.axes, self.coordinates, self.cubic = axes, coordinate_transformation_mode, cubic_coeff_a
        self.exclude_outside, self.outside = bool(exclude_outside), extrapolation_value
        self.policy, self.mode, self.nearest = keep_aspect_ratio_policy, mode, nearest_mode

    def forward(self, x: Any, *others: Any) -> Any:
        """The other inputs are the region, the scales and the sizes; in version 10, the scales."""
        roi, scales, sizes = (*others, None, None)[:3] if len(others) > 1 else (None, *others, None)
        coordinates, nearest = (
            (self.coordinates, self.nearest) if len(others) != 1 else ("asymmetric", "floor")
        )
        axes = list(range(x.dim())) if self.axes is None else [axis % x.dim() for axis in self.axes]
        factors = [] if scales is None else [float(scale) for scale in ints(scales)]
        lengths = [] if sizes is None else ints(sizes)
        region = [0.0] * len(axes) + [1.0] * len(axes) if roi is None else [float(r) for r in ints(roi)]
        if lengths:
            factors = [to / x.shape[axis] for axis, to in zip(axes, lengths, strict=True)]
            if self.policy != "stretch":
                factor = min(factors) if self.policy == "not_larger" else max(factors)
                factors = [factor] * len(axes)
                lengths = [int(factor * x.shape[axis] + 0.5) for axis in axes]
        else:
            lengths = [int(x.shape[axis] * factor) for axis, factor in zip(axes, factors, strict=True)]
        for i, (axis, factor, length) in enumerate(zip(axes, factors, lengths, strict=True)):
            if length == x.shape[axis] and factor == 1 and coordinates != "tf_crop_and_resize":
                continue
            part = (region[i], region[i + len(axes)]) if len(region) == 2 * len(axes) else (0.0, 1.0)
            places = _places(coordinates, x.shape[axis], length, factor, part)
            x = self._along(x, axis, places, coordinates, nearest)
        return x

    def _along(self, x: Any, axis: int, places: Tensor, coordinates: str, nearest: str) -> Any:
        size = x.shape[axis]
        if self.mode == "nearest":
            x = x.index_select(axis, _nearest(places, nearest).clamp(0, size - 1))
        elif isinstance(x, StringTensor):
            raise ValueError(f"Resize: expected `mode` nearest for strings, got {self.mode!r}")
        else:
            at, weights = _taps(places, self.mode, self.cubic)
            if self.exclude_outside:
                weights = torch.where((at >= 0) & (at < size), weights, 0.0)
                weights = weights / weights.sum(0)
            shape = [1] * x.dim()
            shape[axis] = -1
            terms = [
                x.index_select(axis, a.clamp(0, size - 1)) * w.reshape(shape)
                for a, w in zip(at, weights, strict=True)
            ]
            x = torch.stack(terms).sum(0).to(x.dtype)
        if coordinates != "tf_crop_and_resize":
            return x
        shape = [1] * x.dim()
        shape[axis] = -1
        return x.masked_fill(((places < 0) | (places > size - 1)).reshape(shape), self.outside)


def _places(mode: str, size: int, length: int, scale: float, part: tuple[float, float]) -> Tensor:
    """The position in the input of each element of the output."""
    y, width = torch.arange(length, dtype=torch.float64), scale * size
    if mode == "align_corners":
        return torch.zeros_like(y) if width == 1 else y * (size - 1) / (width - 1)
    if mode == "asymmetric":
        return y / scale
    if mode == "tf_crop_and_resize":
        begin, end = part
        if width == 1:
            return torch.full_like(y, (end - begin) * (size - 1) / 2 + begin * (size - 1))
        return y * (end - begin) * (size - 1) / (width - 1) + begin * (size - 1)
    if mode == "pytorch_half_pixel" and width == 1:
        return torch.full_like(y, -0.5)
    offset = size / 2 * (1 - length / width) if mode == "half_pixel_symmetric" else 0.0
    return offset + (y + 0.5) / scale - 0.5


def _nearest(places: Tensor, mode: str) -> Tensor:
    if mode == "floor":
        return places.floor().long()
    if mode == "ceil":
        return places.ceil().long()
    if mode == "round_prefer_floor":
        return (places - 0.5).ceil().long()
    return (places + 0.5).floor().long()


def _taps(places: Tensor, mode: str, a: float) -> tuple[Tensor, Tensor]:
    """The positions, `[taps, length]`, of the elements near each place, and their weights."""
    left = places.floor()
    ratio = places - left
    if mode == "linear":
        return torch.stack([left, left + 1]).long(), torch.stack([1 - ratio, ratio])
    weights = []
    for distance in (ratio + 1, ratio, 1 - ratio, 2 - ratio):
        near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
        far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
        weights.append(torch.where(distance <= 1, near, far))
    return torch.stack([left - 1, left, left + 1, left + 2]).long(), torch.stack(weights)


@operator("Upsample", host=[1])
class Upsample(nn.Module):
    """Version 7 has the scales as an attribute, version 9 as an input."""

    def __init__(self, *, mode: str = "nearest", scales: list[float] | None = None) -> None:
        super().__init__()
        self.scales = scales
        self.resize = Resize(mode="linear" if mode == "linear" else "nearest")

    def forward(self, x: Any, scales: Any = None) -> Any:
        return self.resize(x, tuple(self.scales) if scales is None and self.scales else scales)


_SAMPLING = {"linear": "bilinear", "cubic": "bicubic"}


@operator("GridSample")
def grid_sample(
    x: Any, grid: Tensor, *, align_corners: int = 0, mode: str = "linear", padding_mode: str = "zeros"
) -> Any:
    mode = _SAMPLING.get(mode, mode)
    if isinstance(x, StringTensor):
        if mode != "nearest":
            raise ValueError(f"GridSample: expected `mode` nearest for strings, got {mode!r}")
        return on_strings(_sampled_positions, x, grid, align_corners=align_corners, padding_mode=padding_mode)
    return functional.grid_sample(x, grid, mode, padding_mode, bool(align_corners))


def _sampled_positions(positions: Tensor, grid: Tensor, *, align_corners: int, padding_mode: str) -> Tensor:
    values = positions.double()  # exact below 2**53
    return functional.grid_sample(values, grid.double(), "nearest", padding_mode, bool(align_corners)).long()


@operator("Col2Im", host=[1, 2])
@moves
def col2im(
    x: Tensor,
    image_shape: Any,
    block_shape: Any,
    *,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    image, block = ints(image_shape), tuple(ints(block_shape))
    rank = len(image)
    if rank != 2:
        raise ValueError(f"Col2Im: expected an image of 2 axes, got {rank}")
    around = pads or [0] * 2 * rank
    padded = tuple(size + around[i] + around[i + rank] for i, size in enumerate(image))
    folded = functional.fold(x, padded, block, tuple(dilations or [1, 1]), 0, tuple(strides or [1, 1]))
    for i, size in enumerate(image):
        folded = folded.narrow(2 + i, around[i], size)
    return folded


def _random_like(x: Any, dtype: int | None, seed: float | None) -> tuple[Tensor, torch.Generator | None]:
    """An empty tensor of the shape of `x`, and the generator of a seed."""
    kind = DTYPES[dtype] if dtype is not None else x.dtype if isinstance(x, Tensor) else torch.float32
    generator = None if seed is None else torch.Generator().manual_seed(int(seed))
    return torch.empty(x.shape, dtype=kind), generator


@operator("RandomNormalLike")
def random_normal_like(
    x: Any, *, dtype: int | None = None, mean: float = 0.0, scale: float = 1.0, seed: float | None = None
) -> Tensor:
    result, generator = _random_like(x, dtype, seed)
    return result.normal_(mean, scale, generator=generator)


@operator("RandomUniformLike")
def random_uniform_like(
    x: Any, *, dtype: int | None = None, low: float = 0.0, high: float = 1.0, seed: float | None = None
) -> Tensor:
    result, generator = _random_like(x, dtype, seed)
    return result.uniform_(low, high, generator=generator)
