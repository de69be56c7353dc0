"""How Split and SplitToSequence cut an axis: the checks and the arithmetic that both share, and the views they give.

Everything comes down to a list of sizes, one a piece. csrc/ops/parts.h is the same for the operators, in the same
words.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._fake import Size, check_same_device, dtype_name, dynamic_size, register_fake, shape_text
from torch_stringops._layout import can_read, known
from torch_stringops._library import operator as operator_of
from torch_stringops.ops._derivatives import register_derivative
from torch_stringops.string_tensor import StringTensor

_SIZES = "_split_sizes"
_MAX_PARTS = 2**24

FLOATS = frozenset({torch.float16, torch.float32, torch.float64})
# The types of ONNX versions 2 to 11; strings are the fifteenth.
DTYPES = FLOATS | {
    torch.bool,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.complex64,
    torch.complex128,
}
WITH_BFLOAT16 = DTYPES | {torch.bfloat16}


def check_input(op: str, input: Any) -> None:
    if not isinstance(input, (Tensor, StringTensor)):
        raise TypeError(
            f"{op}: expected `input` to be a Tensor or a StringTensor, got {type(input).__name__}"
        )


def check_input_dtype(op: str, dtype: torch.dtype, accepted: frozenset[torch.dtype]) -> None:
    if dtype not in accepted:
        raise ValueError(f"{op}: expected `input` of a dtype that ONNX lists, got {dtype_name(dtype)}")


def as_int(op: str, name: str, value: Any) -> Any:
    """An int, or a size that tracing knows as one."""
    if isinstance(value, int | torch.SymInt):
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{op}: expected `{name}` to be an int, got {type(value).__name__}") from None


def check_axis(op: str, rank: int, axis: Any) -> int:
    """`axis` as a non-negative one of `rank` axes."""
    axis = as_int(op, "axis", axis)
    if rank == 0:
        raise ValueError(f"{op}: expected `input` of rank >= 1, got a scalar")
    if not -rank <= axis < rank:
        raise IndexError(f"{op}: expected `axis` in [{-rank}, {rank - 1}], got {axis}")
    return int(axis % rank)


def check_part_count(op: str, count: Size) -> None:
    """Refused before anything is made for them: an empty axis can be asked for any number of pieces."""
    if type(count) is int and count > _MAX_PARTS:
        raise ValueError(f"{op}: expected at most {_MAX_PARTS} pieces, got {count}")


def check_sizes(op: str, sizes: list[Size], length: Size, axis: int) -> list[Size]:
    """One size a piece: none negative, and together the size of the axis."""
    check_part_count(op, len(sizes))
    total: Size = 0
    for position, size in enumerate(sizes):
        if known(size < 0):
            raise ValueError(f"{op}: expected `split` >= 0, got {size} at position {position}")
        total = total + size
    if known(total != length):
        raise ValueError(f"{op}: expected `split` to sum to {length} (size of axis {axis}), got {total}")
    if torch.compiler.is_compiling():
        torch._check(total == length)
    return sizes


def as_sizes(op: str, split: Sequence[Any]) -> list[Size]:
    """The ints in a Python list of sizes."""
    check_part_count(op, len(split))
    sizes = []
    for size in split:
        if not isinstance(size, (int, torch.SymInt)):
            try:
                size = operator.index(size)
            except TypeError:
                text = f"{op}: expected `split` to hold ints, got {type(size).__name__}"
                raise TypeError(text) from None
        sizes.append(size)
    return sizes


def read_sizes(op: str, split: Tensor, length: Size, axis: int) -> list[Size]:
    """The sizes in a tensor `[n]` of ints; where nobody may read them, sizes that only the run will know."""
    check_part_count(op, split.shape[0])
    if can_read(split):
        return check_sizes(op, split.tolist(), length, axis)
    # A size can leave a tensor as a shape alone, without a break in the graph.
    shapes = torch.ops.stringops._split_sizes(split.to(torch.int64), length, axis, op)
    sizes = [shape.shape[0] for shape in shapes]
    return check_sizes(op, sizes, length, axis)


@register_fake(_SIZES)
def _fake_sizes(split: Tensor, length: Size, axis: int, op: str) -> list[Tensor]:
    check_same_device(op, split=split)
    if split.dtype != torch.int64:
        raise ValueError(f"{op}: expected `split` to be int64, got {dtype_name(split.dtype)}")
    if split.dim() != 1:
        raise ValueError(f"{op}: expected `split` of rank 1, got shape {shape_text(split)}")
    if not is_known(split.shape[0]):
        raise ValueError(
            f"{op}: expected `split` of a known length where the call is traced, since it is the number of pieces "
            "(write the sizes as a list, or cut the axis with torch.narrow)"
        )
    return [split.new_empty([dynamic_size(), 0], dtype=torch.uint8) for _ in range(split.shape[0])]


def is_known(size: Size) -> bool:
    """Whether tracing knows a size, or at least an example of it, rather than leave it to the data."""
    if isinstance(size, torch.SymInt):
        return size.node.hint is not None
    # Dynamo shows an int. What only the data decides is neither known to be even, nor to be odd.
    return known(size % 2 == 0) or known(size % 2 == 1)


def views(input: Any, sizes: list[Size], axis: int) -> list[Any]:
    """The pieces: views of a tensor, or strings that share `data`."""
    if not sizes:
        return []
    if isinstance(input, Tensor):
        return list(torch.split_with_sizes(input, sizes, axis))
    data, offsets, new = input.data, input.offsets, input._new
    if axis != input.ndim - 1:
        return [new(data, piece) for piece in offsets.split_with_sizes(sizes, axis)]
    pieces: list[Any] = []
    start: Size = 0
    if len(sizes) > 2 and not torch.compiler.is_compiling() and sizes[0] > 0 and len(set(sizes[:-1])) == 1:
        # Pieces of one size, which share an offset with their neighbours, in one call; the last may be of another.
        size, count = sizes[0], len(sizes) - 1
        windows = offsets.narrow(axis, 0, size * count + 1).unfold(axis, size + 1, size)
        pieces = [new(data, piece) for piece in windows.unbind(axis)]
        start, sizes = size * count, sizes[count:]
    for size in sizes:
        pieces.append(new(data, offsets.narrow(axis, start, size + 1)))
        start = start + size
    return pieces


def new_parts(input: Tensor, sizes: list[Size], axis: int, keepdims: bool = True) -> list[Tensor]:
    """What the operator returns for a tensor, without values."""
    before, after = list(input.shape[:axis]), list(input.shape[axis + 1 :])
    return [input.new_empty([*before, *([size] if keepdims else []), *after]) for size in sizes]


def new_string_parts(
    data: Tensor, offsets: Tensor, sizes: list[Size], axis: int, keepdims: bool = True
) -> list[Tensor]:
    """What the operator returns for strings, without values: `data` and `offsets` of each piece in turn."""
    shape = [*offsets.shape[:-1], offsets.shape[-1] - 1]
    parts = []
    for size in sizes:
        part = [*shape[:axis], *([size] if keepdims else []), *shape[axis + 1 :]] or [1]
        parts.append(data.new_empty([dynamic_size()]))
        parts.append(offsets.new_empty([*part[:-1], part[-1] + 1]))
    return parts


def register_derivatives(op: str, function: Callable[..., list[Tensor]]) -> None:
    """Those of the operator from those of the public function, whose views torch differentiates."""
    overload = operator_of(op)

    def vmap(
        info: Any, in_dims: Any, input: Tensor, split: Any = None, axis: int = 0, *rest: Any, **kwargs: Any
    ) -> Any:
        input = input.movedim(in_dims[0], -1)  # the axes of a sample keep their numbers
        axis = check_axis(op, input.dim() - 1, axis)
        parts = overload(input, split, axis, *rest, **kwargs)
        return parts, [part.dim() - 1 for part in parts]

    def differentiate(*args: Any, **kwargs: Any) -> list[Tensor]:
        return [part.clone(memory_format=torch.contiguous_format) for part in function(*args, **kwargs)]

    register_derivative(op, differentiate)
    torch.library.register_vmap(f"stringops::{op}", vmap)
