"""Hugging Face tokenizers: pre-tokenizers, which take one string in each call, and tokenizers of whole batches."""

from collections.abc import Callable
from functools import partial
from typing import Any

import tokenizers as tk

from benchmarks.corpora import Corpus
from benchmarks.trained import Model

UNKNOWN = "[UNK]"


def split(corpus: Corpus, _: str) -> dict[str, Any]:
    """Both of its interfaces: tuples of piece and range, and PreTokenizedString objects."""
    rule, strings = tk.pre_tokenizers.WhitespaceSplit(), corpus.strings

    def objects() -> list[Any]:
        out = []
        for s in strings:
            text = tk.PreTokenizedString(s)
            rule.pre_tokenize(text)
            out.append(text.get_splits())
        return out

    def read(rows: list[Any]) -> list[Any]:
        return [[piece[0] for piece in row] for row in rows]

    return {
        "pre_tokenize_str": (lambda: [rule.pre_tokenize_str(s) for s in strings], read),
        "PreTokenizedString": (objects, read),
    }


def encode(corpus: Corpus, words: Corpus, lower: bool = False, **_: Any) -> dict[str, Any]:
    """A call creates an Encoding for each string, which holds more than the ids."""
    ids = {word: i for i, word in enumerate([*words.strings, UNKNOWN])}
    tokenizer = tk.Tokenizer(tk.models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = tk.pre_tokenizers.WhitespaceSplit()
    if lower:
        tokenizer.normalizer = tk.normalizers.Lowercase()

    def read(encodings: Any) -> Any:
        found = [[-1 if id == len(words) else id for id in row.ids] for row in encodings]
        return found

    return {"": (partial(tokenizer.encode_batch_fast, corpus.strings, add_special_tokens=False), read)}


def subword_encode(corpus: Corpus, model: Model) -> Any:
    if not hasattr(model.source, "encode_batch_fast"):
        raise ImportError("there is no tokenizer.json of this model")
    batch = partial(model.source.encode_batch_fast, corpus.strings, add_special_tokens=False)
    return batch, lambda rows: [row.ids for row in rows]


def encode_each(corpus: Corpus, model: Model) -> Any:
    one, strings = model.source.encode, corpus.strings
    return lambda: [one(string, add_special_tokens=False).ids for string in strings]


MADE: dict[str, Callable[..., Any]] = {
    "string_split_ragged": split,
    "split_encode": encode,
    "tokenize_encode": encode,
    "subword_encode": subword_encode,
    "encode_text": encode_each,
}
DIFFERS = {
    "string_split_ragged": "it takes U+001C-001F for text",
    "split_encode": "it takes U+001C-001F for text",
    "tokenize_encode": "its version of Unicode is another",
}
