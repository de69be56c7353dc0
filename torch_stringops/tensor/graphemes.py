"""Lengths and slices of strings in grapheme clusters, composed of operators of code points and bytes."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops.ops import regex
from torch_stringops.ops._segment_patterns import GRAPHEME
from torch_stringops.ops.pack import _string_tensor_pack
from torch_stringops.tensor.strings import S, shape


def num_graphemes(s: S) -> Tensor:
    """The number of clusters of each string, int64 `[*S]`."""
    found: Tensor = regex._regex_count(s, GRAPHEME)
    return found


def slice_graphemes(s: S, start: int, stop: int | None) -> S:
    """Clusters [start, stop) of each string; negative positions count from the end."""
    values, row_splits = regex._regex_find_all_ragged(s, GRAPHEME)
    counts = row_splits.diff()
    first = _place(start, counts)
    last = counts if stop is None else torch.maximum(_place(stop, counts), first)
    # The clusters stand next to each other, and so their offsets are those of the slices.
    offsets = values.offsets
    begins, ends = (offsets[row_splits[:-1] + place] for place in (first, last))
    begins, ends = (place.reshape(shape(s)) for place in (begins, ends))
    return s._new(*_string_tensor_pack(begins, ends, values.data))


def _place(position: int, counts: Tensor) -> Tensor:
    """A position of Python's slices in each string."""
    if position < 0:
        return (counts + position).clamp(min=0)
    return counts.clamp(max=position)
