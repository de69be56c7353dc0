"""Failing allocations: the first 200 of every conversion, each once alone and once with all that follow.

    stress allocation [NAME ...]

A call must raise an exception (or pass, if it does not need the memory), and leak neither memory nor a reference to an
argument. After each failure the same call, with memory, must end as before.

Operators are not called: tests/fuzz/operators.cpp has their failing allocations. The allocations that fail are those on
behalf of our two libraries, including those of torch and Python that our code causes (allocation.cpp says how they are
distinguished). Not covered, with the reason:

- Allocations of torch's dispatcher and of Python around a call: not ours, and torch leaks the arguments that it has
  converted if the next one fails.
- Allocations of Python code that our code calls: the producer of an Arrow column, through ctypes, which prints and ignores
  an exception in a callback.

The cases run in a child process; after a crash, a new one continues with the next case.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import gc
import os
import re
import shlex
import subprocess
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from support.programs import Children, report_position

if TYPE_CHECKING:
    from stress.allocation_cases import Case

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_suffix(".cpp")
FIRST = 200  # allocations per call
MODES = ("alone", "with all after it")
SECONDS_A_CASE = 300
OURS = {"_ops.so": True, "_convert.": True, "_ctypes.": False}  # parts of the names of libraries


def build(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "liballocation.so"
    made = library.with_suffix(f".{os.getpid()}")
    command = [*shlex.split(os.environ.get("CXX", "c++")), "-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra"]
    subprocess.run([*command, "-o", str(made), str(SOURCE), "-ldl"], check=True)
    made.rename(library)
    return library


class Memory(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    NAMES = ("arena", "ordblks", "smblks", "hblks", "mapped", "usmblks", "fsmblks", "used", "free", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in NAMES]


class Allocator:
    """The preloaded library."""

    def __init__(self) -> None:
        c = ctypes.CDLL(None)
        self._arm, self.disarm, self._memory = c.allocation_arm, c.allocation_disarm, c.mallinfo2
        self.disarm.restype, self._memory.restype = ctypes.c_long, Memory
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, rights, *_, path = line.split()
            ours = [owned for name, owned in OURS.items() if "x" in rights and name in path.rpartition("/")[2]]
            if ours:
                c.allocation_declare(*[ctypes.c_size_t(int(end, 16)) for end in place.split("-")], ours[0])

    def arm(self, first: int, mode: int) -> None:
        self._arm(ctypes.c_long(first), mode)

    def used(self) -> int:
        """The bytes in use."""
        gc.collect()
        sys._clear_type_cache()  # contains the names of attributes that C code looked up
        memory = self._memory()
        return int(memory.used + memory.mapped)


class Run:
    """The calls of a case."""

    def __init__(self, allocator: Allocator, case: Case, tally: Counter[str]) -> None:
        self.allocator, self.case, self.tally = allocator, case, tally
        self.want = ""

    def call(self, first: int, mode: int) -> tuple[BaseException | None, int]:
        """A call in which allocation `first` fails, or none (0): its error, and the number of those that failed."""
        thunk, error = self.case.make(), None
        if first:
            self.allocator.arm(first, mode)
        try:
            thunk()
        except BaseException as raised:
            error = raised
        failed = self.allocator.disarm() if first else 0
        if error is not None:
            error.__traceback__ = None
        return error, failed

    def wrong(self, error: BaseException | None, failed: int) -> str:
        """A description of what is wrong with the end of a call in which allocations may have failed, or ""."""
        # CPython 3.10 raises an error without a text if it has no memory for one.
        textless = failed and sys.version_info < (3, 11) and error is not None and not str(error)
        if text_of(error) == self.want or (failed and is_lack_of_memory(error)):
            return ""
        return "" if textless else f"expected {self.want or 'no error'}, got {text_of(error) or 'none'}"

    def attempt(self, first: int, mode: int) -> tuple[str, int]:
        """A call with failing allocations, then the same call with memory. What is wrong, and how many have failed."""
        error, failed = self.call(first, mode)
        for name, count in (("calls", 1), ("failures", failed), ("rejected", error is not None)):
            self.tally[name] += count
        wrong = self.wrong(error, failed)
        error = None
        if not wrong:
            wrong = self.wrong(self.call(0, 0)[0], 0)
            wrong = wrong and f"the next call, with memory: {wrong}"
        return wrong or self.case.after(), failed

    def leaks(self, first: int, mode: int) -> str:
        """A description of a leak, if each of several repetitions uses more memory than the one before, or ""."""
        used = array("q", bytes(6 * 8))  # takes no more memory when it is filled
        for i in range(len(used)):
            wrong, _ = self.attempt(first, mode)
            if wrong:
                return wrong
            used[i] = self.allocator.used()
        grows = all(a < b for a, b in pairwise(used))
        return f"leaks: {used.tolist()} bytes in use after each call" if grows else ""

    def run(self, progress: Callable[[int, int], None]) -> list[str]:
        """Tests every allocation of the call; returns what was wrong."""
        progress(0, 0)
        if self.case.cold:
            self.call(1, 1)
        for _ in range(3):  # caches are filled
            self.want = text_of(self.call(0, 0)[0])
        self.tally["cases"] += 1
        wrongs = []
        used = self.allocator.used()
        for mode in range(len(MODES)):
            for first in range(1, FIRST + 1):
                progress(mode, first)
                wrong, failed = self.attempt(first, mode)
                before, used = used, self.allocator.used()
                if not wrong and used > before:
                    wrong = self.leaks(first, mode)
                if wrong:
                    wrongs.append(f"allocation {first} failing {MODES[mode]}: {wrong}")
                if len(wrongs) >= 3 or not failed:
                    break
        return wrongs


def text_of(error: BaseException | None) -> str:
    """Without the numbers, some of which differ in each call."""
    return "" if error is None else f"{type(error).__name__}: {re.sub(r'[0-9]+', '0', str(error))[:300]}"


def is_lack_of_memory(error: BaseException | None) -> bool:
    """Whether it is a MemoryError, or torch's error for it or for a failed call of its C interface. Since torch 2.15
    every C++ exception is a RuntimeError."""
    texts = ("bad_alloc", "not enough memory", "API call failed", "allocate memory")
    torchs = isinstance(error, RuntimeError) and any(text in str(error) for text in texts)
    return isinstance(error, MemoryError) or torchs


def faulty(make: Callable[[], Callable[[], object]], kind: int) -> Callable[[], Callable[[], object]]:
    """The calls of a case with a fault of `kind` if an allocation fails: a crash, a leak or another error."""
    leaked = []

    def call(thunk: Callable[[], object]) -> None:
        try:
            thunk()
        except Exception as error:
            if not is_lack_of_memory(error):
                raise
            if kind % 3 == 0:
                os.abort()
            if kind % 3 == 1:
                leaked.append(bytes(1000))
                raise
            raise AssertionError("another result") from None

    return lambda: partial(call, make())


def child(options: argparse.Namespace) -> None:
    from stress.allocation_cases import all_cases, functions_without_case

    faulthandler.enable()
    cases = all_cases()
    if options.skip < 0:
        for name in sorted(functions_without_case(cases)):
            print(f"  _convert.{name}: no case calls it", flush=True)
    allocator, tally = Allocator(), Counter[str]()
    gc.collect()
    gc.freeze()
    chosen = [i for i, case in enumerate(cases) if not options.names or case.name in options.names]
    for number, i in enumerate(chosen):
        if i <= options.skip:
            continue
        faulthandler.dump_traceback_later(SECONDS_A_CASE, exit=True)
        if options.faults:
            cases[i].make = faulty(cases[i].make, number)
        run = Run(allocator, cases[i], tally)
        for wrong in run.run(lambda mode, first, i=i: report_position(options.progress, f"{i},{mode},{first}")):
            print(f"  {cases[i].name}, {cases[i].variant}: {wrong}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print("SUMMARY", *(tally[name] for name in ("calls", "cases", "failures", "rejected")), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--faults", action="store_true", help="add faults that the check must detect")
    parser.add_argument("--skip", type=int, default=-1)
    parser.add_argument("--progress", type=int, default=-1)
    options = parser.parse_args()
    if options.progress >= 0:
        child(options)
        return 0

    began = time.monotonic()
    # Each Python object is an allocation of its own, and blocks that were freed are not in use.
    environment = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    preloaded = str(build(ROOT / "build" / "allocation"))
    children = Children("allocation", *sys.argv[1:], show=True, LD_PRELOAD=preloaded, **environment)

    def describe(position: str) -> str:
        case, mode, first = position.split(",")
        return f"case {case}, allocation {first} failing {MODES[int(mode)]}"

    children.run(lambda position: ["--skip", position.split(",")[0]], describe)
    calls, cases, failures, rejected = children.summary or ["0"] * 4
    defects = [line for line in children.lines if line.startswith("  ")]
    print(
        f"conversions: {calls} calls in {cases} cases, {failures} allocations failed, {rejected} exceptions, "
        f"{children.crashes} crashes, {len(defects)} defects; in {time.monotonic() - began:.0f} s"
    )
    return 1 if defects or not children.summary else 0
