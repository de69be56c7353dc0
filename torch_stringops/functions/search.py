"""Search in each string, for one string or for as many others; replacement."""

# Written by tools/write_functions.py, from methods of StringTensor: string_find, string_rfind, string_contains,
# string_count, string_startswith, string_endswith, string_replace

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import StringsLike, Unit
from torch_stringops.string_tensor import StringTensor


def string_find(
    input: StringsLike,
    sub: StringsLike,
    unit: Unit = "codepoint",
    *,
    start: int = 0,
    end: int | None = None,
    ignore_case: bool = False,
) -> Tensor:
    """Returns the position of the first occurrence of `sub` in each string, or -1, like `str.find`.

    The bytes of `sub` are searched for, so that neither `sub` nor the strings need to be valid UTF-8.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        sub: the string to search for, `str` or `bytes`; or strings `[*R]`, one for each, in any form that
            `as_strings` accepts. `S` and `R` must broadcast. "" is found at 0. `bytes` that are not UTF-8
            cannot be traced.
        unit: "codepoint", as in Python, or "byte". A byte that is not part of a valid code point counts as one
            code point.
        start: where the search begins in each string, in `unit`; negative positions count from the end of
            the string, as in Python.
        end: where the search ends; None for the end of the string. The result counts from the start of
            the string.
        ignore_case: whether letters are equal that differ only in case, by Unicode's simple case folding: "ẞ"
            equals "ß", but not "ss". Only with "codepoint". The bytes of the folded `sub` are searched for in
            the folded strings, so that `sub` should be UTF-8.

    Returns:
        int64 `[*S]`, or `[*broadcast(S, R)]`.

    Raises:
        ValueError: `unit` is not one of these, or "byte" with `ignore_case`; or the shapes do not broadcast.

    See also: `string_rfind`, `string_contains`, `string_count`; `regex_find`, for a regular expression.

    Example:
        >>> s = StringTensor.from_list(["été", "tee"])
        >>> s.find("t"), s.find("t", unit="byte"), s.find(["é", "x"])
        (tensor([1, 0]), tensor([2, 0]), tensor([ 0, -1]))
        >>> s.find("e", start=1), s.find("É", ignore_case=True)
        (tensor([-1,  1]), tensor([ 0, -1]))
    """
    try:
        return strings_argument("string_find", "input", input).find(
            sub, unit, start=start, end=end, ignore_case=ignore_case
        )
    except ERRORS as error:
        name_error(error, "string_find")
        raise


def string_rfind(
    input: StringsLike,
    sub: StringsLike,
    unit: Unit = "codepoint",
    *,
    start: int = 0,
    end: int | None = None,
    ignore_case: bool = False,
) -> Tensor:
    """Returns the position of the last occurrence of `sub` in each string, or -1, like `str.rfind`.

    The arguments are those of `string_find`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        sub: the string to search for, or strings `[*R]`, as in `string_find`. "" is found at the end.
        unit: "codepoint" or "byte".
        start: where the search begins in each string.
        end: where the search ends; None for the end of the string.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        int64 `[*S]`, or `[*broadcast(S, R)]`.

    Raises:
        ValueError: as `string_find`.

    Example:
        >>> s = StringTensor.from_list(["a/b/c", "été"])
        >>> s.rfind("/"), s.rfind("/", end=3), s.rfind(["c", "é"])
        (tensor([ 3, -1]), tensor([ 1, -1]), tensor([4, 2]))
    """
    try:
        return strings_argument("string_rfind", "input", input).rfind(
            sub, unit, start=start, end=end, ignore_case=ignore_case
        )
    except ERRORS as error:
        name_error(error, "string_rfind")
        raise


def string_contains(input: StringsLike, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Returns whether `sub` occurs in each string, like Python's `sub in s`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        sub: the string to search for, or strings `[*R]`, as in `string_find`.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        bool `[*S]`, or `[*broadcast(S, R)]`.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["to be", "or"]).contains("be")
        tensor([ True, False])
    """
    try:
        return strings_argument("string_contains", "input", input).contains(sub, ignore_case=ignore_case)
    except ERRORS as error:
        name_error(error, "string_contains")
        raise


def string_count(input: StringsLike, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Returns the number of non-overlapping occurrences of `sub` in each string, like `str.count`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        sub: the string to search for, or strings `[*R]`, as in `string_find`. The number of "" is the number of
            code points plus one; a byte that is not part of a valid code point counts as one.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        int64 `[*S]`, or `[*broadcast(S, R)]`.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["banana", "nnn"]).count("an")
        tensor([2, 0])
        >>> StringTensor.from_list(["banana", "nnn"]).count(["ana", "nn"])
        tensor([1, 1])
    """
    try:
        return strings_argument("string_count", "input", input).count(sub, ignore_case=ignore_case)
    except ERRORS as error:
        name_error(error, "string_count")
        raise


def string_startswith(input: StringsLike, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Returns whether each string begins with `sub`, like `str.startswith`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        sub: the prefix, or strings `[*R]`, as in `string_find`; or a tuple of `str` or `bytes`, of which
            any may be the prefix, as in Python. A list is compared element by element.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        bool `[*S]`, or `[*broadcast(S, R)]`.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["word", "sword"]).startswith("wo")
        tensor([ True, False])
        >>> StringTensor.from_list(["word", "sword"]).startswith(("wo", "sw"))
        tensor([True, True])
    """
    try:
        return strings_argument("string_startswith", "input", input).startswith(sub, ignore_case=ignore_case)
    except ERRORS as error:
        name_error(error, "string_startswith")
        raise


def string_endswith(input: StringsLike, sub: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Returns whether each string ends with `sub`, like `str.endswith`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        sub: the suffix, or strings `[*R]`, as in `string_find`; or a tuple of `str` or `bytes`, of which
            any may be the suffix, as in Python. A list is compared element by element.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        bool `[*S]`, or `[*broadcast(S, R)]`.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> StringTensor.from_list(["a.txt", "b.py"]).endswith([".txt", ".txt"])
        tensor([ True, False])
    """
    try:
        return strings_argument("string_endswith", "input", input).endswith(sub, ignore_case=ignore_case)
    except ERRORS as error:
        name_error(error, "string_endswith")
        raise


def string_replace(
    input: StringsLike, old: str | bytes, new: str | bytes, count: int = -1, *, ignore_case: bool = False
) -> StringTensor:
    """Replaces the occurrences of `old` in each string, from left to right, like `str.replace`.

    The bytes of `old` are searched for, so that neither `old` nor the strings need to be valid UTF-8.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        old: the string to replace. "" inserts `new` before each code point and at the end; a byte that is not
            part of a valid code point counts as one.
        new: the string that replaces it.
        count: the maximum number of replacements in each string; negative for no limit.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes; or `ignore_case` is given, and a string, `old` or `new` is
            not valid UTF-8.

    Example:
        >>> StringTensor.from_list(["to be", "or not to be"]).replace("be", "do").tolist()
        ['to do', 'or not to do']
        >>> StringTensor.from_list(["été"]).replace("", "-", count=2).tolist()
        ['-é-té']
    """
    try:
        return strings_argument("string_replace", "input", input).replace(
            old, new, count, ignore_case=ignore_case
        )
    except ERRORS as error:
        name_error(error, "string_replace")
        raise
