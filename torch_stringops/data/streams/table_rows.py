"""Tables in pieces: the columns of some rows of a file, in the types that all files have together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch_stringops.data.files.listing import File
from torch_stringops.data.files.local import pyarrow_module, without_compression
from torch_stringops.data.tables.builder import Column, Nulls
from torch_stringops.data.tables.csv_file import CsvFile
from torch_stringops.data.tables.jsonl_file import JsonlFile
from torch_stringops.data.tables.kinds import Kinds, kind_of
from torch_stringops.data.tables.lists import Place
from torch_stringops.data.tables.partitions import Partitions
from torch_stringops.data.tables.source import Source
from torch_stringops.data.tables.values import Missing
from torch_stringops.string_tensor import StringTensor


@dataclass
class Reading:
    """How the tables of a dataset are read."""

    columns: list[str] | None = None  # of the files
    text: list[str] = field(default_factory=list)
    missing: Missing = None
    partitions: Partitions | None = None
    wanted: list[str] | None = None  # columns of the files and of partitions
    origin: File | None = None  # the file, whose path has partitions, if a copy of it is read
    kinds: Kinds = field(default_factory=dict)  # of all files; empty until they have been opened


def read_columns(
    arrays: Mapping[str, Any], count: int, path: Path, row: int, reading: Reading, has_text: bool
) -> dict[str, Any]:
    """The columns of `count` rows: Arrow arrays, chunked arrays, strings or Nulls, after `row` rows of the file."""
    made = {}
    if reading.partitions is not None:
        arrays = reading.partitions.add(reading.origin or path, count, arrays, reading.wanted)
    for name in reading.kinds or arrays:
        column = Column(name, reading.missing, has_text)
        column.expect(reading.kinds.get(name))
        array = arrays.get(name, Nulls(count))
        if isinstance(array, (Nulls, StringTensor)):
            column.add(Place(str(path), row), array)
        else:
            at = row
            for chunk in getattr(array, "chunks", [array]):
                column.add_array(Place(str(path), at), chunk, False)
                at += len(chunk)
        made[name] = column.finish()
    return made


class ParsedFile:
    """A CSV or JSON lines file, whose blocks are parsed one after the other."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self.path, self.reading = path, reading
        source = Source(path)
        self.file: CsvFile | JsonlFile
        if without_compression(path).suffix.lower() == ".csv":
            self.first_row, self.file = 1, CsvFile(source, reading.columns, reading.text, ",", is_stream=True)
        else:
            self.first_row, self.file = 0, JsonlFile(source, reading.columns, reading.text, is_stream=True)

    def scan(self) -> tuple[list[tuple[int, int]], Kinds]:
        """The rows and bytes of each block, and the kinds of all columns."""
        blocks = [
            (rows.count, sum(getattr(array, "nbytes", 0) for array in rows.columns.values()))
            for rows in self.file.rows()
            if rows.count
        ]
        self.file.settle()
        nulls, missing = pyarrow_module("StreamingDataset").nulls, self.reading.missing
        kinds = {
            name: None if kind is None else kind_of(nulls(0, kind), name, missing, self.file.lacks(name))
            for name, kind in self.file.types.items()
        }
        return blocks, kinds

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The columns of each block, in the kinds of all files. The file has been scanned."""
        row = self.first_row
        for rows in self.file.rows():
            if rows.count:
                yield read_columns(rows.columns, rows.count, self.path, row, self.reading, has_text=True)
            row += rows.count
