"""Threads that download remote files before they are read."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress

from torch_stringops.data.files.cache import Cache
from torch_stringops.data.files.remote import RemoteFile

# Files that a process downloads ahead at the same time.
_THREADS = 8


class Prefetch:
    """Downloads files in the order in which they are read, until `close`.

    The files that are read, and those ahead of them, have at most as many bytes as the cache holds.

    Args:
        needs: the first and the last step that reads a file, and the file, in the order of first steps.
        ahead: the maximum number of files to download ahead of the step that is read.
    """

    def __init__(self, cache: Cache, needs: Iterable[tuple[int, int, RemoteFile]], ahead: int) -> None:
        self.cache, self.stopped = cache, threading.Event()
        self._ahead, self._coming = ahead, list(needs)[::-1]
        largest = max((file.size for _, _, file in self._coming), default=0)
        # Room for a file that a slower process still reads, unless nothing could be downloaded ahead then.
        self._limit = cache.limit - largest if cache.limit >= 3 * largest else cache.limit
        self._begun: list[tuple[int, int, RemoteFile]] = []
        self._queue: queue.SimpleQueue[RemoteFile | None] = queue.SimpleQueue()
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
                self._queue.put(file)
                if len(self._threads) < min(self._ahead, _THREADS):
                    # An executor would wait for all downloads when the program ends.
                    thread = threading.Thread(target=self._run, daemon=True, name="stringops-data-prefetch")
                    thread.start()
                    self._threads.append(thread)

    def close(self) -> None:
        """Ends the threads."""
        self.stopped.set()
        for _ in range(_THREADS):
            self._queue.put(None)
        for thread in self._threads:
            if not sys.is_finalizing():  # then daemon threads have been stopped, wherever they were
                thread.join()

    def _run(self) -> None:
        while (file := self._queue.get()) is not None and not self.stopped.is_set():
            # The error of a file that cannot be downloaded is raised where the file is read.
            with suppress(Exception):
                self.cache.prefetch(file, self.stopped)
