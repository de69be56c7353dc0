"""Methods that tell and change where strings are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_stringops._types import Device
from torch_stringops.methods._base import Methods
from torch_stringops.tensor import strings
from torch_stringops.tensor.strings import Strings

if TYPE_CHECKING:
    from typing_extensions import Self


class MemoryMethods(Methods):
    """Memory and devices."""

    __slots__ = ()

    @property
    def device(self) -> torch.device:
        """Returns the device of `data` and `offsets`. Operators on strings run on the CPU."""
        return self.data.device

    @property
    def nbytes(self) -> int:
        """Returns the number of bytes of `data` and `offsets`, including bytes of `data` that no string uses."""
        return self.data.nbytes + self.offsets.nbytes

    def is_contiguous(self) -> bool:
        """Returns True if the strings are adjacent in `data`, in row-major order, and no other bytes are in it.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.is_contiguous(), s[1:].is_contiguous()
            (True, False)
        """
        return strings.is_compact(self)

    def contiguous(self) -> Self:
        """Returns a compact copy of the strings, or `self` if they are compact (`is_contiguous`).

        A slice shares `data` with the whole tensor and keeps all of it in memory; a compact copy does not.

        Example:
            >>> StringTensor.from_list(["a", "long and unwanted"])[:1].contiguous().data
            tensor([97], dtype=torch.uint8)
        """
        return strings.compact(self)

    def clone(self) -> Self:
        """Returns a copy that shares no memory with this tensor."""
        return strings.clone(self)

    def detach(self) -> Self:
        """Returns a new StringTensor that shares the memory. Strings have no gradients."""
        return self._new(self.data.detach(), self.offsets.detach(), self._scalar)

    def to(
        self,
        device: Device | Tensor | Strings | None = None,
        *,
        dtype: torch.dtype | None = None,
        non_blocking: bool = False,
        copy: bool = False,
    ) -> Self:
        """Returns the strings on the given device, or `self` if they are on it.

        Args:
            device: a device, its name or index; or a Tensor or StringTensor, for its device.
            dtype: must be None: strings have no dtype.
            non_blocking: as in `torch.Tensor.to`, of both tensors: a copy from pinned memory to a GPU may
                return before it is done. After a copy from a GPU, synchronize before using the strings:
                operators read them at once, and bytes that have not arrived lead to an error or to other
                strings.
            copy: copy even if the strings are on the device.

        Raises:
            TypeError: `dtype` is not None.

        Example:
            >>> StringTensor.from_list(["a"]).to("cpu").device
            device(type='cpu')
        """
        if isinstance(device, (Tensor, Strings)):
            device = device.device if isinstance(device, Tensor) else device.data.device
        return strings.to(self, device, dtype, non_blocking, copy)

    def cpu(self) -> Self:
        """Returns the strings on the CPU, or `self` if they are on it."""
        return self.to("cpu")

    def cuda(self, device: Device | None = None, non_blocking: bool = False) -> Self:
        """Returns the strings on a CUDA device. Default: the current one."""
        return self.to("cuda" if device is None else device, non_blocking=non_blocking)

    @property
    def is_cuda(self) -> bool:
        """True if the strings are on a CUDA device."""
        return self.data.is_cuda

    @property
    def is_cpu(self) -> bool:
        """True if the strings are on the CPU."""
        return self.data.is_cpu

    def pin_memory(self) -> Self:
        """Returns a copy of both tensors in pinned memory, from which copies to a GPU can be asynchronous.

        Do not change it before such a copy is done (`torch.cuda.synchronize`). DataLoader(pin_memory=True) calls this
        method for the StringTensors of a batch.
        """
        return self._new(self.data.pin_memory(), self.offsets.pin_memory(), self._scalar)

    def is_pinned(self) -> bool:
        """Returns True if both tensors are in pinned memory."""
        return bool(self.data.is_pinned() and self.offsets.is_pinned())

    def share_memory_(self) -> Self:
        """Moves the storages of both tensors, in place, to shared memory, and returns `self`.

        Example:
            >>> StringTensor.from_list(["a"]).share_memory_().is_shared()
            True
        """
        self.data.share_memory_()
        self.offsets.share_memory_()
        return self

    def is_shared(self) -> bool:
        """Returns True if both tensors are in shared memory."""
        return bool(self.data.is_shared() and self.offsets.is_shared())

    def validate(self) -> Self:
        """Checks the values of `offsets`, as every operator does, and returns `self`.

        Raises:
            ValueError: an offset is negative, greater than the size of `data`, or less than the one before it in its
                row.

        Example:
            >>> three_bytes = torch.zeros(3, dtype=torch.uint8)
            >>> StringTensor(three_bytes, torch.tensor([0, 4], dtype=torch.int32)).validate()
            Traceback (most recent call last):
            ValueError: StringTensor.validate: expected `offsets` non-decreasing within [0, 3] in each row, got
            4 at row 0, position 1
        """
        strings.validate(self)
        return self
