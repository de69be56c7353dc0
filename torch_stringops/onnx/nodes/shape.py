"""Operators that change the shape or type of a tensor, of numbers or strings, and operators on shapes."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

import torch_stringops
from torch_stringops._tracing import known
from torch_stringops.onnx._registry import as_tensor, ints, is_size, operator
from torch_stringops.onnx._tensors import DTYPES, STRING
from torch_stringops.string_tensor import StringTensor


@operator("Identity", sizes=lambda value: value)
def identity(value: Any) -> Any:
    return value


@operator("Shape", gives_sizes=True)
def shape(x: Any, *, start: int = 0, end: int | None = None) -> Any:
    if is_size(x):
        x = as_tensor(x)
    return tuple(x.shape)[start:end]


@operator("Size", gives_sizes=True)
def size(x: Any) -> Any:
    return as_tensor(x).numel() if is_size(x) else x.numel()


def _reshape_sizes(values: Any, to: Any, **_: Any) -> Any:
    """Between rank 0 and 1; other shapes are tensors."""
    sizes = ints(to)
    if len(sizes) == 1 and (not isinstance(values, tuple) or values):
        return values if isinstance(values, tuple) else (values,)
    if not sizes and (not isinstance(values, tuple) or len(values) == 1):
        return values[0] if isinstance(values, tuple) else values
    return NotImplemented


@operator("Reshape", host=[1], sizes=_reshape_sizes)
def reshape(x: Any, shape: Any, *, allowzero: int = 0, consumed_inputs: Any = None) -> Any:
    sizes = ints(shape)
    if not allowzero:
        if any(known(to == 0) and i >= x.dim() for i, to in enumerate(sizes)):
            raise ValueError(f"Reshape: expected an axis for each 0 of {sizes}, got rank {x.dim()}")
        sizes = [x.shape[i] if known(to == 0) else to for i, to in enumerate(sizes)]
    return x.reshape(sizes)


@operator("Flatten")
def flatten(x: Any, *, axis: int = 1) -> Any:
    axis = axis + x.dim() if axis < 0 else axis
    if not 0 <= axis <= x.dim():
        raise ValueError(f"Flatten: expected `axis` within the rank {x.dim()}, got {axis}")
    return x.reshape([math.prod(x.shape[:axis]), math.prod(x.shape[axis:])])


@operator("Transpose", sizes=lambda values, perm=None: values)
def transpose(x: Any, *, perm: list[int] | None = None) -> Any:
    return x.permute(list(range(x.dim()))[::-1] if perm is None else perm)


def _squeeze_sizes(values: Any, axes: Any = None) -> Any:
    return values[0] if isinstance(values, tuple) and len(values) == 1 else NotImplemented


@operator("Squeeze", host=[1], sizes=_squeeze_sizes)
def squeeze(x: Any, axes: Any = None) -> Any:
    if axes is None:
        return x.squeeze()
    dims = [dim % x.dim() if -x.dim() <= dim < x.dim() else dim for dim in ints(axes)]
    for dim in dims:
        if not 0 <= dim < x.dim() or known(x.shape[dim] != 1):
            raise ValueError(f"Squeeze: expected axes of size 1, got axis {dim} of shape {list(x.shape)}")
    return x.squeeze(tuple(dims)) if dims else x


def _unsqueeze_sizes(value: Any, axes: Any) -> Any:
    return NotImplemented if isinstance(value, tuple) or len(ints(axes)) != 1 else (value,)


@operator("Unsqueeze", host=[1], sizes=_unsqueeze_sizes)
def unsqueeze(x: Any, axes: Any) -> Any:
    dims = ints(axes)
    rank = x.dim() + len(dims)
    dims = sorted(dim + rank if dim < 0 else dim for dim in dims)
    if len(set(dims)) != len(dims):
        raise ValueError(f"Unsqueeze: expected distinct axes, got {dims}")
    for dim in dims:
        x = x.unsqueeze(dim)
    return x


def _concat_sizes(*values: Any, axis: int = 0, version: int = 13) -> Any:
    if not all(isinstance(value, tuple) for value in values):
        return NotImplemented
    return tuple(size for value in values for size in value)


@operator("Concat", sizes=_concat_sizes)
def concat(*tensors: Any, axis: int | None = None, version: int = 13) -> Any:
    axis = (1 if version == 1 else 0) if axis is None else axis
    strings = isinstance(tensors[0], StringTensor)
    return torch_stringops.cat(list(tensors), axis) if strings else torch.cat(tensors, axis)


@operator("Expand", host=[1])
def expand(x: Any, shape: Any) -> Any:
    """Both shapes broadcast: an axis of size 1 in `shape` keeps that of `x`."""
    sizes = ints(shape)
    sizes = [1] * (x.dim() - len(sizes)) + sizes
    first = len(sizes) - x.dim()
    kept = [-1 if known(to == 1) and i >= first else to for i, to in enumerate(sizes)]
    return x.expand(kept)


def _constant_sizes(shape: Any, *, value: Any = None) -> Any:
    sizes = ints(shape)
    if not isinstance(value, tuple) or len(sizes) > 1 or not all(type(to) is int and known(to < 64) for to in sizes):
        return NotImplemented
    return value * sizes[0] if sizes else value[0]


@operator("ConstantOfShape", host=[0], sizes=_constant_sizes)
def constant_of_shape(shape: Any, *, value: Any = None) -> Tensor:
    sizes = ints(shape)
    if is_size(shape):
        small = _constant_sizes(shape, value=value)
        if small is not NotImplemented:
            return small  # type: ignore[no-any-return]
    if any(known(to < 0) for to in sizes):
        raise ValueError(f"ConstantOfShape: expected sizes of 0 or more, got {sizes}")
    if value is None:
        return torch.zeros(sizes)
    if isinstance(value, tuple):
        return torch.full(sizes, value[0], dtype=torch.int64)
    return value.reshape(()).expand(sizes)  # type: ignore[no-any-return]


def _cast_sizes(values: Any, *, to: int, **_: Any) -> Any:
    return values if DTYPES.get(to) is torch.int64 and not _has_bool(values) else NotImplemented


def _has_bool(values: Any) -> bool:
    return any(
        isinstance(value, (bool, torch.SymBool)) for value in (values if isinstance(values, tuple) else [values])
    )


@operator("Cast", sizes=_cast_sizes)
def cast(x: Any, *, to: Any, saturate: int = 1, round_mode: str = "up") -> Any:
    """Strings are read as numbers, and numbers written as the shortest decimals that give them back."""
    to = _TYPE_NAMES.get(to, to)  # a name in version 1
    if to == STRING:
        return x if isinstance(x, StringTensor) else torch_stringops.string_from_number(x)
    if to not in DTYPES:
        raise ValueError(f"Cast: expected a type that torch has, got type {to} of ONNX")
    dtype = DTYPES[to]
    return to_number(x, dtype) if isinstance(x, StringTensor) else x.to(dtype)


def to_number(strings: StringTensor, dtype: torch.dtype) -> Tensor:
    """Strings as numbers; integers leave out a fraction, as ONNX has "100.5" to 100."""
    if not dtype.is_floating_point and dtype is not torch.bool:
        strings = strings.regex_replace(r"^(\s*[-+]?\d[\d_]*)\.[\d_]*(\s*)$", r"\1\2")
    return strings.to_number(dtype)


_TYPE_NAMES = {"FLOAT": 1, "INT32": 6, "INT64": 7, "STRING": 8, "BOOL": 9, "FLOAT16": 10, "DOUBLE": 11}


@operator("CastLike")
def cast_like(x: Any, like: Any, *, saturate: int = 1, round_mode: str = "up") -> Any:
    if isinstance(like, StringTensor):
        return cast(x, to=STRING)
    return to_number(x, like.dtype) if isinstance(x, StringTensor) else x.to(like.dtype)


def _split_sizes(values: Any, split: Any = None, *, axis: int = 0, outputs: int = 0, **_: Any) -> Any:
    if split is None or not isinstance(values, tuple):
        return NotImplemented
    ends = [sum(ints(split)[: i + 1]) for i in range(len(ints(split)))]
    return tuple(values[end - count : end] for end, count in zip(ends, ints(split), strict=True))


@operator("Split", host=[1], sizes=_split_sizes)
def split_axis(
    x: Any,
    split: Any = None,
    *,
    axis: int = 0,
    num_outputs: int | None = None,
    outputs: int = 0,
    version: int = 18,
) -> tuple[Any, ...]:
    sizes = None if split is None else ints(split) if version > 1 else [int(to) for to in ints(split)]
    if sizes is None and version < 18:
        num_outputs = outputs
    pieces = torch_stringops.split(x, sizes, axis, num_outputs=num_outputs, opset=version)
    if len(pieces) != outputs:
        raise ValueError(f"Split: expected {outputs} pieces, as the node has outputs, got {len(pieces)}")
    return tuple(pieces)
