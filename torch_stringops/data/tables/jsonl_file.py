"""Rows of JSON lines, by pyarrow's parser, which infers types.

It does not read columns of numbers and strings, which can be read as text; such blocks are parsed by Python's `json`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from torch_stringops.data.files.arrow import arrow_json, compute, pa, types
from torch_stringops.data.tables.blocks import EXACT, BlockFile, Unfinished, joined
from torch_stringops.data.tables.builder import Nulls
from torch_stringops.data.tables.lists import is_list
from torch_stringops.data.tables.source import Rows, Source, check_known
from torch_stringops.data.tables.values import MAX_EXACT
from torch_stringops.string_tensor import StringTensor

# The first rows show which columns are strings, so that dates are not tried with all rows.
_HEAD_BYTES = 2**16

# Escapes of a string: a pair of surrogates, a lone one, and others.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
# What may be a null outside of objects, at which pyarrow 26 crashes. One pattern for all three takes ten times as long.
_TOP_NULLS = [re.compile(start + rb"[ \t\r\n]*null") for start in (rb"\A", rb"\n", rb"\}")]
_BLANK = re.compile(rb"[ \t\r\n]*")
_SPACE = re.compile(r"[ \t\r\n]*")
# An integer that float64 may not hold.
_LONG_INTEGER = re.compile(r"(?<![\d.eE+])-?\d{16,}(?![\d.eE])")
# Messages of pyarrow; the first two are about values, which Python reads.
_CHANGED = re.compile(
    r"JSON parse error: Column\(/(.*?)(?:/\[\])*\) changed from (\w+) to (\w+) in row (\d+)", re.DOTALL
)
_LARGE = "JSON parse error: Number too big"
_FAULT = re.compile(r"JSON parse error: (?:Column\(\).*?|(.*?)\.?) in row (\d+)", re.DOTALL)


class JsonlFile(BlockFile):
    def __init__(
        self,
        source: Source,
        wanted: Sequence[str] | None,
        text: Sequence[str],
        is_stream: bool = False,
    ) -> None:
        super().__init__(source, wanted, text, is_stream)
        self.names: dict[str, None] = {}  # of all columns, in the order of the file
        self.texts: dict[str, Any] = {}  # types of strings and of lists of them, which may look like dates

    def settle(self) -> None:
        super().settle()
        if self._num_rows:
            check_known(list(self.names), self.wanted or ())
            check_known(list(self.names), self.text, "text")

    def _row_end(self, block: bytes) -> int:
        return block.rfind(b"\n") + 1

    def _parse(self, block: bytes, row: int, line: int, is_first: bool) -> Rows | None:
        if _BLANK.match(block).end() == len(block):  # type: ignore[union-attr]
            return None
        if b"null" in block and any(null.search(block) for null in _TOP_NULLS):
            for _ in _objects(block, line):  # it may be in a string, or in an array of several lines
                pass
        try:
            return self._columns(block, row)
        except pa.ArrowInvalid as error:
            repaired = _without_surrogates(block)
            if repaired != block:
                return self._parse(repaired, row, line, is_first)
            try:
                is_of_values = _CHANGED.match(str(error)) or str(error).startswith(_LARGE)
                if is_of_values and (self.text or self.wanted is not None):
                    return self._mixed(block, row, line)
            except pa.ArrowInvalid as other:
                error = other
            raise self._fault(str(error), row) from None

    def _columns(self, block: bytes, row: int) -> Rows:
        """The wanted columns of a block."""
        if self.is_settled:
            types = {n: self.texts.get(n) if n in self.text else kind for n, kind in self.types.items()}
            known = {n: kind for n, kind in types.items() if kind is not None}
            table = _read(block, known, "infer" if self.text else "ignore")
        else:
            table = self._infer(block)
        if not table.num_columns:
            return Rows(_read(block, {"": pa.int64()}).num_rows, {})
        columns: dict[str, Any] = {}
        lines = None
        for name in self.names if self.wanted is None else self.wanted:
            if name not in table.schema.names:
                continue
            array = columns[name] = joined(table[name])
            as_text = name in self.text and not _is_text(array.type)
            if pa.types.is_null(array.type):
                columns[name] = Nulls(len(array))
            elif as_text or not _is_exact(array):
                lines = _lines(block, len(array)) if lines is None else lines
                values = self._extract(lines, name, array.is_valid().to_numpy(zero_copy_only=False), row)
                if as_text:
                    columns[name] = values
                for at, text in enumerate(() if as_text else values.to_pylist()):
                    if not all(map(_is_float64, _LONG_INTEGER.findall(text or ""))):
                        raise ValueError(f"column {name!r}, row {row + at + 1}: expected {EXACT}{self._advice(name)}")
        return Rows(table.num_rows, columns)

    def _infer(self, block: bytes) -> Any:
        """A table of a block, in types of its own."""
        head = block[: block.rfind(b"\n", 0, _HEAD_BYTES) + 1]
        if not self.names and 0 < len(head) < len(block):
            with contextlib.suppress(pa.ArrowInvalid):
                self._note_texts(_read(head, {}))
        table = _read(block, self.texts)
        if self._note_texts(table):
            table = _read(block, self.texts)
        for name in table.schema.names:
            if is_list(table.schema.field(name).type):
                try:
                    table[name].validate()
                except pa.ArrowInvalid:
                    # pyarrow 26 loses elements of lists that begin with null, unless it knows the type.
                    return _read(block, dict(zip(table.schema.names, table.schema.types, strict=True)))
        return table

    def _note_texts(self, table: Any) -> bool:
        """Whether pyarrow has taken strings for dates."""
        has_dates = False
        for field in table.schema:
            self.names.setdefault(field.name)
            element = field.type.value_type if is_list(field.type) else field.type
            if _is_text(element) or pa.types.is_timestamp(element):
                has_dates |= pa.types.is_timestamp(element)
                self.texts[field.name] = pa.list_(pa.binary()) if is_list(field.type) else pa.binary()
        return has_dates

    def _unite(self, name: str, a: Any, b: Any, row: int) -> Any:
        try:
            both = pa.unify_schemas([pa.schema({name: a}), pa.schema({name: b})], promote_options="permissive")
            return both.field(0).type
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            text = f"column {name!r}, rows from {row + 1}: expected {a} as before, got {b}"
            raise ValueError(f"{text}{self._advice(name)}") from None

    def _refuse(self, name: str) -> None:
        raise ValueError(f"column {name!r}: expected {EXACT}{self._advice(name)}")

    def _advice(self, name: str) -> str:
        return "" if name in self.text else f" (pass text=[{name!r}] to read strings)"

    def _mixed(self, block: bytes, row: int, line: int) -> Rows:
        """The wanted columns of a block whose other columns, or those of `text`, have values of several types."""
        texts = list(_objects(block, line))
        objects = [json.loads(text) for text in texts]
        self.names.update(dict.fromkeys(name for found in objects for name in found))
        chosen = [name for name in self.names if self.wanted is None or name in self.wanted]
        rest = (
            json.dumps({n: found[n] for n in chosen if n in found and n not in self.text}, ensure_ascii=False)
            for found in objects
        )
        rows = self._columns("\n".join(rest).encode(errors="surrogateescape"), row)
        lines = StringTensor.from_list([text.encode(errors="surrogateescape") for text in texts])
        for name in set(chosen) & set(self.text):
            values = [found.get(name) for found in objects]
            for at, value in enumerate(values):
                if isinstance(value, (dict, list)):
                    raise ValueError(f"column {name!r}, row {row + at + 1}: expected text, got an object or an array")
            rows.columns[name] = self._extract(lines, name, np.array([v is not None for v in values]), row)
        return Rows(len(objects), {name: rows.columns[name] for name in chosen if name in rows.columns})

    def _extract(self, lines: StringTensor, name: str, present: Any, row: int) -> Any:
        """The values of a column as they are written, an Arrow array."""
        try:
            values = lines.json_extract(f"$[{json.dumps(name)}]")[0]
        except ValueError:
            raise ValueError(
                f"column {name!r}, rows from {row + 1}: expected numbers of JSON that float64 holds, got another"
            ) from None
        return compute.if_else(pa.array(present), pa.array(values), pa.scalar(None, pa.utf8()))

    def _fault(self, text: str, row: int) -> ValueError:
        """The error for a message of pyarrow."""
        if found := _CHANGED.match(text):
            name, before, now, at = found.groups()
            where = f"column {name!r}, row {row + int(at) + 1}"
            return ValueError(f"{where}: expected {before}s as before, got {now}s{self._advice(name)}")
        if found := _FAULT.match(text):
            reason = f": {found[1]}" if found[1] else ""
            kind = ValueError if "twice" in reason or not reason else Unfinished
            return kind(f"row {row + int(found[2]) + 1}: expected a JSON object{reason}")
        return Unfinished(f"rows from {row + 1}: expected JSON objects")


def _without_surrogates(block: bytes) -> bytes:
    """A block with U+FFFD for surrogates without their other half, at which pyarrow fails."""
    return _ESCAPE.sub(lambda match: match[0] if match["lone"] is None else rb"\ufffd", block)


def _read(block: bytes, types: dict[str, Any], others: str = "infer") -> Any:
    """The table of a block; columns of `types` are the first."""
    return arrow_json.read_json(
        pa.BufferReader(block),
        # It is one block, because pyarrow 26 crashes if strings in one are followed by lists in another.
        read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=pa.schema(types) if types else None, unexpected_field_behavior=others
        ),
    )


def _lines(block: bytes, count: int) -> StringTensor:
    """The text of each object."""
    lines = StringTensor.from_arrow(pa.array([block], pa.binary())).split_ragged("\n")[0].strip()
    lines = lines[lines != ""]
    if len(lines) != count or not bool((lines.startswith("{") & lines.endswith("}")).all()):
        return StringTensor.from_list([text.encode(errors="surrogateescape") for text in _objects(block, 0)])
    return lines


def _is_exact(array: Any) -> bool:
    """Whether no integer of a column has been rounded."""
    array = array.flatten() if is_list(array.type) else array
    return not pa.types.is_floating(array.type) or (compute.max(compute.abs(array)).as_py() or 0) < MAX_EXACT


def _is_float64(integer: str) -> bool:
    value = float(integer)
    return not np.isinf(value) and int(integer) == int(value)


def _is_text(kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_binary(kind))


def _objects(block: bytes, line: int) -> Iterator[str]:
    """The text of each object of a block, which begins after `line` lines."""
    text = block.decode(errors="surrogateescape")
    decoder, at = json.JSONDecoder(), 0
    while (begin := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        try:
            found, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise Unfinished(f"line {line + text.count(chr(10), 0, begin) + 1}: expected a JSON object")
        yield text[begin:at]
