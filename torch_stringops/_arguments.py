"""Conversion of the arguments of public functions to StringTensor: as_strings."""

from __future__ import annotations

from typing import Any

from torch_stringops._names import named
from torch_stringops._types import OptionalStrings, Text
from torch_stringops.interop.python import is_missing
from torch_stringops.interop.strings import argument, convert
from torch_stringops.string_tensor import StringTensor


@named
def as_strings(values: OptionalStrings, missing: Text | None = None) -> StringTensor:
    """Converts lists, NumPy arrays and columns of strings to a StringTensor.

    Args:
        values: one of

            - a StringTensor, returned as it is;
            - `str` or `bytes` (gives rank 0), or lists and tuples of them nested to any depth;
            - a NumPy array of strings, of any shape; masked elements are missing strings;
            - a column of pyarrow, polars or pandas, or any other object that implements the Arrow PyCapsule protocol;
              categorical and dictionary-encoded columns are decoded;
            - a column of a Hugging Face `Dataset` (`dataset["text"]`), in the order of the dataset after `select`,
              `shuffle` and `sort`.
        missing: replaces missing strings (None, NaN, Arrow nulls, masked elements). Default: None, a missing string is
            an error.

    Returns:
        A StringTensor. Annotate what is passed to it as `StringsLike`.

    Raises:
        TypeError: `values` is not one of these, or an element is not a string. A column of lists of strings is for
            `as_ragged`.
        ValueError: a string is missing; lists of one level differ in length; the strings exceed 2**31 - 1 bytes. The
            message gives the name of the column, if it has one, and the position.

    See also: `as_ragged`; StringTensor.from_list, StringTensor.from_numpy, StringTensor.from_arrow.

    Example:
        >>> as_strings(["to", "be"])
        StringTensor(['to', 'be'], shape=[2])
        >>> import numpy as np
        >>> as_strings(np.array([["or"], [None]], dtype=object), missing="").tolist()
        [['or'], ['']]
        >>> import pyarrow
        >>> as_strings(pyarrow.array(["a", "b", "a"]).dictionary_encode()).tolist()
        ['a', 'b', 'a']
    """
    if isinstance(values, StringTensor):
        return values
    data, offsets, scalar = convert(values, missing, "as_strings", lists=False)
    return StringTensor._converted(data, offsets, bool(scalar))


def strings_argument(op: str, name: str, value: Any) -> StringTensor:
    """Converts the argument `name` of the public function `op` to strings."""
    if isinstance(value, StringTensor):
        return value
    return StringTensor._converted(*argument(op, name, value))


def strings_without_missing(op: str, name: str, value: Any, missing: str | bytes | None) -> StringTensor:
    """Same as above, for a function that has an argument `missing`; `value` may be a single missing string."""
    if isinstance(value, StringTensor):
        return value
    if is_missing(value):
        value = [value]
    return StringTensor._converted(*argument(op, name, value, missing, takes_missing=True))
