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
        "Ceil": torch.ceil,
        "Cos": torch.cos,
        "Erf": torch.erf,
        "Exp": torch.exp,
        "IsNaN": torch.isnan,
        "Log": torch.log,
        "Reciprocal": torch.reciprocal,
        "Round": torch.round,
        "Sign": torch.sign,
        "Sin": torch.sin,
        "Sqrt": torch.sqrt,
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


def _entered(
    name: str, function: Callable[..., Tensor], on_sizes: Callable[..., Any] | None = None, version: int = 1
) -> Callable[..., Tensor]:
    """Enters a function of tensors, and the same of ints. The code of a module shows the name of the operator."""

    def call(*tensors: Tensor) -> Tensor:
        return function(*tensors)

    call.__name__ = call.__qualname__ = name
    sizes = None if on_sizes is None else zip_sizes(on_sizes)
    return operator(name, sizes=sizes, version=version)(_widened(call))


def _of_all(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    return lambda *tensors: functools.reduce(function, tensors)


def _quotient(a: Any, b: Any) -> Any:
    """Sizes are not negative, so that the quotient of most is rounded down. Traced sizes stay as they are."""
    if type(a) is int and type(b) is int:
        if b == 0:
            raise ValueError("Div: expected a divisor other than 0")
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a // b


def _divide(a: Tensor, b: Tensor) -> Tensor:
    return torch.div(a, b, rounding_mode=None if a.is_floating_point() or a.is_complex() else "trunc")


# Before version 7, operators on two tensors broadcast by another rule.
Add = _entered("Add", torch.add, python.add, version=7)
Sub = _entered("Sub", torch.sub, python.sub, version=7)
Mul = _entered("Mul", torch.mul, python.mul, version=7)
Div = _entered("Div", _divide, _quotient, version=7)
Greater = _entered("Greater", torch.gt, python.gt, version=7)
GreaterOrEqual = _entered("GreaterOrEqual", torch.ge, python.ge)
Less = _entered("Less", torch.lt, python.lt, version=7)
LessOrEqual = _entered("LessOrEqual", torch.le, python.le)
And = _entered("And", torch.logical_and, lambda a, b: a and b, version=7)
Or = _entered("Or", torch.logical_or, lambda a, b: a or b, version=7)
Xor = _entered("Xor", torch.logical_xor, version=7)
Not = _entered("Not", torch.logical_not, python.not_)
Neg = _entered("Neg", torch.neg, python.neg)
Abs = _entered("Abs", torch.abs, abs)
Floor = _entered("Floor", torch.floor, int)
Max = _entered("Max", _of_all(torch.maximum), max)
Min = _entered("Min", _of_all(torch.minimum), min)
Sum = _entered("Sum", _of_all(torch.add))
Mean = _entered("Mean", lambda *tensors: _of_all(torch.add)(*tensors) / len(tensors))


def _remainder(a: Any, b: Any) -> Any:
    if type(b) is int and b == 0:
        raise ValueError("Mod: expected a divisor other than 0")
    return a % b


@operator("Mod", sizes=lambda a, b, fmod=0: NotImplemented if fmod else zip_sizes(_remainder)(a, b))
@_widened
def mod(a: Tensor, b: Tensor, *, fmod: int = 0) -> Tensor:
    return torch.fmod(a, b) if fmod else torch.remainder(a, b)


@operator("Pow", version=7)
def power(a: Tensor, b: Tensor) -> Tensor:
    if not a.is_floating_point() and b.is_floating_point():
        return torch.pow(a.to(b.dtype), b).to(a.dtype)
    return torch.pow(a, b).to(a.dtype)


@operator("Clip")
def clip(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Versions before 11 take the bounds as attributes."""
    if min is None and max is None:
        return x
    return torch.clamp(x, min, max)


@operator("Equal", sizes=zip_sizes(python.eq), version=7)
@_widened
def equal(a: Any, b: Any) -> Any:
    return a.eq(b) if isinstance(a, StringTensor) else torch.eq(a, b)


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
