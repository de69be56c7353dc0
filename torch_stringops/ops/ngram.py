"""N-grams of characters and of words: string_char_ngrams_ragged, string_ngrams_ragged."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from torch_stringops._checks import check_rank, check_same_device, check_strings
from torch_stringops._native import operator
from torch_stringops._tracing import new_strings, register_fake
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.ops._declare import declare_ragged
from torch_stringops.ops.ragged import check_row_splits
from torch_stringops.tensor.strings import S

_string_char_ngrams_ragged = declare_ragged("string_char_ngrams_ragged")


@register_fake("string_ngrams_ragged")
def _fake_ngrams(data: Tensor, offsets: Tensor, row_splits: Tensor, n: Sequence[int], separator: str = " ") -> Any:
    op = "string_ngrams_ragged"
    check_attributes(op, ["data", "offsets", "row_splits"], {"n": n, "separator": separator})
    check_strings(op, data, offsets)
    check_rank(op, "offsets", offsets, 1)
    check_same_device(op, data=data, offsets=offsets, row_splits=row_splits)
    check_row_splits(op, row_splits)
    return *new_strings(data, [None]), row_splits.new_empty(row_splits.shape)


_ngrams = operator("string_ngrams_ragged")


def _string_ngrams_ragged(values: S, row_splits: Tensor, n: Sequence[int], separator: str | bytes) -> tuple[S, Tensor]:
    data, offsets, splits = _ngrams(values.data, values.offsets, row_splits, n, separator)
    return values._new(data, offsets), splits
