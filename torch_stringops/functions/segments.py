"""The units of text that readers see."""

# Written by tools/write_functions.py, from methods of StringTensor: string_segments_ragged

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor


def string_segments_ragged(input: StringsLike, unit: str = "grapheme") -> tuple[StringTensor, Tensor]:
    """Cuts each string into its grapheme clusters, the characters that readers see.

    They are the extended grapheme clusters of UAX 29, with the properties of Unicode `unicode_version()`: a
    letter and its accents, a syllable of Hangul, a flag, an emoji with its modifiers. Joined, they are the
    string. Their number is `row_splits.diff()`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        unit: "grapheme".

    Returns:
        Ragged strings `[*S, None]` as `(values, row_splits)`: strings `[T]` and int64 `[N + 1]`.

    Raises:
        ValueError: `unit` is not "grapheme"; a string is not valid UTF-8.

    Example:
        >>> s = StringTensor.from_list(["e\\u0301a", "\\U0001f1e9\\U0001f1ea!"])
        >>> values, row_splits = s.segments_ragged()
        >>> values.length(), row_splits.diff()
        (tensor([2, 1, 2, 1]), tensor([2, 2]))
    """
    try:
        return strings_argument("string_segments_ragged", "input", input).segments_ragged(unit)
    except ERRORS as error:
        name_error(error, "string_segments_ragged")
        raise
