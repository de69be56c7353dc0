"""as_strings: a StringTensor from whatever holds strings; what public functions do with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import Tensor

from torch_stringops.interop.arrow import column_from_arrow
from torch_stringops.interop.numpy import strings_from_numpy
from torch_stringops.interop.python import strings_from_list
from torch_stringops.string_tensor import StringTensor

_OP = "as_strings"


def as_strings(values: Any, missing: str | bytes | None = None) -> Any:
    """Strings from whatever holds strings.

    Args:
        values: one of

            - a StringTensor, returned as it is;
            - `str` or `bytes` (gives rank 0), or lists and tuples of them nested to any depth;
            - a NumPy array of strings, of any shape; a masked one has its masked elements missing;
            - a column of pyarrow, polars, pandas, or anything else with the Arrow PyCapsule protocol; categorical
              and dictionary-encoded ones are decoded;
            - a column of a Hugging Face `Dataset` (`dataset["text"]`), in the order that `select`, `shuffle` and
              `sort` gave it.
        missing: what to put in the place of a missing string (None, NaN, a null of Arrow, a masked element); None to
            allow none.

    Returns:
        A StringTensor. Of an Arrow column of lists of strings (`list<str>`), ragged rows: the strings of all lists,
        `[T]`, and int64 `row_splits` `[N + 1]`, in elements. A missing list is an error too; with `missing`, it is
        an empty row.

    Raises:
        TypeError: `values` holds no strings, or something that is not a string.
        ValueError: a string is missing; lists of one level differ in length; the strings take more than 2**31 - 1
            bytes. Messages give the name of the column, where it has one, and the position.

    See also: StringTensor.from_list, StringTensor.from_numpy, StringTensor.from_arrow: each for one kind.

    Example:
        >>> as_strings(["to", "be"])
        StringTensor(['to', 'be'], shape=[2])
        >>> as_strings(np.array([["or"], [None]], dtype=object), missing="").tolist()
        [['or'], ['']]
        >>> import pyarrow
        >>> as_strings(pyarrow.array(["a", "b", "a"]).dictionary_encode()).tolist()
        ['a', 'b', 'a']
        >>> as_strings(pyarrow.array([["a", "b"], [], ["c"]]))
        (StringTensor(['a', 'b', 'c'], shape=[3]), tensor([0, 2, 2, 3]))
    """
    return _convert(values, missing, _OP)


def strings_argument(op: str, name: str, value: Any) -> StringTensor:
    """The argument `name` of the public function `op` as strings, where its meaning is plain."""
    if type(value) is StringTensor:
        return value
    converted = _convert(value, None, f"{op}: `{name}`", lambda: _wrong_argument(op, name, value))
    if not isinstance(converted, StringTensor):
        raise TypeError(
            f"{op}: expected `{name}` to be strings, got a column of lists "
            "(values, row_splits = torch_stringops.as_strings(column) gives ragged rows)"
        )
    return converted


def _wrong_argument(op: str, name: str, value: Any) -> str:
    cure = " (StringTensor(data, offsets) makes strings of two tensors)" if isinstance(value, Tensor) else ""
    return (
        f"{op}: expected `{name}` to be a StringTensor, or strings in a list, a NumPy array or an Arrow column, "
        f"got {type(value).__name__}{cure}"
    )


def _convert(
    values: Any, missing: str | bytes | None, op: str, wrong: Callable[[], str] | None = None
) -> Any:
    if isinstance(values, StringTensor):
        return values
    if isinstance(values, str | bytes | list | tuple):
        return _strings(strings_from_list(values, missing=missing, op=op))
    if isinstance(values, np.ndarray):
        return _strings(strings_from_numpy(values, missing=missing, op=op))
    op += _name_of(values)
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        data, offsets, row_splits = column_from_arrow(values, missing=missing, op=op)
        strings = StringTensor(data, offsets)
        return strings if row_splits is None else (strings, row_splits)
    if hasattr(values, "column_name") and hasattr(getattr(values, "source", None), "with_format"):
        # A column of a Hugging Face dataset: only the dataset itself knows the order of its rows.
        column = values.source.with_format("arrow")[values.column_name]
        if not hasattr(column, "column_name"):  # of a stream it is one again, with no rows at hand
            return _convert(column, missing, op)
    # pandas.Index, pandas.Categorical, ...
    if hasattr(values, "__array__") and not isinstance(values, Tensor):
        return _strings(strings_from_numpy(np.asarray(values, dtype=object), missing=missing, op=op))
    if wrong is not None:
        raise TypeError(wrong())
    raise TypeError(_wrong_argument(op, "values", values))


def _strings(parts: tuple[Tensor, Tensor, bool]) -> StringTensor:
    data, offsets, scalar = parts
    return StringTensor(data, offsets, scalar=scalar)


def _name_of(column: Any) -> str:
    """The name of a column, for errors; most have none."""
    name = getattr(column, "column_name", None) or getattr(column, "name", None)
    return f": column {name[:64]!r}" if isinstance(name, str) and name else ""
