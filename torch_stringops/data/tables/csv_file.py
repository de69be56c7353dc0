"""Rows of CSV files, by pyarrow's parser, which infers types.

A column is text unless all its fields are numbers that int64 or float64 holds exactly, or all are bools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from torch_stringops.data.files.arrow import arrow_csv, compute, pa
from torch_stringops.data.tables.blocks import BlockFile, joined
from torch_stringops.data.tables.builder import Nulls
from torch_stringops.data.tables.source import Rows, Source, check_known, select
from torch_stringops.data.tables.values import MAX_EXACT
from torch_stringops.string_tensor import StringTensor

# The first rows show which columns are text, so that no other types are tried with all rows.
_HEAD_BYTES = 2**16
# Bytes are compared in parts that stay in the processor's cache.
_PART_BYTES = 2**17

# Fields of a column of numbers or bools that are missing values.
MISSING = ("", "NA", "N/A", "#N/A", "<NA>", "n/a", "NULL", "null")
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")
_BOM = b"\xef\xbb\xbf"
_BAD_ROW = re.compile(r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+)")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


class CsvFile(BlockFile):
    first_row = 1

    def __init__(
        self,
        source: Source,
        wanted: Sequence[str] | None,
        text: Sequence[str],
        delimiter: str = ",",
        is_stream: bool = False,
    ) -> None:
        super().__init__(source, wanted, text, is_stream)
        self.delimiter = delimiter
        self.names: list[str] = []  # of all columns
        self.chosen: list[str] = []
        self.texts = set(text)  # columns that are known to be text
        # A field in quotes. A quote within a field that begins otherwise has no meaning.
        ends = re.escape(f"{delimiter}\r\n").encode()
        self._quoted = re.compile(rb'(?:\A|[%s])("[^"]*(?:""[^"]*)*(?:"|\Z))' % ends)

    def _row_end(self, block: bytes) -> int:
        content = np.frombuffer(block, np.uint8)
        quotes = np.flatnonzero(content == ord('"'))
        # The number of quotes before a line end tells whether it is within a field, if each quote that begins one
        # stands at its begin, or after another quote, as two of them are one of the field.
        begins = quotes[::2]
        allowed = np.frombuffer(f'{self.delimiter}\r\n"'.encode(), np.uint8)
        if not np.isin(content[begins[begins > 0] - 1], allowed).all():
            found = self._quoted.finditer(block)
            quotes = np.array([at for match in found for at in (match.start(1), match.end(1) - 1)])
        end = len(block)
        while end > 0:
            # A CR at the end of a block may be followed by an LF.
            end = max(block.rfind(b"\n", 0, end), block.rfind(b"\r", 0, min(end, len(block) - 1)))
            before = int(np.searchsorted(quotes, end))
            if before % 2 == 0:
                break
            end = int(quotes[before - 1])
        return end + 1 if end > 0 else 0

    def _parse(self, block: bytes, row: int, line: int, is_first: bool) -> Rows | None:
        if not self.names:
            self._read_head(block)
        if self.is_settled:
            binary = pa.binary()
            types = {name: kind or binary for name, kind in self.types.items()}
            rows = self._convert(block, row, self.chosen, types, is_first)
            if rows is not None:
                rows.columns |= {n: _nulls(a) for n, a in rows.columns.items() if self.types[n] is None}
        else:
            rows = self._infer(block, row, is_first)
        if rows is None and is_first and self.names:
            return Rows(0, {name: Nulls(0) for name in self.chosen})
        return rows

    def _read_head(self, block: bytes) -> None:
        """Finds the names, unless a block is blank, and columns that are text by the first rows."""
        head = block[: self._row_end(block[:_HEAD_BYTES])]
        # Names alone are no row for pyarrow if no line end follows.
        table = self._table(head, 0, None, {}, True)
        if table is None:
            table = self._table(block if block.endswith((b"\r", b"\n")) else block + b"\n", 0, None, {}, True)
        if table is None:
            return
        self.names = table.schema.names
        check_known(self.names, self.text, "text")
        self.chosen = select(self.names, self.wanted)
        rows = self._infer(head, 0, True) if len(head) < len(block) else None
        if rows is not None:
            binary = pa.binary()
            self.texts |= {n for n, a in rows.columns.items() if getattr(a, "type", None) == binary}

    def _infer(self, block: bytes, row: int, is_first: bool) -> Rows | None:
        """The rows of a block, in types of its own."""
        rows = self._convert(block, row, self.chosen, dict.fromkeys(self.texts, pa.binary()), is_first)
        if rows is None:
            return None
        has_x = any(pa.types.is_integer(array.type) for array in rows.columns.values()) and _has_x(block)
        doubtful = [name for name, array in rows.columns.items() if _is_doubtful(array, has_x)]
        if doubtful:
            texts = self._convert(block, row, doubtful, dict.fromkeys(doubtful, pa.binary()), is_first)
            assert texts is not None
            rows.columns |= {name: _decided(rows.columns[name], texts.columns[name]) for name in doubtful}
        return rows

    def _convert(self, block: bytes, row: int, names: list[str], types: dict[str, Any], is_first: bool) -> Rows | None:
        """Columns of a block; None if it is blank."""
        table = self._table(block, row, names, types, is_first)
        if table is None:
            return None
        columns = {}
        for i, name in enumerate(names):
            array = joined(table.column(i))
            columns[name] = array.cast(pa.binary()) if pa.types.is_string(array.type) else array
        return Rows(table.num_rows, columns)

    def _table(self, block: bytes, row: int, names: list[str] | None, types: dict[str, Any], is_first: bool) -> Any:
        """Columns of a block, which begins with the names if it is the first; None if it is blank."""
        if block.startswith(_BOM):
            block = _BOM + block  # of which pyarrow drops the first
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(block),
                read_options=arrow_csv.ReadOptions(
                    # It is one block, since pyarrow may take quotes and line ends at the ends of blocks for others.
                    block_size=len(block) + 1,
                    column_names=None if is_first else self.names,
                    use_threads=False,
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=names,
                    column_types=types,
                    null_values=MISSING,
                    true_values=_TRUE,
                    false_values=_FALSE,
                ),
            )
        except pa.ArrowInvalid as error:
            if "Empty CSV" in str(error):
                return None
            found = _BAD_ROW.match(str(error))
            if found is None:
                raise
            at = int(found[1]) + (0 if is_first else row)
            raise ValueError(f"row {at}: expected {found[2]} fields, got {found[3]}") from None

    def _unite(self, name: str, a: Any, b: Any, row: int) -> Any:
        return pa.float64() if {a, b} == {pa.int64(), pa.float64()} else pa.binary()

    def _refuse(self, name: str) -> None:
        self.types[name] = pa.binary()


def _nulls(text: Any) -> Nulls:
    return Nulls(len(text), StringTensor.from_arrow(text))


def _has_x(text: Any) -> bool:
    """Whether bytes may have a hexadecimal number, which pyarrow reads and Python does not."""
    content = np.frombuffer(text, np.uint8)
    parts = (content[at : at + _PART_BYTES + 1] for at in range(0, len(content), _PART_BYTES))
    return any(bool((((part[1:] | 0x20) == ord("x")) & (part[:-1] == ord("0"))).any()) for part in parts)


def _is_doubtful(array: Any, has_x: bool) -> bool:
    """Whether pyarrow may have read a column as values that are not those of its text."""
    if pa.types.is_floating(array.type):
        return (compute.max(compute.abs(array)).as_py() or 0) >= MAX_EXACT
    return (
        not pa.types.is_binary(array.type)
        and not pa.types.is_boolean(array.type)
        and (has_x or not pa.types.is_integer(array.type))
    )


def _decided(array: Any, text: Any) -> Any:
    """The values of a doubtful column, or its text, or Nulls if all are missing."""
    if pa.types.is_null(array.type):
        return _nulls(text)
    if pa.types.is_floating(array.type):
        values = array.to_numpy(zero_copy_only=False)
        large = np.flatnonzero(np.abs(values) >= MAX_EXACT).tolist()
        return array if all(_is_exact(text[i].as_py().decode(), float(values[i])) for i in large) else text
    if pa.types.is_integer(array.type):
        return text if _has_x(text.buffers()[2]) else array
    return text  # a date or a time


def _is_exact(field: str, value: float) -> bool:
    """Whether the number of a field is that of the column."""
    field = field.strip(" \t")
    if np.isinf(value):
        return _INFINITY.fullmatch(field) is not None
    return _INTEGER.fullmatch(field) is None or int(field) == int(value)
