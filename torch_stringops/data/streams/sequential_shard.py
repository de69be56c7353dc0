"""Files that are read from their beginning: compressed text, CSV and JSON lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops.data.columns.lines import stream_lines
from torch_stringops.data.files.arrow import pa
from torch_stringops.data.files.local import without_compression
from torch_stringops.data.streams.shard import Limits, Rows, Shard, num_rows, slice_rows
from torch_stringops.data.streams.table_rows import Reading, read_columns
from torch_stringops.data.tables.csv_file import CsvFile
from torch_stringops.data.tables.jsonl_file import JsonlFile
from torch_stringops.data.tables.kinds import kind_of
from torch_stringops.data.tables.source import Source

# Windows of decompressed text.
_STREAM_BYTES = 2**22


class SequentialShard(Shard):
    """A file that is read from its beginning, in pieces, of which blocks are ranges of rows."""

    in_order = stays_open = True

    def __init__(
        self,
        path: Path,
        pieces: Callable[[], Iterator[Rows]],
        sizes: Iterable[tuple[int, int]],
        limits: Limits,
    ) -> None:
        super().__init__(path)
        self._pieces = pieces
        blocks = []
        for rows, size in sizes:
            step = max(1, min(limits.rows, limits.bytes * rows // max(size, 1)))
            for at in range(0, rows, step):
                count = min(step, rows - at)
                blocks.append((count, size * count // rows))
        self._set(blocks)
        self._starts = np.concatenate([[0], np.cumsum(self.rows)])
        self._lock = threading.Lock()
        self._iterator: Iterator[Rows] = iter(())
        self._piece: Rows = None
        self._begin = self._end = -1  # rows of the piece; none if negative

    def read(self, block: int) -> Rows:
        begin, end = int(self._starts[block]), int(self._starts[block + 1])
        with self._lock:
            if self._begin < 0 or begin < self._begin:
                self._check_file(self.path.stat())
                self._iterator, self._begin, self._end = self._pieces(), 0, 0
            while self._end < end:
                piece = next(self._iterator, None)
                if piece is None:
                    raise self.changed(f"expected {self._starts[-1]} rows, got {self._end}")
                self._begin, self._end = self._end, self._end + num_rows(piece)
                self._piece = piece
            if begin < self._begin:
                raise self.changed("the sizes of its pieces")
            found = slice_rows(self._piece, begin - self._begin, end - self._begin)
            if end == self._starts[-1]:
                if next(self._iterator, None) is not None:
                    raise self.changed(f"expected {end} rows, got more")
                self.close()
        return found

    def close(self) -> None:
        """Forgets the part of the file that has been read."""
        self._iterator, self._piece, self._begin, self._end = iter(()), None, -1, -1

    def __getstate__(self) -> dict[str, Any]:
        kept = {**self.__dict__, "_iterator": None, "_piece": None, "_begin": -1, "_end": -1}
        del kept["_lock"]
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def open_compressed_text(path: Path, limits: Limits) -> Shard:
    pieces = partial(stream_lines, path, window_bytes=_STREAM_BYTES)
    return SequentialShard(path, pieces, ((len(piece), piece.data.numel()) for piece in pieces()), limits)


class ParsedFile:
    """A CSV or JSON lines file. A call gives the columns of its blocks, in the kinds of all files."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self.path, self.reading = path, reading
        kind = CsvFile if without_compression(path).suffix.lower() == ".csv" else JsonlFile
        self.file = kind(Source(path), reading.columns, reading.text, is_stream=True)

    def __call__(self) -> Iterator[Rows]:
        row = self.file.first_row
        for rows in self.file.rows():
            if rows.count:
                yield read_columns(rows.columns, rows.count, self.path, row, self.reading, has_text=True)
            row += rows.count


def open_parsed(path: Path, reading: Reading, limits: Limits) -> Shard:
    """A CSV or JSON lines file, which is read once to find its blocks and the kinds of its columns."""
    parsed = ParsedFile(path, reading)
    blocks = [
        (rows.count, sum(getattr(array, "nbytes", 0) for array in rows.columns.values()))
        for rows in parsed.file.rows()
        if rows.count
    ]
    parsed.file.settle()
    shard = SequentialShard(path, parsed, blocks, limits)
    shard.kinds = {
        name: None if kind is None else kind_of(pa.nulls(0, kind), name, reading.missing, parsed.file.lacks(name))
        for name, kind in parsed.file.types.items()
    }
    return shard
