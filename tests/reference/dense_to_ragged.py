"""Oracle of dense_to_ragged: the first (or last) lengths[n] elements of each row, one row after the other."""

from typing import Any

from torch import Tensor


def dense_to_ragged_ref(dense: Tensor, lengths: Tensor, side: str = "right") -> tuple[Any, Any]:
    values: list[Any] = []
    row_splits = [0]
    for row, length in zip(dense.tolist(), lengths.tolist(), strict=True):
        values += row[:length] if side == "right" else row[len(row) - length :]
        row_splits.append(len(values))
    return values, row_splits
