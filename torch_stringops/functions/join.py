"""Joining strings."""

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument
from torch_stringops._types import IntsLike, StringsLike
from torch_stringops.ops import join as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_join_ragged(input: StringsLike, row_splits: IntsLike, separator: str | bytes = "") -> StringTensor:
    """Joins the strings of each ragged row, like Python's `separator.join`.

    Args:
        input: strings `[T]`, the strings of all rows.
        row_splits: int64 `[N + 1]`, in elements: row `i` is `input[row_splits[i]:row_splits[i + 1]]`.
        separator: inserted between adjacent strings of a row.

    Returns:
        Strings `[N]`, compact; "" for an empty row.

    Raises:
        ValueError: `row_splits` is malformed, or the result exceeds 2**31 - 1 bytes.

    See also: `string_join`, for rows of equal length; `string_split_ragged`, the inverse.

    Example:
        >>> pieces, row_splits = StringTensor.from_list(["to be", "", "or"]).split_ragged()
        >>> string_join_ragged(pieces, row_splits, "-").tolist()
        ['to-be', '', 'or']
    """
    splits = row_splits_argument("string_join_ragged", row_splits)
    strings = strings_argument("string_join_ragged", "input", input)
    return ops._string_join_ragged(strings, splits, separator)


string_join = function_of(StringTensor.join)
