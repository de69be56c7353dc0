"""Ids, spans and decoded text of SubwordTokenizer against `tokenizers` and `tiktoken`, on tokenizers trained here."""

import random

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

from support.cases import each
from support.subword_peer import difference
from support.subword_peers import OTHER_SPANS, PEERS


@each("name", PEERS)
def test_texts_of_all_kinds(name: str, tier: str):
    peer = PEERS[name](1, 800)
    texts = peer.texts(random.Random(name), 200)
    assert difference(peer, peer.load(), texts, spans=name not in OTHER_SPANS) is None


def test_normalized_tokens_at_the_beginning_of_each_text(tier: str):
    """They begin with the space that the normalizer puts before each text, not only before the first."""
    peer = PEERS["llama-2, normalized tokens"](1, 800)
    texts = ["y", "<s> a", "", "<s>", " <s>", "a<s>"]
    assert difference(peer, peer.load(), texts, spans=True) is None
