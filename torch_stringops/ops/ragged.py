"""Ragged rows: ragged_mask and ragged_lengths, checks of arguments (the same as in csrc/ops/ragged.cpp), padding."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import (
    MAX_OFFSETS,
    check_dtype,
    check_elements,
    check_rank,
    check_same_device,
    check_tensor,
    choice_error,
    dtype_name,
    shape_text,
)
from torch_stringops._native import operator
from torch_stringops._tracing import Size, dynamic_size, register_fake
from torch_stringops.ops._attributes import check_attributes


def check_side(op: str, side: str) -> None:
    if not isinstance(side, str) or side not in ("left", "right"):
        raise choice_error(op, "side", "'left' or 'right'", side)


def check_row_splits(op: str, row_splits: Tensor) -> None:
    check_dtype(op, "row_splits", row_splits, torch.int64)
    if row_splits.dim() != 1 or (isinstance(row_splits.shape[0], int) and row_splits.shape[0] < 1):
        raise ValueError(
            f"{op}: expected `row_splits` of shape [n + 1] with n >= 0, got shape {shape_text(row_splits)}"
        )
    check_elements(op, "row_splits", row_splits)


def check_padded_size(op: str, rows: Size, width: Size) -> None:
    """Limits the size of a dense tensor, which may consist almost entirely of padding if a single row is long."""
    if type(rows) is int and type(width) is int and rows * width > MAX_OFFSETS:
        raise ValueError(
            f"{op}: padding {rows} rows to {width} elements needs more than {MAX_OFFSETS} "
            "(keep the rows ragged, or pass a smaller `width`)"
        )


def dynamic_width(
    max_width: Size | None = None, min_width: Size = 0, pad_to_multiple_of: Size = 1, *, more: int = 0
) -> Size:
    """A data-dependent width plus `more`, between the limits that tracing knows."""

    def rounded(size: Size) -> int | None:
        if not (isinstance(size, int) and isinstance(pad_to_multiple_of, int)):
            return None
        return -(-size // pad_to_multiple_of) * pad_to_multiple_of + more

    return dynamic_size(minimum=rounded(min_width) or more, maximum=rounded(max_width))


_NUMBER = (int, float, complex)


def as_padding(op: str, like: Tensor, value: Any, name: str = "padding_value") -> Tensor | None:
    """Converts the padding value, the argument `name`, to a tensor of rank 0 of the dtype of `like`.

    Returns None for the int 0.
    """
    if isinstance(value, Tensor):
        check_same_device(op, **{"tensor": like, name: value})
        check_dtype(op, name, value, like.dtype)
        check_rank(op, name, value, 0)
        return value
    if type(value) is int and value == 0:
        return None
    number = value
    if not isinstance(value, _NUMBER):
        number = value.item() if getattr(value, "shape", None) == () else value  # a NumPy scalar
    if not isinstance(number, _NUMBER):
        raise TypeError(f"{op}: expected `{name}` to be a number, got {type(value).__name__}")
    if not _holds(like.dtype, number):
        raise ValueError(
            f"{op}: expected `{name}` to be a number that {dtype_name(like.dtype)} holds, got {_number_text(number)}"
        )
    if isinstance(number, int) and (like.dtype.is_floating_point or like.dtype.is_complex):
        number = float(number)
    return torch.full((), number, dtype=like.dtype, device=like.device)


def _holds(dtype: torch.dtype, number: complex) -> bool:
    """Whether the dtype can represent the number, possibly rounded."""
    if dtype.is_complex:
        return _holds(dtype.to_real(), number.real) and _holds(dtype.to_real(), number.imag)
    if isinstance(number, complex):
        return False
    if dtype == torch.bool:
        return number in (0, 1)
    if dtype.is_floating_point:
        if dtype in _PACKED:
            return False
        # Dynamo traces no math.isfinite of a float that varies.
        if not isinstance(number, int) and number - number != 0:
            # "fn" in the name of a dtype: no infinity
            return number != number or "fn" not in dtype_name(dtype)
        return torch.finfo(dtype).min <= number <= torch.finfo(dtype).max
    if dtype not in INTEGERS or (isinstance(number, float) and not number.is_integer()):
        return False
    return torch.iinfo(dtype).min <= number <= torch.iinfo(dtype).max


INTEGERS = frozenset(getattr(torch, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64))
# Two elements per byte.
_PACKED = frozenset({torch.float4_e2m1fn_x2})


def _number_text(number: complex) -> str:
    if isinstance(number, int) and abs(number) >= 2**64:
        return f"{'-' if number < 0 else ''}2**{abs(number).bit_length() - 1} or more"
    return str(number)


@register_fake("ragged_mask")
def _fake_mask(row_splits: Tensor, width: Size | None = None, side: str = "right") -> Tensor:
    check_row_splits("ragged_mask", row_splits)
    check_attributes("ragged_mask", ["row_splits"], {"width": width, "side": side})
    columns = dynamic_size() if width is None else width
    check_padded_size("ragged_mask", row_splits.shape[0] - 1, columns)
    return row_splits.new_empty([row_splits.shape[0] - 1, columns], dtype=torch.bool)


_ragged_mask = operator("ragged_mask")


def _ragged_lengths(row_splits: Tensor) -> Tensor:
    check_tensor("ragged_lengths", "row_splits", row_splits)
    check_row_splits("ragged_lengths", row_splits)
    return row_splits[1:] - row_splits[:-1]


@register_fake("_ragged_lengths")
def _fake_lengths(row_splits: Tensor, num_values: Size, op: str) -> Tensor:
    check_row_splits(op, row_splits)
    return row_splits.new_empty([row_splits.shape[0] - 1])


# (row_splits, num_values, op) -> the lengths of the rows, after a check of the values; errors begin with `op`.
checked_lengths = operator("_ragged_lengths")
