"""fastokens, which keeps the ids of pieces between calls."""

from functools import partial
from typing import Any

import fastokens
import numpy as np

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.trained import Model


def encode(corpus: Corpus, model: Model) -> Any:
    return partial(fastokens.Tokenizer.from_json_str(model.json).encode_batch_flat, corpus.strings)


def encode_each(corpus: Corpus, model: Model) -> Any:
    one, strings = fastokens.Tokenizer.from_json_str(model.json).encode, corpus.strings
    return lambda: [one(string, False).ids for string in strings]


MADE: dict[str, Any] = {"subword_encode": encode, "encode_text": encode_each}
READS: dict[str, Any] = {
    "subword_encode": lambda out: canonical.from_ids(np.frombuffer(out[0], np.uint32), np.frombuffer(out[1], np.uint64))
}
