"""Columns of tables from the Arrow arrays of blocks and files: missing values, and types that differ between them.

A column is strings, bools, or numbers of the smallest dtype that holds those of all files exactly, or lists of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops.data.columns.column import PIECE_BYTES, StringColumn
from torch_stringops.data.columns.ragged_column import RaggedColumn
from torch_stringops.data.files.arrow import types
from torch_stringops.data.tables.lists import (
    Place,
    check_array,
    check_elements,
    fixed_elements,
    is_list,
    split_lists,
    width_of,
)
from torch_stringops.data.tables.values import (
    STRINGS,
    Missing,
    common_dtype,
    convert_column,
    fill_of,
    inexact,
    kind_of_fill,
    no_missing,
    number_of,
    numpy_dtype,
)
from torch_stringops.string_tensor import StringTensor


@dataclass(frozen=True)
class ListKind:
    """Lists, of `width` elements each if it is given; these are numbers or bools."""

    element: Kind
    width: int | None = None

    def __str__(self) -> str:
        return f"lists of {self.element}" if self.width is None else f"lists of {self.width} {self.element}"


# The type of a column: strings, the dtype of numbers or bools, lists, or None if all values so far are missing.
Kind = str | torch.dtype | ListKind | None


@dataclass
class Nulls:
    """Missing values of a column whose type is not known yet, or, in CSV files, the text of their fields."""

    count: int
    text: StringTensor | None = None

    def __len__(self) -> int:
        return self.count


@dataclass
class Lists:
    """Lists of a column, whose elements are another column, by their row splits, int64 `[n + 1]`."""

    splits: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.splits) - 1


# Tensors are `[n]`, or `[n, width]` for lists of one size.
Values = StringTensor | Tensor | Nulls | Lists


@dataclass
class Segment:
    """Values of a column, and their place."""

    place: Place
    values: Values


class Column:
    """Collects the values of a column; errors name it, and the file and row of a value."""

    def __init__(self, name: str, missing: Missing, has_text: bool) -> None:
        self.name = name
        self.advice = f" (pass text=[{name!r}] to read strings)" if has_text else ""
        self.fill = fill_of(missing, name)
        # A value for this column must suit it; a value for all columns is for those that it suits.
        self.is_own = isinstance(missing, Mapping)
        self.segments: list[Segment] = []
        self.kind: str | None = None
        self.dtype: torch.dtype | None = None  # if it is known before
        self.width: int | None = None  # of lists of one size
        self._elements: Column | None = None

    @property
    def elements(self) -> Column:
        """The elements of lists, with the replacement of missing ones."""
        if self._elements is None:
            self._elements = Column(self.name, {} if self.fill is None else {self.name: self.fill}, False)
            self._elements.is_own = self.is_own
        return self._elements

    def expect(self, kind: Kind) -> None:
        """Sets the kind of all values."""
        if isinstance(kind, ListKind):
            self.width = kind.width
            if kind.width is None:
                self.kind = "lists"
                self.elements.expect(kind.element)
                return
            kind = kind.element
        if isinstance(kind, torch.dtype):
            self.dtype, self.kind = kind, _kind_of_tensor(kind is torch.bool, self.width)
        elif isinstance(kind, str):
            self.kind = kind

    def add(self, place: Place, values: Values) -> None:
        kind = _kind(values)
        if kind is not None and self.kind is not None and kind != self.kind:
            raise ValueError(
                f"column {self.name!r}, rows from {place.row_of(0)}: expected {self.kind} as before, got {kind}"
                f"{self.advice}"
            )
        self.kind = self.kind or kind
        if isinstance(values, Tensor) and values.dim() == 2:
            self.width = values.shape[1]
        last = self.segments[-1].values if self.segments else None
        is_text = isinstance(values, StringTensor) and isinstance(last, StringTensor)
        if is_text and last.nbytes + values.nbytes < PIECE_BYTES // 16:  # type: ignore[union-attr]
            self.segments[-1].values = torch.cat([last, values])  # type: ignore[list-item]
        else:
            self.segments.append(Segment(place, values))

    def add_array(self, place: Place, array: Any) -> None:
        """Adds an Arrow array."""
        if types.is_null(array.type):
            self.add(place, Nulls(len(array)))
            return
        check_array(array)
        if is_list(array.type):
            self._add_lists(place, array)
            return
        self.add(place, convert_column(array, self.name, place, self.fill, self.is_own))

    def _add_lists(self, place: Place, array: Any) -> None:
        check_elements(self.name, array.type)
        if array.null_count and self.fill is None:
            at = place.row_of(int(np.argmax(array.is_null().to_numpy(zero_copy_only=False))))
            raise ValueError(no_missing(self.name, at, "lists"))
        try:
            splits, elements = split_lists(array) if width_of(array.type) is None else fixed_elements(array)
        except ValueError as error:
            raise ValueError(f"column {self.name!r}, rows from {place.row_of(0)}: {error}") from None
        inner = Place(place.where, place.row, splits)
        if width_of(array.type) is None:
            self.add(place, Lists(splits))
            self.elements.add_array(inner, elements)
        else:
            numbers: Any = convert_column(elements, self.name, inner, self.fill, self.is_own)
            self.add(inner, numbers.reshape(len(array), array.type.list_size))

    def extend(self, other: Column) -> None:
        """Adds the values of another file."""
        for segment in other.segments:
            self.add(segment.place, segment.values)
        if other._elements is not None:
            self.elements.extend(other._elements)

    def finish(self) -> StringColumn | Tensor | RaggedColumn:
        """The column. Values of unknown type have the type of their replacement, and are strings without one."""
        kind = self.kind
        unknown = (s.values for s in self.segments if isinstance(s.values, Nulls) and s.values.count)
        if kind is None and any(nulls.text is None for nulls in unknown):
            of_fill = kind_of_fill(self.fill)
            kind = of_fill if isinstance(of_fill, str) else _kind_of_tensor(of_fill is torch.bool, None)
        if kind is None or kind == "strings":
            return StringColumn([self._strings(s) for s in self.segments if len(s.values)])
        if kind == "lists":
            lengths = np.concatenate([[0], *(self._lengths(s) for s in self.segments)])
            row_splits = torch.from_numpy(np.cumsum(lengths, dtype=np.int64))
            if self.elements.kind is None:
                self.elements.expect(kind_of_fill(self.elements.fill))
            elements: Any = self.elements.finish()
            return RaggedColumn(elements, row_splits)
        filled = [Segment(s.place, self._numbers(s, kind)) for s in self.segments]
        wanted = _common_dtype([s.values for s in filled]) if self.dtype is None else numpy_dtype(self.dtype)
        empty = np.empty((0, *self._row_shape), dtype=wanted)
        return torch.from_numpy(np.concatenate([empty, *(self._cast(s, wanted) for s in filled)]))

    @property
    def _row_shape(self) -> tuple[int, ...]:
        return () if self.width is None else (self.width,)

    def _lengths(self, segment: Segment) -> np.ndarray[Any, Any]:
        if isinstance(segment.values, Lists):
            return np.diff(segment.values.splits)
        if len(segment.values) and self.fill is None:
            at = segment.place.row_of(0)
            raise ValueError(f"{segment.place.where}: {no_missing(self.name, at, 'lists')}")
        return np.zeros(len(segment.values), dtype=np.int64)

    def _strings(self, segment: Segment) -> StringTensor:
        values = segment.values
        if isinstance(values, StringTensor):
            return values
        assert isinstance(values, Nulls)
        if values.text is not None:
            return values.text
        if not isinstance(self.fill, (str, bytes)):
            at = segment.place.row_of(0)
            raise ValueError(f"{segment.place.where}: {no_missing(self.name, at, 'strings')}")
        return StringTensor.from_list([self.fill]).repeat(values.count)

    def _numbers(self, segment: Segment, kind: str) -> Tensor:
        values = segment.values
        if isinstance(values, Tensor):
            return values
        assert isinstance(values, Nulls)
        if not values.count:
            dtype = torch.bool if kind.endswith("bools") else torch.int8
            return torch.empty(0, *self._row_shape, dtype=dtype, device="cpu")
        known = [s.values for s in self.segments if isinstance(s.values, Tensor)]
        common = _common_dtype(known) if known else None
        what = "bools" if kind.endswith("bools") else "numbers"
        try:
            number = number_of(self.fill, what, common, self.name, segment.place.row_of(0), self.is_own)
        except ValueError as error:
            raise ValueError(f"{segment.place.where}: {error}") from None
        return torch.from_numpy(np.full((values.count, *self._row_shape), number))

    def _cast(self, segment: Segment, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        assert isinstance(segment.values, Tensor)
        array = segment.values.numpy()
        if array.dtype.kind in "iu" and dtype != array.dtype and (bad := inexact(array, dtype)).any():
            at = segment.place.row_of(int(bad.argmax()))
            raise ValueError(
                f"{segment.place.where}: column {self.name!r}, row {at}: expected "
                f"an integer that {dtype} holds exactly, which other rows need, got a larger one{self.advice}"
            )
        return array.astype(dtype, copy=False)


def _kind(values: Values) -> str | None:
    if isinstance(values, Nulls):
        return None
    if isinstance(values, Lists):
        return "lists"
    if isinstance(values, StringTensor):
        return STRINGS
    return _kind_of_tensor(values.dtype is torch.bool, values.shape[1] if values.dim() == 2 else None)


def _kind_of_tensor(is_bool: bool, width: int | None) -> str:
    what = "bools" if is_bool else "numbers"
    return what if width is None else f"lists of {width} {what}"


def _common_dtype(found: list[Any]) -> np.dtype[Any]:
    """The smallest dtype for all tensors, but for empty ones."""
    return common_dtype({values.numpy().dtype for values in [v for v in found if len(v)] or found})
