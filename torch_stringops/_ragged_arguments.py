"""Arguments of functions of ragged rows: tensors, or lists and arrays of their values; as_ragged."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor, check_tensor_or_strings
from torch_stringops._names import named
from torch_stringops._types import ListColumn, NumberRows, StringRows, Text
from torch_stringops.interop.python import PASS_MISSING, is_missing, strings_from_list
from torch_stringops.interop.strings import convert, is_column
from torch_stringops.string_tensor import StringTensor

NUMBERS = (bool, int, float, complex, np.number, np.bool_)


@overload
def as_ragged(values: StringRows | ListColumn, missing: Text | None = None) -> tuple[StringTensor, Tensor]: ...
@overload
def as_ragged(values: NumberRows, missing: None = None) -> tuple[Tensor, Tensor]: ...
@named
def as_ragged(
    values: StringRows | NumberRows | ListColumn, missing: Text | None = None
) -> tuple[StringTensor | Tensor, Tensor]:
    """Converts lists of different lengths to ragged rows: Python's, or those of a column.

    Args:
        values: lists or tuples of strings or of numbers; an Arrow column of lists of strings (`list<str>`) of pyarrow,
            polars, pandas or a Hugging Face `Dataset`, or any other object that implements the Arrow PyCapsule
            protocol.
        missing: replaces missing strings. A missing list is then an empty row. Default: None, both are an error.

    Returns:
        strings: `[T]`, the strings of all lists; for numbers a tensor `[T]`, of the dtype of `torch.tensor`.
        row_splits: int64 `[N + 1]`, in elements: list i is `strings[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        TypeError: `values` is not a column of lists of strings, nor lists of strings or numbers.
        ValueError: a list or a string is missing; the strings exceed 2**31 - 1 bytes.

    See also: `as_strings`, for columns of strings; `ragged_to_dense`, `string_join_ragged`.

    Example:
        >>> as_ragged([["a", "b"], [], ["c"]])
        (StringTensor(['a', 'b', 'c'], shape=[3]), tensor([0, 2, 2, 3]))
        >>> as_ragged([[1, 2], [], [3]])
        (tensor([1, 2, 3]), tensor([0, 2, 2, 3]))
        >>> import pyarrow
        >>> as_ragged(pyarrow.array([["a", "b"], [], ["c"]]))[0].tolist()
        ['a', 'b', 'c']
    """
    if isinstance(values, (list, tuple)):
        return _ragged_of_lists(values, missing)
    expected = "as_ragged: expected `values` to be lists or a column of lists of strings"
    if isinstance(values, np.ndarray | StringTensor | Tensor) or not is_column(values):
        hint = " (use as_strings)" if isinstance(values, StringTensor | str | bytes) else ""
        if isinstance(values, np.ndarray):
            hint = " (use as_strings, or values.tolist() for lists of strings)"
        raise TypeError(f"{expected}, got {type(values).__name__}{hint}")
    data, offsets, row_splits = convert(values, missing, "as_ragged")
    if isinstance(row_splits, bool):
        raise TypeError(f"{expected}, got a column of strings (use as_strings)")
    return StringTensor._converted(data, offsets), row_splits


def _ragged_of_lists(values: Sequence[Any], missing: Text | None) -> tuple[StringTensor | Tensor, Tensor]:
    op = "as_ragged"
    rows: list[Sequence[Any]] = []
    for i, row in enumerate(values):
        if is_missing(row):
            if missing is None:
                raise ValueError(f"{op}: expected no missing lists, got one at [{i}] {PASS_MISSING}")
            row = ()
        if not isinstance(row, (list, tuple)):
            hint = " (use as_strings)" if isinstance(row, (str, bytes)) else ""
            raise TypeError(f"{op}: expected lists, got {type(row).__name__} at [{i}]{hint}")
        rows.append(row)
    row_splits = torch.tensor([0, *itertools.accumulate(map(len, rows))], device="cpu")
    elements = [element for row in rows for element in row]
    if missing is None and holds_numbers(elements):
        return tensor_argument(op, "values", elements), row_splits
    try:
        return StringTensor._converted(*strings_from_list(elements, missing=missing, op=op)), row_splits
    except (TypeError, ValueError):
        for i, row in enumerate(rows):  # the error gives the position in its list
            strings_from_list(row, missing=missing, op=f"{op}: list {i}")
        raise


def holds_numbers(values: Any) -> bool:
    """Whether the first element of nested lists that is not missing is a number."""
    while isinstance(values, (list, tuple)):
        values = next((v for v in values if not is_missing(v)), None)
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "biufc"
    return isinstance(values, NUMBERS)


def tensor_argument(op: str, name: str, value: Any, dtype: torch.dtype | None = None) -> Tensor:
    """Converts a list, a tuple or an array of numbers to a tensor; without numbers, of `dtype`."""
    if isinstance(value, (list, tuple, range, np.ndarray)):
        values = list(value) if isinstance(value, range) else value
        try:
            t = torch.tensor(values, device="cpu")
        except (TypeError, ValueError, RuntimeError, OverflowError):
            if (place := _place_of_missing(values)) is not None:
                raise ValueError(f"{op}: expected no missing numbers in `{name}`, got one at {place}") from None
            raise TypeError(
                f"{op}: expected `{name}` to be a Tensor or numbers in a list, got a {type(value).__name__} of others"
            ) from None
        return t.to(dtype) if dtype is not None and (t.numel() == 0 or not t.is_floating_point()) else t
    check_tensor(op, name, value)
    tensor: Tensor = value
    return tensor


def _place_of_missing(values: Any) -> list[int] | None:
    """The indices of the first missing value of nested lists, or None. NaN is a number."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        for i, value in enumerate(values):
            if (place := _place_of_missing(value)) is not None:
                return [i, *place]
        return None
    return [] if is_missing(values) and not isinstance(values, float) else None


def row_splits_argument(op: str, value: Any) -> Tensor:
    """Converts row splits in a list or an array to int64; a tensor is used as it is."""
    return value if isinstance(value, Tensor) else tensor_argument(op, "row_splits", value, torch.int64)


def values_argument(op: str, name: str, value: Any) -> Any:
    """Converts lists and arrays of numbers to a tensor, and strings in any form to a StringTensor."""
    if isinstance(value, (Tensor, StringTensor)):
        return value
    if holds_numbers(value) or (isinstance(value, (list, tuple)) and len(value) == 0):
        return tensor_argument(op, name, value)
    if isinstance(value, (list, tuple)) or is_column(value):
        return strings_argument(op, name, value)
    check_tensor_or_strings(op, name, value)
    return value
