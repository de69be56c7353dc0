"""SubwordTokenizer.warm: the same ids, spans and decoded text, in another table."""

import random

import pytest
import torch

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

from support.cases import each
from support.subword_peer import difference
from support.subword_peers import OTHER_SPANS, PEERS

import torch_stringops as ts

KINDS = [
    *("gpt2", "qwen2, NFC", "o200k, ignore_merges", "digits, prefix space", "added tokens, NFC", "some bytes"),
    *("some bytes, unknown token", "other patterns", "wordpiece, uncased", "wordpiece, added tokens", "clip"),
    *("herbert", "llama-2", "metaspace first, split", "gemma", "crossing blanks", "no unknown token"),
    *("unigram, T5", "unigram, NFKC", "sentencepiece unigram", "sentencepiece bpe"),
    "tiktoken cl100k",
]  # fmt: skip


@each("name", KINDS)
def test_warm_tables_give_the_same(name: str):
    peer = PEERS[name](1, 500)
    tokenizer = peer.load()
    before = tokenizer._table
    texts = peer.texts(random.Random(name), 100)
    tokenizer.warm(texts * 2, 300)
    assert not torch.equal(tokenizer._table, before)
    assert difference(peer, tokenizer, texts, spans=name not in OTHER_SPANS) is None


def test_the_state_has_the_words():
    ranks = {bytes([byte]): byte for byte in range(256)}
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
    tokenizer, other = (ts.SubwordTokenizer.from_tiktoken(ranks, pattern) for _ in range(2))
    tokenizer.warm([["abc abc", "de"], ["de de", "x longword"]], 2)
    assert tokenizer._spec.splitlines()[-1] == f"warm {b'de'.hex()} {b'abc'.hex()}"
    other.load_state_dict(tokenizer.state_dict())
    assert torch.equal(other._table, tokenizer._table)
    tokenizer.warm([], 2)
    assert tokenizer._spec.splitlines()[-1] == "warm"
    tokenizer.warm(["de"], 2)  # after a sample without words
    assert tokenizer._spec.splitlines()[-2:] == [other._spec.splitlines()[-2], f"warm {b'de'.hex()}"]
    with pytest.raises(ValueError, match="max_words"):
        tokenizer.warm(["a"], -1)
