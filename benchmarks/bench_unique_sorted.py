"""StringTensor.unique: the distinct strings in the order of their bytes.

polars and pyarrow sort the distinct strings in a second call, Python those of a set.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops import StringTensor

OURS = "ours, unique"
SIZE = 500_000


def build(description: str, string_of: Callable[[int], bytes], context: Context) -> Comparison:
    """Of `string_of` each number from 0, in random order."""
    order = np.random.default_rng([SEED, 15]).permutation(max(1, round(SIZE * context.scale)))
    return compare(from_strings("distinct", description, [string_of(i) for i in order.tolist()]))


def compare(corpus: Corpus) -> Comparison:
    strings = StringTensor(*ours.tensors(corpus))
    contenders: peers.Contenders = [
        ours.contender(OURS, strings.unique, of_strings),
        ours.contender(
            "ours, with inverse and counts",
            partial(strings.unique, True, True, True),
            lambda out: of_strings(out[0]),
        ),
        *polars(corpus),
        *pyarrow(corpus),
        Contender("Python sorted", lambda: sorted(set(corpus.strings)), canonical.from_strings),
        *ours.memcpy(2 * corpus.num_bytes),
    ]
    return Comparison(
        f"Distinct strings, sorted. {len(corpus):,} {corpus.description}, all of them distinct",
        [ours.with_clean_heap(c) for c in contenders],
        [Target(OURS, name, 2) for name in ("polars unique, sort", "pyarrow unique, sort_indices, take")],
        corpus.num_bytes,
    )


def of_strings(out: StringTensor) -> canonical.Ragged:
    return canonical.from_strings(out.tolist())


@peers.needs("polars")
def polars(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series("strings", corpus.strings)
    return [
        Contender(
            "polars unique, sort",
            lambda: series.unique().sort(),
            lambda out: canonical.from_strings(out.to_list()),
        )
    ]


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus) -> peers.Contenders:
    array, compute = peers.arrow_strings(corpus), peers.load("pyarrow.compute")

    def call() -> Any:
        unique = array.unique()
        return unique.take(compute.sort_indices(unique))

    return [
        Contender(
            "pyarrow unique, sort_indices, take", call, lambda out: canonical.from_strings(out.to_pylist())
        )
    ]


def uuid(i: int) -> bytes:
    return b"%08x-%04x-4000-8000-%012x" % (i * 2654435761 % 2**32, i % 2**16, i)


KINDS: dict[str, Callable[[int], bytes]] = {
    "hexadecimal numbers": lambda i: b"%x" % i,
    "names of users, 13 bytes": lambda i: b"user_%08d" % i,
    "UUIDs": uuid,
    "URLs": lambda i: b"https://www.example.com/articles/%d/%d" % (i % 977, i),
}

ROWS = [
    Row(f"unique, sorted/500k {kind}", partial(build, kind, string_of)) for kind, string_of in KINDS.items()
]
