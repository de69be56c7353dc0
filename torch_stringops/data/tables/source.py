"""A file of a table, which a reader may open several times, and the names of its columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from torch_stringops.data.files.arrow import pa
from torch_stringops.data.files.local import (
    check_no_archive,
    compression,
    open_compressed,
    read_stream,
)

Columns = str | Sequence[str] | None


@dataclass
class Rows:
    """Rows of a table. The first of a file may be none, with the names and types of the columns."""

    count: int
    columns: dict[str, Any]  # Arrow arrays or Nulls `[count]`


class Source:
    """The bytes of a file, decompressed. Those of a pipe are read once, when this is created."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = read_stream(path)
        self.is_compressed = compression(path, self.content) is not None
        if not self.is_compressed:
            with self.open() as file:
                check_no_archive(file.read(512))

    def num_bytes(self) -> int | None:
        """The size of a file that is not compressed; None if it is not known."""
        if self.is_compressed:
            return None
        return (self.path.stat().st_size if self.content is None else len(self.content)) or None

    def open(self) -> IO[bytes]:
        """A file of Python, or of pyarrow, that reads in order."""
        if self.is_compressed:
            return open_compressed(self.path, self.content)
        file: IO[bytes] = pa.BufferReader(self.content) if self.content is not None else self.path.open("rb")
        return file

    def mapped(self) -> Any:
        """A file of pyarrow that reads at any position: a memory map, or bytes in memory."""
        if self.is_compressed:
            with self.open() as file:
                return pa.BufferReader(file.read())
        return pa.memory_map(os.fsencode(self.path)) if self.content is None else pa.BufferReader(self.content)


def as_names(op: str, columns: Columns, argument: str = "columns") -> list[str] | None:
    """The names that an argument gives: one, several, or None for all."""
    if columns is None or isinstance(columns, str):
        return None if columns is None else [columns]
    names = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, bytes) else [columns]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{op}: expected `{argument}` to be names of columns, got {type(name).__name__}")
    return names


def select(names: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """The columns to read of a file with columns `names`, each of which must exist once."""
    check_known(names, wanted or ())
    chosen = list(names) if wanted is None else list(dict.fromkeys(wanted))
    twice = sorted({name for name in chosen if names.count(name) > 1})
    if twice:
        raise ValueError(f"expected columns of different names, got several of {twice} (rename them)")
    return chosen


def check_known(names: Sequence[str], wanted: Sequence[str], argument: str = "columns") -> None:
    for name in wanted:
        if name not in names:
            raise ValueError(f"expected a column {name!r}, which `{argument}` names, got {list(names)}")
