"""Removal of padding from padded rows: dense_to_ragged and its derivatives."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from torch_stringops._checks import MAX_OFFSETS, check_dtype, check_max_size, check_same_device, shape_text
from torch_stringops._native import operator
from torch_stringops._tracing import dynamic_size, register_fake
from torch_stringops.ops import _derivatives as derivatives
from torch_stringops.ops._packaged import packaged
from torch_stringops.ops.pack import _string_tensor_pack
from torch_stringops.ops.ragged import as_padding, check_side
from torch_stringops.tensor.strings import S

_OP = "dense_to_ragged"
_op = operator(_OP)


@register_fake(packaged(_OP))
@register_fake(_OP)
def _fake(dense: Tensor, lengths: Tensor, side: str = "right") -> tuple[Tensor, Tensor]:
    check_same_device(_OP, dense=dense, lengths=lengths)
    _check_shape(dense)
    check_dtype(_OP, "lengths", lengths, torch.int64)
    sizes = (*lengths.shape, dense.shape[0])
    if lengths.dim() != 1 or (all(isinstance(s, int) for s in sizes) and sizes[0] != sizes[1]):
        raise ValueError(
            f"{_OP}: expected `lengths` of shape [{dense.shape[0]}] (rows of `dense`), got shape {shape_text(lengths)}"
        )
    torch._check(lengths.shape[0] == dense.shape[0])
    check_max_size(_OP, "lengths", lengths.shape[0], MAX_OFFSETS, "elements")
    check_side(_OP, side)
    return dense.new_empty([dynamic_size(), *dense.shape[2:]]), lengths.new_empty([dense.shape[0] + 1])


def _check_shape(dense: Tensor) -> None:
    if dense.dim() < 2:
        raise ValueError(f"{_OP}: expected `dense` of shape [rows, columns, ...], got shape {shape_text(dense)}")


class _Reverse(derivatives.Reverse):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, lengths: Tensor, side: str) -> tuple[Tensor, Tensor]:
        with derivatives.below(_OP) as op:
            values, row_splits = op(dense, lengths, side)
        ctx.width, ctx.side = dense.shape[1], side
        ctx.save_for_backward(row_splits)
        ctx.mark_non_differentiable(row_splits)
        return values, row_splits

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: None) -> tuple[Any, ...]:
        (row_splits,) = ctx.saved_tensors
        return torch.ops.stringops.ragged_to_dense(grad, row_splits, ctx.width, None, ctx.side), None, None


def _differentiate(dense: Tensor, lengths: Tensor, side: str = "right") -> Any:
    dense, tangent = derivatives.unpack(dense)
    if tangent is None:
        return _Reverse.record(dense, lengths, side)
    values, row_splits = _op(dense, lengths, side)
    # With the same number of values, which tracing knows.
    tangent = torch.ops.stringops._ragged_to_dense_backward(tangent, row_splits, values.shape[0], side)
    return derivatives.pack(values, tangent), row_splits


def _vmap(
    info: Any, in_dims: Any, dense: Tensor, lengths: Tensor, side: str = "right"
) -> tuple[Any, tuple[int, int | None]]:
    if in_dims[1] is not None:
        raise ValueError(
            f"{_OP}: expected `lengths` that is the same for all samples of torch.vmap, since the shape depends on it"
        )
    _check_shape(dense.select(in_dims[0], 0))
    dense = dense.movedim(in_dims[0], -1)
    values, row_splits = _op(dense, lengths, side)
    return (values, row_splits), (values.dim() - 1, None)


derivatives.register_derivative(_OP, _differentiate)
torch.library.register_vmap(f"stringops::{_OP}", _vmap)


def _lengths(dense: Tensor, padding_value: Any, side: str) -> Tensor:
    """The lengths of rows without padding: the position after the last element that is not padding."""
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
        )  # a NaN is padding if the padding value is NaN
    else:
        differs = dense != padding
    if dense.dim() > 2:
        differs = differs.flatten(2).any(2)
    positions = differs * (columns.flip(0) if side == "left" else columns)
    return pad(positions, (1, 0)).amax(1)  # the column of zeros is for a width of 0


def _check_one_of(lengths: Tensor | None, padding_value: Any) -> None:
    if lengths is not None and padding_value is not None:
        raise ValueError(f"{_OP}: expected `lengths` or `padding_value`, got both")


def _dense_to_ragged(dense: Tensor, lengths: Tensor | None, padding_value: Any, side: str) -> tuple[Tensor, Tensor]:
    _check_one_of(lengths, padding_value)
    _check_shape(dense)
    if lengths is None:
        lengths = _lengths(dense, padding_value, side)
    values, row_splits = derivatives.call(_op, dense, lengths, side)
    return values, row_splits


def strings_to_ragged(dense: S, lengths: Tensor | None, padding_value: Any, side: str) -> tuple[S, Tensor]:
    _check_one_of(lengths, padding_value)
    if padding_value is not None:
        raise ValueError(f"{_OP}: expected `lengths` for strings, got `padding_value`")
    begins, row_splits = _dense_to_ragged(dense.offsets[..., :-1], lengths, None, side)
    ends, _ = _dense_to_ragged(dense.offsets[..., 1:], lengths, None, side)
    return dense._new(*_string_tensor_pack(begins, ends, dense.data)), row_splits
