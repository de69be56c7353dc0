"""The file of a SubwordTokenizer: the tensors of its state, the table that was built from them, and their hashes.

torch.load maps the file. Processes that load it share the pages of the page cache, and so do their forks, because
nothing writes to the tensors. The table has no pointers and is used in place: operators bound each position in it when
they read it, as they do for every table, so that a forged file can give wrong ids, but no access out of bounds. The
hashes detect a file that was damaged, because torch checks no checksum of a mapped tensor.

Only the version of the library that built a table uses it. Another one builds it again from the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from torch_stringops._version import __version__
from torch_stringops.string_tensor import StringTensor

# The tensors of the state, and their types.
_STATE = {
    "data": torch.uint8,
    "offsets": torch.int32,
    "numbers": torch.int32,
    "spec": torch.uint8,
    "settings": torch.int64,
}


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
    except (OSError, MemoryError):
        raise
    except Exception as error:  # of any type, if the file is damaged
        raise ValueError(f"{op}: expected a file that `save` wrote, got a damaged one or another") from error
    if not isinstance(found, dict) or any(name not in found for name in _STATE):
        raise ValueError(f"{op}: expected a file of {', '.join(_STATE)}")
    has_table = "table" in found  # earlier versions wrote the state alone
    tensors = {name: found[name] for name in (*_STATE, *(["table"] if has_table else []))}
    for name, t in tensors.items():
        dtype = _STATE.get(name, torch.uint8)
        if not (isinstance(t, Tensor) and _is_plain(t, dtype)):
            raise ValueError(f"{op}: expected `{name}` to be a contiguous {dtype} tensor in the file")
    if not has_table:
        return tensors, None
    hashes = found.get("hashes")
    if not (
        isinstance(hashes, Tensor)
        and _is_plain(hashes, torch.int64)
        and hashes.tolist() == _hashes(tensors).tolist()
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
