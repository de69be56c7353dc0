"""Rows of files of JSON lines, by pyarrow's parser, in blocks of whole lines.

Blocks that it rejects, or whose numbers it would round, are parsed by Python's `json`, which is slower: lone surrogates
are replaced before, numbers can be read as text, and errors have a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from torch_stringops.data._table_source import Again, Rows, Source, check_known
from torch_stringops.data._table_values import MAX_EXACT
from torch_stringops.data.files import pyarrow_module

_BLOCK_BYTES = 2**24
_MAX_BLOCK_BYTES = 2**31 - 2

# Escapes of a string: a pair of surrogates, a lone one, and others.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
# An integer that float64 may not hold.
_LONG_INTEGER = re.compile(rb"[0-9]{16}")
# A null that is no value of an object, at which pyarrow 26 crashes; also one in an array of several lines.
_TOP_LEVEL_NULL = re.compile(rb"(?:\A|[\n}])[ \t\r\n]*n")
_SPACE = re.compile(r"[ \t\r\n]*")


class _Integer(str):
    """The text of an integer."""


class _Float(str):
    """The text of a number that is not an integer."""


class SyntaxFault(ValueError):
    """Bytes that are not JSON objects."""


class JsonlFile:
    def __init__(
        self, source: Source, wanted: Sequence[str] | None, text: Sequence[str], errors: str
    ) -> None:
        self.source, self.wanted, self.text, self.errors = source, wanted, text, errors
        self.names: dict[str, None] = {}
        # Columns of strings, or of lists of strings, of which a block may look like dates.
        self.as_binary: dict[str, Any] = {}
        self.fault: SyntaxFault | None = None  # then the file is read as a single block

    def rows(self) -> Iterator[Rows]:
        """Blocks of rows, each with the columns that it has.

        Raises:
            Again: they are read again by another call, as a single block, since objects may span lines.
        """
        line = count = 0
        for block in self._blocks():
            try:
                parsed = self._parse(block, line)
            except SyntaxFault as error:
                if self.fault is None:
                    self.fault = error
                    raise Again from None
                raise self.fault from None
            count += sum(rows.count for rows in parsed)
            yield from parsed
            line += block.count(b"\n")
        if count:
            check_known(list(self.names), self.wanted or ())
            check_known(list(self.names), self.text, "text")

    def _blocks(self) -> Iterator[bytes]:
        """The file in blocks that end with a line, or as one if it has a fault."""
        limit = _BLOCK_BYTES if self.fault is None else _MAX_BLOCK_BYTES
        parts: list[bytes] = []
        size = 0
        with self.source.open() as file:
            is_first = True
            while more := file.read(limit):
                if is_first:
                    more, is_first = more.removeprefix(b"\xef\xbb\xbf"), False
                end = 0 if self.fault else more.rfind(b"\n") + 1
                if end:
                    yield b"".join([*parts, more[:end]])
                    parts, size, more = [], 0, more[end:]
                parts.append(more)
                size += len(more)
                if size > _MAX_BLOCK_BYTES:
                    raise self.fault or ValueError("expected lines of at most 2**31 - 2 bytes")
        if size:
            yield b"".join(parts)

    def _parse(self, block: bytes, line: int) -> list[Rows]:
        """The rows of a block; `line` is the number of lines before."""
        pa = pyarrow_module("read_jsonl")
        if not block.strip(b" \t\r\n"):
            return []
        if b"null" in block and _TOP_LEVEL_NULL.search(block):
            return [self._by_python(self._without_surrogates(block, line), line)]
        try:
            table = self._by_pyarrow(block)
        except pa.ArrowInvalid:
            repaired = self._without_surrogates(block, line)
            try:
                if repaired == block:
                    raise
                block = repaired
                table = self._by_pyarrow(block)
            except pa.ArrowInvalid:
                if self.fault is not None:
                    raise self.fault from None
                return [self._by_python(block, line)]
        if table.num_columns == 0 or self._needs_python(table, block):
            return [self._by_python(block, line)]
        self.names.update(dict.fromkeys(table.schema.names))
        # pyarrow puts columns whose type is given first: the order is that of the file.
        chosen = self.names if self.wanted is None else self.wanted
        table = table.select([name for name in chosen if name in table.schema.names])
        if not table.num_columns:
            return [Rows(table.num_rows, {})]
        return [
            Rows(batch.num_rows, dict(zip(batch.schema.names, batch.columns, strict=True)))
            for batch in table.to_batches()
        ]

    def _by_pyarrow(self, block: bytes) -> Any:
        pa, reader = pyarrow_module("read_jsonl"), pyarrow_module("read_jsonl", "pyarrow.json")

        def parse() -> Any:
            schema = pa.schema(list(self.as_binary.items()))
            return reader.read_json(
                pa.BufferReader(block),
                # They are one block, because pyarrow 26 crashes if strings in one are followed by lists in another.
                read_options=reader.ReadOptions(use_threads=False, block_size=len(block) + 1),
                parse_options=reader.ParseOptions(explicit_schema=schema if self.as_binary else None),
            )

        table = parse()
        dates = {field.name: pa.binary() for field in table.schema if pa.types.is_timestamp(field.type)}
        for field in table.schema:
            if pa.types.is_list(field.type) and pa.types.is_timestamp(field.type.value_type):
                dates[field.name] = pa.list_(pa.binary())
        if dates:
            self.as_binary.update(dates)
            table = parse().select(table.schema.names)
        return table

    def _needs_python(self, table: Any, block: bytes) -> bool:
        types = pyarrow_module("read_jsonl", "pyarrow.types")
        compute = pyarrow_module("read_jsonl", "pyarrow.compute")
        for field, column in zip(table.schema, table.columns, strict=True):
            if field.name in self.text and not (types.is_string(field.type) or types.is_binary(field.type)):
                if not types.is_null(field.type):
                    return True
            elif self.wanted is None or field.name in self.wanted:
                if types.is_list(field.type):
                    try:
                        column.validate()
                    except ValueError:  # pyarrow 26 may lose an element of a list of integers and floats
                        return True
                    column = compute.list_flatten(column)
                if not types.is_floating(column.type):
                    continue
                largest = compute.max(compute.abs(column)).as_py()
                if largest is not None and largest >= MAX_EXACT and _LONG_INTEGER.search(block):
                    return True
        return False

    def _without_surrogates(self, block: bytes, line: int) -> bytes:
        def replace(match: re.Match[bytes]) -> bytes:
            if match["lone"] is None:
                return match[0]
            if self.errors == "strict":
                at = line + block.count(b"\n", 0, match.start()) + 1
                raise ValueError(
                    f"line {at}: expected pairs of surrogates, got a lone one (errors='replace' replaces it)"
                )
            return rb"\ufffd"

        return _ESCAPE.sub(replace, block)

    def _by_python(self, block: bytes, line: int) -> Rows:
        """The wanted columns of a block."""
        objects, lines = _objects(block, line)
        names = dict.fromkeys(name for row in objects for name in row)
        self.names.update(names)
        chosen = [name for name in names if self.wanted is None or name in self.wanted]
        return Rows(
            len(objects),
            {name: self._array(name, [row.get(name) for row in objects], lines) for name in chosen},
        )

    def _array(self, name: str, values: list[Any], lines: list[int]) -> Any:
        pa = pyarrow_module("read_jsonl")

        def fault(i: int, text: str) -> ValueError:
            advice = "" if name in self.text else f" (pass text=[{name!r}] to read strings)"
            return ValueError(f"column {name!r}, line {lines[i]}: expected {text}{advice}")

        if name in self.text:
            for i, value in enumerate(values):
                if isinstance(value, (dict, list)):
                    raise fault(i, "text, got an object or an array")
            return _binary([str(value).lower() if isinstance(value, bool) else value for value in values])
        first = next((_kind(value) for value in values if value is not None), "null")
        for i, value in enumerate(values):
            if value is not None and _kind(value) != first:
                raise fault(i, f"{first} as before, got {_kind(value)}")
        if first == "null":
            return pa.nulls(len(values))
        if first == "objects":
            at = next(i for i, value in enumerate(values) if value is not None)
            raise fault(at, "strings, numbers or arrays of these, got an object")
        if first == "arrays":
            return self._lists(name, values, lines)
        if first == "strings":
            return _binary(values)
        if first == "bools":
            return pa.array(values, pa.bool_())
        if all(value is None or (isinstance(value, _Integer) and _is_int64(value)) for value in values):
            return pa.array([None if v is None else int(v) for v in values], pa.int64())
        for i, value in enumerate(values):
            if value is not None and not _is_float64(value):
                raise fault(i, "numbers that int64 or float64 holds exactly, got a larger one")
        return pa.array([None if v is None else float(v) for v in values], pa.float64())

    def _lists(self, name: str, values: list[Any], lines: list[int]) -> Any:
        pa = pyarrow_module("read_jsonl")
        elements: list[Any] = []
        lines_of: list[int] = []
        lengths: list[int] = []
        for value, line in zip(values, lines, strict=True):
            elements += value or []
            lines_of += [line] * len(value or [])
            lengths.append(len(value or []))
        for element, line in zip(elements, lines_of, strict=True):
            if isinstance(element, (list, dict)):
                raise ValueError(
                    f"column {name!r}, line {line}: expected arrays of strings or numbers, got nested ones"
                )
        found = self._array(name, elements, lines_of)
        offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
        return pa.ListArray.from_arrays(offsets, found, mask=pa.array([value is None for value in values]))


def _binary(texts: list[str | None]) -> Any:
    encoded = [None if text is None else text.encode(errors="surrogateescape") for text in texts]
    return pyarrow_module("read_jsonl").array(encoded, pyarrow_module("read_jsonl").binary())


def _kind(value: Any) -> str:
    if isinstance(value, (_Integer, _Float)):
        return "numbers"
    if isinstance(value, bool):
        return "bools"
    return "strings" if isinstance(value, str) else "arrays" if isinstance(value, list) else "objects"


def _is_int64(text: str) -> bool:
    return len(text) <= 20 and -(2**63) <= int(text) < 2**63


def _is_float64(text: str) -> bool:
    number = float(text)
    if np.isinf(number):
        return "Inf" in text
    return not isinstance(text, _Integer) or int(text) == int(number)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("expected each name of an object once, got one twice")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_Integer, parse_float=_Float, parse_constant=_Float
)


def _objects(block: bytes, line: int) -> tuple[list[dict[str, Any]], list[int]]:
    """The objects of a block and their lines, counted from 1 after the `line` lines before."""
    text = block.decode(errors="surrogateescape")
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    at, before = 0, 0
    while (begin := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        line += text.count("\n", before, begin)
        before = begin
        try:
            row, at = _DECODER.raw_decode(text, begin)
        except json.JSONDecodeError:
            raise SyntaxFault(f"line {line + 1}: expected a JSON object") from None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {line + 1}: {error}") from None
        if not isinstance(row, dict):
            raise SyntaxFault(f"line {line + 1}: expected a JSON object")
        rows.append(row)
        lines.append(line + 1)
    return rows, lines
