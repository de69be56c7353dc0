"""Search in strings: for one string in all of them (a `str` in the graph), or for a string in each (`each`)."""

from collections.abc import Callable

import torch
from torch import Tensor

from torch_stringops.ops._declare import declare_map, declare_reduce, declare_zip
from torch_stringops.ops.length import check_unit
from torch_stringops.tensor.strings import Strings

Search = Callable[..., Tensor]


def _declare_search(name: str, dtype: torch.dtype, check: Callable[..., None] | None = None) -> Search:
    """Declares an operator `(data, offsets, sub, ...) -> Tensor`, and its overload `each` for strings `sub`."""
    literal = declare_reduce(name, dtype, check)
    each = declare_zip(f"{name}.each", dtype, check)

    def search(s: Strings, sub: str | bytes | Strings, *args: str) -> Tensor:
        return each(s, sub, *args) if isinstance(sub, Strings) else literal(s, sub, *args)

    return search


_string_find = _declare_search("string_find", torch.int64, check_unit)
_string_contains = _declare_search("string_contains", torch.bool)
_string_count = _declare_search("string_count", torch.int64)
_string_startswith = _declare_search("string_startswith", torch.bool)
_string_endswith = _declare_search("string_endswith", torch.bool)
_string_replace = declare_map("string_replace")
