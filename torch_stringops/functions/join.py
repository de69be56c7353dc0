"""Rows of strings joined."""

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops.functions import function_of
from torch_stringops.ops import join as ops
from torch_stringops.string_tensor import StringTensor

string_join = function_of(StringTensor.join)


def string_join_ragged(input: StringTensor, row_splits: Tensor, separator: str | bytes = "") -> StringTensor:
    """The strings of each ragged row joined to one, as Python's `separator.join`.

    Args:
        input: strings `[T]`, those of all rows.
        row_splits: int64 `[N + 1]`; row `i` has the strings from `row_splits[i]` to `row_splits[i + 1]`.
        separator: between each two strings of a row.

    Returns:
        Strings `[N]`, compact; an empty row gives "".

    Raises:
        ValueError: `row_splits` is malformed; the result needs more than 2**31 - 1 bytes.

    See also: `string_join`, for rows of one length; `string_split_ragged`, whose results it joins again.

    Example:
        >>> pieces, row_splits = StringTensor.from_list(["to be", "", "or"]).split_ragged()
        >>> string_join_ragged(pieces, row_splits, "-").tolist()
        ['to-be', '', 'or']
    """
    check_tensor("string_join_ragged", "row_splits", row_splits)
    strings = strings_argument("string_join_ragged", "input", input)
    return ops.string_join_ragged(strings, row_splits, separator)
