"""Strings compared."""

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops.ops import compare as ops
from torch_stringops.string_tensor import StringTensor


def string_equal(input: StringTensor, other: StringTensor) -> Tensor:
    """Which strings are equal, byte for byte.

    What `input == other` and `torch.eq(input, other)` call.

    Args:
        input: strings `[*S]`.
        other: strings `[*R]`; `S` and `R` broadcast.

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
