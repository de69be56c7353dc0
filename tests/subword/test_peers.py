"""SubwordTokenizer, and the oracle of tests/reference/subword.py, against `tokenizers` and `tiktoken`."""

import random
from typing import Any

import pytest
import reference.subword_sentencepiece
from reference.subword import Subword

pytest.importorskip("tokenizers")
pytest.importorskip("tiktoken")
pytest.importorskip("sentencepiece")

from support.cases import each
from support.subword_peer import Peer, SentencePiece, Tiktoken, difference
from support.subword_peers import OTHER_SPANS, PEERS

from torch_stringops.subword._huggingface import read_json
from torch_stringops.subword._json import parse_json
from torch_stringops.subword._sentencepiece import read_sentencepiece
from torch_stringops.subword._tiktoken import ranks_of, read_ranks


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


def oracle_of(peer: Peer) -> Any:
    tokenizer: Any = peer.tokenizer
    if isinstance(peer, SentencePiece):
        definition = read_sentencepiece("from_sentencepiece", peer.model, True, True)
        return reference.subword_sentencepiece.SentencePiece(
            definition.pieces.tolist(as_bytes=True), definition.numbers.tolist(), definition.spec
        )
    if isinstance(peer, Tiktoken):
        ranks = ranks_of("from_tiktoken", tokenizer._mergeable_ranks)
        definition = read_ranks("from_tiktoken", ranks, tokenizer._pat_str, tokenizer._special_tokens)
    else:
        definition = read_json("from_file", parse_json("from_file", tokenizer.to_str()), from_file=False)
    return Subword(definition.pieces.tolist(as_bytes=True), definition.numbers.tolist(), definition.spec)


@each("name", PEERS)
def test_ids_and_decoded_text_of_the_oracle(name: str):
    peer = PEERS[name](0, 600)
    oracle = oracle_of(peer)
    texts = peer.texts(random.Random(name), 30, stable=True)
    for special in (False, True):
        rows = peer.ids(texts, special)
        for text, row in zip(texts, rows, strict=True):
            assert [id for id, _ in oracle.encode_one(text.encode(), special, -1)] == row, ascii(text)
        for skip in (False, True):
            decoded = [oracle.decode(row, skip).decode(errors="replace") for row in rows]
            assert decoded == peer.decoded(rows, skip)


@each("name", sorted(PEERS.keys() - OTHER_SPANS))
def test_spans_of_the_oracle(name: str):
    peer = PEERS[name](0, 600)
    oracle = oracle_of(peer)
    texts = peer.texts(random.Random(name), 30, stable=True)
    for text, spans in zip(texts, peer.ids_and_spans(texts)[1], strict=True):
        found = [span for _, span in oracle.encode_one(text.encode(), False, -1)]
        assert found == spans, ascii(text)


def test_truncation_of_the_oracle():
    peer = PEERS["template"](0, 600)
    oracle = oracle_of(peer)
    texts = peer.texts(random.Random(0), 60, stable=True)
    for limit in (3, 4, 5, 9):
        peer.tokenizer.enable_truncation(limit)
        for text, row in zip(texts, peer.ids(texts, True), strict=True):
            assert [id for id, _ in oracle.encode_one(text.encode(), True, limit)] == row
