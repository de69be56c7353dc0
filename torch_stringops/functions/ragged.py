"""Ragged rows <-> padded ones."""

from typing import TypeVar

from torch import Tensor

from torch_stringops._checks import check_tensor_or_strings
from torch_stringops.ops import ragged as ops
from torch_stringops.ops import ragged_from_dense as from_dense
from torch_stringops.ops import ragged_to_dense as to_dense
from torch_stringops.string_tensor import StringTensor

AnyTensor = TypeVar("AnyTensor", Tensor, StringTensor)


def ragged_to_dense(
    values: AnyTensor,
    row_splits: Tensor,
    width: int | None = None,
    padding_value: int | float | complex | str | Tensor = 0,
    side: str = "right",
    *,
    max_width: int | None = None,
    min_width: int = 0,
    pad_to_multiple_of: int = 1,
) -> AnyTensor:
    """Pad or cut ragged rows to one width.

    Row `n` of the result holds `values[row_splits[n]:row_splits[n + 1]]`. A row shorter than `width` is
    padded at `side`; a longer one is cut there. So "right" aligns rows at their first element and keeps the
    first ones (torchtext's way, and the default of Hugging Face's `padding_side` and `truncation_side`);
    "left" aligns them at their last element and keeps the last ones (a decoder's way: the newest token comes
    last).

    A fixed `width` also gives the result a static shape, which torch.compile and torch.export handle best.

    Args:
        values: `[T, *F]`, the elements of all rows, of any dtype but quantized ones, bits and those of less than a
            byte; or strings.
        row_splits: int64 `[N + 1]`, in elements: non-decreasing, from 0 to T.
        width: elements a row of the result; None for the longest row's (data-dependent), within the limits below.
        padding_value: what fills the rest: a number that the dtype of `values` holds, or a tensor of rank 0 and of
            that dtype, through which gradients flow; for strings a `str`, by default the empty one.
        side: "right" or "left", where rows are padded or cut.
        max_width: the width is at most this; None for no limit.
        min_width: the width is at least this.
        pad_to_multiple_of: the width, after both limits, is rounded up to a multiple of this; so it exceeds a
            `max_width` that is not one. Rows are cut at the width that results.

    Returns:
        `[N, width, *F]`, of the type and dtype of `values`; differentiable, in both modes and by torch.func, which
        compiled need a `width` for forward mode and for `vmap`. Strings that are padded with
        empty ones share `data` with `values`: only offsets are made.

    Raises:
        ValueError: `row_splits` is not as said, `width` or a limit of it is out of range, `width` is given with a
            limit, `min_width` exceeds `max_width`, `side` is unknown, or the dtype of `values` does not hold
            `padding_value`.
        TypeError: `values` is not a tensor, or `padding_value` not a number (for strings, not a `str`).

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
        >>> ragged_to_dense(ids, row_splits, max_width=512, pad_to_multiple_of=4).shape
        torch.Size([3, 4])
    """
    limits = {"max_width": max_width, "min_width": min_width, "pad_to_multiple_of": pad_to_multiple_of}
    if isinstance(values, StringTensor):
        return to_dense.strings_to_dense(values, row_splits, width, padding_value, side, **limits)
    check_tensor_or_strings("ragged_to_dense", "values", values)
    return to_dense.ragged_to_dense(values, row_splits, width, padding_value, side, **limits)


def dense_to_ragged(
    dense: AnyTensor,
    lengths: Tensor | None = None,
    padding_value: int | float | complex | Tensor | None = None,
    side: str = "right",
) -> tuple[AnyTensor, Tensor]:
    """Take the padding off padded rows: the inverse of `ragged_to_dense`.

    How long the rows are is said by `lengths` (from a mask: `mask.sum(1)`), or by `padding_value`: then a row
    ends where its run of padding at `side` begins, and a `padding_value` elsewhere is an element. Without
    either, rows are whole.

    Args:
        dense: `[N, width, *F]` of any dtype that `ragged_to_dense` takes; or strings `[N, width]`.
        lengths: int64 `[N]`, elements in each row, at most `width`.
        padding_value: a number that the dtype of `dense` holds, or a tensor of rank 0 and of that dtype; not for
            strings. NaN stands for every NaN.
        side: "right" or "left", where rows are padded.

    Returns:
        values: `[T, *F]`, of the type and dtype of `dense`, the elements of all rows; differentiable.
        row_splits: int64 `[N + 1]`, in elements: row `n` is `values[row_splits[n]:row_splits[n + 1]]`.

    Raises:
        ValueError: `lengths` are not as said, `dense` has less than two dimensions, `side` is unknown,
            both `lengths` and `padding_value` are given, or the dtype of `dense` does not hold `padding_value`.
        TypeError: `dense` is not a tensor, or `padding_value` not a number.

    See also: ragged_to_dense, ragged_lengths.

    Example:
        >>> dense = torch.tensor([[7, 8, 9], [0, 0, 0], [5, 0, 0]])
        >>> dense_to_ragged(dense, padding_value=0)
        (tensor([7, 8, 9, 5]), tensor([0, 3, 3, 4]))
        >>> dense_to_ragged(dense, torch.tensor([2, 0, 2]))
        (tensor([7, 8, 5, 0]), tensor([0, 2, 2, 4]))
    """
    if isinstance(dense, StringTensor):
        return from_dense.strings_to_ragged(dense, lengths, padding_value, side)
    check_tensor_or_strings("dense_to_ragged", "dense", dense)
    return from_dense.dense_to_ragged(dense, lengths, padding_value, side)


def ragged_mask(row_splits: Tensor, width: int | None = None, side: str = "right") -> Tensor:
    """Which cells of `ragged_to_dense(values, row_splits, width, side=side)` hold an element of `values`.

    Where both are wanted, `ragged_mask(row_splits, dense.shape[1])` tells a tracer that the shapes are equal.

    Args:
        row_splits: int64 `[N + 1]`, in elements: non-decreasing, from 0.
        width: columns; None for the longest row's (data-dependent).
        side: "right" or "left", where rows are padded or cut.

    Returns:
        bool `[N, width]`, true for an element and false for padding: Hugging Face's `attention_mask`, the
        negation of `key_padding_mask` of `nn.MultiheadAttention`.

    Raises:
        ValueError: `row_splits` is not as said, `width` is negative, or `side` is unknown.

    See also: ragged_to_dense, ragged_lengths.

    Example:
        >>> ragged_mask(torch.tensor([0, 3, 3, 4]), width=2)
        tensor([[ True,  True],
                [False, False],
                [ True, False]])
    """
    mask: Tensor = ops.ragged_mask(row_splits, width, side)
    return mask


def ragged_lengths(row_splits: Tensor) -> Tensor:
    """Elements in each row.

    Args:
        row_splits: int64 `[N + 1]`, in elements. Its order is not checked.

    Returns:
        int64 `[N]`.

    Raises:
        TypeError: `row_splits` is not a tensor.
        ValueError: `row_splits` has another dtype or shape.

    See also: ragged_mask. `torch.cumsum` is the way back.

    Example:
        >>> import torch
        >>> ragged_lengths(torch.tensor([0, 3, 3, 4]))
        tensor([3, 0, 1])
    """
    return ops.ragged_lengths(row_splits)
