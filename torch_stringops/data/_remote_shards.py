"""Remote files as blocks of rows: the blocks of their copies on disk, which are fetched ahead and again as needed."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torch_stringops._checks import check_number
from torch_stringops.data._cache import MTIME_NS, Cache, Lease
from torch_stringops.data._download import Never, Patience, parquet_footer
from torch_stringops.data._fetch_ahead import FetchAhead
from torch_stringops.data._listing import File
from torch_stringops.data._row_order import RowOrder
from torch_stringops.data._shard import Rows, Shard
from torch_stringops.data._urls import RemoteFile

_OP = "StreamingDataset"

_WATCH_S = 0.25

PlaceOf = Callable[[int], tuple[Shard, int]]
# Opens a copy of a file, or a file of this machine.
OpenCopy = Callable[[Path, File], Shard]


@dataclass(frozen=True)
class RemoteOptions:
    """How remote files are read: arguments of StreamingDataset."""

    storage_options: Mapping[str, object] | None
    cache_dir: str | os.PathLike[str] | None
    cache_bytes: int
    fetch_ahead: int
    patience: Patience


def check_remote(cache_dir: str | os.PathLike[str] | None, timeout: float) -> None:
    """Checks these arguments of StreamingDataset, whether it reads remote files or not."""
    if not check_number(_OP, "timeout", timeout) > 0:
        raise ValueError(f"{_OP}: expected `timeout` to be a positive number of seconds, got {timeout}")
    folder = os.fspath(cache_dir) if isinstance(cache_dir, os.PathLike) else cache_dir
    if folder is not None and not isinstance(folder, str):
        raise TypeError(
            f"{_OP}: expected `cache_dir` to be a str, a Path or None, got {type(folder).__name__}"
        )
    if folder == "":
        raise ValueError(f"{_OP}: expected `cache_dir` to be the path of a folder, got an empty string")


class RemoteShard(Shard):
    """A remote file, whose blocks are those of a copy.

    A shuffle mixes the blocks of a few such files at a time, as of files that are read from their beginning: if it
    mixed those of all files, each would be fetched again and again.
    """

    in_order = True

    def __init__(self, file: RemoteFile, remote: RemoteFiles, open_copy: OpenCopy) -> None:
        self.file, self._remote = file, remote
        self.path: Any = file.name
        self.bytes_of_file = file.size
        self._inner = self._open(open_copy)
        self.rows, self.bytes, self.kinds = self._inner.rows, self._inner.bytes, self._inner.kinds
        self.stays_open = self._inner.stays_open
        self._lease: Lease | None = None  # while the copy is open between reads
        self._lock = threading.Lock()

    def read(self, block: int) -> Rows:
        return self.read_until(block, Never)

    def read_until(self, block: int, stopped: threading.Event) -> Rows:
        """The rows of a block. `stopped` ends a download for it."""
        lease = self._remote.cache.lease(self.file, stopped, self._remote.release)
        if not self.stays_open:
            try:
                with renamed(lease.path, self.file.name):
                    return self._inner.read(block)
            finally:
                lease.close()
        # The copy of a file that stays open is in use until its end.
        with self._lock:
            if self._lease is not None:
                self._lease.close()
            self._lease = lease
            is_last = True
            try:
                with renamed(lease.path, self.file.name):
                    found = self._inner.read(block)
                is_last = block == len(self.rows) - 1
                return found
            finally:
                if is_last:
                    self.close()
                else:
                    self._remote.held(self)

    def release(self) -> bool:
        """Closes the copy, unless it is being read. Says whether it was open."""
        if self._lease is None or not self._lock.acquire(blocking=False):
            return False
        try:
            if self._lease is None:
                return False
            self.close()
            return True
        finally:
            self._lock.release()

    def close(self) -> None:
        """Closes the copy."""
        self._inner.close()
        if self._lease is not None:
            self._lease.close()
        self._lease = None
        self._remote.closed(self)

    def _open(self, open_copy: OpenCopy) -> Shard:
        path = self._remote.cache.path_of(self.file)
        if path.suffix.lower() == ".parquet" and not self._remote.cache.has(self.file):
            footer = parquet_footer(_OP, self.file, self._remote.cache.patience, Never)
            if footer is not None:
                return _of_footer(self.file, footer, path, open_copy)
        with self._remote.cache.leased(self.file) as copy, renamed(copy, self.file.name):
            return open_copy(copy, self.file)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lease": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def _of_footer(file: RemoteFile, footer: bytes, path: Path, open_copy: OpenCopy) -> Shard:
    """The blocks of a Parquet file by its metadata: of a file of the same size that has nothing else."""
    with tempfile.TemporaryDirectory(prefix="torch_stringops-") as folder:
        outline = Path(folder, path.name)
        with outline.open("wb") as out:
            out.truncate(file.size)
            out.seek(file.size - len(footer))
            out.write(footer)
        os.utime(outline, ns=(MTIME_NS, MTIME_NS))
        with renamed(outline, file.name):
            shard = open_copy(outline, file)
        shard.path = path
        return shard


class RemoteFiles:
    """The remote files of a dataset, with their cache. Pickles; a process that gets it uses the same cache."""

    def __init__(self, files: Sequence[RemoteFile], options: RemoteOptions) -> None:
        self.fetch_ahead = options.fetch_ahead
        self.largest = max(file.size for file in files)
        self.cache = Cache(_OP, options.cache_dir, options.cache_bytes, files, options.patience)
        self.stay_open = False  # copies, between reads
        self._held: dict[RemoteShard, None] = {}
        weakref.finalize(self, self.cache.close)

    def held(self, shard: RemoteShard) -> None:
        """Notes that the copy of a shard stays open. The last ones are those that were read last."""
        self._held.pop(shard, None)
        self._held[shard] = None

    def closed(self, shard: RemoteShard) -> None:
        self._held.pop(shard, None)

    def release(self) -> bool:
        """Closes the copy that was not read for the longest time; False if none is open."""
        return any(shard.release() for shard in list(self._held))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": {}}


def open_shards(
    files: Sequence[File], options: RemoteOptions, open_copy: OpenCopy
) -> tuple[list[Shard], RemoteFiles | None]:
    """The blocks of files. Remote ones are fetched ahead of the one that is read, and need not be kept."""
    distant = [file for file in files if isinstance(file, RemoteFile)]
    if not distant:
        return [open_copy(file, file) for file in files if isinstance(file, Path)], None
    remote = RemoteFiles(distant, options)
    needs = [[file] if isinstance(file, RemoteFile) and not _is_parquet(file) else [] for file in files]
    ahead = FetchAhead(remote.cache, needs, 0, options.fetch_ahead, remote.largest)
    shards: list[Shard] = []
    try:
        ahead.start()
        for step, file in enumerate(files):
            ahead.reached(step)
            shards.append(
                RemoteShard(file, remote, open_copy)
                if isinstance(file, RemoteFile)
                else open_copy(file, file)
            )
    finally:
        ahead.close()
    remote.stay_open = any(isinstance(shard, RemoteShard) and shard.stays_open for shard in shards)
    return shards, remote


def _is_parquet(file: RemoteFile) -> bool:
    return file.file_name.lower().endswith(".parquet")


class RemotePass:
    """The places of blocks for a pass over remote files, which are fetched ahead of it until `close`.

    Args:
        order: of the pass.
        place_of: the shard and the block in it, by the number of a block of all files.
        row: the first row of the pass.
    """

    def __init__(self, remote: RemoteFiles, order: RowOrder, place_of: PlaceOf, row: int) -> None:
        self._place_of = place_of
        sizes = np.diff(order.cuts)
        self._window_of = np.empty(len(order.blocks), dtype=np.int64)
        self._window_of[order.blocks] = np.repeat(np.arange(len(sizes)), sizes)
        first = max(int(np.searchsorted(order.starts, row, side="right")) - 1, 0)
        self._remote = remote
        self._ahead = FetchAhead(
            remote.cache, self._needs(order, first), first, remote.fetch_ahead, remote.largest
        )
        self._ahead.start()
        self._watcher: threading.Thread | None = None
        if remote.stay_open:
            self._watcher = threading.Thread(target=self._watch, daemon=True, name="stringops-data-watch")
            self._watcher.start()

    def place_of(self, block: int) -> tuple[Any, int]:
        shard, number = self._place_of(block)
        if isinstance(shard, RemoteShard):
            return _ShardOfPass(shard, self._ahead, int(self._window_of[block])), number
        return shard, number

    def close(self) -> None:
        """Ends the threads, and downloads that are waited for."""
        self._ahead.close()
        if self._watcher is not None:
            self._watcher.join()

    def release(self) -> None:
        """Closes all copies."""
        while self._remote.release():
            pass

    def _watch(self) -> None:
        """Gives up copies that other processes need room for, which may be what this one waits for elsewhere."""
        while not self._ahead.stopped.wait(_WATCH_S):
            if self._remote.cache.is_wanted():
                self._remote.release()

    def _needs(self, order: RowOrder, first: int) -> Iterator[list[RemoteFile]]:
        for window in range(first, len(order.starts) - 1):
            blocks = order.blocks_of(window)
            shards = dict.fromkeys(self._place_of(int(block))[0] for block in blocks)  # as they are read
            yield [shard.file for shard in shards if isinstance(shard, RemoteShard)]


class _ShardOfPass:
    """A shard whose blocks are read in a pass."""

    def __init__(self, shard: RemoteShard, ahead: FetchAhead, window: int) -> None:
        self._shard, self._ahead, self._window = shard, ahead, window
        self.path, self.rows = shard.path, shard.rows

    def read(self, block: int) -> Rows:
        self._ahead.reached(self._window)
        return self._shard.read_until(block, self._ahead.stopped)


@contextmanager
def renamed(copy: Path, name: str) -> Iterator[None]:
    """Names the remote file instead of its copy in errors."""
    try:
        yield
    except Exception as error:
        path = str(copy)
        error.args = tuple(arg.replace(path, name) if isinstance(arg, str) else arg for arg in error.args)
        raise
