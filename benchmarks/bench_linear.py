"""Cost grows linearly: ten times the rows may take at most eleven times as long, from 1 MB up.

Each row comes twice: as a process runs by default, and with memory that it keeps. By default the C library
returns outputs above 32 MB to the kernel, so each call at 100 MB pays for clearing pages that a call at 10 MB
finds in its heap; memcpy into new memory shows the same step. With kept memory what is left is the operator,
and the caches.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from torch import Tensor

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, from_strings, vocabulary, w1, w4
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

SIZES = {"1 MB": 1, "10 MB": 10, "100 MB": 100}
KEEP_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=4294967296"}

Work = Callable[[Corpus], tuple[Callable[[], Any], list[Tensor]]]  # the call, and its inputs


def build(title: str, make: Callable[[int], Corpus], rows: int, work: Work, context: Context) -> Comparison:
    """`rows` rows of the workload are 1 MB."""
    contenders: peers.Contenders = []
    for name, factor in SIZES.items():
        call, inputs = work(make(max(1, round(rows * factor * context.scale))))
        contenders.append(Contender(name, call, ours=True))
        contenders += ours.memcpy(ours.num_bytes([*inputs, *ours.tensors_of(call())]), f", {name}")
    targets = [Target(big, small, at_most=11) for small, big in pairwise(SIZES)]
    return Comparison(title, contenders, targets)


def split(operator: str, delimiter: str, corpus: Corpus) -> tuple[Callable[[], Any], list[Tensor]]:
    data, offsets = ours.tensors(corpus)
    return partial(ours.operator(operator), data, offsets, delimiter), [data, offsets]


def encode(corpus: Corpus) -> tuple[Callable[[], Any], list[Tensor]]:
    """The same vocabulary whatever the size of the text."""
    words = from_strings("words", "words", vocabulary())
    table = ours.operator("vocab_build")(*ours.tensors(words))
    data, offsets, _ = ours.operator("string_split_ragged")(*ours.tensors(corpus))
    return partial(ours.operator("vocab_encode"), data, offsets, table), [data, offsets]


WORK: dict[str, tuple[str, Callable[[int], Corpus], int, Work]] = {
    "string_split_ragged": ("W1 by rows", w1, 16_600, partial(split, "string_split_ragged", "")),
    "string_split": ("W1 by rows, padded", w1, 16_600, partial(split, "string_split", "")),
    "delimiter": ("W4 by rows, at `,`", w4, 7_800, partial(split, "string_split_ragged", ",")),
    "vocab_encode": ("Lookup of the words of W1 by rows", w1, 16_600, encode),
}
ROWS = [Row(f"linear/{name}", partial(build, *work)) for name, work in WORK.items()]
ROWS += [
    Row(f"linear, memory kept/{name}", partial(build, *work), KEEP_MEMORY) for name, work in WORK.items()
]
