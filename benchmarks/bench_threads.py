"""Scaling with threads: our operators on two threads against one, and on all cores against peers on all cores.

The former are measured in a process without peers, since thread pools of other libraries spin for a while after their
work. Most peers split strings on a single thread. The rows measure wall-clock time, so the machine must be idle.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks import ours, peers
from benchmarks.bench_string_split import MAKERS, WORKLOADS
from benchmarks.corpora import from_strings
from benchmarks.measure import Comparison, Contender, Skipped, Target
from benchmarks.rows import Context, Row

THREADED = ("pyarrow ascii", "pyarrow", "polars", "onnxruntime", "tensorflow ragged", "openvino")


def name(threads: int, form: str = "ragged") -> str:
    return f"ours, {form}, {threads} thread{'s' * (threads != 1)}"


def on(threads: int, contender: Contender) -> Contender:
    """`contender` with a number of torch threads, which is set before each sample."""
    call = contender.call
    return replace(contender, call=lambda _: call(), prepare=partial(torch.set_num_threads, threads))


def build(workload: str, with_peers: bool, context: Context) -> Comparison:
    num_threads = len(context.cpus)
    title = f"Split on {num_threads} threads. {workload}"
    if num_threads < 2:
        return Comparison(title, [Skipped(name(2), "this process has one core")])
    delimiter, lists, tables = WORKLOADS[workload]
    corpus = context.corpus(workload)
    data, offsets = ours.tensors(corpus)
    ragged = partial(ours.operator("string_split_ragged"), data, offsets, delimiter)
    contenders: peers.Contenders = [
        on(threads, ours.contender(name(threads), ragged, ours.ragged))
        for threads in sorted({1, 2, num_threads})
    ]
    gain = None if with_peers or workload in LIMITED else 1.7
    targets = [Target(name(2), name(1), gain)]
    if not with_peers and workload in LIMITED:
        targets.append(Target(name(2), copies(2), at_most=LIMITED[workload]))
    if with_peers:
        padded = partial(ours.operator("string_split"), data, offsets, delimiter)
        contenders.append(on(num_threads, ours.contender(name(num_threads, "padded"), padded, ours.padded)))
        for peer in THREADED:
            if peer in lists | tables:
                contenders += MAKERS[peer](corpus, delimiter)
                targets.append(Target(name(num_threads, "ragged" if peer in lists else "padded"), peer))
    contenders += memcpy(ours.num_bytes([data, offsets, *ragged()]), num_threads)
    title = f"{title}: {len(corpus):,} {corpus.description}; wall clock"
    return Comparison(title, contenders, targets, corpus.num_bytes, cpus=num_threads)


def build_small(num_bytes: int, context: Context) -> Comparison:
    """Work that may not be worth waking a thread for, and more threads than cores."""
    title = "Split of a small batch at whitespace"
    if len(context.cpus) < 2:
        return Comparison(title, [Skipped(name(2), "this process has one core")])
    corpus = context.corpus("W1")
    count = int((corpus.offsets <= num_bytes).sum()) - 1
    corpus = from_strings("batch", corpus.description, corpus.encoded[:count])
    ragged = partial(ours.operator("string_split_ragged"), *ours.tensors(corpus), "")
    contenders: peers.Contenders = [
        on(threads, ours.contender(name(threads), ragged, ours.ragged)) for threads in (1, 2, 8)
    ]
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(corpus), *ragged()]))
    targets = [Target(name(threads), name(1), at_most=1.05) for threads in (2, 8)]
    title = f"{title}: {count:,} {corpus.description}, {corpus.num_bytes // 1000} KB; wall clock"
    return Comparison(title, contenders, targets, corpus.num_bytes, cpus=len(context.cpus))


def build_tokenizer(context: Context) -> Comparison:
    title = "Tokens of word characters in one string"
    if len(context.cpus) < 2:
        return Comparison(title, [Skipped(name(2), "this process has one core")])
    text = context.corpus("W1").data.tobytes()
    corpus = from_strings("one string", "string of all rows of W1", [text * (55_000_000 // len(text) + 1)])
    ragged = partial(ours.operator("tokenizer_ragged"), *ours.tensors(corpus), tokenexp=r"\w+", mincharnum=1)
    contenders: peers.Contenders = [
        on(threads, ours.contender(name(threads), ragged, ours.ragged)) for threads in (1, 2)
    ]
    contenders += ours.memcpy(ours.num_bytes([*ours.tensors(corpus), *ragged()]))
    title = f"{title}: {len(corpus):,} {corpus.description}, {corpus.num_bytes // 1_000_000} MB; wall clock"
    return Comparison(title, contenders, [Target(name(2), name(1), 1.5)], corpus.num_bytes, cpus=2)


def copies(threads: int) -> str:
    return f"{ours.MEMCPY}, {threads} threads"


def memcpy(traffic: int, threads: int) -> list[Contender]:
    """memcpy on one thread, and torch's copy on all threads."""
    source = torch.ones(traffic // 2, dtype=torch.uint8)
    warm = torch.ones(traffic // 2, dtype=torch.uint8)

    def copy(make: Callable[[], Tensor]) -> Any:
        return make().copy_(source)

    several = f"{threads} threads"
    return [
        *ours.memcpy(traffic),
        on(threads, Contender(copies(threads), partial(copy, partial(torch.empty_like, source)))),
        on(threads, Contender(f"{ours.MEMCPY_WARM}, {several}", partial(copy, lambda: warm))),
    ]


# Two threads share the memory, from which large outputs come; the limit is torch's copy of equal traffic by both.
LIMITED = {"W2": 2.5, "W5": 2.0}
TRAFFIC = (
    "Two threads share the memory: memcpy of equal traffic into new memory gains 1.2x from the second thread for W2, "
    "and loses half of its speed for W5, in the same rows."
)
ROWS = [
    Row(
        f"{kind}/{workload}",
        partial(build, workload, with_peers),
        all_threads=True,
        reasons={name(2): TRAFFIC},
    )
    for kind, with_peers, workloads in (
        ("threads", False, ("W1", "W2", "W4", "W5")),
        ("all threads", True, ("W1", "W2", "W4", "W5", "W6")),
    )
    for workload in workloads
]
ROWS += [
    Row(f"threads/batch of {kb} KB", partial(build_small, kb * 1000), all_threads=True)
    for kb in (37, 61, 123, 500, 1000)
]
CLEARED = (
    "The kernel clears the pages of new outputs: of 16 ms of processor time on one thread, 6 ms; on two threads, more. "
    "With memory kept, 10 ms on one thread, 10 to 13 on two."
)
ROWS += [Row("threads/tokenizer, one string", build_tokenizer, all_threads=True, reasons={name(2): CLEARED})]
