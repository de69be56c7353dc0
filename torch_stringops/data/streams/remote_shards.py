"""Remote files as blocks of rows: those of their copies on disk, which are downloaded ahead, and again if needed."""

from __future__ import annotations

import copy
import os
import struct
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops.data.files.cache import MTIME_NS, Cache, Lease, Prefetch, renamed
from torch_stringops.data.files.listing import File
from torch_stringops.data.files.remote import RemoteFile
from torch_stringops.data.streams.row_order import RowOrder
from torch_stringops.data.streams.shard import Rows, Shard

_OP = "StreamingDataset"

# Opens a copy of a file, or a file of this machine.
OpenCopy = Callable[[Path], Shard]


class RemoteShard(Shard):
    """The blocks of a remote file, which `RemotePass` reads.

    A shuffle mixes the blocks of a few such files at a time, as of files that are read from their beginning: if it
    mixed those of all files, each would be downloaded again and again.
    """

    in_order = True

    def __init__(self, file: RemoteFile, copy: Shard) -> None:
        self.file, self.copy, self.bytes_of_file = file, copy, file.size
        self.path: Any = file.name
        self.rows, self.bytes, self.kinds = copy.rows, copy.bytes, copy.kinds


def open_shards(files: Sequence[File], cache: Cache, fetch_ahead: int, open_copy: OpenCopy) -> list[Shard]:
    """The blocks of files. Remote ones are read once, except for Parquet files, of which only the metadata is."""
    remote = [file for file in files if isinstance(file, RemoteFile)]
    largest = max(remote, key=lambda file: file.size, default=None)
    if largest is not None and largest.size > cache.limit:
        raise ValueError(
            f"{_OP}: expected `cache_bytes` to hold the largest file, {largest.name}, of {largest.size} bytes, "
            f"got {cache.limit}"
        )
    needs = [(i, i, f) for i, f in enumerate(files) if isinstance(f, RemoteFile) and not _is_parquet(f)]
    shards: list[Shard] = []
    with closing(Prefetch(cache, needs, fetch_ahead)) as prefetch:
        for step, file in enumerate(files):
            prefetch.reached(step)
            if isinstance(file, RemoteFile):
                shards.append(RemoteShard(file, _open(file, cache, open_copy)))
            else:
                shards.append(open_copy(file))
    return shards


def _open(file: RemoteFile, cache: Cache, open_copy: OpenCopy) -> Shard:
    path = cache.path_of(file)
    if _is_parquet(file) and not path.exists() and (footer := _footer(file)):
        # A file of the same size that has nothing but the metadata.
        with tempfile.TemporaryDirectory(prefix="torch_stringops-") as folder:
            outline = Path(folder, path.name)
            with outline.open("wb") as out:
                out.seek(file.size - len(footer))
                out.write(footer)
            os.utime(outline, ns=(MTIME_NS, MTIME_NS))
            with renamed(outline, file.name):
                shard = open_copy(outline)
            shard.path = path
            return shard
    with closing(cache.lease(file)), renamed(path, file.name):
        return open_copy(path)


def _is_parquet(file: RemoteFile) -> bool:
    return file.file_name.lower().endswith(".parquet")


def _footer(file: RemoteFile) -> bytes | None:
    """The last bytes of a Parquet file, which hold its metadata; None if it does not end as one."""
    tail, size = b"", 2**16
    while len(tail) < size <= file.size - 4 or not tail:
        tail = file.client.read(file, max(0, file.size - size), file.size)
        if len(tail) < 12 or tail[-4:] != b"PAR1":
            return None
        size = struct.unpack("<I", tail[-8:-4])[0] + 8
    return tail[-size:] if size <= file.size - 4 else None


class RemotePass:
    """Reads blocks in a pass over files, of which remote ones are downloaded ahead until `stop`.

    Args:
        order: of the pass.
        shards: the blocks of all files.
        row: the first row of the pass.
    """

    def __init__(self, cache: Cache, fetch_ahead: int, order: RowOrder, shards: Sequence[Shard], row: int) -> None:
        # The first and the last window that has blocks of a file, from the first window of the pass on.
        begin = max(order.window_of(row), 0)
        windows = np.empty(len(order.blocks), dtype=np.int64)
        windows[order.blocks] = np.repeat(np.arange(len(order.cuts) - 1), np.diff(order.cuts))
        ends = np.cumsum([len(shard.rows) for shard in shards])
        needs = []
        for shard, of_file in zip(shards, np.split(windows, ends[:-1]), strict=True):
            of_file = of_file[of_file >= begin]
            if isinstance(shard, RemoteShard) and len(of_file):
                needs.append((int(of_file.min()), int(of_file.max()), shard.file))
        self._prefetch = Prefetch(cache, sorted(needs, key=lambda need: need[0]), fetch_ahead)
        self.reached, self.stop = self._prefetch.reached, self._prefetch.close
        # Copies that stay open between blocks, the last used ones last. They are in use until they are closed.
        self._open: dict[Shard, tuple[Shard, Lease]] = {}

    def read(self, shard: Shard, block: int) -> Rows:
        if not isinstance(shard, RemoteShard):
            return shard.read(block)
        opened = self._open.pop(shard, None)
        if opened is None:
            lease = self._prefetch.cache.lease(shard.file, self._prefetch.stopped, self._release)
            opened = copy.copy(shard.copy), lease
        self._open[shard] = opened
        try:
            with renamed(opened[1].path, shard.file.name):
                rows = opened[0].read(block)
        except BaseException:
            self._close(shard)
            raise
        if not opened[0].stays_open or block == len(shard.rows) - 1:
            self._close(shard)
        return rows

    def close(self) -> None:
        """Closes all copies."""
        while self._release():
            pass

    def _release(self) -> bool:
        """Closes the copy that was not read for the longest time; False if none is open."""
        if self._open:
            self._close(next(iter(self._open)))
            return True
        return False

    def _close(self, shard: Shard) -> None:
        opened, lease = self._open.pop(shard)
        opened.close()
        lease.close()
