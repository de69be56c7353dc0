"""Calls on several threads, however small: tests need not make inputs that take long enough to be divided."""

import contextlib
import ctypes
from collections.abc import Iterator

import torch

import torch_stringops

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
