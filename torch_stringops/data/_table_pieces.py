"""Tables in pieces: the columns of some rows of a file, in the types that all files have together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from torch_stringops.data._csv import CsvFile
from torch_stringops.data._jsonl import JsonlFile
from torch_stringops.data._table_builder import Column, Missing, Nulls, convert_column
from torch_stringops.data._table_source import Again, Source
from torch_stringops.data.files import pyarrow_module, without_compression

# The type of a column: strings, the dtype of numbers or bools, or None if all values so far are missing.
Kind = str | torch.dtype | None
Kinds = dict[str, Kind]
STRINGS = "strings"


@dataclass
class Reading:
    """How the tables of a dataset are read."""

    columns: list[str] | None = None
    text: list[str] = field(default_factory=list)
    missing: Missing = None
    kinds: Kinds = field(default_factory=dict)  # of all files; empty until they have been opened


def read_columns(
    arrays: Mapping[str, Any], count: int, path: Path, row: int, reading: Reading, has_text: bool
) -> dict[str, Any]:
    """The columns of `count` rows: Arrow arrays, chunked arrays or Nulls, after `row` rows of the file."""
    made = {}
    for name in reading.kinds or arrays:
        column = Column(name, reading.missing, has_text)
        kind = reading.kinds.get(name)
        if kind is not None:
            column.kind = STRINGS if kind == STRINGS else "bools" if kind is torch.bool else "numbers"
        array = arrays.get(name, Nulls(count))
        if isinstance(array, Nulls):
            column.add(str(path), row, array)
        else:
            at = row
            for chunk in getattr(array, "chunks", [array]):
                column.add_array(str(path), at, chunk, False)
                at += len(chunk)
        made[name] = column.finish(kind if isinstance(kind, torch.dtype) else None)
    return made


def kind_of(array: Any, name: str, reading: Reading, may_lack: bool) -> Kind:
    """The kind of an Arrow array, without its values. `may_lack` says whether it may have missing values."""
    types = pyarrow_module("reading tables", "pyarrow.types")
    if isinstance(array, Nulls) or types.is_null(array.type):
        return None
    empty = convert_column(array.slice(0, 0), name, 0, None)
    if not isinstance(empty, torch.Tensor):
        return STRINGS
    fill = reading.missing.get(name) if isinstance(reading.missing, Mapping) else reading.missing
    is_fraction = isinstance(fill, float) and not fill.is_integer()
    is_integer = not empty.dtype.is_floating_point and empty.dtype is not torch.bool
    return torch.float64 if may_lack and is_fraction and is_integer else empty.dtype


def unite(op: str, files: Iterable[tuple[Path, Kinds]], has_text: bool) -> Kinds:
    """The kinds of columns of all files, in the order of the first one.

    Raises:
        ValueError: files have other names of columns, or strings in one and numbers in another.
    """
    return {name: STRINGS if kind is None else kind for name, kind in _united(op, files, has_text).items()}


def _united(op: str, files: Iterable[tuple[Path, Kinds]], has_text: bool) -> Kinds:
    found: Kinds = {}
    origin: dict[str, Path] = {}
    first: Path | None = None
    for path, kinds in files:
        if first is None:
            first, found = path, dict.fromkeys(kinds)
        if kinds.keys() != found.keys():
            raise ValueError(
                f"{op}: expected files of equal columns, got {list(found)} in {first} and {list(kinds)} in {path}"
            )
        for name, kind in kinds.items():
            if kind is None:
                continue
            if found[name] is None:
                found[name], origin[name] = kind, path
            elif _group(found[name]) != _group(kind):
                advice = f" (pass text=[{name!r}] to read strings)" if has_text else ""
                raise ValueError(
                    f"{op}: column {name!r}: expected files of one type, got {found[name]} in {origin[name]} and "
                    f"{kind} in {path}{advice}"
                )
            elif isinstance(kind, torch.dtype):
                found[name] = _common(found[name], kind)
    return found


def _group(kind: Kind) -> str:
    return str(kind) if kind in (STRINGS, torch.bool) else "numbers"


def _common(a: Any, b: torch.dtype) -> torch.dtype:
    """The smallest dtype for both: float64 for integers with floats."""
    x, y = (torch.empty(0, dtype=dtype).numpy().dtype for dtype in (a, b))
    if x.kind != y.kind and "f" in (x.kind, y.kind):
        return torch.float64
    both = np.result_type(x, y)
    return torch.int64 if both.kind == "f" and x.kind in "iu" else torch.from_numpy(np.empty(0, both)).dtype


class ParsedFile:
    """A CSV or JSON lines file, whose blocks are parsed one after the other."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self.path, self.reading = path, reading
        source = Source(path)
        self.file: CsvFile | JsonlFile
        if without_compression(path).suffix.lower() == ".csv":
            self.first_row, self.file = 1, CsvFile(source, reading.columns, reading.text, ",")
        else:
            self.first_row, self.file = 0, JsonlFile(source, reading.columns, reading.text, "replace")

    def scan(self) -> tuple[list[tuple[int, int]], Kinds]:
        """The rows and bytes of each block, and the kinds of all columns."""
        while True:
            try:
                return self._scan()
            except Again:
                continue

    def _scan(self) -> tuple[list[tuple[int, int]], Kinds]:
        blocks: list[tuple[int, int]] = []
        kinds: Kinds = {}
        for rows in self.file.rows():
            found = {}
            for name, array in rows.columns.items():
                lacks = isinstance(array, Nulls) or array.null_count > 0
                found[name] = kind_of(array, name, self.reading, lacks)
            before = [(self.path, {name: kinds[name] for name in found if name in kinds})]
            now = [(self.path, {name: kind for name, kind in found.items() if name in kinds})]
            kinds.update(found | _united("StreamingDataset", before + now, has_text=True))
            if rows.count:
                sizes = (0 if isinstance(array, Nulls) else array.nbytes for array in rows.columns.values())
                blocks.append((rows.count, sum(sizes)))
        return blocks, kinds

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The columns of each block, in the kinds of all files. The file has been scanned."""
        row = self.first_row
        for rows in self.file.rows():
            if rows.count:
                yield read_columns(rows.columns, rows.count, self.path, row, self.reading, has_text=True)
            row += rows.count
