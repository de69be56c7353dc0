"""Our own operators in sequence, the peer of an operator that combines them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch_stringops as so
from benchmarks.corpora import Corpus
from benchmarks.ours import operator, string_tensor, table_of, tensors

NAME = "ours, in parts"


def encode(corpus: Corpus, words: Corpus, tokenexp: str = "", lower: bool = False) -> Callable[[], Any]:
    """Lower case, pieces, and ids of the pieces."""
    strings, table = tensors(corpus), table_of(string_tensor(words))
    to_lower, split, look_up = (operator(f) for f in ("string_lower", "string_split_ragged", "vocab_encode"))
    cut = partial(operator("tokenizer_ragged"), tokenexp=tokenexp) if tokenexp else split

    def call() -> Any:
        data, offsets, row_splits = cut(*(to_lower(*strings) if lower else strings))
        return look_up(data, offsets, table), row_splits

    return call


def from_one_tensor(lists: list[list[str]]) -> Callable[[], list[str]]:
    whole = so.as_strings([word for words in lists for word in words])
    return lambda: so.Vocabulary.from_strings(whole, pad_token=None, unknown_token=None).tokens.tolist()


MADE: dict[str, Any] = {"split_encode": encode, "tokenize_encode": encode, "from_strings": from_one_tensor}
