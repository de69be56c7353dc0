"""Damaged calls of every operator on each tier, with an unreadable page after each block of memory: no read outside.

    stress guard [--short] [OPERATOR ...]

The calls are those of malformed_arguments.py, and the samples of each suite; guard.cpp is the allocator. A read or write
outside of a tensor, or of memory that a call allocates, ends the child process and is shown with the operator and the
tier; a new child continues with the next call.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from stress.malformed_arguments import Case, all_cases, run_case
from support.harness import OpSuite
from support.programs import Children, report_position
from support.registry import all_suites
from support.strings import LAYOUTS

import torch_stringops

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_suffix(".cpp")
SHORT = 61  # of so many calls, one


def build(folder: Path) -> Path:
    library = folder / "libguard.so"
    if library.exists() and library.stat().st_mtime > SOURCE.stat().st_mtime:
        return library
    folder.mkdir(parents=True, exist_ok=True)
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    made = library.with_suffix(f".{os.getpid()}")
    flags = ["-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-fno-builtin"]
    subprocess.run([*compiler, *flags, "-o", str(made), str(SOURCE)], check=True)
    made.rename(library)
    return library


@contextmanager
def guarded() -> Iterator[None]:
    """All memory that is allocated in the block ends at an unreadable page."""
    allocator = ctypes.CDLL(None)
    allocator.guard_arm(True)
    try:
        yield
    finally:
        allocator.guard_arm(False)


def samples(suite: OpSuite) -> Iterator[tuple[str, Callable[[], str]]]:
    """Each sample of a suite in each layout, compared with its oracle."""
    for number, (sample, layout) in enumerate(itertools.product(suite.samples, LAYOUTS)):

        def run(sample=sample, layout=layout) -> str:
            args, kwargs = suite.tensors(sample, layout)
            # Not the oracle, nor the decoding: a process has at most 65,530 mappings, and Python allocates each string.
            with guarded():
                results = suite.overload(*args, **kwargs)
            want = suite.reference(*sample.args, **sample.kwargs)
            return "" if suite.decode(results) == want else "another result than that of the oracle"

        yield f"sample {number // len(LAYOUTS)}, {layout}", run


def calls(chosen: list[str]) -> Iterator[tuple[str, Callable[[], str]]]:
    """(operator and call, a function that makes the call and describes what is wrong) for each."""
    for suite in all_suites().values():
        if not chosen or suite.op in chosen:
            yield from ((f"{suite.name}: {what}", run) for what, run in samples(suite))

    def damaged(case: Case) -> Callable[[], str]:
        def run() -> str:
            with guarded():
                return run_case(case)

        return run

    for case in all_cases(chosen):
        yield f"{case.suite.name}: {case.name}", damaged(case)


def child(first: int, chosen: argparse.Namespace) -> None:
    allocator = ctypes.CDLL(None)
    torch.set_num_threads(1)
    made = 0
    for tier in torch_stringops.simd_tiers():
        torch_stringops.set_simd_tier(tier)
        for number, (name, run) in enumerate(calls(chosen.operators)):
            if chosen.short and number % SHORT != 0:
                continue
            made += 1
            if made <= first:
                continue
            report_position(chosen.progress, f"{made} {tier}: {name}")
            if wrong := run():
                print(f"  {tier}: {name}: {wrong}", flush=True)
    allocator.guard_blocks.restype = ctypes.c_long
    print(f"SUMMARY {len(torch_stringops.simd_tiers())} {made} {allocator.guard_blocks()}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    parser.add_argument("--short", action="store_true", help=f"one of {SHORT} calls")
    parser.add_argument("--first", type=int, default=0, help="continue after so many calls")
    parser.add_argument(
        "--progress", type=int, help="run in this process, and report to this file descriptor"
    )
    chosen = parser.parse_intermixed_args()
    if chosen.progress is not None:
        child(chosen.first, chosen)
        return 0
    began = time.monotonic()
    options = ["--short"] if chosen.short else []
    library = build(ROOT / "build" / "guard")
    children = Children("guard", *options, *chosen.operators, LD_PRELOAD=str(library))
    children.run(
        resume=lambda position: ["--first", position.split()[0]],
        describe=lambda position: position.partition(" ")[2],
    )
    wrong = [line for line in children.lines if line.startswith("  ")]
    print("".join(f"{line}\n" for line in wrong), end="")
    if children.summary:
        tiers, made, blocks = map(int, children.summary)
        print(
            f"guard: {made:,} calls on {tiers} tiers, {blocks:,} blocks in the last process, {children.crashes} reads "
            f"outside, {len(wrong)} defects, in {time.monotonic() - began:.0f} s"
        )
    return 1 if wrong or not children.summary else 0
