"""Failing allocations: the first 200 of every conversion, each once alone and once with all that follow.

    stress allocation [NAME ...]

A call must raise an exception (or give the right result, if it does not need the memory), and leak neither memory nor a
reference to an argument. After each failure the same call, with memory, must give the same result as before.

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
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from support.programs import Children, report_position

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_suffix(".cpp")
FIRST = 200  # allocations per call
MODES = ("alone", "with all after it")
SECONDS_A_CASE = 300
OURS, FOREIGN = b"o", b"f"
LIBRARIES = {
    b"_ops.so": OURS,
    b"_convert.": OURS,
    b"_ctypes.": FOREIGN,
}


def build(folder: Path) -> Path:
    library = folder / "liballocation.so"
    if library.exists() and library.stat().st_mtime > SOURCE.stat().st_mtime:
        return library
    folder.mkdir(parents=True, exist_ok=True)
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    made = library.with_suffix(f".{os.getpid()}")
    flags = ["-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra"]
    subprocess.run([*compiler, *flags, "-o", str(made), str(SOURCE), "-ldl"], check=True)
    made.rename(library)
    return library


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_long) for name in ("counted", "failed")]


class Allocator:
    """The preloaded library."""

    def __init__(self) -> None:
        c = ctypes.CDLL(None)
        c.allocation_disarm.restype = Counts
        c.allocation_live.restype = ctypes.c_long
        self.arm, self.disarm = c.allocation_arm, c.allocation_disarm
        self.live, self.forget, self._describe = c.allocation_live, c.allocation_forget, c.allocation_describe
        for name, owner in LIBRARIES.items():
            c.allocation_name(name, ctypes.c_char(owner))
        c.allocation_name_function(b"_PyEval_EvalFrameDefault", ctypes.c_char(FOREIGN))

    def describe(self) -> str:
        text = ctypes.create_string_buffer(1 << 16)
        self._describe(text, len(text))
        return text.value.decode(errors="replace")


@dataclass
class Outcome:
    result: Any = None
    error: BaseException | None = None
    counts: Any = None


@dataclass
class Tally:
    cases: int = 0
    calls: int = 0
    failures: int = 0
    rejected: int = 0
    names: set[str] = field(default_factory=set)


def flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [item for part in value for item in flat(part)]
    return [value]


def same(one: Any, other: Any) -> bool:
    import numpy as np
    import torch

    def equal(a: Any, b: Any) -> bool:
        if isinstance(a, np.ndarray):
            return isinstance(b, np.ndarray) and a.shape == b.shape and bool((a == b).all())
        if type(a).__name__ == "StringTensor":
            return type(b) is type(a) and equal(a.data, b.data) and equal(a.offsets, b.offsets)
        if not isinstance(a, torch.Tensor):
            return type(a) is type(b) and (a == b or type(a).__name__ == "PyCapsule")
        if not isinstance(b, torch.Tensor) or a.dtype != b.dtype or a.shape != b.shape:
            return False
        raw = [t.detach().contiguous().reshape(-1).view(torch.uint8) for t in (a, b)]
        return torch.equal(*raw)

    a, b = flat(one), flat(other)
    return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))


class Run:
    def __init__(self, allocator: Allocator, case: Any, tally: Tally) -> None:
        self.allocator, self.case, self.tally = allocator, case, tally
        self.number = 0
        self.want = Outcome()

    def call(self, thunk: Any, first: int, mode: int) -> Outcome:
        outcome = Outcome()
        self.allocator.arm(ctypes.c_long(first), mode, bool(first))
        try:
            outcome.result = thunk()
        except BaseException as error:
            outcome.error = error
        outcome.counts = self.allocator.disarm()
        if outcome.error is not None:
            outcome.error.__traceback__ = None
        return outcome

    def wrong(self, outcome: Outcome) -> str:
        """A description of what is wrong with the outcome of a call in which allocations may have failed, or ""."""
        want, error = self.want, outcome.error
        if error is None:
            if want.error is not None:
                return f"expected {type(want.error).__name__}, got a result"
            return "" if same(want.result, outcome.result) else "another result"
        if want.error is not None and type(error) is type(want.error):
            # Ignores the number in a pattern, which differs in each call.
            texts = {re.sub(r"\d+", "0", str(e)) for e in (error, want.error)}
            if len(texts) == 1:
                return ""
            # CPython 3.10 raises the error without a text if it has no memory for one.
            if outcome.counts.failed and not str(error) and sys.version_info < (3, 11):
                return ""
        text = f"{type(error).__name__}: {str(error)[:300]}"
        if not outcome.counts.failed:
            return f"an error: {text}"
        return "" if is_lack_of_memory(error) else f"an unexpected error: {text}"

    def attempt(self, first: int, mode: int) -> tuple[str, int]:
        """A call with failing allocations, then the same call with memory. What is wrong, and how many have failed."""
        self.number += 1
        bad = self.call(self.case.make(self.number), first, mode)
        wrong = self.wrong(bad)
        failed = bad.counts.failed
        self.tally.calls += 1
        self.tally.failures += failed
        self.tally.rejected += bad.error is not None
        bad = Outcome()
        if not wrong:
            good = self.call(self.case.make(self.number), 0, 0)
            wrong = self.wrong(good)
            wrong = wrong and f"the next call, with memory: {wrong}"
        if not wrong and self.case.after is not None:
            wrong = self.case.after()
        return wrong, failed

    def live(self) -> int:
        """The number of live blocks from calls of this case."""
        sys._clear_type_cache()  # contains the names of attributes that C code looked up
        return self.allocator.live()

    def leaks(self, first: int, mode: int) -> str:
        """A description of a leak, if each of several repetitions leaves more blocks than the one before, or ""."""
        live: list[int] = []
        for _ in range(6):
            wrong, _ = self.attempt(first, mode)
            if wrong:
                return wrong
            gc.collect()
            live.append(self.live())
        grows = all(a < b for a, b in pairwise(live))
        if not grows:
            return ""
        return f"leaks: {live} blocks live after each call\n{self.allocator.describe()}"

    def run(self, progress: Any) -> list[str]:
        """Tests every allocation of the call; returns what was wrong."""
        self.tally.cases += 1
        self.tally.names.add(self.case.name)
        progress(0, 0)
        gc.collect()
        self.allocator.forget()
        if self.case.cold:
            self.call(self.case.make(0), 1, 1)
        # All calls of a case are tracked, so that caches take a constant number of blocks.
        for _ in range(3):
            self.number += 1
            self.call(self.case.make(self.number), 0, 0)
        self.number += 1
        self.want = self.call(self.case.make(self.number), 0, 0)
        wrongs = []
        gc.collect()
        live = self.live()
        for mode in range(len(MODES)):
            for first in range(1, FIRST + 1):
                progress(mode, first)
                wrong, failed = self.attempt(first, mode)
                before, live = live, self.live()
                if not wrong and live > before:
                    wrong = self.leaks(first, mode)
                if wrong:
                    wrongs.append(f"allocation {first} failing {MODES[mode]}: {wrong}")
                if len(wrongs) >= 3 or not failed:
                    break
        return wrongs


def is_lack_of_memory(error: BaseException) -> bool:
    """Whether it is a MemoryError, or torch's error for it or for a failed call of its C interface. Since torch 2.15
    every C++ exception is a RuntimeError."""
    texts = ("bad_alloc", "not enough memory", "API call failed", "allocate memory")
    torchs = isinstance(error, RuntimeError) and any(text in str(error) for text in texts)
    return isinstance(error, MemoryError) or torchs


def faulty(make: Any, kind: int) -> Any:
    """The calls of a case with a fault of `kind` if an allocation fails: a crash, a leak or a wrong result."""
    leaked = []

    def call(thunk: Any) -> Any:
        try:
            return thunk()
        except Exception as error:
            if not is_lack_of_memory(error):
                raise
            if kind % 3 == 0:
                os.abort()
            if kind % 3 == 1:
                leaked.append(bytes(1000))
                raise
            return None

    return lambda number: partial(call, make(number))


def child(options: argparse.Namespace) -> None:
    from stress.allocation_cases import all_cases, functions_without_case

    faulthandler.enable()
    cases = all_cases()
    if options.skip < 0:
        for name in sorted(functions_without_case(cases)):
            print(f"  _convert.{name}: no case calls it", flush=True)
    allocator, tally = Allocator(), Tally()
    gc.collect()
    gc.freeze()
    chosen = [i for i, case in enumerate(cases) if not options.names or case.name in options.names]
    for i in chosen:
        case = cases[i]
        if i <= options.skip:
            continue

        def progress(mode: int, first: int, i: int = i) -> None:
            report_position(options.progress, f"{i},{mode},{first}")

        faulthandler.dump_traceback_later(SECONDS_A_CASE, exit=True)
        if options.faults:
            case.make = faulty(case.make, chosen.index(i))
        for wrong in Run(allocator, case, tally).run(progress):
            print(f"  {case.name}, {case.variant}: {wrong}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print("SUMMARY", len(tally.names), tally.cases, tally.calls, tally.failures, tally.rejected, flush=True)


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
    # Each Python object is an allocation of its own.
    environment = {"LD_PRELOAD": str(build(ROOT / "build" / "allocation")), "PYTHONMALLOC": "malloc"}
    children = Children("allocation", *sys.argv[1:], show=True, **environment)

    def describe(position: str) -> str:
        case, mode, first = position.split(",")
        return f"case {case}, allocation {first} failing {MODES[int(mode)]}"

    children.run(lambda position: ["--skip", position.split(",")[0]], describe)
    names, cases, calls, failures, rejected = children.summary or ["0"] * 5
    defects = [line for line in children.lines if line.startswith("  ")]
    print(
        f"{names} conversions: {calls} calls in {cases} cases, {failures} allocations failed, {rejected} exceptions, "
        f"{children.crashes} crashes, {len(defects)} defects; in {time.monotonic() - began:.0f} s"
    )
    return 1 if defects or not children.summary else 0
