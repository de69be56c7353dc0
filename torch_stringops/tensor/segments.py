"""The segments of strings, and lengths, slices and the reverse in grapheme clusters: composed of other operators."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops.ops import regex
from torch_stringops.ops._segment_patterns import GRAPHEME, SENTENCE, WORD
from torch_stringops.ops.pack import _string_tensor_pack
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.strings import S, shape

# Unit -> the regular expression of one of it.
UNITS = {"grapheme": GRAPHEME, "word": WORD, "sentence": SENTENCE}


def segments(s: S, unit: str) -> tuple[S, Tensor]:
    """The segments of each string, in order, and the row splits of their strings."""
    found: tuple[S, Tensor] = regex._regex_find_all_ragged(s, UNITS[unit])
    return found


def num_graphemes(s: S) -> Tensor:
    """The number of clusters of each string, int64 `[*S]`."""
    found: Tensor = regex._regex_count(s, GRAPHEME)
    return found


def slice_graphemes(s: S, start: int, stop: int | None) -> S:
    """Clusters [start, stop) of each string; negative positions count from the end."""
    values, row_splits = segments(s, "grapheme")
    counts = row_splits.diff()
    first = _place(start, counts)
    last = counts if stop is None else torch.maximum(_place(stop, counts), first)
    # The clusters stand next to each other, and so their offsets are those of the slices.
    offsets = values.offsets
    begins, ends = (offsets[row_splits[:-1] + place] for place in (first, last))
    begins, ends = (place.reshape(shape(s)) for place in (begins, ends))
    return s._new(*_string_tensor_pack(begins, ends, values.data))


def reverse_graphemes(s: S) -> S:
    """The clusters of each string in reverse order."""
    values, row_splits = segments(s, "grapheme")
    firsts, ends = row_splits[:-1], row_splits[1:]
    positions = torch.arange(values.offsets.shape[0] - 1, device="cpu")
    # The cluster at i moves to first + end - 1 - i, and that move is its own inverse.
    mirrors = torch.repeat_interleave(firsts + ends - 1, ends - firsts, output_size=positions.shape[0])
    clusters = strings_at(values, mirrors - positions)
    begins, ends = (clusters.offsets[place].reshape(shape(s)) for place in (firsts, ends))
    return s._new(*_string_tensor_pack(begins, ends, clusters.data))


def _place(position: int, counts: Tensor) -> Tensor:
    """A position of Python's slices in each string."""
    if position < 0:
        return (counts + position).clamp(min=0)
    return counts.clamp(max=position)
