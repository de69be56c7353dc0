"""Remote files, and requests to the file systems of fsspec that have them.

A request that fails is repeated, unless its error is permanent.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import importlib
import os
import random
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import TimeoutError, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from torch_stringops.data.files.urls import is_http, public_name, without_secrets

T = TypeVar("T")

# Seconds until the first repetition of a request. Each further one waits twice as long.
_FIRST_DELAY_S, _LONGEST_DELAY_S = 0.1, 20.0
# A thread that waits for a request looks for signals and `stopped` this often, in seconds.
_POLL_S = 0.1
# The longest wait for a step of an event loop that a request has left, in seconds.
_LOOP_S = 1.0
# Properties of a file that change with its content, as file systems name them, the best ones first.
_MARKS = (
    *("ETag", "etag", "VersionId", "Content-MD5", "Digest", "md5Hash", "crc32c", "content_md5", "blob_id"),
    *("uid", "LastModified", "last_modified", "Last-Modified", "updated", "mtime", "created"),
)
# HTTP statuses of requests that may succeed later, among those that are the fault of the client. 400 is also that of
# answers that are not HTTP, and of requests that took too long.
_TEMPORARY = (400, 408, 425, 429)
_PERMANENT = (
    *(FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, NotImplementedError),
    *(AttributeError, KeyError, TypeError, ValueError),
)
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)

Never = threading.Event()

# All file systems that were used. fsspec keeps them too, but forgets them in a forked child. There, its garbage
# collector would close their connections in the event loop of the parent.
_kept: dict[int, Any] = {}


class Stopped(Exception):
    """A request ended because its user was closed."""


class Client:
    """Makes requests to the file systems of URLs. It pickles: fsspec keeps the file systems of each process.

    Args:
        op: the operator, for messages.
        options: the options of fsspec for URLs, such as credentials.
        timeout: the number of seconds without a byte after which a download by HTTP has failed.
        retries: how often a request is repeated.
    """

    def __init__(self, op: str, options: Mapping[str, object] | None, timeout: float = 60.0, retries: int = 6) -> None:
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"{op}: expected `storage_options` to be a dict, got {type(options).__name__}")
        self.op, self._options = op, dict(options or {})
        self._timeout, self._retries = timeout, retries

    def file_system(self, url: str) -> tuple[Any, str]:
        """The file system of a URL, and the path in it."""
        fault: Exception
        try:
            fs, path = importlib.import_module("fsspec.core").url_to_fs(url, **self._options)
            fs.invalidate_cache()  # of listings
            _kept[id(fs)] = fs
            return fs, path
        except ImportError as error:
            fault = ImportError(
                f"{self.op}: {public_name(url)}: {without_secrets(error, url, self._options)} (remote files need "
                "fsspec and the package of their protocol, for HTTP: pip install 'torch-stringops[remote]')"
            )
        except Exception as error:
            fault = ValueError(
                f"{self.op}: {public_name(url)}: expected a URL that fsspec opens with `storage_options`: "
                f"{without_secrets(error, url, self._options)}"
            )
        raise fault  # not in the handler, so that tracebacks do not show the error of the library

    def retried(self, url: str, action: Callable[[], T], stopped: threading.Event = Never) -> T:
        """Calls `action` until it returns. Errors that name the operator are final.

        Raises:
            FileNotFoundError, PermissionError, OSError: it fails permanently, or too often.
        """
        failures = 0
        while True:
            try:
                return action()
            except (Stopped, ImportError, MemoryError):
                raise
            except Exception as error:
                if str(error).startswith(f"{self.op}: "):
                    raise
                failures += 1
                fault = self._final(url, error, failures)
            if fault is not None:
                raise fault  # not in the handler, as above
            delay = min(_LONGEST_DELAY_S, _FIRST_DELAY_S * 2 ** (failures - 1))
            if stopped.wait(delay * random.uniform(0.5, 1)):
                raise Stopped

    def info(self, url: str, stopped: threading.Event = Never) -> Mapping[str, Any]:
        """The present size and marks of a file."""
        found: Mapping[str, Any] = self.retried(url, lambda: self._call(url, "info", stopped=stopped), stopped)
        return found

    def read(self, file: RemoteFile, begin: int, end: int) -> bytes:
        """The bytes [begin, end) of a file."""

        def ask() -> bytes:
            raw: bytes = self._call(file.url, "cat_file", start=begin, end=end)
            if len(raw) == file.size:
                raw = raw[begin:end]  # a server without ranges
            if len(raw) != end - begin:
                raise EOFError(f"expected {end - begin} bytes, got {len(raw)}")
            return raw

        return self.retried(file.url, ask)

    def download(self, file: RemoteFile, path: Path, stopped: threading.Event) -> None:
        """Writes a file, once. Raises OSError if it has changed since it was listed."""
        options = {}
        if is_http(file.url):
            # By default, aiohttp ends a download after five minutes.
            timeout = importlib.import_module("aiohttp").ClientTimeout
            options["timeout"] = timeout(total=None, sock_connect=self._timeout, sock_read=self._timeout)
        try:
            self._call(file.url, "get_file", str(path), stopped=stopped, **options)
        except OSError as error:
            if error.errno in _DISK_FULL:
                raise OSError(f"{self.op}: {file.name}: cannot be kept in {path.parent}: {error.strerror}") from None
            raise
        if (difference := file.difference(self.info(file.url, stopped))) is not None:
            raise OSError(f"{self.op}: {file.name} has changed since it was listed: {difference}")
        if (size := os.path.getsize(path)) != file.size:
            raise EOFError(f"expected {file.size} bytes, got {size}: it is truncated")

    def _call(self, url: str, method: str, *args: Any, stopped: threading.Event = Never, **options: Any) -> Any:
        """Calls a method of the file system of a URL once, in its event loop if it has one."""
        fs, path = self.file_system(url)
        if not getattr(fs, "async_impl", False):
            return getattr(fs, method)(path, *args, **options)
        future = asyncio.run_coroutine_threadsafe(getattr(fs, f"_{method}")(path, *args, **options), fs.loop)
        try:
            while not wait([future], timeout=_POLL_S).done:
                if stopped.is_set():
                    raise Stopped
            return future.result()
        finally:
            if future.cancel():
                # The request ends in a later step of the loop, before which it might create the file that is removed.
                with suppress(TimeoutError):
                    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), fs.loop).result(_LOOP_S)

    def _final(self, url: str, error: Exception, failures: int) -> Exception | None:
        """The error to raise; None if the request is to be repeated."""
        # HTTPFileSystem says of any failed question about a file that the file does not exist.
        hides = isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception)
        cause = error.__cause__ if hides and error.__cause__ is not None else error
        status, where = _status(cause), f"{self.op}: {public_name(url)}"
        if status == 404 or (status is None and isinstance(cause, FileNotFoundError)):
            return FileNotFoundError(f"{where}: there is no such file")
        if status in (401, 403) or (status is None and isinstance(cause, PermissionError)):
            return PermissionError(
                f"{where}: access is denied{f' (HTTP {status})' if status else ''} (see `storage_options`)"
            )
        what = f"HTTP {status}" if status else without_secrets(cause, url, self._options)
        if isinstance(cause, _PERMANENT) or (status and 400 <= status < 500 and status not in _TEMPORARY):
            return OSError(f"{where}: {what}")
        if failures > self._retries:
            return OSError(f"{where}: cannot be read, after {failures} attempts: {what}")
        return None


def _status(error: BaseException) -> int | None:
    """The HTTP status of an error, as the libraries of the protocols name it."""
    response = getattr(error, "response", None)
    for source, name in ((error, "status"), (error, "code"), (response, "status_code")):
        found = getattr(source, name, None)
        if isinstance(found, int) and 100 <= found < 600:
            return found
    return None


@dataclass(frozen=True)
class RemoteFile:
    """A file of a URL, as it was when it was listed.

    Attributes:
        url: with all that may be secret.
        name: without it.
        size: bytes.
        marks: what tells a change of equal size, such as an ETag, as far as the file system knows it.
    """

    url: str = field(repr=False)
    name: str
    size: int
    marks: dict[str, str] = field(repr=False)
    client: Client = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name

    @property
    def file_name(self) -> str:
        """The last part of the path, whose suffix tells the kind of the file."""
        return PurePosixPath(next(part for part in self.name.split("::") if "://" in part)).name

    def digest(self) -> str:
        """Equal for equal URLs of equal content, as far as the file system tells."""
        parts = [self.url, str(self.size), *(f"{name}={mark}" for name, mark in sorted(self.marks.items()))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def difference(self, info: Mapping[str, Any]) -> str | None:
        """The property that differs in a new listing; None if there is none."""
        size = info.get("size")
        if size is not None and int(size) != self.size:
            return f"expected {self.size} bytes, got {int(size)}"
        found = marks_of(info)
        other = [name for name, mark in self.marks.items() if found.get(name, mark) != mark]
        return f"another {other[0]}" if other else None


def marks_of(info: Mapping[str, Any]) -> dict[str, str]:
    """The best mark that a listing has. Another listing of the same file may have a better one in addition."""
    name = next((name for name in _MARKS if info.get(name)), None)
    if name is None:
        return {}
    # Some file systems list a time as a number, and tell it of a file as an object.
    value = info[name]
    return {name: str(value.timestamp() if hasattr(value, "timestamp") else value)}
