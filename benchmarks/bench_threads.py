"""Two threads against one. Only a quiet machine with two free cores gives figures that mean something."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from benchmarks import ours
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

ONE, TWO = "ours, 1 thread", "ours, 2 threads"


def contender(name: str, threads: int, call: Callable[[], Any]) -> Contender:
    choose = partial(torch.set_num_threads, threads)
    return ours.contender(name, lambda _: call(), ours.ragged, prepare=choose)


def build(workload: str, delimiter: str, context: Context) -> Comparison:
    title = f"Ragged split by threads. {workload}"
    if len(context.cpus) < 2:
        return Comparison(title, [Skipped(TWO, "this process has one core")])
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    split = partial(ours.operator("string_split_ragged"), data, offsets, delimiter)
    return Comparison(
        f"{title}: {len(corpus):,} {corpus.description}",
        [
            contender(ONE, 1, split),
            contender(TWO, 2, split),
            *ours.memcpy(ours.num_bytes([data, offsets, *split()])),
        ],
        [Target(TWO, ONE, 1.7)],
        corpus.num_bytes,
        cpus=2,
    )


ROWS = [
    Row(f"threads/{workload}", partial(build, workload, delimiter))
    for workload, delimiter in (("W1", ""), ("W2", ""), ("W4", ","), ("W5", ""))
]
