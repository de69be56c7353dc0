"""Bytes as text of few characters: base64, percent-encoding, literals in patterns."""

from __future__ import annotations

import re
from typing import overload

from torch_stringops._arguments import strings_argument
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._types import Column, NestedStrings, StringsLike
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.strings import Strings

# The characters before which a backslash makes them literals, as RE2's QuoteMeta chooses them. The classes are those
# of ASCII in both languages; NUL becomes \x00.
_QUOTED = r"([\x01-/:-@\[-^`{-\x7f])"


@overload
def escape_regex(input: str) -> str: ...  # type: ignore[overload-overlap]
@overload
def escape_regex(input: bytes) -> bytes: ...
@overload
def escape_regex(input: Strings | NestedStrings | Column) -> StringTensor: ...
@named
def escape_regex(input: StringsLike) -> str | bytes | StringTensor:
    """Escapes the characters that have a meaning in regular expressions, like Python's `re.escape`.

    The result is a pattern that matches the string itself, in all functions that take patterns. A backslash precedes
    every character of ASCII but letters, digits and "_"; NUL becomes `\\x00`.

    Spec: QuoteMeta of RE2, whose syntax patterns have.

    Args:
        input: a `str` or `bytes`, for example a part of a pattern; or strings `[*S]`, in any form that `as_strings`
            accepts.

    Returns:
        A `str` or `bytes` for such a one, else strings `[*S]`, compact.

    Raises:
        ValueError: strings of a tensor are not valid UTF-8, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> pattern = "^" + escape_regex("a.b") + "$"
        >>> pattern
        '^a\\\\.b$'
        >>> from torch_stringops import regex_contains
        >>> regex_contains(["a.b", "axb"], pattern)
        tensor([ True, False])
        >>> escape_regex(["c++", "1 + 1"]).tolist()
        ['c\\\\+\\\\+', '1\\\\ \\\\+\\\\ 1']
    """
    if isinstance(input, str):
        return re.sub(_QUOTED, r"\\\1", input).replace("\0", r"\x00")
    if isinstance(input, bytes):
        return re.sub(_QUOTED.encode(), rb"\\\1", input).replace(b"\0", rb"\x00")
    strings = strings_argument("escape_regex", "input", input)
    return strings.regex_replace(_QUOTED, r"\\\1").replace("\0", r"\x00")


string_base64 = function_of(StringTensor.base64)
string_unbase64 = function_of(StringTensor.unbase64)
string_url_quote = function_of(StringTensor.url_quote)
string_url_unquote = function_of(StringTensor.url_unquote)
