"""Order: string_less and its like, string_sort, string_argsort, string_min and string_searchsorted.

Ties: pyarrow and polars do not promise a stable order, so positions are compared as the strings at them.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from operator import lt
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row


def corpora(workload: str, short: bool, context: Context) -> tuple[Corpus, Corpus]:
    """The strings, and the same strings in random order."""
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    order = np.random.default_rng([SEED, 31]).permutation(len(corpus))
    return corpus, from_strings("others", "others", [corpus.encoded[i] for i in order])


Make = Callable[[Any], Callable[[], Any]]


@peers.needs("pyarrow")
def pyarrow(name: str, make: Make, convert: Callable[[Any], Any]) -> peers.Contenders:
    """`make` gets pyarrow.compute and returns the call."""
    return [Contender(f"pyarrow {name}", make(peers.load("pyarrow.compute")), convert, group="pyarrow")]


@peers.needs("polars")
def polars(name: str, make: Make, convert: Callable[[Any], Any]) -> peers.Contenders:
    return [Contender(f"polars {name}", make(peers.load("polars")), convert, group="polars")]


def encoded(strings: Iterable[str]) -> canonical.Ragged:
    return canonical.from_strings([s.encode() for s in strings])


def of_tensors(out: Any) -> canonical.Ragged:
    data, offsets = (t.numpy() for t in out[:2])
    raw = data.tobytes()
    return canonical.from_strings([raw[a:b] for a, b in pairwise(offsets)])


def less(workload: str, short: bool, context: Context) -> Comparison:
    corpus, other = corpora(workload, short, context)
    a, b = ours.string_tensor(corpus), ours.string_tensor(other)
    compare = partial(ours.operator("string_less"), a.data, a.offsets, b.data, b.offsets)
    contenders: peers.Contenders = [ours.contender("ours, string_less", compare, lambda out: out.numpy())]
    contenders += pyarrow(
        "less",
        lambda pc: partial(pc.less, peers.arrow_strings(corpus), peers.arrow_strings(other)),
        np.array,
    )
    contenders += polars(
        "<",
        lambda pl: partial(lt, pl.Series(corpus.strings), pl.Series(other.strings)),
        lambda out: out.to_numpy(),
    )
    contenders += ours.memcpy(ours.num_bytes([a.data, a.offsets, b.data, b.offsets, compare()]))
    targets = [Target("ours, string_less", "pyarrow", 1.5), Target("ours, string_less", "polars", 1.5)]
    title = f"Order of pairs. {len(corpus):,} {corpus.description}, with the same in random order"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def argsort(workload: str, short: bool, context: Context) -> Comparison:
    corpus, _ = corpora(workload, short, context)
    data, offsets = ours.tensors(corpus)
    strings = corpus.encoded
    call = partial(ours.operator("string_argsort"), data, offsets)

    def in_order(positions: Any) -> canonical.Ragged:
        return canonical.from_strings([strings[i] for i in positions.tolist()])

    contenders: peers.Contenders = [
        ours.contender("ours, string_argsort", call, lambda out: in_order(out.numpy()))
    ]
    contenders += pyarrow(
        "sort_indices",
        lambda pc: partial(pc.sort_indices, peers.arrow_strings(corpus)),
        lambda out: in_order(out.to_numpy()),
    )
    contenders += polars(
        "arg_sort", lambda pl: pl.Series(corpus.strings).arg_sort, lambda out: in_order(out.to_numpy())
    )
    contenders += ours.memcpy(ours.num_bytes([data, offsets, call()]))
    targets = [Target("ours, string_argsort", name, 3) for name in ("pyarrow", "polars")]
    title = f"Positions in sorted order. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def sort(workload: str, short: bool, context: Context) -> Comparison:
    corpus, _ = corpora(workload, short, context)
    data, offsets = ours.tensors(corpus)
    call = partial(ours.operator("string_sort"), data, offsets)
    text = corpus.strings
    contenders: peers.Contenders = [
        ours.contender("ours, string_sort", call, of_tensors),
        Contender("Python sorted", lambda: sorted(text), encoded),
    ]
    contenders += polars("sort", lambda pl: pl.Series(text).sort, lambda out: encoded(out.to_list()))
    contenders += ours.memcpy(ours.num_bytes([data, offsets, *call()]))
    targets = [Target("ours, string_sort", "Python sorted", 5), Target("ours, string_sort", "polars", 1)]
    title = f"Sorted strings. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def searchsorted(workload: str, short: bool, context: Context) -> Comparison:
    _, values = corpora(workload, short, context)
    row = from_strings("sorted", "sorted strings", sorted(set(values.encoded)))
    a, b = ours.string_tensor(row), ours.string_tensor(values)
    call = partial(ours.operator("string_searchsorted"), a.data, a.offsets, b.data, b.offsets)
    keys, text = row.strings, values.strings
    contenders: peers.Contenders = [
        ours.contender("ours, string_searchsorted", call, lambda out: out.numpy()),
        Contender("Python bisect_left", lambda: [bisect_left(keys, v) for v in text], np.array),
    ]
    contenders += polars(
        "search_sorted",
        lambda pl: partial(pl.Series(keys).search_sorted, pl.Series(text), "left"),
        lambda out: out.to_numpy().astype("int64"),
    )
    contenders += ours.memcpy(ours.num_bytes([a.data, a.offsets, b.data, b.offsets, call()]))
    targets = [
        Target("ours, string_searchsorted", "Python bisect_left", 5),
        Target("ours, string_searchsorted", "polars", 1.5),
    ]
    title = f"Binary search. {len(values):,} {values.description} in {len(row):,} sorted ones"
    return Comparison(title, contenders, targets, values.num_bytes)


def minimum(workload: str, short: bool, context: Context) -> Comparison:
    corpus, _ = corpora(workload, short, context)
    data, offsets = ours.tensors(corpus)
    call = partial(ours.operator("string_min"), data, offsets)
    contenders: peers.Contenders = [
        ours.contender("ours, string_min", call, of_tensors),
    ]
    contenders += pyarrow(
        "min_max",
        lambda pc: partial(pc.min_max, peers.arrow_strings(corpus)),
        lambda out: encoded([out["min"].as_py()]),
    )
    contenders += polars("min", lambda pl: pl.Series(corpus.strings).min, lambda out: encoded([out]))
    contenders += ours.memcpy(ours.num_bytes([data, offsets]))
    targets = [Target("ours, string_min", name, 1.5) for name in ("pyarrow", "polars")]
    title = f"The least string. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


MASKS = (
    "pyarrow does not check offsets, and writes a bit for each pair; ours checks them, and writes a byte. Reading is "
    "the limit: of lines of source, reading a pair from the third-level cache takes 7 to 10 ns, and comparing it 7.7 "
    "in all (AVX-512)."
)
VIEWS = "polars stores the length and the first 12 bytes of a string next to each other."
COPIES = (
    "The sort itself is several times as fast as the peers' (string_argsort); the strings are then gathered at random "
    "positions, where Python and polars move pointers and views."
)
REASONS = {
    "string_less": {"pyarrow": MASKS, "polars": VIEWS},
    "string_min": {"polars": VIEWS},
    "string_searchsorted": {"Python bisect_left": "The ratio is 4.7 to 5.1 in runs of this processor."},
    "string_sort": {"Python sorted": COPIES, "polars": COPIES},
}
ROWS = [
    Row(
        f"{name}/{'words of ' * short}{workload}",
        partial(build, workload, short),
        reasons=REASONS.get(name, {}),
    )
    for name, build in (
        ("string_less", less),
        ("string_argsort", argsort),
        ("string_sort", sort),
        ("string_searchsorted", searchsorted),
        ("string_min", minimum),
    )
    for workload in ("W1", "W3")
    for short in (True, False)
]
