"""ragged_to_dense: rows of different lengths, padded or cut to one width."""

import math
from typing import Any, TypeVar

import torch
from torch import Tensor

from torch_stringops._errors import utf8
from torch_stringops._fake import (
    MAX_BYTES,
    Size,
    check_dtype,
    check_rank,
    check_same_device,
    dtype_name,
    dynamic_size,
    register_fake,
    shape_text,
)
from torch_stringops._layout import can_read
from torch_stringops._library import operator
from torch_stringops.ops._ragged import check_padded_size, check_row_splits, check_side, check_width
from torch_stringops.ops.string_tensor_pack import string_tensor_pack
from torch_stringops.string_tensor import StringTensor

_OP = "ragged_to_dense"
_BACKWARD = "_ragged_to_dense_backward"

_dense = operator(_OP)

Values = TypeVar("Values", Tensor, StringTensor)


@register_fake(_OP)
def _fake(
    values: Tensor,
    row_splits: Tensor,
    width: Size | None = None,
    padding_value: Tensor | None = None,
    side: str = "right",
) -> Tensor:
    check_same_device(_OP, values=values, row_splits=row_splits)
    if values.dim() < 1:
        raise ValueError(f"{_OP}: expected `values` of rank >= 1, got a scalar")
    check_row_splits(_OP, row_splits)
    check_width(_OP, width)
    check_side(_OP, side)
    if padding_value is not None:
        check_same_device(_OP, values=values, padding_value=padding_value)
        check_dtype(_OP, "padding_value", padding_value, values.dtype)
        check_rank(_OP, "padding_value", padding_value, 0)
    columns = dynamic_size() if width is None else width
    check_padded_size(_OP, row_splits.shape[0] - 1, columns)
    return values.new_empty([row_splits.shape[0] - 1, columns, *values.shape[1:]])


@register_fake(_BACKWARD)
def _fake_backward(grad: Tensor, row_splits: Tensor, num_values: Size, side: str) -> Tensor:
    check_same_device(_BACKWARD, grad=grad, row_splits=row_splits)
    if grad.dim() < 2:
        raise ValueError(f"{_BACKWARD}: expected `grad` of rank >= 2, got shape {shape_text(grad)}")
    check_row_splits(_BACKWARD, row_splits)
    check_side(_BACKWARD, side)
    return grad.new_empty([num_values, *grad.shape[2:]])


# The operator has no autograd formula of its own: torch would then take each call through Python, which costs
# more than a small call. Gradients, of every order, come from here; each of the two derives the other.
class Differentiable(torch.autograd.Function):
    """ragged_to_dense of values that require a gradient."""

    @staticmethod
    def forward(
        values: Tensor, row_splits: Tensor, width: int | None, padding: Tensor | None, side: str
    ) -> Tensor:
        dense: Tensor = _dense(values, row_splits, width, padding, side)
        return dense

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        values, row_splits, _, _, ctx.side = inputs
        ctx.num_values = values.shape[0]
        ctx.save_for_backward(row_splits)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None, None]:
        (row_splits,) = ctx.saved_tensors
        values = torch.ops.stringops._ragged_to_dense_backward(grad, row_splits, ctx.num_values, ctx.side)
        return values, None, None, None, None


def _backward_setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    grad, row_splits, _, ctx.side = inputs
    ctx.width = grad.shape[1]
    ctx.save_for_backward(row_splits)


def _backward_backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
    (row_splits,) = ctx.saved_tensors
    return Differentiable.apply(grad, row_splits, ctx.width, None, ctx.side), None, None, None


torch.library.register_autograd(
    f"stringops::{_BACKWARD}", _backward_backward, setup_context=_backward_setup_context
)


def _padding(values: Tensor, padding_value: Any) -> Tensor | None:
    """The operator's padding: a 0-dim tensor of the values' dtype, or None for zero."""
    if not isinstance(padding_value, int | float | complex):
        raise TypeError(f"{_OP}: expected `padding_value` to be a number, got {type(padding_value).__name__}")
    dtype = values.dtype
    if dtype.is_complex:
        fits = True
    elif isinstance(padding_value, complex):
        fits = False
    elif dtype.is_floating_point:
        fits = not math.isfinite(padding_value) or abs(padding_value) <= torch.finfo(dtype).max
    elif isinstance(padding_value, float) and not padding_value.is_integer():
        fits = False
    elif dtype == torch.bool:
        fits = padding_value in (0, 1)
    else:
        fits = torch.iinfo(dtype).min <= padding_value <= torch.iinfo(dtype).max
    if not fits:
        raise ValueError(
            f"{_OP}: expected `padding_value` to be a number that {dtype_name(dtype)} holds, "
            f"got {padding_value}"
        )
    if isinstance(padding_value, int) and padding_value == 0:
        return None
    return torch.full((), padding_value, dtype=dtype, device=values.device)


