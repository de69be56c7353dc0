"""split: the pieces of a tensor along an axis, as ONNX's Split in all its versions cuts them."""

from typing import Any, TypeVar

import torch
from torch import Tensor

from torch_stringops._fake import Size, check_strings, dtype_name, register_fake, shape_text, strings_shape
from torch_stringops._layout import can_read, known
from torch_stringops.ops import _parts
from torch_stringops.string_tensor import StringTensor

_OP = "split"

AnyTensor = TypeVar("AnyTensor", Tensor, StringTensor)


def _check_opset(opset: int) -> None:
    if opset < 1:
        raise ValueError(f"{_OP}: expected `opset` >= 1, got {opset}")


def _check_dtype(dtype: torch.dtype | None, opset: int) -> None:
    """`dtype` is None for strings."""
    if opset == 1 and dtype not in _parts.FLOATS:
        got = "strings" if dtype is None else dtype_name(dtype)
        raise ValueError(f"{_OP}: expected `input` to be float16, float32 or float64 in opset 1, got {got}")
    if dtype is not None:
        _parts.check_input_dtype(_OP, dtype, _parts.DTYPES if opset < 13 else _parts.WITH_BFLOAT16)


def _equal_sizes(length: Size, axis: int, num_outputs: int | None, opset: int) -> list[Size]:
    """Sizes where none are given."""
    if num_outputs is None:
        raise ValueError(f"{_OP}: expected `split` or `num_outputs`, got neither")
    if num_outputs < 1:
        raise ValueError(f"{_OP}: expected `num_outputs` >= 1, got {num_outputs}")
    if opset < 18:
        if known(length % num_outputs != 0):
            raise ValueError(
                f"{_OP}: expected `num_outputs` to divide {length} (size of axis {axis}) before opset 18, "
                f"got {num_outputs}"
            )
        _check_traced(length % num_outputs == 0)
        _parts.check_part_count(_OP, num_outputs)
        return [length // num_outputs] * num_outputs
    size = (length + num_outputs - 1) // num_outputs
    last = length - size * (num_outputs - 1)
    if known(last < 0):
        raise ValueError(
            f"{_OP}: expected `num_outputs` parts, of which only the last may be smaller, to fit into {length} "
            f"(size of axis {axis}), got {num_outputs}"
        )
    _check_traced(last >= 0)
    _parts.check_part_count(_OP, num_outputs)
    return [size] * (num_outputs - 1) + [last]


def _check_traced(condition: Any) -> None:
    """Where the size of the axis depends on data, the run checks it."""
    if torch.compiler.is_compiling():
        torch._check(condition)


def _check_count(num_sizes: int, num_outputs: int | None, opset: int) -> None:
    if num_outputs is None:
        return
    if opset >= 18:
        raise ValueError(f"{_OP}: expected either `split` or `num_outputs`, got both")
    if num_outputs != num_sizes:
        raise ValueError(f"{_OP}: expected `split` of {num_outputs} sizes (`num_outputs`), got {num_sizes}")


def _sizes(
    shape: Any, split: list[Size] | None, axis: int, num_outputs: int | None, opset: int
) -> tuple[list[Size], int]:
    """The size of each piece, and the axis."""
    axis = _parts.check_axis(_OP, len(shape), axis)
    if split is None:
        return _equal_sizes(shape[axis], axis, num_outputs, opset), axis
    _check_count(len(split), num_outputs, opset)
    return _parts.check_sizes(_OP, split, shape[axis], axis), axis


@register_fake(_OP)
def _fake(
    input: Tensor,
    split: list[Size] | None = None,
    axis: int = 0,
    *,
    num_outputs: int | None = None,
    opset: int = 18,
) -> list[Tensor]:
    _check_opset(opset)
    _check_dtype(input.dtype, opset)
    return _parts.new_parts(input, *_sizes(input.shape, split, axis, num_outputs, opset))


@register_fake(f"{_OP}.strings")
def _fake_strings(
    data: Tensor,
    offsets: Tensor,
    split: list[Size] | None = None,
    axis: int = 0,
    *,
    num_outputs: int | None = None,
    opset: int = 18,
) -> list[Tensor]:
    _check_opset(opset)
    _check_dtype(None, opset)
    check_strings(_OP, data, offsets)
    return _parts.new_string_parts(
        data, offsets, *_sizes(strings_shape(offsets), split, axis, num_outputs, opset)
    )


def _check_size_tensor(input: Any, split: Tensor, opset: int) -> None:
    """The rules of the input `split`, which versions differ in."""
    if opset == 1:
        if split.dtype != input.dtype:
            raise ValueError(
                f"{_OP}: expected `split` to be {dtype_name(input.dtype)} like `input` in opset 1, "
                f"got {dtype_name(split.dtype)} (write the sizes as a list)"
            )
    elif opset < 13:
        raise ValueError(f"{_OP}: expected `split` to be a list in opset {opset}, got a Tensor")
    elif split.dtype != torch.int64:
        raise ValueError(f"{_OP}: expected `split` to be int64, got {dtype_name(split.dtype)}")
    if split.dim() != 1:
        raise ValueError(f"{_OP}: expected `split` of rank 1, got shape {shape_text(split)}")


def _integral(split: Tensor) -> list[int]:
    """The sizes of opset 1's input form, which are floats."""
    if not can_read(split):
        raise ValueError("split: floating-point sizes cannot be traced (write the sizes as a list)")
    _parts.check_part_count(_OP, split.shape[0])
    values = split.tolist()
    for position, value in enumerate(values):
        if not float(value).is_integer():
            raise ValueError(
                f"{_OP}: expected `split` to hold whole numbers, got {value} at position {position}"
            )
    return [int(value) for value in values]


def split(
    input: AnyTensor,
    split: Any = None,
    axis: int = 0,
    *,
    num_outputs: int | None = None,
    opset: int = 18,
) -> list[AnyTensor]:
    """Cut a tensor along an axis into pieces of given sizes, or into a number of equal ones.

    Pieces of a tensor are views, through which gradients flow, as those of `torch.split`; pieces of strings share
    `data`.

    Spec: ONNX Split-1, -2, -11, -13 and -18; `opset` chooses. Differs from onnxruntime: see docs/differences.md.

    Args:
        input: a tensor of a dtype that the version lists, or strings (from opset 2 on); rank >= 1.
        split: size of each piece, as a list, or as a tensor `[n]`: int64 from opset 13 on, of the dtype of `input` in
            opset 1, none between. The sizes add up to that of the axis; any may be 0. A tensor can be traced if its
            length is known.
        axis: the axis to cut, in `[-rank, rank - 1]`.
        num_outputs: number of pieces, where `split` is not given. From opset 18 on all pieces but the last have
            `ceil(size / num_outputs)` elements, and the last has the rest; before, it must divide the size.
        opset: the opset of the model; the newest version of Split up to it is in force.

    Returns:
        The pieces, in order.

    Raises:
        TypeError: `input` is no tensor, or `split` is neither a tensor nor holds ints.
        ValueError: the arguments contradict each other or the version, or the sizes do not add up.
        IndexError: there is no such axis.

    See also: `split_to_sequence`; `torch.split`.

    Example:
        >>> [piece.tolist() for piece in split(torch.arange(7), num_outputs=3)]
        [[0, 1, 2], [3, 4, 5], [6]]
        >>> [piece.tolist() for piece in split(StringTensor.from_list([["a", "b", "c"]]), [1, 2], axis=1)]
        [[['a']], [['b', 'c']]]
    """
    _parts.check_input(_OP, input)
    opset = _parts.as_int(_OP, "opset", opset)
    if num_outputs is not None:
        num_outputs = _parts.as_int(_OP, "num_outputs", num_outputs)
    _check_opset(opset)
    _check_dtype(input.dtype if isinstance(input, Tensor) else None, opset)
    shape = input.shape
    if isinstance(split, Tensor):
        _check_size_tensor(input, split, opset)
        if opset == 1:
            split = _integral(split)
        else:
            axis = _parts.check_axis(_OP, len(shape), axis)
            _check_count(split.shape[0], num_outputs, opset)
            return _parts.views(input, _parts.read_sizes(_OP, split, shape[axis], axis), axis)
    elif split is not None:
        if not isinstance(split, (list, tuple, torch.Size)):
            raise TypeError(f"{_OP}: expected `split` to be a list or a Tensor, got {type(split).__name__}")
        split = _parts.as_sizes(_OP, split)
    return _parts.views(input, *_sizes(shape, split, axis, num_outputs, opset))


_parts.register_derivatives(_OP, split)
