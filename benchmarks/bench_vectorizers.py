"""nn.CountVectorizer, nn.TfidfVectorizer and nn.HashingVectorizer against scikit-learn's: texts to sparse counts."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from torch_stringops import nn

# The class and its arguments. Weights are rounded by the conversion below.
WORK: dict[str, tuple[str, dict[str, Any]]] = {
    "words": ("CountVectorizer", {}),
    "2-grams": ("CountVectorizer", {"ngram_range": (1, 2)}),
    "char_wb": ("CountVectorizer", {"analyzer": "char_wb", "ngram_range": (3, 4)}),
    "weights": ("TfidfVectorizer", {"norm": None}),
    "hashes": ("HashingVectorizer", {"norm": None}),
}


def parts(crow: Any, columns: Any, values: Any) -> Any:
    return np.concatenate([crow, columns, np.rint(np.asarray(values) * 1000)]).astype(np.int64)


def from_ours(matrix: Any) -> Any:
    return parts(matrix.crow_indices().numpy(), matrix.col_indices().numpy(), matrix.values().numpy())


def from_scikit_learn(matrix: Any) -> Any:
    matrix.sort_indices()
    return parts(matrix.indptr, matrix.indices, matrix.data)


def transform(work: str, workload: str, context: Context) -> Comparison:
    kind, settings = WORK[work]
    corpus = context.corpus(workload)
    strings = ours.string_tensor(corpus)
    name = f"ours, nn.{kind}"
    vectorizer = getattr(nn, kind)(**settings).fit(strings)
    run = partial(vectorizer, strings)
    contenders: peers.Contenders = [ours.contender(name, run, from_ours)]
    contenders += scikit_learn(corpus, kind, settings)
    matrix = run()
    result = [matrix.crow_indices(), matrix.col_indices(), matrix.values()]
    contenders += ours.memcpy(ours.num_bytes([strings.data, strings.offsets, *result]))
    title = f"{kind}, {work}: {len(corpus):,} {corpus.description}"
    return Comparison(title, contenders, [Target(name, "scikit-learn", 5)], corpus.num_bytes)


@peers.needs("sklearn")
def scikit_learn(corpus: Corpus, kind: str, settings: dict[str, Any]) -> peers.Contenders:
    text = peers.load("sklearn.feature_extraction.text")
    vectorizer = getattr(text, kind)(**settings)
    vectorizer.fit(corpus.strings)
    run = partial(vectorizer.transform, corpus.strings)
    return [Contender(f"scikit-learn {kind}", run, from_scikit_learn, group="scikit-learn", max_rounds=3)]


ROWS = [
    Row(f"vectorizers/{work} {workload}", partial(transform, work, workload))
    for work in WORK
    for workload in ("W1", "W3")
]
