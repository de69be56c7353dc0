"""Remote files as blocks of rows: those of their copies on disk, which are downloaded ahead, and again if needed."""

from __future__ import annotations

import copy
import os
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops.data.files.cache import MTIME_NS, Cache, Lease, rename_copy
from torch_stringops.data.files.listing import File
from torch_stringops.data.files.prefetch import Prefetch
from torch_stringops.data.files.remote import RemoteFile
from torch_stringops.data.streams.row_order import RowOrder
from torch_stringops.data.streams.shard import Rows, Shard

_OP = "StreamingDataset"

# Opens a copy of a file, or a file of this machine.
OpenCopy = Callable[[Path, File], Shard]


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
                shards.append(open_copy(file, file))
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
                shard = open_copy(outline, file)
            shard.path = path
            return shard
    with closing(cache.lease(file)), renamed(path, file.name):
        return open_copy(path, file)


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
    """The places of blocks for a pass over files, of which remote ones are downloaded ahead until `stop`.

    Args:
        order: of the pass.
        shards: the blocks of all files.
        place_of: the shard and the block in it, by the number of a block of all files.
        row: the first row of the pass.
    """

    def __init__(
        self,
        cache: Cache,
        fetch_ahead: int,
        order: RowOrder,
        shards: Sequence[Shard],
        place_of: Callable[[int], tuple[Any, int]],
        row: int,
    ) -> None:
        self.cache, self._place_of = cache, place_of
        sizes = np.diff(order.cuts)
        self._window_of = np.empty(len(order.blocks), dtype=np.int64)
        self._window_of[order.blocks] = np.repeat(np.arange(len(sizes)), sizes)
        # The first and the last window that has blocks of a file, from the first window of the pass on.
        begin = max(int(np.searchsorted(order.starts, row, side="right")) - 1, 0)
        ends = np.cumsum([len(shard.rows) for shard in shards])
        needs = []
        for shard, windows in zip(shards, np.split(self._window_of, ends[:-1]), strict=True):
            windows = windows[windows >= begin]
            if isinstance(shard, RemoteShard) and len(windows):
                needs.append((int(windows.min()), int(windows.max()), shard.file))
        self._prefetch = Prefetch(cache, sorted(needs, key=lambda need: need[0]), fetch_ahead)
        self.stopped = self._prefetch.stopped
        self._readers: dict[Shard, _Reader] = {}
        self.open: dict[_Reader, None] = {}  # whose copies are open between blocks, the last used ones last

    def place_of(self, block: int) -> tuple[Any, int]:
        shard, number = self._place_of(block)
        if not isinstance(shard, RemoteShard):
            return shard, number
        self._prefetch.reached(int(self._window_of[block]))
        return self._readers.setdefault(shard, _Reader(shard, self)), number

    def release(self) -> bool:
        """Closes the copy that was not read for the longest time; False if none is open."""
        for reader in self.open:
            reader.close()
            return True
        return False

    def stop(self) -> None:
        """Ends the threads, and downloads that are waited for."""
        self._prefetch.close()

    def close(self) -> None:
        """Closes all copies."""
        while self.release():
            pass


class _Reader:
    """Reads the blocks of a remote file in a pass. A copy that stays open between blocks is in use until its end."""

    def __init__(self, shard: RemoteShard, remote: RemotePass) -> None:
        self.path, self.rows = shard.path, shard.rows
        self._file, self._copy, self._pass = shard.file, copy.copy(shard.copy), remote
        self._lease: Lease | None = None

    def read(self, block: int) -> Rows:
        remote, lease, self._lease = self._pass, self._lease, None
        remote.open.pop(self, None)
        lease = lease or remote.cache.lease(self._file, remote.stopped, remote.release)
        try:
            with renamed(lease.path, self._file.name):
                rows = self._copy.read(block)
            if self._copy.stays_open and block < len(self.rows) - 1:
                self._lease = lease
                remote.open[self] = None
            return rows
        finally:
            if self._lease is None:
                self._copy.close()
                lease.close()

    def close(self) -> None:
        """Closes the copy, if it is open."""
        self._pass.open.pop(self, None)
        self._copy.close()
        if self._lease is not None:
            self._lease.close()
        self._lease = None


@contextmanager
def renamed(path: Path, name: str) -> Iterator[None]:
    """Names a remote file in errors instead of its copy."""
    try:
        yield
    except Exception as error:
        rename_copy(error, path, name)
        raise
