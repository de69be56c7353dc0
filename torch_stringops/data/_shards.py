"""Files as blocks of rows, which are what a stream reads, shuffles and resumes at.

A block of a text file is a range of its bytes, of a Parquet file a row group, of an Arrow file a range of a record
batch. Blocks of compressed text, CSV and JSON lines can only be read one after the other.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from torch_stringops._checks import MAX_BYTES
from torch_stringops.data._table_pieces import Kinds, ParsedFile, Reading, kind_of, read_columns
from torch_stringops.data._table_source import select
from torch_stringops.data.column import StringColumn
from torch_stringops.data.files import (
    MappedFile,
    is_compressed,
    is_stream,
    pyarrow_module,
    without_compression,
)
from torch_stringops.data.lines import find_lines, stream_lines
from torch_stringops.string_tensor import StringTensor

NDArray = np.ndarray[Any, Any]
# The columns of some rows: strings `[n]` or `[n, 1]`, or a dict from names to strings and tensors.
Rows = Any

_OP = "StreamingDataset"
# Lines of a text file are counted in parts of this many bytes.
_SCAN_BYTES = 2**24
# Windows of decompressed text.
_STREAM_BYTES = 2**22


@dataclass(frozen=True)
class Limits:
    """The most rows and bytes of a block. A row, a row group or a compressed record batch is not divided."""

    rows: int
    bytes: int


class Shard:
    """A file, whose blocks `read` returns."""

    # Whether a block is found only by reading those before it.
    in_order = False
    # The columns of a table.
    kinds: Kinds | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        found = path.stat()
        self.bytes_of_file = found.st_size
        self._identity = found.st_size, found.st_mtime_ns
        self.rows = np.empty(0, dtype=np.int64)  # of each block
        self.bytes = np.empty(0, dtype=np.int64)  # of each block, about

    def read(self, block: int) -> Rows:
        """The rows of a block, in memory of their own. Threads may call it at the same time."""
        raise NotImplementedError

    def changed(self, what: str) -> OSError:
        """The error of a file that is not as it was when the dataset was created."""
        return OSError(f"{_OP}: {self.path} has changed since the dataset was created: {what}")

    def _check_file(self, found: os.stat_result) -> None:
        if (found.st_size, found.st_mtime_ns) != self._identity:
            raise self.changed("its size or its time of modification")

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Adds the file to ValueErrors."""
        try:
            yield
        except ValueError as error:
            text = str(error).removeprefix(f"{self.path}: ")
            raise ValueError(f"{_OP}: {self.path}: {text}") from None

    def _columns(self, table: Any, block: int, reading: Reading) -> Rows:
        """The columns of a table or record batch of pyarrow."""
        arrays = dict(zip(table.schema.names, table.columns, strict=True))
        row = int(self.rows[:block].sum())
        with self.errors():
            return read_columns(arrays, table.num_rows, self.path, row, reading, has_text=False)

    def _set(self, blocks: list[tuple[int, int]]) -> None:
        table = np.array(blocks, dtype=np.int64).reshape(-1, 2)
        self.rows, self.bytes = table[:, 0].copy(), table[:, 1].copy()

    def _check_count(self, block: int, count: int) -> None:
        if count != self.rows[block]:
            raise self.changed(f"expected {self.rows[block]} rows in block {block}, got {count}")


class TextShard(Shard):
    """A text file. Blocks are read into memory, since a mapped file that is truncated ends the process."""

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__(path)
        begins, blocks = [0], []
        data = MappedFile(_OP, path).tensor
        at = lines = 0
        while at < data.numel():
            view = data[at : at + MAX_BYTES]
            offsets, size = find_lines(view, at + view.numel() == data.numel(), _SCAN_BYTES)
            if size == 0:
                raise ValueError(
                    f"{_OP}: {path}, line {lines + 1}: expected lines of at most 2**31 - 1 bytes"
                )
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
            got = 0
            while got < len(room):
                count = os.preadv(file.fileno(), [room.data[got:]], begin + got)
                if count == 0:
                    raise self.changed("its size")
                got += count
        data = torch.from_numpy(room)
        offsets, size = find_lines(data, True, len(room), int(self.rows[block]))
        if size != len(room):
            raise self.changed("the ends of its lines")
        self._check_count(block, len(offsets))
        return StringTensor(data, offsets)


