"""A folder of copies of remote files, of bounded size, which processes share.

A copy is named by a digest of the URL and of the marks of its version, and appears whole, by a rename. It is downloaded
again if its size or its time of modification is not the one that it got then. The copies that were used last stay.

Locks are those of `flock`, which the system releases when a process ends:

- Every look at the folder, and every change of it, holds the lock of `.lock`.
- A process that uses a copy holds a shared lock of it. Only copies without a lock are removed.
- A download is a `.partial` file, which has the digest and the size of the copy in its name, and is locked. If it is
  not, its process was killed, and the next process that downloads a file removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from torch_stringops.data.files.remote import Never, RemoteFile, Stopped

DEFAULT_BYTES = 2**34
# The time of modification of all copies, by which shards notice changes.
MTIME_NS = 10**18

_COPY = re.compile(r"[0-9a-f]{32}-.")
_PARTIAL = re.compile(r"\.([0-9a-f]{32})-(\d+)-[0-9a-f]{16}\.partial")
# Copies that were downloaded ahead count as used in an hour, so that they stay until they are used.
_AHEAD_NS = 3600 * 10**9
_POLL_S = 0.02
# The reason why a file has no copy: another process downloads it, or the cache has no room.
_NotFound = Literal["busy", "full"]
# Seconds that a process waits for room in all, before the files that it has open exceed the limit.
_LONGEST_WAIT_S = 5.0


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
        if not (folder is None or isinstance(folder, (str, os.PathLike))):
            raise TypeError(f"{op}: expected `cache_dir` to be a str, a Path or None, got {type(folder).__name__}")
        if folder == "":
            raise ValueError(f"{op}: expected `cache_dir` to be the path of a folder, got an empty string")
        self.op, self.limit, self._waited = op, limit, 0.0
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
            while True:
                found = self._find(file, exceed=self._waited > _LONGEST_WAIT_S)
                if isinstance(found, Lease):
                    return self._whole(file, found, stopped)
                if found == "full" and release():
                    continue
                if stopped.wait(_POLL_S):
                    raise Stopped
                self._waited += _POLL_S if found == "full" else 0

        return file.client.retried(file.url, attempt, stopped)

    def prefetch(self, file: RemoteFile, stopped: threading.Event) -> None:
        """Downloads a copy that will be used, unless another process does, or there is no room."""

        def attempt() -> None:
            found = self._find(file, ahead=True)
            if isinstance(found, Lease):
                self._whole(file, found, stopped, ahead=True).close()

        file.client.retried(file.url, attempt, stopped)

    def _find(self, file: RemoteFile, ahead: bool = False, exceed: bool = False) -> Lease | _NotFound:
        """The copy of a file, or a new partial file for it."""
        with self._locked():
            path = self.path_of(file)
            with suppress(FileNotFoundError):
                found = path.stat()
                if (found.st_size, found.st_mtime_ns) == (file.size, MTIME_NS):
                    return self._share(path, ahead) or "busy"
                # Something else has changed the copy. Processes that read it keep it, without a name.
                path.unlink()
            if (reason := self._make_room(file, exceed)) is not None:
                return reason
            name = f".{file.digest()}-{file.size}-{secrets.token_hex(8)}.partial"
            new = _lock(self.folder / name, fcntl.LOCK_EX | fcntl.LOCK_NB, os.O_CREAT | os.O_EXCL)
            return new or "busy"

    def _make_room(self, file: RemoteFile, exceed: bool) -> _NotFound | None:
        """Removes copies that are not used until a file has room; otherwise the reason why it has none."""
        used, copies, downloads = file.size, [], 0
        for entry in os.scandir(self.folder):
            if partial := _PARTIAL.fullmatch(entry.name):
                if _remove_unlocked(Path(entry.path)):
                    continue
                if partial[1] == file.digest():
                    return "busy"
                used, downloads = used + int(partial[2]), downloads + 1
            elif _COPY.match(entry.name):
                found = entry.stat(follow_symlinks=False)
                used += found.st_size
                copies.append((found.st_atime_ns, found.st_size, Path(entry.path)))
        unused = []
        for _, size, copy in sorted(copies):
            if used > self.limit and (lock := _lock(copy, fcntl.LOCK_EX | fcntl.LOCK_NB)):
                used -= size
                unused.append(lock)
        has_room = used <= self.limit or exceed
        for lock in unused:
            if has_room:
                lock.path.unlink()
            lock.close()
        return None if has_room else "busy" if downloads else "full"

    def _whole(self, file: RemoteFile, found: Lease, stopped: threading.Event, ahead: bool = False) -> Lease:
        """The lease itself if it is of a copy, or downloads the file to the partial one."""
        path = self.path_of(file)
        if found.path == path:
            return found
        try:
            file.client.download(file, found.path, found.descriptor, stopped)
            os.fsync(found.descriptor)
            with self._locked():
                found.path.rename(path)
                found.close()
                copy = self._share(path, ahead)
                assert copy is not None  # whoever removes a copy holds the lock of the folder
                return copy
        finally:
            found.path.unlink(missing_ok=True)
            found.close()

    @staticmethod
    def _share(path: Path, ahead: bool) -> Lease | None:
        os.utime(path, ns=(time.time_ns() + ahead * _AHEAD_NS, MTIME_NS))
        return _lock(path, fcntl.LOCK_SH | fcntl.LOCK_NB)

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


def rename_copy(error: Exception, path: Path, name: str) -> None:
    """Names a remote file in an error instead of its copy."""
    error.args = tuple(arg.replace(str(path), name) if isinstance(arg, str) else arg for arg in error.args)
