"""Parquet files, whose blocks are row groups: several small ones, or parts of one that are decoded in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch_stringops.data.files.arrow import pa, parquet
from torch_stringops.data.streams.shard import Limits, Rows, Shard, kinds_of
from torch_stringops.data.streams.table_rows import Reading
from torch_stringops.data.tables.lists import can_join
from torch_stringops.data.tables.source import select

# Columns are read in parts of this many bytes; otherwise a whole compressed column of a row group is in memory.
_BUFFER_BYTES = 2**20
# Parts of row groups are as many times larger than blocks of other files, since each has to be converted.
_LARGER = 4


class ParquetShard(Shard):
    """A Parquet file. A read decodes some row groups, or, if rows are read in order, the next part of one.

    A part needs those before it in its row group. They are decoded too if they have not been read just before.
    """

    def __init__(self, path: Path, reading: Reading, limits: Limits) -> None:
        super().__init__(path)
        self._reading = reading
        with self._open(None) as file:
            self._metadata, schema = file.metadata, file.schema_arrow
        self._names = select(schema.names, reading.columns)
        self.kinds = kinds_of(schema, self._names, reading)
        # The row groups of each block, from the first to the one after the last, and the rows before it in the first.
        self._places: list[tuple[int, int, int]] = []
        blocks: list[tuple[int, int]] = []
        self._part_rows: list[int] = []  # of each row group
        joins = can_join(schema.field(name).type for name in self._names)
        for number in range(self._metadata.num_row_groups):
            group = self._metadata.row_group(number)
            rows, size = group.num_rows, _group_bytes(group, self._names)
            part = max(
                1,
                min(rows, limits.rows, _LARGER * limits.bytes * rows // max(size, 1)) if limits.in_order else rows,
            )
            self._part_rows.append(part)
            self.stays_open |= part < rows
            if joins and blocks and part >= rows and self._places[-1][2] == 0:
                first, stop, _ = self._places[-1]
                both = blocks[-1][0] + rows, blocks[-1][1] + size
                if stop == number and both[0] <= limits.rows and both[1] <= limits.bytes:
                    self._places[-1], blocks[-1] = (first, number + 1, 0), both
                    continue
            for begin in range(0, rows, part):
                count = min(part, rows - begin)
                self._places.append((number, number + 1, begin))
                blocks.append((count, size * count // rows))
        self._set(blocks)

    def read(self, block: int) -> Rows:
        self._check_file(self.path.stat())
        first, stop, begin = self._places[block]
        count = int(self.rows[block])
        if self._part_rows[first] < self._metadata.row_group(first).num_rows:
            with self._lock:
                table = self._part(first, begin, begin + count)
        else:
            with self._open(self._metadata) as file:
                table = file.read_row_groups(list(range(first, stop)), columns=self._names, use_threads=False)
        self._check_count(block, table.num_rows)
        return self._columns(table, block, self._reading)

    def _part(self, group: int, begin: int, end: int) -> Any:
        """The rows [begin, end) of a row group."""
        if self._opened is None or self._opened.group != group or begin < self._opened.row:
            self._opened = _Decoded(group, self._decode(group))
        at: _Decoded = self._opened
        found = []
        while at.row < end:
            if at.rest is None:
                at.rest = next(at.batches, None)
                if at.rest is None:
                    raise self.changed(f"expected {end} rows in row group {group}, got {at.row}")
            here = at.rest.slice(0, end - at.row)
            skipped = max(begin - at.row, 0)
            if skipped < here.num_rows:
                found.append(here.slice(skipped))
            left = at.rest.slice(here.num_rows)
            at.row, at.rest = at.row + here.num_rows, left if left.num_rows else None
        if end == self._metadata.row_group(group).num_rows:
            self.close()
        return pa.Table.from_batches(found)

    def _decode(self, group: int) -> Iterator[Any]:
        with self._open(self._metadata) as file:
            yield from file.iter_batches(
                self._part_rows[group], row_groups=[group], columns=self._names, use_threads=False
            )

    def _open(self, metadata: Any) -> Any:
        return parquet.ParquetFile(
            pa.OSFile(os.fsencode(self.path)),
            metadata=metadata,
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES,
        )


@dataclass
class _Decoded:
    """A row group of which some rows have been decoded, and those of the last batch that have not been read."""

    group: int
    batches: Iterator[Any]
    row: int = 0
    rest: Any = None


def _group_bytes(group: Any, wanted: list[str]) -> int:
    """The bytes of columns, decompressed; those of lists are at paths of several parts."""
    names, starts = set(wanted), tuple(f"{name}." for name in wanted)
    chunks = (group.column(i) for i in range(group.num_columns))
    return sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema in names or chunk.path_in_schema.startswith(starts)
    )
