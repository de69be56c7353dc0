"""Calls on several threads, however small: tests need not make inputs that take long enough to be divided."""

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch

import torch_stringops

Result = TypeVar("Result")
_set_min_task_ns = torch_stringops._native._c.stringops_set_min_task_ns
_set_min_task_ns.argtypes = [ctypes.c_double]
_set_min_task_ns.restype = None


def divide_small_work(enable: bool = True) -> None:
    """From now on, divides all work of a few nanoseconds and more into tasks; False: as by default."""
    _set_min_task_ns(1.0 if enable else 0.0)


@contextlib.contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Runs operators on `count` threads, small work too."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    divide_small_work()
    try:
        yield
    finally:
        divide_small_work(False)
        torch.set_num_threads(before)


def in_parallel(work: Callable[[Any], Result], arguments: Iterable[Any]) -> list[Result]:
    """Calls the function for each argument on a thread of its own. An exception of one is raised."""
    given = list(arguments)
    with ThreadPoolExecutor(len(given)) as pool:
        return list(pool.map(work, given))


@contextlib.contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Another thread calls the function again and again until the block ends."""
    done = threading.Event()

    def repeat() -> None:
        while not done.is_set():
            work()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
