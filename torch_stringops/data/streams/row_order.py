"""The order of the rows of an epoch, which depends on blocks of rows, a seed and the size of a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

NDArray = np.ndarray[Any, Any]

# Files that are read from their beginning, of which a shuffle has rows in memory at a time.
_OPEN_FILES = 16


@dataclass(frozen=True)
class Shuffle:
    """The settings of the order of an epoch: a seed, and how many rows are shuffled together."""

    seed: int
    buffer_rows: int
    buffer_bytes: int

    def random(self, epoch: int, number: int) -> np.random.RandomState:
        """Permutations, which are the same in all versions of NumPy: unlike Generator, RandomState is frozen."""
        return np.random.RandomState(np.random.PCG64([self.seed, epoch, number]))


class RowOrder:
    """The blocks of all files in the order of an epoch, in windows of blocks whose rows are shuffled together.

    Without `shuffle`, the order is that of the files, and a window is a block. With it, the blocks of all files are
    permuted, and a window has as many of them as the buffer holds, and at least one.

    Args:
        rows, sizes: of each block of all files, rows and bytes.
        files: the file of each block, which increases.
        in_order: for each file, whether its blocks keep their order.
    """

    def __init__(
        self,
        rows: NDArray,
        sizes: NDArray,
        files: NDArray,
        in_order: list[bool],
        shuffle: Shuffle | None,
        epoch: int,
    ) -> None:
        self._shuffle, self._epoch, self._sizes = shuffle, epoch, sizes
        self.blocks = np.arange(len(rows)) if shuffle is None else self._permuted(files, in_order)
        counts = rows[self.blocks]
        firsts = np.concatenate([[0], np.cumsum(counts)])
        if shuffle is None:
            self.cuts = np.arange(len(rows) + 1)  # the first block of each window, and the end
        else:
            self.cuts = _windows(counts, sizes[self.blocks], shuffle)
        self.starts = firsts[self.cuts]  # the first row of each window, and the end
        self.size = int(firsts[-1])

    def window_of(self, row: int) -> int:
        return int(np.searchsorted(self.starts, row, side="right")) - 1

    def rows_in(self, window: int, num_bytes: int) -> int:
        """How many rows of a window have about `num_bytes` bytes."""
        rows = int(self.starts[window + 1] - self.starts[window])
        return rows * num_bytes // max(int(self._sizes[self.blocks_of(window)].sum()), 1)

    def windows(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Windows of the rows [begin, end) of the epoch, and which rows of each: window, first, last."""
        window = self.window_of(begin)
        while begin < end:
            start, stop = int(self.starts[window]), int(self.starts[window + 1])
            until = min(end, stop)
            if until > begin:
                yield window, begin - start, until - start
            begin, window = until, window + 1

    def blocks_of(self, window: int) -> NDArray:
        return self.blocks[self.cuts[window] : self.cuts[window + 1]]

    def rows_of(self, window: int) -> NDArray | None:
        """The order of the rows of a window, as they lie in its blocks; None if they are in order."""
        if self._shuffle is None:
            return None
        size = int(self.starts[window + 1] - self.starts[window])
        return self._shuffle.random(self._epoch, window + 1).permutation(size)

    def _permuted(self, files: NDArray, in_order: list[bool]) -> NDArray:
        assert self._shuffle is not None
        random = self._shuffle.random(self._epoch, 0)
        order = random.permutation(len(files))
        moves = np.array(in_order, dtype=bool)[files[order]]
        if moves.any():
            # The places of the blocks that keep their order are those that the permutation gave them all together.
            order[moves] = _interleaved(files, in_order, random)
        return order


def _interleaved(files: NDArray, in_order: list[bool], random: np.random.RandomState) -> NDArray:
    """The blocks of files that keep their order: of a few random files at a time, evenly mixed."""
    firsts = np.searchsorted(files, np.arange(len(in_order) + 1))
    waiting = [i for i in random.permutation(len(in_order)) if in_order[i] and firsts[i] < firsts[i + 1]]
    found = []
    for at in range(0, len(waiting), _OPEN_FILES):
        group = waiting[at : at + _OPEN_FILES]
        blocks = np.concatenate([np.arange(firsts[i], firsts[i + 1]) for i in group])
        # Block n of a file with c blocks is at a random place in part n of c equal parts, so that files end together.
        file = files[blocks]
        places = (blocks - firsts[file] + random.random_sample(len(blocks))) / (firsts[file + 1] - firsts[file])
        blocks = blocks[places.argsort(kind="stable")]
        found.append(blocks)
    return np.concatenate(found)


def _windows(rows: NDArray, sizes: NDArray, shuffle: Shuffle) -> NDArray:
    """The first blocks of the windows, and the end."""
    row_ends, byte_ends = (np.concatenate([[0], np.cumsum(counts)]) for counts in (rows, sizes))

    def last_of(first: int) -> int:
        """The end of the largest window at block `first`."""
        stop = int(np.searchsorted(row_ends, row_ends[first] + shuffle.buffer_rows, side="right")) - 1
        limit = int(np.searchsorted(byte_ends, byte_ends[first] + shuffle.buffer_bytes, side="right")) - 1
        return max(first + 1, min(stop, limit))

    cuts = [0]
    while cuts[-1] < len(rows):
        cuts.append(last_of(cuts[-1]))
    if len(cuts) > 2:
        # The last two windows are of about equal size, since the rest that remains for the last one may be a few rows.
        first, end = cuts[-3], cuts[-1]
        middle = int(np.searchsorted(row_ends, (row_ends[first] + row_ends[end]) // 2))
        if first < middle <= last_of(first) and end <= last_of(middle):
            cuts[-2] = middle
    return np.array(cuts, dtype=np.int64)