def _dense_strings(
    values: StringTensor, row_splits: Tensor, width: int | None, padding_value: Any, side: str
) -> StringTensor:
    data, offsets = values.data, values.offsets
    if padding_value != 0 and not isinstance(padding_value, str):
        raise TypeError(
            f"{_OP}: expected `padding_value` to be a str for strings, got {type(padding_value).__name__}"
        )
    if padding_value:
        # The padding is put in front of the bytes that the strings are gathered from.
        symbol = torch.tensor(list(utf8(_OP, "padding_value", padding_value)), dtype=torch.uint8)
        _check_padding_bytes(values, row_splits, width, len(symbol))
        begins, ends = offsets[..., :-1].long() + len(symbol), offsets[..., 1:].long() + len(symbol)
        begins = ragged_to_dense(begins, row_splits, width, 0, side)
        ends = ragged_to_dense(ends, row_splits, width, len(symbol), side)
        return string_tensor_pack(begins, ends, torch.cat([symbol, data]))
    if offsets.dim() > 1:  # each element is a row of strings; a row of zeros is a row of empty ones
        return StringTensor(data, ragged_to_dense(offsets, row_splits, width, 0, side))
    # Strings keep their offsets, and those that pad repeat the offset at their end of the row: a view.
    if side == "left":
        inner = ragged_to_dense(offsets[:-1], row_splits, width, -1, side)
        first, last = offsets[row_splits[:-1], None], offsets[row_splits[1:], None]
        return StringTensor(data, torch.cat([torch.maximum(inner, first), last], 1))
    inner = ragged_to_dense(offsets[1:], row_splits, width, 2**31 - 1, side)
    first, last = offsets[row_splits[:-1], None], offsets[row_splits[1:], None]
    return StringTensor(data, torch.cat([first, torch.minimum(inner, last)], 1))


def _check_padding_bytes(values: StringTensor, row_splits: Tensor, width: int | None, symbol: int) -> None:
    """Refuses padding of too many bytes before the byte ranges are made for it, eight times as large."""
    if not (can_read(row_splits) and can_read(values.offsets)) or values.dim() > 1:
        return
    _dense(values.offsets[:-1], row_splits, 0)  # its checks of row_splits
    lengths = row_splits.diff()
    rows, columns = len(lengths), int(lengths.max()) if width is None and len(lengths) else width or 0
    num_bytes = (rows * columns - int(lengths.clamp(max=columns).sum())) * symbol
    if num_bytes > MAX_BYTES:
        raise ValueError(
            f"{_OP}: padding {rows} rows to {columns} elements with {symbol} bytes each needs {num_bytes} bytes; "
            f"int32 offsets address at most {MAX_BYTES} (keep the rows ragged, or pass a smaller `width`)"
        )


def ragged_to_dense(
    values: Values,
    row_splits: Tensor,
    width: int | None = None,
    padding_value: int | float | complex | str = 0,
    side: str = "right",
) -> Values:
    """Pad or cut ragged rows to one width.

    Row `n` of the result holds `values[row_splits[n]:row_splits[n + 1]]`. A row shorter than `width` is
    padded at `side`; a longer one is cut there. So "right" aligns rows at their first element and keeps the
    first ones (torchtext's way, and the default of Hugging Face's `padding_side` and `truncation_side`);
    "left" aligns them at their last element and keeps the last ones (a decoder's way: the newest token comes
    last).

    A fixed `width` also gives the result a static shape, which torch.compile and torch.export handle best.

    Args:
        values: `[T, *F]` of any dtype, the elements of all rows; or strings.
        row_splits: int64 `[N + 1]`, in elements: non-decreasing, from 0 to T.
        width: elements a row of the result; None for the longest row's (data-dependent).
        padding_value: what fills the rest: a number that the dtype of `values` holds; for strings a `str`, by
            default the empty one.
        side: "right" or "left", where rows are padded or cut.

    Returns:
        `[N, width, *F]`, of the type and dtype of `values`; differentiable. Strings that are padded with
        empty ones share `data` with `values`: only offsets are made.

    Raises:
        ValueError: `row_splits` is not as said, `width` is negative, `side` is unknown, or the dtype of
            `values` does not hold `padding_value`.
        TypeError: `values` is no tensor, or `padding_value` no number (for strings, no `str`).

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
    """
    if isinstance(values, StringTensor):
        return _dense_strings(values, row_splits, width, padding_value, side)
    if not isinstance(values, Tensor):
        raise TypeError(
            f"{_OP}: expected `values` to be a Tensor or a StringTensor, got {type(values).__name__}"
        )
    padding = _padding(values, padding_value)
    forward = Differentiable.apply if values.requires_grad else _dense
    dense: Tensor = forward(values, row_splits, width, padding, side)
    return dense
