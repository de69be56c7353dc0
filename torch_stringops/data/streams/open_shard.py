"""Files as blocks of rows, by their kind.

A block of a text file is a range of its bytes, of a Parquet file a row group, of an Arrow file a range of a record
batch, of a tar archive a range of samples. Blocks of compressed text, CSV and JSON lines can only be read one after the
other.
"""

from __future__ import annotations

from pathlib import Path

from torch_stringops.data.files.local import is_compressed, is_stream, without_compression
from torch_stringops.data.streams.arrow_shard import open_arrow
from torch_stringops.data.streams.parquet_shard import ParquetShard
from torch_stringops.data.streams.sequential_shard import open_compressed_text, open_parsed
from torch_stringops.data.streams.shard import OP, Limits, Shard, errors_of
from torch_stringops.data.streams.table_rows import Reading
from torch_stringops.data.streams.tar_shard import TarShard
from torch_stringops.data.streams.text_shard import TextShard

_PARSED = {".csv", ".jsonl", ".ndjson"}
_TABLES = {*_PARSED, ".parquet", ".arrow", ".feather", ".tar"}


def is_table(path: Path) -> bool:
    """Whether a file is a table, by its suffix without that of its compression."""
    return _kind(path) in _TABLES


def is_csv(path: Path) -> bool:
    """Whether a file has the text of missing values, by its suffix."""
    return _kind(path) == ".csv"


def takes_text(path: Path) -> bool:
    """Whether names of columns that are strings can be given for a table, whose file does not say it."""
    return _kind(path) in {*_PARSED, ".tar"}


def open_shard(path: Path, reading: Reading, limits: Limits) -> Shard:
    """The blocks of a file."""
    with errors_of(path):
        shard = _open(path, reading, limits)
    if reading.partitions is not None:
        assert shard.kinds is not None  # of tables only
        shard.kinds = reading.partitions.add_kinds(shard.kinds, reading.missing, reading.wanted)
    return shard


def _open(path: Path, reading: Reading, limits: Limits) -> Shard:
    if is_stream(path) and not path.is_file():
        raise ValueError(
            f"{OP}: {path}: expected a file that can be read again, got a pipe or a device (use read_lines)"
        )
    kind = _kind(path)
    if kind == ".parquet":
        return ParquetShard(path, reading, limits)
    if path.suffix.lower() == ".tar":
        return TarShard(path, reading, limits)
    if kind in _PARSED:
        return open_parsed(path, reading, limits)
    if kind in (".arrow", ".feather"):
        return open_arrow(path, reading, limits)
    if is_compressed(path):
        return open_compressed_text(path, limits)
    return TextShard(path, limits)


def _kind(path: Path) -> str:
    return without_compression(path).suffix.lower()
