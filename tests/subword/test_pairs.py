"""Pairs of texts, against `tokenizers`."""

import random
from itertools import accumulate, pairwise
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
            ids, row_splits, types = ours.encode_pairs(texts, others, add_special_tokens=special, max_length=limit)
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
    assert found["input_ids"].tolist() == [[300, 256, 301, 257, 259, 301]] or found["input_ids"].shape == (1, 6)
    rows: dict[str, Any] = t(["to"], ["be"], padding=False, return_token_type_ids=False)
    assert rows["row_splits"].tolist() == [0, 5]


def test_truncation_at_the_left():
    peer, rng = PEERS["template"](0, 600), random.Random(0)
    texts, others = (peer.texts(rng, 30)[:20] for _ in range(2))
    pairs = list(zip(texts, others, strict=True))
    for limit in (7, 12):
        peer.tokenizer.enable_truncation(limit, direction="left")
        ours = peer.load()
        for special in (False, True):
            ids, row_splits, types = ours.encode_pairs(texts, others, add_special_tokens=special, max_length=limit)
            want = peer.tokenizer.encode_batch(pairs, add_special_tokens=special)
            for encoding, (a, b) in zip(want, pairwise(row_splits.tolist()), strict=True):
                assert (encoding.ids, encoding.type_ids) == (ids[a:b].tolist(), types[a:b].tolist())
            found = ours.encode_spans(texts, add_special_tokens=special, max_length=limit)
            ids, row_splits, begins, ends = (values.tolist() for values in found)
            ends_of = [[0, *accumulate(len(c.encode()) for c in text)] for text in texts]
            want = peer.tokenizer.encode_batch(texts, add_special_tokens=special)
            for at, encoding, (a, b) in zip(ends_of, want, pairwise(row_splits), strict=True):
                spans = [(at[begin], at[end]) for begin, end in encoding.offsets]
                assert (encoding.ids, spans) == (ids[a:b], list(zip(begins[a:b], ends[a:b], strict=True)))
            assert ours.encode(texts, add_special_tokens=special, max_length=limit)[0].tolist() == ids


def test_types_around_one_text():
    """As in files of XLNet."""
    from tokenizers import processors

    peer = PEERS["gpt2"](0, 400)
    around = processors.TemplateProcessing(
        single="<a>:3 $A:1 <b>:0 <b>:2", pair="$A $B", special_tokens=[("<a>", 7), ("<b>", 8)]
    )
    peer.tokenizer.post_processor = around
    peer.tokenizer.enable_padding(direction="left", pad_id=0, pad_type_id=4, pad_token="!")
    ours, texts = peer.load(), ["", "to be", "a long text of words"]
    for special in (True, False):
        want = peer.tokenizer.encode_batch(texts, add_special_tokens=special)
        found = ours(texts, add_special_tokens=special, return_token_type_ids=True)
        assert found["input_ids"].tolist() == [encoding.ids for encoding in want]
        assert found["token_type_ids"].tolist() == [encoding.type_ids for encoding in want]
