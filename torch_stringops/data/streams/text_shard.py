"""Text files, whose blocks are ranges of bytes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import torch

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import MAX_BYTES
from torch_stringops.data.columns.lines import find_lines
from torch_stringops.data.files.local import MappedFile, check_no_archive
from torch_stringops.data.streams.shard import OP, Limits, Rows, Shard
from torch_stringops.string_tensor import StringTensor

# Lines are counted in parts of this many bytes.
_SCAN_BYTES = 2**24


class TextShard(Shard):
    """A text file. Blocks are read into memory, since a mapped file that is truncated ends the process."""

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__(path)
        begins, blocks = [0], []
        data = MappedFile(OP, path).tensor
        check_no_archive(bytes(data[:512].numpy()))
        at = lines = 0
        while at < data.numel():
            view = data[at : at + MAX_BYTES]
            offsets, size = find_lines(view, at + view.numel() == data.numel(), _SCAN_BYTES)
            if size == 0:
                raise ValueError(f"{OP}: {path}, line {lines + 1}: expected lines of at most 2**31 - 1 bytes")
            starts = np.append(offsets[:, 0].numpy(), np.int32(size))
            first, count = 0, len(offsets)
            while first < count:
                limit = int(np.searchsorted(starts, int(starts[first]) + limits.bytes, side="right")) - 1
                stop = max(first + 1, min(first + limits.rows, limit, count))
                blocks.append((stop - first, int(starts[stop]) - int(starts[first])))
                begins.append(at + int(starts[stop]))
                first = stop
            at, lines = at + size, lines + count
        self._begins = np.array(begins, dtype=np.int64)
        self._set(blocks)

    def read(self, block: int) -> Rows:
        begin, end = int(self._begins[block]), int(self._begins[block + 1])
        room = np.empty(end - begin, dtype=np.uint8)
        with open(self.path, "rb", buffering=0) as file:
            self._check_file(os.fstat(file.fileno()))
            self._read_range(file, begin, room)
        ranges = np.empty([int(self.rows[block]), 2], dtype=np.int32)
        source = (room.ctypes.data, len(room), True, len(room))
        count, size = _convert.line_ranges(*source, ranges.ctypes.data, ranges.size)
        if size != len(room):
            raise self.changed("the ends of its lines")
        self._check_count(block, count)
        # The lines are moved together, so that batches in order are slices.
        begins, ends = torch.from_numpy(ranges).unbind(1)
        return StringTensor(*torch.ops.stringops.string_tensor_pack(begins, ends, torch.from_numpy(room)))
