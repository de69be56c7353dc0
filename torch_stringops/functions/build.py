"""Strings built from other strings: concatenation, repetition, padding, slices."""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np
import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._tracing import is_eager
from torch_stringops._types import IntegerArray, NumberArray, StringsLike
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


string_ljust = function_of(StringTensor.ljust)
string_rjust = function_of(StringTensor.rjust)
string_center = function_of(StringTensor.center)
string_zfill = function_of(StringTensor.zfill)
string_slice = function_of(StringTensor.slice)
string_replace_slice = function_of(StringTensor.replace_slice)
