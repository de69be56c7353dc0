"""Parquet files, whose blocks are row groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch_stringops.data._shard import OP, Rows, Shard, errors_of, kinds_of
from torch_stringops.data._table_pieces import Reading
from torch_stringops.data._table_source import select
from torch_stringops.data.files import pyarrow_module


class ParquetShard(Shard):
    """A Parquet file, of which each read decodes one row group."""

    def __init__(self, path: Path, reading: Reading) -> None:
        super().__init__(path)
        self._reading = reading
        with self._open(None) as file:
            self._metadata, schema = file.metadata, file.schema_arrow
        with errors_of(self.path):
            self._names = select(schema.names, reading.columns)
            self.kinds = kinds_of(schema, self._names, reading)
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
        return pyarrow_module(OP, "pyarrow.parquet").ParquetFile(
            str(self.path), metadata=metadata, pre_buffer=False
        )


def _group_bytes(group: Any, wanted: list[str]) -> int:
    """The bytes of columns, decompressed; those of lists are at paths of several parts."""
    names, starts = set(wanted), tuple(f"{name}." for name in wanted)
    chunks = (group.column(i) for i in range(group.num_columns))
    return sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema in names or chunk.path_in_schema.startswith(starts)
    )
