"""Ragged rows of ids as a padded batch, truncated rows, and rows of a dense tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from torch_stringops._types import Side
from torch_stringops.functions.ragged import ragged_mask, ragged_to_dense
from torch_stringops.functions.ragged_rows import ragged_add_special, ragged_truncate


class Width(NamedTuple):
    """The width of a batch: that of the longest row, but at least `least`."""

    least: int
    fixed: bool  # rows are at most as long as `least`, so that the width is known when tracing
    multiple_of: int


def batch(
    ids: Tensor, row_splits: Tensor, shape: list[Any], pad_id: int, width: Width, side: Side
) -> dict[str, Tensor]:
    """`input_ids` and `attention_mask`, int64 `[*shape, L]`."""
    if width.fixed:
        columns = -(-width.least // width.multiple_of) * width.multiple_of
        dense = ragged_to_dense(ids, row_splits, columns, pad_id, side)
    else:
        dense = ragged_to_dense(
            ids,
            row_splits,
            None,
            pad_id,
            side,
            min_width=width.least,
            pad_to_multiple_of=width.multiple_of,
        )
    mask = ragged_mask(row_splits, dense.shape[1], side).long()
    if len(shape) == 1:
        return {"input_ids": dense, "attention_mask": mask}
    shape = [*shape, dense.shape[1]]
    return {"input_ids": dense.reshape(shape), "attention_mask": mask.reshape(shape)}


def truncated_left(
    rows: tuple[Tensor, Tensor], limit: int, before: list[int], after: list[int]
) -> tuple[Tensor, Tensor]:
    """The last ids of each row, with the special ids around them."""
    ids, row_splits = ragged_truncate(*rows, max(limit - len(before) - len(after), 0), "left")
    for id in reversed(before):
        ids, row_splits = ragged_add_special(ids, row_splits, begin=id)
    for id in after:
        ids, row_splits = ragged_add_special(ids, row_splits, end=id)
    return ids, row_splits


def types_of_template(
    ids: Tensor, row_splits: Tensor, types: tuple[list[int], int, list[int]], special: bool
) -> Tensor:
    """The types of rows: of a text, and, if they are there, of the special ids before and after it."""
    before, of_text, after = types
    found = torch.full_like(ids, of_text)
    for i, kind in enumerate(before if special else []):
        found = found.index_fill(0, row_splits[:-1] + i, kind)
    for i, kind in enumerate(reversed(after if special else []), 1):
        found = found.index_fill(0, row_splits[1:] - i, kind)
    return found


def rows_of(ids: Tensor) -> tuple[Tensor, Tensor]:
    """The rows along the last axis of a dense tensor, as values and row splits."""
    count = 1
    for size in ids.shape[:-1]:
        count = count * size
    return ids.reshape(-1), torch.arange(count + 1, device=ids.device) * ids.shape[-1]