class ParquetShard(Shard):
    """A Parquet file, of which each read decodes one row group."""

    def __init__(self, path: Path, reading: Reading) -> None:
        super().__init__(path)
        self._reading = reading
        with self._open(None) as file:
            self._metadata, schema = file.metadata, file.schema_arrow
        with self.errors():
            self._names = select(schema.names, reading.columns)
            self.kinds = _kinds_of(schema, self._names, reading)
        groups = [self._metadata.row_group(i) for i in range(self._metadata.num_row_groups)]
        self._groups = [i for i, group in enumerate(groups) if group.num_rows]
        self._set([(groups[i].num_rows, _group_bytes(groups[i], self._names)) for i in self._groups])

    def read(self, block: int) -> Rows:
        self._check_file(self.path.stat())
        with self._open(self._metadata) as file:
            table = file.read_row_group(self._groups[block], columns=self._names, use_threads=False)
        self._check_count(block, table.num_rows)
        return self._columns(table, block, self._reading)

    def _open(self, metadata: Any) -> Any:
        return pyarrow_module(_OP, "pyarrow.parquet").ParquetFile(
            str(self.path), metadata=metadata, pre_buffer=False
        )


def _group_bytes(group: Any, wanted: list[str]) -> int:
    names = set(wanted)
    chunks = (group.column(i) for i in range(group.num_columns))
    return sum(c.total_uncompressed_size for c in chunks if c.path_in_schema.split(".")[0] in names)


