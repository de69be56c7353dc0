"""tiktoken: byte-level BPE of ranks, one string in each call."""

from collections.abc import Callable
from typing import Any

import tiktoken

from benchmarks.corpora import Corpus
from benchmarks.trained import Model


def encoder(model: Model) -> Callable[[str], list[int]]:
    if not model.pattern:
        raise ImportError("it has byte-level BPE only")
    return tiktoken.Encoding(
        "own", pat_str=model.pattern, mergeable_ranks=model.ranks, special_tokens={}
    ).encode_ordinary


def encode(corpus: Corpus, model: Model) -> Any:
    one, strings = encoder(model), corpus.strings
    return lambda: [one(string) for string in strings]


MADE: dict[str, Any] = {"subword_encode": encode, "encode_text": encode}
