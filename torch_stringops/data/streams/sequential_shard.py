"""Files that are read from their beginning: compressed text, CSV and JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

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

    def read(self, block: int) -> Rows:
        begin, end = int(self._starts[block]), int(self._starts[block + 1])
        with self._lock:
            if self._opened is None or begin < self._opened.begin:
                self._check_file(self.path.stat())
                self._opened = _Reading(self._pieces())
            at: _Reading = self._opened
            while at.end < end:
                at.piece = next(at.rest, None)
                if at.piece is None:
                    raise self.changed(f"expected {self._starts[-1]} rows, got {at.end}")
                at.begin, at.end = at.end, at.end + num_rows(at.piece)
            if begin < at.begin:
                raise self.changed("the sizes of its pieces")
            found = slice_rows(at.piece, begin - at.begin, end - at.begin)
            if end == self._starts[-1]:
                if next(at.rest, None) is not None:
                    raise self.changed(f"expected {end} rows, got more")
                self.close()
        return found


@dataclass
class _Reading:
    """A pass over a file: the pieces that are left, and the last one, of the rows [begin, end)."""

    rest: Iterator[Rows]
    piece: Rows = None
    begin: int = 0
    end: int = 0


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
