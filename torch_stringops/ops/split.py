"""Splitting strings at a delimiter, at whitespace or into lines."""

from collections.abc import Callable

import torch
from torch import Tensor

from torch_stringops._checks import check_int, utf8
from torch_stringops.ops._declare import declare_padded, declare_ragged, declare_ragged_values
from torch_stringops.ops.search import _string_find, _string_rfind
from torch_stringops.ops.vocabulary import check_table
from torch_stringops.tensor import splitting
from torch_stringops.tensor.ranges import pack, ranges
from torch_stringops.tensor.strings import S, shape

# The maximum number of splits of string_split_exact, whose result has a tensor for each.
_MAX_SPLITS = 2**16


def delimiter_or_whitespace(delimiter: str | bytes | None) -> str | bytes:
    """The delimiter as the operators take it: `""` stands for runs of whitespace, as None does."""
    return "" if delimiter is None else delimiter


_string_split = declare_padded("string_split")
_string_split_ragged = declare_ragged("string_split_ragged")
_string_rsplit_ragged = declare_ragged("string_rsplit_ragged")
_string_splitlines_ragged = declare_ragged("string_splitlines_ragged")
_split_encode = declare_ragged_values("split_encode", torch.int64, check_table)


def split_exact(s: S, delimiter: str | bytes | None, n: int) -> tuple[S, ...]:
    """The first `n + 1` pieces of each string, each as a tensor of the shape of `s`."""
    op = "string_split_exact"
    count = check_int(op, "n", n, 0, _MAX_SPLITS) + 1
    # The rest after these pieces is a piece more, which is dropped. Strings of fewer pieces have empty ones at the end.
    pieces, _ = _string_split(s, delimiter_or_whitespace(delimiter), count)
    width = shape(pieces)[-1]
    edges = pieces._offsets.reshape([*shape(s), width + 1]).movedim(-1, 0)
    last = torch.arange(count + 1, device=edges.device).clamp(max=width)
    return _columns(pieces, edges.index_select(0, last))


def _columns(s: S, edges: Tensor) -> tuple[S, ...]:
    """The strings of bytes `edges[j]` to `edges[j + 1]` of `s.data`, for each j. They share `data`."""
    return tuple(splitting.unbind(pack(s, edges[:-1], edges[1:]), 0))


def partition(s: S, sep: str | bytes) -> tuple[S, S, S]:
    return _partition("string_partition", s, sep, _string_find, 1)


def rpartition(s: S, sep: str | bytes) -> tuple[S, S, S]:
    return _partition("string_rpartition", s, sep, _string_rfind, 0)


def _partition(op: str, s: S, sep: str | bytes, find: Callable[..., Tensor], absent: int) -> tuple[S, S, S]:
    """The parts before, in and after the separator; without one it is at the begin (0) or the end (1) of the string."""
    size = len(utf8(op, "sep", sep))
    if size == 0:
        raise ValueError(f"{op}: expected `sep` of at least one byte, got none")
    at = find(s, sep, "byte")
    first, last = bounds = ranges(s)
    found = at >= 0
    begins = torch.where(found, at + first, bounds[absent])
    edges = torch.stack([first, begins, begins + found * size, last])
    before, separator, after = _columns(s, edges.to(torch.int32))
    return before, separator, after
