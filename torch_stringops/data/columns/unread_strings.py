"""Strings that a worker of DataLoader takes from a column. Unless the worker reads them, they are sent as bytes."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch import Tensor

from torch_stringops._registration import _flatten, _unflatten
from torch_stringops.string_tensor import StringTensor, rebuild_sent
from torch_stringops.tensor.serialization import from_bytes
from torch_stringops.tensor.strings import Strings

# The descriptors of the slots.
_DATA, _OFFSETS = vars(Strings)["_data"], vars(Strings)["_offsets"]


class UnreadStrings(StringTensor):
    """Valid strings `[n]` as bytes and offsets, of which the first access to a tensor makes a StringTensor.

    Making the tensors of a small batch, and bytes of them for another process, takes longer than taking the strings.
    """

    __slots__ = ()

    @staticmethod
    def of(data: bytearray, offsets: bytearray) -> UnreadStrings:
        new = object.__new__(UnreadStrings)
        _DATA.__set__(new, data)
        _OFFSETS.__set__(new, offsets)
        new._scalar = False
        return new

    @classmethod
    def _new(cls, data: Tensor, offsets: Tensor, scalar: bool = False) -> Any:
        return StringTensor._new(data, offsets, scalar)

    def _read(self) -> None:
        # Each slot by itself, as another thread may read the strings at the same time.
        for slot, dtype in ((_DATA, torch.uint8), (_OFFSETS, torch.int32)):
            raw = slot.__get__(self)
            if isinstance(raw, bytearray):
                slot.__set__(self, from_bytes(raw, dtype))
        self.__class__ = StringTensor  # type: ignore[assignment]  # of the same layout

    @property
    def _data(self) -> Tensor:  # type: ignore[override]  # in place of the slot
        self._read()
        tensor: Tensor = _DATA.__get__(self)
        return tensor

    @property
    def _offsets(self) -> Tensor:  # type: ignore[override]  # in place of the slot
        self._read()
        tensor: Tensor = _OFFSETS.__get__(self)
        return tensor


def _reduce(s: UnreadStrings) -> Any:
    return rebuild_sent, (bytes(_DATA.__get__(s)), bytes(_OFFSETS.__get__(s)))


ForkingPickler.register(UnreadStrings, _reduce)
pytree.register_pytree_node(UnreadStrings, _flatten, _unflatten)
