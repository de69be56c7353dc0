"""split_encode: from text to the numbers of its words in one step."""

import torch
from torch import Tensor

from torch_stringops._fake import (
    Size,
    check_dtype,
    check_rank,
    check_same_device,
    check_strings,
    check_tensor,
    dynamic_size,
    register_fake,
    strings_shape,
)
from torch_stringops._library import operator
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_OP = "split_encode"

encode_pieces = operator(_OP)


@register_fake(_OP)
def _fake(
    data: Tensor,
    offsets: Tensor,
    table: Tensor,
    delimiter: str = "",
    *,
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
    skip_empty: bool = False,
) -> tuple[Tensor, Tensor]:
    check_strings(_OP, data, offsets)
    check_same_device(_OP, data=data, offsets=offsets, table=table)
    check_dtype(_OP, "table", table, torch.uint8)
    check_rank(_OP, "table", table, 1)
    rows: Size = 1
    for size in strings_shape(offsets):
        rows = rows * size
    ids = offsets.new_empty([dynamic_size()], dtype=torch.int64)
    return ids, offsets.new_empty([rows + 1], dtype=torch.int64)


def split_encode(
    input: StringTensor,
    table: Tensor,
    delimiter: str | bytes = "",
    *,
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
    skip_empty: bool = False,
) -> tuple[Tensor, Tensor]:
    """Cut each string at a delimiter, and look each piece up in a vocabulary.

    `string_split_ragged` followed by `vocab_encode`, without the pieces as a tensor in between: they take no memory.

    Args:
        input: strings `[*S]`; N is the number of them, taken in row-major order.
        table: uint8 `[L]`, from `vocab_build`, of a vocabulary of V words.
        delimiter: what to cut at; `""` cuts at whitespace, as `string_split_ragged` says.
        unknown_id: what a piece gets that is not in the vocabulary.
        num_oov_buckets: where positive, such a piece gets a number in `[V, V + num_oov_buckets)` instead, as
            `vocab_encode` says.
        skip_empty: leave out the empty pieces: `"a||b|"` at `"|"` gives two ids.

    Returns:
        ids: int64 `[T]`; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: string i has the ids `[row_splits[i], row_splits[i + 1])`.

    Raises:
        ValueError: `table` is no table, or `num_oov_buckets` is not within [0, 2**62].

    See also: `Vocabulary.split_encode`, which keeps the table; `string_split_ragged`, `vocab_encode`.

    Example:
        >>> from torch_stringops import vocab_build
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> ids, row_splits = split_encode(StringTensor.from_list(["to be", "or not to be"]), table)
        >>> ids.tolist(), row_splits.tolist()
        ([0, 1, -1, -1, 0, 1], [0, 2, 6])
        >>> ids, row_splits = split_encode(StringTensor.from_list(["to||be|", ""]), table, "|", skip_empty=True)
        >>> ids.tolist(), row_splits.tolist()
        ([0, 1], [0, 2, 2])
    """
    input = strings_argument(_OP, "input", input)
    check_tensor(_OP, "table", table)
    ids, row_splits = encode_pieces(
        input.data,
        input.offsets,
        table,
        delimiter,
        unknown_id=unknown_id,
        num_oov_buckets=num_oov_buckets,
        skip_empty=skip_empty,
    )
    return ids, row_splits
