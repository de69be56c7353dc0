"""CollateMaskedLM and CollateSpanCorruption: what they keep exactly, and what they draw by frequencies."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
import torch
from support.cases import each
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.data import CollateMaskedLM, CollateSpanCorruption
from torch_stringops.data.collate_masked import _divided

PAD, MASK, EOS = 300, 301, 302
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"wo": 256, b"rd": 257, b"word": 258, b" wo": 259}
TEXTS = ["word by word", "", "a", "wordwordword words  wo", "<mask> in a text", "tab\tand\nline"] * 3


@pytest.fixture(scope="module")
def tokenizer():
    special = {"<pad>": PAD, "<mask>": MASK, "</s>": EOS}
    return SubwordTokenizer.from_tiktoken(RANKS, r" ?[a-z]+|\s+|\S", special, pad_token="<pad>")


def test_masked_places_have_labels(tokenizer):
    collate = CollateMaskedLM(tokenizer, MASK, 0.4)
    original = tokenizer(TEXTS)
    ids, mask = original["input_ids"], original["attention_mask"]
    for _ in range(20):
        batch = collate(TEXTS)
        assert list(batch) == ["input_ids", "attention_mask", "labels"]
        assert torch.equal(batch["attention_mask"], mask)
        chosen = batch["labels"] != -100
        assert torch.equal(batch["labels"][chosen], ids[chosen])
        assert torch.equal(batch["input_ids"][~chosen], ids[~chosen])
        assert not (chosen & ((mask == 0) | (ids == MASK))).any()
        assert not (batch["input_ids"][chosen] == EOS).any()


def test_shares(tokenizer):
    texts = ["abcdefghij" * 40] * 250
    collate = CollateMaskedLM(tokenizer, MASK, 0.15, seed=3)
    original = tokenizer(texts)["input_ids"]
    batch = collate(texts)
    chosen = batch["labels"] != -100
    total = chosen.sum().item()
    assert abs(total / original.numel() - 0.15) < 0.004  # standard error 0.0011
    ids, before = batch["input_ids"][chosen], original[chosen]
    masked, kept = (ids == MASK).sum().item() / total, (ids == before).sum().item() / total
    assert abs(masked - 0.8) < 0.013  # standard error 0.0033
    assert abs(kept - 0.1) < 0.011
    # Random tokens are any but special ones, among them ids without a token.
    drawn = Counter(ids[(ids != MASK) & (ids != before)].tolist())
    assert len(drawn) > 250
    assert not drawn.keys() & {PAD, MASK, EOS}
    assert max(drawn.values()) < 25


def test_whole_words(tokenizer):
    collate = CollateMaskedLM(tokenizer, MASK, 0.5, whole_words=True)
    _, row_splits, begins, ends = tokenizer.encode_spans(TEXTS)
    seen = set()
    for _ in range(40):
        chosen = collate(TEXTS)["labels"] != -100
        for row, text in enumerate(TEXTS):
            first, last = row_splits[row : row + 2].tolist()
            words = {}
            word = -1
            for i in range(first, last):
                at, end = int(begins[i]), int(ends[i])
                follows_token = i > first and text[int(begins[i - 1]) : at].isspace()  # of spaces
                is_space_before = at == 0 or (text[at - 1].isspace() and not follows_token)
                if text[at].isspace() or is_space_before or text[at:end] == "<mask>" or text[at - 1] == ">":
                    word = i
                words.setdefault(word, set()).add(bool(chosen[row, i - first]))
            assert all(len(choices) == 1 for choices in words.values())
            seen |= {(row, word, choices.pop()) for word, choices in words.items()}
    assert len(seen) > 80


def test_seeds_and_workers(tokenizer):
    def batches(**options):
        collate = CollateMaskedLM(tokenizer, MASK, 0.5, **options)
        return [collate(TEXTS)["labels"] for _ in range(2)]

    first = batches(seed=1)
    assert torch.equal(first[0], batches(seed=1)[0])
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first[0], batches(seed=2)[0])
    torch.manual_seed(0)
    by_torch = batches(seed=None)
    torch.manual_seed(0)
    assert torch.equal(by_torch[1], batches(seed=None)[1])
    collate = pickle.loads(pickle.dumps(CollateMaskedLM(tokenizer, MASK, 0.5, seed=1)))
    assert torch.equal(collate(TEXTS)["labels"], first[0])


@pytest.mark.parametrize(("kind", "context", "persistent"), [
    (CollateMaskedLM, "fork", False), (CollateMaskedLM, "fork", True), (CollateSpanCorruption, "fork", False),
    pytest.param(CollateSpanCorruption, "spawn", False, marks=pytest.mark.check),
])  # fmt: skip
def test_no_two_epochs_workers_and_ranks_are_equal(tokenizer, kind, context, persistent):
    """Static masks are silent: the loss of training falls as before."""

    def epochs(rank, sets=(), copies=copy.copy):
        torch.manual_seed(0)
        collate = copies(kind(tokenizer, MASK if kind is CollateMaskedLM else [400, 401, 402], 0.5, rank=rank))
        loader = DataLoader(
            TEXTS[:6] * 4,
            batch_size=6,
            num_workers=2,
            collate_fn=collate,
            multiprocessing_context=context,
            persistent_workers=persistent,
        )
        found = []
        for epoch in sets or range(2):
            if sets:
                collate.set_epoch(epoch)
            found.append([str(batch["labels"].tolist()) for batch in loader])
        return found

    first = epochs(0)
    assert len({batch for epoch in first for batch in epoch}) == 8
    if context == "spawn":
        return
    assert len({batch for epoch in [*first, *epochs(1)] for batch in epoch}) == 16
    assert epochs(0, copies=copy.deepcopy) == first
    chosen = epochs(0, sets=[1, 0])
    assert chosen[1] == first[0] != chosen[0]
    assert persistent or chosen == first[::-1]


def test_a_first_character_of_several_tokens_is_of_one_word(tokenizer):
    for text in ("日本 x", "é y", "😀 z"):
        length = len(text.split()[0].encode())
        collate = CollateMaskedLM(tokenizer, MASK, 0.5, whole_words=True)
        rows = collate([text, f"a {text}"] * 50)["labels"] != -100
        for words in (rows[0::2, :length], rows[1::2, 1 : 2 + length]):
            assert set(words.sum(1).tolist()) == {0, words.shape[1]}, text


@each("density", [0.15, 0.5, 0.9])
@each("mean_length", [1, 3, 2.5])
@each("eos_id", [None, EOS])
def test_spans_are_labels(tokenizer, density, mean_length, eos_id):
    sentinels = [400 - i for i in range(9)]
    collate = CollateSpanCorruption(tokenizer, sentinels, density, mean_length, eos_id=eos_id)
    ids, row_splits = tokenizer.encode(TEXTS)
    for _ in range(10):
        batch = collate(TEXTS)
        assert list(batch) == ["input_ids", "attention_mask", "labels"]
        for row in range(len(TEXTS)):
            original = ids[row_splits[row] : row_splits[row + 1]].tolist()
            inputs = batch["input_ids"][row][batch["attention_mask"][row] == 1].tolist()
            labels = [id for id in batch["labels"][row].tolist() if id != -100]
            if eos_id is not None:
                assert (inputs.pop(), labels.pop()) == (EOS, EOS)
            if len(original) < 2:
                assert (inputs, labels) == (original, [])
                continue
            count = min(max(round(len(original) * density), 1), len(original) - 1)
            spans = max(round(count / mean_length), 1)
            spans = min(spans, len(sentinels), count, len(original) - count)
            used = sentinels[:spans]
            assert [id for id in inputs if id in sentinels] == used
            assert [id for id in labels if id in sentinels] == used
            assert len(labels) == count + spans
            parts = {}
            for id in labels:
                if id in used:
                    part = parts[id] = []
                else:
                    part.append(id)
            assert all(parts.values())
            found = [token for id in inputs for token in parts.get(id, [id])]
            assert found == original
            assert inputs[0] == original[0]


def test_divisions_are_equally_likely():
    random = np.random.Generator(np.random.PCG64(0))
    totals, parts = np.array([5] * 6000 + [3]), np.array([3] * 6000 + [1])
    found = _divided(totals, parts, random)
    assert found[-1] == 3
    counts = Counter(map(tuple, found[:-1].reshape(-1, 3).tolist()))
    assert set(counts) == {(1, 1, 3), (1, 3, 1), (3, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)}
    assert all(abs(count - 1000) < 150 for count in counts.values())  # standard deviation 29
    empty = np.empty(0, np.int64)
    assert len(_divided(empty, empty, random)) == 0


def test_rows_of_dicts_and_lengths(tokenizer):
    rows = [{"body": text} for text in TEXTS]
    masked = CollateMaskedLM(tokenizer, MASK, text="body", max_length=4)(rows)
    assert masked["input_ids"].shape == (len(TEXTS), 4)
    spans = CollateSpanCorruption(tokenizer, [400], text="body", max_length=6)(rows)
    assert spans["input_ids"].shape[1] <= 6
    for collate in (CollateMaskedLM(tokenizer, MASK), CollateSpanCorruption(tokenizer, [400])):
        assert collate(["", ""])["labels"].shape == (2, 0)
        with pytest.raises(ValueError, match="expected a batch with rows"):
            collate([])


@each(
    ("kind", "arguments", "error", "message"),
    [
        (CollateMaskedLM, {"mask_id": 303}, ValueError, "expected `mask_id` within"),
        (CollateMaskedLM, {"probability": 1}, ValueError, r"expected `probability` within \(0, 1\), got 1"),
        (CollateMaskedLM, {"probability": "a"}, TypeError, "expected `probability` to be a number, got str"),
        (CollateMaskedLM, {"seed": -1}, ValueError, "expected `seed` within"),
        (CollateMaskedLM, {"max_length": 0}, ValueError, "expected `max_length` >= 1, got 0"),
        (CollateMaskedLM, {"tokenizer": 3}, TypeError, "expected a SubwordTokenizer, got int"),
        (CollateSpanCorruption, {"sentinel_ids": []}, TypeError, "expected `sentinel_ids` to be a list"),
        (CollateSpanCorruption, {"sentinel_ids": [-1]}, ValueError, "expected `sentinel_ids` within"),
        (CollateSpanCorruption, {"density": 0}, ValueError, r"expected `density` within \(0, 1\)"),
        (CollateSpanCorruption, {"mean_length": 0.5}, ValueError, r"expected `mean_length` within \[1, "),
        (CollateSpanCorruption, {"mean_length": None}, TypeError, "expected `mean_length` to be a number"),
        (CollateSpanCorruption, {"eos_id": 1.5}, TypeError, "expected `eos_id` to be an int, got float"),
    ],
)
def test_bad_arguments(tokenizer, kind, arguments, error, message):
    valid = {"mask_id": MASK} if kind is CollateMaskedLM else {"sentinel_ids": [400]}
    with pytest.raises(error, match=f"{kind.__name__}: {message}"):
        kind(**{"tokenizer": tokenizer, **valid, **arguments})


def test_a_tokenizer_without_padding():
    bare = SubwordTokenizer.from_tiktoken(RANKS, r"\S+|\s+")
    with pytest.raises(ValueError, match="CollateMaskedLM: expected a tokenizer with a `pad_id`"):
        CollateMaskedLM(bare, 3)
