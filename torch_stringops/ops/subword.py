"""Subword tokens: subword_build, subword_encode, subword_encode_spans, subword_encode_pairs."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_rank, check_same_device, check_strings
from torch_stringops._native import operator
from torch_stringops._tracing import dynamic_size, register_fake
from torch_stringops.ops._declare import new_row_splits
from torch_stringops.tensor.strings import Strings


@register_fake("subword_build")
def _fake_build(data: Tensor, offsets: Tensor, numbers: Tensor, spec: str) -> Tensor:
    op = "subword_build"
    check_strings(op, data, offsets)
    check_rank(op, "offsets", offsets, 1)
    check_same_device(op, data=data, offsets=offsets, numbers=numbers)
    check_dtype(op, "numbers", numbers, torch.int64)
    if numbers.dim() != 2 or numbers.size(1) != 3:
        raise ValueError(f"{op}: expected `numbers` of shape [M, 3], got shape {list(numbers.shape)}")
    return data.new_empty([dynamic_size()])


def _encoded(op: str, data: Tensor, offsets: Tensor, table: Tensor, max_length: int) -> tuple[Tensor, Tensor]:
    check_strings(op, data, offsets)
    check_same_device(op, data=data, offsets=offsets, table=table)
    check_dtype(op, "table", table, torch.uint8)
    check_rank(op, "table", table, 1)
    if max_length < -1:
        raise ValueError(f"{op}: expected `max_length` >= 0 or -1, got {max_length}")
    return offsets.new_empty([dynamic_size()], dtype=torch.int64), new_row_splits(offsets)


@register_fake("subword_encode")
def _fake_encode(
    data: Tensor, offsets: Tensor, table: Tensor, *, add_special_tokens: bool = False, max_length: int = -1
) -> tuple[Tensor, Tensor]:
    return _encoded("subword_encode", data, offsets, table, max_length)


@register_fake("subword_encode_spans")
def _fake_encode_spans(
    data: Tensor, offsets: Tensor, table: Tensor, *, add_special_tokens: bool = False, max_length: int = -1
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    ids, row_splits = _encoded("subword_encode_spans", data, offsets, table, max_length)
    begins, ends = (ids.new_empty([ids.size(0)], dtype=torch.int32) for _ in range(2))
    return ids, row_splits, begins, ends


@register_fake("subword_encode_pairs")
def _fake_encode_pairs(
    data: Tensor,
    offsets: Tensor,
    other_data: Tensor,
    other_offsets: Tensor,
    table: Tensor,
    *,
    add_special_tokens: bool = False,
    max_length: int = -1,
    truncate_left: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    op = "subword_encode_pairs"
    check_strings(op, data, offsets)
    check_strings(op, other_data, other_offsets, "other_data", "other_offsets")
    check_same_device(
        op,
        data=data,
        offsets=offsets,
        other_data=other_data,
        other_offsets=other_offsets,
        table=table,
    )
    ids, row_splits = _encoded(op, data, offsets, table, max_length)
    return ids, row_splits, torch.empty_like(ids)


_build = operator("subword_build")
_encode = operator("subword_encode")
_encode_spans = operator("subword_encode_spans")
_encode_pairs = operator("subword_encode_pairs")


def _subword_build(tokens: Strings, numbers: Tensor, spec: str) -> Tensor:
    table: Tensor = _build(tokens.data, tokens.offsets, numbers, spec)
    return table


def _subword_encode(s: Strings, table: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    ids, row_splits = _encode(s.data, s.offsets, table, **options)
    return ids, row_splits


def _subword_encode_spans(s: Strings, table: Tensor, **options: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    ids, row_splits, begins, ends = _encode_spans(s.data, s.offsets, table, **options)
    return ids, row_splits, begins, ends


def _subword_encode_pairs(s: Strings, other: Strings, table: Tensor, **options: Any) -> tuple[Tensor, Tensor, Tensor]:
    ids, row_splits, types = _encode_pairs(s.data, s.offsets, other.data, other.offsets, table, **options)
    return ids, row_splits, types
