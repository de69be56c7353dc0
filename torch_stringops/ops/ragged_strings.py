"""Padding and truncation of ragged rows of strings: ragged_to_dense of a StringTensor."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_result_offsets, check_same_device, check_strings, utf8
from torch_stringops._native import operator
from torch_stringops._tracing import Size, new_strings, register_fake, strings_shape
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.ops.ragged import check_padded_size, check_row_splits, check_side, dynamic_width
from torch_stringops.ops.ragged_to_dense import _ragged_to_dense
from torch_stringops.tensor.strings import S

_OP = "ragged_to_dense"
_op = operator("_strings_to_dense")


@register_fake("_strings_to_dense")
def _fake(
    data: Tensor,
    offsets: Tensor,
    row_splits: Tensor,
    width: Size | None,
    padding_value: str,
    side: str,
    **limits: Size,
) -> tuple[Tensor, Tensor]:
    check_same_device(_OP, data=data, offsets=offsets, row_splits=row_splits)
    check_strings(_OP, data, offsets)
    check_row_splits(_OP, row_splits)
    attributes = {"width": width, "padding_value": padding_value, "side": side, **limits}
    check_attributes("_strings_to_dense", ["data", "offsets", "row_splits"], attributes)
    rows, element = row_splits.shape[0] - 1, strings_shape(offsets)[1:]
    if width is None and not element:  # the offsets of a row are its last axis
        num_offsets = dynamic_width(**limits, more=1)
        return new_strings(data, [rows, num_offsets - 1])
    columns = dynamic_width(**limits) if width is None else width
    check_padded_size(_OP, rows, columns)
    shape = [rows, columns, *element]
    check_result_offsets(_OP, [*shape[:-1], shape[-1] + 1])
    return new_strings(data, shape)


def strings_to_dense(
    values: S,
    row_splits: Tensor,
    width: Size | None,
    padding_value: Any,
    side: str,
    **limits: Size,
) -> S:
    check_side(_OP, side)
    data, offsets = values.data, values.offsets
    if isinstance(padding_value, int) and padding_value == 0:  # the default
        padding_value = ""
    if not isinstance(padding_value, (str, bytes)):
        raise TypeError(
            f"{_OP}: expected `padding_value` to be str or bytes for strings, got {type(padding_value).__name__}"
        )
    # An exported program has one operator, which has a portable form, in place of those that make the view below.
    if padding_value or torch.compiler.is_exporting():
        utf8(_OP, "padding_value", padding_value)
        padded = _op(data, offsets, row_splits, width, padding_value, side, **limits)
        return values._new(*padded)
    if offsets.dim() > 1:  # each element is a row of strings; offsets of 0 are empty strings
        return values._new(data, _ragged_to_dense(offsets, row_splits, width, 0, side, **limits))
    # A view: strings keep their offsets, and padding repeats the first or the last offset of the row.
    if side == "left":
        inner = _ragged_to_dense(offsets[:-1], row_splits, width, -1, side, **limits)
        first, last = offsets[row_splits[:-1], None], offsets[row_splits[1:], None]
        return values._new(data, torch.cat([torch.maximum(inner, first), last], 1))
    inner = _ragged_to_dense(offsets[1:], row_splits, width, 2**31 - 1, side, **limits)
    first, last = offsets[row_splits[:-1], None], offsets[row_splits[1:], None]
    return values._new(data, torch.cat([first, torch.minimum(inner, last)], 1))
