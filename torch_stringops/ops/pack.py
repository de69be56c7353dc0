"""Conversion between strings and byte ranges of a buffer: string_tensor_pack, string_tensor_unpack."""

import torch
from torch import Tensor

from torch_stringops._checks import (
    check_dtype,
    check_rank,
    check_result_offsets,
    check_same_device,
    check_strings,
    dtype_name,
    shape_text,
)
from torch_stringops._native import operator
from torch_stringops._tracing import can_read, dynamic_size, new_strings, register_fake, strings_shape
from torch_stringops.tensor.strings import Strings

_PACK, _UNPACK = "string_tensor_pack", "string_tensor_unpack"


@register_fake(_PACK)
def _fake_pack(begins: Tensor, ends: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
    check_same_device(_PACK, begins=begins, ends=ends, symbols=symbols)
    if begins.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{_PACK}: expected `begins` to be int32 or int64, got {dtype_name(begins.dtype)}")
    if ends.dtype != begins.dtype:
        raise ValueError(
            f"{_PACK}: expected `ends` to be {dtype_name(begins.dtype)} like `begins`, got {dtype_name(ends.dtype)}"
        )
    if begins.dim() != ends.dim():
        raise ValueError(
            f"{_PACK}: expected `ends` of the shape of `begins` {shape_text(begins)}, got shape {shape_text(ends)}"
        )
    if begins.dim() == 0:
        raise ValueError(f"{_PACK}: expected `begins` of rank >= 1, got a scalar (use .reshape(1))")
    for dim in range(begins.dim()):
        torch._check(begins.shape[dim] == ends.shape[dim])
    check_dtype(_PACK, "symbols", symbols, torch.uint8)
    check_rank(_PACK, "symbols", symbols, 1)
    check_result_offsets(_PACK, [*begins.shape[:-1], begins.shape[-1] + 1])
    return new_strings(symbols, list(begins.shape))


_pack = operator(_PACK)


def _string_tensor_pack(begins: Tensor, ends: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
    if begins.dim() == 0 and ends.dim() == 0:
        begins, ends = begins.reshape(1), ends.reshape(1)
    data, offsets = _pack(begins, ends, symbols)
    return data, offsets


@register_fake(_UNPACK)
def _fake_unpack(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return *_fake_ranges(data, offsets), data.new_empty([dynamic_size()])


@register_fake(f"_{_UNPACK}_ranges")
def _fake_ranges(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    check_strings(_UNPACK, data, offsets)
    shape = strings_shape(offsets)
    return offsets.new_empty(shape), offsets.new_empty(shape)


_unpack, _unpack_ranges = operator(_UNPACK), operator(f"_{_UNPACK}_ranges")


def _rows_are_contiguous(offsets: Tensor) -> bool:
    """Whether consecutive rows of strings are adjacent."""
    rows = offsets.reshape(-1, offsets.shape[-1])
    return offsets.dim() == 1 or bool((rows[1:, 0] == rows[:-1, -1]).all())


def _string_tensor_unpack(s: Strings) -> tuple[Tensor, Tensor, Tensor]:
    data, offsets = s.data, s.offsets
    if can_read(offsets) and offsets.numel() > 0 and _rows_are_contiguous(offsets):
        begins, ends = _unpack_ranges(data, offsets)
        corners = offsets.reshape(-1)
        symbols = data[int(corners[0]) : int(corners[-1])]
    else:
        begins, ends, symbols = _unpack(data, offsets)
    if s._scalar:
        return begins.reshape(()), ends.reshape(()), symbols
    return begins, ends, symbols
