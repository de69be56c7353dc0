"""Strings in the order of their bytes: string_sort, string_argsort, string_min, string_max, string_searchsorted."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import torch
from torch import Tensor

from torch_stringops._checks import check_int, check_same_device, check_strings, wrap_dim
from torch_stringops._native import operator, operator_on_strings
from torch_stringops._tracing import Size, known, new_strings, register_fake, strings_shape
from torch_stringops.ops._declare import declare_reduce
from torch_stringops.tensor.reshape import movedim, unsqueeze
from torch_stringops.tensor.strings import S, Strings, rank, shape

if TYPE_CHECKING:

    class ValuesAndIndices(NamedTuple, Generic[S]):
        values: S
        indices: Tensor

else:  # before Python 3.11, a NamedTuple cannot be Generic

    class ValuesAndIndices(NamedTuple):
        """The result of methods that torch has too."""

        values: Strings
        indices: Tensor


@register_fake("string_sort")
def _fake_sort(data: Tensor, offsets: Tensor, descending: bool = False, count: Size = -1) -> Any:
    op = "string_sort"
    check_strings(op, data, offsets)
    *rows, size = strings_shape(offsets)
    if known(count < -1) or known(count > size):
        raise ValueError(f"{op}: expected `count` within [-1, {size}], got {count}")
    shape = [*rows, size if known(count == -1) else count]
    return *new_strings(data, shape), offsets.new_empty(shape, dtype=torch.int64)


_argsort = declare_reduce("string_argsort", torch.int64)
_sort = operator_on_strings("string_sort", lambda s, results: results)


def _with_last(s: S, dim: int) -> tuple[S, bool]:
    """The strings with axis `dim` last, and whether it was moved there."""
    is_last = wrap_dim(dim, rank(s)) >= rank(s) - 1
    return s if is_last else movedim(s, dim, -1), not is_last


def _string_argsort(s: Strings, dim: int, descending: bool) -> Tensor:
    last, moved = _with_last(s, dim)
    indices = _argsort(last, descending)
    return indices.movedim(-1, dim) if moved else indices


def _string_sort(s: S, dim: int, descending: bool, *count: Size) -> tuple[S, Tensor]:
    """The strings in order, of which `count` may be wanted, and their positions before."""
    last, moved = _with_last(s, dim)
    data, offsets, indices = _sort(last, descending, *count)
    values = s._new(data, offsets, s._scalar)
    if s._scalar:
        return values, indices.reshape(())
    return (movedim(values, -1, dim), indices.movedim(-1, dim)) if moved else (values, indices)


def _declare_extreme(op: str) -> Callable[..., Any]:
    @register_fake(op)
    def fake(data: Tensor, offsets: Tensor, flatten: bool = False) -> Any:
        check_strings(op, data, offsets)
        shape = strings_shape(offsets)
        if known(shape[-1] == 0) or (flatten and known(math.prod(shape) == 0)):
            raise ValueError(f"{op}: expected at least one string in each row, got shape {shape}")
        rows = [1] if flatten else shape[:-1] or [1]
        return *new_strings(data, rows), offsets.new_empty(rows, dtype=torch.int64)

    call = operator_on_strings(op, lambda s, results: results)

    def extreme(s: S, dim: int | None, keepdim: bool) -> tuple[S, Tensor]:
        """The least or greatest strings along `dim`, and their positions; of all strings if it is None."""
        is_one = dim is None or rank(s) <= 1
        last = s if dim is None else _with_last(s, dim)[0]
        data, offsets, indices = call(last, True) if dim is None and rank(s) > 1 else call(last)
        values = s._new(data, offsets, is_one)
        if is_one:
            indices = indices.reshape(())
        if dim is None or not keepdim or s._scalar:
            return values, indices
        return unsqueeze(values, dim), indices.unsqueeze(dim)

    return extreme


_string_min = _declare_extreme("string_min")
_string_max = _declare_extreme("string_max")


def position(s: Strings, extreme: Callable[..., Any], dim: int | None, keepdim: bool) -> Tensor:
    """The position of what `extreme` finds along `dim`; among all strings if it is None, of rank 0 or of sizes 1."""
    found: Tensor = extreme(s, dim, keepdim)[1]
    return found.reshape([1] * rank(s)) if dim is None and keepdim else found


def topk(s: S, k: int, dim: int, largest: bool) -> tuple[S, Tensor]:
    """The greatest or least `k` strings along `dim` in order, and their positions."""
    op = "string_topk"
    dim = wrap_dim(dim, rank(s))
    k = check_int(op, "k", k, -(2**63), 2**63 - 1)
    size = 1 if s._scalar else shape(s)[dim]
    if known(k < 0) or known(k > size):
        raise RuntimeError(f"{op}: expected `k` within [0, {size}], the size of the axis, got {k}")
    return _string_sort(s, dim, largest, 1 if s._scalar else k)  # the string is torch's result for `k` 0, too


@register_fake("string_searchsorted")
def _fake_searchsorted(
    data: Tensor, offsets: Tensor, values_data: Tensor, values_offsets: Tensor, right: bool = False
) -> Any:
    op = "string_searchsorted"
    check_same_device(op, data=data, offsets=offsets, values_data=values_data, values_offsets=values_offsets)
    check_strings(op, data, offsets)
    check_strings(op, values_data, values_offsets, "values_data", "values_offsets")
    shape, values = strings_shape(offsets), strings_shape(values_offsets)
    rows, value_rows = shape[:-1], values[:-1]
    if rows and (len(rows) != len(value_rows) or any(known(a != b) for a, b in zip(rows, value_rows, strict=True))):
        raise ValueError(
            f"{op}: expected one row of sorted strings, or one for each row of `values`, "
            f"got shapes {shape} and {values}"
        )
    return offsets.new_empty(values, dtype=torch.int64)


_searchsorted = operator("string_searchsorted")


def _string_searchsorted(s: Strings, values: Strings, right: bool) -> Tensor:
    positions: Tensor = _searchsorted(s.data, s.offsets, values.data, values.offsets, right)
    return positions.reshape(()) if values._scalar else positions
