"""Tensors and strings cut along an axis, as ONNX does."""

from typing import Any, TypeVar

from torch import Tensor

from torch_stringops._checks import check_tensor_or_strings
from torch_stringops.ops import tensor as ops
from torch_stringops.string_tensor import StringTensor

AnyTensor = TypeVar("AnyTensor", Tensor, StringTensor)


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
        TypeError: `input` is not a tensor, or `split` is neither a tensor nor holds ints.
        ValueError: the arguments contradict each other or the version, or the sizes do not add up.
        IndexError: there is no such axis.

    See also: `split_to_sequence`; `torch.split`.

    Example:
        >>> [piece.tolist() for piece in split(torch.arange(7), num_outputs=3)]
        [[0, 1, 2], [3, 4, 5], [6]]
        >>> [piece.tolist() for piece in split(StringTensor.from_list([["a", "b", "c"]]), [1, 2], axis=1)]
        [[['a']], [['b', 'c']]]
    """
    if not isinstance(input, StringTensor):
        check_tensor_or_strings("split", "input", input)
    return ops.split(input, split, axis, num_outputs=num_outputs, opset=opset)


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
        TypeError: `input` is not a tensor, or `split` is neither a tensor, nor an int, nor holds ints.
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
    if not isinstance(input, StringTensor):
        check_tensor_or_strings("split_to_sequence", "input", input)
    return ops.split_to_sequence(input, split, axis, keepdims)
