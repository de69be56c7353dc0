"""Operators on each element: arithmetic, comparisons, logic, and functions of one number."""

from __future__ import annotations

import functools
import operator as python
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

import torch_stringops
from torch_stringops.onnx._registry import enter_functions, operator, zip_sizes
from torch_stringops.string_tensor import StringTensor

F = TypeVar("F", bound=Callable[..., Any])

enter_functions(
    {
        "Acos": torch.acos,
        "Acosh": torch.acosh,
        "Asin": torch.asin,
        "Asinh": torch.asinh,
        "Atan": torch.atan,
        "Atanh": torch.atanh,
        "Cos": torch.cos,
        "Cosh": torch.cosh,
        "Erf": torch.erf,
        "IsNaN": torch.isnan,
        "Reciprocal": torch.reciprocal,
        "Sign": torch.sign,
        "Sin": torch.sin,
        "Sinh": torch.sinh,
        "Tan": torch.tan,
    }
)


_WIDER = {torch.uint16: torch.int64, torch.uint32: torch.int64}


def _widened(function: F) -> F:
    """Computes uint16 and uint32, for which torch has few kernels, as int64. Numbers of results keep the dtype."""

    @functools.wraps(function)
    def widened(*inputs: Any, **attributes: Any) -> Any:
        dtype = getattr(inputs[0], "dtype", None)
        if dtype not in _WIDER:
            return function(*inputs, **attributes)
        result = function(*(x.to(_WIDER[dtype]) for x in inputs), **attributes)
        return result if result.dtype is torch.bool else result.to(dtype)

    return widened  # type: ignore[return-value]


def _legacy(a: Tensor, b: Any, axis: int | None) -> Any:
    """Aligns `b` with the axes of `a` from `axis` on, as versions before 7 broadcast."""
    if axis is None or not isinstance(b, Tensor):
        return b
    axis = axis % a.dim() if axis < 0 else axis
    return b.reshape([*b.shape, *[1] * (a.dim() - axis - b.dim())])


