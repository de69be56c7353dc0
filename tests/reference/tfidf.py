"""Oracle of tfidf_vectorizer: every n-gram of every distance is made, and looked up in a dictionary.

ONNX TfIdfVectorizer-9: `weights` belong to the n-grams of the pool. Its reference implementation takes them by the
position in the output.
"""

import itertools
from typing import Any

import numpy as np


def sections(pool: list[Any], ngram_counts: list[int]) -> list[tuple[Any, ...]]:
    """The n-grams of the pool, of all lengths in turn."""
    found = []
    for n, (begin, end) in enumerate(itertools.pairwise([*ngram_counts, len(pool)]), start=1):
        found += [tuple(pool[at : at + n]) for at in range(begin, end, n)]
    return found


def tfidf_vectorizer_ref(
    input: Any,
    pool: Any,
    ngram_indexes: Any,
    weights: Any = None,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: list[int],
    num_outputs: int | None = None,
) -> tuple[Any]:
    input, pool, indexes, weights = (
        x.tolist() if hasattr(x, "tolist") else x for x in (input, pool, ngram_indexes, weights)
    )
    if num_outputs is None:
        num_outputs = max([index + 1 for index in indexes], default=0)
    ngrams = {gram: i for i, gram in enumerate(sections(pool, ngram_counts))}

    def row(elements: list[Any]) -> list[float]:
        counts = np.zeros(num_outputs)  # float64, rounded once
        for n in range(min_gram_length, min(max_gram_length, len(elements)) + 1):
            # Skips do not change 1-grams.
            for distance in range(1, 2 + (min(max_skip_count, len(elements)) if n > 1 else 0)):
                for start in range(len(elements) - (n - 1) * distance):
                    gram = tuple(elements[start : start + n * distance : distance])[:n]
                    if gram in ngrams:
                        i = ngrams[gram]
                        weight = 1 if weights is None or mode == "TF" else np.float32(weights[i])
                        counts[indexes[i]] = weight if mode == "IDF" else counts[indexes[i]] + weight
        return counts.astype(np.float32).tolist()

    return ([row(elements) for elements in input] if input and isinstance(input[0], list) else row(input),)
