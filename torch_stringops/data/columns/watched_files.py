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
        numbers: dict[MappedFile, int] = {}
        of_chunk = [-1 if file is None else numbers.setdefault(file, len(numbers)) for file in files]
        self._files = list(numbers)
        # Asking a map for the size of its file, and that size: a call of `check` takes twice as long.
        self._sizes = [(file.size_now, file.size) for file in numbers]
        self._are_few = len(numbers) <= _FEW
        if not self._are_few:
            self._of_chunk = np.array(of_chunk, dtype=np.int32)
            self._firsts = starts[:-1]
            self._starts = np.array(self._firsts, dtype=np.int64)
            self._size = starts[-1]

    @staticmethod
    def of(chunks: list[StringTensor], starts: list[int]) -> WatchedFiles | None:
        """The files of chunks; None if there are none."""
        # Only tensors that are stored have the attribute; a property of a subclass would create them.
        files = [getattr(c.data, _FILE, None) if type(c) is StringTensor else None for c in chunks]
        return WatchedFiles(files, starts) if any(files) else None

    def check(self, index: Tensor | bytearray) -> None:
        """Checks the files of strings at int64 positions; negative ones count from the end."""
        if self._are_few:
            self._check_all()
            return
        at: Any = np.frombuffer(index, np.int64) if isinstance(index, bytearray) else index.numpy()
        # Positions out of bounds, which are an error later, stand for any file.
        chunks = self._starts.searchsorted(at % self._size, side="right") - 1
        self._check_numbers(set(self._of_chunk[chunks].tolist()))

    def check_range(self, start: int, stop: int) -> None:
        """Checks the files of strings [start, stop)."""
        if self._are_few:
            self._check_all()
            return
        first = max(bisect_right(self._firsts, start) - 1, 0)
        last = first + 1 if stop <= start + 1 else bisect_right(self._firsts, stop - 1)
        self._check_numbers(set(self._of_chunk[first:last].tolist()))

    def _check_all(self) -> None:
        for size_now, size in self._sizes:
            if size_now() < size:
                self._raise()

    def _check_numbers(self, numbers: set[int]) -> None:
        numbers.discard(-1)
        sizes = self._sizes
        for number in numbers:
            size_now, size = sizes[number]
            if size_now() < size:
                self._raise()

    def _raise(self) -> None:
        for file in self._files:
            file.check()