class ArrowShard(Shard):
    """An Arrow IPC file. Blocks of record batches that are not compressed are ranges of their rows."""

    def __init__(self, path: Path, reading: Reading, limits: Limits) -> None:
        super().__init__(path)
        self._reading = reading
        blocks, places = [], []
        for i, batch, is_mapped in self._batches():
            rows = batch.num_rows
            if not rows:
                continue
            count = max(1, -(-rows // limits.rows), -(-batch.nbytes // limits.bytes)) if is_mapped else 1
            step = -(-rows // min(count, rows))
            for first in range(0, rows, step):
                size = min(step, rows - first)
                places.append((i, first, size))
                blocks.append((size, batch.nbytes * size // rows))
        self._places = places
        self._set(blocks)

    def read(self, block: int) -> Rows:
        i, first, count = self._places[block]
        # The pages are read before this returns: a file that is truncated in the meantime still ends the process.
        self._check_file(self.path.stat())
        file = self._open()[0]
        batch = file.get_batch(i).slice(first, count)
        self._check_count(block, batch.num_rows)
        found = self._columns(batch, block, self._reading)
        return {name: _owned(column) for name, column in found.items()}

    def _open(self) -> tuple[Any, Any]:
        pa = pyarrow_module(_OP)
        source = pa.memory_map(str(self.path))
        schema = pa.ipc.open_file(source).schema
        with self.errors():
            names = select(schema.names, self._reading.columns)
        fields = [schema.names.index(name) for name in names]
        source.seek(0)
        return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields)), source

    def _batches(self) -> Iterator[tuple[int, Any, bool]]:
        """The record batches, and whether their memory is that of the file."""
        try:
            file, source = self._open()
            with self.errors():
                self.kinds = _kinds_of(file.schema, file.schema.names, self._reading)
            source.seek(0)
            whole = source.read_buffer()
            for i in range(file.num_record_batches):
                batch = file.get_batch(i)
                buffers = [
                    b for column in batch.columns for b in column.buffers() if b is not None and b.size
                ]
                is_mapped = all(whole.address <= b.address < whole.address + whole.size for b in buffers)
                yield i, batch, is_mapped
        except pyarrow_module(_OP).ArrowException as error:
            raise ValueError(f"{_OP}: {self.path}: {error}") from None


class StreamShard(Shard):
    """A file that is read from its beginning, in pieces, of which blocks are ranges of rows."""

    in_order = True

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
        with self.errors():
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
        with self._lock, self.errors():
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
            found = _slice(self._piece, begin - self._begin, end - self._begin)
            if end == self._starts[-1]:
                if next(self._iterator, None) is not None:
                    raise self.changed(f"expected {end} rows, got more")
                self.close()
        return found

    def close(self) -> None:
        """Forgets what has been read of the file."""
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


@dataclass(frozen=True)
class _Batches:
    """Record batches of a stream of Arrow."""

    path: Path
    reading: Reading

    def open(self) -> Any:
        pa = pyarrow_module(_OP)
        return pa.ipc.open_stream(pa.OSFile(str(self.path)))

    def __call__(self) -> Iterator[Rows]:
        row = 0
        with self.open() as batches:
            names = select(batches.schema.names, self.reading.columns)
            for batch in batches:
                if batch.num_rows:
                    arrays = {name: batch.column(name) for name in names}
                    yield read_columns(arrays, batch.num_rows, self.path, row, self.reading, has_text=False)
                row += batch.num_rows


_PARSED = {".csv", ".jsonl", ".ndjson"}
_TABLES = {*_PARSED, ".parquet", ".arrow", ".feather"}


def is_table(path: Path) -> bool:
    """Whether a file is a table, by its suffix without that of its compression."""
    return _kind(path) in _TABLES


def open_shard(path: Path, reading: Reading, limits: Limits) -> Shard:
    """The blocks of a file."""
    if is_stream(path) and not path.is_file():
        raise ValueError(
            f"{_OP}: {path}: expected a file that can be read again, got a pipe or a device (use read_lines)"
        )
    kind = _kind(path)
    if kind == ".parquet":
        return ParquetShard(path, reading)
    if kind in _PARSED:
        file = ParsedFile(path, reading)
        blocks, kinds = file.scan()
        shard: Shard = StreamShard(path, _Parsed(file), blocks, limits)
        shard.kinds = kinds
        return shard
    if kind in (".arrow", ".feather"):
        with open(path, "rb") as head:
            is_file = head.read(6) == b"ARROW1"
        if is_file:
            return ArrowShard(path, reading, limits)
        batches = _Batches(path, reading)
        with batches.open() as stream:
            names = select(stream.schema.names, reading.columns)
            kinds = _kinds_of(stream.schema, names, reading)
            sizes = [(batch.num_rows, batch.nbytes) for batch in stream if batch.num_rows]
        shard = StreamShard(path, batches, sizes, limits)
        shard.kinds = kinds
        return shard
    if is_compressed(path):
        text = _Text(path)
        return StreamShard(path, text, text.sizes(), limits)
    return TextShard(path, limits)


def _kind(path: Path) -> str:
    return without_compression(path).suffix.lower()


def _kinds_of(schema: Any, names: list[str], reading: Reading) -> Kinds:
    nulls = pyarrow_module(_OP).nulls
    return {name: kind_of(nulls(0, schema.field(name).type), name, reading, may_lack=True) for name in names}


def num_rows(rows: Rows) -> int:
    return len(next(iter(rows.values()))) if isinstance(rows, dict) else len(rows)


def _slice(rows: Rows, begin: int, end: int) -> Rows:
    if isinstance(rows, dict):
        return {name: column[begin:end] for name, column in rows.items()}
    return rows[begin:end]


def _owned(column: Any) -> Any:
    """The column in memory of its own, not in that of a mapped file."""
    return column if isinstance(column, torch.Tensor) else StringColumn([column[:].clone()])
