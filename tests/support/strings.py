"""Conversion of strings between plain Python and tensors, in every layout that the data model allows.

Here "strings" are nested lists of bytes, in which all lists of one depth have the same length, as oracles use them.
"""

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Nested = Any  # bytes, or a list of Nested


def shape_of(strings: Nested) -> list[int]:
    """Shape as NumPy reads it: an empty list ends the nesting."""
    shape = []
    while isinstance(strings, list):
        shape.append(len(strings))
        if not strings:
            break
        strings = strings[0]
    return shape


def _rows(strings: Nested, shape: list[int]) -> list[list[bytes]]:
    if len(shape) == 1:
        return [strings]
    return [row for part in strings for row in _rows(part, shape[1:])]


def _offsets(rows: list[list[int]], shape: list[int]) -> Tensor:
    return torch.tensor(rows, dtype=torch.int32).reshape([*shape[:-1], shape[-1] + 1])


def _bytes(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


def compact(strings: Nested, shape: list[int] | None = None) -> tuple[Tensor, Tensor]:
    """Rows are contiguous and in order. `shape` is needed only if a dimension before the last one is 0."""
    shape = shape or shape_of(strings)
    data = b""
    rows = []
    for row in _rows(strings, shape):
        ends = [len(data)]
        for string in row:
            data += string
            ends.append(len(data))
        rows.append(ends)
    return _bytes(data), _offsets(rows, shape)


def scattered(strings: Nested, shape: list[int] | None = None) -> tuple[Tensor, Tensor]:
    """Rows in reverse order, with other bytes before, between and after them."""
    shape = shape or shape_of(strings)
    data = b"<, "
    rows = []
    for row in reversed(_rows(strings, shape)):
        ends = [len(data)]
        for string in row:
            data += string
            ends.append(len(data))
        rows.append(ends)
        data += b" ,\xe3\x80"
    return _bytes(data), _offsets(rows[::-1], shape)


def misaligned(strings: Nested, shape: list[int] | None = None) -> tuple[Tensor, Tensor]:
    """Data that starts one byte into its storage, and offsets that are a strided view."""
    data, offsets = compact(strings, shape)
    wide = torch.full([*offsets.shape[:-1], 2 * offsets.shape[-1]], -7, dtype=torch.int32)
    wide[..., ::2] = offsets
    return torch.cat([_bytes(b"?"), data])[1:], wide[..., ::2]


LAYOUTS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "compact": compact,
    "scattered": scattered,
    "misaligned": misaligned,
}


def decode(data: Tensor, offsets: Tensor) -> Nested:
    """Converts any valid pair to nested lists of bytes."""
    raw = bytes(data.numpy())

    def walk(level: Any) -> Nested:
        if level and isinstance(level[0], list):
            return [walk(part) for part in level]
        return [raw[a:b] for a, b in itertools.pairwise(level)]

    return walk(offsets.tolist())


def is_compact(data: Tensor, offsets: Tensor) -> bool:
    """Whether the rows are contiguous and in order, from 0 to the end of `data`."""
    rows = offsets.reshape(-1, offsets.shape[-1]).tolist() if offsets.numel() else []
    at = 0
    for row in rows:
        if row[0] != at:
            return False
        at = row[-1]
    return at == data.numel()
