"""Joining strings: string_join, string_join_ragged."""

from typing import Any

from torch import Tensor

from torch_stringops._checks import check_rank, check_same_device, check_strings, wrap_dim
from torch_stringops._native import operator
from torch_stringops._tracing import new_strings, register_fake, strings_shape
from torch_stringops.ops.ragged import check_row_splits
from torch_stringops.tensor.reshape import movedim
from torch_stringops.tensor.strings import S, rank


@register_fake("string_join")
def _fake_join(data: Tensor, offsets: Tensor, separator: str = "") -> Any:
    check_strings("string_join", data, offsets)
    return new_strings(data, strings_shape(offsets)[:-1] or [1])


_join = operator("string_join")


def _string_join(s: S, separator: str | bytes, dim: int) -> S:
    dims = rank(s)
    last = movedim(s, dim, -1) if wrap_dim(dim, dims) < dims - 1 else s
    data, offsets = _join(last.data, last.offsets, separator)
    return s._new(data, offsets, dims <= 1)


@register_fake("string_join_ragged")
def _fake_join_ragged(data: Tensor, offsets: Tensor, row_splits: Tensor, separator: str = "") -> Any:
    op = "string_join_ragged"
    check_strings(op, data, offsets)
    check_rank(op, "offsets", offsets, 1)
    check_same_device(op, data=data, offsets=offsets, row_splits=row_splits)
    check_row_splits(op, row_splits)
    return new_strings(data, [row_splits.shape[0] - 1])


_join_ragged = operator("string_join_ragged")


def _string_join_ragged(values: S, row_splits: Tensor, separator: str | bytes) -> S:
    return values._new(*_join_ragged(values.data, values.offsets, row_splits, separator))
