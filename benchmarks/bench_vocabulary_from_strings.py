"""Vocabulary.from_strings: words in one tensor, in many, and in lists of 15, as of documents."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

import torch_stringops
from benchmarks import canonical, ours
from benchmarks.corpora import SEED, Corpus, from_strings, vocabulary, zipf
from benchmarks.measure import Comparison, Target
from benchmarks.measure import Contender as C
from benchmarks.rows import Context, Row

WORDS = 3_000_000
ONE = "ours, one tensor"


def text(distinct: bool, scale: float) -> Corpus:
    rng = np.random.default_rng([SEED, 14])
    size = max(1, round(WORDS * scale))
    if distinct:
        return from_strings("distinct", "distinct words", [b"%x" % i for i in rng.permutation(size)])
    language = vocabulary(300_000)
    return from_strings("zipf", "Zipf words", [language[r] for r in zipf(rng, len(language), size).tolist()])


def build(distinct: bool, parts: int | None, context: Context) -> Comparison:
    """`parts` tensors, or lists of 15 `str`."""
    corpus = text(distinct, context.scale)
    whole, words = ours.string_tensor(corpus), corpus.strings
    size = 15 if parts is None else -(-len(corpus) // parts)
    begins = range(0, len(corpus), size)
    lists = [words[i : i + size] for i in begins]
    chunks: Any = lists if parts is None else [whole[i : i + size] for i in begins]
    name = f"ours, {len(chunks):,} " + ("lists" if parts is None else "tensors")

    def count() -> list[str]:
        counted = Counter(chain.from_iterable(lists))
        return [word for word, _ in counted.most_common()]

    contenders = [
        ours.contender(ONE, made_of(lambda: whole), tokens),
        ours.contender(name, made_of(lambda: iter(chunks)), tokens),
        C("Python Counter", count, canonical.from_strings),
        *ours.memcpy(2 * corpus.num_bytes),
    ]
    targets = [Target(name, "Python Counter", 2), Target(name, ONE, 0.5)]
    title = f"Vocabulary of {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, targets, corpus.num_bytes)


def made_of(input: Callable[[], Iterable[Any]]) -> Callable[[], torch_stringops.Vocabulary]:
    return lambda: torch_stringops.Vocabulary.from_strings(input(), pad_token=None, unknown_token=None)


def tokens(vocabulary: torch_stringops.Vocabulary) -> canonical.Ragged:
    return canonical.from_strings(vocabulary.tokens.tolist())


NEW = "All words are new: each is copied to the table of its chunk and to that of all chunks; a Counter keeps the str."
LISTS = "The text of the lists is copied to chunks first; in one tensor, it is there."
ROWS = [
    Row("from_strings/100 tensors", partial(build, False, 100)),
    Row(
        "from_strings/100 tensors, all distinct",
        partial(build, True, 100),
        reasons={"Python Counter": NEW, ONE: NEW},
    ),
    Row("from_strings/lists of 15 words", partial(build, False, None), reasons={ONE: LISTS}),
]
