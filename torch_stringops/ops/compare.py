"""Comparison of strings: string_equal, the operators of order, string_isin, string_edit_distance."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_same_device, check_strings
from torch_stringops._native import operator
from torch_stringops._tracing import known, register_fake, strings_shape
from torch_stringops.ops._declare import declare_zip
from torch_stringops.ops.length import check_unit
from torch_stringops.tensor.strings import Strings

_string_equal = declare_zip("string_equal", torch.bool)
_string_less = declare_zip("string_less", torch.bool)
_string_less_equal = declare_zip("string_less_equal", torch.bool)
_string_greater = declare_zip("string_greater", torch.bool)
_string_greater_equal = declare_zip("string_greater_equal", torch.bool)


@register_fake("string_isin")
def _fake_isin(data: Tensor, offsets: Tensor, test_data: Tensor, test_offsets: Tensor) -> Tensor:
    op = "string_isin"
    check_same_device(op, data=data, offsets=offsets, test_data=test_data, test_offsets=test_offsets)
    check_strings(op, data, offsets)
    check_strings(op, test_data, test_offsets, "test_data", "test_offsets")
    return offsets.new_empty(strings_shape(offsets), dtype=torch.bool)


_isin = operator("string_isin")


def _string_isin(s: Strings, test: Strings) -> Tensor:
    found: Tensor = _isin(s.data, s.offsets, test.data, test.offsets)
    return found.reshape(()) if s._scalar else found


def _check_edit_distance(op: str, *, max_distance: int | None = None, **arguments: Any) -> None:
    check_unit(op, **arguments)
    if max_distance is not None and known(max_distance < 0):
        raise ValueError(f"{op}: expected `max_distance` >= 0 or None, got {max_distance}")


_string_edit_distance = declare_zip("string_edit_distance", torch.int64, _check_edit_distance)
