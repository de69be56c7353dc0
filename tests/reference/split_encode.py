"""Oracle of split_encode: the oracle of string_split_ragged, then that of vocab_encode."""

from typing import Any

from reference.string_split import string_split_ragged_ref
from reference.vocab_encode import vocab_encode_ref


def split_encode_ref(
    strings: Any,
    table: Any,
    delimiter: str | bytes = "",
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
    skip_empty: bool = False,
) -> tuple[list[int], list[int]]:
    pieces, row_splits = string_split_ragged_ref(strings, delimiter, skip_empty=skip_empty)
    (ids,) = vocab_encode_ref(pieces, table, unknown_id, num_oov_buckets)
    return ids, row_splits
