"""Rows of CSV files, by pyarrow's parser. All fields are read as text, and the types of columns follow from all rows.

pyarrow would infer types from the first block alone, and replace "NA" by a missing value.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from torch_stringops.data._table_builder import Nulls
from torch_stringops.data._table_source import Again, Rows, Source, check_known, select
from torch_stringops.data._table_values import MAX_EXACT
from torch_stringops.data.files import pyarrow_module
from torch_stringops.string_tensor import StringTensor

_BLOCK_BYTES = 2**24
_MAX_BLOCK_BYTES = 2**31 - 1

# Fields of a column of numbers or bools that are missing values.
MISSING = ("", "NA", "N/A", "#N/A", "<NA>", "n/a", "NULL", "null")
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_BOM = "\xef\xbb\xbf"  # in Latin-1
_INTEGER = re.compile(r"[+-]?[0-9]+")
_SPECIAL = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


class _UnsplitLineEnds(io.RawIOBase):
    """A file whose reads do not end between CR and LF, where pyarrow would lose the LF of a quoted field."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.held = file, b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        found, self.held = self.held + self.file.read(size - len(self.held) if size >= 0 else -1), b""
        if len(found) > 1 and found.endswith(b"\r") and size >= 0:
            found, self.held = found[:-1], b"\r"
        return found

    def close(self) -> None:
        self.file.close()
        super().close()


