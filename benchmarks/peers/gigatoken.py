"""gigatoken, which keeps the ids of words between calls. A tokenizer that was just loaded is another way."""

from functools import partial
from typing import Any

import awkward
import gigatoken

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS
from benchmarks.trained import Model


def load(model: Model) -> Any:
    if isinstance(model.source, bytes):
        return gigatoken.Tokenizer.from_sentencepiece(model.source)
    return gigatoken.Tokenizer.from_json(model.json)


def encode(corpus: Corpus, model: Model) -> Any:
    return partial(load(model).encode_batch, corpus.encoded, parallel=THREADS > 1)


def read(rows: Any) -> Any:
    counts = awkward.num(rows).to_list()
    return canonical.from_ids(awkward.to_numpy(awkward.flatten(rows)), canonical.splits(counts))


MADE: dict[str, Any] = {"subword_encode": encode}
READS: dict[str, Any] = {"subword_encode": read}
