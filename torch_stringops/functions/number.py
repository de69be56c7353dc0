"""Conversion between strings and numbers, and between bytes and hexadecimal digits."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._checks import check_tensor
from torch_stringops._function_of import function_of
from torch_stringops._names import named
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


string_to_number = function_of(StringTensor.to_number)
string_hex = function_of(StringTensor.hex)
string_unhex = function_of(StringTensor.unhex)
