"""Strings of many chunks at positions, by a native function that reads the memory of all chunks through one table.

Passing the tensors of each chunk to an operator would take longer than taking the strings of a batch.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import check_storage
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.strings import is_valid


class ChunkMemory:
    """The addresses of chunks `[n]` or `[n, 1]`, and of their storages, which `is_usable` says whether to use."""

    def __init__(self, chunks: list[StringTensor], starts: list[int]) -> None:
        self.is_usable = pointer_position() is not None and all(map(_is_plain, chunks))
        if not self.is_usable:
            return
        # Kept alive, also if the tensors of the chunks are set to others.
        storages = {s._cdata: s for c in chunks for s in (c.data.untyped_storage(), c.offsets.untyped_storage())}
        self._storages = list(storages.values())
        position = pointer_position()
        watched = [[s._cdata + position, s.data_ptr()] for s in self._storages]
        table = []
        for chunk in chunks:
            check_storage("StringColumn", "data", chunk.data)
            check_storage("StringColumn", "offsets", chunk.offsets)
            data, offsets = chunk.data, chunk.offsets
            table.append([data.data_ptr(), data.numel(), offsets.data_ptr(), offsets.dim()])
        # One array, whose addresses are kept as ints: to ask an array takes longer than the call.
        arrays = (np.array(a, dtype=np.int64).reshape(-1) for a in (table, starts, watched))
        self._table = torch.from_numpy(np.concatenate(list(arrays)))
        first = self._table.data_ptr()
        self._arguments = (
            first,
            first + 32 * len(chunks),
            len(chunks),
            first + 32 * len(chunks) + 8 * len(starts),
            len(watched),
        )

    def gather(self, index: Tensor | bytearray) -> tuple[bytearray, bytearray] | int:
        """The bytes and the offsets of the strings at positions: int64 `[n]`, or their bytes.

        Otherwise, the number of the position that is out of bounds, or -1 if a storage has moved.
        """
        found: tuple[bytearray, bytearray] | int
        if isinstance(index, bytearray):
            found = _convert.column_gather(*self._arguments, index, len(index) // 8)
        else:
            index = index.contiguous()
            found = _convert.column_gather(*self._arguments, index.data_ptr(), index.numel())
        return found


def _is_plain(chunk: StringTensor) -> bool:
    data, offsets = chunk.data, chunk.offsets
    return is_valid(data, offsets) and data.is_cpu and offsets.is_contiguous()


@cache
def pointer_position() -> Any:
    """The place where a storage of torch keeps the address of its memory: bytes after its own address, or None.

    A storage moves its memory when it is sent to another process or resized. Reading that address tells so; to ask all
    storages of a column takes longer than taking the strings of a batch.
    """
    arrays = [torch.from_numpy(np.zeros(100 + i, dtype=np.uint8)).untyped_storage() for i in range(3)]
    arrays += [torch.empty(100, dtype=torch.uint8, device="cpu").untyped_storage()]
    words = [list((ctypes.c_uint64 * 6).from_address(s._cdata)) for s in arrays]
    found = [i for i in range(6) if all(w[i] == s.data_ptr() for w, s in zip(words, arrays, strict=True))]
    return 8 * found[0] if len(found) == 1 else None
