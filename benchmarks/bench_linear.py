"""Cost grows linearly: ten times the rows may take at most eleven times as long, from 1 MB up."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, w1, w4
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

SIZES = {"1 MB": 1, "10 MB": 10, "100 MB": 100}


def build(
    title: str,
    make: Callable[[int], Corpus],
    rows: int,
    work: Callable[[Corpus], Callable[[], Any]],
    context: Context,
) -> Comparison:
    """`rows` rows of the workload are 1 MB."""
    contenders: peers.Contenders = []
    for name, factor in SIZES.items():
        corpus = make(max(1, round(rows * factor * context.scale)))
        contenders.append(Contender(name, work(corpus), ours=True))
        if factor == 1:
            data, offsets = ours.tensors(corpus)
            contenders += ours.memcpy(2 * ours.num_bytes([data, offsets]))
    names = [*SIZES]
    targets = [Target(big, small, at_most=11) for small, big in pairwise(names)]
    return Comparison(title, contenders, targets)


def split(operator: str, delimiter: str, corpus: Corpus) -> Callable[[], Any]:
    return partial(ours.operator(operator), *ours.tensors(corpus), delimiter)


def encode(corpus: Corpus) -> Callable[[], Any]:
    data, offsets, _ = ours.operator("string_split_ragged")(*ours.tensors(corpus))
    unique = ours.operator("string_unique")(data, offsets)
    table = ours.operator("vocab_build")(unique[0], unique[1])
    return partial(ours.operator("vocab_encode"), data, offsets, table)


ROWS = [
    Row(
        "linear/string_split_ragged",
        partial(build, "W1 by rows", w1, 16_600, partial(split, "string_split_ragged", "")),
    ),
    Row(
        "linear/string_split",
        partial(build, "W1 by rows, padded", w1, 16_600, partial(split, "string_split", "")),
    ),
    Row(
        "linear/delimiter",
        partial(build, "W4 by rows, `,`", w4, 7_800, partial(split, "string_split_ragged", ",")),
    ),
    Row("linear/vocab_encode", partial(build, "Lookup of the words of W1 by rows", w1, 16_600, encode)),
]
