"""The mapped files of a column, whose sizes are checked before strings are read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np
from torch import Tensor

from torch_stringops.data.files.local import MappedFile
from torch_stringops.string_tensor import StringTensor

# The attribute of the tensor `data` of a chunk that refers to its file.
_FILE = "_mapped_file"
# The files of a column are checked without asking which of them a batch reads, if they are so few.
_FEW = 4


def watch(chunks: Iterable[StringTensor], file: MappedFile) -> None:
    """Notes that `file` holds the strings of chunks."""
    for chunk in chunks:
        if len(chunk):
            setattr(chunk.data, _FILE, file)


class WatchedFiles:
    """Checks the files of chunks, of which chunk i begins at position starts[i] of a column."""

    def __init__(self, files: list[MappedFile | None], starts: list[int]) -> None:
        self._of_chunk, self._files = files, {file for file in files if file is not None}
        self._are_few = len(self._files) <= _FEW
        self._firsts, self._size = starts[:-1], starts[-1]
        self._starts = np.array(self._firsts, dtype=np.int64)

    @staticmethod
    def of(chunks: list[StringTensor], starts: list[int]) -> WatchedFiles | None:
        """The files of chunks; None if there are none."""
        # Only tensors that are stored have the attribute; a property of a subclass would create them.
        files = [getattr(c.data, _FILE, None) if type(c) is StringTensor else None for c in chunks]
        return WatchedFiles(files, starts) if any(files) else None

    def check(self, index: Tensor | bytearray) -> None:
        """Checks the files of strings at int64 positions; negative ones count from the end."""
        if self._are_few:
            _check(self._files)
            return
        at: Any = np.frombuffer(index, np.int64) if isinstance(index, bytearray) else index.numpy()
        # Positions out of bounds, which are an error later, stand for any file.
        chunks = np.unique(self._starts.searchsorted(at % self._size, side="right") - 1)
        _check({self._of_chunk[i] for i in chunks.tolist()})

    def check_range(self, start: int, stop: int) -> None:
        """Checks the files of strings [start, stop)."""
        if self._are_few:
            _check(self._files)
            return
        first = max(bisect_right(self._firsts, start) - 1, 0)
        last = first + 1 if stop <= start + 1 else bisect_right(self._firsts, stop - 1)
        _check(set(self._of_chunk[first:last]))


def _check(files: Iterable[MappedFile | None]) -> None:
    for file in files:
        if file is not None and file.size_now() < file.size:
            file.check()
