"""torch_stringops.transformers.Tokenizer does what the `tokenizers.Tokenizer` does that it is made of, in everything."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tokenizers")

import tokenizers
from stress.accelerate import compare
from support.subword_peers import PEERS
from support.transformers_calls import fields
from tokenizers import normalizers

from torch_stringops.transformers import Encoding, Tokenizer

KINDS = [
    "gpt2", "llama3, ignore_merges", "added tokens, NFC", "template", "roberta", "wordpiece, uncased",
    "llama-2, normalized tokens", "unigram, T5",
]  # fmt: skip
TEXTS = ["to be, or not", "that is  the question<s>", "", "naïve é", "</s> 12 fox<|endoftext|>"]


@pytest.fixture
def original() -> Any:
    return PEERS["roberta"](1, 600).tokenizer


@pytest.mark.parametrize("name", KINDS)
def test_random_calls(name: str):
    peer = PEERS[name](2, 600)
    found = compare(name, peer.tokenizer, peer.inserted, 100, 0, "tokenizers")
    assert found is None, found


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch, original: Any):
    monkeypatch.setattr(Encoding, "attention_mask", property(lambda self: [0] * len(self)))
    found = compare("roberta", original, [], 100, 0, "tokenizers")
    assert found is not None
    assert found.startswith("roberta, tokenizers, seed 0, call ")


def check(original: Any, ours: Any) -> None:
    assert [*map(fields, ours.encode_batch(TEXTS))] == [*map(fields, original.encode_batch(TEXTS))]


def test_calls_are_served_by_the_operators(original: Any):
    ours = Tokenizer(original)
    batches = [
        ours.encode_batch(TEXTS),
        ours.encode_batch_fast([(TEXTS[0], TEXTS[1])]),
        [ours.encode(TEXTS[1])],
    ]
    assert {type(encoding) for batch in batches for encoding in batch} == {Encoding}
    assert type(ours.encode(["to"], is_pretokenized=True)) is tokenizers.Encoding
    original.enable_truncation(5, stride=1)
    assert type(ours.encode(TEXTS[1])) is tokenizers.Encoding


def test_changes_count(original: Any):
    ours = Tokenizer(copy.deepcopy(original))
    for tokenizer in (original, ours):
        tokenizer.add_tokens(["fox"])
        tokenizer.normalizer = normalizers.Lowercase()
        tokenizer.enable_truncation(6)
        tokenizer.enable_padding(length=8)
    check(original, ours)
    assert ours.to_str() == original.to_str()
    assert (ours.truncation, ours.padding) == (original.truncation, original.padding)
    assert ours.get_vocab() == original.get_vocab()
    assert ours.token_to_id("fox") == original.token_to_id("fox")
    ours.original.no_padding()
    assert ours.padding is None


def test_encodings_keep_the_state_of_their_call(original: Any):
    ours = Tokenizer(copy.deepcopy(original))
    expected, found = original.encode_batch(TEXTS), ours.encode_batch(TEXTS)
    ours.add_tokens(["fox", "not"])
    ours.enable_padding()
    assert [*map(fields, found)] == [*map(fields, expected)]


def test_encodings_are_changed_in_place(original: Any):
    for encode in (original.encode, Tokenizer(original).encode):
        encoding = encode(TEXTS[0])
        encoding.ids.append(0)  # a copy
        length = len(encoding)
        encoding.pad(length + 2, pad_id=1)
        assert len(encoding) == len(encoding.ids) == len(encoding.attention_mask) == length + 2
        encoding.truncate(3)
        assert len(encoding.ids) == len(encoding) == 3
        assert repr(encoding).startswith("Encoding(num_tokens=3")
        assert encoding.char_to_token(0) == 1


def test_encodings_are_arguments(original: Any):
    ours = Tokenizer(original)
    texts, options = TEXTS[:2], {"add_special_tokens": False}
    expected = original.post_process(*(original.encode(text, **options) for text in texts))
    assert fields(ours.post_process(*(ours.encode(text, **options) for text in texts))) == fields(expected)
    merged = tokenizers.Encoding.merge(original.encode_batch(texts))
    assert fields(Encoding.merge(ours.encode_batch(texts))) == fields(merged)


COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]


@pytest.mark.parametrize("copied", COPIES)
def test_copies(copied: Callable[[Any], Any], original: Any):
    ours = copied(Tokenizer(original))
    assert type(ours) is Tokenizer
    check(original, ours)
    encoding = copied(ours.encode(TEXTS[1]))
    assert type(encoding) is tokenizers.Encoding
    assert fields(encoding) == fields(original.encode(TEXTS[1]))


def test_a_state_that_is_not_supported_goes_to_the_original(original: Any):
    ours = Tokenizer(original)
    original.model.dropout = 1.0
    assert type(ours.encode(TEXTS[0])) is tokenizers.Encoding
    check(original, ours)
    with pytest.raises(
        ValueError, match=r"^Tokenizer: 1 part.s. of this tokenizer are not supported:\n  model BPE: dropout 1"
    ):
        Tokenizer(original)


def test_files(original: Any, tmp_path: Path):
    path = str(tmp_path / "tokenizer.json")
    Tokenizer(original).save(path)
    check(original, Tokenizer.from_file(path))
    check(original, Tokenizer.from_str(original.to_str()))


def test_an_argument_of_another_kind():
    with pytest.raises(TypeError, match=r"^Tokenizer: expected a tokenizers\.Tokenizer, got 'str'$"):
        Tokenizer("gpt2")  # type: ignore[arg-type]
