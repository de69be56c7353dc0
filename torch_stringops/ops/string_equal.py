"""string_equal: which strings of two tensors are equal."""

import math

import torch
from torch import Tensor

from torch_stringops._fake import (
    MAX_OFFSETS,
    Size,
    check_same_device,
    check_strings,
    register_fake,
    strings_shape,
)
from torch_stringops._library import operator
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_OP = "string_equal"

_equal = operator(_OP)


@register_fake(_OP)
def _fake(data: Tensor, offsets: Tensor, other_data: Tensor, other_offsets: Tensor) -> Tensor:
    check_same_device(_OP, data=data, offsets=offsets, other_data=other_data, other_offsets=other_offsets)
    check_strings(_OP, data, offsets)
    check_strings(_OP, other_data, other_offsets, "other_data", "other_offsets")
    shapes = strings_shape(offsets), strings_shape(other_offsets)
    shape = _broadcast(*shapes)
    count = math.prod(shape)
    if type(count) is int and count > MAX_OFFSETS:
        raise ValueError(
            f"{_OP}: expected shapes that broadcast to at most {MAX_OFFSETS} strings, "
            f"got {shapes[0]} and {shapes[1]} (split the batch)"
        )
    return data.new_empty(shape, dtype=torch.bool)


def _broadcast(a: list[Size], b: list[Size]) -> list[Size]:
    from torch.fx.experimental.symbolic_shapes import guard_or_false

    rank = max(len(a), len(b))
    shape: list[Size] = []
    for x, y in zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b, strict=True):
        if guard_or_false(x == 1):
            shape.append(y)
        elif guard_or_false(y == 1):
            shape.append(x)
        elif isinstance(x, int) and isinstance(y, int) and x != y:
            raise ValueError(f"{_OP}: expected shapes that broadcast, got {a} and {b}")
        else:
            # A size that only the data decides is taken to be no 1, as torch's own operators do.
            torch._check(x == y)
            shape.append(x)
    return shape


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
    input, other = strings_argument(_OP, "input", input), strings_argument(_OP, "other", other)
    equal: Tensor = _equal(input.data, input.offsets, other.data, other.offsets)
    return equal.reshape(()) if input._scalar and other._scalar else equal
