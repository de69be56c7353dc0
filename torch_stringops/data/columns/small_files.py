"""The lines of many small files, one file after the other: a process can have 65,530 maps, and fewer descriptors."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np
import torch
from torch import Tensor

from torch_stringops.data.files.local import MappedFile, tensor_of
from torch_stringops.string_tensor import StringTensor

# Files up to so many bytes are copied into memory, and further ones to a temporary file.
_COPIED = 2**26
# A chunk has about so many bytes.
_CHUNK_BYTES = 2**26


class SmallFiles:
    """Collects ranges of files. Chunks of them, which `flush` makes, are StringTensors, or ranges of a temporary file.

    Attributes:
        parts: the list to which chunks are added.
        file: the temporary file; None if there is none.
    """

    def __init__(self, op: str, parts: list[Any]) -> None:
        self._op, self.parts = op, parts
        self.file: Any = None
        self._raw: list[np.ndarray[Any, Any]] = []
        self._offsets: list[Tensor] = []
        self._size = self._copied = 0

    def add(self, raw: Tensor, offsets: Tensor) -> None:
        """Adds the bytes of a range, with the begins and ends of its lines, int32 `[n, 2]`."""
        if self._size + raw.numel() > _CHUNK_BYTES:
            self.flush()
        self._raw.append(raw.numpy())
        self._offsets.append(offsets + self._size)
        self._size += raw.numel()

    def flush(self) -> None:
        """Makes a chunk of the ranges that were added."""
        if not self._raw:
            return
        data = self._raw[0] if len(self._raw) == 1 else np.concatenate(self._raw)
        offsets = torch.cat(self._offsets)
        if self._copied + self._size <= _COPIED:
            self._copied += self._size
            self.parts.append(StringTensor(tensor_of(data), offsets))
        else:
            if self.file is None:
                self.file = tempfile.NamedTemporaryFile(prefix="torch_stringops-", delete=False)  # noqa: SIM115
                finalize(self.file, _remove, self.file.name, os.getpid())
            begin = self.file.tell()
            self.file.write(data.data)
            self.parts.append((-1, begin, begin + self._size, offsets))
        self._raw, self._offsets, self._size = [], [], 0

    def mapped(self) -> list[MappedFile]:
        """The temporary file, if there is one. A column that reads it has to keep `file`."""
        if self.file is None:
            return []
        self.file.close()
        return [MappedFile(self._op, Path(self.file.name))]


def _remove(path: str, process: int) -> None:
    """Removes a file, unless this is a forked child, whose parent still uses it."""
    if os.getpid() == process:
        with suppress(FileNotFoundError):
            os.unlink(path)
