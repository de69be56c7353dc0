"""Arrow IPC files, whose blocks are ranges of record batches, and streams."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.ragged_column import RaggedColumn
from torch_stringops.data.files.arrow import pa, validated
from torch_stringops.data.streams.sequential_shard import SequentialShard
from torch_stringops.data.streams.shard import Limits, Rows, Shard, kinds_of
from torch_stringops.data.streams.table_rows import Reading, read_columns
from torch_stringops.data.tables.source import select


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
        source = pa.memory_map(os.fsencode(self.path))
        schema = pa.ipc.open_file(source).schema
        names = select(schema.names, self._reading.columns)
        fields = [schema.names.index(name) for name in names]
        source.seek(0)
        return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields)), source

    def _batches(self) -> Iterator[tuple[int, Any, bool]]:
        """The record batches, and whether their memory is that of the file."""
        file, source = self._open()
        self.kinds = kinds_of(file.schema, file.schema.names, self._reading)
        source.seek(0)
        whole = source.read_buffer()
        for i in range(file.num_record_batches):
            batch = validated(file.get_batch(i))
            buffers = [b for column in batch.columns for b in column.buffers() if b is not None and b.size]
            is_mapped = all(whole.address <= b.address < whole.address + whole.size for b in buffers)
            yield i, batch, is_mapped


def _owned(column: Any) -> Any:
    """The column in memory of its own, not in that of a mapped file."""
    if isinstance(column, RaggedColumn):
        return RaggedColumn(_owned(column.values), column.row_splits)
    return column if isinstance(column, torch.Tensor) else StringColumn([column[:].clone()])


def _open_stream(path: Path) -> Any:
    return pa.ipc.open_stream(pa.OSFile(os.fsencode(path)))


def _read_stream(path: Path, reading: Reading) -> Iterator[Rows]:
    """The columns of the record batches of a stream of Arrow."""
    row = 0
    with _open_stream(path) as batches:
        names = select(batches.schema.names, reading.columns)
        for batch in batches:
            if batch.num_rows:
                arrays = {name: batch.column(name) for name in names}
                yield read_columns(arrays, batch.num_rows, path, row, reading, has_text=False)
            row += batch.num_rows


def open_arrow(path: Path, reading: Reading, limits: Limits) -> Shard:
    """An Arrow file or an Arrow stream, by its first bytes."""
    with open(path, "rb") as head:
        if head.read(6) == b"ARROW1":
            return ArrowShard(path, reading, limits)
    with _open_stream(path) as stream:
        kinds = kinds_of(stream.schema, select(stream.schema.names, reading.columns), reading)
        sizes = [(batch.num_rows, validated(batch).nbytes) for batch in stream if batch.num_rows]
    shard = SequentialShard(path, partial(_read_stream, path, reading), sizes, limits)
    shard.kinds = kinds
    return shard
