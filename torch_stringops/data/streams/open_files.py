"""The files of a StreamingDataset: text, or tables whose columns have the same names and types in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torch_stringops.data.files.cache import Cache
from torch_stringops.data.files.listing import File
from torch_stringops.data.streams.open_shard import is_csv, is_table, open_shard, takes_text
from torch_stringops.data.streams.options import StreamOptions
from torch_stringops.data.streams.remote_shards import open_shards
from torch_stringops.data.streams.shard import OP, Limits, Shard
from torch_stringops.data.streams.table_rows import Reading
from torch_stringops.data.tables.kinds import unite
from torch_stringops.data.tables.partitions import Partitions
from torch_stringops.data.tables.source import Columns, as_names
from torch_stringops.data.tables.values import Missing, check_filled, check_missing


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
    paths = [Path(str(file)) for file in files]
    if len({*map(is_table, paths)}) > 1:
        raise ValueError(f"{OP}: expected files of text or files of tables, got both")
    check_missing(OP, missing)
    names, strings = as_names(OP, columns), as_names(OP, options.text, "text") or []
    if names == []:
        raise ValueError(f"{OP}: expected at least one name in `columns`, or None for all")
    of_tables = {"columns": names, "text": strings, "missing": missing, "partitioning": options.partitioning}
    for name, value in of_tables.items():
        if value not in (None, []) and not is_table(paths[0]):
            raise ValueError(f"{OP}: expected `{name}` with files of tables only, got files of text")
    partitions = Partitions(OP, files, options.partitioning, strings)
    reading = Reading(partitions.of_file(names), strings, missing)
    if partitions.names:
        reading.partitions, reading.wanted = partitions, names
        reading.text = [name for name in strings if name not in partitions.names]
    has_text = all(map(takes_text, paths))
    if reading.text and not has_text:
        raise ValueError(f"{OP}: expected `text` with files of CSV, JSON lines and tar only")

    def open_copy(path: Path, file: File) -> Shard:
        return open_shard(path, replace(reading, origin=file), limits)

    shards = open_shards(files, cache, options.fetch_ahead, open_copy)
    tables = [(shard.path, shard.kinds) for shard in shards if shard.kinds is not None]
    # Files without rows have no influence on the types of columns, if there are others.
    filled = [found for found, shard in zip(tables, shards, strict=False) if len(shard.rows)]
    # A column of CSV files all of whose fields are missing is text, as in `read_csv`.
    kinds = unite(OP, filled or tables, has_text, None if all(map(is_csv, paths)) else missing)
    if filled and not kinds:
        raise ValueError(f"{OP}: {filled[0][0]}: expected a table with columns, got rows without any")
    if names is None and tables:
        check_filled(OP, missing, kinds)
    reading.kinds.update(kinds)
    return shards
