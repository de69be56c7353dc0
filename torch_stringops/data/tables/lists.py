"""Arrow arrays of lists: their elements, and the place of a value in a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from torch_stringops.data.files.arrow import compute, pa, types

NDArray = np.ndarray[Any, Any]
# Arrow types of strings.
_TEXTS = (
    "string",
    "large_string",
    "string_view",
    "binary",
    "large_binary",
    "binary_view",
    "fixed_size_binary",
)


@dataclass(frozen=True)
class Place:
    """The place of values of a column: the file, the number of rows before them, and the row splits of elements."""

    where: str
    row: int
    splits: NDArray | None = None

    def row_of(self, value: int) -> int:
        """The row of a value, from 1."""
        if self.splits is None:
            return self.row + value + 1
        return self.row + int(np.searchsorted(self.splits, value, side="right"))


def is_list(kind: Any) -> bool:
    """Whether an Arrow type is that of lists."""
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def can_join(kinds: Iterable[Any]) -> bool:
    """Whether pyarrow can read row groups of columns of these types together: it cannot join dictionaries of lists."""
    return not any(is_list(kind) and types.is_dictionary(kind.value_type) for kind in kinds)


def check_elements(name: str, kind: Any) -> None:
    """Raises ValueError if lists of an Arrow type have elements that are not strings, numbers or bools."""
    element = kind.value_type.value_type if types.is_dictionary(kind.value_type) else kind.value_type
    is_number = types.is_integer(element) or types.is_floating(element) or types.is_boolean(element)
    is_text = any(getattr(types, f"is_{text}")(element) for text in _TEXTS if hasattr(types, f"is_{text}"))
    if not (is_number or is_text or types.is_null(element)):
        raise ValueError(f"column {name!r}: expected lists of strings, numbers or bools, got {kind}")


def width_of(kind: Any) -> int | None:
    """The size of lists of numbers or bools that all have it; None for other lists."""
    element = kind.value_type
    is_number = types.is_integer(element) or types.is_floating(element) or types.is_boolean(element)
    return int(kind.list_size) if types.is_fixed_size_list(kind) and is_number and kind.list_size else None


def check_array(array: Any) -> None:
    """Raises an error if buffers of a damaged file are shorter than the array needs, or indices are out of bounds."""
    array.validate(full=types.is_dictionary(array.type))


def split_lists(array: Any) -> tuple[NDArray, Any]:
    """The row splits of lists, int64 `[n + 1]`, and their elements. A missing list is empty."""
    splits = np.zeros(len(array) + 1, dtype=np.int64)
    if len(array) == 0:
        return splits, pa.nulls(0, array.type.value_type)
    if types.is_fixed_size_list(array.type):
        lengths = np.full(len(array), array.type.list_size)
        begin = array.offset * array.type.list_size
        elements = array.values.slice(begin, len(array) * array.type.list_size)
    else:
        offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        lengths = np.diff(offsets)
        if offsets[0] < 0 or offsets[-1] > len(array.values) or lengths.min() < 0:
            raise ValueError("expected offsets of lists that do not decrease, within the elements")
        elements = array.values.slice(offsets[0], offsets[-1] - offsets[0])
    if array.null_count:
        lengths = np.where(array.is_null().to_numpy(zero_copy_only=False), 0, lengths)
        elements = array.flatten()
    np.cumsum(lengths, out=splits[1:])
    if len(elements) != splits[-1]:
        raise ValueError(f"expected {splits[-1]} elements of lists, got {len(elements)}")
    return splits, elements


def fixed_elements(array: Any) -> tuple[NDArray, Any]:
    """Row splits and elements of lists of one size; those of a missing list are missing."""
    width = array.type.list_size
    elements = array.values.slice(array.offset * width, len(array) * width)
    if array.null_count:
        valid = np.repeat(array.is_valid().to_numpy(zero_copy_only=False), width)
        elements = compute.if_else(pa.array(valid), elements, pa.scalar(None, elements.type))
    return np.arange(len(array) + 1, dtype=np.int64) * width, elements
