"""Files that are read from their beginning: compressed text, CSV and JSON lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops.data.columns.lines import stream_lines
from torch_stringops.data.streams.shard import Limits, Rows, Shard, num_rows, slice_rows
from torch_stringops.data.streams.table_rows import ParsedFile, Reading

# Windows of decompressed text.
_STREAM_BYTES = 2**22


class StreamShard(Shard):
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


@dataclass(frozen=True)
class _Text:
    """Lines of a compressed file."""

    path: Path

    def __call__(self) -> Iterator[Rows]:
        return stream_lines(self.path, window_bytes=_STREAM_BYTES)

    def sizes(self) -> Iterator[tuple[int, int]]:
        return ((len(piece), piece.data.numel()) for piece in self())


@dataclass(frozen=True)
class _Parsed:
    """Blocks of a CSV or JSON lines file."""

    file: ParsedFile

    def __call__(self) -> Iterator[Rows]:
        return iter(self.file)


def open_compressed_text(path: Path, limits: Limits) -> Shard:
    text = _Text(path)
    return StreamShard(path, text, text.sizes(), limits)


def open_parsed(path: Path, reading: Reading, limits: Limits) -> Shard:
    """A CSV or JSON lines file."""
    file = ParsedFile(path, reading)
    blocks, kinds = file.scan()
    shard = StreamShard(path, _Parsed(file), blocks, limits)
    shard.kinds = kinds
    return shard
