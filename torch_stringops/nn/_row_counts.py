"""Counts of ids in ragged rows as a sparse matrix, in compressed rows (CSR), and weights of rows.

The matrix is sorted: equal ids of a row are adjacent after one sort of the numbers `row * num_ids + id`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from torch_stringops._tracing import can_read
from torch_stringops.string_tensor import StringTensor

# Texts are taken in chunks whose terms have about so many bytes, which bounds the memory of a call.
_BYTES_PER_CHUNK = 2**24


class RowCounts(NamedTuple):
    """A sparse matrix `[N, num_ids]`: row n has `values[crow[n]:crow[n + 1]]` in these columns, in ascending order."""

    crow: Tensor  # int64 [N + 1]
    columns: Tensor  # int64 [K]
    values: Tensor  # int64 [K]

    def matrix(self, values: Tensor, num_columns: int, sparse: bool) -> Tensor:
        """The matrix with other values, of layout torch.sparse_csr or dense."""
        num_rows = self.crow.shape[0] - 1
        if not sparse:
            cells = rows_of(self.crow) * num_columns + self.columns
            dense = values.new_zeros(num_rows * num_columns).index_add(0, cells, values)
            return dense.reshape(num_rows, num_columns)
        if torch.compiler.is_exporting():
            raise RuntimeError("expected a module with sparse=False: torch.export supports no sparse results")
        size = (num_rows, num_columns)
        return torch.sparse_csr_tensor(self.crow, self.columns, values, size, check_invariants=False)


def count_ids(ids: Tensor, row_splits: Tensor, num_ids: int, negative: Tensor | None = None) -> RowCounts:
    """Counts the ids of each row; those below 0 are left out.

    Args:
        ids: int64 `[T]`, less than `num_ids`.
        row_splits: int64 `[N + 1]`, in elements.
        num_ids: number of columns.
        negative: bool `[T]`, ids that count -1 instead of 1. A sum of 0 is kept.
    """
    num_rows = row_splits.shape[0] - 1
    parts = 1 if negative is None else 2  # of each column
    eager = can_read(ids)
    # int32 is sorted in half the time.
    narrow = eager and num_rows * num_ids * parts < 2**31
    dtype = torch.int32 if narrow else torch.int64
    starts = torch.arange(num_rows, device="cpu") * num_ids
    keys = torch.repeat_interleave(starts.to(dtype), row_splits.diff()) + ids.to(dtype)
    if negative is not None:
        keys = keys * 2 + negative
    keys = keys[ids >= 0]
    # NumPy's sort returns no positions, and takes half the time of torch's.
    keys = torch.from_numpy(_sorted(keys)) if eager else keys.sort().values
    minus = None
    if negative is not None:
        minus, keys = keys & 1, keys >> 1
    keys, counts = torch.unique_consecutive(keys, return_counts=True)
    if minus is not None:
        before = torch.nn.functional.pad(minus.cumsum(0), (1, 0))
        ends = counts.cumsum(0)
        counts = counts - 2 * (before[ends] - before[ends - counts])
    bounds = torch.arange(num_rows + 1, device="cpu") * num_ids
    crow = torch.searchsorted(keys.to(torch.int64), bounds)
    columns = keys.to(torch.int64) - torch.repeat_interleave(starts, crow.diff())
    return RowCounts(crow, columns, counts)


def _sorted(keys: Tensor) -> object:
    array = keys.numpy()
    array.sort()
    return array


def chunks(strings: StringTensor, growth: int) -> Iterator[StringTensor]:
    """The texts in parts; all at once while they are traced. `growth` is how many times their bytes the terms have."""
    limit = max(_BYTES_PER_CHUNK // growth, 2**16)
    if not can_read(strings.offsets) or strings.data.shape[0] <= limit:
        yield strings
        return
    offsets = strings.offsets.to(torch.int64)
    begin, end = int(offsets[0]), int(offsets[-1])
    steps = torch.arange(1 + (end - begin) // limit, device="cpu") * limit + begin
    cuts = [*torch.searchsorted(offsets[:-1], steps).tolist(), len(strings)]
    for first, last in pairwise(cuts):
        if first < last or len(strings) == 0:
            yield strings[first:last]


def count_in_chunks(strings: StringTensor, growth: int, count: Callable[[StringTensor], RowCounts]) -> RowCounts:
    """The counts of all texts, which `count` finds for a part of them."""
    found = [count(part) for part in chunks(strings, growth)]
    if len(found) == 1:
        return found[0]
    crow, total = [found[0].crow], 0
    for previous, part in pairwise(found):
        total += previous.columns.shape[0]
        crow.append(part.crow[1:] + total)
    return RowCounts(torch.cat(crow), torch.cat([p.columns for p in found]), torch.cat([p.values for p in found]))


def rows_of(crow: Tensor) -> Tensor:
    """The row of each element of a matrix in compressed rows."""
    return torch.repeat_interleave(torch.arange(crow.shape[0] - 1, device="cpu"), crow.diff())


def normalized_values(values: Tensor, crow: Tensor, norm: str | None) -> Tensor:
    """The values of compressed rows, each divided by the norm of its row; rows of zeros stay as they are."""
    if norm is None:
        return values
    rows = rows_of(crow)
    sums = values.new_zeros(crow.shape[0] - 1)
    sums = sums.index_add(0, rows, values.abs() if norm == "l1" else values * values)
    return values / _divisors(sums, norm)[rows]


def normalized_rows(dense: Tensor, norm: str | None) -> Tensor:
    """The same for the rows of a dense matrix."""
    if norm is None:
        return dense
    sums = (dense.abs() if norm == "l1" else dense * dense).sum(1, keepdim=True)
    return dense / _divisors(sums, norm)


def _divisors(sums: Tensor, norm: str) -> Tensor:
    norms = sums if norm == "l1" else sums.sqrt()
    return torch.where(norms == 0, 1, norms)
