"""Splitting tensors and strings along an axis, as ONNX defines it."""

from collections.abc import Sequence
from typing import TypeVar

from torch import Tensor

from torch_stringops._checks import check_tensor_or_strings
from torch_stringops._names import named
from torch_stringops.ops import tensor as ops
from torch_stringops.string_tensor import StringTensor

AnyTensor = TypeVar("AnyTensor", Tensor, StringTensor)


@named
def split(
    input: AnyTensor,
    split: Tensor | Sequence[int] | None = None,
    axis: int = 0,
    *,
    num_outputs: int | None = None,
    opset: int = 18,
) -> list[AnyTensor]:
    """Splits a tensor along an axis into chunks of given sizes, or into a number of chunks of equal size.

    Chunks of a tensor are views, through which gradients flow, as those of `torch.split`. Chunks of strings share
    `data`.

    Spec: ONNX Split-1, -2, -11, -13 and -18, chosen by `opset`. Differences from onnxruntime: see docs/differences.md.

    Args:
        input: a tensor of a dtype that the version of Split supports, or strings (from opset 2 on); rank >= 1.
        split: size of each chunk, as a list or as a tensor `[n]`: int64 from opset 13 on, of the dtype of `input` in
            opset 1, not supported in between. The sizes are non-negative, and their sum is the size of the axis. A
            tensor can be traced if its length is known.
        axis: the axis to split, in `[-rank, rank - 1]`.
        num_outputs: number of chunks, if `split` is not given. From opset 18 on, all chunks but the last have
            `ceil(size / num_outputs)` elements, and the last has the remaining ones; before, `num_outputs` must divide
            the size.
        opset: the opset of the model. The newest version of Split up to this opset is used.

    Returns:
        The chunks, in order.

    Raises:
        TypeError: `input` is not a tensor, or `split` is neither a tensor nor a list of ints.
        ValueError: the arguments contradict each other or the version, or the sum of the sizes is not the size of the
            axis.
        IndexError: `axis` is out of range.

    See also: `split_to_sequence`; `torch.split`.

    Example:
        >>> [chunk.tolist() for chunk in split(torch.arange(7), num_outputs=3)]
        [[0, 1, 2], [3, 4, 5], [6]]
        >>> [chunk.tolist() for chunk in split(StringTensor.from_list([["a", "b", "c"]]), [1, 2], axis=1)]
        [[['a']], [['b', 'c']]]
    """
    if not isinstance(input, StringTensor):
        check_tensor_or_strings("split", "input", input)
    return ops._split(input, split, axis, num_outputs=num_outputs, opset=opset)


@named
def split_to_sequence(
    input: AnyTensor, split: int | Tensor | Sequence[int] | None = None, axis: int = 0, keepdims: bool = True
) -> list[AnyTensor]:
    """Splits a tensor along an axis into slices, into chunks of one size, or into chunks of given sizes.

    Chunks of a tensor are views, through which gradients flow, as those of `torch.split`. Chunks of strings share
    `data`, except with `keepdims=False` on the last of several axes, which copies them.

    Spec: ONNX SplitToSequence-11, and bfloat16 from -24. Differences from onnxruntime: see docs/differences.md.

    Args:
        input: a tensor of a dtype that ONNX supports, or strings; rank >= 1.
        split: an int, or an int32 or int64 tensor of rank 0: the size of every chunk, > 0; the last chunk may be
            smaller. A list, or an int32 or int64 tensor `[n]`: the size of each chunk, >= 0; their sum is the size of
            the axis. None: every chunk has size 1. A tensor `[n]` can be traced if its length is known, one of rank 0
            cannot.
        axis: the axis to split, in `[-rank, rank - 1]`.
        keepdims: whether the chunks keep the axis. Ignored if `split` is given.

    Returns:
        The chunks, in order.

    Raises:
        TypeError: `input` is not a tensor, or `split` is neither a tensor, an int nor a list of ints.
        ValueError: a size is negative, or the size of every chunk is 0; the sum of the sizes is not the size of the
            axis; a dtype or rank is not as above.
        IndexError: `axis` is out of range.

    See also: `split`; `torch.split`, `torch.unbind`.

    Example:
        >>> [chunk.tolist() for chunk in split_to_sequence(torch.arange(5), 2)]
        [[0, 1], [2, 3], [4]]
        >>> [chunk.tolist() for chunk in split_to_sequence(StringTensor.from_list(["a", "b"]), keepdims=False)]
        ['a', 'b']
    """
    if not isinstance(input, StringTensor):
        check_tensor_or_strings("split_to_sequence", "input", input)
    return ops._split_to_sequence(input, split, axis, keepdims)
