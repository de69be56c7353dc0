"""scikit-learn: vectorizers of texts."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_extraction import text

from benchmarks.corpora import Corpus

NAME = "scikit-learn"
KINDS = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")


def made(kind: str) -> Any:
    def make(corpus: Corpus, **options: Any) -> Any:
        vectorizer = getattr(text, kind)(**options)
        vectorizer.fit(corpus.strings)
        return partial(vectorizer.transform, corpus.strings)

    return make


def read(matrix: Any) -> Any:
    """Weights are rounded, as those of float32 and float64 differ."""
    matrix.sort_indices()
    values = np.rint(matrix.data * 1000)
    return np.concatenate([matrix.indptr, matrix.indices, values]).astype(np.int64)


MADE: dict[str, Any] = {kind: made(kind) for kind in KINDS}
READS: dict[str, Any] = dict.fromkeys(KINDS, read)
SLOW = KINDS
