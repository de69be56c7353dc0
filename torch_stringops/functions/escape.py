"""Bytes as text of few characters: base64, percent-encoding, literals in patterns."""

from __future__ import annotations

import re
from typing import overload

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._types import Column, NestedStrings, StringsLike, UnquoteErrors
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


# Written by tools/write_functions.py, from methods of StringTensor: string_base64, string_unbase64, string_url_quote,
# string_url_unquote


def string_base64(input: StringsLike, urlsafe: bool = False) -> StringTensor:
    """Encodes the bytes of each string in base64, like Python's `base64.b64encode`.

    Spec: RFC 4648, with padding and without line breaks.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        urlsafe: use the alphabet for URLs and names of files, with "-" and "_" instead of "+" and "/", like
            `base64.urlsafe_b64encode`.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    See also: `string_unbase64`, the inverse; `string_hex`.

    Example:
        >>> StringTensor.from_list(["café", "", b"\\xff\\xef"]).base64().tolist()
        ['Y2Fmw6k=', '', '/+8=']
        >>> StringTensor.from_list([b"\\xff\\xef"]).base64(urlsafe=True).rstrip("=").tolist()
        ['_-8']
    """
    try:
        return strings_argument("string_base64", "input", input).base64(urlsafe)
    except ERRORS as error:
        name_error(error, "string_base64")
        raise


def string_unbase64(input: StringsLike, urlsafe: bool = False) -> StringTensor:
    """Decodes strings of base64, like Python's `base64.b64decode(s, validate=True)`; the inverse of `base64`.

    Every string has one encoding: unused bits of the last character must be zero, unlike in Python.

    Spec: RFC 4648, without characters outside the alphabet, line breaks among them.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        urlsafe: decode the alphabet for URLs, with "-" and "_" instead of "+" and "/"; the padding may be missing
            then, as in JSON Web Tokens.

    Returns:
        Strings `[*S]`, compact. They need not be valid UTF-8.

    Raises:
        ValueError: a string is not of this form; the message gives the index of the first.

    Example:
        >>> StringTensor.from_list(["Y2Fmw6k=", ""]).unbase64().tolist()
        ['café', '']
        >>> StringTensor.from_list(["eyJhIjoxfQ"]).unbase64(urlsafe=True).tolist()
        ['{"a":1}']
    """
    try:
        return strings_argument("string_unbase64", "input", input).unbase64(urlsafe)
    except ERRORS as error:
        name_error(error, "string_unbase64")
        raise


def string_url_quote(input: StringsLike, safe: str | bytes = "/") -> StringTensor:
    """Percent-encodes each string for URLs, like `urllib.parse.quote`.

    ASCII letters and digits and "_.-~" stay as they are. Every other byte becomes "%" and two hexadecimal
    digits. For forms, where a space is "+", follow it by `.replace("%20", "+")`, with "+" not in `safe`.

    Spec: RFC 3986.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        safe: other characters of ASCII that stay as they are.

    Returns:
        Strings `[*S]`, compact, of ASCII characters.

    Raises:
        ValueError: `safe` has characters that are not of ASCII, or the result exceeds 2**31 - 1 bytes.

    See also: `string_url_unquote`, the inverse.

    Example:
        >>> StringTensor.from_list(["a b/é", "50%"]).url_quote().tolist()
        ['a%20b/%C3%A9', '50%25']
        >>> StringTensor.from_list(["a b/é"]).url_quote(safe="").tolist()
        ['a%20b%2F%C3%A9']
    """
    try:
        return strings_argument("string_url_quote", "input", input).url_quote(safe)
    except ERRORS as error:
        name_error(error, "string_url_quote")
        raise


def string_url_unquote(input: StringsLike, errors: UnquoteErrors = "replace") -> StringTensor:
    """Replaces each "%" and two hexadecimal digits by the byte they stand for, like `urllib.parse.unquote`.

    A "%" without two digits after it stays as it is. For forms, where a space is "+", apply `.replace("+", " ")`
    first.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        errors: for bytes that are not UTF-8 then: "replace" replaces them by U+FFFD and "ignore" leaves them out,
            as `string_repair` does; "surrogateescape" keeps the bytes, as `urllib.parse.unquote_to_bytes` does.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `errors` is not one of these, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["a%20b/%C3%A9", "50%", "%E6%97"]).url_unquote().tolist()
        ['a b/é', '50%', '\\ufffd']
    """
    try:
        return strings_argument("string_url_unquote", "input", input).url_unquote(errors)
    except ERRORS as error:
        name_error(error, "string_url_unquote")
        raise
