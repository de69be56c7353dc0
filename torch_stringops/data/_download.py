"""Downloads of remote files: in parts, with retries, a limit of the time without bytes, and checks of the size."""

from __future__ import annotations

import asyncio
import os
import random
import struct
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Any, TypeVar

from torch_stringops.data._urls import FileSystems, RemoteFile, is_http

T = TypeVar("T")

# Bytes of a request, which is as large as can be received in a small part of the timeout.
_FIRST_PART, _SMALLEST_PART, _LARGEST_PART = 2**20, 2**16, 2**25
_PART_OF_TIMEOUT = 0.1
# Seconds until the first retry; each further one waits twice as long.
_FIRST_DELAY_S, _LONGEST_DELAY_S = 0.1, 20.0
# Signals and `stopped` are looked for this often, in seconds.
_WAIT_S = 0.1
# HTTP statuses of requests that may succeed later, among those that are the fault of the client. 400 is also that of
# answers that are not HTTP, and of requests that took too long.
_TEMPORARY = (400, 408, 425, 429)
_PERMANENT = (
    *(FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, NotImplementedError),
    *(AttributeError, KeyError, TypeError, ValueError),
)


class Stopped(Exception):
    """A download ended because its user was closed."""


class LocalFault(Exception):
    """An error of the local disk, which is not retried."""

    def __init__(self, fault: OSError) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True)
class Patience:
    """How long a request may be without bytes, in seconds, and how often it is repeated."""

    timeout: float = 60.0
    retries: int = 6


Never = threading.Event()


def call(fs: Any, method: str, *args: Any, **options: Any) -> Future[Any]:
    """Calls a method of a file system in its event loop, or in a thread if it has none."""
    if getattr(fs, "async_impl", False):
        coroutine = getattr(fs, f"_{method}")(*args, **options)
        return asyncio.run_coroutine_threadsafe(coroutine, fs.loop)
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(getattr(fs, method)(*args, **options))
        except BaseException as error:
            future.set_exception(error)

    # A thread of a request without an end cannot be stopped, and is left to the timeout of the file system.
    threading.Thread(target=run, daemon=True, name="stringops-request").start()
    return future


def wait(
    future: Future[T], timeout: float, stopped: threading.Event, progress: Callable[[], float] | None = None
) -> T:
    """The result; raises TimeoutError if it takes longer than the timeout, from the last time of `progress` on."""
    begin = time.monotonic()
    try:
        while True:
            try:
                return future.result(timeout=min(_WAIT_S, timeout))
            except NotYet:
                if future.done():
                    return future.result()
            last = begin if progress is None else max(begin, progress())
            if time.monotonic() - last > timeout:
                raise TimeoutError(f"no bytes for {timeout:g} seconds")
            if stopped.is_set():
                raise Stopped
    finally:
        future.cancel()


def with_retries(
    op: str,
    name: str,
    systems: FileSystems,
    url: str,
    action: Callable[[], bool],
    patience: Patience,
    stopped: threading.Event,
    progress: Callable[[], int] = int,
) -> None:
    """Calls `action` until it returns True. Failures in a row are counted, as long as `progress` stays the same.

    Raises:
        FileNotFoundError, PermissionError, OSError: it fails for good, or too often.
    """
    failures, before = 0, progress()
    while True:
        try:
            if action():
                return
            continue
        except (Stopped, ImportError, MemoryError):
            raise
        except LocalFault as error:
            fault: Exception | None = error.fault
        except Exception as error:
            now = progress()
            failures, before = failures + 1 if now == before else 1, now
            fault = _final(op, name, systems, url, error, failures, patience)
        if fault is not None:
            raise fault  # not in the handler, so that tracebacks do not show the error of the library
        delay = min(_LONGEST_DELAY_S, _FIRST_DELAY_S * 2 ** (failures - 1))
        if stopped.wait(delay * (0.5 + 0.5 * random.random())):
            raise Stopped


