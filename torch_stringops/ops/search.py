"""Search in strings: for one string in all of them (a `str` in the graph), or for a string in each (`each`)."""

from collections.abc import Callable

import torch
from torch import Tensor

from torch_stringops.ops._declare import declare_map, declare_reduce, declare_zip
from torch_stringops.ops.build import _string_slice
from torch_stringops.ops.case import folded
from torch_stringops.ops.length import _string_length, check_unit
from torch_stringops.tensor.strings import Strings

Search = Callable[..., Tensor]


def _declare_search(name: str, dtype: torch.dtype) -> Search:
    """Declares an operator `(data, offsets, sub, ...) -> Tensor`, and its overload `each` for strings `sub`."""
    literal = declare_reduce(name, dtype)
    each = declare_zip(f"{name}.each", dtype)

    def search(s: Strings, sub: str | bytes | Strings, *args: str, ignore_case: bool = False) -> Tensor:
        if not isinstance(sub, Strings):
            return literal(s, sub, *args, ignore_case=ignore_case)
        return each(*folded(s, sub, ignore_case), *args)

    return search


def positions_in(
    op: str,
    search: Search,
    s: Strings,
    sub: str | bytes | Strings,
    unit: str,
    start: int,
    end: int | None,
    ignore_case: bool,
) -> Tensor:
    """The positions that `search` finds in the part of each string from `start` to `end`, from its start."""
    check_unit(op, unit=unit)
    found = search(_string_slice(s, start, end, unit), sub, unit, ignore_case=ignore_case)
    length = _string_length(s, unit)
    first = (length + start).clamp(min=0) if start < 0 else start
    last = length if end is None else (length + end).clamp(min=0) if end < 0 else length.clamp(max=end)
    # "" is not found in a part that begins after its end.
    return torch.where((found >= 0) & (first <= last), found + first, -1)


_string_find = _declare_search("string_find", torch.int64)
_string_rfind = _declare_search("string_rfind", torch.int64)
_string_contains = _declare_search("string_contains", torch.bool)
_string_count = _declare_search("string_count", torch.int64)
_string_startswith = _declare_search("string_startswith", torch.bool)
_string_endswith = _declare_search("string_endswith", torch.bool)
_string_replace = declare_map("string_replace")
