"""Threads that fetch remote files before they are read."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress

from torch_stringops.data._cache import Cache
from torch_stringops.data._download import Stopped
from torch_stringops.data._urls import RemoteFile

# Files that a process downloads at the same time.
_THREADS = 8
_RETRY_S = 0.1


class FetchAhead:
    """Fetches files in the order in which they are needed, in threads, from `start` until `close`.

    Besides the files of the step of `reached`, at most `files` are fetched. All of these together have at most as many
    bytes as the cache holds, so that none is removed before it is read.

    Args:
        needs: the files of each step, in the order of steps, numbered from `first`.
        files: the most files to fetch ahead.
        largest: bytes of the largest file.
    """

    def __init__(
        self, cache: Cache, needs: Iterable[list[RemoteFile]], first: int, files: int, largest: int
    ) -> None:
        self.stopped = threading.Event()
        self._cache, self._files = cache, files
        # Room for a file that a slower process still needs, unless files could not be fetched ahead then.
        self._budget = cache.limit - largest if cache.limit >= 3 * largest else cache.limit
        self._needs = _numbered(needs, first)
        self._changed = threading.Condition()
        self._reached = first
        self._following: tuple[int, RemoteFile] | None = None
        self._last: dict[str, tuple[int, int, int]] = {}  # of each file: first step, last step, bytes
        self._threads = [
            threading.Thread(target=self._run, daemon=True, name="stringops-data-fetch")
            for _ in range(min(files, _THREADS))
        ]

    def start(self) -> None:
        """Starts the threads: all, or, after Ctrl-C, none."""
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:
            self.close()
            raise

    def reached(self, step: int) -> None:
        """Tells that the files of this step are being read."""
        if step > self._reached:
            with self._changed:
                self._reached = step
                for key in [key for key, (_, last, _) in self._last.items() if last < step]:
                    del self._last[key]
                self._changed.notify_all()

    def close(self) -> None:
        """Ends the threads."""
        with self._changed:
            self.stopped.set()
            self._changed.notify_all()
        for thread in self._threads:
            with suppress(RuntimeError):  # it was not started
                thread.join()

    def _run(self) -> None:
        while (found := self._next()) is not None:
            step, file = found
            # The error of a file that cannot be fetched is raised where the file is read.
            with suppress(Stopped, OSError, ValueError, ImportError):
                while not self._cache.fetch_ahead(file, self.stopped) and self._reached < step:
                    if self.stopped.wait(_RETRY_S):
                        return

    def _next(self) -> tuple[int, RemoteFile] | None:
        """The next file to fetch, once it is allowed; None at the end."""
        with self._changed:
            while not self.stopped.is_set():
                if self._following is None:
                    self._following = next(self._needs, None)
                    if self._following is None:
                        return None
                step, file = self._following
                if step < self._reached:
                    self._following = None
                    continue
                first, _, _ = self._last.get(file.url, (step, step, 0))
                if file.url in self._last or self._is_allowed(step, file):
                    is_new = file.url not in self._last
                    self._last[file.url] = (first, step, file.size)
                    self._following = None
                    if is_new:
                        return step, file
                    continue
                self._changed.wait()
            return None

    def _is_allowed(self, step: int, file: RemoteFile) -> bool:
        used = sum(size for _, _, size in self._last.values()) + file.size
        if step == self._reached:
            return used <= self._cache.limit
        ahead = sum(first > self._reached for first, _, _ in self._last.values())
        return ahead < self._files and used <= self._budget


def _numbered(needs: Iterable[list[RemoteFile]], first: int) -> Iterator[tuple[int, RemoteFile]]:
    for step, files in enumerate(needs, first):
        for file in files:
            yield step, file
