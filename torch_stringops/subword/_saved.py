"""The file of a SubwordTokenizer: the tensors of its state, the table that was built from them, and their hashes.

torch.load maps the file. Processes that load it share the pages of the page cache, and so do their forks, because
nothing writes to the tensors. The table has no pointers and is used in place: operators bound each position in it when
they read it, as they do for every table, so that a forged file can give wrong ids, but no access out of bounds. The
hashes detect a file that was damaged, because torch checks no checksum of a mapped tensor.

Only the version of the library that built a table uses it. Another one builds it again from the state.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from os import PathLike, fsdecode
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torch_stringops._atomic import replacing
from torch_stringops._checks import check_flag
from torch_stringops._version import __version__
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._state import STATE, SubwordState

if TYPE_CHECKING:
    from typing_extensions import Self


class SavedFiles(SubwordState):
    """A SubwordState that can be written to a file, and read again."""

    @classmethod
    def load(cls, path: str | PathLike[str], *, mmap: bool = True) -> Self:
        r"""Reads a tokenizer from a file that `save` wrote.

        By default the file is mapped: processes that load it, and their forks, share one copy of the table in memory,
        and 200,000 tokens take a few milliseconds. The mapping stays valid when the file is removed, or replaced, as
        `save` does. If another program truncates the file in place, or its storage goes away, processes that map it are
        ended by the signal SIGBUS; use `mmap=False` for such a file.

        The file may come from a stranger: it contains no code, and a forged table can give wrong ids, but no access
        out of bounds. A file of another version of this library has its table built again, which takes a large part of
        the time of reading the original file of the tokenizer.

        Args:
            path: the path of the file.
            mmap: map the file instead of reading it into the memory of the process.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is malformed or damaged.

        Example:
            >>> import os, tempfile
            >>> ranks = {bytes([byte]): byte for byte in range(256)}
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+"
            ...     r"| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "tokenizer.pt")
            ...     tokenizer.save(path)
            ...     SubwordTokenizer.load(path)
            SubwordTokenizer(256)
        """
        op = "SubwordTokenizer.load"
        state, table = read_saved(op, fsdecode(path), check_flag(op, "mmap", mmap))
        tokenizer = cls.__new__(cls)
        torch.nn.Module.__init__(tokenizer)
        tokenizer._load(state, table)
        return tokenizer

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the tokenizer to a file, for `load`: the tensors of `state_dict`, and the table.

        The file is replaced atomically, so that processes which have mapped the earlier one keep it.

        Raises:
            OSError: the file cannot be written.
        """
        with replacing(path) as file:
            torch.save(saved_form(self._state(), self._table), file)


def saved_form(state: dict[str, Tensor], table: Tensor) -> dict[str, Any]:
    """The content of a file."""
    tensors = {**state, "table": table}
    return {**tensors, "hashes": _hashes(tensors), "version": __version__}


def read_saved(op: str, path: str, mmap: bool) -> tuple[dict[str, Tensor], Tensor | None]:
    """The state in a file, and its table, or None if another version of the library has built it.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a file, or is damaged.
    """
    try:
        found = torch.load(path, weights_only=True, map_location="cpu", mmap=mmap)
    except Exception as error:  # of any type, if the file is damaged; also an OSError, of an invalid argument
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno != errno.EINVAL):
            raise
        raise ValueError(f"{op}: expected a file that `save` wrote, got a damaged one or another") from error
    if not isinstance(found, dict) or any(name not in found for name in STATE):
        raise ValueError(f"{op}: expected a file of {', '.join(STATE)}")
    has_table = "table" in found  # earlier versions wrote the state alone
    tensors = {name: found[name] for name in (*STATE, *(["table"] if has_table else []))}
    for name, t in tensors.items():
        dtype = STATE.get(name, torch.uint8)
        if not (isinstance(t, Tensor) and _is_plain(t, dtype)):
            raise ValueError(f"{op}: expected `{name}` to be a contiguous {dtype} tensor in the file")
    if not has_table:
        return tensors, None
    hashes = found.get("hashes")
    if not (
        isinstance(hashes, Tensor) and _is_plain(hashes, torch.int64) and hashes.tolist() == _hashes(tensors).tolist()
    ):
        raise ValueError(f"{op}: expected a file that `save` wrote, got a damaged one (save it again)")
    table = tensors.pop("table")
    return tensors, table if found.get("version") == __version__ else None


def _is_plain(t: Tensor, dtype: torch.dtype) -> bool:
    """Whether a tensor of an untrusted file is one that `save` writes: dense, aligned, and of less than 2 GB.

    torch.load maps a tensor at the position that the file gives, which may not be a multiple of its element size.
    """
    if t.layout is not torch.strided or t.device.type != "cpu" or t.dtype is not dtype:
        return False
    return t.is_contiguous() and t.nbytes < 2**31 and t.data_ptr() % t.element_size() == 0


def _hashes(tensors: Mapping[str, Tensor]) -> Tensor:
    """The XXH3 hash of the bytes of each tensor, int64."""
    rows = [t.reshape(-1).view(torch.uint8) for t in tensors.values()]
    ends = [torch.tensor([0, len(row)], dtype=torch.int32, device="cpu") for row in rows]
    return torch.stack([StringTensor(*pair).hash() for pair in zip(rows, ends, strict=True)]).flatten()
