"""The settings of a StreamingDataset that few uses need."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torch_stringops._checks import check_int, check_number
from torch_stringops._names import named_class
from torch_stringops.data.files.cache import DEFAULT_BYTES

_OP = "StreamOptions"
# The least values of the fields that are ints.
_LEAST = {"buffer_rows": 1, "buffer_bytes": 1, "prefetch": 1, "cache_bytes": 1, "fetch_ahead": 0, "retries": 0}


@named_class
@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """Settings of a StreamingDataset: of its shuffle, tables, threads, ranks and remote files.

    Args:
        buffer_rows: the maximum number of rows that are shuffled together.
        buffer_bytes: the maximum number of their bytes in memory. The smaller of the two limits holds. While
            one buffer is used, the next one is read.
        even: repeat rows so that all ranks have the same number of steps, of equal size.
        text: for CSV and JSON lines, names of columns that are strings even if they look like numbers.
        prefetch: the maximum number of batches that threads make ahead.
        rank, world_size: the rank of this process, and the number of ranks. Default: those of
            torch.distributed, if it is initialized, otherwise 0 and 1. Workers that are not forked need them.
        storage_options: options of fsspec for URLs, such as credentials.
        cache_dir: a folder for copies of remote files, which stay there for the next dataset. Default: the folder
            `torch_stringops` in that of the user's caches (`$XDG_CACHE_HOME` or `~/.cache`).
        cache_bytes: the maximum number of bytes of copies in that folder. The least recently used ones are
            removed first, but none while it is read; docs/scale_internals.md says when they exceed it.
        fetch_ahead: the maximum number of remote files that are downloaded before they are needed; 0 for none.
        timeout: seconds without a byte after which a request by HTTP is repeated. Other file systems have limits of
            their own, in `storage_options`.
        retries: how often a request that fails is repeated before it is an error.

    Raises:
        TypeError, ValueError: an argument is not as above.

    Example:
        >>> StreamOptions(buffer_rows=1000).buffer_rows
        1000
    """

    buffer_rows: int = 2**18
    buffer_bytes: int = 2**28
    even: bool = True
    text: str | Sequence[str] = ()
    prefetch: int = 8
    rank: int | None = None
    world_size: int | None = None
    storage_options: Mapping[str, object] | None = field(default=None, repr=False)
    cache_dir: str | os.PathLike[str] | None = None
    cache_bytes: int = DEFAULT_BYTES
    fetch_ahead: int = 16
    timeout: float = 60.0
    retries: int = 6

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            check_int(_OP, name, getattr(self, name), least)
        if not check_number(_OP, "timeout", self.timeout) > 0:
            raise ValueError(f"{_OP}: expected `timeout` to be a positive number of seconds, got {self.timeout}")
        if not (self.cache_dir is None or isinstance(self.cache_dir, (str, os.PathLike))):
            got = type(self.cache_dir).__name__
            raise TypeError(f"{_OP}: expected `cache_dir` to be a str, a Path or None, got {got}")
        if self.cache_dir == "":
            raise ValueError(f"{_OP}: expected `cache_dir` to be the path of a folder, got an empty string")
