"""Conversion between strings and numbers, and between bytes and hexadecimal digits."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._types import NumberErrors, StringsLike
from torch_stringops.ops import number as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_from_number(input: Tensor) -> StringTensor:
    """Converts each number to a string, like Python's `repr`.

    A float has the fewest digits that give it back in its own dtype: 0.1 of float32 or float16 is "0.1", as in NumPy,
    not the digits of the float64 nearest to it. Its exponent is written below 1e-4 and from 1e16 on.

    Args:
        input: numbers `[*S]`: an integer dtype, float16, bfloat16, float32, float64 or bool.

    Returns:
        Strings `[*S]`, compact: for bool, "True" and "False".

    Raises:
        TypeError: `input` is not a tensor.
        ValueError: its dtype is not one of these, or the result exceeds 2**31 - 1 bytes.

    See also: `string_to_number`, the inverse.

    Example:
        >>> import torch
        >>> string_from_number(torch.tensor([0.1, 1e20, -2])).tolist()
        ['0.1', '1e+20', '-2.0']
        >>> string_from_number(torch.tensor([True, False])).tolist()
        ['True', 'False']
    """
    check_tensor("string_from_number", "input", input)
    return ops._string_from_number(StringTensor, input)


# Written by tools/write_functions.py, from methods of StringTensor: string_to_number, string_hex, string_unhex


def string_to_number(
    input: StringsLike,
    dtype: torch.dtype = torch.float32,
    errors: NumberErrors = "raise",
    fill: float | Tensor | None = None,
) -> Tensor:
    """Converts each string to a number, like Python's `int` and `float`.

    Integers are decimal digits; floats may have a decimal point and an exponent, or be `inf`, `infinity` or `nan`
    in any case. Both may have a sign, single underscores between digits, and around them whitespace as `strip`
    removes it. The digits are those of ASCII. A float is the number of its dtype nearest to the decimal digits,
    ties to even: float16, bfloat16 and float32 are not rounded to another dtype first. Floats beyond the range of
    the dtype are infinite, as in Python. bool is `true` or `1`, `false` or `0`, in any case.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        dtype: the dtype of the result: an integer dtype, float16, bfloat16, float32, float64 or bool.
        errors: for strings that are not numbers, or integers beyond the range of the dtype: "raise" an
            error, or "fill" gives `fill`.
        fill: with errors="fill", a number that the dtype holds, or a tensor of rank 0 and of the dtype; None for 0.

    Returns:
        `dtype` `[*S]`.

    Raises:
        ValueError: a string is not a number, or out of range, and `errors` is "raise": the message gives the index
            of the first; or `dtype`, `errors` or `fill` is not as above; or `fill` is given
            without errors="fill".

    See also: `string_from_number`, the inverse.

    Example:
        >>> StringTensor.from_list(["1.5", " 2 ", "-1e-3", "inf"]).to_number()
        tensor([ 1.5000e+00,  2.0000e+00, -1.0000e-03,         inf])
        >>> StringTensor.from_list(["1_000", "", "300"]).to_number(torch.int16, errors="fill", fill=-1)
        tensor([1000,   -1,  300], dtype=torch.int16)
    """
    try:
        return strings_argument("string_to_number", "input", input).to_number(dtype, errors, fill)
    except ERRORS as error:
        name_error(error, "string_to_number")
        raise


def string_hex(input: StringsLike) -> StringTensor:
    """Writes each byte as two hexadecimal digits, in lower case, like Python's `bytes.hex`.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: the result exceeds 2**31 - 1 bytes.

    See also: `string_unhex`, the inverse.

    Example:
        >>> StringTensor.from_list(["café", ""]).hex().tolist()
        ['636166c3a9', '']
    """
    try:
        return strings_argument("string_hex", "input", input).hex()
    except ERRORS as error:
        name_error(error, "string_hex")
        raise


def string_unhex(input: StringsLike) -> StringTensor:
    """Converts pairs of hexadecimal digits, in either case, to bytes; the inverse of `hex`.

    Returns:
        Strings `[*S]`, compact. They need not be valid UTF-8.

    Raises:
        ValueError: a string has an odd number of bytes, or one that is not a hexadecimal digit; the message gives
            the index of the first.

    Example:
        >>> StringTensor.from_list(["636166C3A9", ""]).unhex().tolist()
        ['café', '']
    """
    try:
        return strings_argument("string_unhex", "input", input).unhex()
    except ERRORS as error:
        name_error(error, "string_unhex")
        raise
