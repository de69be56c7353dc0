"""The length of each string."""

# Written by tools/write_functions.py, from methods of StringTensor: string_length, string_width

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import LengthUnit, StringsLike


def string_length(input: StringsLike, unit: LengthUnit = "codepoint") -> Tensor:
    """Returns the length of each string, in code points, bytes or the characters that readers see.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        unit: "codepoint", as Python's `len`, "byte", or "grapheme", the clusters of `segments_ragged`. A byte that
            is not part of a valid code point counts as one code point.

    Returns:
        int64 `[*S]`.

    Raises:
        ValueError: `unit` is not one of these, or it is "grapheme" and a string is not valid UTF-8.

    Example:
        >>> s = StringTensor.from_list(["café", ""])
        >>> s.length(), s.length("byte")
        (tensor([4, 0]), tensor([5, 0]))
        >>> StringTensor.from_list("\U0001f1e9\U0001f1ea").length("grapheme")
        tensor(1)
    """
    try:
        return strings_argument("string_length", "input", input).length(unit)
    except ERRORS as error:
        name_error(error, "string_length")
        raise


def string_width(input: StringsLike) -> Tensor:
    """Returns the number of columns that each string takes in a terminal, like `wcswidth` of the package wcwidth.

    East Asian characters and emoji take two columns, accents and other characters that join the one before none.
    The results are those of wcwidth 0.2.13, with the properties of Unicode `unicode_version()`. A byte that is not
    part of a valid code point takes one column.

    Returns:
        int64 `[*S]`; -1 for strings with a control character, such as a line feed or a tab.

    Example:
        >>> StringTensor.from_list(["café", "cafe\\u0301", "日本語", "a\\tb"]).width()
        tensor([ 4,  4,  6, -1])
    """
    try:
        return strings_argument("string_width", "input", input).width()
    except ERRORS as error:
        name_error(error, "string_width")
        raise
