"""dense_to_ragged: padded rows without their padding."""

from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from torch_stringops._fake import (
    MAX_OFFSETS,
    check_dtype,
    check_most,
    check_same_device,
    dynamic_size,
    register_fake,
    shape_text,
)
from torch_stringops._library import operator
from torch_stringops.ops._derivatives import Reverse, below, call, pack, register_derivative, unpack
from torch_stringops.ops._ragged import as_padding, check_side
from torch_stringops.ops.string_tensor_pack import string_tensor_pack
from torch_stringops.string_tensor import StringTensor

_OP = "dense_to_ragged"
_op = operator(_OP)

Dense = TypeVar("Dense", Tensor, StringTensor)


@register_fake(_OP)
def _fake(dense: Tensor, lengths: Tensor, side: str = "right") -> tuple[Tensor, Tensor]:
    check_same_device(_OP, dense=dense, lengths=lengths)
    _check_shape(dense)
    check_dtype(_OP, "lengths", lengths, torch.int64)
    sizes = (*lengths.shape, dense.shape[0])
    if lengths.dim() != 1 or (all(isinstance(s, int) for s in sizes) and sizes[0] != sizes[1]):
        raise ValueError(
            f"{_OP}: expected `lengths` of shape [{dense.shape[0]}] (rows of `dense`), "
            f"got shape {shape_text(lengths)}"
        )
    torch._check(lengths.shape[0] == dense.shape[0])
    check_most(_OP, "lengths", lengths.shape[0], MAX_OFFSETS, "elements")
    check_side(_OP, side)
    return dense.new_empty([dynamic_size(), *dense.shape[2:]]), lengths.new_empty([dense.shape[0] + 1])


def _check_shape(dense: Tensor) -> None:
    if dense.dim() < 2:
        raise ValueError(
            f"{_OP}: expected `dense` of shape [rows, columns, ...], got shape {shape_text(dense)}"
        )


class _Reverse(Reverse):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, lengths: Tensor, side: str) -> tuple[Tensor, Tensor]:
        with below():
            values, row_splits = _op(dense, lengths, side)
        ctx.width, ctx.side = dense.shape[1], side
        ctx.save_for_backward(row_splits)
        ctx.mark_non_differentiable(row_splits)
        return values, row_splits

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: None) -> tuple[Any, ...]:
        (row_splits,) = ctx.saved_tensors
        return torch.ops.stringops.ragged_to_dense(grad, row_splits, ctx.width, None, ctx.side), None, None


def _differentiate(dense: Tensor, lengths: Tensor, side: str = "right") -> Any:
    dense, tangent = unpack(dense)
    if tangent is None:
        return _Reverse.record(dense, lengths, side)
    values, row_splits = _op(dense, lengths, side)
    # As many values as there are already, for the tracer too.
    tangent = torch.ops.stringops._ragged_to_dense_backward(tangent, row_splits, values.shape[0], side)
    return pack(values, tangent), row_splits


def _vmap(
    info: Any, in_dims: Any, dense: Tensor, lengths: Tensor, side: str = "right"
) -> tuple[Any, tuple[int, int | None]]:
    if in_dims[1] is not None:
        raise ValueError(
            f"{_OP}: expected `lengths` that all samples of torch.vmap share, since they decide the shape"
        )
    _check_shape(dense.select(in_dims[0], 0))
    dense = dense.movedim(in_dims[0], -1)
    values, row_splits = _op(dense, lengths, side)
    return (values, row_splits), (values.dim() - 1, None)


register_derivative(_OP, _differentiate)
torch.library.register_vmap(f"stringops::{_OP}", _vmap)


def _lengths(dense: Tensor, padding_value: Any, side: str) -> Tensor:
    """Lengths of rows up to their run of padding: the place of the last element that is no padding."""
    check_side(_OP, side)
    columns = torch.arange(1, dense.shape[1] + 1, device=dense.device)
    if padding_value is None:
        return columns.new_full([dense.shape[0]], dense.shape[1])
    padding = as_padding(_OP, dense, padding_value)
    if padding is None:
        differs = dense != 0
    elif isinstance(padding_value, Tensor) or padding_value != padding_value:
        differs = (dense != padding) & (
            (dense == dense) | (padding == padding)
        )  # NaN is padding where NaN pads
    else:
        differs = dense != padding
    if dense.dim() > 2:
        differs = differs.flatten(2).any(2)
    places = differs * (columns.flip(0) if side == "left" else columns)
    return pad(places, (1, 0)).amax(1)  # the column of zeros is for rows of no columns


def dense_to_ragged(
    dense: Dense,
    lengths: Tensor | None = None,
    padding_value: int | float | complex | Tensor | None = None,
    side: str = "right",
) -> tuple[Dense, Tensor]:
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
    if lengths is not None and padding_value is not None:
        raise ValueError(f"{_OP}: expected `lengths` or `padding_value`, got both")
    if isinstance(dense, StringTensor):
        if padding_value is not None:
            raise ValueError(f"{_OP}: expected `lengths` for strings, got `padding_value`")
        begins, row_splits = dense_to_ragged(dense.offsets[..., :-1], lengths, None, side)
        ends, _ = dense_to_ragged(dense.offsets[..., 1:], lengths, None, side)
        return string_tensor_pack(begins, ends, dense.data), row_splits
    if not isinstance(dense, Tensor):
        raise TypeError(
            f"{_OP}: expected `dense` to be a Tensor or a StringTensor, got {type(dense).__name__}"
        )
    _check_shape(dense)
    if lengths is None:
        lengths = _lengths(dense, padding_value, side)
    values, row_splits = call(_op, dense, lengths, side)
    return values, row_splits
