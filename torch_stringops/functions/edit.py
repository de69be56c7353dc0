"""The order of the characters of each string."""

# Written by tools/write_functions.py, from methods of StringTensor: string_reverse

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import ReverseUnit, StringsLike
from torch_stringops.string_tensor import StringTensor


def string_reverse(input: StringsLike, unit: ReverseUnit = "codepoint") -> StringTensor:
    """Reverses the code points of each string, like Python's `s[::-1]`.

    A byte that is not part of a valid code point counts as one. `flip` reverses the order of the strings.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        unit: "codepoint", as in Python, or "grapheme", the clusters of `segments_ragged`.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `unit` is not one of these, or it is "grapheme" and a string is not valid UTF-8.

    Example:
        >>> StringTensor.from_list(["abc", "café"]).reverse().tolist()
        ['cba', 'éfac']
    """
    try:
        return strings_argument("string_reverse", "input", input).reverse(unit)
    except ERRORS as error:
        name_error(error, "string_reverse")
        raise
