"""The state of a StringTensor, `data`, `offsets` and a flag: its shape, checks, copies and devices."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import (
    MAX_BYTES,
    MAX_OFFSETS,
    check_dtype,
    check_storage,
    check_strings,
    shape_text,
)
from torch_stringops._native import operator
from torch_stringops._tracing import Size, can_read, known

S = TypeVar("S", bound="Strings")

_pack = operator("string_tensor_pack")
cat_op = operator("_string_cat")


def _reject(s: Any, value: Any) -> None:
    raise AttributeError(
        "StringTensor: strings are immutable; `data` and `offsets` cannot be assigned (make a new tensor: "
        "StringTensor(data, offsets))"
    )


class Strings:
    """The state of a StringTensor. Functions return strings of the type of their argument.

    The string at `[i, ..., j]` is `data[offsets[i, ..., j] : offsets[i, ..., j + 1]]`.
    """

    __slots__ = ("_data", "_offsets", "_scalar")

    _data: Tensor
    _offsets: Tensor
    _scalar: bool  # a single string of rank 0; `offsets` is then `[2]`

    @property
    def data(self) -> Tensor:
        """The bytes of all strings, uint8 `[num_bytes]`. Strings may share bytes, and may leave some out."""
        return self._data

    @property
    def offsets(self) -> Tensor:
        """Where strings begin and end in `data`, in bytes, int32 `[*S[:-1], S[-1] + 1]`; `[2]` of rank 0."""
        return self._offsets

    if not TYPE_CHECKING:  # for type checkers, both are read-only
        data = data.setter(_reject)
        offsets = offsets.setter(_reject)

    @classmethod
    def _new(cls: type[S], data: Tensor, offsets: Tensor, scalar: bool = False) -> S:
        # For tensors that are known to be valid.
        new = object.__new__(cls)
        new._data = data
        new._offsets = offsets
        new._scalar = scalar
        return new


def is_valid(data: Any, offsets: Any) -> bool:
    """A fast path of `check`, cheapest tests first. If False, the tensors may still be valid."""
    return (
        not torch.compiler.is_compiling()
        and type(data) is Tensor
        and type(offsets) is Tensor
        and data.dtype is torch.uint8
        and offsets.dtype is torch.int32
        and data.dim() == 1
        and data.is_contiguous()
        and data.device == offsets.device
        and offsets.dim() >= 1
        and offsets.shape[-1] >= 1
        and data.numel() <= MAX_BYTES
        and 0 < offsets.numel() <= MAX_OFFSETS  # an empty tensor may have a size that is too large
    )


def check(data: Any, offsets: Any, scalar: bool) -> None:
    """Checks types, dtypes, shapes and devices of the tensors of strings, but not their values."""
    for name, t in (("data", data), ("offsets", offsets)):
        if not isinstance(t, Tensor):
            raise TypeError(f"StringTensor: expected `{name}` to be a Tensor, got {type(t).__name__}")
    # Dtypes before sizes, since int64 offsets may address more bytes than int32 offsets.
    check_dtype("StringTensor", "data", data, torch.uint8)
    check_dtype("StringTensor", "offsets", offsets, torch.int32)
    check_strings("StringTensor", data, offsets)
    if data.stride(0) != 1 and not known(data.shape[0] <= 1):
        raise ValueError(
            f"StringTensor: expected `data` to be contiguous, got stride {data.stride(0)} (use .contiguous())"
        )
    if scalar and list(offsets.shape) != [2]:
        raise ValueError(f"StringTensor: expected `offsets` of shape [2] if `scalar`, got {shape_text(offsets)}")


def validate(s: Strings) -> None:
    """Raises ValueError if an offset is out of order or out of range."""
    _read_offsets(_convert.validate, s)


def _read_offsets(read: Callable[..., Any], s: Strings) -> Any:
    """Calls a native function on the number of bytes and the offsets, which it reads in place."""
    offsets = s._offsets
    check_dtype("StringTensor", "offsets", offsets, torch.int32)
    check_storage("StringTensor", "offsets", offsets)
    if type(offsets) is not Tensor or not offsets.is_cpu:
        offsets = torch.from_numpy(offsets.cpu().numpy())
    return read(s._data.shape[0], offsets.data_ptr(), offsets.shape, offsets.stride(), "StringTensor")


def shape(s: Strings) -> list[Size]:
    sizes = s._offsets.shape
    return [] if s._scalar else [*sizes[:-1], sizes[-1] - 1]


def rank(s: Strings) -> int:
    return 0 if s._scalar else s._offsets.dim()


def numel(s: Strings) -> Any:
    """Number of strings."""
    if s._scalar:
        return 1
    count: Size = s._offsets.shape[-1] - 1
    for size in s._offsets.shape[:-1]:
        count = count * size
    return count


def num_bytes(s: Strings) -> int:
    """The number of bytes of the strings. The strings of a row are adjacent."""
    return int(s._offsets[..., -1].sum()) - int(s._offsets[..., 0].sum())


def is_compact(s: Strings) -> bool:
    """Whether the strings are adjacent in `data`, in row-major order, and no other bytes are in it."""
    return bool(_read_offsets(_convert.is_compact, s))


def compact(s: S) -> S:
    """A compact copy, or `s` itself if it is compact."""
    if can_read(s._offsets) and is_compact(s):
        return s
    # Rows of one or two strings are gathered one by one.
    if s._offsets.dim() > 1 and known(s._offsets.shape[-1] <= 3):
        return s._new(*_pack(s._offsets[..., :-1], s._offsets[..., 1:], s._data))
    data, offsets = cat_op([s._data, s._offsets], shape(s) or [1])
    return s._new(data, offsets, s._scalar)


def clone(s: S) -> S:
    """A copy that does not share memory."""
    return s._new(s._data.clone(), s._offsets.clone(), s._scalar)


def to(s: S, device: Any, dtype: Any, non_blocking: bool, copy: bool) -> S:
    """The strings on a device, or `s` itself if it is on it."""
    wrong = device if isinstance(device, torch.dtype) else dtype
    if wrong is not None:
        got = wrong if isinstance(wrong, torch.dtype) else type(wrong).__name__
        raise TypeError(f"StringTensor.to: expected a device, got dtype {got} (strings have no dtype)")
    data = s._data.to(device=device, non_blocking=non_blocking, copy=copy)
    if data is s._data:
        return s
    return s._new(data, s._offsets.to(device=device, non_blocking=non_blocking, copy=copy), s._scalar)
