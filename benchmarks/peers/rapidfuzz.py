"""rapidfuzz: distances of lists of strings."""

from functools import partial
from typing import Any

import numpy as np
from rapidfuzz import distance, process

from benchmarks.corpora import Corpus

# The scorer of each operator, and the type of its results.
SCORERS = {
    "string_edit_distance": (distance.Levenshtein.distance, np.int64),
    "string_damerau": (distance.DamerauLevenshtein.distance, np.int64),
    "string_ratio": (distance.Indel.normalized_similarity, np.float32),
    "string_jaro_winkler": (distance.JaroWinkler.similarity, np.float32),
}


def made(op: str, run: Any) -> Any:
    scorer, dtype = SCORERS[op]

    def make(left: Corpus, right: Corpus, max_distance: int | None = None) -> Any:
        call = partial(run, left.strings, right.strings, scorer=scorer, score_cutoff=max_distance, workers=1)
        return call, lambda out: out.astype(dtype)

    return make


MADE: dict[str, Any] = {
    **{op: made(op, process.cpdist) for op in SCORERS},
    **{f"{op}, all pairs": made(op, process.cdist) for op in SCORERS},
}
