"""Failing allocations: the first 200 of every operator and conversion, each once alone and once with all that follow.

    stress allocation [--short] [NAME ...]

A call must raise an exception (or give the right result, if it does not need the memory), and leak neither memory nor a
reference to an argument. After each failure the same call, with memory, must give the same result as before.

The allocations that fail are those on behalf of our two libraries, on every thread, including those of torch, RE2 and
Python that our code causes (allocation.cpp says how they are distinguished). Not covered, with the reason:

- Allocations of torch's dispatcher and of Python around a call: not ours, and torch leaks the arguments that it has
  converted if the next one fails.
- Allocations of libgomp for new threads: libgomp ends the process if they fail.
- Allocations of Python code that our code calls: the producer of an Arrow column, through ctypes, which prints and ignores
  an exception in a callback.
- Memory that RE2 does not free when it fails: RE2 is not written for exceptions. It is counted and shown.

The cases run in child processes; after a crash, a new child continues with the next case (without --short, with the next
allocation).
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
import threading
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
# More calls than the cache of patterns keeps, so that all that it keeps is replaced.
CACHED_PATTERNS = 70
MODES = ("alone", "with all after it")
NOTHING = (-1, 0)  # the position before every allocation
SECONDS_A_CASE = 300
OURS, FOREIGN = b"o", b"f"
LIBRARIES = {
    b"_ops.so": OURS,
    b"_convert.": OURS,
    b"libgomp": FOREIGN,
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
    _fields_ = [(name, ctypes.c_long) for name in ("counted", "failed", "regions")]


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

    def live_after(self, calls: int, first: int, mode: int) -> int:
        for _ in range(calls):
            self.attempt(first, mode)
        gc.collect()
        return self.live()

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
        if self.case.keeps and grows:
            # A pattern keeps an engine for each thread that searched at the same time, and their number depends on
            # what else the machine does. So the blocks of all cached patterns may grow by chance, but not every time.
            before, cycles = self.live_after(CACHED_PATTERNS, first, mode), 0
            while grows and cycles < 8:
                after = self.live_after(CACHED_PATTERNS, first, mode)
                grows = after - before >= CACHED_PATTERNS / 2
                before, cycles = after, cycles + 1
        if not grows:
            return ""
        return f"leaks: {live} blocks live after each call\n{self.allocator.describe()}"

    def run(self, skip: tuple[int, int], progress: Any) -> list[str]:
        """Tests every allocation of the call after `skip`; returns what was wrong."""
        self.tally.cases += 1
        self.tally.names.add(self.case.name)
        progress(0, 0)
        gc.collect()
        self.allocator.forget()
        if self.case.cold and skip == NOTHING:
            self.call(self.case.make(0), 1, 1)
        # All calls of a case are tracked, so that caches take a constant number of blocks.
        for _ in range(CACHED_PATTERNS if self.case.keeps else 3):
            self.number += 1
            self.call(self.case.make(self.number), 0, 0)
        self.number += 1
        self.want = self.call(self.case.make(self.number), 0, 0)
        wrongs = []
        if self.case.parallel and not self.want.counts.regions:
            wrongs.append("the largest sample opens no parallel region")
        gc.collect()
        live = self.live()
        for mode in range(len(MODES)):
            for first in range(1, FIRST + 1):
                if (mode, first) <= skip:
                    continue
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
    import torch
    from stress.allocation_cases import all_cases, functions_without_case
    from support.threads import divide_small_work

    faulthandler.enable()
    torch.set_num_threads(4)
    divide_small_work()
    cases = all_cases(not options.short)
    if options.share == 0 and options.skip is None:
        for name in sorted(functions_without_case(cases)):
            print(f"  _convert.{name}: no case calls it", flush=True)
    allocator, tally = Allocator(), Tally()
    gc.collect()
    gc.freeze()
    chosen = [i for i, case in enumerate(cases) if not options.names or case.name in options.names]
    skip_case, mode, first = map(int, (options.skip or "-1,0,0").split(","))
    for i, case in enumerate(cases):
        if i % options.shares != options.share or i < skip_case or i not in chosen:
            continue

        def progress(mode: int, first: int, i: int = i) -> None:
            report_position(options.progress, f"{i},{mode},{first},{len(cases)}")

        faulthandler.dump_traceback_later(SECONDS_A_CASE, exit=True)
        began = time.monotonic()
        calls = tally.calls
        if options.faults:
            case.make = faulty(case.make, chosen.index(i))
        for wrong in Run(allocator, case, tally).run((mode, first) if i == skip_case else NOTHING, progress):
            print(f"  {case.name}, {case.variant}: {wrong}", flush=True)
        if options.verbose:
            seconds = time.monotonic() - began
            print(f"{seconds:.2f} s, {tally.calls - calls} calls: {case.name}, {case.variant}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    t = tally
    print("SUMMARY", t.cases, t.calls, t.failures, t.rejected, *sorted(t.names), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument(
        "--short", action="store_true", help="the first and the largest sample of an operator"
    )
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--faults", action="store_true", help="add faults that the check must detect")
    parser.add_argument("--shares", type=int, default=2)
    parser.add_argument("--share", type=int, default=-1)
    parser.add_argument("--skip")
    parser.add_argument("--progress", type=int, default=-1)
    options = parser.parse_args()
    if options.share >= 0:
        child(options)
        return 0

    began = time.monotonic()
    library = build(ROOT / "build" / "allocation")
    # Each Python object is an allocation of its own.
    environment = {"LD_PRELOAD": str(library), "PYTHONMALLOC": "malloc"}
    shares = [
        Children(
            "allocation", *sys.argv[1:], "--share", str(i), "--shares", str(options.shares), **environment
        )
        for i in range(options.shares)
    ]

    def resume(position: str) -> list[str]:
        case, mode, first, _ = position.split(",")
        # Continues after this allocation, or in the short form after all allocations of the case.
        return ["--skip", f"{case},{len(MODES)},0" if options.short else f"{case},{mode},{first}"]

    def describe(position: str) -> str:
        case, mode, first, _ = position.split(",")
        return f"case {case}, allocation {first} failing {MODES[int(mode)]}"

    threads = [threading.Thread(target=share.run, args=(resume, describe)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(timeout=1)
            at = [share.position().split(",") for share in shares]
            if sys.stderr.isatty() and all(len(a) == 4 for a in at):
                print(
                    f"\rcase {min(int(a[0]) for a in at)} of {at[0][3]}", end="", file=sys.stderr, flush=True
                )
    wrong = [line for share in shares for line in share.lines]
    if wrong:
        print("\n".join(wrong))
    cases, calls, failures, rejected = (
        sum(int(share.summary[i]) for share in shares if share.summary) for i in range(4)
    )
    names = {name for share in shares for name in share.summary[4:]}
    from support.registry import OVERLOADS  # torch is not needed before

    operators = names & set(OVERLOADS)
    defects = [line for line in wrong if line.startswith("  ")]
    print(
        f"{len(operators)} operators and {len(names - operators)} conversions: {calls} calls in {cases} cases, "
        f"{failures} allocations failed, {rejected} exceptions, {sum(s.crashes for s in shares)} crashes, "
        f"{len(defects)} defects; in {time.monotonic() - began:.0f} s"
    )
    return 1 if defects else 0
