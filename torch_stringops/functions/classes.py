"""Character classes of each string."""

# Written by tools/write_functions.py, from methods of StringTensor: string_is_alpha, string_is_digit, string_is_space,
# string_is_upper, string_is_lower, string_is_alnum, string_is_ascii

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import StringsLike


def string_is_alpha(input: StringsLike) -> Tensor:
    """Tells whether each string has only letters, and at least one, like Python's `str.isalpha`.

    A string with bytes that are not part of a valid code point is False.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["ab", "é日", "a1", ""]).is_alpha().tolist()
        [True, True, False, False]
    """
    try:
        return strings_argument("string_is_alpha", "input", input).is_alpha()
    except ERRORS as error:
        name_error(error, "string_is_alpha")
        raise


def string_is_digit(input: StringsLike) -> Tensor:
    """Tells whether each string has only digits, and at least one, like Python's `str.isdigit`.

    Digits of all scripts count, and superscripts. A string with bytes that are not part of a valid code point is
    False.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["12", "٣", "x²", "-1"]).is_digit().tolist()
        [True, True, False, False]
    """
    try:
        return strings_argument("string_is_digit", "input", input).is_digit()
    except ERRORS as error:
        name_error(error, "string_is_digit")
        raise


def string_is_space(input: StringsLike) -> Tensor:
    """Tells whether each string has only whitespace, and at least one character, like Python's `str.isspace`.

    A string with bytes that are not part of a valid code point is False.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list([" \\n", "\\u3000", " a", ""]).is_space().tolist()
        [True, True, False, False]
    """
    try:
        return strings_argument("string_is_space", "input", input).is_space()
    except ERRORS as error:
        name_error(error, "string_is_space")
        raise


def string_is_upper(input: StringsLike) -> Tensor:
    """Tells whether each string has upper-case characters and none of another case, like `str.isupper`.

    Characters without case may occur. A string with bytes that are not part of a valid code point is False.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["AB1", "É!", "Ab", "1"]).is_upper().tolist()
        [True, True, False, False]
    """
    try:
        return strings_argument("string_is_upper", "input", input).is_upper()
    except ERRORS as error:
        name_error(error, "string_is_upper")
        raise


def string_is_lower(input: StringsLike) -> Tensor:
    """Tells whether each string has lower-case characters and none of another case, like `str.islower`.

    Characters without case may occur. A string with bytes that are not part of a valid code point is False.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["ab1", "é!", "Ab", "1"]).is_lower().tolist()
        [True, True, False, False]
    """
    try:
        return strings_argument("string_is_lower", "input", input).is_lower()
    except ERRORS as error:
        name_error(error, "string_is_lower")
        raise


def string_is_alnum(input: StringsLike) -> Tensor:
    """Tells whether each string has only letters and numbers, and at least one, like Python's `str.isalnum`.

    A string with bytes that are not part of a valid code point is False.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["a1", "½日", "a b", ""]).is_alnum().tolist()
        [True, True, False, False]
    """
    try:
        return strings_argument("string_is_alnum", "input", input).is_alnum()
    except ERRORS as error:
        name_error(error, "string_is_alnum")
        raise


def string_is_ascii(input: StringsLike) -> Tensor:
    """Tells whether each string has only ASCII characters, like Python's `str.isascii`: also the empty string.

    Returns:
        bool `[*S]`.

    Example:
        >>> StringTensor.from_list(["ab 1", "", "é"]).is_ascii().tolist()
        [True, True, False]
    """
    try:
        return strings_argument("string_is_ascii", "input", input).is_ascii()
    except ERRORS as error:
        name_error(error, "string_is_ascii")
        raise
