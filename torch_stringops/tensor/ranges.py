"""The byte ranges of strings, and strings gathered from byte ranges or positions.

A function that only reorders strings is applied to the int32 tensors `begins` and `ends` of the byte ranges, followed
by a gather of the bytes (`string_tensor_pack`). If it does not change the last axis, it is applied to `offsets`, and
the bytes are not copied. Positions, masks and lists of tensors have operators of their own (`ops/gather.py`).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_bytes, check_count
from torch_stringops._native import operator
from torch_stringops._tracing import Size, can_read
from torch_stringops.tensor.strings import S, Strings, num_bytes, numel, shape

_pack = operator("string_tensor_pack")
_gather = operator("_string_gather")


def ranges(s: Strings) -> tuple[Tensor, Tensor]:
    """The positions of the first byte and after the last byte of each string, in the shape of the strings."""
    if s._scalar:
        return s._offsets[0], s._offsets[1]
    return s._offsets[..., :-1], s._offsets[..., 1:]


def contiguous_offsets(begins: Tensor, ends: Tensor) -> Tensor:
    """The offsets for byte ranges that are adjacent in each row."""
    return torch.cat([begins, ends[..., -1:]], dim=-1)


def pack(s: S, begins: Tensor, ends: Tensor, data: Tensor | None = None) -> S:
    """Gathers strings from byte ranges of `data` (default: `s.data`), compact. For rank 0, `data` is shared."""
    data = s._data if data is None else data
    if begins.dim() == 0:
        return s._new(data, torch.stack([begins, ends]), True)
    return s._new(*_pack(begins, ends, data))


def move(s: S, fn: Callable[[Tensor], Tensor]) -> S:
    """Applies `fn`, which may reorder, repeat and drop elements of a tensor, to the strings."""
    begins, ends = ranges(s)
    return pack(s, fn(begins), fn(ends))


def strings_at(s: S, positions: Tensor, *others: S) -> S:
    """The strings at `positions`, of rank >= 1, of all strings, flattened: those of `s`, then those of `others`."""
    strings = [t for source in (s, *others) for t in (source._data, source._offsets)]
    return s._new(*_gather(strings, positions))


def shape_after(s: Strings, fn: Callable[[Tensor], Tensor]) -> list[Size]:
    """The shape after `fn` is applied, with torch's checks and messages. Does not allocate memory."""
    return list(fn(s._offsets.new_empty(()).expand(shape(s))).shape)


def check_copies(op: str, s: Strings, copies: Any) -> None:
    """Rejects a result that is too large, before its byte ranges are allocated."""
    if not can_read(s._offsets) or type(copies) is not int or copies <= 1:
        return
    count = numel(s) * copies
    check_count(op, count)
    if count > 2**20:  # for fewer strings, the operator checks it at little cost
        check_bytes(op, num_bytes(s) * copies)
