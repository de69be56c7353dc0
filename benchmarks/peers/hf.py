"""Hugging Face tokenizers: its pre-tokenizers, which take one string per call."""

from typing import Any

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender
from benchmarks.peers.base import SEPARATOR_CONTROLS, Contenders, excuse, load, needs


@needs("tokenizers")
def tokenizers_split(corpus: Corpus, delimiter: str) -> Contenders:
    """Only at whitespace: splits at other delimiters keep the delimiters or drop empty pieces."""
    if delimiter:
        raise ValueError(f"peers: tokenizers does not split at {delimiter!r}")
    space = excuse(corpus, SEPARATOR_CONTROLS, "it takes U+001C-001F for text")
    return pre_tokenized(corpus, "WhitespaceSplit", excuse=space)


@needs("tokenizers")
def pre_tokenized(corpus: Corpus, kind: str, **how: Any) -> Contenders:
    """Both of its interfaces: tuples of piece and range, and PreTokenizedString objects."""
    tokenizers, strings = load("tokenizers"), corpus.strings
    rule = getattr(tokenizers.pre_tokenizers, kind)()
    make = tokenizers.PreTokenizedString

    def tuples() -> list[Any]:
        return [rule.pre_tokenize_str(s) for s in strings]

    def objects() -> list[Any]:
        out = []
        for s in strings:
            text = make(s)
            rule.pre_tokenize(text)
            out.append(text.get_splits())
        return out

    return [
        Contender(f"tokenizers {kind}, {way}", call, first_of_each, group="tokenizers", **how)
        for way, call in (("pre_tokenize_str", tuples), ("PreTokenizedString", objects))
    ]


def first_of_each(rows: list[Any]) -> canonical.Ragged:
    return canonical.from_lists([[piece[0] for piece in row] for row in rows])
