"""Comparison of strings."""

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named
from torch_stringops.functions import function_of
from torch_stringops.ops import compare as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_equal(input: StringTensor, other: StringTensor) -> Tensor:
    """Computes element-wise equality of strings, byte for byte.

    Same as `input == other` and `torch.eq(input, other)`.

    Args:
        input: strings `[*S]`.
        other: strings `[*R]`. `S` and `R` must broadcast.

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
    return ops.string_equal(input, strings_argument("string_equal", "other", other))


string_less = function_of(StringTensor.less)
string_less_equal = function_of(StringTensor.less_equal)
string_greater = function_of(StringTensor.greater)
string_greater_equal = function_of(StringTensor.greater_equal)
string_isin = function_of(StringTensor.isin)
string_edit_distance = function_of(StringTensor.edit_distance)
