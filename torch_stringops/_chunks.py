"""A column of several chunks, which may exceed the limits of a single tensor."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.indexing import to_index


class Chunks:
    """Tensors or StringTensors that are indexed along the first axis as if they were concatenated.

    The shapes must be equal except for the first axis. The total size is not limited. Indexing within a single chunk
    returns what the chunk returns (a slice is a view); otherwise the rows are gathered from the chunks and reordered.
    """

    def __init__(self, chunks: Sequence[Any]) -> None:
        self.chunks = list(chunks)
        kind = StringTensor if isinstance(self.chunks[0], StringTensor) else Tensor
        for i, chunk in enumerate(self.chunks):
            if not isinstance(chunk, kind):
                raise TypeError(f"expected a {kind.__name__} at position {i}, got {type(chunk).__name__}")
            if chunk.ndim == 0:
                raise ValueError(f"expected chunks of rank >= 1, got a scalar at position {i}")
            if chunk.shape[1:] != self.chunks[0].shape[1:]:
                raise ValueError(
                    f"expected chunks of equal shape but for the first axis, got {list(self.chunks[0].shape)} "
                    f"at position 0 and {list(chunk.shape)} at position {i}"
                )
            if isinstance(chunk, Tensor) and chunk.dtype != self.chunks[0].dtype:
                raise ValueError(f"expected chunks of {self.chunks[0].dtype}, got {chunk.dtype} at position {i}")
        # starts[i] is the position of the first row of chunk i; the last is the length of the column.
        self.starts = list(accumulate((len(chunk) for chunk in self.chunks), initial=0))

    def __len__(self) -> int:
        return self.starts[-1]

    def __getitem__(self, index: Any) -> Any:
        """Returns the rows at an int, a slice, a list or tensor of ints, or a bool mask over all rows."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                raise ValueError("step must be greater than zero")  # as torch's
            if step != 1:
                return self._gather(torch.arange(start, max(start, stop), step, device="cpu"))
            return self._range(start, max(start, stop))
        at = to_index(index)
        if not isinstance(at, Tensor):
            if type(at) is not int:
                raise TypeError(
                    f"expected an int, a slice, ints in a list or a tensor, or a mask, got {type(at).__name__}"
                )
            return self._row(at)
        if at.dtype is torch.bool:
            if list(at.shape) != [len(self)]:
                raise IndexError(f"expected a mask of shape [{len(self)}], got shape {list(at.shape)}")
            return self._gather(at.nonzero().flatten())
        rows = self._gather(at.reshape(-1).to("cpu", torch.int64))
        return rows if at.dim() == 1 else rows.reshape([*at.shape, *rows.shape[1:]])

    def _row(self, at: int) -> Any:
        if not -len(self) <= at < len(self):
            raise IndexError(f"index {at} is out of bounds for dimension 0 with size {len(self)}")
        at %= len(self)
        chunk = bisect_right(self.starts, at) - 1
        return self.chunks[chunk][at - self.starts[chunk]]

    def _range(self, start: int, stop: int) -> Any:
        first = min(bisect_right(self.starts, start), len(self.chunks)) - 1
        slices: list[Any] = []
        for chunk, begin in zip(self.chunks[first:], self.starts[first:], strict=False):
            if slices and begin >= stop:
                break
            slices.append(chunk[max(start - begin, 0) : stop - begin])
        return self._join(slices)

    def _join(self, slices: list[Any]) -> Any:
        return slices[0] if len(slices) == 1 else torch.cat(slices)

    def _gather(self, index: Tensor) -> Any:
        # NumPy, since for the few positions of a batch the overhead of torch's threads dominates.
        at = index.numpy()
        outside = (at < -len(self)) | (at >= len(self))
        if outside.any():
            wrong = at[outside][0]
            raise IndexError(f"index {wrong} is out of bounds for dimension 0 with size {len(self)}")
        at = np.where(at < 0, at + len(self), at)
        # A row is in the last chunk that begins at or before it; an empty chunk begins where the next one does.
        chunk_of = np.searchsorted(self.starts[:-1], at, side="right") - 1
        used = np.unique(chunk_of).tolist()
        if len(used) < 2:
            only = used[0] if used else 0
            return self.chunks[only][torch.from_numpy(at - self.starts[only])]
        gathered = [self.chunks[i][torch.from_numpy(at[chunk_of == i] - self.starts[i])] for i in used]
        # The gathered rows are ordered by chunk; row i of the result is row inverse[i] of them.
        inverse = chunk_of.argsort(kind="stable").argsort()
        return torch.cat(gathered)[torch.from_numpy(inverse)]
