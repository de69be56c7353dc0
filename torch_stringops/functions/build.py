"""Strings built from other strings: concatenation, repetition, padding, slices."""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._tracing import is_eager
from torch_stringops._types import IntegerArray, LengthUnit, NumberArray, StringsLike, Unit
from torch_stringops.ops import build as ops
from torch_stringops.ops import number
from torch_stringops.ops.templates import template_parts
from torch_stringops.string_tensor import StringTensor

NumbersColumn: TypeAlias = Tensor | NumberArray | float


@named
def string_concat(*strings: StringsLike) -> StringTensor:
    """Concatenates strings element by element, with broadcasting. `a + b` is the same for two operands.

    All operands are written to the result at once, without intermediate strings. `torch.cat` concatenates tensors
    instead.

    Spec: ONNX StringConcat-20, which has two operands.

    Args:
        strings: one or more operands, strings in any form that `as_strings` accepts; a `str` or `bytes` is a single
            string of rank 0. Their shapes must broadcast.

    Returns:
        Strings of the broadcast shape, compact.

    Raises:
        TypeError: there is no operand, or one is not strings.
        ValueError: the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    See also: `string_join`, for the strings along an axis.

    Example:
        >>> first = StringTensor.from_list([["a"], ["b"]])
        >>> string_concat(first, "-", ["x", "y"]).tolist()
        [['a-x', 'a-y'], ['b-x', 'b-y']]
    """
    if not strings:
        raise TypeError("string_concat: expected at least one operand, got none")
    like = next((s for s in strings if isinstance(s, StringTensor)), None)
    convert = like._argument if like is not None else strings_argument
    return ops._string_concat([convert("string_concat", f"strings[{i}]", s) for i, s in enumerate(strings)])


@named
def string_format(
    template: str, *columns: StringsLike | NumbersColumn, **named_columns: StringsLike | NumbersColumn
) -> StringTensor:
    """Formats columns element by element, with broadcasting, like Python's `template.format(*columns)`.

    `{}` stands for the next column, `{0}` for a column by its position and `{name}` for one by its name; `{{` and `}}`
    are braces. Numbers are written as `string_from_number` writes them, which is as Python's `str` does. There are no
    format specifications (`{:>8}`), conversions (`{!r}`) or attributes: pass the result of `string_rjust`,
    `string_zfill` and the like.

    Args:
        template: the text, and fields in braces.
        columns: strings in any form that `as_strings` accepts, tensors or NumPy arrays of numbers, or a number. A
            `str`, `bytes` or number has rank 0. The shapes of those that the template names must broadcast; others are
            ignored.
        named_columns: columns by their names.

    Returns:
        Strings of the broadcast shape, compact.

    Raises:
        TypeError: a column is neither strings nor numbers.
        ValueError: the template is malformed, has another kind of field, or names a column that is not given; the
            shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    See also: `string_concat`, `string_join`.

    Example:
        >>> names, scores = StringTensor.from_list(["ada", "bo"]), torch.tensor([0.5, 2.0])
        >>> string_format("{}: {}", names, scores).tolist()
        ['ada: 0.5', 'bo: 2.0']
        >>> string_format("{{{0}}} {unit} {0}", torch.tensor([7]), unit="kg").tolist()
        ['{7} kg 7']
    """
    op = "string_format"
    given: dict[int | str, StringsLike | NumbersColumn] = dict(enumerate(columns))
    given.update(named_columns)
    like = next((s for s in given.values() if isinstance(s, StringTensor)), None)
    convert = like._argument if like is not None else strings_argument

    def strings(name: str, value: StringsLike | NumbersColumn) -> StringTensor:
        if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind in "biuf":
            value = torch.as_tensor(value)
        elif type(value) in (int, float, torch.SymInt) and not is_eager():  # it may differ in the next call
            dtype = torch.float64 if type(value) is float else torch.int64
            value = torch.full((), cast(float, value), dtype=dtype, device="cpu")
        if isinstance(value, Tensor):
            return number._string_from_number(StringTensor, value)
        return convert(op, name, str(value) if isinstance(value, (int, float)) else value)

    parts: list[StringTensor] = []
    for text, key in template_parts(op, template, given.keys()):
        if text:
            parts.append(strings("template", text))
        if key is not None:
            parts.append(strings(f"columns[{key}]" if isinstance(key, int) else key, given[key]))
    return ops._string_concat(parts or [strings("template", "")])


@named
def string_repeat(input: StringsLike, counts: int | Tensor | IntegerArray) -> StringTensor:
    """Repeats each string, like Python's `s * n`. `input * counts` is the same.

    `StringTensor.repeat` and `torch.tile` repeat the tensor instead.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        counts: an int, int64 `[*R]`, or a NumPy array of integers; `S` and `R` must broadcast. 0 and negative numbers
            give "".

    Returns:
        Strings `[*broadcast(S, R)]`, compact.

    Raises:
        TypeError: `counts` is neither an int nor a tensor.
        ValueError: `counts` is not int64, the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> string_repeat(["ab", "-"], torch.tensor([2, 5])).tolist()
        ['abab', '-----']
    """
    known = ops.as_counts(counts)
    if known is None:
        got = type(counts).__name__
        raise TypeError(f"string_repeat: expected `counts` to be an int or a Tensor, got {got}")
    return ops._string_repeat(strings_argument("string_repeat", "input", input), known)


