"""Strings built from other strings: concatenation, repetition, padding, slices."""

from typing import Any

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import named
from torch_stringops.functions import function_of
from torch_stringops.ops import build as ops
from torch_stringops.string_tensor import StringTensor

string_ljust = function_of(StringTensor.ljust)
string_rjust = function_of(StringTensor.rjust)
string_center = function_of(StringTensor.center)
string_zfill = function_of(StringTensor.zfill)
string_slice = function_of(StringTensor.slice)


@named
def string_concat(*strings: Any) -> StringTensor:
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
    return ops.string_concat([convert("string_concat", f"strings[{i}]", s) for i, s in enumerate(strings)])


@named
def string_repeat(input: Any, counts: int | Tensor) -> StringTensor:
    """Repeats each string, like Python's `s * n`. `input * counts` is the same.

    `StringTensor.repeat` and `torch.tile` repeat the tensor instead.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        counts: an int, or int64 `[*R]`; `S` and `R` must broadcast. 0 and negative numbers give "".

    Returns:
        Strings `[*broadcast(S, R)]`, compact.

    Raises:
        TypeError: `counts` is neither an int nor a tensor.
        ValueError: `counts` is not int64, the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> string_repeat(["ab", "-"], torch.tensor([2, 5])).tolist()
        ['abab', '-----']
    """
    if not ops.is_int(counts):
        check_tensor("string_repeat", "counts", counts)
    return ops.string_repeat(strings_argument("string_repeat", "input", input), counts)
