"""Strings built from other strings: concatenation, repetition, padding, slices."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import (
    as_int,
    check_dtype,
    check_elements,
    check_same_device,
    check_strings,
)
from torch_stringops._native import operator
from torch_stringops._tracing import register_fake, strings_shape
from torch_stringops.ops._declare import broadcast_shapes, declare_map
from torch_stringops.ops.gather import check_list, new_result
from torch_stringops.tensor.strings import S


@register_fake("string_concat")
def _fake_concat(strings: list[Tensor]) -> Any:
    op = "string_concat"
    check_list(op, strings)
    shape = strings_shape(strings[1])
    for offsets in strings[3::2]:
        shape = broadcast_shapes(op, shape, strings_shape(offsets))
    return new_result(op, strings[0], shape)


_concat = operator("string_concat")


def _string_concat(strings: Sequence[S]) -> S:
    data, offsets = _concat([t for s in strings for t in (s.data, s.offsets)])
    return strings[0]._new(data, offsets, all(s._scalar for s in strings))


@register_fake("string_repeat")
def _fake_repeat(data: Tensor, offsets: Tensor, counts: Tensor) -> Any:
    op = "string_repeat"
    check_strings(op, data, offsets)
    check_same_device(op, data=data, counts=counts)
    check_dtype(op, "counts", counts, torch.int64)
    check_elements(op, "counts", counts)
    return new_result(op, data, broadcast_shapes(op, strings_shape(offsets), list(counts.shape)))


def as_counts(value: Any) -> int | torch.SymInt | Tensor | None:
    """An int, or integers of NumPy, as int, its symbol or int64; a tensor as it is; None for other values."""
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        is_safe = value.dtype.kind in "iu" and np.can_cast(value.dtype, np.int64)
        return torch.from_numpy(value.astype(np.int64)) if is_safe else None
    is_count = isinstance(value, int | torch.SymInt | Tensor) and not isinstance(value, bool)
    return value if is_count else None


_repeat = operator("string_repeat")


def _string_repeat(s: S, counts: Any) -> S:
    scalar = not isinstance(counts, Tensor) or counts.dim() == 0
    if not isinstance(counts, Tensor):
        if type(counts) is int:  # within int64: larger results are too large, unless the strings are empty
            counts = max(min(counts, 2**62), 0)
        counts = s.offsets.new_full((1,), counts, dtype=torch.int64)
    strings: tuple[Tensor, Tensor] = _repeat(s.data, s.offsets, counts)
    return s._new(*strings, s._scalar and scalar)


_string_ljust = declare_map("string_ljust")
_string_rjust = declare_map("string_rjust")
_string_center = declare_map("string_center")
_string_zfill = declare_map("string_zfill")
_string_slice = declare_map("string_slice")


def replace_slice(s: S, start: int | None, stop: int | None, by: S, unit: str) -> S:
    """The strings with code points or bytes `start` to `stop` replaced, as by assignment to a slice of a list."""
    first = 0 if start is None else start
    parts = [_string_slice(s, 0, first, unit), by]
    if stop is not None:
        stop = as_int("string_replace_slice", "stop", stop)
        # The rest begins at the larger position. If the two count from different ends, the string is cut at the one
        # from the beginning first, before which the one from the end cannot be then.
        low, high = min(first, stop), max(first, stop)
        if low < 0 < high:
            s = _string_slice(s, high, None, unit)
        parts.append(_string_slice(s, low if low < 0 <= high else high, None, unit))
    return _string_concat(parts)
