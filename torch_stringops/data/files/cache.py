"""A folder of copies of remote files, of bounded size, which processes share.

A copy is named by a digest of the URL and of the marks of its version, and appears whole, by a rename. It is downloaded
again if its size or its time of modification is not the one that it got then. The copies that were used last stay.

Locks are those of `flock`, which the system releases when a process ends:

- Every look at the folder, and every change of it, holds the lock of `.lock`.
- A process that uses a copy holds a shared lock of it. Only copies without a lock are removed.
- A process that downloads a file holds the lock of its `.partial` file, which becomes the copy. What a killed process
  leaves has no lock: it is written anew, or removed when room is made.
"""

from __future__ import annotations

import fcntl
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from torch_stringops.data.files.remote import Never, RemoteFile, Stopped

DEFAULT_BYTES = 2**34
# The time of modification of all copies, by which shards notice changes.
MTIME_NS = 10**18

_COPY = re.compile(r"[0-9a-f]{32}-.")
_PARTIAL = re.compile(r"\.[0-9a-f]{32}-(\d+)\.partial")
# Copies that were downloaded ahead count as used in an hour, so that they stay until they are used.
_AHEAD_NS = 3600 * 10**9
_POLL_S = 0.02
# Files that a process downloads ahead at the same time.
_THREADS = 8


class Lease:
    """A file of the cache that this process has locked until `close`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self.descriptor = path, descriptor
        _leases.add(self)

    def close(self) -> None:
        if self in _leases:
            _leases.discard(self)
            # A child that was just forked may have the descriptor too, and with it the lock.
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            os.close(self.descriptor)


_leases: set[Lease] = set()


def _close_in_child() -> None:
    for lease in _leases:
        os.close(lease.descriptor)
    _leases.clear()


os.register_at_fork(after_in_child=_close_in_child)


def _lock(path: Path, kind: int, flags: int = 0) -> Lease | None:
    """Locks a file; None if another process has locked it, and `kind` says not to wait."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o600)
    try:
        fcntl.flock(descriptor, kind)
        return Lease(path, descriptor)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            return None
        raise


class Cache:
    """Copies of remote files. It pickles; a process that gets it uses the same folder.

    Args:
        op: the operator, for messages.
        folder: where copies are kept. Default: a folder of the user's caches.
        limit: the maximum number of bytes of copies and downloads, unless those in use are more.
    """

    def __init__(self, op: str, folder: str | os.PathLike[str] | None, limit: int) -> None:
        self.op, self.limit = op, limit
        caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        self.folder = Path(caches / "torch_stringops" if folder is None else folder).absolute()

    def path_of(self, file: RemoteFile) -> Path:
        """The path that the copy of a file has, or will have. Its suffix is that of the file."""
        name = re.sub(r"[^\w.,=+-]", "_", file.file_name, flags=re.ASCII)[-150:]
        return self.folder / f"{file.digest()}-{name}"

    def lease(self, file: RemoteFile, stopped: threading.Event = Never, release: Callable[[], bool] = bool) -> Lease:
        """A copy of a file, which is downloaded if there is none, and is not removed until the lease is closed.

        Args:
            stopped: ends the wait for a download.
            release: closes a lease of the caller, and says whether there was one. It is called if there is no room.

        Raises:
            OSError: the file cannot be downloaded, or has changed.
        """

        def attempt() -> Lease:
            while (found := self._find(file)) is None:
                if stopped.wait(_POLL_S):
                    raise Stopped
            while found.path != self.path_of(file) and not self._make_room() and release():
                pass
            return self._whole(file, found, stopped)

        return file.client.retried(file.url, attempt, stopped)

    def prefetch(self, file: RemoteFile, stopped: threading.Event) -> None:
        """Downloads a copy that will be used, unless another process does, or there is no room."""

        def attempt() -> None:
            found = self._find(file, ahead=True)
            if found is not None:
                if found.path == self.path_of(file) or self._make_room():
                    found = self._whole(file, found, stopped, ahead=True)
                else:
                    found.path.unlink()
                found.close()

        file.client.retried(file.url, attempt, stopped)

    def _find(self, file: RemoteFile, ahead: bool = False) -> Lease | None:
        """The copy of a file, or the partial file for it; None if another process downloads it."""
        with self._locked():
            path = self.path_of(file)
            with suppress(FileNotFoundError):
                found = path.stat()
                if (found.st_size, found.st_mtime_ns) == (file.size, MTIME_NS):
                    return self._share(path, ahead)
                # Something else has changed the copy. Processes that read it keep it, without a name.
                path.unlink()
            partial = self.folder / f".{file.digest()}-{file.size}.partial"
            return _lock(partial, fcntl.LOCK_EX | fcntl.LOCK_NB, os.O_CREAT)

    def _make_room(self) -> bool:
        """Removes copies that are not used until the others, and the downloads, have room; False if they have none."""
        with self._locked():
            used, copies = 0, []
            for entry in os.scandir(self.folder):
                if partial := _PARTIAL.fullmatch(entry.name):
                    used += 0 if _remove_unlocked(Path(entry.path)) else int(partial[1])
                elif _COPY.match(entry.name):
                    found = entry.stat(follow_symlinks=False)
                    used += found.st_size
                    copies.append((found.st_atime_ns, found.st_size, Path(entry.path)))
            for _, size, path in sorted(copies):
                if used > self.limit and _remove_unlocked(path):
                    used -= size
            return used <= self.limit

    def _whole(self, file: RemoteFile, found: Lease, stopped: threading.Event, ahead: bool = False) -> Lease:
        """The lease itself if it is of a copy, or downloads the file to the partial one."""
        path = self.path_of(file)
        if found.path == path:
            return found
        try:
            file.client.download(file, found.path, stopped)
            os.fsync(found.descriptor)
            with self._locked():
                found.path.rename(path)
                found.close()
                return self._share(path, ahead)
        finally:
            if found in _leases:
                found.path.unlink(missing_ok=True)
                found.close()

    @staticmethod
    def _share(path: Path, ahead: bool) -> Lease:
        os.utime(path, ns=(time.time_ns() + ahead * _AHEAD_NS, MTIME_NS))
        lease = _lock(path, fcntl.LOCK_SH)
        assert lease is not None  # whoever removes a copy holds the lock of the folder
        return lease

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Creates the folder, and locks it. Errors in it are those of the folder."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = _lock(self.folder / ".lock", fcntl.LOCK_EX, os.O_CREAT)
            assert lock is not None
            try:
                yield
            finally:
                lock.close()
        except OSError as error:
            text = f"{self.op}: cannot use `cache_dir` {self.folder}: {error.strerror}"
            raise OSError(text) from None


