"""kitoken."""

from functools import partial
from typing import Any

import kitoken

from benchmarks.corpora import Corpus
from benchmarks.trained import Model


def load(model: Model) -> Any:
    if isinstance(model.source, bytes):
        return kitoken.Kitoken.from_sentencepiece(model.source)
    return kitoken.Kitoken.from_tokenizers(model.json.encode())


def encode(corpus: Corpus, model: Model) -> Any:
    return partial(load(model).encode_all, corpus.strings)


def encode_each(corpus: Corpus, model: Model) -> Any:
    one, strings = load(model).encode, corpus.strings
    return lambda: [one(string) for string in strings]


MADE: dict[str, Any] = {"subword_encode": encode, "encode_text": encode_each}
