"""Oracles of the operators that convert between ragged and dense rows.

ragged_to_dense: row n is values[row_splits[n] : row_splits[n + 1]], padded or truncated. ragged_mask: true for
elements, false for padding. dense_to_ragged: the first (or last) lengths[n] elements of each row n, concatenated.
"""

import itertools
from typing import Any

from torch import Tensor


def rows_of(values: list[Any], row_splits: Tensor) -> list[list[Any]]:
    splits = row_splits.tolist()
    return [values[a:b] for a, b in itertools.pairwise(splits)]


def padding_like(features: Any, padding: Any) -> Any:
    return [padding_like(f, padding) for f in features] if isinstance(features, list) else padding


def ragged_to_dense_ref(
    values: Tensor,
    row_splits: Tensor,
    width: int | None = None,
    padding_value: Tensor | None = None,
    side: str = "right",
    *,
    max_width: int | None = None,
    min_width: int = 0,
    pad_to_multiple_of: int = 1,
) -> tuple[Any]:
    rows = rows_of(values.tolist(), row_splits)
    if width is None:
        width = width_of(rows, max_width, min_width, pad_to_multiple_of)
    element = values.new_zeros(values.shape[1:]).tolist()
    padding = padding_like(element, 0 if padding_value is None else padding_value.item())
    return (pad_rows(rows, width, padding, side),)


def width_of(rows: list[list[Any]], max_width: int | None, min_width: int, pad_to_multiple_of: int) -> int:
    width = max([len(row) for row in rows], default=0)
    if max_width is not None and width > max_width:
        width = max_width
    if width < min_width:
        width = min_width
    while width % pad_to_multiple_of:
        width += 1
    return width


def pad_rows(rows: list[list[Any]], width: int, padding: Any, side: str) -> list[list[Any]]:
    dense = []
    for row in rows:
        pads = [padding] * (width - len(row))
        if side == "right":
            dense.append(row[:width] + pads)
        else:
            dense.append(pads + row[max(0, len(row) - width) :])
    return dense


def ragged_to_dense_backward_ref(grad: Tensor, row_splits: Tensor, num_values: int, side: str) -> tuple[Any]:
    zero = grad.new_zeros(grad.shape[2:]).tolist()
    values: list[Any] = []
    for row, length in zip(grad.tolist(), (row_splits[1:] - row_splits[:-1]).tolist(), strict=True):
        cut = [zero] * (length - len(row))
        values += row[:length] + cut if side == "right" else cut + row[max(0, len(row) - length) :]
    assert len(values) == num_values
    return (values,)


def ragged_mask_ref(row_splits: Tensor, width: int | None = None, side: str = "right") -> tuple[Any]:
    splits = row_splits.tolist()
    lengths = [b - a for a, b in itertools.pairwise(splits)]
    if width is None:
        width = max(lengths, default=0)
    rows = [[True] * min(n, width) + [False] * (width - min(n, width)) for n in lengths]
    return ([row if side == "right" else row[::-1] for row in rows],)


def dense_to_ragged_ref(dense: Tensor, lengths: Tensor, side: str = "right") -> tuple[Any, Any]:
    values: list[Any] = []
    row_splits = [0]
    for row, length in zip(dense.tolist(), lengths.tolist(), strict=True):
        values += row[:length] if side == "right" else row[len(row) - length :]
        row_splits.append(len(values))
    return values, row_splits


def ragged_lengths_ref(row_splits: Any, num_values: int, op: str) -> tuple[list[int]]:
    at = row_splits.tolist()
    return ([b - a for a, b in itertools.pairwise(at)],)
