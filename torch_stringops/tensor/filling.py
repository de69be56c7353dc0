"""Filling strings with others: scattering, padding, and tensors of equal strings.

torch scatters or pads the positions of the strings, which are then gathered from both sources.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torch_stringops._checks import check_count, wrap_dim
from torch_stringops._tracing import Size, can_read
from torch_stringops.tensor.joining import positions_of
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.reshape import expand, reshape
from torch_stringops.tensor.strings import S, clone, numel, rank, shape


def scatter(s: S, dim: int, index: Any, src: S) -> S:
    """The strings of `s`, with those of `src`, or its single string, at the positions `index` of axis `dim`."""
    if isinstance(index, Tensor):
        check_count("scatter", index.numel())
    dim, count = wrap_dim(dim, rank(s)), numel(s)
    if src._scalar and rank(s) > 0:
        positions = positions_of(s).scatter(dim, index, count)
    else:
        # If several writes go to one position, the largest position is the last one.
        positions = positions_of(s).scatter_reduce(dim, index, positions_of(src) + count, "amax")
    return _gathered(s, positions, src)


def pad(s: S, sizes: Any, value: S) -> S:
    """Extends each axis by copies of `value`; negative sizes crop."""
    if not value._scalar:
        raise RuntimeError(f"pad: expected `value` of rank 0, got shape {shape(value)}")
    if not isinstance(sizes, (list, tuple)):
        raise TypeError(f"pad: expected `pad` to be a tuple of ints, got {type(sizes).__name__}")
    sizes = [int(size) if can_read(s._offsets) else size for size in sizes]
    if can_read(s._offsets):
        new = shape(s)
        for axis, i in zip(range(rank(s) - 1, -1, -1), range(0, len(sizes) - 1, 2), strict=False):
            new[axis] += sizes[i] + sizes[i + 1]
        check_count("pad", math.prod(max(0, size) for size in new))
    # The number of strings as the padding's value would be a constant of a graph.
    positions = F.pad(positions_of(s), sizes, value=-1)
    return _gathered(s, torch.where(positions < 0, numel(s), positions), value)


def full(value: S, sizes: list[Size]) -> S:
    """Copies of the single string `value`."""
    if not value._scalar:
        raise RuntimeError(f"full: expected `fill_value` of rank 0, got shape {shape(value)}")
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise RuntimeError(f"full: expected sizes of at least 0, got {sizes}")
    # A copy, since the string of an argument is kept for later calls.
    return expand(value, sizes) if sizes else clone(value)


def _gathered(s: S, positions: Tensor, other: S) -> S:
    """The strings at positions of `s` and, after them, of `other`."""
    if positions.dim() == 0:
        return reshape(strings_at(s, positions.reshape(1), other), [])
    return strings_at(s, positions, other)
