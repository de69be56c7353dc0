"""Upper and lower case of each string."""

# Written by tools/write_functions.py, from methods of StringTensor: string_lower, string_upper, string_casefold,
# string_title, string_capitalize, string_swapcase, string_normalizer

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import CaseAction, StringsLike
from torch_stringops.string_tensor import StringTensor


def string_lower(input: StringsLike) -> StringTensor:
    """Changes each string to lower case, like Python's `str.lower`.

    A capital sigma at the end of a word becomes a final one, "ς". Bytes that are not part of a valid code point
    stay as they are. To compare strings without case, use `casefold`.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["Hello", "ÉTÉ", "ΟΔΟΣ"]).lower().tolist()
        ['hello', 'été', 'οδος']
    """
    try:
        return strings_argument("string_lower", "input", input).lower()
    except ERRORS as error:
        name_error(error, "string_lower")
        raise


def string_upper(input: StringsLike) -> StringTensor:
    """Changes each string to upper case, like Python's `str.upper`.

    A character may become several: "ß" becomes "SS". Bytes that are not part of a valid code point stay as they
    are.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["Hello", "straße", "ﬁn"]).upper().tolist()
        ['HELLO', 'STRASSE', 'FIN']
    """
    try:
        return strings_argument("string_upper", "input", input).upper()
    except ERRORS as error:
        name_error(error, "string_upper")
        raise


def string_casefold(input: StringsLike) -> StringTensor:
    """Removes distinctions of case, like Python's `str.casefold`, so that strings compare without case.

    Bytes that are not part of a valid code point stay as they are.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["Straße", "STRASSE", "ΟΔΟΣ"]).casefold().tolist()
        ['strasse', 'strasse', 'οδοσ']
    """
    try:
        return strings_argument("string_casefold", "input", input).casefold()
    except ERRORS as error:
        name_error(error, "string_casefold")
        raise


def string_title(input: StringsLike) -> StringTensor:
    """Changes the first letter of each word to title case and the others to lower case, like Python's `str.title`.

    A word is a run of characters that have case, so that one begins after an apostrophe. Bytes that are not part
    of a valid code point stay as they are, and end a word.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["the end", "they're", "ǆ"]).title().tolist()
        ['The End', "They'Re", 'ǅ']
    """
    try:
        return strings_argument("string_title", "input", input).title()
    except ERRORS as error:
        name_error(error, "string_title")
        raise


def string_capitalize(input: StringsLike) -> StringTensor:
    """Changes the first character to title case and the others to lower case, like Python's `str.capitalize`.

    Bytes that are not part of a valid code point stay as they are.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["the END", " éTÉ", "ßa"]).capitalize().tolist()
        ['The end', ' été', 'Ssa']
    """
    try:
        return strings_argument("string_capitalize", "input", input).capitalize()
    except ERRORS as error:
        name_error(error, "string_capitalize")
        raise


def string_swapcase(input: StringsLike) -> StringTensor:
    """Changes upper case to lower case and lower case to upper case, like Python's `str.swapcase`.

    Bytes that are not part of a valid code point stay as they are.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["Hello", "éTÉ", "ß"]).swapcase().tolist()
        ['hELLO', 'Été', 'SS']
    """
    try:
        return strings_argument("string_swapcase", "input", input).swapcase()
    except ERRORS as error:
        name_error(error, "string_swapcase")
        raise


def string_normalizer(
    input: StringsLike,
    *,
    case_change_action: CaseAction = "NONE",
    is_case_sensitive: bool = False,
    stopwords: StringsLike | None = None,
) -> StringTensor:
    """Removes the strings that are stop words, and changes the case of the others.

    Spec: ONNX StringNormalizer-10, without `locale`: case is Unicode's, as in `lower` and `upper`. Without
    `is_case_sensitive`, strings are equal if their case foldings are, so that "STRASSE" removes "straße". The
    reference implementation of ONNX also removes accents, empty strings and stop words within strings, which the
    specification does not mention. Differences from onnxruntime: see docs/differences.md.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        case_change_action: "NONE", "LOWER" or "UPPER", of the strings that are left.
        is_case_sensitive: whether stop words must be equal in case.
        stopwords: strings, in any form that `as_strings` accepts; None to remove no string.

    Returns:
        Strings `[R]`, or `[1, R]` for strings of shape `[1, C]`, compact. R is the number of strings that are left,
        which depends on the data. If all are removed, the result is one empty string.

    Raises:
        ValueError: the shape is neither `[C]` nor `[1, C]`; `case_change_action` is not one of these; the result
            exceeds 2**31 - 1 bytes.

    See also: `lower`, `isin`.

    Example:
        >>> s = StringTensor.from_list(["The", "café", "of", "the", "Étoile"])
        >>> s.normalizer(case_change_action="UPPER", stopwords=["the", "of"]).tolist()
        ['CAFÉ', 'ÉTOILE']
        >>> s[2:4].normalizer(stopwords=["the", "of"]).tolist()
        ['']
    """
    try:
        return strings_argument("string_normalizer", "input", input).normalizer(
            case_change_action=case_change_action, is_case_sensitive=is_case_sensitive, stopwords=stopwords
        )
    except ERRORS as error:
        name_error(error, "string_normalizer")
        raise
