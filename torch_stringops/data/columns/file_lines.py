"""Lines of many small files, which are read when they are used.

A process cannot map 70,000 files: maps and descriptors are limited, and copies of the files take their size in memory.
So only an index is kept: the path, the size and the time of each file, the number of its lines, and where every block
of lines begins, one of about 4 KiB. The strings at positions are read block by block, and ranges by one read of each
file. Files are opened for each read and closed again, so that processes share nothing but the page cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops.data.files.local import Identity, tensor_of
from torch_stringops.string_tensor import StringTensor

_OP = "read_lines"
_BLOCK_BYTES = 2**12
# Files are copied if they are smaller on average, since their index would take a tenth of their bytes.
_TINY_FILE = 2**11
# A chunk of more strings than one in so many of its own is read as a whole.
_SPARSE = 64

Ints = np.ndarray[Any, np.dtype[np.int64]]


class FileLines(StringTensor):
    """Strings `[n, 1]`, the lines of ranges of files, of which `data` and `offsets` are read at each access."""

    __slots__ = ("_index", "_kept", "_paths")

    _paths: list[str]
    # By file: size, time, begin and end of the range, lines of a block, and the positions of the first line and of the
    # first block; in the last row, the numbers of lines and blocks. Then the positions of blocks, relative to `begin`.
    _index: tuple[Ints, np.ndarray[Any, np.dtype[np.int32]]]
    _kept: Any  # a weak reference to `data`, which holds `offsets`

    @classmethod
    def _new(cls, data: Tensor, offsets: Tensor, scalar: bool = False) -> Any:
        return StringTensor._new(data, offsets, scalar)

    @property
    def _data(self) -> Tensor:  # type: ignore[override]  # in place of the slot
        return self._tensors()[0]

    @property
    def _offsets(self) -> Tensor:  # type: ignore[override]  # in place of the slot
        return self._tensors()[1]

    def _tensors(self) -> tuple[Tensor, Tensor]:
        data: Any = None if self._kept is None else self._kept()
        if data is None:
            strings = self.lines(0, len(self))
            data = strings.data
            data._offsets = strings.offsets
            self._kept = ref(data)
        return data, data._offsets

    @property
    def shape(self) -> torch.Size:
        return torch.Size([len(self), 1])

    @property
    def ndim(self) -> int:
        return 2

    def numel(self) -> int:
        return len(self)

    def __len__(self) -> int:
        return int(self._index[0][-1, _LINE])

    @property
    def num_bytes(self) -> int:
        """The bytes of the ranges of the files."""
        table = self._index[0]
        return int((table[:-1, _END] - table[:-1, _BEGIN]).sum())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) and index.step in (None, 1):
            start, stop, _ = index.indices(len(self))
            return self.lines(start, max(start, stop))
        if type(index) is int and -len(self) <= index < len(self):
            return StringTensor.from_list(self.strings(np.array([index % len(self)]))[0])
        if isinstance(index, Tensor) and index.dtype is torch.int64 and index.numel() * _SPARSE < len(self):
            at = index.reshape(-1).numpy()
            return StringTensor.from_list(self.strings(np.where(at < 0, at + len(self), at))).reshape(*index.shape, 1)
        return StringTensor.__getitem__(self.lines(0, len(self)), index)

    def strings(self, at: Ints) -> list[bytes]:
        """The strings at positions, in the order of the positions."""
        table = self._index[0]
        file = table[:, _LINE].searchsorted(at, side="right") - 1
        line = at - table[file, _LINE]
        block = line // table[file, _STEP]
        line -= block * table[file, _STEP]
        found = [b""] * len(at)
        opened, last, lines = -1, -1, []
        descriptor = -1
        order = (table[file, _BLOCK] + block).argsort(kind="stable")
        try:
            for i in order.tolist():
                f, b = int(file[i]), int(block[i])
                if f != opened:
                    if descriptor >= 0:
                        os.close(descriptor)
                    descriptor = -1
                    descriptor, opened, last = self._open(f), f, -1
                if b != last:
                    begin, end = self._bytes(f, b, b + 1)
                    lines, last = os.pread(descriptor, end - begin, begin).splitlines(), b
                if line[i] >= len(lines):
                    raise self._changed(f)
                found[i] = lines[line[i]]
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return found

    def lines(self, start: int, stop: int) -> StringTensor:
        """The strings [start, stop) as a StringTensor `[stop - start, 1]`."""
        if start >= stop:
            return StringTensor.from_list([]).reshape(0, 1)
        table = self._index[0]
        first = int(table[:, _LINE].searchsorted(start, side="right")) - 1
        last = int(table[:, _LINE].searchsorted(stop, side="left"))
        # The blocks of lines in each file, and the bytes of them.
        parts, size = [], 0
        for f in range(first, last):
            low = max(start - int(table[f, _LINE]), 0)
            high = min(stop, int(table[f + 1, _LINE])) - int(table[f, _LINE])
            step = int(table[f, _STEP])
            begin, end = self._bytes(f, low // step, -(-high // step))
            parts.append((f, low - low // step * step, high - low, begin, end))
            size += end - begin
        data = np.empty(size, dtype=np.uint8)
        offsets = np.empty([stop - start, 2], dtype=np.int32)
        at = row = 0
        for f, skipped, count, begin, end in parts:
            raw = data[at : at + end - begin]
            with self._opened(f) as descriptor:
                if os.preadv(descriptor, [raw.data], begin) != len(raw):
                    raise self._changed(f)
            room = np.empty([skipped + count, 2], dtype=np.int32)
            lines, _ = _convert.line_ranges(raw.ctypes.data, len(raw), True, len(raw) + 1, room.ctypes.data, room.size)
            if lines != skipped + count:
                raise self._changed(f)
            np.add(room[skipped:], at, out=offsets[row : row + count])
            at, row = at + len(raw), row + count
        return StringTensor(tensor_of(data), tensor_of(offsets))

    def _bytes(self, file: int, first: int, stop: int) -> tuple[int, int]:
        """The range of bytes of the blocks [first, stop) of a file."""
        table, blocks = self._index
        _, _, begin, end, _, _, block = table[file].tolist()
        following = int(table[file + 1, _BLOCK])
        limit = begin + int(blocks[block + stop]) if block + stop < following else end
        return begin + int(blocks[block + first]), limit

    def _open(self, file: int) -> int:
        """A descriptor of a file; raises OSError if the file has changed."""
        descriptor = os.open(self._paths[file], os.O_RDONLY | os.O_CLOEXEC)
        found, table = os.fstat(descriptor), self._index[0]
        if found.st_size != table[file, _SIZE] or found.st_mtime_ns != table[file, _TIME]:
            os.close(descriptor)
            raise self._changed(file)
        return descriptor

    @contextmanager
    def _opened(self, file: int) -> Iterator[int]:
        descriptor = self._open(file)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _changed(self, file: int) -> OSError:
        return OSError(f"{_OP}: {self._paths[file]} has changed since it was opened")

    def __reduce_ex__(self, protocol: Any) -> Any:
        return file_lines, (self._paths, *self._index)


_SIZE, _TIME, _BEGIN, _END, _STEP, _LINE, _BLOCK = range(7)


def file_lines(paths: list[str], table: Ints, blocks: np.ndarray[Any, np.dtype[np.int32]]) -> FileLines:
    """Creates the lines of files from their index."""
    new = object.__new__(FileLines)
    new._paths, new._index, new._kept, new._scalar = paths, (table, blocks), None, False
    return new


class FileLinesBuilder:
    """Collects the lines of ranges of files."""

    def __init__(self) -> None:
        self.num_bytes = 0
        self._paths: list[str] = []
        self._rows: list[tuple[int, ...]] = []
        self._blocks: list[np.ndarray[Any, np.dtype[np.int32]]] = []
        self._lines = self._num_blocks = 0

    def __len__(self) -> int:
        """The number of ranges."""
        return len(self._paths)

    def add(self, file: Identity, begin: int, end: int, offsets: Tensor) -> None:
        """Adds a range of a file, with the begins and ends of its lines, int32 `[n, 2]`, n > 0."""
        path, size, time = file
        step = max(1, _BLOCK_BYTES * len(offsets) // (end - begin))
        blocks = offsets[::step, 0].numpy().copy()
        self._paths.append(path)
        self._rows.append((size, time, begin, end, step, self._lines, self._num_blocks))
        self._blocks.append(blocks)
        self._lines += len(offsets)
        self._num_blocks += len(blocks)
        self.num_bytes += end - begin

    def take(self, copy: bool) -> StringTensor:
        """The strings of all ranges, of which there must be one: FileLines, or a copy, also of tiny files."""
        rows = [*self._rows, (0, 0, 0, 0, 1, self._lines, self._num_blocks)]
        made = file_lines(self._paths, np.array(rows, dtype=np.int64), np.concatenate(self._blocks))
        copy = copy or self.num_bytes < _TINY_FILE * len(self)
        self.__init__()  # type: ignore[misc]
        return made.lines(0, len(made)).reshape(-1) if copy else made