# Written by tools/write_functions.py, from methods of StringTensor: string_ljust, string_rjust, string_center,
# string_zfill, string_slice, string_replace_slice


def string_ljust(input: StringsLike, width: int, fillchar: str | bytes = " ") -> StringTensor:
    """Pads each string on the right to `width` code points, like Python's `str.ljust`.

    A byte that is not part of a valid code point counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        width: the smallest number of code points of a result. Longer strings stay as they are.
        fillchar: the padding, one code point.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `fillchar` is not one code point, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["a", "café", "words"]).ljust(4, ".").tolist()
        ['a...', 'café', 'words']
    """
    try:
        return strings_argument("string_ljust", "input", input).ljust(width, fillchar)
    except ERRORS as error:
        name_error(error, "string_ljust")
        raise


def string_rjust(input: StringsLike, width: int, fillchar: str | bytes = " ") -> StringTensor:
    """Pads each string on the left to `width` code points, like Python's `str.rjust`.

    A byte that is not part of a valid code point counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        width: the smallest number of code points of a result. Longer strings stay as they are.
        fillchar: the padding, one code point.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `fillchar` is not one code point, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["7", "-12"]).rjust(4).tolist()
        ['   7', ' -12']
    """
    try:
        return strings_argument("string_rjust", "input", input).rjust(width, fillchar)
    except ERRORS as error:
        name_error(error, "string_rjust")
        raise


def string_center(input: StringsLike, width: int, fillchar: str | bytes = " ") -> StringTensor:
    """Pads each string on both sides to `width` code points, like Python's `str.center`.

    If the padding is odd, the extra character is on the left if `width` is odd, else on the right. A byte that is
    not part of a valid code point counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        width: the smallest number of code points of a result. Longer strings stay as they are.
        fillchar: the padding, one code point.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `fillchar` is not one code point, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["a", "bc"]).center(5, "*").tolist()
        ['**a**', '**bc*']
    """
    try:
        return strings_argument("string_center", "input", input).center(width, fillchar)
    except ERRORS as error:
        name_error(error, "string_center")
        raise


def string_zfill(input: StringsLike, width: int) -> StringTensor:
    """Pads each string on the left with zeros to `width` code points, after its sign, like Python's `str.zfill`.

    A byte that is not part of a valid code point counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        width: the smallest number of code points of a result. Longer strings stay as they are.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    Example:
        >>> StringTensor.from_list(["42", "-42", "+"]).zfill(5).tolist()
        ['00042', '-0042', '+0000']
    """
    try:
        return strings_argument("string_zfill", "input", input).zfill(width)
    except ERRORS as error:
        name_error(error, "string_zfill")
        raise


def string_slice(
    input: StringsLike, start: int | None, stop: int | None = None, unit: LengthUnit = "codepoint"
) -> StringTensor:
    """Returns characters or bytes `start` to `stop` of each string, like Python's `s[start:stop]`.

    `s[start:stop]` of a StringTensor slices the tensor instead. A byte that is not part of a valid code point
    counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        start: the first position; negative positions count from the end of each string; None for the beginning.
        stop: the position after the last one, negative ones from the end; None for the end.
        unit: "codepoint", as in Python, "byte", which may cut code points, or "grapheme", the clusters of
            `segments_ragged`.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `unit` is not one of these, or it is "grapheme" and a string is not valid UTF-8.

    Example:
        >>> s = StringTensor.from_list(["café", "ab", ""])
        >>> s.slice(0, 3).tolist(), s.slice(-2).tolist()
        (['caf', 'ab', ''], ['fé', 'ab', ''])
    """
    try:
        return strings_argument("string_slice", "input", input).slice(start, stop, unit)
    except ERRORS as error:
        name_error(error, "string_slice")
        raise


def string_replace_slice(
    input: StringsLike,
    start: int | None = None,
    stop: int | None = None,
    repl: StringsLike = "",
    unit: Unit = "codepoint",
) -> StringTensor:
    """Replaces code points or bytes `start` to `stop` of each string, like `str.slice_replace` of pandas.

    This is assignment to a slice of a list, `characters[start:stop] = repl`: if `stop` is before `start`, `repl` is
    inserted at `start`. A byte that is not part of a valid code point counts as one.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        start: the first position; negative positions count from the end of each string; None for the beginning.
        stop: the position after the last one, negative ones from the end; None for the end.
        repl: the string that replaces them, or strings `[*R]`, one for each. `S` and `R` must broadcast.
        unit: "codepoint", as in pandas, or "byte", which may cut code points.

    Returns:
        Strings `[*S]`, or `[*broadcast(S, R)]`, compact.

    Raises:
        ValueError: `unit` is not one of these, the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    See also: `string_slice`.

    Example:
        >>> StringTensor.from_list(["café", "ab", ""]).replace_slice(1, 3, "--").tolist()
        ['c--é', 'a--', '--']
        >>> StringTensor.from_list(["4111111111111111"]).replace_slice(0, -4, "*" * 12).tolist()
        ['************1111']
    """
    try:
        return strings_argument("string_replace_slice", "input", input).replace_slice(start, stop, repl, unit)
    except ERRORS as error:
        name_error(error, "string_replace_slice")
        raise
