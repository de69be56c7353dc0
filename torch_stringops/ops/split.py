"""Splitting strings at a delimiter, at whitespace or into lines."""

from collections.abc import Callable

import torch
from torch import Tensor

from torch_stringops._checks import check_int, utf8
from torch_stringops.ops._declare import declare_padded, declare_ragged, declare_ragged_values
from torch_stringops.ops.length import _string_length
from torch_stringops.ops.ragged_strings import strings_to_dense
from torch_stringops.ops.search import _string_find, _string_rfind
from torch_stringops.ops.vocabulary import check_table
from torch_stringops.tensor import splitting
from torch_stringops.tensor.ranges import pack, ranges
from torch_stringops.tensor.reshape import reshape
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
    # The rest after these pieces is a piece more, which is dropped.
    pieces, row_splits = _string_split_ragged(s, delimiter_or_whitespace(delimiter), count)
    fields = strings_to_dense(pieces, row_splits, count, "", "right")
    return tuple(reshape(field, shape(s)) for field in splitting.unbind(fields, 1))


def _parts(s: S, begins: Tensor, sizes: Tensor) -> tuple[S, S, S]:
    """The parts of each string before, in and after bytes `begins` to `begins + sizes` of it."""
    first, last = ranges(s)
    begins = first + begins.to(torch.int32)
    ends = begins + sizes.to(torch.int32)
    return pack(s, first, begins), pack(s, begins, ends), pack(s, ends, last)


def partition(s: S, sep: str | bytes) -> tuple[S, S, S]:
    at, found, size = _separators("string_partition", s, sep, _string_find)
    return _parts(s, torch.where(found, at, _string_length(s, "byte")), size)


def rpartition(s: S, sep: str | bytes) -> tuple[S, S, S]:
    at, found, size = _separators("string_rpartition", s, sep, _string_rfind)
    return _parts(s, torch.where(found, at, 0), size)


def _separators(op: str, s: S, sep: str | bytes, find: Callable[..., Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Where `find` finds the separator in each string, whether it does, and its bytes there."""
    size = len(utf8(op, "sep", sep))
    if size == 0:
        raise ValueError(f"{op}: expected `sep` of at least one byte, got none")
    at = find(s, sep, "byte")
    found = at >= 0
    return at, found, found * size
