"""Rows within the library: threads, CPU tiers, memory."""

import ctypes
import gc
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

import torch_stringops
from benchmarks import ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Figure, Skipped, Target
from benchmarks.rows import Context, Row

CallOf = Callable[[Context], tuple[Corpus, Callable[[], Any]]]  # an input, and the call on it
ONE_CORE = [Skipped("ours, 2 threads", "this process has one core")]
# Allocations above 1 MB always come from the kernel, not from memory that an earlier call freed: peaks are exact.
OWN_MAPPINGS = {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1048576"}


def on_threads(count: int, contender: Contender) -> Contender:
    """`contender` with a number of torch threads, which is set before each sample."""
    call = contender.call
    return replace(contender, call=lambda _: call(), prepare=partial(torch.set_num_threads, count))


def on_tier(tier: str, call: Callable[[], Any]) -> Contender | Skipped:
    """The call on a CPU tier, which is set before each sample."""
    if tier not in torch_stringops.simd_tiers():
        return Skipped(f"ours, {tier}", f"this CPU has no {tier}")
    return Contender(f"ours, {tier}", lambda _: call(), prepare=partial(torch_stringops.set_simd_tier, tier), ours=True)


def operator_on(op: str, workload: str, *arguments: Any, **options: Any) -> CallOf:
    def call_of(context: Context) -> tuple[Corpus, Callable[[], Any]]:
        corpus = context.corpus(workload)
        return corpus, ours.made(op, (corpus, *arguments), **options)

    return call_of


def copies(corpus: Corpus, out: Any) -> peers.Contenders:
    return ours.memcpy(corpus.num_bytes + ours.num_bytes(ours.tensors_of(out)))


def tiers(call_of: CallOf, op: str, peer: str, arguments: tuple[Any, ...]) -> Callable[[Context], Comparison]:
    def build(context: Context) -> Comparison:
        corpus, call = call_of(context)
        found = [on_tier(tier, call) for tier in ("avx512", "avx2", "scalar")]
        theirs = peers.contenders(peer, op, (corpus, *arguments), {})
        targets = [Target(c.name, peer) for c in found]
        title = f"{op} by CPU tier: {len(corpus):,} {corpus.description}"
        return Comparison(title, [*found, *theirs, *copies(corpus, call())], targets, corpus.num_bytes)

    return build


def threads(call_of: CallOf) -> Callable[[Context], Comparison]:
    """The wall's time on two threads, beside that on one."""

    def build(context: Context) -> Comparison:
        if len(context.cpus) < 2:
            return Comparison("On threads", ONE_CORE)
        corpus, call = call_of(context)
        one, two = (
            on_threads(count, Contender(name, call, ours=True))
            for count, name in ((1, "ours, 1 thread"), (2, "ours, 2 threads"))
        )
        title = f"On threads: {len(corpus):,} {corpus.description}; wall clock"
        contenders = [one, two, *copies(corpus, call())]
        return Comparison(title, contenders, [Target(two.name, one.name)], corpus.num_bytes, cpus=2)

    return build


def all_threads(workload: str, delimiter: str, context: Context) -> Comparison:
    """Peers with threads get as many as there are cores."""
    count = len(context.cpus)
    if count < 2:
        return Comparison("On all threads", ONE_CORE)
    corpus, names = context.corpus(workload), ("pyarrow", "polars", "tensorflow")
    call = ours.made("string_split_ragged", (corpus, delimiter))
    mine = on_threads(count, Contender(f"ours, {count} threads", call, ours=True))
    theirs = [c for peer in names for c in peers.contenders(peer, "string_split_ragged", (corpus, delimiter), {})]
    title = f"Split on {count} threads: {len(corpus):,} {corpus.description}; wall clock"
    contenders = [mine, *theirs, *copies(corpus, call())]
    return Comparison(title, contenders, [Target(mine.name, peer) for peer in names], corpus.num_bytes, cpus=count)


def resident(field: str) -> int:
    """`VmRSS` or `VmHWM` of this process in bytes."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields[field].split()[0]) * 1024


def peak_of(call: Callable[[], Any]) -> tuple[int, int, Any]:
    """The peak increase of resident bytes during a call, the number of objects that it created, and its outputs."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM to VmRSS
    objects, before = sys.getallocatedblocks(), resident("VmRSS")
    out = call()
    return resident("VmHWM") - before, sys.getallocatedblocks() - objects, out


SPLIT = partial(operator_on, "string_split_ragged")
# Calls whose peak is measured. A pattern keeps 8 bytes for each token, to match no text twice.
PEAKS: dict[str, tuple[CallOf, int]] = {
    **{f"string_split_ragged, {w}": (SPLIT(w, ""), 0) for w in ("W2", "W5", "metadata")},
    "string_split_ragged, W4": (SPLIT("W4", ","), 0),
    "string_split, W1p": (operator_on("string_split", "W1p", ""), 0),
    "tokenizer_ragged, metadata": (operator_on("tokenizer_ragged", "metadata", tokenexp=r"\w+|[^\w\s]"), 8),
    "string_unique, words of W2": (operator_on("string_unique", "words of W2"), 0),
}


def memory(context: Context) -> Comparison:
    def figures() -> list[Figure]:
        found = []
        for name, (call_of, per_piece) in PEAKS.items():
            _, call = call_of(context)
            call()
            peak, objects, out = min((peak_of(call) for _ in range(3)), key=lambda one: one[0])
            needed = ours.num_bytes(ours.tensors_of(out)) + per_piece * (len(out[1]) - 1)
            found.append(Figure(f"{name}: peak / {needed / 1e6:.1f} MB of outputs", peak / needed, at_most=1.1))
            found.append(Figure(f"{name}: Python objects", objects, at_most=100))
        return found

    return Comparison("Peak resident memory of a call, in addition to its outputs", figures=figures)


# fmt: off
ROWS = [
    *(Row(f"threads/{w}", threads(SPLIT(w, "")), all_threads=True) for w in ("W1", "messages", "pages")),
    *(Row(f"all threads/{w}", partial(all_threads, w, d), all_threads=True)
      for w, d in (("W4", ","), ("records", ","), ("metadata", ""))),
    *(Row(f"tiers/{w}", tiers(SPLIT(w, d), "string_split_ragged", "pyarrow", (d,)))
      for w, d in (("W1", ""), ("W2", ""), ("W4", ","), ("metadata", ""))),
    Row("memory", memory, OWN_MAPPINGS),
]
# fmt: on
