"""Characters, prefixes and suffixes removed at the ends of each string."""

# Written by tools/write_functions.py, from methods of StringTensor: string_strip, string_lstrip, string_rstrip,
# string_remove_prefix, string_remove_suffix

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor


def string_strip(input: StringsLike, chars: str | bytes | None = None) -> StringTensor:
    """Removes leading and trailing characters of each string, like Python's `str.strip`.

    A byte that is not part of a valid code point is a character, which is removed only if `chars` contains it.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        chars: the characters to remove, in any order; None for Unicode whitespace, as in `str.isspace`.

    Returns:
        Strings `[*S]`, compact.

    Example:
        >>> StringTensor.from_list(["  to be ", "or\\u3000"]).strip().tolist()
        ['to be', 'or']
        >>> StringTensor.from_list(["--to--", "(or)"]).strip("()-").tolist()
        ['to', 'or']
    """
    try:
        return strings_argument("string_strip", "input", input).strip(chars)
    except ERRORS as error:
        name_error(error, "string_strip")
        raise


def string_lstrip(input: StringsLike, chars: str | bytes | None = None) -> StringTensor:
    """Removes leading characters of each string, like Python's `str.lstrip`. See `strip`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        chars: the characters to remove, in any order; None for Unicode whitespace.

    Returns:
        Strings `[*S]`, compact.

    Example:
        >>> StringTensor.from_list(["  to be ", "or "]).lstrip().tolist()
        ['to be ', 'or ']
    """
    try:
        return strings_argument("string_lstrip", "input", input).lstrip(chars)
    except ERRORS as error:
        name_error(error, "string_lstrip")
        raise


def string_rstrip(input: StringsLike, chars: str | bytes | None = None) -> StringTensor:
    """Removes trailing characters of each string, like Python's `str.rstrip`. See `strip`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        chars: the characters to remove, in any order; None for Unicode whitespace.

    Returns:
        Strings `[*S]`, compact.

    Example:
        >>> StringTensor.from_list(["1.500", "20"]).rstrip("0").tolist()
        ['1.5', '2']
    """
    try:
        return strings_argument("string_rstrip", "input", input).rstrip(chars)
    except ERRORS as error:
        name_error(error, "string_rstrip")
        raise


def string_remove_prefix(input: StringsLike, prefix: str | bytes) -> StringTensor:
    """Removes `prefix` from the strings that begin with it, like Python's `str.removeprefix`.

    Bytes are compared, so that the strings need not be valid UTF-8.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        prefix: removed once.

    Returns:
        Strings `[*S]`, compact.

    Example:
        >>> StringTensor.from_list(["##ing", "play"]).remove_prefix("##").tolist()
        ['ing', 'play']
    """
    try:
        return strings_argument("string_remove_prefix", "input", input).remove_prefix(prefix)
    except ERRORS as error:
        name_error(error, "string_remove_prefix")
        raise


def string_remove_suffix(input: StringsLike, suffix: str | bytes) -> StringTensor:
    """Removes `suffix` from the strings that end with it, like Python's `str.removesuffix`.

    Bytes are compared, so that the strings need not be valid UTF-8.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        suffix: removed once.

    Returns:
        Strings `[*S]`, compact.

    Example:
        >>> StringTensor.from_list(["a.txt", "b.csv"]).remove_suffix(".txt").tolist()
        ['a', 'b.csv']
    """
    try:
        return strings_argument("string_remove_suffix", "input", input).remove_suffix(suffix)
    except ERRORS as error:
        name_error(error, "string_remove_suffix")
        raise
