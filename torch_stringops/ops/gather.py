"""Fake kernels of the operators that take strings from other strings, which `tensor/` calls.

_string_gather          the strings of several tensors at positions
_string_where           one of two strings for each element of a condition
_string_masked_select   the strings for which a mask is true
_string_cat             all strings of several tensors
"""

import math
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import (
    MAX_RANK,
    check_dtype,
    check_result_offsets,
    check_same_device,
    check_strings,
    dtype_name,
    shape_text,
)
from torch_stringops._tracing import Size, known, new_strings, register_fake, strings_shape


def check_list(op: str, strings: list[Tensor]) -> None:
    """Checks an argument that is the data and offsets of each tensor in turn."""
    if len(strings) < 2 or len(strings) % 2:
        raise ValueError(
            f"{op}: expected `strings` to be data and offsets of at least one tensor, got {len(strings)} tensors"
        )
    for data, offsets in zip(strings[::2], strings[1::2], strict=True):
        check_strings(op, data, offsets)
        check_same_device(op, data=strings[0], offsets=offsets)


def _check_rank(op: str, name: str, t: Tensor) -> None:
    if t.dim() == 0:
        raise ValueError(f"{op}: expected `{name}` of rank >= 1, got a scalar (use .reshape(1))")


def new_result(op: str, like: Tensor, shape: list[Size]) -> Any:
    """Creates strings of this shape, whose number of offsets is checked first."""
    check_result_offsets(op, [*shape[:-1], shape[-1] + 1])
    return new_strings(like, shape)


@register_fake("_string_gather")
def _fake_gather(strings: list[Tensor], positions: Tensor) -> Any:
    op = "StringTensor"
    check_list(op, strings)
    check_same_device(op, data=strings[0], positions=positions)
    if positions.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{op}: expected `positions` to be int32 or int64, got {dtype_name(positions.dtype)}")
    _check_rank(op, "positions", positions)
    return new_result(op, strings[0], list(positions.shape))


@register_fake("_string_where")
def _fake_where(condition: Tensor, data: Tensor, offsets: Tensor, other_data: Tensor, other_offsets: Tensor) -> Any:
    op = "where"
    check_same_device(
        op,
        condition=condition,
        data=data,
        offsets=offsets,
        other_data=other_data,
        other_offsets=other_offsets,
    )
    check_dtype(op, "condition", condition, torch.bool)
    _check_rank(op, "condition", condition)
    check_strings(op, data, offsets)
    check_strings(op, other_data, other_offsets, "other_data", "other_offsets")
    return new_result(op, data, list(condition.shape))


@register_fake("_string_masked_select")
def _fake_masked_select(data: Tensor, offsets: Tensor, mask: Tensor) -> Any:
    op = "StringTensor"
    check_strings(op, data, offsets)
    check_same_device(op, data=data, mask=mask)
    check_dtype(op, "mask", mask, torch.bool)
    shape = strings_shape(offsets)
    if mask.dim() != len(shape) or any(known(a != b) for a, b in zip(mask.shape, shape, strict=True)):
        raise ValueError(f"{op}: expected `mask` of shape {shape}, got shape {shape_text(mask)}")
    return new_strings(data, [None])


@register_fake("_string_cat")
def _fake_cat(strings: list[Tensor], shape: list[Size], op: str = "cat", joined: int | None = None) -> Any:
    check_list(op, strings)
    first, *others = (offsets.shape for offsets in strings[1::2])
    for i, sizes in enumerate(others if joined is not None else (), 1):
        if len(sizes) != len(first) or any(
            d != joined and known(a != b) for d, (a, b) in enumerate(zip(sizes, first, strict=True))
        ):
            raise ValueError(
                f"{op}: expected `strings` of the same shape in all axes but `joined`, got another for tensor {i}"
            )
    if not 1 <= len(shape) <= MAX_RANK:
        raise ValueError(f"{op}: expected `shape` of 1 to {MAX_RANK} sizes, got {len(shape)}")
    if len(shape) == 1 and known(shape[0] == -1):
        shape = [sum(math.prod(strings_shape(offsets)) for offsets in strings[1::2])]
    return new_result(op, strings[0], shape)
