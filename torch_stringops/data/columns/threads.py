"""Batches made by threads of this process, and returned in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

# A consumer looks for signals this often while it waits, in seconds: a wait without a limit cannot be interrupted on
# every system.
_WAIT_S = 0.1


def in_threads(make: Callable[[T], R], items: Iterable[T], threads: int, ahead: int) -> Generator[R, None, None]:
    """Yields make(item) for each item, in order, made by threads, at most `ahead` of them before they are asked for.

    An exception of `make` is raised in the place of its result, and ends the iterator. However it ends, no thread is
    left.
    """
    stopped = threading.Event()

    def run(item: T) -> R | None:
        return None if stopped.is_set() else make(item)

    pool = ThreadPoolExecutor(threads, thread_name_prefix="stringops-data")
    waiting: deque[Future[R | None]] = deque()
    rest = iter(items)
    try:
        while True:
            while len(waiting) < ahead:
                try:
                    item = next(rest)
                except StopIteration:
                    break
                waiting.append(pool.submit(run, item))
            if not waiting:
                return
            result: Any = _wait(waiting.popleft())
            yield result
    finally:
        stopped.set()
        for future in waiting:
            future.cancel()
        pool.shutdown(wait=True)


def _wait(future: Future[R]) -> R:
    while True:
        try:
            return future.result(timeout=_WAIT_S)
        except NotYet:
            if future.done():  # the exception is of the function
                return future.result()
