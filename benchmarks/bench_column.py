"""Random batches of strings of a column in chunks, compared with one tensor and with a Hugging Face dataset."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical, ours, peers
from benchmarks.bench_lists import from_tensor
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops.data import StringColumn

BATCHES = 100
COLUMN = "ours, StringColumn"
TENSOR = "ours, one StringTensor"


def batches(strings: Any, positions: list[Any]) -> list[Any]:
    return [strings[at] for at in positions]


def joined(results: list[Any]) -> canonical.Ragged:
    return canonical.joined(map(from_tensor, results))


@peers.needs("datasets")
def hugging_face(strings: list[str], positions: list[Any]) -> peers.Contenders:
    dataset = peers.load("datasets").Dataset.from_dict({"text": strings})

    def call() -> list[list[str]]:
        return [dataset[at]["text"] for at in positions]

    return [Contender("datasets", call, lambda found: canonical.joined(map(canonical.from_strings, found)))]


def in_chunks(corpus: Corpus, chunks: int) -> StringColumn:
    """A column of about so many chunks, none of which shares memory."""
    size = -(-len(corpus) // chunks)
    return StringColumn([corpus.strings[at : at + size] for at in range(0, len(corpus), size)])


def build(size: int, chunks: int, context: Context) -> Comparison:
    corpus = context.corpus("W1")
    whole = ours.string_tensor(corpus)
    rng = np.random.default_rng(0)
    positions = [rng.integers(0, len(corpus), size) for _ in range(BATCHES)]
    lists = [at.tolist() for at in positions]
    contenders: peers.Contenders = [
        ours.contender(COLUMN, partial(batches, in_chunks(corpus, chunks), lists), joined),
        ours.contender(TENSOR, partial(batches, whole, lists), joined),
        *hugging_face(corpus.strings, lists),
        *ours.memcpy(2 * corpus.num_bytes * size * BATCHES // len(corpus)),
    ]
    return Comparison(
        f"{BATCHES} random batches of {size:,} strings of a column in {chunks:,} chunks. W1: "
        f"{len(corpus):,} {corpus.description}",
        contenders,
        [Target(COLUMN, TENSOR, 0.5), Target(COLUMN, "datasets", 1)],
    )


ROWS = [
    Row(f"column/batches of {size:,}, {chunks:,} chunks", partial(build, size, chunks))
    for size, chunks in [(64, 8), (64, 1000), (1024, 8), (1024, 64), (1024, 1000)]
]
