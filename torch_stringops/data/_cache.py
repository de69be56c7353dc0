"""A folder of copies of remote files, of bounded size, which the processes of a machine share.

A copy is named by a digest of the URL and of the marks of its version, and appears whole, by a rename. A copy that has
another size or time of modification than it got then is fetched again. Every change of the folder holds the lock of
`.lock`. Locks are those of `flock`, which the system releases when a process ends:

- a process that reads a copy holds a shared lock of it. Only copies that can be locked exclusively are removed.
- a process that downloads a copy holds an exclusive lock of its `.partial` file, which has its full size from the
  beginning, so that the sizes of all files add up to the used and reserved space. A `.partial` file whose lock is free
  was left by a process that died.
- a process that finds no room touches `.wanted`, so that processes give up copies that are open, but not being read.
- a process that uses a temporary folder holds a shared lock of `.users`; the last one removes the folder.

Copies whose time of access is the oldest are removed first. The time is set when a copy is used, and an hour ahead of
that when it has been fetched and is not used yet.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from torch_stringops._atomic import is_at
from torch_stringops.data._download import Never, Patience, Stopped, download
from torch_stringops.data._urls import RemoteFile

DEFAULT_BYTES = 2**34

# The time of modification of all copies, by which shards notice changes.
MTIME_NS = 10**18
_NOT_USED_YET_NS = 3600 * 10**9
_COPY = re.compile(r"[0-9a-f]{32}-.")
_PARTIAL = re.compile(r"\.[0-9a-f]{32}\.partial$")
_POLL_S = 0.02
# Seconds for which a process is taken to wait for room, after it has looked for it.
_WANTED_S = 1.0
# Longer names are cut at their beginning: file systems limit names to 255 bytes.
_MAX_NAME = 150

Fetched = Literal["here", "busy", "full"]

# Descriptors whose locks are of this process. A forked child closes them, so that it does not keep the locked files.
_locked: set[int] = set()


def _close_in_child() -> None:
    for descriptor in _locked:
        with suppress(OSError):
            os.close(descriptor)
    _locked.clear()


os.register_at_fork(after_in_child=_close_in_child)


class Lease:
    """A copy that is not removed until `close`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor
        self._pid = os.getpid()

    def close(self) -> None:
        if self._descriptor >= 0 and self._pid == os.getpid():
            _unlock(self._descriptor)
        self._descriptor = -1


