"""vocab_build: the lookup table of a vocabulary."""

import torch
from torch import Tensor

from torch_stringops._fake import check_rank, check_strings, dynamic_size, register_fake
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_OP = "vocab_build"


@register_fake(_OP)
def _fake(data: Tensor, offsets: Tensor) -> Tensor:
    check_strings(_OP, data, offsets)
    check_rank(_OP, "offsets", offsets, 1)
    return data.new_empty([dynamic_size()])


def vocab_build(input: StringTensor) -> Tensor:
    """Build the table with which `vocab_encode` looks words up.

    `Vocabulary` does this by itself. The table depends on nothing but the words. It is fit to be a buffer of
    a module, less to be kept on disk: another version may have another layout (`vocab_encode` then says so),
    and building it takes less time than reading it. An exported model contains it. Words in order of
    frequency, the most frequent first, make lookups fastest.

    Args:
        input: distinct strings `[V]`; the number of a word is its position.

    Returns:
        uint8 `[T]`, opaque: about 32 bytes a word, and the words longer than 11 bytes.

    Raises:
        ValueError: two strings are equal; the error names both positions.

    Example:
        >>> from torch_stringops import vocab_encode
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> vocab_encode(StringTensor.from_list(["be", "or"]), table).tolist()
        [1, -1]
    """
    input = strings_argument(_OP, "input", input)
    table: Tensor = torch.ops.stringops.vocab_build(input.data, input.offsets)
    return table
