"""Classes of characters: words and rows, ASCII and not."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, words_of
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

NAMES = ("alpha", "alnum", "digit", "space", "upper", "lower", "ascii")
EARLY = (
    "Most of these strings differ from the class in their first characters, where both stop, so that mainly offsets "
    "and a cache line of each string are read, as torch does to load the first byte of each. Ours checks the offsets, "
    "too, and writes a byte for each string where pyarrow writes a bit."
)
FIRST = "the first byte of each string, by torch"
# Rows of which most strings are decided by their first characters: the limit is torch's time to load these.
DECIDED_EARLY = {(name, "W1") for name in ("digit", "space", "upper")} | {("digit", "W3"), ("ascii", "W3")}


def build(name: str, workload: str, short: bool, context: Context) -> Comparison:
    corpus = context.corpus(workload)
    corpus = words_of(corpus) if short else corpus
    strings = ours.string_tensor(corpus)
    label = f"ours, string_is_{name}"
    test = partial(ours.operator(f"string_is_{name}"), strings.data, strings.offsets)
    contenders: peers.Contenders = [
        ours.contender(label, test, lambda out: out.numpy()),
        *pyarrow(name, corpus),
    ]
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, test()]))
    if not short and (name, workload) in DECIDED_EARLY:
        begins = strings.offsets[:-1].long()
        contenders.append(Contender(FIRST, lambda: strings.data[begins]))
        targets = [Target(label, "pyarrow"), Target(label, FIRST, at_most=1.3)]
    else:
        targets = [Target(label, "pyarrow", 3 if workload == "W1" else 1.5)]
    title = f"Like str.is{name}. {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


@peers.needs("pyarrow")
def pyarrow(name: str, corpus: Corpus) -> peers.Contenders:
    function = "string_is_ascii" if name == "ascii" else f"utf8_is_{name}"
    call = partial(getattr(peers.load("pyarrow.compute"), function), peers.arrow_strings(corpus))
    return [Contender(f"pyarrow {function}", call, np.array, group="pyarrow")]


def rows() -> Iterator[Row]:
    for name in NAMES:
        for workload in ("W1", "W3"):
            for short in (False, True):
                label = f"string_is_{name}/{'words of ' * short}{workload}"
                yield Row(label, partial(build, name, workload, short), reasons={"pyarrow": EARLY})


ROWS = [*rows()]
