"""Verbs about where and how the bytes lie. None of them changes a string."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._errors import brief_errors
from torch_stringops._layout import can_read
from torch_stringops._select_verbs import SelectVerbs

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor


class MemoryVerbs(SelectVerbs):
    """Layout, devices, sharing between processes."""

    __slots__ = ()

    def is_compact(self) -> bool:
        """Whether the strings, in order, tile `data` from its first byte to its last.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.is_compact(), s[1:].is_compact()
            (True, False)
        """
        # NumPy, since torch's threads must not be woken in a forked child, where this decides what to pickle.
        rows = self.offsets.cpu().numpy()
        rows = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])
        if len(rows) == 0:
            return self.data.numel() == 0
        ends_meet = bool((rows[1:, 0] == rows[:-1, -1]).all())
        return ends_meet and int(rows[0, 0]) == 0 and int(rows[-1, -1]) == self.data.numel()

    def compact(self) -> StringTensor:
        """The same strings with no other bytes in `data`; itself where that is so already.

        A slice keeps all of `data` alive; this is how to let go of the rest.

        Example:
            >>> StringTensor.from_list(["a", "long and unwanted"])[:1].compact().data
            tensor([97], dtype=torch.uint8)
        """
        if can_read(self.offsets) and self.is_compact():
            return self._self()
        data, offsets = torch.ops.stringops.string_tensor_pack(
            self.offsets[..., :-1], self.offsets[..., 1:], self.data
        )
        return self._new(data, offsets, scalar=self._scalar)

    def is_contiguous(self) -> bool:
        """As `is_compact`."""
        return self.is_compact()

    def contiguous(self) -> StringTensor:
        """As `compact`."""
        return self.compact()

    def clone(self) -> StringTensor:
        """A copy that shares no memory."""
        return self._new(self.data.clone(), self.offsets.clone(), scalar=self._scalar)

    def detach(self) -> StringTensor:
        """The same strings; there are no gradients to detach from."""
        return self._new(self.data.detach(), self.offsets.detach(), scalar=self._scalar)

    @brief_errors
    def to(
        self,
        device: Any = None,
        *,
        dtype: torch.dtype | None = None,
        non_blocking: bool = False,
        copy: bool = False,
    ) -> StringTensor:
        """On another device, or on that of another tensor; itself where it is there already.

        Args:
            device: a device, its name or index, a Tensor or a StringTensor.
            dtype: None; strings have no dtype to convert.
            non_blocking: as in `torch.Tensor.to`.
            copy: copy even where nothing needs to move.

        Raises:
            TypeError: a dtype is given.

        Example:
            >>> StringTensor.from_list(["a"]).to("cpu").device
            device(type='cpu')
        """
        wrong = device if isinstance(device, torch.dtype) else dtype
        if wrong is not None:
            got = wrong if isinstance(wrong, torch.dtype) else type(wrong).__name__
            raise TypeError(f"StringTensor.to: expected a device, got dtype {got} (strings have no dtype)")
        if isinstance(device, (Tensor, MemoryVerbs)):
            device = device.device
        data = self.data.to(device=device, non_blocking=non_blocking, copy=copy)
        if data is self.data:
            return self._self()
        offsets = self.offsets.to(device=device, non_blocking=non_blocking, copy=copy)
        return self._new(data, offsets, scalar=self._scalar)

    def cpu(self) -> StringTensor:
        """On the CPU, where the operators are."""
        return self.to("cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> StringTensor:
        """In a GPU's memory."""
        return self.to("cuda" if device is None else device, non_blocking=non_blocking)

    @property
    def is_cuda(self) -> bool:
        """Whether the tensors are in a GPU's memory."""
        return self.data.is_cuda

    @property
    def is_cpu(self) -> bool:
        """Whether the tensors are in the CPU's memory."""
        return self.data.is_cpu

    def pin_memory(self) -> StringTensor:
        """In page-locked memory, from which copies to a GPU are asynchronous."""
        return self._new(self.data.pin_memory(), self.offsets.pin_memory(), scalar=self._scalar)

    def is_pinned(self) -> bool:
        """Whether both tensors are in page-locked memory."""
        return bool(self.data.is_pinned() and self.offsets.is_pinned())

    def share_memory_(self) -> StringTensor:
        """Moves both tensors, in place and whole, to memory that other processes can map.

        Example:
            >>> StringTensor.from_list(["a"]).share_memory_().is_shared()
            True
        """
        self.data.share_memory_()
        self.offsets.share_memory_()
        return self._self()

    def is_shared(self) -> bool:
        """Whether other processes can map both tensors."""
        return bool(self.data.is_shared() and self.offsets.is_shared())
