"""datasketch: MinHash signatures and their bands, whose pairs are checked after the clock has stopped."""

from collections.abc import Callable
from functools import partial
from typing import Any

import datasketch

from benchmarks.corpora import Corpus
from benchmarks.inputs import clusters


def near_duplicates(
    corpus: Corpus, threshold: float, ngram: int, hashes: int
) -> dict[str, tuple[Callable[[], Any], Any]]:
    """With the bands that it chooses, and with those of near_duplicates, which also find pairs near the threshold."""
    texts = corpus.strings

    def call(bands: dict[str, Any]) -> list[tuple[int, int]]:
        lsh = datasketch.MinHashLSH(threshold=threshold, num_perm=hashes, **bands)
        signatures = []
        for row, text in enumerate(texts):
            signature = datasketch.MinHash(num_perm=hashes)
            signature.update_batch([text[i : i + ngram].encode() for i in range(len(text) - ngram + 1)])
            lsh.insert(row, signature)
            signatures.append(signature)
        return [(row, other) for row, signature in enumerate(signatures) for other in lsh.query(signature)]

    read = partial(clusters, texts)
    return {"": (partial(call, {}), read), "21 bands of 6": (partial(call, {"params": (21, 6)}), read)}


MADE: dict[str, Any] = {"near_duplicates": near_duplicates}
SLOW = ("near_duplicates",)
