"""N-grams of characters and of words: string_char_ngrams_ragged, string_ngrams_ragged."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from torch_stringops._checks import MAX_OFFSETS, check_rank, check_same_device, check_strings
from torch_stringops._native import operator
from torch_stringops._tracing import known, new_strings, register_fake
from torch_stringops.ops._declare import declare_ragged
from torch_stringops.ops.ragged import check_row_splits
from torch_stringops.tensor.strings import S

_string_char_ngrams_ragged = declare_ragged("string_char_ngrams_ragged")


@register_fake("string_ngrams_ragged")
def _fake_ngrams(data: Tensor, offsets: Tensor, row_splits: Tensor, n: Sequence[int], separator: str = " ") -> Any:
    op = "string_ngrams_ragged"
    if not n:
        raise ValueError(f"{op}: expected at least one `n`, got none")
    for width in n:
        if known(width < 1) or known(width > MAX_OFFSETS):
            raise ValueError(f"{op}: expected `n` from 1 to {MAX_OFFSETS}, got {width}")
    check_strings(op, data, offsets)
    check_rank(op, "offsets", offsets, 1)
    check_same_device(op, data=data, offsets=offsets, row_splits=row_splits)
    check_row_splits(op, row_splits)
    return *new_strings(data, [None]), row_splits.new_empty(row_splits.shape)


_ngrams = operator("string_ngrams_ragged")


def _string_ngrams_ragged(values: S, row_splits: Tensor, n: Sequence[int], separator: str | bytes) -> tuple[S, Tensor]:
    data, offsets, splits = _ngrams(values.data, values.offsets, row_splits, n, separator)
    return values._new(data, offsets), splits
