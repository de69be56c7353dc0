"""Distinct strings and their ids: vocab_build, vocab_encode, string_unique."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_rank, check_same_device, check_strings
from torch_stringops._native import operator
from torch_stringops._tracing import dynamic_size, new_strings, register_fake, strings_shape
from torch_stringops.ops._declare import declare_reduce
from torch_stringops.tensor.strings import S, Strings


@register_fake("vocab_build")
def _fake_build(data: Tensor, offsets: Tensor) -> Tensor:
    check_strings("vocab_build", data, offsets)
    check_rank("vocab_build", "offsets", offsets, 1)
    return data.new_empty([dynamic_size()])


_build = operator("vocab_build")


def _vocab_build(s: Strings) -> Tensor:
    table: Tensor = _build(s.data, s.offsets)
    return table


def check_table(op: str, *, data: Tensor, offsets: Tensor, table: Tensor, **_: Any) -> None:
    check_same_device(op, data=data, offsets=offsets, table=table)
    check_dtype(op, "table", table, torch.uint8)
    check_rank(op, "table", table, 1)


_vocab_encode = declare_reduce("vocab_encode", torch.int64, check_table)


@register_fake("string_unique")
@register_fake("_string_unique_sorted")
def _fake_unique(data: Tensor, offsets: Tensor, by_count: bool = False) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    check_strings("string_unique", data, offsets)
    num_unique = dynamic_size()
    unique_data, unique_offsets = new_strings(data, [num_unique])
    inverse = offsets.new_empty(strings_shape(offsets), dtype=torch.int64)
    return unique_data, unique_offsets, inverse, offsets.new_empty([num_unique], dtype=torch.int64)


_unique = operator("string_unique")
_unique_sorted = operator("_string_unique_sorted")


def _string_unique(s: S, in_order: bool = False, *by_count: bool) -> tuple[S, Tensor, Tensor]:
    data, offsets, inverse, counts = (_unique_sorted if in_order else _unique)(s.data, s.offsets, *by_count)
    return s._new(data, offsets), inverse.reshape(()) if s._scalar else inverse, counts
