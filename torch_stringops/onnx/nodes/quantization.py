"""Quantized numbers, as those of text models with weights of 8 bits: QuantizeLinear, DequantizeLinear."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops.onnx._registry import operator
from torch_stringops.onnx._tensors import DTYPES


def _aligned(x: Tensor, values: Any, axis: int, block_size: int) -> Any:
    """Scales or zero points for `x`: one for all, one for each position of `axis`, or one for each block of it."""
    if values is None or values.numel() == 1:
        return values
    if block_size:
        return values.repeat_interleave(block_size, axis).narrow(axis, 0, x.shape[axis])
    return values.reshape([-1 if i == axis % x.dim() else 1 for i in range(x.dim())])


@operator("QuantizeLinear")
def quantize_linear(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Tensor:
    dtype = torch.uint8 if zero_point is None else zero_point.dtype
    dtype = DTYPES.get(output_dtype, dtype)
    if dtype.is_floating_point:
        raise ValueError(f"QuantizeLinear: expected a result of integers, got {dtype}")
    computed = DTYPES.get(precision, torch.promote_types(x.dtype, scale.dtype))
    y = (x.to(computed) / _aligned(x, scale, axis, block_size).to(computed)).round()
    if zero_point is not None:
        y = y + _aligned(x, zero_point, axis, block_size).to(computed)
    limits = torch.iinfo(dtype)
    quantized: Tensor = y.clamp(limits.min, limits.max).to(dtype)
    return quantized


@operator("DequantizeLinear")
def dequantize_linear(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Tensor:
    y = x.to(torch.int32)
    if zero_point is not None:
        y = y - _aligned(x, zero_point, axis, block_size).to(torch.int32)
    numbers: Tensor = (y * _aligned(x, scale, axis, block_size)).to(DTYPES.get(output_dtype, scale.dtype))
    return numbers
