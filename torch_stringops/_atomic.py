"""Atomic writes of files: a temporary file in the same folder, fsync, rename, and fsync of the folder.

A process that opens the path finds a whole file: the earlier one, or that of one writer, also after a crash or a loss
of power, and if several processes write to the path at the same time. The last rename wins.

A writer locks its temporary file (`flock`) until the rename. The system releases the lock when the writer ends, however
it ends. So the next writer to the same path removes a temporary file if its lock is free. The lock of a writer on
another machine may be invisible, depending on the file system: its temporary file is removed an hour after its last
change. Without `flock`, abandoned files stay.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

# Seconds after which the temporary file of another machine is abandoned, if its lock is free.
_ABANDONED_AFTER = 3600
# The last part of the names of temporary files.
_SUFFIX = ".partial"
# Longer names are replaced by their hash: file systems limit names to 255 bytes.
_MAX_NAME = 180


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a new file, which replaces the one at `path` when the block ends, and is removed if the block raises.

    The target of a symbolic link is replaced, and the link stays. A new file has the mode that `open` would give it by
    the umask; a replaced file passes on its permissions. Devices and pipes, such as /dev/stdout, are written directly.

    Raises:
        TypeError: `path` is neither a str nor a path of one, such as bytes, which `Path` rejects too.
        OSError: the file cannot be written.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"save: expected `path` to be a str or a Path, got {type(name).__name__}")
    target = os.path.realpath(name)
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(target).st_mode):
            with open(target, "wb") as direct:
                yield direct
            return
    folder, name = os.path.split(target)
    _remove_abandoned(folder, name)
    temporary, file = _create(folder, name)
    with file:
        try:
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    _sync_folder(folder)


def _prefix(name: str) -> str:
    """The first part of the names of temporary files for a file. The dot hides them from globs."""
    raw = os.fsencode(name)
    return f".{name if len(raw) <= _MAX_NAME else hashlib.sha256(raw).hexdigest()}."


def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _create(folder: str, name: str) -> tuple[str, BinaryIO]:
    """Creates a locked temporary file."""
    while True:
        path = os.path.join(folder, f"{_prefix(name)}{_machine()}-{secrets.token_hex(8)}{_SUFFIX}")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another writer may have removed the file before it was locked.
        if is_at(descriptor, path):
            return path, os.fdopen(descriptor, "w+b")
        os.close(descriptor)


def is_at(descriptor: int, path: str | os.PathLike[str]) -> bool:
    """Whether a descriptor is of the file that is at a path now."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _remove_abandoned(folder: str, name: str) -> None:
    """Removes the temporary files for a file whose writers have ended."""
    prefix = _prefix(name)
    size = len(prefix) + len(_machine()) + 1 + 16 + len(_SUFFIX)
    # A folder may be writable, but not readable. One that does not exist is an error when the file is created.
    with suppress(OSError):
        for found in os.listdir(folder):
            if found.startswith(prefix) and found.endswith(_SUFFIX) and len(found) == size:
                with suppress(OSError):  # a file of another user, or one that is being removed
                    _remove_if_abandoned(os.path.join(folder, found), found[len(prefix) :])


def _remove_if_abandoned(path: str, rest: str) -> None:
    # For writing, which locks of NFS require.
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        is_near = rest.startswith(_machine())
        if is_near or time.time() - os.fstat(descriptor).st_mtime > _ABANDONED_AFTER:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises OSError if the writer lives
            if is_at(descriptor, path):
                os.unlink(path)
    finally:
        os.close(descriptor)


def _sync_folder(folder: str) -> None:
    """Makes a rename durable, if the file system and the permissions allow it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