def _final(
    op: str,
    name: str,
    systems: FileSystems,
    url: str,
    error: Exception,
    failures: int,
    patience: Patience,
) -> Exception | None:
    """The error to raise; None if the request is to be repeated."""
    # HTTPFileSystem says of any failed question about a file that the file does not exist.
    hides = isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception)
    cause = error.__cause__ if hides and error.__cause__ is not None else error
    status = _status(cause)
    if status == 404 or (status is None and isinstance(cause, FileNotFoundError)):
        return FileNotFoundError(f"{op}: {name}: there is no such file")
    if status in (401, 403) or (status is None and isinstance(cause, PermissionError)):
        return PermissionError(
            f"{op}: {name}: access is denied{f' (HTTP {status})' if status else ''} (see `storage_options`)"
        )
    is_permanent = isinstance(cause, _PERMANENT) or (
        status is not None and 400 <= status < 500 and status not in _TEMPORARY
    )
    what = f"HTTP {status}" if status else systems.without_secrets(cause, url)
    if is_permanent:
        return OSError(f"{op}: {name}: {what}")
    if failures > patience.retries:
        return OSError(f"{op}: {name}: cannot be read, after {failures} attempts: {what}")
    return None


def _status(error: BaseException) -> int | None:
    """The HTTP status of an error, as the libraries of the protocols name it."""
    response = getattr(error, "response", None)
    of_response = getattr(response, "status_code", None)
    if isinstance(response, Mapping):  # botocore
        of_response = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    names = (name for name in ("status", "code") if hasattr(type(error), name) or name in vars(error))
    found = of_response or next((getattr(error, name) for name in names), None)
    return found if isinstance(found, int) and 100 <= found < 600 else None


def file_info(
    op: str,
    name: str,
    systems: FileSystems,
    url: str,
    patience: Patience,
    stopped: threading.Event = Never,
) -> Mapping[str, Any]:
    """The present size and marks of a file."""
    found: list[Mapping[str, Any]] = []
    fs, path = systems.open(op, url)

    def action() -> bool:
        fs.invalidate_cache()
        found.append(wait(call(fs, "info", path), patience.timeout, stopped))
        return True

    with_retries(op, name, systems, url, action, patience, stopped)
    return found[0]


def check_unchanged(op: str, file: RemoteFile, patience: Patience, stopped: threading.Event) -> None:
    """Raises OSError if the file is not as it was when it was listed."""
    info = file_info(op, file.name, file.systems, file.url, patience, stopped)
    if (difference := file.difference(info)) is not None:
        raise OSError(f"{op}: {file.name} has changed since it was listed: {difference}")


def read_range(
    op: str, file: RemoteFile, begin: int, end: int, patience: Patience, stopped: threading.Event = Never
) -> bytes:
    """The bytes [begin, end) of a file."""
    found: list[bytes] = []

    def action() -> bool:
        fs, path = file.open(op)
        raw = wait(call(fs, "cat_file", path, start=begin, end=end), patience.timeout, stopped)
        if len(raw) == file.size:
            raw = raw[begin:end]  # a server without ranges
        if len(raw) != end - begin:
            raise EOFError(f"expected {end - begin} bytes, got {len(raw)}")
        found.append(raw)
        return True

    with_retries(op, file.name, file.systems, file.url, action, patience, stopped)
    return found[0]


def download(
    op: str, file: RemoteFile, descriptor: int, patience: Patience, stopped: threading.Event = Never
) -> None:
    """Writes the bytes of a file to a descriptor. Raises OSError if it has changed since it was listed."""
    try:
        (_stream if is_http(file.url) else _in_parts)(op, file, descriptor, patience, stopped)
    except (FileNotFoundError, PermissionError):
        raise
    except OSError as error:
        if error.errno is None:
            # A file that has another size now fails in ways that do not tell.
            check_unchanged(op, file, Patience(patience.timeout, 0), stopped)
        raise
    check_unchanged(op, file, patience, stopped)


