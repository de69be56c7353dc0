"""Padding and truncation of ragged rows of numbers: ragged_to_dense and its derivatives."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import MAX_OFFSETS, check_dtype, check_rank, check_same_device, shape_text
from torch_stringops._native import operator
from torch_stringops._tracing import Size, register_fake
from torch_stringops.ops import _derivatives as derivatives
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.ops._packaged import packaged
from torch_stringops.ops.ragged import as_padding, check_padded_size, check_row_splits, check_side, dynamic_width

_OP = "ragged_to_dense"
_BACKWARD = "_ragged_to_dense_backward"
_SCALAR = f"{_OP}: expected `values` of rank >= 1, got a scalar"
_op, _backward_op = operator(_OP), operator(_BACKWARD)


@register_fake(packaged(_OP))
@register_fake(_OP)
def _fake(
    values: Tensor,
    row_splits: Tensor,
    width: Size | None = None,
    padding_value: Tensor | None = None,
    side: str = "right",
    **limits: Size,
) -> Tensor:
    check_same_device(_OP, values=values, row_splits=row_splits)
    if values.dim() < 1:
        raise ValueError(_SCALAR)
    check_row_splits(_OP, row_splits)
    # Widths that are too large for any row are an error further below, which names the rows.
    sizes = {name: min(n, MAX_OFFSETS) if type(n) is int else n for name, n in (("width", width), *limits.items())}
    check_attributes(_OP, ["values", "row_splits"], {"side": side, **sizes})
    if padding_value is not None:
        _check_padding(values, padding_value)
    columns = dynamic_width(**limits) if width is None else width
    check_padded_size(_OP, row_splits.shape[0] - 1, columns)
    return values.new_empty([row_splits.shape[0] - 1, columns, *values.shape[1:]])


def _check_padding(values: Tensor, padding_value: Tensor) -> None:
    check_same_device(_OP, values=values, padding_value=padding_value)
    check_dtype(_OP, "padding_value", padding_value, values.dtype)
    check_rank(_OP, "padding_value", padding_value, 0)


@register_fake(packaged(_BACKWARD))
@register_fake(_BACKWARD)
def _fake_backward(grad: Tensor, row_splits: Tensor, num_values: Size, side: str) -> Tensor:
    check_same_device(_BACKWARD, grad=grad, row_splits=row_splits)
    if grad.dim() < 2:
        raise ValueError(f"{_BACKWARD}: expected `grad` of rank >= 2, got shape {shape_text(grad)}")
    check_row_splits(_BACKWARD, row_splits)
    check_side(_BACKWARD, side)
    return grad.new_empty([num_values, *grad.shape[2:]])


class _Reverse(derivatives.Reverse):
    @staticmethod
    def forward(
        ctx: Any,
        values: Tensor,
        row_splits: Tensor,
        width: Size | None,
        padding: Tensor | None,
        side: str,
        limits: dict[str, Size],
    ) -> Tensor:
        ctx.num_values, ctx.side = values.shape[0], side
        ctx.save_for_backward(row_splits)
        with derivatives.below(_OP) as op:
            dense: Tensor = op(values, row_splits, width, padding, side, **limits)
        return dense

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        (row_splits,) = ctx.saved_tensors
        return _backward_op(grad, row_splits, ctx.num_values, ctx.side), None, None, None, None, None


class _BackwardReverse(derivatives.Reverse):
    @staticmethod
    def forward(ctx: Any, grad: Tensor, row_splits: Tensor, num_values: Size, side: str) -> Tensor:
        ctx.width, ctx.side = grad.shape[1], side
        ctx.save_for_backward(row_splits)
        with derivatives.below(_BACKWARD) as op:
            values: Tensor = op(grad, row_splits, num_values, side)
        return values

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        (row_splits,) = ctx.saved_tensors
        return _op(grad, row_splits, ctx.width, None, ctx.side), None, None, None


def _differentiate(
    values: Tensor,
    row_splits: Tensor,
    width: Size | None = None,
    padding_value: Tensor | None = None,
    side: str = "right",
    **limits: Size,
) -> Any:
    if padding_value is not None and derivatives.is_differentiated(padding_value):
        dense = _op(values, row_splits, width, padding_value.detach(), side, **limits)
        return _put_padding(dense, row_splits, padding_value, side)
    values, tangent = derivatives.unpack(values)
    if tangent is None:
        return _Reverse.record(values, row_splits, width, padding_value, side, limits)
    dense = _op(values, row_splits, width, padding_value, side, **limits)
    return derivatives.pack(dense, _op(tangent, row_splits, dense.shape[1], None, side))


def _differentiate_backward(grad: Tensor, row_splits: Tensor, num_values: Size, side: str) -> Any:
    grad, tangent = derivatives.unpack(grad)
    if tangent is None:
        return _BackwardReverse.record(grad, row_splits, num_values, side)
    return derivatives.pack(
        _backward_op(grad, row_splits, num_values, side),
        _backward_op(tangent, row_splits, num_values, side),
    )


def _put_padding(dense: Tensor, row_splits: Tensor, padding: Tensor, side: str) -> Tensor:
    mask = torch.ops.stringops.ragged_mask(row_splits, dense.shape[1], side)
    return torch.where(mask.reshape([*mask.shape, *[1] * (dense.dim() - 2)]), dense, padding)


def _vmap(
    info: Any,
    in_dims: Any,
    values: Tensor,
    row_splits: Tensor,
    width: Size | None = None,
    padding_value: Tensor | None = None,
    side: str = "right",
    **limits: Size,
) -> tuple[Tensor, int]:
    """The samples are moved to the last dimension of the elements."""
    dims = (*in_dims, None, None, None)[:5]
    if dims[1] is not None:
        return derivatives.map_samples(
            _OP, partial(_op, **limits), info, dims, values, row_splits, width, padding_value, side
        )
    if dims[0] is not None:
        values = values.movedim(dims[0], -1)
        if values.dim() < 2:
            raise ValueError(_SCALAR)
    if dims[3] is None or padding_value is None:
        dense: Tensor = _op(values, row_splits, width, padding_value, side, **limits)
        return dense, dense.dim() - 1
    _check_padding(values, padding_value.select(dims[3], 0))
    dense = _op(values, row_splits, width, None, side, **limits)
    if dims[0] is None:
        dense = dense.unsqueeze(-1)
    return _put_padding(dense, row_splits, padding_value, side), dense.dim() - 1


def _vmap_backward(
    info: Any, in_dims: Any, grad: Tensor, row_splits: Tensor, num_values: Size, side: str
) -> tuple[Tensor, int]:
    if in_dims[1] is not None:
        return derivatives.map_samples(_BACKWARD, _backward_op, info, in_dims, grad, row_splits, num_values, side)
    values: Tensor = _backward_op(grad.movedim(in_dims[0], -1), row_splits, num_values, side)
    return values, values.dim() - 1


derivatives.register_derivative(_OP, _differentiate)
derivatives.register_derivative(_BACKWARD, _differentiate_backward)
torch.library.register_vmap(f"stringops::{_OP}", _vmap)
torch.library.register_vmap(f"stringops::{_BACKWARD}", _vmap_backward)


def _ragged_to_dense(
    values: Tensor,
    row_splits: Tensor,
    width: Size | None = None,
    padding_value: Any = 0,
    side: str = "right",
    **limits: Size,
) -> Tensor:
    padding = as_padding(_OP, values, padding_value)
    if isinstance(padding_value, Tensor):  # it may be differentiated
        dense: Tensor = _op(values, row_splits, width, padding, side, **limits)
    else:
        dense = derivatives.call(_op, values, row_splits, width, padding, side, **limits)
    return dense
