"""Into how many tasks work is divided (csrc/ops/parallel.cpp)."""

import ctypes
import os
from collections.abc import Iterator

import pytest
import torch

from torch_stringops._native import _c

_c.stringops_choose_tasks.argtypes = [ctypes.c_double]
_c.stringops_choose_tasks.restype = ctypes.c_int64

CORES = os.sched_getaffinity(0)
MICROSECOND, MILLISECOND = 1e3, 1e6


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
    os.sched_setaffinity(0, CORES)


def choose(threads: int, ns: float) -> int:
    torch.set_num_threads(threads)
    return int(_c.stringops_choose_tasks(ns))


class TestChooseTasks:
    def test_one_thread_has_one_task(self) -> None:
        assert choose(1, 10 * MILLISECOND) == 1

    def test_one_core_has_one_task(self) -> None:
        os.sched_setaffinity(0, {min(CORES)})
        assert choose(4, 10 * MILLISECOND) == 1

    @pytest.mark.skipif(len(CORES) < 2, reason="needs two cores")
    def test_work_of_a_tenth_of_a_millisecond_is_divided(self) -> None:
        assert choose(2, 99 * MICROSECOND) == 1
        assert choose(2, 100 * MICROSECOND) == 4
        assert choose(2, 10 * MILLISECOND) == 8

    @pytest.mark.skipif(len(CORES) < 2, reason="needs two cores")
    def test_more_threads_than_cores_divide_only_a_millisecond(self) -> None:
        os.sched_setaffinity(0, sorted(CORES)[:2])
        assert choose(3, 0.99 * MILLISECOND) == 1
        assert choose(3, 1 * MILLISECOND) == 8

    @pytest.mark.parametrize("threads", [1, 2])
    def test_long_work_is_divided_on_any_number_of_threads(self, threads: int) -> None:
        """Signals are looked for between tasks."""
        assert choose(threads, 100 * MILLISECOND) == 25
        assert choose(threads, 100_000 * MILLISECOND) == 64
