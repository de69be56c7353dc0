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
        "HardSwish": functional.hardswish,
        "Mish": functional.mish,
        "Relu": torch.relu,
        "Sigmoid": torch.sigmoid,
        "Softsign": functional.softsign,
        "Tanh": torch.tanh,
    }
)


@operator("Celu")
def celu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return torch.clamp(x, min=0) + torch.clamp(alpha * (torch.exp(x / alpha) - 1), max=0)


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


@operator("Selu")
def selu(x: Tensor, *, alpha: float = 1.6732632, gamma: float = 1.0507010) -> Tensor:
    return gamma * torch.where(x > 0, x, alpha * (torch.exp(x) - 1))


@operator("Shrink")
def shrink(x: Tensor, *, bias: float = 0.0, lambd: float = 0.5) -> Tensor:
    return torch.where(x < -lambd, x + bias, torch.where(x > lambd, x - bias, torch.zeros_like(x)))


@operator("Softplus")
def softplus(x: Tensor) -> Tensor:
    return torch.logaddexp(x, torch.zeros_like(x))


@operator("Swish")
def swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return x * torch.sigmoid(alpha * x)


@operator("ThresholdedRelu")
def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return torch.where(x > alpha, x, torch.zeros_like(x))


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


def _first_maximum(x: Tensor, axis: int) -> Tensor:
    at = x.argmax(axis, keepdim=True)
    return torch.zeros_like(x).scatter(axis, at, 1)


@operator("Hardmax")
def hardmax(x: Tensor, *, axis: int = -1, version: int = 13) -> Tensor:
    return _along(_first_maximum, x, axis, version)


@operator("Dropout")
def dropout(
    x: Tensor, ratio: Any = 0.5, training_mode: Any = None, *, seed: int | None = None, is_test: int = 1
) -> tuple[Tensor, Tensor]:
    """Loaded models predict: nothing is dropped, whatever `training_mode` says."""
    return x, torch.ones_like(x, dtype=torch.bool)
