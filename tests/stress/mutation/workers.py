"""Runs pytest in forked children of a process that has imported everything except the package, so that they start fast.

For a child with a fault, the package's file is loaded from changed source; no file is written.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.machinery
import math
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from stress.mutation.faults import ROOT, Fault

BUILD = ROOT / "build" / "mutation"
# Not polars, whose import starts threads, which do not survive a fork.
TO_IMPORT = ["torch", "torch.export", "torch._dynamo", "numpy", "hypothesis", "pytest", "onnx", "onnxruntime"]
TO_IMPORT += ["pyarrow", "pandas"]
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "HYPOTHESIS_PROFILE": "repeatable",
    "TORCHINDUCTOR_CACHE_DIR": str(BUILD / "inductor"),
    # Otherwise torch would start processes for compilation.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
}
BROKEN = 70  # the exit status of a child that failed to run its tests
MEMORY = 16 << 30  # bytes of address space; a fault may ask for any number


class Task(NamedTuple):
    """A function that a child runs; its result is the exit status."""

    name: str
    run: Callable[[], int]
    seconds: float  # limit of CPU time; that of wall time is ten times as long, as others may use the machine


class Done(NamedTuple):
    status: int | None  # negative for a signal, None if it ran out of time
    output: str
    seconds: float


def prepare(names: Iterable[str] = TO_IMPORT) -> None:
    """Imports the modules that tests import, so that forked children have them."""
    os.environ.update(SETTINGS)
    os.environ.pop("PYTEST_ADDOPTS", None)
    sys.dont_write_bytecode = True
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    sys.modules["torch"].set_num_threads(1)
    assert "torch_stringops" not in sys.modules
    gc.freeze()


def serve(fault: Fault) -> None:
    """Makes this process import the package with the fault."""
    changed, usual = fault.source(), importlib.machinery.SourceFileLoader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, name: str) -> object:
        if Path(self.path) == fault.path:
            return compile(changed, self.path, "exec", dont_inherit=True)
        return usual(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code


def pytest_in(arguments: Iterable[str], plugin: object) -> int:
    import pytest

    # Imports of doctests and tests find the checkout first, as with `python -m pytest`.
    sys.path.insert(0, str(ROOT))
    options = [
        "-q", "--tb=short", "-p", "no:cacheprovider", f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml"),
    ]  # fmt: skip
    options.append(f"--basetemp={BUILD / 'tmp' / str(os.getpid())}")
    return int(pytest.main([*options, *arguments], plugins=[plugin]))


def _child(task: Task, log: Path) -> None:
    status = BROKEN
    try:
        os.setsid()
        os.chdir(ROOT)
        # Processes that multiprocessing spawns would import the main module, which here is not a test.
        sys.modules["__main__"] = ModuleType("__main__")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(task.seconds), resource.RLIM_INFINITY))
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        null = os.open(os.devnull, os.O_RDONLY)
        for old, new in ((null, 0), (file, 1), (file, 2)):
            os.dup2(old, new)
        status = task.run()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException as error:
        os.write(2, f"\nmutation: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def run_all(tasks: Iterable[Task], jobs: int) -> Iterator[tuple[Task, Done]]:
    """Runs each task in its own child, `jobs` at a time; yields them as they end."""
    (BUILD / "tmp").mkdir(parents=True, exist_ok=True)
    waiting = iter(tasks)
    running: dict[int, tuple[Task, float, Path]] = {}
    ended = False
    while running or not ended:
        while not ended and len(running) < jobs:
            task = next(waiting, None)
            if task is None:
                ended = True
                break
            log = BUILD / "tmp" / f"{time.monotonic_ns()}.log"
            sys.stdout.flush()
            if (pid := os.fork()) == 0:
                _child(task, log)
            running[pid] = task, time.monotonic(), log
        time.sleep(0.1)
        for pid, (task, start, log) in list(running.items()):
            seconds = time.monotonic() - start
            late = seconds > 10 * task.seconds
            if late:
                _kill(pid)
            if late or os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                _, how = os.waitpid(pid, 0)
                _kill(pid)  # what it left running
                del running[pid]
                output = log.read_text(errors="replace")
                log.unlink()
                shutil.rmtree(BUILD / "tmp" / str(pid), ignore_errors=True)
                yield task, Done(None if late else os.waitstatus_to_exitcode(how), output, seconds)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
