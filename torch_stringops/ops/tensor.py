"""ONNX Split and SplitToSequence: splitting a tensor, or strings, along an axis.

Both are reduced to a list of the sizes of the chunks, which fake kernels, derivatives and public functions share. The
operators' checks have the same messages.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import as_int, check_same_device, check_strings, dtype_name, shape_text
from torch_stringops._native import operator as operator_of
from torch_stringops._tracing import Size, can_read, dynamic_size, known, register_fake
from torch_stringops.ops._derivatives import register_derivative
from torch_stringops.ops._packaged import packaged
from torch_stringops.tensor import strings
from torch_stringops.tensor.splitting import chunks_of, unbind
from torch_stringops.tensor.strings import Strings

_SPLIT, _SEQUENCE, _SIZES = "split", "split_to_sequence", "_split_sizes"
_MAX_CHUNKS = 2**24
_UNTRACED_FLOATS = f"{_SPLIT}: floating-point sizes cannot be traced (pass the sizes as a list)"
_UNTRACED_SIZE = (
    f"{_SEQUENCE}: a size in a tensor of rank 0 cannot be traced, since the number of chunks depends on its value "
    "(pass the sizes as a list or as a tensor of rank 1, or a Python int to torch_stringops.split_to_sequence)"
)

_FLOATS = frozenset({torch.float16, torch.float32, torch.float64})
# The types of ONNX versions 2 to 11, together with the floats and strings.
_OTHERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128"
_DTYPES = _FLOATS | {getattr(torch, name) for name in _OTHERS.split()}
_WITH_BFLOAT16 = _DTYPES | {torch.bfloat16}


def _shape(input: Tensor | Strings) -> Any:
    return input.shape if isinstance(input, Tensor) else strings.shape(input)


def _check_dtype(op: str, input: Tensor | Strings, opset: int) -> None:
    dtype = input.dtype if isinstance(input, Tensor) else None
    if op == _SPLIT and opset == 1 and dtype not in _FLOATS:
        got = "strings" if dtype is None else dtype_name(dtype)
        raise ValueError(f"{op}: expected `input` to be float16, float32 or float64 in opset 1, got {got}")
    accepted = _WITH_BFLOAT16 if op == _SEQUENCE or opset >= 13 else _DTYPES
    if dtype is not None and dtype not in accepted:
        raise ValueError(f"{op}: expected `input` of a dtype that ONNX lists, got {dtype_name(dtype)}")


def _check_axis(op: str, rank: int, axis: Any) -> int:
    """Converts `axis` to a non-negative axis of `rank` axes."""
    axis = as_int(op, "axis", axis)
    if rank == 0:
        raise ValueError(f"{op}: expected `input` of rank >= 1, got a scalar")
    if not -rank <= axis < rank:
        raise IndexError(f"{op}: expected `axis` in [{-rank}, {rank - 1}], got {axis}")
    return int(axis % rank)


def _check_num_chunks(op: str, count: Size) -> None:
    """Limits the number of chunks before allocation. It is not limited by the size of the axis if chunks are empty."""
    if type(count) is int and count > _MAX_CHUNKS:
        raise ValueError(f"{op}: expected at most {_MAX_CHUNKS} chunks, got {count}")


def _check_traced(condition: Any) -> None:
    """Under tracing, adds a run-time check for data-dependent sizes."""
    if torch.compiler.is_compiling():
        torch._check(condition)


def _check_sizes(op: str, sizes: list[Size], length: Size, axis: int) -> list[Size]:
    """Checks that the sizes of the chunks are non-negative and that their sum is the size of the axis."""
    _check_num_chunks(op, len(sizes))
    total: Size = 0
    for position, size in enumerate(sizes):
        if known(size < 0):
            raise ValueError(f"{op}: expected `split` >= 0, got {size} at position {position}")
        total = total + size
    if known(total != length):
        raise ValueError(f"{op}: expected `split` to sum to {length} (size of axis {axis}), got {total}")
    _check_traced(total == length)
    return sizes


def _is_known(size: Size) -> bool:
    """Whether a size is not data-dependent: tracing knows it, or an example of it."""
    if isinstance(size, torch.SymInt):
        return size.node.hint is not None
    # Dynamo shows an int for it. A data-dependent size is not known to be even, nor odd.
    return known(size % 2 == 0) or known(size % 2 == 1)


def _known_length(length: Size) -> int:
    """The size of an axis that determines the number of chunks, which must not be data-dependent."""
    if not _is_known(length):
        raise ValueError(
            f"{_SEQUENCE}: expected an axis of known size under tracing, since it decides the number of "
            "chunks (pass the sizes as a list)"
        )
    return int(length)


def _check_count(num_sizes: int, num_outputs: int | None, opset: int) -> None:
    if num_outputs is None:
        return
    if opset >= 18:
        raise ValueError(f"{_SPLIT}: expected either `split` or `num_outputs`, got both")
    if num_outputs != num_sizes:
        raise ValueError(f"{_SPLIT}: expected `split` of {num_outputs} sizes (`num_outputs`), got {num_sizes}")


def _split_sizes(
    shape: Any, split: list[Size] | None, axis: int, num_outputs: int | None, opset: int
) -> tuple[list[Size], int]:
    """The sizes of the chunks of Split, and the axis."""
    axis = _check_axis(_SPLIT, len(shape), axis)
    length = shape[axis]
    if split is not None:
        _check_count(len(split), num_outputs, opset)
        return _check_sizes(_SPLIT, split, length, axis), axis
    if num_outputs is None:
        raise ValueError(f"{_SPLIT}: expected `split` or `num_outputs`, got neither")
    if num_outputs < 1:
        raise ValueError(f"{_SPLIT}: expected `num_outputs` >= 1, got {num_outputs}")
    if opset < 18:
        if known(length % num_outputs != 0):
            raise ValueError(
                f"{_SPLIT}: expected `num_outputs` to divide {length} (size of axis {axis}) before opset 18, "
                f"got {num_outputs}"
            )
        _check_traced(length % num_outputs == 0)
        size = last = length // num_outputs
    else:
        size = (length + num_outputs - 1) // num_outputs
        last = length - size * (num_outputs - 1)
        if known(last < 0):
            raise ValueError(
                f"{_SPLIT}: expected `num_outputs` chunks, of which only the last may be smaller, to fit into {length} "
                f"(size of axis {axis}), got {num_outputs}"
            )
        _check_traced(last >= 0)
    _check_num_chunks(_SPLIT, num_outputs)
    return [size] * (num_outputs - 1) + [last], axis


def _sequence_sizes(shape: Any, split: Any, axis: int) -> tuple[list[Size], int]:
    """The sizes of the chunks of SplitToSequence, and the axis."""
    axis = _check_axis(_SEQUENCE, len(shape), axis)
    length = shape[axis]
    if isinstance(split, (list, tuple)):
        return _check_sizes(_SEQUENCE, list(split), length, axis), axis
    size = 1 if split is None else split
    if size <= 0:
        raise ValueError(f"{_SEQUENCE}: expected `split` > 0, got {size}")
    length = _known_length(length)
    _check_num_chunks(_SEQUENCE, -(-length // size))
    sizes = [size] * (length // size)
    return (sizes if length % size == 0 else [*sizes, length % size]), axis


def _fake_chunks(input: Tensor | Strings, sizes: list[Size], axis: int, keepdims: bool = True) -> list[Tensor]:
    """The results of the operator, without values; for strings, `data` and `offsets` of each chunk in turn."""
    shape = list(_shape(input))
    chunks = []
    for size in sizes:
        chunk = [*shape[:axis], *([size] if keepdims else []), *shape[axis + 1 :]]
        if isinstance(input, Tensor):
            chunks.append(input.new_empty(chunk))
        else:
            *before, last = chunk or [1]
            chunks.append(input.data.new_empty([dynamic_size()]))
            chunks.append(input.offsets.new_empty([*before, last + 1]))
    return chunks


def _fake_sizes_in(op: str, split: Tensor, are_offsets: bool = False) -> list[Size]:
    """The sizes in a tensor `[n]`, data-dependent ones, of axes with one element more if they are those of offsets."""
    if not _is_known(split.shape[0]):
        raise ValueError(
            f"{op}: expected `split` of a known length under tracing, since it is the number of chunks "
            "(pass the sizes as a list, or use torch.narrow)"
        )
    _check_num_chunks(op, split.shape[0])
    return [dynamic_size(minimum=int(are_offsets)) - are_offsets for _ in range(split.shape[0])]


@register_fake(_SIZES)
def _fake_sizes(split: Tensor, length: Size, axis: int, op: str) -> list[Tensor]:
    check_same_device(op, split=split)
    if split.dtype != torch.int64:
        raise ValueError(f"{op}: expected `split` to be int64, got {dtype_name(split.dtype)}")
    if split.dim() != 1:
        raise ValueError(f"{op}: expected `split` of rank 1, got shape {shape_text(split)}")
    return [split.new_empty([size, 0], dtype=torch.uint8) for size in _fake_sizes_in(op, split)]


def _as_sizes(op: str, split: Any, expected: str) -> list[Size]:
    """Converts a Python list of sizes to ints."""
    if not isinstance(split, (list, tuple, torch.Size)):
        raise TypeError(f"{op}: expected `split` to be {expected}, got {type(split).__name__}")
    _check_num_chunks(op, len(split))
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


def _read_sizes(op: str, split: Tensor, length: Size, axis: int) -> list[Size]:
    """Reads the sizes from a tensor `[n]` of ints; under tracing, creates data-dependent sizes."""
    _check_num_chunks(op, split.shape[0])
    if can_read(split):
        sizes: list[Size] = split.tolist()
        return sizes
    # The operator returns tensors of these sizes, since only shapes avoid a graph break.
    shapes = torch.ops.stringops._split_sizes(split.to(torch.int64), length, axis, op)
    return [shape.shape[0] for shape in shapes]


def _check_size_tensor(input: Tensor | Strings, split: Tensor, opset: int) -> None:
    """Checks the input `split` of Split, for which the versions have different rules."""
    if opset == 1:
        dtype = input.dtype if isinstance(input, Tensor) else None
        if split.dtype != dtype:
            raise ValueError(
                f"{_SPLIT}: expected `split` to be {dtype_name(dtype)} like `input` in opset 1, "  # type: ignore[arg-type]
                f"got {dtype_name(split.dtype)} (pass the sizes as a list)"
            )
    elif opset < 13:
        raise ValueError(f"{_SPLIT}: expected `split` to be a list in opset {opset}, got a Tensor")
    elif split.dtype != torch.int64:
        raise ValueError(f"{_SPLIT}: expected `split` to be int64, got {dtype_name(split.dtype)}")
    if split.dim() != 1:
        raise ValueError(f"{_SPLIT}: expected `split` of rank 1, got shape {shape_text(split)}")


def _check_sequence_tensor(split: Tensor) -> None:
    """Checks the input `split` of SplitToSequence."""
    if split.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{_SEQUENCE}: expected `split` to be int32 or int64, got {dtype_name(split.dtype)}")
    if split.dim() > 1:
        raise ValueError(f"{_SEQUENCE}: expected `split` of rank 0 or 1, got shape {shape_text(split)}")


def _read_floats(split: Tensor) -> list[Size]:
    """Reads the sizes from a tensor of floats, for opset 1."""
    if not can_read(split):
        raise ValueError(_UNTRACED_FLOATS)
    _check_num_chunks(_SPLIT, split.shape[0])
    values = split.tolist()
    for position, value in enumerate(values):
        if not float(value).is_integer():
            raise ValueError(f"{_SPLIT}: expected `split` to hold whole numbers, got {value} at position {position}")
    return [int(value) for value in values]


def _views(input: Any, sizes: list[Size], axis: int) -> list[Any]:
    """The chunks: views of a tensor, or strings that share `data`."""
    if not sizes:
        return []
    if isinstance(input, Tensor):
        return list(torch.split_with_sizes(input, sizes, axis))
    return chunks_of(input, sizes, axis)


# Gives the sizes in a tensor `[n]`: `read(op, input, split, axis)`.
Read = Callable[[str, Tensor | Strings, Tensor, int], list[Size]]


def _read(op: str, input: Tensor | Strings, split: Tensor, axis: int) -> list[Size]:
    length = _shape(input)[axis]
    sizes = _read_floats(split) if split.is_floating_point() else _read_sizes(op, split, length, axis)
    return _check_sizes(op, sizes, length, axis)


def _fake_read(op: str, input: Tensor | Strings, split: Tensor, axis: int) -> list[Size]:
    if split.is_floating_point():
        raise ValueError(_UNTRACED_FLOATS)
    check_same_device(op, input=input if isinstance(input, Tensor) else input.data, split=split)
    is_last = isinstance(input, Strings) and axis == len(_shape(input)) - 1
    return _fake_sizes_in(op, split, is_last)


def _chunks_of_split(
    read: Read, input: Tensor | Strings, split: Any, axis: int, num_outputs: int | None, opset: int
) -> tuple[list[Size], int]:
    """The sizes of the chunks of Split, and the axis, after the checks of all arguments."""
    opset = as_int(_SPLIT, "opset", opset)
    if num_outputs is not None:
        num_outputs = as_int(_SPLIT, "num_outputs", num_outputs)
    if opset < 1:
        raise ValueError(f"{_SPLIT}: expected `opset` >= 1, got {opset}")
    _check_dtype(_SPLIT, input, opset)
    if isinstance(split, Tensor):
        _check_size_tensor(input, split, opset)
        axis = _check_axis(_SPLIT, len(_shape(input)), axis)
        _check_count(split.shape[0], num_outputs, opset)
        return read(_SPLIT, input, split, axis), axis
    if split is not None:
        split = _as_sizes(_SPLIT, split, "a list or a Tensor")
    return _split_sizes(_shape(input), split, axis, num_outputs, opset)


def _chunks_of_sequence(read: Read, input: Tensor | Strings, split: Any, axis: int) -> tuple[list[Size], int]:
    """The sizes of the chunks of SplitToSequence, and the axis, after the checks of all arguments."""
    _check_dtype(_SEQUENCE, input, 0)
    axis = _check_axis(_SEQUENCE, len(_shape(input)), axis)
    if isinstance(split, Tensor):
        _check_sequence_tensor(split)
        if split.dim() == 1:
            return read(_SEQUENCE, input, split, axis), axis
        if not can_read(split):
            raise ValueError(_UNTRACED_SIZE)
        split = int(split)
    elif hasattr(split, "__index__"):
        split = int(split)
    elif split is not None:
        split = _as_sizes(_SEQUENCE, split, "an int, a list or a Tensor")
    return _sequence_sizes(_shape(input), split, axis)


def _split(
    input: Any, split: Any = None, axis: int = 0, *, num_outputs: int | None = None, opset: int = 18
) -> list[Any]:
    return _views(input, *_chunks_of_split(_read, input, split, axis, num_outputs, opset))


def _fake_split(
    input: Any, split: Any = None, axis: int = 0, *, num_outputs: int | None = None, opset: int = 18
) -> list[Tensor]:
    return _fake_chunks(input, *_chunks_of_split(_fake_read, input, split, axis, num_outputs, opset))


def _split_to_sequence(input: Any, split: Any = None, axis: int = 0, keepdims: bool = True) -> list[Any]:
    sizes, axis = _chunks_of_sequence(_read, input, split, axis)
    if split is None and not keepdims:
        return list(input.unbind(axis) if isinstance(input, Tensor) else unbind(input, axis))
    return _views(input, sizes, axis)


def _fake_sequence(input: Any, split: Any = None, axis: int = 0, keepdims: bool = True) -> list[Tensor]:
    return _fake_chunks(input, *_chunks_of_sequence(_fake_read, input, split, axis), keepdims or split is not None)


def _register_derivatives(op: str, function: Callable[..., list[Tensor]]) -> None:
    """Registers the derivatives of the operator, which are those of torch's views."""
    overload, name = operator_of(op), op.partition(".")[0]

    def vmap(
        info: Any, in_dims: Any, input: Tensor, split: Any = None, axis: int = 0, *rest: Any, **kwargs: Any
    ) -> Any:
        others = [dim for dims in in_dims[1:] for dim in (dims if isinstance(dims, list) else [dims])]
        if any(dim is not None for dim in others) or in_dims[0] is None:
            raise ValueError(f"{name}: expected torch.vmap over `input` only")
        input = input.movedim(in_dims[0], -1)  # the axes of a sample keep their positions
        axis = _check_axis(name, input.dim() - 1, axis)
        chunks = overload(input, split, axis, *rest, **kwargs)
        return chunks, [chunk.dim() - 1 for chunk in chunks]

    def differentiate(input: Tensor, split: Any = None, *rest: Any, **kwargs: Any) -> list[Tensor]:
        if isinstance(split, Tensor):
            check_same_device(name, input=input, split=split)
        chunks = function(input, split, *rest, **kwargs)
        return [chunk.clone(memory_format=torch.contiguous_format) for chunk in chunks]

    register_derivative(op, differentiate)
    torch.library.register_vmap(f"stringops::{op}", vmap)


def _register(op: str, of_strings: str, function: Callable[..., Any], fake: Callable[..., list[Tensor]]) -> None:
    """Registers the fake kernel of an overload for tensors, its derivatives, and the fake kernel for strings."""
    register_fake(op)(fake)
    register_fake(packaged(op))(fake)
    _register_derivatives(op, function)

    @register_fake(of_strings)
    def fake_strings(data: Tensor, offsets: Tensor, *args: Any, **kwargs: Any) -> list[Tensor]:
        check_strings(op.partition(".")[0], data, offsets)
        return fake(Strings._new(data, offsets), *args, **kwargs)


for _overload in ("", ".Tensor"):
    _register(_SPLIT + _overload, "split_strings" + _overload, _split, _fake_split)
    _register(_SEQUENCE + _overload, "split_strings_to_sequence" + _overload, _split_to_sequence, _fake_sequence)
