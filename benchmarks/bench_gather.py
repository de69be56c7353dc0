"""Indexing, masks, torch.where and concatenation: strings taken from other strings.

polars keeps a view of 16 bytes for each string, and shares the bytes of long ones; the others copy them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks import canonical, ours, peers
from benchmarks.corpora import SEED, Corpus, from_strings, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours"
TORCH = "torch.cat of the bytes and of the offsets"  # which are not shifted
VIEWS = "It keeps views of 16 bytes, whose gather copies no bytes of long strings."
OFFSETS = (
    "The offsets are read twice, to sum the sizes before the result is allocated, and once more to be written; pyarrow "
    "reads them once."
)
COPYING = (
    "In a profile most of the time is spent copying bytes, for which pyarrow and we wait for the same memory: to "
    "prefetch them changes nothing where the strings are near each other."
)
CHECKING = (
    "Of 27 us, the call takes 6.5, of which Python half; pyarrow's takes 1. Copying the bytes, and shifting and "
    "checking the offsets, take about as long as in pyarrow, 18 to 20. Neither has page faults."
)
PASSING = (
    "Of 0.40 ms for 1000 tensors, torch takes 0.065 to find `__torch_function__` in each, and about 0.17 to pass 2000 "
    "to an operator and to release them; their attributes are read in 0.04 and checked in 0.05, and 0.03 is the work "
    "of one tensor as large. DLPack's C functions would pass them in 0.1, but do not show a storage that was made "
    "smaller."
)
COPIES = "Offsets and bytes of rows are gathered one after the other, each at random."
REASONS = {
    "words": {"polars": VIEWS, "pyarrow": OFFSETS},
    "titles": {"polars": VIEWS, "pyarrow": COPYING},
}


def words(context: Context) -> Corpus:
    return words_of(context.corpus("W1"))


def titles(context: Context) -> Corpus:
    return context.corpus("W1")


Make = Callable[[Context], Corpus]


def of_strings(out: Any) -> canonical.Ragged:
    return ours.ragged((out.data, out.offsets, torch.arange(len(out.offsets))))


def of_arrow(out: Any) -> canonical.Ragged:
    pa = peers.load("pyarrow")
    array = out.combine_chunks() if isinstance(out, pa.ChunkedArray) else out
    return canonical.from_strings(array.to_pylist())


def of_polars(out: Any) -> canonical.Ragged:
    return canonical.from_strings(out.to_list())


@peers.needs("pyarrow")
def pyarrow(name: str, call: Callable[[Any, Any], Any]) -> peers.Contenders:
    """`call` gets the module and its `compute`, and returns the call to measure."""
    made = call(peers.load("pyarrow"), peers.load("pyarrow.compute"))
    return [Contender(f"pyarrow {name}", made, of_arrow, group="pyarrow")]


@peers.needs("polars")
def polars(name: str, call: Callable[[Any], Any]) -> peers.Contenders:
    return [Contender(f"polars {name}", call(peers.load("polars")), of_polars, group="polars")]


def comparison(
    title: str, call: Callable[[], Any], others: peers.Contenders, num_bytes: int, pyarrow_by: float | None
) -> Comparison:
    traffic = 2 * ours.num_bytes(ours.tensors_of(call()))
    contenders: peers.Contenders = [ours.contender(OURS, call, of_strings), *others]
    targets = [Target(OURS, "pyarrow", pyarrow_by), Target(OURS, "polars")]
    return Comparison(title, contenders + ours.memcpy(traffic), targets, num_bytes)


def masked(make: Make, density: float, context: Context) -> Comparison:
    corpus = make(context)
    strings = ours.string_tensor(corpus)
    keep = np.random.default_rng([SEED, 20]).random(len(corpus)) < density
    mask = torch.from_numpy(keep)
    others = pyarrow("filter", lambda pa, pc: partial(pc.filter, peers.arrow_strings(corpus), pa.array(keep)))
    others += polars("filter", lambda pl: partial(pl.Series(corpus.strings).filter, pl.Series(keep)))
    title = f"`x[mask]`, {density:.0%} true. {len(corpus):,} {corpus.description}"
    return comparison(title, lambda: strings[mask], others, corpus.num_bytes, 1.5)


def permuted(make: Make, context: Context) -> Comparison:
    corpus = make(context)
    strings = ours.string_tensor(corpus)
    order = np.random.default_rng([SEED, 21]).permutation(len(corpus))
    index = torch.from_numpy(order)
    others = pyarrow("take", lambda pa, pc: partial(pc.take, peers.arrow_strings(corpus), pa.array(order)))
    others += polars("gather", lambda pl: partial(pl.Series(corpus.strings).gather, pl.Series(order)))
    title = f"`x[permutation]`. {len(corpus):,} {corpus.description}"
    return comparison(title, lambda: strings[index], others, corpus.num_bytes, 1.5)


def where(make: Make, context: Context) -> Comparison:
    corpus = make(context)
    other = from_strings("reversed", "reversed", corpus.encoded[::-1])
    first, second = ours.string_tensor(corpus), ours.string_tensor(other)
    choice = np.random.default_rng([SEED, 22]).random(len(corpus)) < 0.5
    mask = torch.from_numpy(choice)
    arrays = lambda pa: (pa.array(choice), peers.arrow_strings(corpus), peers.arrow_strings(other))  # noqa: E731
    others = pyarrow("if_else", lambda pa, pc: partial(pc.if_else, *arrays(pa)))
    others += polars(
        "zip_with",
        lambda pl: partial(pl.Series(corpus.strings).zip_with, pl.Series(choice), pl.Series(other.strings)),
    )
    title = f"`torch.where(mask, s, t)`. {len(corpus):,} {corpus.description}"
    return comparison(title, lambda: torch.where(mask, first, second), others, 2 * corpus.num_bytes, 1.5)


def rows(cols: int, context: Context) -> Comparison:
    """The result of pyarrow is compact; ours shares the bytes until `compact`."""
    corpus = words(context)
    count = len(corpus) // cols
    corpus = from_strings("rows", f"rows of {cols} words", corpus.encoded[: count * cols])
    strings = ours.string_tensor(corpus).reshape(count, cols)
    order = np.random.default_rng([SEED, 23]).permutation(count)
    index = torch.from_numpy(order)

    def take(pa: Any, pc: Any) -> Any:
        lists = pa.FixedSizeListArray.from_arrays(peers.arrow_strings(corpus), cols)
        return lambda: pc.take(lists, pa.array(order)).flatten()

    call = lambda: strings[index].compact()  # noqa: E731
    contenders: peers.Contenders = [
        ours.contender(OURS, call, lambda out: of_strings(out.reshape(-1))),
        *pyarrow("take of fixed_size_list", take),
    ]
    contenders += ours.memcpy(2 * ours.num_bytes(ours.tensors_of(call())))
    title = f"`p[permutation].compact()`. {count:,} {corpus.description}"
    return Comparison(title, contenders, [Target(OURS, "pyarrow", 1.5)], corpus.num_bytes)


def concatenated(count: int, size: int, stacked: bool, context: Context) -> Comparison:
    whole = words(context).encoded
    corpora = [from_strings("part", "words", whole[i * size : (i + 1) * size]) for i in range(count)]
    parts = [ours.string_tensor(corpus) for corpus in corpora]
    call = (lambda: torch.stack(parts).reshape(-1)) if stacked else (lambda: torch.cat(parts))
    arrays = [peers.arrow_strings(corpus) for corpus in corpora] if peers_installed() else []
    others = pyarrow("concat_arrays", lambda pa, pc: lambda: pa.concat_arrays(arrays))

    def concat(pl: Any) -> Any:
        series = [pl.Series(corpus.strings) for corpus in corpora]
        return lambda: pl.concat(series, rechunk=True)

    others += polars("concat", concat)
    name = "torch.stack" if stacked else "torch.cat"
    title = f"`{name}` of {count:,} vectors of {size:,} words"
    data, offsets = [part.data for part in parts], [part.offsets for part in parts]
    others.append(Contender(TORCH, lambda: (torch.cat(data), torch.cat(offsets))))
    found = comparison(title, call, others, sum(c.num_bytes for c in corpora), None)
    return replace(found, targets=[*found.targets, Target(OURS, TORCH, at_most=2.5 if stacked else 2)])


def peers_installed() -> bool:
    try:
        return peers.load("pyarrow") is not None
    except ImportError:
        return False


ROWS = [
    *(
        Row(f"gather/mask {density:.0%}/{name}", partial(masked, make, density), reasons=REASONS[name])
        for name, make in {"words": words, "titles": titles}.items()
        for density in (0.1, 0.5, 0.9)
    ),
    *(
        Row(f"gather/{name}/{corpus}", partial(build, make), reasons=REASONS[corpus])
        for name, build in {"permutation": permuted, "where": where}.items()
        for corpus, make in {"words": words, "titles": titles}.items()
    ),
    *(
        Row(f"gather/rows of {cols}/words", partial(rows, cols), reasons={"pyarrow": COPIES})
        for cols in (1, 2)
    ),
    Row(
        "cat/1000 x 100 words",
        partial(concatenated, 1000, 100, False),
        reasons={"pyarrow": PASSING, "polars": PASSING},
    ),
    Row(
        "stack/1000 x 100 words",
        partial(concatenated, 1000, 100, True),
        reasons={"pyarrow": PASSING, "polars": PASSING},
    ),
    Row("cat/2 x 50000 words", partial(concatenated, 2, 50_000, False), reasons={"pyarrow": CHECKING}),
]