def _in_parts(
    op: str, file: RemoteFile, descriptor: int, patience: Patience, stopped: threading.Event
) -> None:
    """Requests of ranges, of which each one is as large as the connection is fast."""
    at, size = 0, _FIRST_PART

    def action() -> bool:
        nonlocal at, size
        end = min(at + size, file.size)
        begin_s = time.monotonic()
        fs, path = file.open(op)
        try:
            raw = (
                wait(call(fs, "cat_file", path, start=at, end=end), patience.timeout, stopped)
                if end > at
                else b""
            )
        except TimeoutError:
            size = max(size // 4, _SMALLEST_PART)
            raise
        if len(raw) != end - at:
            raise EOFError(f"expected {end - at} bytes at {at}, got {len(raw)}: it is truncated")
        _write(descriptor, raw, at)
        at = end
        seconds = max(time.monotonic() - begin_s, 1e-6)
        wanted = int(len(raw) / seconds * patience.timeout * _PART_OF_TIMEOUT)
        size = max(_SMALLEST_PART, min(wanted, 2 * size, _LARGEST_PART))
        return at == file.size

    with_retries(op, file.name, file.systems, file.url, action, patience, stopped, lambda: at)


def _stream(op: str, file: RemoteFile, descriptor: int, patience: Patience, stopped: threading.Event) -> None:
    """One request of HTTP, and another one for the rest after each failure. Servers may ignore that it is a rest.

    If nothing but the size tells versions of the file, the rest may be that of another one, and all is read again.
    """
    at = 0

    def action() -> bool:
        nonlocal at
        at = at if file.marks else 0
        fs, url = file.open(op)
        headers = {**fs.kwargs.get("headers", {}), "Accept-Encoding": "identity"}
        if at:
            headers["Range"] = f"bytes={at}-"
        sink = _Sink(descriptor, at, file.size)
        try:
            future = call(fs, "get_file", url, sink, chunk_size=2**20, callback=sink, headers=headers)
            wait(future, patience.timeout, stopped, lambda: sink.last)
            if sink.at != file.size:
                raise EOFError(f"expected {file.size} bytes, got {sink.at}: it is truncated")
            return True
        except Exception:
            if sink.fault is not None:
                raise LocalFault(sink.fault) from None
            raise
        finally:
            sink.close()
            at = sink.at

    def progress() -> int:
        return at if file.marks else 0

    with_retries(op, file.name, file.systems, file.url, action, patience, stopped, progress)


class _Sink:
    """A file and a callback for `get_file`, which writes the bytes after byte `at`."""

    def __init__(self, descriptor: int, at: int, size: int) -> None:
        self.at, self.last, self.fault = at, time.monotonic(), None  # type: int, float, OSError | None
        self._descriptor, self._size = descriptor, size
        self._skip = at
        self._lock = threading.Lock()
        self._is_open = True

    # fsspec takes an object for a file if it has these methods.
    def read(self, size: int = -1) -> bytes:
        raise NotImplementedError

    def close(self) -> None:
        # A request that has been given up may still write: not after this, when the descriptor may be another file.
        with self._lock:
            self._is_open = False

    def tell(self) -> int:
        return self.at

    def set_size(self, size: int | None) -> None:
        """The size of the answer: of the rest, or of the whole file, whose first bytes are skipped."""
        if size is None or size == self._size:
            self._skip = self.at
        elif size == self._size - self.at:
            self._skip = 0
        elif size is not None:
            self._skip = -1

    def relative_update(self, count: int = 1) -> None:
        self.last = time.monotonic()

    def write(self, raw: bytes) -> int:
        with self._lock:
            if not self._is_open:
                raise Stopped
            self.last = time.monotonic()
            if self._skip < 0:
                raise EOFError("the answer has another size than the file")
            rest = raw[self._skip :]
            self._skip = max(0, self._skip - len(raw))
            if self.at + len(rest) > self._size:
                raise EOFError(f"expected {self._size} bytes, got more")
            try:
                _write(self._descriptor, rest, self.at)
            except LocalFault as error:
                self.fault = error.fault
                raise
            self.at += len(rest)
        return len(raw)


def _write(descriptor: int, raw: bytes, at: int) -> None:
    view = memoryview(raw)
    try:
        while len(view):
            count = os.pwrite(descriptor, view, at)
            view, at = view[count:], at + count
    except OSError as error:
        raise LocalFault(error) from None


def parquet_footer(op: str, file: RemoteFile, patience: Patience, stopped: threading.Event) -> bytes | None:
    """The last bytes of a Parquet file, which hold its metadata; None if it does not end as one."""
    if file.size < 12:
        return None
    tail = read_range(op, file, max(0, file.size - 2**16), file.size, patience, stopped)
    if tail[-4:] != b"PAR1":
        return None
    size = struct.unpack("<I", tail[-8:-4])[0] + 8
    if size > file.size - 4:
        return None
    if size > len(tail):
        tail = read_range(op, file, file.size - size, file.size, patience, stopped)
    return tail[-size:]
