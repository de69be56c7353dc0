"""CSV and JSON lines files in blocks of whole rows, and the types of their columns, which follow from all rows.

A table is read as one block, unless the file is very large; a stream reads blocks of bounded size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from torch_stringops.data.files.arrow import compute, pa, types
from torch_stringops.data.tables.builder import Nulls
from torch_stringops.data.tables.lists import is_list
from torch_stringops.data.tables.source import Rows, Source
from torch_stringops.data.tables.values import MAX_EXACT, inexact

# The bytes of a block of a table, and of a stream.
_TABLE_BYTES = 2**30
_STREAM_BYTES = 2**24
# What a column of numbers has.
EXACT = "numbers that int64 or float64 holds exactly, got a larger one"
_BOM = b"\xef\xbb\xbf"
# pyarrow parses a row, and a file whose objects span lines, as one block.
_MAX_BYTES = 2**31 - 2


class Unfinished(ValueError):
    """A block that ends within a row, or that has a fault."""


class BlockFile:
    """A file of rows. The first pass over its blocks finds the types of the columns; later ones convert to these."""

    first_row = 0  # rows before the first one with values

    def __init__(self, source: Source, wanted: Sequence[str] | None, text: Sequence[str], is_stream: bool) -> None:
        self.source, self.wanted, self.text, self.is_stream = source, wanted, text, is_stream
        self.types: dict[str, Any] = {}  # of Arrow; None if all values so far are missing
        self.is_settled = False  # whether the types are those of all rows
        self._num_rows = 0
        self._num_values: dict[str, int] = {}  # of each column, without missing ones
        self._large: set[str] = set()  # columns with integers that float64 does not hold
        self._has_changed = False  # whether the type of a block is not that of all

    def _row_end(self, block: bytes) -> int:
        """The end of the last whole row of a block; 0 if there is none."""
        raise NotImplementedError

    def _parse(self, block: bytes, row: int, line: int, is_first: bool) -> Rows | None:
        """The rows of a block after `row` rows and `line` lines; None if it is blank."""
        raise NotImplementedError

    def _unite(self, name: str, a: Any, b: Any, row: int) -> Any:
        """The type of a column with values of two types, of which the second begins after `row` rows."""
        raise NotImplementedError

    def _refuse(self, name: str) -> None:
        """Handles a column of floats, of which some blocks have integers that float64 does not hold."""
        raise NotImplementedError

    def table(self) -> Iterator[Rows]:
        """All rows, in types that all blocks have."""
        found = list(self.rows())
        self.settle()
        return self.rows() if self._has_changed else iter(found)

    def settle(self) -> None:
        """Ends the first pass."""
        for name in self._large:
            if types.is_floating(_element(self.types[name])):
                self._refuse(name)
        self.is_settled = True

    def lacks(self, name: str) -> bool:
        """Whether a column has missing values."""
        return self._num_values[name] < self._num_rows

    def rows(self) -> Iterator[Rows]:
        """The rows of each block."""
        row, line, before, is_first = self.first_row, 0, b"", True
        blocks = self._blocks()
        for block in blocks:
            line += before.count(b"\n")
            try:
                rows = self._parse(block, row, line, is_first)
            except Unfinished as fault:
                block = _with_rest(block, blocks, fault)
                rows = self._parse(block, row, line, is_first)
            before = block
            if rows is not None:
                if not self.is_settled:
                    self._note(rows, row)
                yield rows
                row, is_first = row + rows.count, False

    def _blocks(self) -> Iterator[bytes]:
        limit = size = _STREAM_BYTES if self.is_stream else _TABLE_BYTES
        # Room for a whole block would be taken for a small file too.
        if found := self.source.num_bytes():
            limit = size = min(limit, found + 1)
        with self.source.open() as file:
            block = file.read(limit).removeprefix(_BOM)
            while block:
                more = file.read(size)
                end = self._row_end(block) if more else len(block)
                if end:
                    yield block[:end]
                elif len(block) + len(more) > _MAX_BYTES:
                    raise ValueError(f"expected rows of at most {_MAX_BYTES} bytes")
                block = block[end:] + more
                size = limit if end else len(block)

    def _note(self, rows: Rows, row: int) -> None:
        """Unites the types of columns with those of a block."""
        for name, array in rows.columns.items():
            self._num_values.setdefault(name, 0)
            self.types.setdefault(name, None)
            if isinstance(array, Nulls):
                continue
            self._num_values[name] += len(array) - array.null_count
            before = self.types[name]
            self.types[name] = array.type
            if before not in (None, array.type):
                self.types[name], self._has_changed = self._unite(name, before, array.type, row), True
            if _has_large_integers(array):
                self._large.add(name)
        self._num_rows += rows.count


def joined(column: Any) -> Any:
    """The array of a column of a table."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _element(kind: Any) -> Any:
    return kind.value_type if is_list(kind) else kind


def _has_large_integers(array: Any) -> bool:
    """Whether float64 does not hold some integer."""
    if not pa.types.is_integer(_element(array.type)):
        return False
    numbers = array.flatten() if is_list(array.type) else array
    ends = compute.min_max(numbers).as_py().values()
    if not any(end is not None and abs(end) > MAX_EXACT for end in ends):
        return False
    return bool(inexact(numbers.drop_null().to_numpy(), np.dtype(np.float64)).any())


def _with_rest(block: bytes, blocks: Iterator[bytes], fault: Unfinished) -> bytes:
    """A block with all after it."""
    parts, size = [block], len(block)
    for more in blocks:
        parts.append(more)
        size += len(more)
        if size > _MAX_BYTES:
            raise fault
    if len(parts) == 1:
        raise fault
    return b"".join(parts)
