"""Strings as UTF-8: validity, repair, code points and bytes."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import (
    check_dtype,
    check_elements,
    check_rank,
    check_same_device,
    check_tensor,
    dtype_name,
)
from torch_stringops._native import operator
from torch_stringops._tracing import new_strings, register_fake
from torch_stringops.ops._declare import declare_map, declare_ragged_values, declare_reduce
from torch_stringops.ops.ragged import check_row_splits
from torch_stringops.ops.ragged_rows import lengths_of, splits_of

_string_is_utf8 = declare_reduce("string_is_utf8", torch.bool)
_string_repair = declare_map("string_repair")
_string_codepoints = declare_ragged_values("string_codepoints", torch.int32)
_string_bytes = declare_ragged_values("string_bytes", torch.uint8)


@register_fake("string_from_codepoints")
def _fake_from_codepoints(values: Tensor, row_splits: Tensor) -> Any:
    op = "string_from_codepoints"
    check_same_device(op, values=values, row_splits=row_splits)
    if values.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{op}: expected `values` to be int32 or int64, got {dtype_name(values.dtype)}")
    check_rank(op, "values", values, 1)
    check_elements(op, "values", values)
    check_row_splits(op, row_splits)
    return new_strings(values, [row_splits.shape[0] - 1])


_from_codepoints = operator("string_from_codepoints")


def _string_from_codepoints(values: Tensor, row_splits: Tensor) -> tuple[Tensor, Tensor]:
    for name, tensor in (("values", values), ("row_splits", row_splits)):
        check_tensor("string_from_codepoints", name, tensor)
    data, offsets = _from_codepoints(values, row_splits)
    return data, offsets


def from_bytes(data: Tensor, row_splits: Tensor) -> tuple[Tensor, Tensor]:
    op = "string_from_bytes"
    check_tensor(op, "data", data)
    check_dtype(op, "data", data, torch.uint8)
    check_rank(op, "data", data, 1)
    if row_splits.dtype is torch.int32:
        row_splits = row_splits.to(torch.int64)
    # The offsets are computed from the checked lengths, so that programs that were traced check them too.
    lengths = lengths_of(op, data, row_splits)
    return data.contiguous(), splits_of(lengths).to(torch.int32)
