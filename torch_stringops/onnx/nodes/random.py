"""Random tensors of the shape of another."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops.onnx._registry import operator
from torch_stringops.onnx._tensors import DTYPES


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
