"""Functions on ragged rows of numbers or strings that select, repeat and join their elements.

Each computes the positions of the elements of the result, which torch, or the gather of strings, then reads. So all of
them work under tracing and on other devices, and those of numbers are differentiable.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import (
    MAX_BYTES,
    MAX_OFFSETS,
    as_int,
    check_count,
    check_dtype,
    check_rank,
    check_same_device,
    check_tensor,
    check_tensor_or_strings,
    dtype_name,
    shape_text,
)
from torch_stringops._native import operator
from torch_stringops._tracing import Size, can_read, dynamic_size, register_fake
from torch_stringops.ops._derivatives import may_have_tangents
from torch_stringops.ops.ragged import as_padding, check_row_splits, check_side, checked_lengths
from torch_stringops.tensor.joining import _cat
from torch_stringops.tensor.ranges import strings_at
from torch_stringops.tensor.strings import Strings, shape

# A tensor, or strings; results are of the same type.
Values = Any


def lengths_of(op: str, values: Any, row_splits: Any) -> Tensor:
    """The lengths of the rows, after a check of both arguments."""
    if not isinstance(values, Strings):
        check_tensor_or_strings(op, "values", values)
    check_tensor(op, "row_splits", row_splits)
    sizes = shape(values) if isinstance(values, Strings) else values.shape
    if len(sizes) < 1:
        raise ValueError(f"{op}: expected `values` of rank >= 1, got a scalar")
    if not row_splits.is_cpu:
        check_row_splits(op, row_splits)  # on other devices, the values are not checked
    lengths: Tensor = checked_lengths(row_splits, sizes[0], op) if row_splits.is_cpu else row_splits.diff()
    return lengths


def splits_of(lengths: Tensor) -> Tensor:
    """The row splits of rows of these lengths."""
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])


@register_fake("_ragged_segments")
def _fake_segments(starts: Tensor, lengths: Tensor) -> Tensor:
    op = "_ragged_segments"
    for name, t in (("starts", starts), ("lengths", lengths)):
        check_dtype(op, name, t, torch.int64)
        check_rank(op, name, t, 1)
    if isinstance(starts.shape[0], int) and starts.shape[0] != lengths.shape[0]:
        raise ValueError(f"{op}: expected `lengths` of shape {shape_text(starts)}, got shape {shape_text(lengths)}")
    check_same_device(op, starts=starts, lengths=lengths)
    return starts.new_empty([dynamic_size()])


_cpu_segments, _concat_strings = operator("_ragged_segments"), operator("string_concat")


def segments(starts: Tensor, lengths: Tensor) -> Tensor:
    """The positions from `starts[i]` to `starts[i] + lengths[i]`, one segment after the other."""
    if starts.is_cpu:
        positions: Tensor = _cpu_segments(starts, lengths)
        return positions
    ends = lengths.cumsum(0)
    shifts = torch.repeat_interleave(starts - (ends - lengths), lengths)
    return shifts + torch.arange(shifts.shape[0], device=shifts.device)


# Types that index_select does not have, and those of the same size that it has.
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def taken(values: Values, positions: Tensor) -> Values:
    """The elements at positions along the first axis."""
    if isinstance(values, Tensor):
        if values.dtype in _SIGNED:
            return taken(values.view(_SIGNED[values.dtype]), positions).view(values.dtype)
        # index_select takes a third of the time of an index.
        return values.index_select(0, positions.flatten()).reshape([*positions.shape, *values.shape[1:]])
    if values.offsets.dim() > 1:
        return values._new(values.data, values.offsets[positions])
    check_count("take", positions.numel())
    return strings_at(values, positions)


def ngrams(op: str, values: Values, row_splits: Tensor, n: int) -> tuple[Values, Tensor]:
    """The windows of `n` adjacent elements of each row: values `[T, n, ...]`, row splits."""
    n = as_int(op, "n", n)
    if not 1 <= n <= MAX_OFFSETS:
        raise ValueError(f"{op}: expected `n` from 1 to {MAX_OFFSETS}, got {n if abs(n) < 2**64 else 'more'}")
    lengths = (lengths_of(op, values, row_splits) - (n - 1)).clamp(min=0)
    starts = segments(row_splits[:-1], lengths)
    if n > 2**20 and starts.shape[0] == 0:  # without the memory of a window
        return taken(values, starts.reshape(0, 1).expand(0, n)), splits_of(lengths)
    within = torch.arange(n, device=starts.device)
    return taken(values, starts.unsqueeze(1) + within), splits_of(lengths)


def truncate(values: Values, row_splits: Tensor, max_length: int, side: str) -> tuple[Values, Tensor]:
    op = "ragged_truncate"
    check_side(op, side)
    max_length = as_int(op, "max_length", max_length)
    if max_length < 0:
        raise ValueError(f"{op}: expected `max_length` >= 0, got {max_length}")
    kept = lengths_of(op, values, row_splits).clamp(max=max_length)
    starts = row_splits[:-1] if side == "right" else row_splits[1:] - kept
    return taken(values, segments(starts, kept)), splits_of(kept)


def concat(rows: Sequence[tuple[Values, Tensor]], op: str = "ragged_concat") -> tuple[Values, Tensor]:
    """Row i of the result is the concatenation of rows i."""
    if not isinstance(rows, (list, tuple)) or not rows:
        raise ValueError(f"{op}: expected a non-empty list of pairs (values, row_splits)")
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in rows):
        raise TypeError(f"{op}: expected each element of `rows` to be a pair (values, row_splits)")
    lengths = []
    for values, row_splits in rows:
        lengths.append(lengths_of(op, values, row_splits))
        if lengths[-1].shape[0] != lengths[0].shape[0]:
            raise ValueError(
                f"{op}: expected as many rows in each pair, got {lengths[0].shape[0]} and {lengths[-1].shape[0]}"
            )
    all_values = [values for values, _ in rows]
    joined: Any
    if all(isinstance(values, Tensor) for values in all_values):
        for values in all_values:
            if values.dtype != all_values[0].dtype:  # torch.cat would convert
                got = f"{dtype_name(all_values[0].dtype)} and {dtype_name(values.dtype)}"
                raise ValueError(f"{op}: expected values of one dtype, got {got}")
            if values.shape[1:] != all_values[0].shape[1:]:
                got = f"{shape_text(all_values[0])} and {shape_text(values)}"
                raise ValueError(f"{op}: expected values whose shapes differ in the first axis only, got {got}")
        if all(_is_bytes(values, splits) for values, splits in rows):
            found = _concat_bytes(rows)
            if found is not None:
                return found
        joined = torch.cat(all_values)
    elif all(isinstance(values, Strings) for values in all_values):
        joined = _cat(all_values, 0, op)
    else:
        raise TypeError(f"{op}: expected either tensors or strings, got both")
    starts: list[Tensor] = []
    total: Size = 0
    for values, row_splits in rows:
        starts.append(row_splits[:-1] + total)
        total = total + (shape(values) if isinstance(values, Strings) else values.shape)[0]
    positions = segments(torch.stack(starts, 1).flatten(), torch.stack(lengths, 1).flatten())
    return taken(joined, positions), splits_of(torch.stack(lengths).sum(0))


def _is_bytes(values: Any, row_splits: Any) -> bool:
    """Whether elements can be copied as bytes: `values` is a plain tensor that is not differentiated."""
    return (
        can_read(values)
        and can_read(row_splits)
        and values.device.type == "cpu"
        and values.layout is torch.strided
        and not (values.requires_grad or values.is_complex() or values.is_quantized or values.is_neg())
        and not may_have_tangents()
    )


def _concat_bytes(rows: Sequence[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor] | None:
    """Concatenates rows of numbers as strings of their bytes; None if the operator of strings does not take them.

    This writes the result only, and neither positions nor a tensor of all values, which are as large.
    """
    first = rows[0][0]
    size = first.element_size() * math.prod(first.shape[1:])
    if size == 0 or sum(values.nbytes for values, _ in rows) > MAX_BYTES:
        return None
    strings: list[Tensor] = []
    for values, row_splits in rows:
        # A contiguous tensor of one element may have a stride of 0, in which view does not find its bytes.
        flat = values.contiguous().as_strided([values.numel()], [1])
        strings += (flat.view(torch.uint8), (row_splits * size).to(torch.int32))
    data, offsets = _concat_strings(strings)
    splits = offsets.div(size, rounding_mode="floor").to(torch.int64)
    return data.view(first.dtype).view(-1, *first.shape[1:]), splits


def add_special(values: Values, row_splits: Tensor, begin: Any, end: Any) -> tuple[Values, Tensor]:
    """`begin` and `end` are single strings if `values` are strings."""
    op = "ragged_add_special"
    rows = lengths_of(op, values, row_splits).shape[0]
    columns = torch.arange(rows + 1, device=row_splits.device)
    pairs: list[Any] = [(values, row_splits)]
    for name, value in (("begin", begin), ("end", end)):
        if value is None:
            continue
        column = _column(op, name, values, value, rows)
        pairs.insert(0 if name == "begin" else len(pairs), (column, columns))
    return concat(pairs, op)


def _column(op: str, name: str, values: Any, value: Any, rows: Any) -> Any:
    """`value` for each row."""
    if isinstance(values, Strings):
        if not value._scalar:
            raise ValueError(f"{op}: expected `{name}` to be a single string, got shape {shape(value)}")
        return strings_at(value, torch.zeros(rows, dtype=torch.int64, device=value.data.device))
    number = as_padding(op, values, value, name)
    return (values.new_zeros(()) if number is None else number).expand([rows, *values.shape[1:]])


def unique(values: Values, row_splits: Tensor, ids: Tensor, return_counts: bool) -> Any:
    """`ids`, int64 `[T]`, are equal where the values are, and less than T."""
    lengths = lengths_of("ragged_unique", values, row_splits)
    count = ids.shape[0]
    rows = torch.repeat_interleave(torch.arange(lengths.shape[0], device=ids.device), lengths)
    keys, order = (rows * count + ids).sort(stable=True)
    is_first = torch.ones_like(keys, dtype=torch.bool)
    is_first[1:] = keys[1:] != keys[:-1]
    begins = is_first.nonzero().squeeze(1)  # of the groups of equal values, in `order`
    # The first appearance of each group has the smallest position, as the sort is stable.
    positions, by_position = order[begins].sort()
    distinct = torch.zeros_like(lengths).scatter_add(0, rows[positions], torch.ones_like(positions))
    strings, splits = taken(values, positions), splits_of(distinct)
    if not return_counts:
        return strings, splits
    ends = torch.cat([begins, begins.new_full((1,), count)])[1:]
    return strings, splits, (ends - begins)[by_position]


@register_fake("ragged_count")
def _fake_count(ids: Tensor, row_splits: Tensor, num_ids: Size, *, binary: bool = False) -> Tensor:
    _check_counts(ids, row_splits, num_ids)
    check_same_device("ragged_count", ids=ids, row_splits=row_splits)
    return ids.new_empty([row_splits.shape[0] - 1, num_ids], dtype=torch.int64)


_cpu_count = operator("ragged_count")


def _check_counts(ids: Tensor, row_splits: Tensor, num_ids: Size) -> None:
    op = "ragged_count"
    if ids.dtype not in (torch.int64, torch.int32) or ids.dim() != 1:
        raise ValueError(
            f"{op}: expected `ids` to be int64 or int32 of shape [T], "
            f"got {dtype_name(ids.dtype)} of shape {shape_text(ids)}"
        )
    check_row_splits(op, row_splits)
    if isinstance(num_ids, int) and num_ids < 0:
        raise ValueError(f"{op}: expected `num_ids` >= 0, got {num_ids}")
    rows = row_splits.shape[0] - 1
    if type(num_ids) is int and type(rows) is int and rows * num_ids > MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has {rows} rows of {num_ids} counts; expected at most {MAX_OFFSETS} counts "
            "(pass fewer rows, or use ragged_unique)"
        )


def count(ids: Tensor, row_splits: Tensor, num_ids: int, binary: bool) -> Tensor:
    """How often each row has each id, `[N, num_ids]`; or, if `binary`, 1 for those that it has."""
    op = "ragged_count"
    check_tensor(op, "ids", ids)
    check_tensor(op, "row_splits", row_splits)
    check_same_device(op, ids=ids, row_splits=row_splits)
    if ids.is_cpu:
        counts: Tensor = _cpu_count(ids, row_splits, num_ids, binary=binary)
        return counts
    _check_counts(ids, row_splits, num_ids)
    lengths = lengths_of(op, ids, row_splits)
    num_rows = lengths.shape[0]
    if type(num_ids) is int and num_ids == 0:  # inductor fails on a scatter to no columns
        return ids.new_zeros([num_rows, 0], dtype=torch.int64)
    rows = torch.repeat_interleave(torch.arange(num_rows, device=ids.device), lengths)
    is_known = (ids >= 0) & (ids < num_ids)
    # Ids that are not counted go to a cell of their own.
    cells = torch.where(is_known, rows * num_ids + ids, num_rows * num_ids)
    counts = ids.new_zeros(num_rows * num_ids + 1, dtype=torch.int64)
    counts = counts.scatter_add_(0, cells, torch.ones_like(cells))[:-1].reshape(num_rows, num_ids)
    return counts.clamp(max=1) if binary else counts
