"""Peak memory of a call in addition to its outputs, and the number of Python objects that it creates.

The peak is the peak resident set size, which is reset before the call, after unused memory was returned to the kernel.
It includes temporary buffers of any allocator, once they are written.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch_stringops
from benchmarks import ours
from benchmarks.measure import Comparison, Figure
from benchmarks.rows import Context, Row

REPEATS = 3
# Allocations above 1 MB always come from the kernel, not from memory that an earlier call freed: the peak is exact.
OWN_MAPPINGS = {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1048576"}

Call = Callable[[], Any]

GENERAL = "a general pattern,"
RANGE_BYTES = (
    8  # a general pattern keeps the byte ranges of tokens between its passes, to match no text twice
)
COPIED = 100_000_000  # bytes read and written


def resident(field: str) -> int:
    """`VmRSS` or `VmHWM` of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_of(call: Call) -> tuple[int, int, Any]:
    """The peak increase in resident bytes during a call, the number of objects that it created, and its outputs."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM to VmRSS
    objects = sys.getallocatedblocks()
    before = resident("VmRSS")
    out = call()
    return resident("VmHWM") - before, sys.getallocatedblocks() - objects, out


def measure(name: str, call: Call) -> list[Figure]:
    call()
    peak, objects, out = min((peak_of(call) for _ in range(REPEATS)), key=lambda found: found[0])
    needed, what = ours.num_bytes(ours.tensors_of(out)), "outputs"
    if GENERAL in name:
        needed, what = needed + RANGE_BYTES * (len(out[1]) - 1), "outputs and byte ranges"
    return [
        Figure(f"{name}: peak / {needed / 1e6:.1f} MB of {what}", peak / needed, at_most=1.1),
        Figure(f"{name}: Python objects", objects, at_most=100),
    ]


SPLITS = [
    ("string_split_ragged", "W2", ""),
    ("string_split_ragged", "W3", ""),
    ("string_split_ragged", "W4", ","),
    ("string_split_ragged", "W4m", "::"),
    ("string_split_ragged", "W5", ""),
    ("string_split", "W1p", ""),
    ("string_split", "W4", ","),
]
TOKENS: list[tuple[str, str, dict[str, Any]]] = [
    ("characters,", "W1", {"separators": [""]}),
    ("words,", "W2", {"tokenexp": "[a-zA-Z0-9_]+"}),
    (GENERAL, "W2", {"tokenexp": r"\w+|[^\w\s]"}),
]


def calls(context: Context) -> Iterator[tuple[str, Call]]:
    """The calls to measure, with memcpy as the limit. Workloads are generated lazily."""
    into_new, _ = ours.memcpy(round(COPIED * context.scale))
    yield into_new.name, into_new.call
    for operator, workload, delimiter in SPLITS:
        yield (
            f"{operator}, {workload}",
            partial(ours.operator(operator), *ours.tensors(context.corpus(workload)), delimiter),
        )
    for name, workload, how in TOKENS:
        text = ours.tensors(context.corpus(workload))
        yield (
            f"tokenizer_ragged, {name} {workload}",
            partial(ours.operator("tokenizer_ragged"), *text, **how),
        )
    w2 = context.corpus("W2")
    yield "StringTensor.from_list, W2", partial(torch_stringops.StringTensor.from_list, w2.strings)
    data, offsets, _ = ours.operator("string_split_ragged")(*ours.tensors(w2))
    yield "string_unique, words of W2", partial(ours.operator("string_unique"), data, offsets)
    unique = ours.operator("string_unique")(data, offsets)
    table = ours.operator("vocab_build")(unique[0], unique[1])
    yield "vocab_encode, words of W2", partial(ours.operator("vocab_encode"), data, offsets, table)
    yield "split_encode, W2", partial(ours.operator("split_encode"), *ours.tensors(w2), table)


def build(context: Context) -> Comparison:
    def figures() -> list[Figure]:
        return [figure for name, call in calls(context) for figure in measure(name, call)]

    return Comparison("Peak resident memory of a call, in addition to its outputs", figures=figures)


ROWS = [Row("memory", build, OWN_MAPPINGS)]
