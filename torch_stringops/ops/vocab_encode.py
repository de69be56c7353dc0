"""vocab_encode: words to their numbers in a vocabulary."""

import torch
from torch import Tensor

from torch_stringops._fake import (
    check_dtype,
    check_rank,
    check_same_device,
    check_strings,
    check_tensor,
    register_fake,
    strings_shape,
)
from torch_stringops._library import operator
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_OP = "vocab_encode"

_encode = operator(_OP)


@register_fake(_OP)
def _fake(
    data: Tensor, offsets: Tensor, table: Tensor, *, unknown_id: int = -1, num_oov_buckets: int = 0
) -> Tensor:
    check_strings(_OP, data, offsets)
    check_same_device(_OP, data=data, offsets=offsets, table=table)
    check_dtype(_OP, "table", table, torch.uint8)
    check_rank(_OP, "table", table, 1)
    return offsets.new_empty(strings_shape(offsets), dtype=torch.int64)


def vocab_encode(
    input: StringTensor, table: Tensor, *, unknown_id: int = -1, num_oov_buckets: int = 0
) -> Tensor:
    """Look each string up in a vocabulary.

    Args:
        input: strings `[*S]`.
        table: uint8 `[T]`, from `vocab_build`, of a vocabulary of V words.
        unknown_id: what a string gets that is not in the vocabulary.
        num_oov_buckets: where positive, such a string gets `V + XXH3(string) % num_oov_buckets` instead. XXH3
            is the 64-bit one with seed 0, over the string's bytes: equal on every machine and in every
            version.

    Returns:
        int64 `[*S]`.

    Raises:
        ValueError: `table` is no table, or `num_oov_buckets` is not within [0, 2**62].

    See also: Vocabulary, which keeps the words and the table together.

    Example:
        >>> from torch_stringops import vocab_build
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> vocab_encode(StringTensor.from_list([["to", "be"], ["or", "not"]]), table, unknown_id=9).tolist()
        [[0, 1], [9, 9]]
    """
    input = strings_argument(_OP, "input", input)
    check_tensor(_OP, "table", table)
    ids: Tensor = _encode(
        input.data, input.offsets, table, unknown_id=unknown_id, num_oov_buckets=num_oov_buckets
    )
    return ids if input.dim() else ids.reshape(())
