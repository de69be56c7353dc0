"""Comparison of strings."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor


@named
def string_equal(input: StringsLike, other: StringsLike, *, ignore_case: bool = False) -> Tensor:
    """Computes element-wise equality of strings, byte for byte.

    Same as `input == other` and `torch.eq(input, other)`.

    Args:
        input: strings `[*S]`.
        other: strings `[*R]`. `S` and `R` must broadcast.
        ignore_case: whether letters are equal that differ only in case, as in `string_find`.

    Returns:
        bool `[*broadcast(S, R)]`.

    Raises:
        ValueError: the shapes do not broadcast.

    Example:
        >>> rows = StringTensor.from_list([["a"], ["b"]])
        >>> string_equal(rows, StringTensor.from_list(["a", "b", "c"]))
        tensor([[ True, False, False],
                [False,  True, False]])
    """
    input = strings_argument("string_equal", "input", input)
    return input.eq(strings_argument("string_equal", "other", other), ignore_case=ignore_case)


string_less = function_of(StringTensor.less)
string_less_equal = function_of(StringTensor.less_equal)
string_greater = function_of(StringTensor.greater)
string_greater_equal = function_of(StringTensor.greater_equal)
string_isin = function_of(StringTensor.isin)
string_edit_distance = function_of(StringTensor.edit_distance)
string_damerau = function_of(StringTensor.damerau)
string_ratio = function_of(StringTensor.ratio)
string_jaro_winkler = function_of(StringTensor.jaro_winkler)
string_jaccard = function_of(StringTensor.jaccard)
string_cdist = function_of(StringTensor.cdist)
