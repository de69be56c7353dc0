"""Conversion of the arguments of public functions to StringTensor: as_strings."""

from typing import Any

from torch_stringops._names import named
from torch_stringops.interop.python import is_missing
from torch_stringops.interop.strings import argument, convert
from torch_stringops.string_tensor import StringTensor


@named
def as_strings(values: Any, missing: str | bytes | None = None) -> Any:
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
        A StringTensor. For an Arrow column of lists of strings (`list<str>`), ragged rows: the strings of all lists,
        `[T]`, and int64 `row_splits` `[N + 1]`, in elements. A missing list is an error, or an empty row if `missing`
        is given.

    Raises:
        TypeError: `values` is not one of these, or an element is not a string.
        ValueError: a string is missing; lists of one level differ in length; the strings exceed 2**31 - 1 bytes. The
            message gives the name of the column, if it has one, and the position.

    See also: StringTensor.from_list, StringTensor.from_numpy, StringTensor.from_arrow.

    Example:
        >>> as_strings(["to", "be"])
        StringTensor(['to', 'be'], shape=[2])
        >>> import numpy as np
        >>> as_strings(np.array([["or"], [None]], dtype=object), missing="").tolist()
        [['or'], ['']]
        >>> import pyarrow
        >>> as_strings(pyarrow.array(["a", "b", "a"]).dictionary_encode()).tolist()
        ['a', 'b', 'a']
        >>> as_strings(pyarrow.array([["a", "b"], [], ["c"]]))
        (StringTensor(['a', 'b', 'c'], shape=[3]), tensor([0, 2, 2, 3]))
    """
    if isinstance(values, StringTensor):
        return values
    data, offsets, scalar = convert(values, missing, "as_strings")
    if isinstance(scalar, bool):
        return StringTensor._converted(data, offsets, scalar)
    return StringTensor._converted(data, offsets), scalar


def strings_argument(op: str, name: str, value: Any) -> StringTensor:
    """Converts the argument `name` of the public function `op` to strings."""
    if isinstance(value, StringTensor):
        return value
    return StringTensor._converted(*argument(op, name, value))


def strings_without_missing(op: str, name: str, value: Any, missing: str | bytes | None) -> StringTensor:
    """The same, for a function that has an argument `missing`; `value` may be a single missing string."""
    if isinstance(value, StringTensor):
        return value
    if is_missing(value):
        value = [value]
    return StringTensor._converted(*argument(op, name, value, missing, takes_missing=True))
