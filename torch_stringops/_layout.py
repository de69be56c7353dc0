"""The arithmetic of the layout: byte ranges <-> offsets, and the questions one may ask while tracing.

A verb that only moves strings about is the same move applied to the two int32 tensors `begins` and `ends`,
followed by one gather of bytes (`string_tensor_pack`). Where the last axis keeps its place the move applies
to `offsets` itself and no byte is touched.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._errors import brief_errors
from torch_stringops._fake import MAX_BYTES, MAX_OFFSETS, Size

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


# As torch's own iterators have it, and lists nest.
MAX_RANK = 64


def known(condition: Any) -> bool:
    """True where `condition` on sizes certainly holds; under tracing, False where only the data decides."""
    if isinstance(condition, bool) and not torch.compiler.is_compiling():
        return condition
    from torch.fx.experimental.symbolic_shapes import guard_or_false  # sympy: slow to import, so only here

    return bool(guard_or_false(condition))


def can_read(t: Tensor) -> bool:
    """Whether the values of `t` may decide what to do: a real tensor, and nobody records the call."""
    return (
        not torch.compiler.is_compiling()
        and type(t) is Tensor
        and not t.is_meta
        and torch._C._len_torch_dispatch_stack() == 0
    )


def ranges(s: StringTensor) -> tuple[Tensor, Tensor]:
    """First byte of each string and the byte after its last, both of the string tensor's shape."""
    if s._scalar:
        return s.offsets[0], s.offsets[1]
    return s.offsets[..., :-1], s.offsets[..., 1:]


def pack(s: StringTensor, begins: Tensor, ends: Tensor, data: Tensor | None = None) -> StringTensor:
    """Strings at byte ranges of `data` (of `s.data`), compact; a single range of rank 0 shares its bytes."""
    data = s.data if data is None else data
    if begins.dim() == 0:
        return s._new(data, torch.stack([begins, ends]), scalar=True)
    return s._new(*torch.ops.stringops.string_tensor_pack(begins, ends, data))


@brief_errors
def move(s: StringTensor, fn: Callable[[Tensor], Tensor]) -> StringTensor:
    """What `fn`, which may reorder, repeat and drop elements of a tensor, does, done to the strings."""
    begins, ends = ranges(s)
    return pack(s, fn(begins), fn(ends))


def index_tensor(values: Any) -> Tensor:
    """The ints or bools of a sequence as a tensor for an index: on the CPU, whatever the default device is."""
    return torch.as_tensor(values, device=None if isinstance(values, Tensor) else "cpu")


def check_count(op: str, count: Any) -> None:
    """Refuses more strings than a tensor has offsets for, before anything is made for each."""
    if not torch.compiler.is_compiling() and type(count) is int and count >= MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has {count} strings; a tensor has at most {MAX_OFFSETS} offsets (split the batch)"
        )


def check_shape(op: str, shape: Sequence[Size]) -> None:
    """Refuses shapes that no tensor of strings may have, even one without strings if a batch of one could not be."""
    if torch.compiler.is_compiling() or not all(type(size) is int for size in shape):
        return
    if math.prod(max(abs(size), 1) for size in shape) >= MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result has shape {list(shape)}; "
            f"a tensor has at most {MAX_OFFSETS} offsets (split the batch)"
        )


def check_bytes(op: str, num_bytes: Any) -> None:
    if known(num_bytes > MAX_BYTES):
        raise ValueError(
            f"{op}: the result needs {num_bytes} bytes; "
            f"int32 offsets address at most {MAX_BYTES} (split the batch)"
        )


def num_bytes(s: StringTensor) -> int:
    """Bytes of the strings, whatever else `data` holds: in a row of offsets, strings touch each other."""
    return int(s.offsets[..., -1].sum()) - int(s.offsets[..., 0].sum())


def check_copies(op: str, s: StringTensor, copies: Any) -> None:
    """Refuses so many copies of each string, before their byte ranges are made."""
    if not can_read(s.offsets) or type(copies) is not int or copies <= 1:
        return
    count = s.numel() * copies
    check_count(op, count)
    if count > 2**20:  # what fewer strings take in vain is little
        check_bytes(op, num_bytes(s) * copies)


def tiled(begins: Tensor, ends: Tensor) -> Tensor:
    """Offsets for byte ranges each of which, in its row, begins where the one before it ends."""
    return torch.cat([begins, ends[..., -1:]], dim=-1)


def wrap_dim(dim: int, rank: int) -> int:
    """`dim` as a non-negative axis of `rank` axes; rank 0 takes 0 and -1, as in torch."""
    if type(dim) is not int:
        dim = operator.index(dim)
    low = max(rank, 1)
    if not -low <= dim < low:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-low}, {low - 1}], but got {dim})"
        )
    return dim % low


def sizes_of(args: tuple[Any, ...]) -> list[Size]:
    """Sizes given as `(2, 3)` or as one sequence `((2, 3),)`."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], Sequence) else args
    if isinstance(sizes, (str, bytes)):
        raise TypeError(f"StringTensor: expected sizes or axes to be ints, got {type(sizes).__name__}")
    if len(sizes) > MAX_RANK:
        raise ValueError(f"StringTensor: expected at most {MAX_RANK} sizes or axes, got {len(sizes)}")
    return list(sizes)


def shape_of(op: str, other: Any) -> list[Size]:
    shape = getattr(other, "shape", None)
    if not isinstance(shape, Sequence):
        raise TypeError(
            f"{op}: expected `other` to be a StringTensor or a Tensor, got {type(other).__name__}"
        )
    return list(shape)


@brief_errors
def shape_after(s: StringTensor, fn: Callable[[Tensor], Tensor]) -> list[Size]:
    """The shape that `fn` makes of `s`'s, with torch's own checks and messages; allocates nothing."""
    return list(fn(s.offsets.new_empty(()).expand(s.shape)).shape)


def reshaped(s: StringTensor, shape: list[Size]) -> StringTensor:
    """`s` in another shape (no -1 in it), sharing `data` wherever the bytes lie in that order."""
    check_shape("reshape", shape)
    old, offsets = s.shape, s.offsets
    if s._scalar:  # one string, in a shape of ones
        return s._new(s.data, offsets.reshape([*shape[:-1], 2] if shape else [2]), scalar=not shape)
    if not shape:
        return s._new(s.data, offsets.reshape(-1, 2)[0] if offsets.dim() > 1 else offsets, scalar=True)
    if known(s.numel() == 0):
        return s._new(s.data, offsets.new_zeros([*shape[:-1], shape[-1] + 1]))
    if known(shape[-1] == old[-1]):
        return s._new(s.data, offsets.reshape([*shape[:-1], shape[-1] + 1]))
    begins, ends = offsets[..., :-1].reshape(shape), offsets[..., 1:].reshape(shape)
    if known(shape[-1] >= 1):
        # Strings of one row of `offsets` touch each other; rows need not.
        if offsets.dim() == 1 or known(old[-1] % shape[-1] == 0):
            return s._new(s.data, tiled(begins, ends))
        if can_read(offsets) and torch.equal(begins[..., 1:], ends[..., :-1]):
            return s._new(s.data, tiled(begins, ends))
    return pack(s, begins, ends)
