"""Activation functions, and the softmax family."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torch_stringops.onnx._registry import enter_functions, operator

enter_functions(
    {
        "Relu": torch.relu,
        "Sigmoid": torch.sigmoid,
        "Softsign": functional.softsign,
        "Tanh": torch.tanh,
    }
)


@operator("Elu")
def elu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return functional.elu(x, alpha)


@operator("Gelu")
def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    return functional.gelu(x, approximate=approximate)


@operator("HardSigmoid")
def hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    return torch.clamp(alpha * x + beta, 0, 1)


@operator("LeakyRelu")
def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Tensor:
    return functional.leaky_relu(x, alpha)


@operator("PRelu")
def prelu(x: Tensor, slope: Tensor, *, version: int = 7) -> Tensor:
    """Before version 7, slopes are those of channels."""
    if version < 7 and slope.numel() > 1:
        slope = slope.reshape([-1, *[1] * (x.dim() - 2)])
    return torch.where(x < 0, x * slope, x)


@operator("Softplus")
def softplus(x: Tensor) -> Tensor:
    return torch.logaddexp(x, torch.zeros_like(x))


@operator("Swish")
def swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return x * torch.sigmoid(alpha * x)


def _along(function: Any, x: Tensor, axis: int, version: int) -> Tensor:
    """Before version 13, the axes from `axis` on are one axis."""
    if version >= 13:
        return function(x, axis)  # type: ignore[no-any-return]
    axis = axis % max(x.dim(), 1)
    rows = math.prod(x.shape[:axis])
    return function(x.reshape(rows, -1), 1).reshape(x.shape)  # type: ignore[no-any-return]


@operator("Softmax")
def softmax(x: Tensor, *, axis: int = -1, version: int = 13) -> Tensor:
    return _along(torch.softmax, x, axis, version)


@operator("LogSoftmax")
def log_softmax(x: Tensor, *, axis: int = -1, version: int = 13) -> Tensor:
    return _along(torch.log_softmax, x, axis, version)


@operator("Dropout")
def dropout(
    x: Tensor, ratio: Any = 0.5, training_mode: Any = None, *, seed: int | None = None, is_test: int = 1
) -> tuple[Tensor, Tensor]:
    """Loaded models predict: nothing is dropped, whatever `training_mode` says."""
    return x, torch.ones_like(x, dtype=torch.bool)
