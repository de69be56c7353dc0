"""Selects the tokens of a vocabulary by their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor

from torch_stringops._checks import check_int
from torch_stringops._types import Text
from torch_stringops.ops import vocabulary
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._arguments import check_roles, check_specials
from torch_stringops.vocabulary._state import Index

# Returns distinct strings, in order of first appearance, and their counts.
Count: TypeAlias = Callable[[], tuple[StringTensor, Tensor]]


def select_tokens(
    op: str,
    count: Count,
    *,
    max_size: int | None,
    min_frequency: int,
    specials: Sequence[Text],
    pad_token: Text | None,
    unknown_token: Text | None,
) -> tuple[StringTensor, Tensor]:
    """Returns the special tokens, then the strings of `count` in order of frequency, and the counts of both."""
    first = check_specials(op, specials)
    first = [token for token in check_roles(op, pad_token, unknown_token).values() if token not in first] + first
    min_frequency = min(check_int(op, "min_frequency", min_frequency, 1), 2**63 - 1)
    if max_size is not None and check_int(op, "max_size", max_size, 0) < len(first):
        raise ValueError(f"{op}: expected `max_size` >= {len(first)}, the number of specials, got {max_size}")
    special = StringTensor.from_list(first)
    words, counts = count()
    ids = vocabulary._vocab_encode(words, Index.of(special).table)
    special_counts = counts.new_zeros(len(first)).index_put((ids[ids >= 0],), counts[ids >= 0])
    kept = ((ids < 0) & (counts >= min_frequency)).nonzero().flatten()
    kept = kept[counts[kept].argsort(descending=True, stable=True)]
    if max_size is not None:
        kept = kept[: max_size - len(first)]
    tokens = torch.cat([special, words[kept]])  # type: ignore[list-item]
    return tokens, torch.cat([special_counts, counts[kept]])  # type: ignore[return-value]
