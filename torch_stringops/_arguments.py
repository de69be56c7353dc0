"""as_strings: a StringTensor from whatever holds strings; what public functions do with their arguments."""

from typing import Any

from torch_stringops.interop.strings import argument, convert
from torch_stringops.string_tensor import StringTensor


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
    """The argument `name` of the public function `op` as strings."""
    if isinstance(value, StringTensor):
        return value
    return StringTensor._converted(*argument(op, name, value))
