"""The segments of strings, and lengths, slices and the reverse in grapheme clusters: composed of other operators.

The clusters of most strings are code points. For these, the results of code points are taken; only other strings are
cut.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from torch_stringops._tracing import can_read
from torch_stringops.ops import length, ngram, regex
from torch_stringops.ops._segment_patterns import GRAPHEME, JOINING, SENTENCE, WORD
from torch_stringops.ops.pack import _string_tensor_pack
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.strings import S, shape

# Unit -> the regular expression of one of it.
UNITS = {"grapheme": GRAPHEME, "word": WORD, "sentence": SENTENCE}


def segments(s: S, unit: str) -> tuple[S, Tensor]:
    """The segments of each string, in order, and the row splits of their strings."""
    if unit == "grapheme" and can_read(s._offsets):
        return _clusters(s)
    found: tuple[S, Tensor] = regex._regex_find_all_ragged(s, UNITS[unit])
    return found


def _clusters(s: S) -> tuple[S, Tensor]:
    """Code points, of which those that begin no cluster are joined to the ones before them."""
    values, row_splits = ngram._string_char_ngrams_ragged(s, 1, 1, marks=False)
    (places,) = _has_clusters(s).nonzero(as_tuple=True)
    if places.shape[0] == 0:
        return values, row_splits
    firsts, lengths = row_splits[places], row_splits.diff()[places]
    clusters, cluster_splits = regex._regex_find_all_ragged(strings_at(s, places), GRAPHEME)
    # A cluster of a string has the same place among its bytes, in `clusters` and in `values`.
    moves = values._offsets[firsts] - clusters._offsets[cluster_splits[:-1]]
    counts = cluster_splits.diff()
    begins = clusters._offsets[:-1] + torch.repeat_interleave(moves, counts, output_size=clusters._offsets.shape[0] - 1)
    keeps = torch.ones(values._offsets.shape[0], dtype=torch.bool, device="cpu")
    within = torch.arange(int(lengths.sum()), device="cpu") - torch.repeat_interleave(
        lengths.cumsum(0) - lengths, lengths
    )
    keeps[torch.repeat_interleave(firsts, lengths) + within] = False
    keeps[torch.searchsorted(values._offsets, begins)] = True
    row_splits[1:] = row_splits.diff().index_copy(0, places, counts).cumsum(0)
    return s._new(values._data, values._offsets.masked_select(keeps)), row_splits


def num_graphemes(s: S) -> Tensor:
    """The number of clusters of each string, int64 `[*S]`."""
    (places,) = _has_clusters(s).nonzero(as_tuple=True)
    found = regex._regex_count(strings_at(s, places), GRAPHEME)
    return length._string_length(s, "codepoint").reshape(-1).index_copy(0, places, found).reshape(shape(s))


def slice_graphemes(s: S, start: int, stop: int | None, sliced: S) -> S:
    """Clusters [start, stop) of each string, of which `sliced` has the code points; positions may be negative."""

    def cut(rows: S) -> S:
        values, row_splits = regex._regex_find_all_ragged(rows, GRAPHEME)
        counts = row_splits.diff()
        first = _place(start, counts)
        last = counts if stop is None else torch.maximum(_place(stop, counts), first)
        # The clusters stand next to each other, and so their offsets are those of the slices.
        begins, ends = (values._offsets[row_splits[:-1] + place] for place in (first, last))
        return rows._new(*_string_tensor_pack(begins, ends, values._data))

    return _of_clusters(s, sliced, cut)


def reverse_graphemes(s: S, reverse: S) -> S:
    """The clusters of each string in reverse order; `reverse` has the code points in reverse order."""

    def flip(rows: S) -> S:
        values, row_splits = regex._regex_find_all_ragged(rows, GRAPHEME)
        firsts, ends = row_splits[:-1], row_splits[1:]
        positions = torch.arange(values._offsets.shape[0] - 1, device="cpu")
        # The cluster at i moves to first + end - 1 - i, and that move is its own inverse.
        mirrors = torch.repeat_interleave(firsts + ends - 1, ends - firsts, output_size=positions.shape[0])
        clusters = strings_at(values, mirrors - positions)
        return rows._new(clusters._data, clusters._offsets[row_splits])

    return _of_clusters(s, reverse, flip)


def _has_clusters(s: S) -> Tensor:
    """Whether each of the strings, flattened, may have clusters of several code points."""
    return regex._regex_contains(s, JOINING).reshape(-1)


def _of_clusters(s: S, of_codepoints: S, change: Callable[[S], S]) -> S:
    """What `change` makes of strings with clusters of several code points, and `of_codepoints` for the others."""
    mask = _has_clusters(s)
    (places,) = mask.nonzero(as_tuple=True)
    positions = torch.arange(mask.shape[0], device="cpu")
    positions = torch.where(mask, mask.shape[0] - 1 + mask.cumsum(0), positions).reshape(shape(s) or [1])
    found = strings_at(of_codepoints, positions, change(strings_at(s, places)))
    return s._new(found._data, found._offsets, s._scalar)


def _place(position: int, counts: Tensor) -> Tensor:
    """A position of Python's slices in each string."""
    if position < 0:
        return (counts + position).clamp(min=0)
    return counts.clamp(max=position)
