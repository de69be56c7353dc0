"""The windows of an epoch: the rows that are in memory, of which batches are taken."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.ragged_column import RaggedColumn, join_batches
from torch_stringops.data.files.local import errors_of
from torch_stringops.data.streams.remote_shards import RemotePass
from torch_stringops.data.streams.row_order import RowOrder
from torch_stringops.data.streams.shard import OP, Rows, Shard
from torch_stringops.data.streams.steps import Steps
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.ranges import strings_at

NDArray = np.ndarray[Any, Any]

# The columns of the rows of a window, and their order.
Window = Future[tuple[Any, NDArray | None]]

# The rows of several batches are taken from a window at once, up to about this many bytes, which they then share.
_TAKEN_BYTES = 2**20


class Windows:
    """Reads windows when a batch needs their rows, and keeps them until `release`. Threads share it.

    With `read_ahead`, the ranges of rows of all batches that will be asked for, in order, a thread reads the windows of
    these, and the next one while batches of one are made, until `close`. Otherwise one thread calls `batch`. Windows
    without rows of a batch are not read.
    """

    def __init__(
        self,
        order: RowOrder,
        place_of: Callable[[int], tuple[Shard, int]],
        remote: RemotePass | None,
        read_ahead: Iterable[list[tuple[int, int]]] | None,
    ) -> None:
        self._order, self._place_of, self._remote = order, place_of, remote
        self._windows: dict[int, Window] = {}
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        if read_ahead is not None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="stringops-data")
            self._coming = self._numbers(read_ahead)
            self._places: dict[int, int] = {}  # of windows that have been begun, in the order of `_coming`
            self._begun = 0

    def release(self, row: int) -> None:
        """Forgets the windows before a row of the epoch, of which no more batches are made."""
        with self._lock:
            for number in [n for n in self._windows if self._order.starts[n + 1] <= row]:
                del self._windows[number]

    def stop(self) -> None:
        """Ends downloads that are waited for."""
        if self._remote is not None:
            self._remote.stop()

    def close(self) -> None:
        """Ends the thread, and closes files."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        if self._remote is not None:
            self._remote.close()

    def batch(self, ranges: list[tuple[int, int]]) -> Rows:
        """The rows of ranges of the epoch."""
        parts = []
        for begin, end in ranges:
            for number, first, last in self._order.windows(begin, end):
                columns, order = self._window(number)
                rows = np.arange(first, last) if order is None else order[first:last]
                parts += _cut(columns, rows, 1)
        if not isinstance(parts[0], dict):
            return join_batches(parts)
        return {name: join_batches([part[name] for part in parts]) for name in parts[0]}

    def batches(self, steps: Steps, numbers: range) -> list[Rows]:
        """The batches of the first one or more of these steps: of as many as have their rows in one window.

        They are slices of the rows of all, since taking the rows of a small batch would take longer than copying them.
        Those of small windows in order are slices of the windows.
        """
        ranges = steps.of(numbers[0])
        begin, end = ranges[0]
        size, stride = end - begin, numbers.step * steps.step_rows
        number = self._order.window_of(begin)
        start, stop = self._order.starts[number : number + 2].tolist()
        last = min(numbers[-1], numbers[0] + (stop - end) // stride * numbers.step)
        count = len(range(numbers[0], min(last + 1, steps.num_full), numbers.step))
        most = self._order.rows_in(number, _TAKEN_BYTES)
        count = min(count, most // size)
        if len(ranges) > 1 or count < 2:
            return [self.batch(ranges)]
        columns, order = self._window(number)
        first = begin - start
        if order is None and size == stride and most >= stop - start:
            return _cut(columns, slice(first, first + count * size), count)
        rows = (np.arange(first, first + count * stride, stride)[:, None] + np.arange(size)).reshape(-1)
        return _cut(columns, rows if order is None else order[rows], count)

    def first_place(self, ranges: list[tuple[int, int]]) -> str:
        """The file and the row, from 1, of the first row, or of the first of the rows that are shuffled with it."""
        number, first, _ = next(self._order.windows(*ranges[0]))
        order = self._order.rows_of(number)
        at = first if order is None else int(order[first])
        for block in self._order.blocks_of(number):
            shard, i = self._place_of(int(block))
            count = int(shard.rows[i])
            if at < count:
                return f"{shard.path}, row {int(shard.rows[:i].sum()) + at + 1}"
            at -= count
        raise AssertionError("a row is in a block of its window")

    def _window(self, number: int) -> tuple[Any, NDArray | None]:
        with self._lock:
            if self._pool is None:
                if number not in self._windows:
                    self._windows[number] = self._begin(number)
            else:
                # Windows are read in order, by one thread, since files that are read from their beginning would begin
                # again.
                while self._begun < self._places.get(number, self._begun) + 2:
                    coming = next(self._coming, None)
                    if coming is None:
                        break
                    self._places[coming] = self._begun
                    self._begun += 1
                    if coming not in self._windows:
                        self._windows[coming] = self._begin(coming)
                if number not in self._windows:  # the first rows follow the last ones
                    self._windows[number] = self._begin(number)
            window = self._windows[number]
        return window.result()

    def _numbers(self, batches: Iterable[list[tuple[int, int]]]) -> Iterator[int]:
        """The windows of batches, in order."""
        before = -1
        for ranges in batches:
            for begin, end in ranges:
                for number, _, _ in self._order.windows(begin, end):
                    if number != before:
                        yield number
                    before = number

    def _begin(self, number: int) -> Window:
        if self._pool is not None:
            return self._pool.submit(self._read, number)
        window: Window = Future()
        window.set_result(self._read(number))
        return window

    def _read(self, number: int) -> tuple[Any, NDArray | None]:
        if self._remote is not None:
            self._remote.reached(number)
        blocks = self._order.blocks_of(number)
        found: list[Any] = [None] * len(blocks)
        # Each file from its beginning. Files of the next windows come last.
        places = [self._place_of(int(block)) for block in blocks]
        firsts: dict[Any, int] = {}
        for place, (shard, _) in enumerate(places):
            firsts.setdefault(shard.path, place)
        for place in sorted(range(len(places)), key=lambda i: (firsts[places[i][0].path], blocks[i])):
            shard, block = places[place]
            with errors_of(OP, shard.path):
                found[place] = shard.read(block) if self._remote is None else self._remote.read(shard, block)
        if not isinstance(found[0], dict):
            return _as_one(found), self._order.rows_of(number)
        columns = {name: _as_one([rows[name] for rows in found]) for name in found[0]}
        return columns, self._order.rows_of(number)


def _as_one(columns: list[Any]) -> Any:
    if isinstance(columns[0], RaggedColumn):
        return RaggedColumn.join(columns)
    if any(isinstance(column, torch.Tensor) for column in columns):
        return columns[0] if len(columns) == 1 else torch.cat(columns)
    return StringColumn._of_ranges([c for column in columns for c in getattr(column, "chunks", [column])])


def _cut(columns: Any, rows: NDArray | slice, count: int) -> list[Any]:
    """The rows at positions, copied, or of a slice, as `count` batches of equal size."""
    if isinstance(columns, dict):
        parts = [_cut(column, rows, count) for column in columns.values()]
        return [dict(zip(columns, batch, strict=True)) for batch in zip(*parts, strict=True)]
    if isinstance(columns, RaggedColumn):
        at = np.arange(len(columns))[rows] if isinstance(rows, slice) else rows
        return [columns.take(part) for part in at.reshape(count, -1)]
    if isinstance(rows, slice):
        taken = columns[rows]
    elif isinstance(columns, StringColumn) and len(columns.chunks) == 1:
        # For a few rows of many chunks, StringColumn has a way of its own; it takes a table of all chunks.
        taken = strings_at(columns.chunks[0], torch.from_numpy(rows))
    else:
        taken = columns[torch.from_numpy(rows)]
    size = len(taken) // count
    if isinstance(taken, torch.Tensor):
        return list(taken.split(size))
    ends = taken.offsets[::size].numpy()
    data = taken.data[ends[0] : ends[-1]].split(np.diff(ends).tolist())
    offsets = taken.offsets.unfold(0, size + 1, size)
    return list(map(StringTensor._new, data, (offsets - offsets[:, :1]).unbind()))
