"""string_unique: the distinct strings, in order of first appearance."""

import torch
from torch import Tensor

from torch_stringops._fake import check_strings, dynamic_size, new_strings, register_fake, strings_shape
from torch_stringops._library import operator
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_OP = "string_unique"

_unique = operator(_OP)


@register_fake(_OP)
def _fake(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    check_strings(_OP, data, offsets)
    num_unique = dynamic_size()
    unique_data, unique_offsets = new_strings(data, [num_unique])
    inverse = offsets.new_empty(strings_shape(offsets), dtype=torch.int64)
    return unique_data, unique_offsets, inverse, offsets.new_empty([num_unique], dtype=torch.int64)


def string_unique(input: StringTensor) -> tuple[StringTensor, Tensor, Tensor]:
    """Find the distinct strings, in order of first appearance.

    Unlike `torch.unique` it does not sort. Strings are equal when their bytes are.

    Args:
        input: strings `[*S]`.

    Returns:
        unique: strings `[U]`, each distinct string once, compact.
        inverse: int64 `[*S]`, where each string of `input` is in `unique`.
        counts: int64 `[U]`, how often each occurs.

    Raises:
        ValueError: the distinct strings take more than 2**31 - 1 bytes, which only overlapping ones can.

    Example:
        >>> words = StringTensor.from_list(["to", "be", "or", "not", "to", "be"])
        >>> unique, inverse, counts = string_unique(words)
        >>> unique.tolist(), inverse.tolist(), counts.tolist()
        (['to', 'be', 'or', 'not'], [0, 1, 2, 3, 0, 1], [2, 2, 1, 1])
    """
    input = strings_argument(_OP, "input", input)
    data, offsets, inverse, counts = _unique(input.data, input.offsets)
    return input._new(data, offsets), inverse if input.dim() else inverse.reshape(()), counts