@operator("Add", sizes=zip_sizes(python.add))
@_widened
def add(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.add(a, _legacy(a, b, axis))


@operator("Sub", sizes=zip_sizes(python.sub))
@_widened
def sub(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.sub(a, _legacy(a, b, axis))


@operator("Mul", sizes=zip_sizes(python.mul))
@_widened
def mul(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.mul(a, _legacy(a, b, axis))


def _quotient(a: Any, b: Any) -> Any:
    """Sizes are not negative, so that the quotient of most is rounded down. Traced sizes stay as they are."""
    if type(a) is int and type(b) is int:
        if b == 0:
            raise ValueError("Div: expected a divisor other than 0")
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a // b


@operator("Div", sizes=zip_sizes(_quotient))
@_widened
def div(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    b = _legacy(a, b, axis)
    if a.is_floating_point() or a.is_complex():
        return a / b
    return torch.div(a, b, rounding_mode="trunc")


def _remainder(a: Any, b: Any) -> Any:
    if type(b) is int and b == 0:
        raise ValueError("Mod: expected a divisor other than 0")
    return a % b


@operator("Mod", sizes=lambda a, b, fmod=0: NotImplemented if fmod else zip_sizes(_remainder)(a, b))
@_widened
def mod(a: Tensor, b: Tensor, *, fmod: int = 0) -> Tensor:
    return torch.fmod(a, b) if fmod else torch.remainder(a, b)


@operator("Pow")
def power(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    b = _legacy(a, b, axis)
    if not a.is_floating_point() and b.is_floating_point():
        return torch.pow(a.to(b.dtype), b).to(a.dtype)
    return torch.pow(a, b).to(a.dtype)


@operator("Neg", sizes=zip_sizes(python.neg))
@_widened
def neg(x: Tensor) -> Tensor:
    return torch.neg(x)


@operator("Abs", sizes=zip_sizes(abs))
@_widened
def absolute(x: Tensor) -> Tensor:
    return torch.abs(x)


@operator("Floor", sizes=zip_sizes(int))
def floor(x: Tensor) -> Tensor:
    return torch.floor(x)


@operator("Ceil")
def ceil(x: Tensor) -> Tensor:
    return torch.ceil(x)


@operator("Round")
def round_half_even(x: Tensor) -> Tensor:
    return torch.round(x)


@operator("Sqrt")
def sqrt(x: Tensor) -> Tensor:
    return torch.sqrt(x)


@operator("Exp")
def exp(x: Tensor) -> Tensor:
    return torch.exp(x)


@operator("Log")
def log(x: Tensor) -> Tensor:
    return torch.log(x)


@operator("Sum")
def sum_of(first: Tensor, *others: Tensor) -> Tensor:
    for other in others:
        first = first + other
    return first


@operator("Mean")
def mean_of(*tensors: Tensor) -> Tensor:
    return sum_of(*tensors) / len(tensors)


@operator("Max", sizes=zip_sizes(max))
@_widened
def maximum(first: Tensor, *others: Tensor) -> Tensor:
    for other in others:
        first = torch.maximum(first, other)
    return first


@operator("Min", sizes=zip_sizes(min))
@_widened
def minimum(first: Tensor, *others: Tensor) -> Tensor:
    for other in others:
        first = torch.minimum(first, other)
    return first


@operator("Clip")
def clip(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Versions before 11 take the bounds as attributes."""
    if min is None and max is None:
        return x
    return torch.clamp(x, min, max)


@operator("Equal", sizes=zip_sizes(python.eq))
@_widened
def equal(a: Any, b: Any, *, axis: int | None = None, broadcast: int = 0) -> Any:
    return a.eq(b) if isinstance(a, StringTensor) else torch.eq(a, _legacy(a, b, axis))


@operator("Greater", sizes=zip_sizes(python.gt))
@_widened
def greater(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.gt(a, _legacy(a, b, axis))


@operator("GreaterOrEqual", sizes=zip_sizes(python.ge))
@_widened
def greater_or_equal(a: Tensor, b: Tensor) -> Tensor:
    return torch.ge(a, b)


@operator("Less", sizes=zip_sizes(python.lt))
@_widened
def less(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.lt(a, _legacy(a, b, axis))


@operator("LessOrEqual", sizes=zip_sizes(python.le))
@_widened
def less_or_equal(a: Tensor, b: Tensor) -> Tensor:
    return torch.le(a, b)


@operator("And", sizes=zip_sizes(lambda a, b: a and b))
def logical_and(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.logical_and(a, _legacy(a, b, axis))


@operator("Or", sizes=zip_sizes(lambda a, b: a or b))
def logical_or(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.logical_or(a, _legacy(a, b, axis))


@operator("Xor")
def logical_xor(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    return torch.logical_xor(a, _legacy(a, b, axis))


@operator("Not", sizes=zip_sizes(python.not_))
def logical_not(x: Tensor) -> Tensor:
    return torch.logical_not(x)


@operator("BitwiseNot")
@_widened
def bitwise_not(x: Tensor) -> Tensor:
    return torch.bitwise_not(x)


@operator("BitwiseAnd")
@_widened
def bitwise_and(a: Tensor, b: Tensor) -> Tensor:
    return torch.bitwise_and(a, b)


@operator("BitwiseOr")
@_widened
def bitwise_or(a: Tensor, b: Tensor) -> Tensor:
    return torch.bitwise_or(a, b)


@operator("BitwiseXor")
@_widened
def bitwise_xor(a: Tensor, b: Tensor) -> Tensor:
    return torch.bitwise_xor(a, b)


@operator("BitShift")
@_widened
def bit_shift(x: Tensor, amount: Tensor, *, direction: str) -> Tensor:
    if direction not in ("LEFT", "RIGHT"):
        raise ValueError(f"BitShift: expected `direction` to be 'LEFT' or 'RIGHT', got {direction!r}")
    return x << amount if direction == "LEFT" else x >> amount


@operator("IsInf")
def is_inf(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Tensor:
    found = torch.isinf(x)
    if not detect_negative:
        found = found & (x > 0)
    return found if detect_positive else found & (x < 0)


@operator("Where", sizes=zip_sizes(lambda condition, a, b: a if condition else b))
def choose(condition: Tensor, a: Any, b: Any) -> Any:
    if isinstance(a, StringTensor):
        return torch_stringops.where(condition, a, b)
    return torch.where(condition, a, b)
