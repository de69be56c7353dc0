"""Pairs of texts, against `tokenizers`."""

import random
from itertools import pairwise
from typing import Any

import pytest
from support.subword_small import tokenizer

pytest.importorskip("tokenizers")

from support.subword_peers import PEERS


@pytest.mark.parametrize("name", ["llama-2", "template", "roberta", "wordpiece, uncased", "gpt2"])
def test_ids_and_types(name: str):
    peer, rng = PEERS[name](0, 600), random.Random(name)
    ours = peer.load()
    texts, others = (peer.texts(rng, 40)[:30] for _ in range(2))
    for special in (False, True):
        for limit in (None, 7, 20):
            if limit is None:
                peer.tokenizer.no_truncation()
            else:
                peer.tokenizer.enable_truncation(limit)
            pairs = list(zip(texts, others, strict=True))
            ids, row_splits, types = ours.encode_pairs(
                texts, others, add_special_tokens=special, max_length=limit
            )
            want = peer.tokenizer.encode_batch(pairs, add_special_tokens=special)
            for encoding, (a, b) in zip(want, pairwise(row_splits.tolist()), strict=True):
                assert (encoding.ids, encoding.type_ids) == (ids[a:b].tolist(), types[a:b].tolist())


def test_batches_of_pairs():
    t = tokenizer(pad_type=3)
    found = t(["to be", "to"], ["be", "be to be"])
    assert {name: values.tolist() for name, values in found.items()} == {
        "input_ids": [[300, 256, 258, 301, 257, 301, 302], [300, 256, 301, 257, 259, 258, 301]],
        "attention_mask": [[1] * 6 + [0], [1] * 7],
        "token_type_ids": [[0, 0, 0, 0, 1, 2, 3], [0, 0, 0, 1, 1, 1, 2]],
    }
    found = t(["to be"], ["be to"], max_length=6, padding="max_length", padding_side="left")
    assert found["input_ids"].tolist() == [[300, 256, 301, 257, 259, 301]] or found["input_ids"].shape == (
        1,
        6,
    )
    rows: dict[str, Any] = t(["to"], ["be"], padding=False, return_token_type_ids=False)
    assert rows["row_splits"].tolist() == [0, 5]


def test_pairs_are_not_truncated_at_the_left():
    with pytest.raises(ValueError, match="truncates pairs at the right"):
        tokenizer(truncates_left=1)(["a"], ["b"], max_length=5)
