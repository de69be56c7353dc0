"""What every part of StringTensor stands on: the two tensors, their check, and the shape read off them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._fake import MAX_BYTES, MAX_OFFSETS, check_dtype, check_strings, shape_text
from torch_stringops._layout import known, wrap_dim

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class Strings:
    """`data`, `offsets` and the flag of rank 0, with what can be asked without reading a string."""

    __slots__ = ("_scalar", "data", "offsets")

    data: Tensor
    offsets: Tensor
    _scalar: bool

    def __init__(self, data: Tensor, offsets: Tensor = None, *, scalar: bool = False) -> None:  # type: ignore[assignment]
        if offsets is None:
            raise TypeError(
                f"StringTensor: expected the tensors `data` and `offsets`, got {type(data).__name__} alone "
                "(StringTensor.from_list makes one of Python's strings)"
            )
        if scalar or not _clearly_strings(data, offsets):
            _check(data, offsets, scalar)
        self.data = data
        self.offsets = offsets
        self._scalar = scalar

    def _new(self, data: Tensor, offsets: Tensor, *, scalar: bool = False) -> StringTensor:
        # What a verb makes of checked tensors needs no check.
        new: StringTensor = object.__new__(type(self))  # type: ignore[assignment]
        new.data = data
        new.offsets = offsets
        new._scalar = scalar
        return new

    @property
    def shape(self) -> torch.Size:
        """Shape of the string tensor, as of any tensor.

        Example:
            >>> StringTensor.from_list([["a", "b", "c"]]).shape
            torch.Size([1, 3])
        """
        if self._scalar:
            return torch.Size([])
        sizes = self.offsets.shape
        return torch.Size([*sizes[:-1], sizes[-1] - 1])

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis.

        Example:
            >>> StringTensor.from_list(["a", "b"]).size(0)
            2
        """
        return self.shape if dim is None else self.shape[wrap_dim(dim, self.ndim)]

    @property
    def ndim(self) -> int:
        """Number of axes; 0 for a single string."""
        return 0 if self._scalar else self.offsets.dim()

    def dim(self) -> int:
        """Number of axes; 0 for a single string."""
        return self.ndim

    def numel(self) -> int:
        """Number of strings.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).numel()
            4
        """
        if self._scalar:
            return 1
        count: int = self.offsets.shape[-1] - 1
        for size in self.offsets.shape[:-1]:
            count = count * size
        return count

    nelement = numel

    def __len__(self) -> int:
        if self._scalar:
            raise TypeError("len() of a 0-d StringTensor")
        return self.shape[0]

    @property
    def device(self) -> torch.device:
        """Where `data` and `offsets` lie. Operators on strings run on the CPU."""
        return self.data.device

    @property
    def nbytes(self) -> int:
        """Bytes that `data` and `offsets` take; all of `data`, even where the strings are a part of it."""
        return self.data.nbytes + self.offsets.nbytes


def _clearly_strings(data: Any, offsets: Any) -> bool:
    """The checks in the order in which they are cheap, for the calls that pass them all, which most do."""
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
        and offsets.numel() <= MAX_OFFSETS
    )


def _check(data: Any, offsets: Any, scalar: bool) -> None:
    for name, t in (("data", data), ("offsets", offsets)):
        if not isinstance(t, Tensor):
            raise TypeError(f"StringTensor: expected `{name}` to be a Tensor, got {type(t).__name__}")
    # Before the sizes: int64 offsets are often those of more bytes than int32 addresses, and are no error of size.
    check_dtype("StringTensor", "data", data, torch.uint8)
    check_dtype("StringTensor", "offsets", offsets, torch.int32)
    check_strings("StringTensor", data, offsets)
    if data.stride(0) != 1 and not known(data.shape[0] <= 1):
        raise ValueError(
            f"StringTensor: expected `data` to be contiguous, got stride {data.stride(0)} (use .contiguous())"
        )
    if scalar and list(offsets.shape) != [2]:
        raise ValueError(
            f"StringTensor: expected `offsets` of shape [2] if `scalar`, got {shape_text(offsets)}"
        )
