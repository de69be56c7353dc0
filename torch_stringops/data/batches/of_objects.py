"""The columns of ColumnDataset: tensors, strings and numbers of lists, arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import as_strings
from torch_stringops._ragged_arguments import NUMBERS, holds_numbers
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.ragged_column import RaggedColumn, ragged_column
from torch_stringops.data.files.arrow import pa
from torch_stringops.data.tables.builder import Column
from torch_stringops.data.tables.lists import Place
from torch_stringops.data.tables.values import Missing, check_filled, check_missing
from torch_stringops.interop.python import PASS_MISSING, is_missing
from torch_stringops.interop.strings import advise_as_strings
from torch_stringops.string_tensor import StringTensor


def to_column(name: Any, column: Any) -> Any:
    """Converts a column to a tensor, a StringTensor, a StringColumn, or a RaggedColumn."""
    if isinstance(column, (Tensor, StringTensor, StringColumn, RaggedColumn)):
        return column
    rows = ragged_column("ColumnDataset", name, column)
    if rows is not None:
        return rows
    try:
        if isinstance(column, (list, tuple)):
            first = column[0] if column else None
            if isinstance(first, (Tensor, StringTensor)):
                return _of_chunks(column)
            if holds_numbers(column):
                return _of_list(column)
        numbers = _of_array(column) if _kind(column) in "biufcmM" else None
        if numbers is not None:
            return numbers
        try:
            strings = as_strings(column)
        except TypeError:
            numbers = _of_array(column)
            if numbers is None:
                raise
            return numbers
    except (TypeError, ValueError) as error:
        text = str(error).removeprefix("as_strings: ").removeprefix(f"column {name!r}: ")
        text = advise_as_strings(text, "column") if text.endswith(PASS_MISSING) else text
        raise type(error)(f"ColumnDataset: column {name!r}: {text}") from None
    return strings


def _of_chunks(chunks: Sequence[Any]) -> Any:
    """Tensors or StringTensors as one column."""
    if isinstance(chunks[0], StringTensor) and chunks[0].ndim == 1:
        return StringColumn(chunks)
    try:
        return torch.cat(tuple(chunks))
    except RuntimeError as error:
        raise ValueError(f"expected chunks of equal shape but for the first axis: {error}") from None


def table_columns(op: str, table: Any) -> dict[str, Any]:
    """The columns of a table by name."""
    names = None
    if isinstance(table, Mapping):
        names = list(table)
    elif hasattr(table, "__len__"):  # lazy and streaming tables have no length
        names = getattr(table, "column_names", None)
        names = getattr(table, "columns", None) if names is None else names
    if names is None:
        raise TypeError(
            f"{op}: expected a table of pandas, polars, pyarrow or Hugging Face, or a dict of columns, "
            f"got {type(table).__name__}"
        )
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{op}: expected names of columns to be str, got {type(name).__name__} (rename them)")
    return {name: table[name] for name in names}


def filled(op: str, columns: dict[str, Any], missing: Missing) -> dict[str, Any]:
    """The columns with missing values replaced, as the readers of tables do. Tensors and strings have none."""
    if missing is None:
        return columns
    check_missing(op, missing)
    check_filled(op, missing, columns)
    made = {}
    for name, column in columns.items():
        if not isinstance(column, (Tensor, StringTensor, StringColumn, RaggedColumn)):
            builder = Column(name, missing, has_text=False)
            row = 0
            try:
                for chunk in _arrow_chunks(op, column):
                    builder.add_array(Place(name, row), chunk)
                    row += len(chunk)
                column = builder.finish()
            except (TypeError, ValueError) as error:
                raise type(error)(f"{op}: {str(error).removeprefix(f'{name}: ')}") from None
        made[name] = column
    return made


def _arrow_chunks(op: str, column: Any) -> list[Any]:
    """The Arrow arrays of a column; NaN of pandas is a missing value."""
    if hasattr(column, "column_name") and hasattr(getattr(column, "source", None), "with_format"):
        column = column.source.with_format("arrow")[column.column_name]  # of Hugging Face
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()  # of polars
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        column = pa.array(column, from_pandas=True)
    return column.chunks if isinstance(column, pa.ChunkedArray) else [column]


def _kind(column: Any) -> str:
    """The kind of the dtype of a NumPy array, or of a column of pandas; "O" for others."""
    kind: str = getattr(getattr(column, "dtype", None), "kind", "O")
    return kind


def _of_list(values: Any) -> Tensor:
    """Nested lists of numbers; floats have torch's default dtype, as by torch.tensor."""
    rows = [np.asarray(v) for v in values] if any(isinstance(v, np.ndarray) for v in values) else None
    try:
        return _of_numpy(np.stack(rows)) if rows else torch.tensor(values, device="cpu")
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        text = str(error).partition("\n")[0]
    _check_elements(values, "")
    raise ValueError(f"expected numbers of one shape that a tensor can hold ({text})")


def _check_elements(values: Any, place: str) -> None:
    for i, value in enumerate(values):
        at = f"{place}[{i}]"
        if isinstance(value, (list, tuple)):
            _check_elements(value, at)
        elif value is None or (is_missing(value) and not isinstance(value, float)):
            raise ValueError(f"expected no missing numbers, got one at {at} (replace it by a number)")
        elif not isinstance(value, (*NUMBERS, np.ndarray)):
            raise TypeError(f"expected a number at {at}, got {type(value).__name__}")


def _of_array(column: Any) -> Tensor | None:
    """A NumPy array or a column of a table. None if these are not numbers."""
    if hasattr(column, "column_name") and hasattr(getattr(column, "source", None), "with_format"):
        column = column.source.with_format("arrow")[column.column_name]  # of Hugging Face
    if not hasattr(column, "__array__") or not hasattr(column, "__len__"):
        return None
    if not isinstance(column, np.ndarray):
        _check_nulls(column)
    elif np.ma.is_masked(column):
        at = np.argwhere(np.ma.getmaskarray(column))[0].tolist()
        raise ValueError(f"expected no missing numbers, got one at {at} (replace them with .filled(0))")
    array = np.asarray(column)
    kind = array.dtype.kind
    if kind in "mM":
        raise TypeError(f"expected strings or numbers, got {array.dtype.name} (convert the column to integers)")
    if kind == "O" and array.ndim == 1 and holds_numbers(array.tolist()):
        return _of_list(array.tolist())
    return _of_numpy(array) if kind in "biufc" and array.ndim else None


def _check_nulls(column: Any) -> None:
    """Nulls of pyarrow and polars, and NA of pandas; they would become NaN. NaN is a number."""
    fill = "fill_null" if hasattr(column, "fill_null") else "fillna"
    find = getattr(column, "is_null", None)
    if find is None and not isinstance(getattr(column, "dtype", None), np.dtype):
        find = getattr(column, "isna", None)
    missing = np.zeros(0, dtype=bool) if find is None else np.asarray(find(), dtype=bool)
    if missing.any():
        at = int(missing.argmax())
        raise ValueError(f"expected no missing numbers, got one at [{at}] (replace them with .{fill}(0))")


def _of_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor that shares the memory if it can be written."""
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return torch.from_numpy(native if native.flags.writeable else native.copy())
