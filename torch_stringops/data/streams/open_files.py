"""The files of a StreamingDataset: text, or tables whose columns have the same names and types in all of them.

A block of a text file is a range of its bytes, of a Parquet file a row group, of an Arrow file a range of a record
batch. Blocks of compressed text, CSV and JSON lines can only be read one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torch_stringops.data.files.arrow import pyarrow_module
from torch_stringops.data.files.cache import Cache
from torch_stringops.data.files.listing import File
from torch_stringops.data.files.local import errors_of, is_compressed, is_stream, without_compression
from torch_stringops.data.streams.arrow_shard import open_arrow
from torch_stringops.data.streams.options import StreamOptions
from torch_stringops.data.streams.parquet_shard import ParquetShard
from torch_stringops.data.streams.remote_shards import open_shards
from torch_stringops.data.streams.sequential_shard import open_compressed_text, open_parsed
from torch_stringops.data.streams.shard import OP, Limits, Shard
from torch_stringops.data.streams.table_rows import Reading
from torch_stringops.data.streams.text_shard import TextShard
from torch_stringops.data.tables.kinds import unite
from torch_stringops.data.tables.source import Columns, as_names
from torch_stringops.data.tables.values import Missing, check_filled, check_missing

_PARSED = {".csv", ".jsonl", ".ndjson"}
_TABLES = {*_PARSED, ".parquet", ".arrow", ".feather"}


def open_files(
    files: Sequence[File],
    columns: Columns,
    missing: Missing,
    options: StreamOptions,
    limits: Limits,
    cache: Cache,
) -> list[Shard]:
    """The blocks of files. The other arguments are those of the dataset.

    Raises:
        TypeError, ValueError: an argument does not suit the files, or these do not suit each other.
    """
    kinds_of_files = [_kind(Path(str(file))) for file in files]
    is_table = kinds_of_files[0] in _TABLES
    if any((kind in _TABLES) != is_table for kind in kinds_of_files):
        raise ValueError(f"{OP}: expected files of text or files of tables, got both")
    if is_table:
        pyarrow_module(OP)
    check_missing(OP, missing)
    names, strings = as_names(OP, columns), as_names(OP, options.text, "text") or []
    if names == []:
        raise ValueError(f"{OP}: expected at least one name in `columns`, or None for all")
    for name, value in {"columns": names, "text": strings, "missing": missing}.items():
        if value not in (None, []) and not is_table:
            raise ValueError(f"{OP}: expected `{name}` with files of tables only, got files of text")
    reading = Reading(names, strings, missing)
    # Names of columns that are strings can be given for tables whose files do not say it.
    has_text = {*kinds_of_files} <= _PARSED
    if strings and not has_text:
        raise ValueError(f"{OP}: expected `text` with files of CSV and JSON lines only")

    def open_copy(path: Path) -> Shard:
        with errors_of(OP, path):
            return _open(path, reading, limits)

    shards = open_shards(files, cache, options.fetch_ahead, open_copy)
    tables = [(shard.path, shard.kinds) for shard in shards if shard.kinds is not None]
    # Files without rows have no influence on the types of columns, if there are others.
    filled = [found for found, shard in zip(tables, shards, strict=False) if len(shard.rows)]
    # A column of CSV files all of whose fields are missing is text, as in `read_csv`.
    kinds = unite(OP, filled or tables, has_text, None if {*kinds_of_files} == {".csv"} else missing)
    if filled and not kinds:
        raise ValueError(f"{OP}: {filled[0][0]}: expected a table with columns, got rows without any")
    if names is None and tables:
        check_filled(OP, missing, kinds)
    reading.kinds.update(kinds)
    return shards


def _open(path: Path, reading: Reading, limits: Limits) -> Shard:
    """The blocks of a file."""
    if is_stream(path) and not path.is_file():
        raise ValueError(
            f"{OP}: {path}: expected a file that can be read again, got a pipe or a device (use read_lines)"
        )
    kind = _kind(path)
    if kind == ".parquet":
        return ParquetShard(path, reading, limits)
    if kind in _PARSED:
        return open_parsed(path, reading, limits)
    if kind in (".arrow", ".feather"):
        return open_arrow(path, reading, limits)
    if is_compressed(path):
        return open_compressed_text(path, limits)
    return TextShard(path, limits)


def _kind(path: Path) -> str:
    return without_compression(path).suffix.lower()