def _remove_unlocked(path: Path) -> bool:
    """Removes a file, unless a process has locked it."""
    with suppress(FileNotFoundError):
        lock = _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock is None:
            return False
        path.unlink()
        lock.close()
    return True


class Prefetch:
    """Downloads files in the order in which they are read, until `close`, in threads.

    The files that are read, and those ahead of them, leave room for one more file in the cache.

    Args:
        needs: the first and the last step that reads a file, and the file, in the order of first steps.
        ahead: the maximum number of files to download ahead of the step that is read.
    """

    def __init__(self, cache: Cache, needs: Iterable[tuple[int, int, RemoteFile]], ahead: int) -> None:
        self.cache, self.stopped = cache, threading.Event()
        self._ahead, self._coming = ahead, list(needs)[::-1]
        self._limit = cache.limit - max((file.size for _, _, file in self._coming), default=0)
        self._begun: list[tuple[int, int, RemoteFile]] = []
        self._slots = threading.Semaphore(_THREADS)
        self._threads: list[threading.Thread] = []

    def reached(self, step: int) -> None:
        """Tells that the files of a step are being read."""
        self._begun = [need for need in self._begun if need[1] >= step]
        while self._coming and self._ahead:
            first, last, file = self._coming[-1]
            used = sum(file.size for _, _, file in self._begun) + file.size
            ahead = sum(first > step for first, _, _ in self._begun)
            if last >= step and (used > self._limit or (first > step and ahead >= self._ahead)):
                break
            need = self._coming.pop()
            if last >= step:
                self._begun.append(need)
                # An executor would wait for all downloads when the program ends.
                thread = threading.Thread(target=self._fetch, args=[file], daemon=True, name="stringops-data-prefetch")
                thread.start()
                self._threads = [*filter(threading.Thread.is_alive, self._threads), thread]

    def close(self) -> None:
        """Ends the threads."""
        self.stopped.set()
        for thread in self._threads:
            if not sys.is_finalizing():  # then daemon threads have been stopped, wherever they were
                thread.join()

    def _fetch(self, file: RemoteFile) -> None:
        # The error of a file that cannot be downloaded is raised where the file is read.
        with self._slots, suppress(Exception):
            if not self.stopped.is_set():
                self.cache.prefetch(file, self.stopped)


@contextmanager
def renamed(path: Path, name: str) -> Iterator[None]:
    """Names a remote file in errors instead of its copy."""
    try:
        yield
    except Exception as error:
        error.args = tuple(arg.replace(str(path), name) if isinstance(arg, str) else arg for arg in error.args)
        raise