class CsvFile:
    """The rows of a file. A column is read as text from the start if one of its fields, in any row, is neither a number
    nor missing."""

    def __init__(
        self, source: Source, wanted: Sequence[str] | None, text: Sequence[str], delimiter: str
    ) -> None:
        self.source, self.delimiter = source, delimiter
        self.block_bytes = _BLOCK_BYTES
        self.has_rows = False
        self.fault: ValueError | None = None  # of a column, unless it turns out to be text
        names = self._names()
        if names is not None:
            check_known(names, text, "text")
        self.names = [] if names is None else select(names, wanted)
        self.kinds: dict[str, str] = dict.fromkeys(text, "text")

    def rows(self) -> Iterator[Rows]:
        """Blocks of rows.

        Raises:
            Again: they are read again by another call, with other types or larger blocks.
        """
        pa = pyarrow_module("read_csv")
        reader = pyarrow_module("read_csv", "pyarrow.csv")
        yield Rows(0, {name: pa.nulls(0) for name in self.names})
        if not self.has_rows:
            return
        row, self.fault = 1, None
        try:
            blocks = reader.open_csv(
                pa.PythonFile(_UnsplitLineEnds(self.source.open()), mode="r"),
                read_options=reader.ReadOptions(block_size=self.block_bytes),
                parse_options=reader.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                convert_options=reader.ConvertOptions(
                    include_columns=self.names, column_types=dict.fromkeys(self.names, pa.binary())
                ),
            )
            for block in blocks:
                columns = {name: self._typed(name, block.column(i), row) for i, name in enumerate(self.names)}
                yield Rows(block.num_rows, columns)
                row += block.num_rows
            if self.fault is not None:
                raise self.fault
        except pa.ArrowInvalid as error:
            if not re.search("straddl|Empty CSV|out of sync", str(error)):
                self._find_bad_row()
            # A row exceeds a block, or pyarrow took quotes at the end of one for others, and found wrong rows.
            if self.block_bytes < _MAX_BLOCK_BYTES:
                self.block_bytes = min(8 * self.block_bytes, _MAX_BLOCK_BYTES)
                raise Again from None
            raise

    def _names(self) -> list[str] | None:
        """The names of the columns, by pyarrow's parser of the first row; None if there is none."""
        reader = pyarrow_module("read_csv", "pyarrow.csv")
        try:
            records = self._records()
            header = next((raw for raw, _ in records), None)
        except csv.Error as error:
            raise ValueError(f"row 1: {error}") from None
        if header is None:
            return None
        try:
            self.has_rows = next(records, None) is not None
        except csv.Error:  # of a long field
            self.has_rows = True
        header = _BOM.encode("latin-1") + header.rstrip(b"\r\n") + b"\n"  # of which pyarrow drops the first
        opened = reader.open_csv(
            pyarrow_module("read_csv").BufferReader(header),
            read_options=reader.ReadOptions(block_size=len(header) + 1),
            parse_options=reader.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
        )
        return list(opened.schema.names)

    def _records(self) -> Iterator[tuple[bytes, int]]:
        """The bytes and the number of fields of each row, by Python's parser, without empty lines."""
        taken: list[str] = []

        def lines() -> Iterator[str]:
            file: Any = self.source.open()
            with io.TextIOWrapper(io.BufferedReader(file), "latin-1", newline="") as text:
                for number, line in enumerate(text):
                    line = line if number else line.removeprefix(_BOM)
                    taken.append(line)
                    yield line.replace("\0", " ")  # an error before Python 3.11

        for record in csv.reader(lines(), delimiter=self.delimiter):
            raw = "".join(taken).encode("latin-1")
            taken.clear()
            if record:
                yield raw, len(record)

    def _find_bad_row(self) -> None:
        """Raises ValueError for the first row with too few or too many fields."""
        want = row = 0
        limit = csv.field_size_limit(_MAX_BLOCK_BYTES)
        try:
            for row, (_, count) in enumerate(self._records(), 1):
                want = want or count
                if count != want:
                    raise ValueError(f"row {row}: expected {want} fields, got {count}")
        except csv.Error as error:
            raise ValueError(f"row {row + 1}: {error}") from None
        finally:
            csv.field_size_limit(limit)

    def _typed(self, name: str, array: Any, row: int) -> Any:
        """Text, integers, floats or bools, or Nulls for fields that are all missing."""
        known = self.kinds.get(name)
        if known == "text":
            return array
        found = self._infer(name, array, row, known == "double")
        if isinstance(found, Nulls):
            return found
        kind = "text" if found is None else str(found.type)
        if known is not None and "text" not in (known, kind) and (known == "bool") != (kind == "bool"):
            kind = "text"
        self.kinds[name] = kind
        if kind == "text":
            if known is not None:
                raise Again  # since the text of the rows before is gone
            return array
        return found

    def _infer(self, name: str, array: Any, row: int, is_float: bool) -> Any:
        """Integers, floats or bools, with nulls; Nulls if all are missing; None for text."""
        pa, compute = pyarrow_module("read_csv"), pyarrow_module("read_csv", "pyarrow.compute")
        try:
            text = array.cast(pa.utf8())
        except pa.ArrowInvalid:
            return None  # not UTF-8
        missing = compute.is_in(text, value_set=pa.array(MISSING, pa.utf8()))
        count = compute.sum(missing).as_py() or 0
        if count == len(text):
            return Nulls(count, StringTensor.from_arrow(array))
        if count:
            text = compute.if_else(missing, pa.scalar(None, pa.utf8()), text)
        found = self._numbers(text, is_float)
        if found is None:
            trimmed = compute.utf8_trim(text, characters=" \t")
            found = None if trimmed.equals(text) else self._numbers(trimmed, is_float)
            text = trimmed
        if found is not None and pa.types.is_floating(found.type):
            self._check_exact(name, text, found, row)
        return found

    def _numbers(self, text: Any, is_float: bool) -> Any:
        pa, compute = pyarrow_module("read_csv"), pyarrow_module("read_csv", "pyarrow.compute")
        for kind in (pa.float64(),) if is_float else (pa.int64(), pa.float64()):
            try:
                found = text.cast(kind)
            except pa.ArrowInvalid:
                continue
            return None if kind == pa.int64() and _has_x(text) else found
        if compute.all(compute.is_in(text, value_set=pa.array([*_BOOLS, None], pa.utf8()))).as_py():
            is_true = compute.is_in(text, value_set=pa.array([k for k, v in _BOOLS.items() if v], pa.utf8()))
            return compute.if_else(text.is_null(), pa.scalar(None, pa.bool_()), is_true)
        return None

    def _check_exact(self, name: str, text: Any, found: Any, row: int) -> None:
        """Finds an integer that is rounded, or a number beyond the range of float64."""
        values = found.to_numpy(zero_copy_only=False)
        for i in np.flatnonzero(np.abs(values) >= MAX_EXACT).tolist():
            field, value = text[i].as_py(), float(values[i])
            if np.isinf(value):
                fits = _SPECIAL.fullmatch(field) is not None
            else:
                fits = _INTEGER.fullmatch(field) is None or int(field) == int(value)
            if not fits and self.fault is None:
                self.fault = ValueError(
                    f"column {name!r}, row {row + i + 1}: expected numbers that int64 or float64 holds exactly, "
                    f"got a larger one (pass text=[{name!r}] to read strings)"
                )


def _has_x(text: Any) -> bool:
    """Whether a string may have an "x", as hexadecimal numbers do, which pyarrow reads and Python does not."""
    content = np.frombuffer(text.buffers()[2], dtype=np.uint8)
    return bool(((content | 0x20) == ord("x")).any())
