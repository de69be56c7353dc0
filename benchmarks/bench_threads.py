"""All cores: two threads of ours against one, and as many as there are against peers that have as many.

The first stand alone in their process, the pools of other libraries spin for a while after their work. Most peers split
strings on one thread however many they are given. Only a quiet machine gives figures that mean something: the clock is
the wall's.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks import ours, peers
from benchmarks.bench_string_split import MAKERS, WORKLOADS
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

THREADED = ("pyarrow ascii", "pyarrow", "polars", "onnxruntime", "tensorflow ragged", "openvino")


def name(threads: int, form: str = "ragged") -> str:
    return f"ours, {form}, {threads} thread{'s' * (threads != 1)}"


def on(threads: int, contender: Contender) -> Contender:
    """`contender` with so many threads of torch, chosen before each sample."""
    call = contender.call
    return replace(contender, call=lambda _: call(), prepare=partial(torch.set_num_threads, threads))


def build(workload: str, beside_peers: bool, context: Context) -> Comparison:
    every = len(context.cpus)
    title = f"Split on {every} threads. {workload}"
    if every < 2:
        return Comparison(title, [Skipped(name(2), "this process has one core")])
    delimiter, lists, tables = WORKLOADS[workload]
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    ragged = partial(ours.operator("string_split_ragged"), data, offsets, delimiter)
    contenders: peers.Contenders = [
        on(threads, ours.contender(name(threads), ragged, ours.ragged)) for threads in sorted({1, 2, every})
    ]
    targets = [Target(name(2), name(1), None if beside_peers else 1.7)]
    if beside_peers:
        padded = partial(ours.operator("string_split"), data, offsets, delimiter)
        contenders.append(on(every, ours.contender(name(every, "padded"), padded, ours.padded)))
        for peer in THREADED:
            if peer in lists | tables:
                contenders += MAKERS[peer](corpus, delimiter)
                targets.append(Target(name(every, "ragged" if peer in lists else "padded"), peer))
    contenders += memcpy(ours.num_bytes([data, offsets, *ragged()]), every)
    title = f"{title}: {len(corpus):,} {corpus.description}; wall clock"
    return Comparison(title, contenders, targets, corpus.num_bytes, cpus=every)


def memcpy(traffic: int, threads: int) -> list[Contender]:
    """On one thread, and torch's copy on all."""
    source = torch.ones(traffic // 2, dtype=torch.uint8)
    warm = torch.ones(traffic // 2, dtype=torch.uint8)

    def copy(make: Callable[[], Tensor]) -> Any:
        return make().copy_(source)

    several = f"{threads} threads"
    return [
        *ours.memcpy(traffic),
        on(threads, Contender(f"{ours.MEMCPY}, {several}", partial(copy, partial(torch.empty_like, source)))),
        on(threads, Contender(f"{ours.MEMCPY_WARM}, {several}", partial(copy, lambda: warm))),
    ]


ROWS = [
    Row(f"{kind}/{workload}", partial(build, workload, beside_peers), all_threads=True)
    for kind, beside_peers, workloads in (
        ("threads", False, ("W1", "W2", "W4", "W5")),
        ("all threads", True, ("W1", "W2", "W4", "W5", "W6")),
    )
    for workload in workloads
]
