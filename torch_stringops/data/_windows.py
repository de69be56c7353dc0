"""The windows of an epoch: the rows that are in memory, of which batches are taken."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from torch_stringops.data._row_order import RowOrder
from torch_stringops.data._shards import Rows, Shard
from torch_stringops.data.column import StringColumn

NDArray = np.ndarray[Any, Any]

# The columns of the rows of a window, and their order.
Window = Future[tuple[Any, NDArray | None]]

_OP = "StreamingDataset"


class Windows:
    """Reads windows when a batch needs their rows, and keeps them until `release`. Threads share it.

    With `read_ahead`, a thread reads the windows in order, and the next one while batches of one are made, until
    `close`. Otherwise one thread calls `batch`.
    """

    def __init__(
        self, order: RowOrder, place_of: Callable[[int], tuple[Shard, int]], read_ahead: bool
    ) -> None:
        self._order, self._place_of = order, place_of
        self._windows: dict[int, Window] = {}
        self._next = -1  # the window after those that have been asked for
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="stringops-data") if read_ahead else None

    def release(self, row: int) -> None:
        """Forgets the windows before a row of the epoch, of which no more batches are made."""
        with self._lock:
            for number in [n for n in self._windows if self._order.starts[n + 1] <= row]:
                del self._windows[number]

    def close(self) -> None:
        """Ends the thread."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def batch(self, ranges: list[tuple[int, int]]) -> Rows:
        """The rows of ranges of the epoch."""
        parts = []
        for begin, end in ranges:
            for number, first, last in self._order.windows(begin, end):
                columns, order = self._window(number)
                parts.append(_take(columns, first, last, order))
        if len(parts) == 1:
            return parts[0]
        if not isinstance(parts[0], dict):
            return torch.cat(parts)
        return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}

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
                # again. Those before this one are needed too.
                if self._next < 0:
                    self._next = number
                last = min(number + 2, len(self._order.starts) - 1)
                missing = {number, *range(self._next, last)}
                for n in sorted(missing - self._windows.keys()):
                    self._windows[n] = self._begin(n)
                self._next = max(self._next, last)
            window = self._windows[number]
        return window.result()

    def _begin(self, number: int) -> Window:
        if self._pool is not None:
            return self._pool.submit(self._read, number)
        window: Window = Future()
        window.set_result(self._read(number))
        return window

    def _read(self, number: int) -> tuple[Any, NDArray | None]:
        blocks = self._order.blocks_of(number)
        found: list[Any] = [None] * len(blocks)
        # Each file from its beginning. Files of the next windows come last.
        places = [self._place_of(int(block)) for block in blocks]
        firsts: dict[Any, int] = {}
        for place, (shard, _) in enumerate(places):
            firsts.setdefault(shard.path, place)
        for place in sorted(range(len(places)), key=lambda i: (firsts[places[i][0].path], blocks[i])):
            shard, block = places[place]
            found[place] = shard.read(block)
        if not isinstance(found[0], dict):
            return _as_one(found), self._order.rows_of(number)
        columns = {name: _as_one([rows[name] for rows in found]) for name in found[0]}
        return columns, self._order.rows_of(number)


def _as_one(columns: list[Any]) -> Any:
    if any(isinstance(column, torch.Tensor) for column in columns):
        return columns[0] if len(columns) == 1 else torch.cat(columns)
    return StringColumn._of_ranges([c for column in columns for c in getattr(column, "chunks", [column])])


def _take(columns: Any, first: int, last: int, order: NDArray | None) -> Rows:
    if isinstance(columns, dict):
        return {name: _take(column, first, last, order) for name, column in columns.items()}
    # Rows in order are copied too, since a batch must not keep the window in memory.
    rows = np.arange(first, last) if order is None else order[first:last]
    return columns[torch.from_numpy(rows)]
