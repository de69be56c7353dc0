"""Distinct strings, rows of them, and runs of equal ones, composed of string_unique, comparisons and torch's functions.

Each returns the strings first, then what was asked for in addition, as torch's functions do.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import wrap_dim
from torch_stringops._tracing import is_eager
from torch_stringops.ops.compare import _string_equal
from torch_stringops.ops.vocabulary import _string_unique
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.reshape import flatten
from torch_stringops.tensor.strings import S, rank, shape


def unique(s: S, in_order: bool, with_inverse: bool, with_counts: bool, dim: int | None) -> Any:
    """Same as torch.unique. `in_order` sorts by bytes; with `dim`, the slices are always sorted."""
    if dim is not None:
        return _of_slices(torch.unique, s, dim, with_inverse, with_counts)
    strings, inverse, counts = _string_unique(s, in_order)
    return _results(strings, with_inverse, inverse, with_counts, counts)


def unique_consecutive(s: S, with_inverse: bool, with_counts: bool, dim: int | None) -> Any:
    """Same as torch.unique_consecutive."""
    if dim is not None:
        return _of_slices(torch.unique_consecutive, s, dim, with_inverse, with_counts)
    row = flatten(s, 0, -1)
    count = shape(row)[0]
    # The string before each one, "" before the first.
    previous = row._new(row.data, torch.cat([row.offsets[:1], row.offsets[:-1]]))
    is_first = ~_string_equal(row, previous)
    is_first[:1] = True
    begins = is_first.nonzero().squeeze(1)
    inverse = (is_first.cumsum(0) - 1).reshape(shape(s))
    counts = torch.cat([begins, begins.new_full((1,), count)]).diff()
    return _results(strings_at(row, begins), with_inverse, inverse, with_counts, counts)


def value_counts(s: S) -> tuple[S, Tensor]:
    """The distinct strings and their counts, the most frequent first."""
    if is_eager():
        return _string_unique(s, True, True)[::2]
    strings, _, counts = _string_unique(s)  # a form of ONNX
    counts, order = counts.sort(descending=True, stable=True)
    return strings_at(strings, order), counts


def _of_slices(function: Callable[..., Any], s: S, dim: int, with_inverse: bool, with_counts: bool) -> Any:
    """Applies torch's function to the ids of the strings, which are ordered as the strings are."""
    if s._scalar:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, rank(s))
    strings, ids, _ = _string_unique(s, True)
    found, inverse, counts = function(ids, return_inverse=True, return_counts=True, dim=dim)
    return _results(strings_at(strings, found), with_inverse, inverse, with_counts, counts)


def _results(strings: S, with_inverse: bool, inverse: Tensor, with_counts: bool, counts: Tensor) -> Any:
    result = (strings, *([inverse] if with_inverse else []), *([counts] if with_counts else []))
    return result if len(result) > 1 else strings
