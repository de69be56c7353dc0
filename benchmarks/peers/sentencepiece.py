"""sentencepiece: the library of .model files."""

from functools import partial
from typing import Any

from sentencepiece import SentencePieceProcessor

from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS
from benchmarks.trained import Model


def encode(corpus: Corpus, model: Model) -> Any:
    processor = SentencePieceProcessor(model_proto=model.source)
    return partial(processor.encode, corpus.strings, num_threads=THREADS)


MADE: dict[str, Any] = {"subword_encode": encode}
