"""string_unique: the distinct words of a text, the position of each word among them, and their counts.

Only words and counts are compared, since some peers do not return more. The name of a peer says what it omits.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours, string_unique"


def build(workload: str, context: Context) -> Comparison:
    return compare(words_of(context.corpus(workload)))


def distinct(size: int, context: Context) -> Comparison:
    order = np.random.default_rng([SEED, 14]).permutation(max(1, round(size * context.scale)))
    return compare(from_strings("distinct", "numbers", [b"%x" % i for i in order]), {"polars, counts": 1})


def compare(corpus: Corpus, targets: Mapping[str, float] = MappingProxyType({})) -> Comparison:
    data, offsets = ours.tensors(corpus)
    unique = partial(ours.operator("string_unique"), data, offsets)
    out = unique()
    contenders: peers.Contenders = [ours.contender(OURS, unique, of_tensors)]
    for make in (pyarrow, polars, numpy, pandas, tensorflow, python):
        contenders += make(corpus)
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *out]))
    names = ("pyarrow", "pyarrow, counts", "polars, counts", "numpy", "pandas", "tensorflow", "Python")
    title = f"Distinct strings. {len(corpus):,} {corpus.description}, {len(out[1]) - 1:,} of them distinct"
    return Comparison(
        title,
        [ours.with_clean_heap(c) for c in contenders],
        [Target(OURS, name, targets.get(name)) for name in names],
        corpus.num_bytes,
    )


def counted(words: Iterable[str | bytes], counts: Iterable[int]) -> canonical.Ragged:
    """Each word followed by its count, sorted by the bytes of the words."""
    encoded = (word.encode() if isinstance(word, str) else word for word in words)
    return canonical.from_strings([b"%s %d" % pair for pair in sorted(zip(encoded, counts, strict=True))])


def of_tensors(out: Any) -> canonical.Ragged:
    data, offsets, inverse, counts = (t.numpy() for t in out)
    if not np.array_equal(np.bincount(inverse), counts):
        raise ValueError("string_unique: counts are not those of the inverse")
    raw = data.tobytes()
    return counted([raw[a:b] for a, b in pairwise(offsets)], counts.tolist())


@peers.needs("pyarrow")
def pyarrow(corpus: Corpus) -> peers.Contenders:
    array = peers.arrow_strings(corpus)

    def of_dictionary(out: Any) -> canonical.Ragged:
        return counted(out.dictionary.to_pylist(), np.bincount(out.indices.to_numpy()).tolist())

    def of_struct(out: Any) -> canonical.Ragged:
        return counted(out.field("values").to_pylist(), out.field("counts").to_pylist())

    return [
        Contender(
            "pyarrow dictionary_encode, no counts", array.dictionary_encode, of_dictionary, group="pyarrow"
        ),
        Contender("pyarrow value_counts, no inverse", array.value_counts, of_struct, group="pyarrow, counts"),
    ]


@peers.needs("polars")
def polars(corpus: Corpus) -> peers.Contenders:
    series = peers.load("polars").Series("words", corpus.strings)

    def of_frame(out: Any) -> canonical.Ragged:
        return counted(out["words"].to_list(), out["count"].to_list())

    return [
        Contender("polars value_counts, no inverse", series.value_counts, of_frame, group="polars, counts")
    ]


def numpy(corpus: Corpus) -> peers.Contenders:
    return [
        Contender(
            f"numpy unique of {kind}, sorted",
            partial(np.unique, array, return_inverse=True, return_counts=True),
            lambda out: counted(out[0].tolist(), out[2].tolist()),
            group="numpy",
        )
        for kind, array in peers.numpy_strings(corpus).items()
    ]


@peers.needs("pandas", "pyarrow")
def pandas(corpus: Corpus) -> peers.Contenders:
    return [
        Contender(
            f"pandas factorize of {kind}, no counts",
            series.factorize,
            lambda out: counted(out[1].tolist(), np.bincount(out[0]).tolist()),
            group="pandas",
        )
        for kind, series in peers.pandas_strings(corpus).items()
    ]


@peers.needs("tensorflow")
def tensorflow(corpus: Corpus) -> peers.Contenders:
    tf, strings = peers.load("tensorflow"), peers.tensorflow_strings(corpus)

    def of_outputs(out: Any) -> canonical.Ragged:
        return counted(out.y.numpy().tolist(), out.count.numpy().tolist())

    return [
        Contender(
            f"tensorflow unique_with_counts, {how}", partial(unique, strings), of_outputs, group="tensorflow"
        )
        for how, unique in (("eager", tf.unique_with_counts), ("traced", tf.function(tf.unique_with_counts)))
    ]


def python(corpus: Corpus) -> peers.Contenders:
    count = partial(Counter, corpus.strings)
    return [
        Contender("Python Counter, no inverse", count, lambda out: counted(out, out.values()), group="Python")
    ]


ROWS = [
    *(Row(f"string_unique/words of {workload}", partial(build, workload)) for workload in ("W1", "W2")),
    Row("string_unique/1M, all distinct", partial(distinct, 1_000_000)),
    Row("string_unique/3M, all distinct", partial(distinct, 3_000_000)),
]
