"""A column of lists: its elements, and the row splits that say which of them are those of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops.data.columns.column import StringColumn
from torch_stringops.ops.ragged_rows import segments
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.indexing import to_index

NDArray = np.ndarray[Any, Any]
# Elements and row splits, as functions of ragged rows take them.
Ragged = tuple[Any, Tensor]


class RaggedColumn:
    """Rows of elements. It is indexed by rows, and gives `(values, row_splits)`.

    Attributes:
        values: Tensor `[T]`, or StringColumn of T strings.
        row_splits: int64 `[n + 1]`; the elements of row i are `values[row_splits[i]:row_splits[i + 1]]`.
    """

    __slots__ = ("row_splits", "values")

    def __init__(self, values: Tensor | StringColumn, row_splits: Tensor) -> None:
        self.values, self.row_splits = values, row_splits

    @classmethod
    def join(cls, columns: Sequence[RaggedColumn]) -> RaggedColumn:
        """The rows of all columns, one after the other. Strings are not copied."""
        if len(columns) == 1:
            return columns[0]
        row_splits = _joined_splits([column.row_splits for column in columns])
        if isinstance(columns[0].values, Tensor):
            return cls(torch.cat([column.values for column in columns]), row_splits)  # type: ignore[misc]
        chunks = [chunk for column in columns for chunk in column.values.chunks]  # type: ignore[union-attr]
        return cls(StringColumn._of_ranges(chunks), row_splits)

    def __len__(self) -> int:
        return len(self.row_splits) - 1

    def __getitem__(self, index: Any) -> Any:
        """The elements of the row at an int; else the rows at a slice, at ints, or of a mask, as copies."""
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        at = to_index(index)
        if isinstance(at, Tensor) and at.dtype is torch.bool:
            if list(at.shape) != [len(self)]:
                raise IndexError(f"expected a mask of shape [{len(self)}], got shape {list(at.shape)}")
            return self.take(at.nonzero().flatten().numpy())
        if isinstance(at, Tensor):
            return self.take(at.reshape(-1).to("cpu", torch.int64).numpy())
        values, _ = self.take(np.array([at]))
        return values

    def part(self, begin: int, end: int) -> RaggedColumn:
        """The rows [begin, end), which share the memory of numbers."""
        first, last = int(self.row_splits[begin]), int(self.row_splits[end])
        found = self.values[first:last]
        values = found if isinstance(found, Tensor) else StringColumn([found])
        return RaggedColumn(values, self.row_splits[begin : end + 1] - first)

    def take(self, rows: NDArray) -> Ragged:
        """The rows at positions."""
        outside = (rows < -len(self)) | (rows >= len(self))
        if outside.any():
            raise IndexError(f"index {rows[outside][0]} is out of bounds for dimension 0 with size {len(self)}")
        at = torch.from_numpy(np.where(rows < 0, rows + len(self), rows))
        starts = self.row_splits[at]
        lengths = self.row_splits[at + 1] - starts
        row_splits = torch.zeros(len(at) + 1, dtype=torch.int64, device="cpu")
        torch.cumsum(lengths, 0, out=row_splits[1:])
        return self.values[segments(starts, lengths)], row_splits


def join_batches(parts: Sequence[Any]) -> Any:
    """The rows of all parts, which are strings, tensors, or pairs of values and row splits."""
    if len(parts) == 1:
        return parts[0]
    if not isinstance(parts[0], tuple):
        return torch.cat(list(parts))
    values = torch.cat([values for values, _ in parts])
    return values, _joined_splits([row_splits for _, row_splits in parts])


def ragged_column(op: str, name: Any, column: Any) -> RaggedColumn | None:
    """The column of a tuple `(values, row_splits)`; None if it is something else."""
    if not (isinstance(column, tuple) and len(column) == 2):
        return None
    values, row_splits = column
    is_splits = isinstance(row_splits, Tensor) and row_splits.dtype is torch.int64 and row_splits.dim() == 1
    if not is_splits or not isinstance(values, (Tensor, StringTensor, StringColumn)):
        return None
    ends = row_splits.numpy()
    if not len(ends) or ends[0] != 0 or ends[-1] != len(values) or bool((ends[1:] < ends[:-1]).any()):
        raise ValueError(
            f"{op}: column {name!r}: expected `row_splits` from 0 to the number of values, {len(values)}, that do not "
            "decrease (chunks of a column are a list, not a tuple)"
        )
    return RaggedColumn(StringColumn([values]) if isinstance(values, StringTensor) else values, row_splits)


def _joined_splits(splits: Sequence[Tensor]) -> Tensor:
    lengths = [s[1:] - s[:-1] for s in splits]
    joined = torch.zeros(sum(map(len, lengths)) + 1, dtype=torch.int64, device="cpu")
    torch.cumsum(torch.cat(lengths), 0, out=joined[1:])
    return joined
