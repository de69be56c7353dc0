"""split_to_sequence: the pieces of a tensor along an axis, as ONNX's SplitToSequence cuts them."""

from typing import Any, TypeVar

import torch
from torch import Tensor

from torch_stringops._fake import Size, check_strings, dtype_name, register_fake, shape_text, strings_shape
from torch_stringops._layout import can_read
from torch_stringops.ops import _parts
from torch_stringops.string_tensor import StringTensor

_OP = "split_to_sequence"

AnyTensor = TypeVar("AnyTensor", Tensor, StringTensor)


def _sizes(shape: Any, split: list[Size] | None, axis: int) -> tuple[list[Size], int]:
    """The size of each piece, and the axis."""
    axis = _parts.check_axis(_OP, len(shape), axis)
    if split is None:
        return [1] * _slices(shape[axis]), axis
    return _parts.check_sizes(_OP, split, shape[axis], axis), axis


def _known_length(length: Size) -> int:
    """The size of the axis where it decides the number of pieces."""
    if not _parts.is_known(length):
        raise ValueError(
            f"{_OP}: expected an axis of known size where the call is traced, since it decides the number of pieces "
            "(write the sizes as a list)"
        )
    return int(length)


def _slices(length: Size) -> int:
    """The number of pieces of size 1."""
    count = _known_length(length)
    _parts.check_part_count(_OP, count)
    return count


@register_fake(_OP)
def _fake(
    input: Tensor, split: list[Size] | None = None, axis: int = 0, keepdims: bool = True
) -> list[Tensor]:
    _parts.check_input_dtype(_OP, input.dtype, _parts.WITH_BFLOAT16)
    sizes, axis = _sizes(input.shape, split, axis)
    return _parts.new_parts(input, sizes, axis, keepdims or split is not None)


@register_fake(f"{_OP}.strings")
def _fake_strings(
    data: Tensor, offsets: Tensor, split: list[Size] | None = None, axis: int = 0, keepdims: bool = True
) -> list[Tensor]:
    check_strings(_OP, data, offsets)
    sizes, axis = _sizes(strings_shape(offsets), split, axis)
    return _parts.new_string_parts(data, offsets, sizes, axis, keepdims or split is not None)


def _sizes_of_scalar(size: int, length: Size) -> list[int]:
    """Pieces of one size; what remains is the last."""
    if size <= 0:
        raise ValueError(f"{_OP}: expected `split` > 0, got {size}")
    whole, rest = divmod(_known_length(length), size)
    _parts.check_part_count(_OP, whole + (rest > 0))
    return [size] * whole + [rest] * (rest > 0)


def _sizes_of_tensor(split: Tensor, length: Size, axis: int) -> list[Size]:
    if split.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{_OP}: expected `split` to be int32 or int64, got {dtype_name(split.dtype)}")
    if split.dim() > 1:
        raise ValueError(f"{_OP}: expected `split` of rank 0 or 1, got shape {shape_text(split)}")
    if split.dim() == 1:
        return _parts.read_sizes(_OP, split, length, axis)
    if not can_read(split):
        raise ValueError(
            "split_to_sequence: a size in a tensor of rank 0 cannot be traced, since the number of pieces depends on "
            "its value (write it as a Python int, or give the sizes as a list or as a tensor of rank 1)"
        )
    return _sizes_of_scalar(int(split), length)


def split_to_sequence(
    input: AnyTensor, split: Any = None, axis: int = 0, keepdims: bool = True
) -> list[AnyTensor]:
    """Cut a tensor along an axis into single slices, into pieces of one size, or into pieces of given sizes.

    Pieces of a tensor are views, through which gradients flow, as those of `torch.split`. Pieces of strings share
    `data`, but for columns without their axis (`keepdims=False` on the last of several axes), which are gathered.

    Spec: ONNX SplitToSequence-11, and the bfloat16 of -24. Differs from onnxruntime: see docs/differences.md.

    Args:
        input: a tensor of a dtype that ONNX lists, or strings; rank >= 1.
        split: an int, or an int32 or int64 tensor of rank 0: the size of every piece, > 0; what remains is the last
            piece. A list, or an int32 or int64 tensor `[n]`: the size of each piece, >= 0; they add up to the size of
            the axis. None: every piece has size 1. Only a tensor `[n]` of known length can be traced.
        axis: the axis to cut, in `[-rank, rank - 1]`.
        keepdims: whether pieces keep the axis; ignored where `split` is given.

    Returns:
        The pieces, in order.

    Raises:
        TypeError: `input` is no tensor, or `split` is neither a tensor, nor an int, nor holds ints.
        ValueError: a size is negative, or 0 where it is the only one; the sizes do not add up; a dtype or rank is
            another.
        IndexError: there is no such axis.

    See also: `split`; `torch.split`, `torch.unbind`.

    Example:
        >>> [piece.tolist() for piece in split_to_sequence(torch.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
        >>> [piece.tolist() for piece in split_to_sequence(StringTensor.from_list(["a", "b"]), keepdims=False)]
        ['a', 'b']
    """
    _parts.check_input(_OP, input)
    if isinstance(input, Tensor):
        _parts.check_input_dtype(_OP, input.dtype, _parts.WITH_BFLOAT16)
    axis = _parts.check_axis(_OP, input.ndim, axis)
    length = input.shape[axis]
    if split is None:
        if not keepdims:
            _slices(length)
            return list(input.unbind(axis))
        sizes: list[Size] = [1] * _slices(length)
    elif isinstance(split, Tensor):
        sizes = _sizes_of_tensor(split, length, axis)
    elif hasattr(split, "__index__"):
        sizes = _sizes_of_scalar(int(split), length)
    elif isinstance(split, (list, tuple, torch.Size)):
        sizes = _parts.check_sizes(_OP, _parts.as_sizes(_OP, split), length, axis)
    else:
        raise TypeError(
            f"{_OP}: expected `split` to be an int, a list or a Tensor, got {type(split).__name__}"
        )
    return _parts.views(input, sizes, axis)


_parts.register_derivatives(_OP, split_to_sequence)
