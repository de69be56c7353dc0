"""A file as blocks of rows, which are the units that a stream reads, shuffles and resumes at."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Any

import numpy as np

from torch_stringops.data.columns.ragged_column import RaggedColumn
from torch_stringops.data.files.arrow import pa
from torch_stringops.data.streams.table_rows import Reading, read_columns
from torch_stringops.data.tables.kinds import Kinds, kind_of

NDArray = np.ndarray[Any, Any]
# The columns of some rows: strings `[n]` or `[n, 1]`, or a dict from names to strings, tensors and lists.
Rows = Any

OP = "StreamingDataset"


@dataclass(frozen=True)
class Limits:
    """The most rows and bytes of a block.

    A row or a compressed record batch is not divided, and a row group only if blocks are read `in_order`.
    """

    rows: int
    bytes: int
    in_order: bool = False


class Shard:
    """A file, whose blocks `read` returns."""

    # Whether a block is found only by reading those before it.
    in_order = False
    # Whether a read may leave the file open for the next one, until the last block or `close`.
    stays_open = False
    _opened: Any
    # The columns of a table.
    kinds: Kinds | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        found = path.stat()
        self.bytes_of_file = found.st_size
        self._identity = found.st_size, found.st_mtime_ns
        self.rows = np.empty(0, dtype=np.int64)  # of each block
        self.bytes = np.empty(0, dtype=np.int64)  # of each block, about
        # What a read leaves open, which threads read one after the other.
        self._lock, self._opened = Lock(), None

    def read(self, block: int) -> Rows:
        """The rows of a block, in memory of their own. Threads may call it at the same time."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes the file, if it has stayed open."""
        self._opened = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_opened")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock, self._opened = Lock(), None

    def changed(self, what: str) -> OSError:
        """The error of a file that is not as it was when the dataset was created."""
        return OSError(f"{OP}: {self.path} has changed since the dataset was created: {what}")

    def _check_file(self, found: os.stat_result) -> None:
        if (found.st_size, found.st_mtime_ns) != self._identity:
            raise self.changed("its size or its time of modification")

    def _read_range(self, file: IO[bytes], begin: int, room: NDArray) -> None:
        """Reads the bytes of a file from `begin` into `room`, uint8."""
        got = 0
        while got < len(room):
            count = os.preadv(file.fileno(), [room.data[got:]], begin + got)
            if count == 0:
                raise self.changed("its size")
            got += count

    def _columns(self, table: Any, block: int, reading: Reading) -> Rows:
        """The columns of a table or record batch of pyarrow."""
        arrays = dict(zip(table.schema.names, table.columns, strict=True))
        row = int(self.rows[:block].sum())
        return read_columns(arrays, table.num_rows, self.path, row, reading, has_text=False)

    def _set(self, blocks: list[tuple[int, int]]) -> None:
        table = np.array(blocks, dtype=np.int64).reshape(-1, 2)
        self.rows, self.bytes = table[:, 0].copy(), table[:, 1].copy()

    def _check_count(self, block: int, count: int) -> None:
        if count != self.rows[block]:
            raise self.changed(f"expected {self.rows[block]} rows in block {block}, got {count}")


def kinds_of(schema: Any, names: list[str], reading: Reading) -> Kinds:
    return {name: kind_of(pa.nulls(0, schema.field(name).type), name, reading.missing, may_lack=True) for name in names}


def num_rows(rows: Rows) -> int:
    return len(next(iter(rows.values()))) if isinstance(rows, dict) else len(rows)


def slice_rows(rows: Rows, begin: int, end: int) -> Rows:
    if isinstance(rows, dict):
        return {name: slice_rows(column, begin, end) for name, column in rows.items()}
    return rows.part(begin, end) if isinstance(rows, RaggedColumn) else rows[begin:end]
