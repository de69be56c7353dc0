"""Peak memory of a call beside its outputs, and the Python objects that it makes.

The peak is what the kernel counted as resident, set back before the call, after unused memory was given back
to it. So a buffer that an operator takes and returns is seen wherever it came from, once it is touched.
"""

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch_stringops
from benchmarks import ours
from benchmarks.measure import Comparison, Figure
from benchmarks.rows import Context, Row

REPEATS = 3


def resident(field: str) -> int:
    """`VmRSS` or `VmHWM` of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_of(call: Callable[[], Any]) -> tuple[int, int, Any]:
    """Bytes of resident memory that a call added at its peak; the objects that it made; its outputs."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # sets VmHWM back to VmRSS
    objects = sys.getallocatedblocks()
    before = resident("VmRSS")
    out = call()
    return resident("VmHWM") - before, sys.getallocatedblocks() - objects, out


def measure(call: Callable[[], Any]) -> list[Figure]:
    call()
    peak, objects, out = min((peak_of(call) for _ in range(REPEATS)), key=lambda found: found[0])
    outputs = ours.num_bytes(ours.tensors_of(out))
    return [
        Figure("MB of outputs", outputs / 1e6),
        Figure("peak memory / outputs", peak / outputs, at_most=1.1),
        Figure("Python objects", objects, at_most=100),
    ]


def split(operator: str, workload: str, delimiter: str, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    call = partial(ours.operator(operator), data, offsets, delimiter)
    return Comparison(f"{operator}, {workload}", figures=partial(measure, call))


def from_list(context: Context) -> Comparison:
    strings = context.corpus("W2").strings
    call = partial(torch_stringops.StringTensor.from_list, strings)
    return Comparison("StringTensor.from_list, W2", figures=partial(measure, call))


def of_words(operator: str, context: Context) -> Comparison:
    """An operator on the words of W2."""
    data, offsets, _ = ours.operator("string_split_ragged")(*ours.tensors(context.corpus("W2")))
    unique = ours.operator("string_unique")(data, offsets)
    more = (ours.operator("vocab_build")(unique[0], unique[1]),) if operator == "vocab_encode" else ()
    call = partial(ours.operator(operator), data, offsets, *more)
    return Comparison(f"{operator}, the words of W2", figures=partial(measure, call))


SPLITS = [
    ("string_split_ragged", "W2", ""),
    ("string_split_ragged", "W3", ""),
    ("string_split_ragged", "W4", ","),
    ("string_split_ragged", "W4m", "::"),
    ("string_split_ragged", "W5", ""),
    ("string_split", "W1p", ""),
    ("string_split", "W4", ","),
]
ROWS = [Row(f"memory/{o}/{w}", partial(split, o, w, d)) for o, w, d in SPLITS]
ROWS += [Row(f"memory/{o}", partial(of_words, o)) for o in ("vocab_encode", "string_unique")]
ROWS += [Row("memory/from_list", from_list)]
