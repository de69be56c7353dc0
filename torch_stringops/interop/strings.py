"""Conversion of Python strings, NumPy arrays, Arrow columns and Hugging Face columns to `data` and `offsets`."""

from typing import Any

import numpy as np
from torch import Tensor

from torch_stringops.interop.arrow import column_from_arrow
from torch_stringops.interop.numpy import strings_from_numpy
from torch_stringops.interop.python import PASS_MISSING, strings_from_list


def convert(
    values: Any, missing: str | bytes | None, op: str, name: str = "values", *, lists: bool = True
) -> tuple[Tensor, Tensor, bool | Tensor]:
    """Converts `values` to `data`, `offsets` and whether the rank is 0, or, for a column of lists, int64 `row_splits`.

    Without `lists`, such a column is an error. Errors begin with `op`, and with the name of the argument and of the
    column, if there are such names.
    """
    prefix = op if name == "values" else f"{op}: `{name}`"
    if isinstance(values, str | bytes | list | tuple):
        return strings_from_list(values, missing=missing, op=prefix)
    if isinstance(values, np.ndarray):
        return strings_from_numpy(values, missing=missing, op=prefix)
    column = _name_of(values)
    prefix += column
    values = _arrow_array(values)
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        try:
            data, offsets, row_splits = column_from_arrow(values, missing=missing, op=prefix, lists=lists)
            return data, offsets, False if row_splits is None else row_splits
        except (TypeError, ValueError) as error:
            # pyarrow cannot export a column of Python objects of several types; its error has no position.
            if not (type(error).__module__ == "pyarrow.lib" and hasattr(values, "__array__")):
                raise
    if hasattr(values, "column_name") and hasattr(getattr(values, "source", None), "with_format"):
        # A column of a Hugging Face dataset. Only the dataset has the order of the rows.
        rows = values.source.with_format("arrow")[values.column_name]
        if not hasattr(rows, "column_name"):  # a streaming dataset returns a column without rows
            data, offsets, row_splits = column_from_arrow(rows, missing=missing, op=prefix, lists=lists)
            return data, offsets, False if row_splits is None else row_splits
    # Columns of objects of pandas, pandas.Categorical, ...
    if hasattr(values, "__array__") and not isinstance(values, Tensor):
        return strings_from_numpy(np.asarray(values, dtype=object), missing=missing, op=prefix)
    hint = " (use StringTensor(data, offsets) for its two tensors)" if isinstance(values, Tensor) else ""
    raise TypeError(
        f"{op}{column}: expected `{name}` to be a StringTensor, or strings in a list, a NumPy array or an Arrow "
        f"column, got {type(values).__name__}{hint}"
    )


def is_column(value: Any) -> bool:
    """Whether `value` is an array, or a column of pandas, polars, pyarrow or a Hugging Face dataset.

    A column of a streaming dataset has no length. It is an iterable of texts instead.
    """
    if any(hasattr(value, name) for name in ("__arrow_c_array__", "__arrow_c_stream__", "__array__")):
        return True
    return hasattr(value, "column_name") and hasattr(value, "__len__")


def argument(
    op: str, name: str, value: Any, missing: str | bytes | None = None, *, takes_missing: bool = False
) -> tuple[Tensor, Tensor, bool]:
    """Converts the argument `name` of the public function `op`, which must not be a column of lists.

    `takes_missing` says whether `op` has an argument `missing`; errors advise as_strings(..., missing=...) otherwise.
    """
    try:
        data, offsets, scalar = convert(value, missing, op, name, lists=False)
    except ValueError as error:
        text = str(error)
        if takes_missing or not text.endswith(PASS_MISSING):
            raise
        raise ValueError(advise_as_strings(text, name)) from None
    return data, offsets, bool(scalar)


def advise_as_strings(text: str, name: str) -> str:
    """The message of a missing string, for functions without an argument `missing`."""
    return f"{text.removesuffix(PASS_MISSING)}(pass torch_stringops.as_strings({name}, missing=...))"


def _arrow_array(values: Any) -> Any:
    """The Arrow column of an Index of pandas, or of a Series of pandas 2, which do not export one themselves."""
    array: Any = getattr(values, "array", None)
    if hasattr(values, "__arrow_c_stream__") or not hasattr(array, "__arrow_array__"):
        return values
    try:
        return array.__arrow_array__()
    except ImportError:  # without pyarrow
        return values


def _name_of(column: Any) -> str:
    """The name of a column for messages, or ""."""
    name = getattr(column, "column_name", None) or getattr(column, "name", None)
    return f": column {name[:64]!r}" if isinstance(name, str) and name else ""
