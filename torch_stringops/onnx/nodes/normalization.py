"""Normalisation over batches, layers, groups and instances."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from torch_stringops.onnx._registry import operator


def _by_channel(t: Tensor, like: Tensor) -> Tensor:
    """One number for each channel; or for each element of `like[0]`, as BatchNormalization-7 has with `spatial=0`."""
    return t if t.dim() > 1 else t.reshape([-1, *[1] * (like.dim() - 2)])


@operator("BatchNormalization")
def batch_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
    is_test: int = 1,
    spatial: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    if not training_mode:
        normal = (x - _by_channel(mean, x)) * torch.rsqrt(_by_channel(var, x) + epsilon)
        return (_by_channel(scale, x) * normal + _by_channel(bias, x)).to(x.dtype), mean, var
    axes = [axis for axis in range(x.dim()) if axis != 1] if spatial else [0]
    batch_mean, batch_var = x.mean(axes), x.var(axes, unbiased=False)
    y, _, _ = batch_normalization(x, scale, bias, batch_mean, batch_var, epsilon=epsilon)
    return (
        y,
        mean * momentum + batch_mean * (1 - momentum),
        var * momentum + batch_var * (1 - momentum),
    )


@operator("LayerNormalization")
def layer_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    outputs: int = 1,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    axis = axis % x.dim()
    if outputs == 1 and scale.shape == x.shape[axis:]:
        return functional.layer_norm(x, list(scale.shape), scale, bias, epsilon), None, None
    axes = list(range(axis, x.dim()))
    stashed = x.float() if stash_type == 1 else x
    mean = stashed.mean(axes, keepdim=True)
    inverse = torch.rsqrt((stashed - mean).square().mean(axes, keepdim=True) + epsilon)
    y = ((stashed - mean) * inverse).to(x.dtype) * scale
    return (y if bias is None else y + bias), mean, inverse


@operator("RMSNormalization")
def rms_normalization(
    x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    stashed = x.float() if stash_type == 1 else x
    axes = list(range(axis % x.dim(), x.dim()))
    inverse = torch.rsqrt(stashed.square().mean(axes, keepdim=True) + epsilon)
    return (stashed * inverse).to(x.dtype) * scale


@operator("LpNormalization")
def lp_normalization(x: Tensor, *, axis: int = -1, p: int = 2) -> Tensor:
    length = x.abs().sum(axis, keepdim=True) if p == 1 else x.square().sum(axis, keepdim=True).sqrt()
    return torch.where(length == 0, torch.zeros_like(x), x / length)
