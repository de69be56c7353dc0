"""Conversion between ragged rows and padded (dense) rows."""

from __future__ import annotations

from typing import Any, Literal, overload

import torch
from torch import Tensor

from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument, tensor_argument, values_argument
from torch_stringops._types import IntsLike, NumbersLike, Side, StringsLike, Text
from torch_stringops.ops import ragged as ops
from torch_stringops.ops import ragged_from_dense as from_dense
from torch_stringops.ops import ragged_strings
from torch_stringops.ops import ragged_to_dense as to_dense
from torch_stringops.string_tensor import StringTensor


@overload
def ragged_to_dense(
    values: NumbersLike,
    row_splits: IntsLike,
    width: int | None = None,
    padding_value: complex | Tensor = 0,
    side: Side = "right",
    *,
    max_width: int | None = None,
    min_width: int = 0,
    pad_to_multiple_of: int = 1,
) -> Tensor: ...
@overload
def ragged_to_dense(
    values: StringsLike,
    row_splits: IntsLike,
    width: int | None = None,
    padding_value: Text | Literal[0] = 0,
    side: Side = "right",
    *,
    max_width: int | None = None,
    min_width: int = 0,
    pad_to_multiple_of: int = 1,
) -> StringTensor: ...
@named
def ragged_to_dense(
    values: NumbersLike | StringsLike,
    row_splits: IntsLike,
    width: int | None = None,
    padding_value: complex | Text | Tensor = 0,
    side: Side = "right",
    *,
    max_width: int | None = None,
    min_width: int = 0,
    pad_to_multiple_of: int = 1,
) -> Tensor | StringTensor:
    """Pads or truncates ragged rows to the same width.

    Row `n` of the result contains `values[row_splits[n]:row_splits[n + 1]]`. A row shorter than `width` is padded at
    `side`; a longer row is truncated there. "right" aligns rows at their first element and keeps the first elements,
    as torchtext does and as is the default of Hugging Face's `padding_side` and `truncation_side`. "left" aligns rows
    at their last element and keeps the last elements, as decoders need it: the newest token comes last.

    A fixed `width` gives the result a static shape, which torch.compile and torch.export handle best.

    Args:
        values: `[T, *F]`, the elements of all rows; of any dtype except quantized, bits and sub-byte ones; or strings.
            Lists are converted, here and in all functions of ragged rows.
        row_splits: int64 `[N + 1]`, in elements: non-decreasing, from 0 to T.
        width: number of columns of the result; None for the length of the longest row (data-dependent), within the
            limits below.
        padding_value: a number that the dtype of `values` can represent, or a tensor of rank 0 and of that dtype,
            through which gradients flow; for strings a `str`, by default "".
        side: "right" or "left", the side at which rows are padded or truncated.
        max_width: maximum width; None for no limit.
        min_width: minimum width.
        pad_to_multiple_of: the width, after both limits, is rounded up to a multiple of this, and so exceeds a
            `max_width` that is not a multiple. Rows are truncated to the rounded width.

    Returns:
        `[N, width, *F]`, of the type and dtype of `values`. Differentiable in reverse and forward mode and by
        torch.func; when compiled, forward mode and `vmap` need a `width`. Strings that are padded with "" share `data`
        with `values`.

    Raises:
        ValueError: `row_splits` is malformed, `width` or one of its limits is out of range, `width` is given together
            with a limit, `min_width` exceeds `max_width`, `side` is neither "right" nor "left", or the dtype of
            `values` cannot represent `padding_value`.
        TypeError: `values` is not a tensor, or `padding_value` is not a number (of strings: text).

    See also: dense_to_ragged, ragged_mask, ragged_lengths.

    Example:
        >>> ids, row_splits = torch.tensor([7, 8, 9, 5]), torch.tensor([0, 3, 3, 4])
        >>> ragged_to_dense(ids, row_splits)
        tensor([[7, 8, 9],
                [0, 0, 0],
                [5, 0, 0]])
        >>> ragged_to_dense(ids, row_splits, width=2, padding_value=-1, side="left")
        tensor([[ 8,  9],
                [-1, -1],
                [-1,  5]])
        >>> ragged_to_dense(["to", "be", "or"], [0, 2, 3]).tolist()
        [['to', 'be'], ['or', '']]
        >>> ragged_to_dense(ids, row_splits, max_width=512, pad_to_multiple_of=4).shape
        torch.Size([3, 4])
    """
    limits = {"max_width": max_width, "min_width": min_width, "pad_to_multiple_of": pad_to_multiple_of}
    rows: Any = values_argument("ragged_to_dense", "values", values)
    splits = row_splits_argument("ragged_to_dense", row_splits)
    padding: Any = padding_value
    if isinstance(rows, StringTensor):
        return ragged_strings.strings_to_dense(rows, splits, width, padding, side, **limits)
    return to_dense._ragged_to_dense(rows, splits, width, padding, side, **limits)


