"""Conversion between strings and numbers, and between bytes and hexadecimal digits."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_elements, check_rank, check_same_device, dtype_name
from torch_stringops._native import operator
from torch_stringops._tracing import register_fake
from torch_stringops.ops._declare import declare_map, declare_reduce
from torch_stringops.ops.gather import new_result
from torch_stringops.ops.ragged import INTEGERS, as_padding
from torch_stringops.tensor.strings import S, Strings

_DTYPES = INTEGERS | {torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool}


def _check_number_dtype(op: str, name: str, dtype: torch.dtype) -> None:
    if dtype not in _DTYPES:
        raise ValueError(
            f"{op}: expected `{name}` to be an integer, float16, bfloat16, float32, float64 or bool, "
            f"got {dtype_name(dtype)}"
        )


def check_fill(op: str, *, data: Tensor, fill: Tensor | None, dtype: torch.dtype = torch.int64, **_: Any) -> None:
    if fill is not None:
        check_same_device(op, data=data, fill=fill)
        check_dtype(op, "fill", fill, dtype)
        check_rank(op, "fill", fill, 0)


_to_number = declare_reduce("string_to_number", lambda given: given["dtype"], check_fill)


def _string_to_number(s: Strings, dtype: torch.dtype, errors: str, fill: Any) -> Tensor:
    op = "string_to_number"
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"{op}: expected `dtype` to be a torch.dtype, got {type(dtype).__name__}")
    _check_number_dtype(op, "dtype", dtype)
    if errors == "raise":
        if fill is not None:
            raise ValueError(f'{op}: expected `fill` only with errors="fill", got errors="raise"')
        value = None
    else:
        value = as_padding(op, s.offsets.new_empty((0,), dtype=dtype), 0 if fill is None else fill, "fill")
    return _to_number(s, dtype, errors, value)


@register_fake("string_from_number")
def _fake_from_number(input: Tensor) -> Any:
    op = "string_from_number"
    check_elements(op, "input", input)
    _check_number_dtype(op, "input", input.dtype)
    return new_result(op, input, list(input.shape) or [1])


_from_number = operator("string_from_number")


def _string_from_number(cls: type[S], input: Tensor) -> S:
    strings: tuple[Tensor, Tensor] = _from_number(input)
    return cls._new(*strings, input.dim() == 0)


_string_hex = declare_map("string_hex")
_string_unhex = declare_map("string_unhex")
