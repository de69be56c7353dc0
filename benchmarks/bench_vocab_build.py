"""vocab_build: builds a hash table of words. The ids that the tables give for each word are compared."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import Corpus, from_strings, vocabulary
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours, vocab_build"


def build(size: int, context: Context) -> Comparison:
    words = from_strings("words", "words", vocabulary(max(1, round(size * context.scale))))
    data, offsets = ours.tensors(words)
    make = partial(ours.operator("vocab_build"), data, offsets)
    encode = ours.operator("vocab_encode")
    contenders: peers.Contenders = [
        ours.contender(OURS, make, lambda table: encode(data, offsets, table).numpy()),
        *python(words),
        *tensorflow(words),
        *polars(words),
    ]
    contenders += ours.memcpy(ours.num_bytes([data, offsets, make()]))
    targets = [Target(OURS, name) for name in ("dict", "tensorflow", "polars")]
    settled = [ours.with_clean_heap(contender) for contender in contenders]
    return Comparison(f"Building a table of {len(words):,} words", settled, targets, words.num_bytes)


def python(words: Corpus) -> peers.Contenders:
    strings = words.strings

    def look_up(ids: dict[str, int]) -> Any:
        return np.array([ids[s] for s in strings])

    return [Contender("dict", lambda: dict(zip(strings, range(len(strings)), strict=True)), look_up)]


@peers.needs("tensorflow")
def tensorflow(words: Corpus) -> peers.Contenders:
    strings = peers.tensorflow_strings(words)
    make = partial(peers.tensorflow_table, words, strings)
    return [
        Contender(
            "tensorflow StaticHashTable",
            make,
            lambda table: table.lookup(strings).numpy(),
            group="tensorflow",
        )
    ]


@peers.needs("polars")
def polars(words: Corpus) -> peers.Contenders:
    pl = peers.load("polars")
    strings = pl.Series(words.strings)

    def look_up(out: Any) -> Any:
        return strings.cast(out).to_physical().to_numpy()

    return [Contender("polars Enum", partial(pl.Enum, strings), look_up, group="polars")]


PLACING = "Placing words without collisions takes 25 of 40 ns a word, so that each lookup is one comparison."
ROWS = [
    Row("vocab_build/30k", partial(build, 30_000), reasons={"polars": PLACING}),
    Row("vocab_build/1M", partial(build, 1_000_000), reasons={"polars": PLACING}),
]
