"""Linear time, from 1 MB to 1 GB.

Each row is measured twice. With memory kept, only the operator and the caches have an effect: ten times the rows take
at most eleven times as long. With the default settings, the C library returns allocations above 32 MB to the kernel,
which has to clear pages in each call at 100 MB, but not at 10 MB; and 1 MB stays in the caches of a core. memcpy of
equal traffic shows the same steps, so its time is the limit at each size, times a factor. The last row is a single
string.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, from_strings, vocabulary, w1, w4
from benchmarks.measure import Comparison, Contender, Figure, Skipped, Target, run_once
from benchmarks.rows import KEEP_MEMORY, Context, Row

SIZES = {"1 MB": 1, "10 MB": 10, "100 MB": 100, "1 GB": 1000}
DRAWN = 10  # MB of generated text; larger workloads repeat its rows
ROUNDS_OF_1_GB = 3
MEMORY_PER_BYTE = 12  # maximum over the workloads, of inputs, outputs and buffers of memcpy

Work = Callable[[Corpus], tuple[Callable[[], Any], list[Tensor]]]  # returns the call and its inputs


def build(
    title: str,
    make: Callable[[int], Corpus],
    rows: int,
    work: Work,
    copies: float,
    kept: bool,
    context: Context,
) -> Comparison:
    """`rows` is the number of rows of 1 MB of the workload, `copies` the limit in copies of equal traffic."""
    drawn = make(max(1, round(rows * DRAWN * context.scale)))
    contenders: peers.Contenders = []
    for name, factor in SIZES.items():
        count = max(1, round(rows * factor * context.scale))
        needed = MEMORY_PER_BYTE * drawn.num_bytes // len(drawn) * count
        if needed > available_memory():
            contenders.append(Skipped(name, f"needs {needed / 1e9:.0f} GB of free memory"))
            continue
        call, inputs = work(tiled(drawn, count))
        traffic = ours.num_bytes([*inputs, *ours.tensors_of(call())])
        max_rounds = ROUNDS_OF_1_GB if name == "1 GB" else 0
        sized = [Contender(name, call, ours=True), *ours.memcpy(traffic, f", {name}")]
        contenders += [replace(contender, max_rounds=max_rounds) for contender in sized]
    if kept:
        targets = [Target(big, small, at_most=11) for small, big in pairwise(SIZES)]
    else:
        targets = [Target(name, f"{ours.MEMCPY}, {name}", at_most=copies) for name in SIZES]
    return Comparison(title, contenders, targets)


def tiled(drawn: Corpus, count: int) -> Corpus:
    """Repeats the rows of `drawn` up to `count` rows."""
    times = -(-count // len(drawn))
    starts = np.arange(times, dtype=np.int32) * drawn.num_bytes
    ends = (starts[:, None] + drawn.offsets[1:]).reshape(-1)[:count]
    offsets = np.concatenate([np.zeros(1, np.int32), ends])
    return Corpus(drawn.name, drawn.description, np.tile(drawn.data, times)[: offsets[-1]], offsets)


def available_memory() -> int:
    """The bytes that a process can allocate, as estimated by the kernel."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/meminfo has no MemAvailable")


def split(operator: str, delimiter: str, corpus: Corpus) -> tuple[Callable[[], Any], list[Tensor]]:
    data, offsets = ours.tensors(corpus)
    return partial(ours.operator(operator), data, offsets, delimiter), [data, offsets]


def encode(corpus: Corpus) -> tuple[Callable[[], Any], list[Tensor]]:
    """With the same vocabulary for all sizes of the text."""
    words = from_strings("words", "words", vocabulary())
    table = ours.operator("vocab_build")(*ours.tensors(words))
    data, offsets, _ = ours.operator("string_split_ragged")(*ours.tensors(corpus))
    return partial(ours.operator("vocab_encode"), data, offsets, table), [data, offsets]


NS_PER_BYTE = 0.25  # 4 GB/s


def build_one_string(context: Context) -> Comparison:
    """A text of 250 MB as a single string, as it is read from a file."""
    text = b" ".join(w1(max(1, round(16_600 * DRAWN * context.scale))).encoded) + b" "
    data = torch.from_numpy(np.tile(np.frombuffer(text, np.uint8), 25))
    offsets = torch.tensor([0, len(data)], dtype=torch.int32)
    ours_ = Contender("ours", partial(ours.operator("string_split_ragged"), data, offsets, ""), ours=True)

    def figures() -> list[Figure]:
        seconds = min(run_once(ours_)[2] for _ in range(4))
        return [Figure("ns per byte, the best of four calls", seconds * 1e9 / len(data), NS_PER_BYTE)]

    traffic = ours.num_bytes([data, offsets, *ours_.call()])
    title = "A single string split at whitespace; memory kept"
    return Comparison(title, [ours_, *ours.memcpy(traffic)], (), len(data), figures)


CACHE = "Text and outputs fit partly in the third-level cache of 32 MB at 10 MB, and not at 100 MB."
WORK: dict[str, tuple[str, Callable[[int], Corpus], int, Work, float]] = {
    "string_split_ragged": ("W1 by size", w1, 16_600, partial(split, "string_split_ragged", ""), 4),
    "string_split": ("W1 by size, padded", w1, 16_600, partial(split, "string_split", ""), 5),
    "delimiter": ("W4 by size, at `,`", w4, 7_800, partial(split, "string_split_ragged", ","), 4),
    "vocab_encode": ("Lookup of the words of W1 by size", w1, 16_600, encode, 12),
}
ROWS = [Row(f"linear/{name}", partial(build, *work, False)) for name, work in WORK.items()]
ROWS += [
    Row(f"linear, memory kept/{name}", partial(build, *work, True), KEEP_MEMORY, reasons={"100 MB": CACHE})
    for name, work in WORK.items()
]
ROWS.append(Row("one string, memory kept/250 MB", build_one_string, KEEP_MEMORY))