class Cache:
    """See the head of this file.

    Args:
        op: for messages.
        folder: where copies are kept; None for a temporary folder, which processes share that read the same files.
        limit: the most bytes of copies and downloads. A folder with several limits obeys each one when it is used.
        files: of the dataset.
        patience: of downloads.
    """

    def __init__(
        self,
        op: str,
        folder: str | os.PathLike[str] | None,
        limit: int,
        files: Sequence[RemoteFile],
        patience: Patience,
    ) -> None:
        self.op, self.limit, self.patience = op, limit, patience
        self.is_temporary = folder is None
        self.folder = Path(_temporary_folder(files) if folder is None else os.fspath(folder)).absolute()
        self._users: tuple[int, int] | None = None  # process and descriptor
        largest = max(files, key=lambda file: file.size)
        if largest.size > limit:
            raise ValueError(
                f"{op}: expected `cache_bytes` to hold the largest file, {largest.name}, of {largest.size} bytes, "
                f"got {limit}"
            )

    def path_of(self, file: RemoteFile) -> Path:
        """The path that the copy of a file has, or will have. Its suffix is that of the file."""
        name = re.sub(r"[^\w.,=+-]", "_", file.file_name)[-_MAX_NAME:]
        while len(os.fsencode(name)) > _MAX_NAME:
            name = name[1:]
        return self.folder / f"{file.digest()}-{name}"

    def has(self, file: RemoteFile) -> bool:
        return self.path_of(file).exists()

    @contextmanager
    def leased(self, file: RemoteFile, stopped: threading.Event = Never) -> Iterator[Path]:
        lease = self.lease(file, stopped)
        try:
            yield lease.path
        finally:
            lease.close()

    def lease(
        self, file: RemoteFile, stopped: threading.Event = Never, release: Callable[[], bool] = bool
    ) -> Lease:
        """A copy of a file, which is downloaded if there is none.

        Args:
            stopped: ends the wait for a download.
            release: gives up a lease of this process, and says whether there was one; called if there is no room.

        Raises:
            OSError: the file cannot be downloaded, or has changed.
        """
        while True:
            lease = self._open_copy(file)
            if lease is not None:
                return lease
            fetched = self._fetch(file, stopped, ahead=False)
            if isinstance(fetched, Lease):
                return fetched
            if not (fetched == "here" or (fetched == "full" and release())) and stopped.wait(_POLL_S):
                raise Stopped

    def fetch_ahead(self, file: RemoteFile, stopped: threading.Event) -> bool:
        """Downloads a copy that will be needed, unless another process does. False if there is no room for it."""
        fetched = self._fetch(file, stopped, ahead=True)
        if isinstance(fetched, Lease):
            fetched.close()
        return fetched != "full"

    def is_wanted(self) -> bool:
        """Whether a process waits for room."""
        with suppress(FileNotFoundError):
            return time.time() - (self.folder / ".wanted").stat().st_mtime < _WANTED_S
        return False

    def _fetch(self, file: RemoteFile, stopped: threading.Event, ahead: bool) -> Lease | Fetched:
        path, partial = self.path_of(file), self.folder / f".{file.digest()}.partial"
        with self._lock():
            with suppress(FileNotFoundError):
                if _is_intact(path.stat(), file):
                    if ahead:
                        os.utime(path, ns=(time.time_ns() + _NOT_USED_YET_NS, MTIME_NS))
                    return "here"
                # Something else has changed the copy. Those who read it keep it, under no name.
                os.unlink(path)
            descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            if not _try_lock(descriptor, fcntl.LOCK_EX):
                os.close(descriptor)
                return "busy"
            _locked.add(descriptor)
            has_room = False
            try:
                if self._make_room(file.size, partial.name):
                    os.ftruncate(descriptor, 0)
                    os.ftruncate(descriptor, file.size)
                    has_room = True
                elif not ahead:
                    (self.folder / ".wanted").touch(mode=0o600)
            finally:
                if not has_room:
                    os.unlink(partial)
                    _unlock(descriptor)
            if not has_room:
                return "full"
        try:
            download(self.op, file, descriptor, self.patience, stopped)
            if not self.is_temporary:
                os.fsync(descriptor)
            with self._lock():
                os.utime(descriptor, ns=(time.time_ns() + (_NOT_USED_YET_NS if ahead else 0), MTIME_NS))
                os.rename(partial, path)
                fcntl.flock(descriptor, fcntl.LOCK_SH)  # in use before the lock of the folder is free
            return Lease(path, descriptor)
        except BaseException as error:
            with self._lock(), suppress(FileNotFoundError):
                os.unlink(partial)
            _unlock(descriptor)
            if isinstance(error, OSError) and error.errno is not None:
                raise OSError(
                    error.errno, f"{self.op}: {file.name}: cannot be kept in {self.folder}: {error.strerror}"
                ) from None
            raise

    def close(self) -> None:
        """Ends the use of the folder by this process. The last process removes it, if it is temporary."""
        if not self.is_temporary or self._users is None:
            return
        (pid, descriptor), self._users = self._users, None
        if pid != os.getpid():
            return
        # No process begins to use the folder, or a copy, without this lock.
        with suppress(FileNotFoundError), _exclusive(self.folder / ".lock"):
            _unlock(descriptor)
            _remove_if_unused(self.folder)

    def _open_copy(self, file: RemoteFile) -> Lease | None:
        path = self.path_of(file)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except (FileNotFoundError, NotADirectoryError):
            return None
        is_locked = _try_lock(descriptor, fcntl.LOCK_SH) and is_at(descriptor, path)
        if is_locked and _is_intact(os.fstat(descriptor), file):
            os.utime(descriptor, ns=(time.time_ns(), MTIME_NS))
            _locked.add(descriptor)
            return Lease(path, descriptor)
        os.close(descriptor)
        return None

    def _make_room(self, size: int, mine: str) -> bool:
        """Removes copies that are not in use, the least recently used first, until `size` more bytes are allowed."""
        used = 0
        copies: list[tuple[int, int, str]] = []
        for entry in os.scandir(self.folder):
            is_partial = _PARTIAL.match(entry.name) is not None
            if entry.name == mine or not (is_partial or _COPY.match(entry.name)):
                continue
            found = entry.stat(follow_symlinks=False)
            if is_partial and _remove_free(entry.path):
                continue
            used += found.st_size
            if not is_partial:
                copies.append((found.st_atime_ns, found.st_size, entry.path))
        chosen: list[tuple[int, str]] = []
        try:
            for _, bytes_of_copy, path in sorted(copies):
                if used + size <= self.limit:
                    break
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
                if _try_lock(descriptor, fcntl.LOCK_EX):
                    chosen.append((descriptor, path))
                    used -= bytes_of_copy
                else:
                    os.close(descriptor)
            if used + size > self.limit:
                return False
            for _, path in chosen:
                os.unlink(path)
            return True
        finally:
            for descriptor, _ in chosen:
                _unlock(descriptor)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """The lock of the folder, which is created, and used by this process from now on."""
        while True:
            try:
                self.folder.mkdir(mode=0o700 if self.is_temporary else 0o777, parents=True, exist_ok=True)
            except OSError as error:
                raise OSError(
                    error.errno, f"{self.op}: cannot use `cache_dir` {self.folder}: {error.strerror}"
                ) from None
            if self.is_temporary:
                _check_owner(self.op, self.folder)
            try:
                with _exclusive(self.folder / ".lock"):
                    self._use()
                    yield
                return
            except FolderRemoved:
                continue

    def _use(self) -> None:
        if self.is_temporary and (self._users is None or self._users[0] != os.getpid()):
            descriptor = os.open(self.folder / ".users", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            _locked.add(descriptor)
            self._users = os.getpid(), descriptor

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_users": None}


def _is_intact(found: os.stat_result, file: RemoteFile) -> bool:
    """Whether a copy of the file is as it was when it got its name."""
    return (found.st_size, found.st_mtime_ns) == (file.size, MTIME_NS)


class FolderRemoved(Exception):
    """Another process has removed the folder before it was locked."""


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        raise FolderRemoved from None
    _locked.add(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not is_at(descriptor, path):
            raise FolderRemoved
        yield
    finally:
        _unlock(descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(descriptor: int) -> None:
    # It is unlocked before it is closed, since a child that was just forked may have a copy of the descriptor.
    _locked.discard(descriptor)
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _remove_free(path: str) -> bool:
    """Removes a file if no process has locked it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if not _try_lock(descriptor, fcntl.LOCK_EX):
            return False
        os.unlink(path)
        return True
    finally:
        os.close(descriptor)


def _prefix() -> str:
    return f"torch_stringops-{os.getuid()}-"


def _temporary_folder(files: Sequence[RemoteFile]) -> str:
    """The folder of all processes of a user that read the same files. Abandoned folders are removed."""
    parent = tempfile.gettempdir()
    digest = hashlib.sha256("\0".join(file.digest() for file in files).encode()).hexdigest()[:32]
    with suppress(OSError):
        for name in os.listdir(parent):
            folder = Path(parent, name)
            if name.startswith(_prefix()) and _is_mine(folder):
                with suppress(OSError, FolderRemoved), _exclusive(folder / ".lock"):
                    _remove_if_unused(folder)
    return os.path.join(parent, _prefix() + digest)


def _remove_if_unused(folder: Path) -> None:
    """Removes a temporary folder that is locked, if no process uses it."""
    descriptor = os.open(folder / ".users", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if _try_lock(descriptor, fcntl.LOCK_EX):
            shutil.rmtree(folder)
    finally:
        os.close(descriptor)


def _is_mine(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _check_owner(op: str, folder: Path) -> None:
    if folder.exists() and not _is_mine(folder):
        raise PermissionError(f"{op}: {folder} belongs to another user (pass `cache_dir`)")