@overload
def dense_to_ragged(
    dense: NumbersLike,
    lengths: IntsLike | None = None,
    padding_value: complex | Tensor | None = None,
    side: Side = "right",
) -> tuple[Tensor, Tensor]: ...
@overload
def dense_to_ragged(
    dense: StringsLike,
    lengths: IntsLike | None = None,
    padding_value: None = None,
    side: Side = "right",
) -> tuple[StringTensor, Tensor]: ...
@named
def dense_to_ragged(
    dense: NumbersLike | StringsLike,
    lengths: IntsLike | None = None,
    padding_value: complex | Tensor | None = None,
    side: Side = "right",
) -> tuple[Tensor | StringTensor, Tensor]:
    """Removes the padding from padded rows. The inverse of `ragged_to_dense`.

    The lengths of the rows are `lengths` (for a mask: `mask.sum(1)`), or follow from `padding_value`: the run of
    padding at `side` of each row is removed; equal values elsewhere are kept. If neither is given, rows are kept whole.

    Args:
        dense: `[N, width, *F]`, of any dtype that `ragged_to_dense` accepts; or strings `[N, width]`.
        lengths: int64 `[N]`, number of elements of each row, at most `width`.
        padding_value: a number that the dtype of `dense` can represent, or a tensor of rank 0 and of that dtype; not
            for strings. NaN matches every NaN.
        side: "right" or "left", the side at which rows are padded.

    Returns:
        values: `[T, *F]`, of the type and dtype of `dense`, the elements of all rows; differentiable.
        row_splits: int64 `[N + 1]`, in elements: row `n` is `values[row_splits[n]:row_splits[n + 1]]`.

    Raises:
        ValueError: `lengths` is malformed, `dense` has fewer than two dimensions, `side` is neither "right" nor "left",
            both `lengths` and `padding_value` are given, or the dtype of `dense` cannot represent `padding_value`.
        TypeError: `dense` is not a tensor, or `padding_value` is not a number.

    See also: ragged_to_dense, ragged_lengths.

    Example:
        >>> dense = torch.tensor([[7, 8, 9], [0, 0, 0], [5, 0, 0]])
        >>> dense_to_ragged(dense, padding_value=0)
        (tensor([7, 8, 9, 5]), tensor([0, 3, 3, 4]))
        >>> dense_to_ragged(dense, torch.tensor([2, 0, 2]))
        (tensor([7, 8, 5, 0]), tensor([0, 2, 2, 4]))
    """
    rows: Any = values_argument("dense_to_ragged", "dense", dense)
    lengths = None if lengths is None else tensor_argument("dense_to_ragged", "lengths", lengths, torch.int64)
    if isinstance(rows, StringTensor):
        return from_dense.strings_to_ragged(rows, lengths, padding_value, side)
    return from_dense._dense_to_ragged(rows, lengths, padding_value, side)


@named
def ragged_mask(row_splits: IntsLike, width: int | None = None, side: Side = "right") -> Tensor:
    """Returns a mask of the elements of `ragged_to_dense(values, row_splits, width, side=side)` that are not padding.

    To mask a tensor `dense` under tracing, pass `dense.shape[1]` as `width`: the shapes are then known to be equal.

    Args:
        row_splits: int64 `[N + 1]`, in elements: non-decreasing, from 0.
        width: number of columns; None for the length of the longest row (data-dependent).
        side: "right" or "left", the side at which rows are padded or truncated.

    Returns:
        bool `[N, width]`, True for elements and False for padding, as Hugging Face's `attention_mask`, and the
        negation of `key_padding_mask` of `nn.MultiheadAttention`.

    Raises:
        ValueError: `row_splits` is malformed, `width` is negative, or `side` is neither "right" nor "left".

    See also: ragged_to_dense, ragged_lengths.

    Example:
        >>> ragged_mask(torch.tensor([0, 3, 3, 4]), width=2)
        tensor([[ True,  True],
                [False, False],
                [ True, False]])
    """
    mask: Tensor = ops._ragged_mask(row_splits_argument("ragged_mask", row_splits), width, side)
    return mask


@named
def ragged_lengths(row_splits: IntsLike) -> Tensor:
    """Returns the number of elements of each ragged row.

    Args:
        row_splits: int64 `[N + 1]`, in elements. The values are not checked.

    Returns:
        int64 `[N]`.

    Raises:
        TypeError: `row_splits` is not a tensor.
        ValueError: the dtype or shape of `row_splits` is not as above.

    See also: ragged_mask; `torch.cumsum`, the inverse.

    Example:
        >>> import torch
        >>> ragged_lengths(torch.tensor([0, 3, 3, 4]))
        tensor([3, 0, 1])
    """
    return ops._ragged_lengths(row_splits_argument("ragged_lengths", row_splits))
