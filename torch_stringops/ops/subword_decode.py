"""Ids of subword tokens back to text: subword_decode."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_rank, check_same_device
from torch_stringops._native import operator
from torch_stringops._tracing import new_strings, register_fake
from torch_stringops.ops.ragged import check_row_splits


@register_fake("subword_decode")
def _fake_decode(ids: Tensor, row_splits: Tensor, table: Tensor, *, skip_special_tokens: bool = True) -> Any:
    op = "subword_decode"
    check_same_device(op, ids=ids, row_splits=row_splits, table=table)
    check_dtype(op, "ids", ids, torch.int64)
    check_rank(op, "ids", ids, 1)
    check_row_splits(op, row_splits)
    check_dtype(op, "table", table, torch.uint8)
    check_rank(op, "table", table, 1)
    return new_strings(table, [row_splits.shape[0] - 1])


# (ids, row_splits, table) -> data, offsets.
_subword_decode = operator("subword_decode")
