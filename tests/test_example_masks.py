"""The collators of examples/masked_lm.py and examples/span_corruption.py."""

import importlib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
import torch
from support.cases import each
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
Load = Callable[[str], ModuleType]
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"wo": 256, b"rd": 257, b"word": 258, b" wo": 259}
SPECIAL = {"<pad>": 300, "<mask>": 301, "</s>": 302}
TEXTS = ["word by word", "", "a", "wordwordword words  wo", "<mask> in a text", "tab\tand\nline"]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


@pytest.fixture(scope="module")
def tokenizer() -> SubwordTokenizer:
    return SubwordTokenizer.from_tiktoken(RANKS, r" ?[a-z]+|\s+|\S", SPECIAL, pad_token="<pad>")


def test_masked_tokens_are_labels_and_others_stay(load: Load, tokenizer: SubwordTokenizer):
    torch.manual_seed(3)
    texts = ["abcdefghij" * 40] * 250 + TEXTS
    original, batch = tokenizer(texts), load("masked_lm").CollateMaskedLM(tokenizer, 301)(texts)
    assert list(batch) == ["input_ids", "attention_mask", "labels"]
    ids, before, chosen = batch["input_ids"], original["input_ids"], batch["labels"] != -100
    assert torch.equal(ids[~chosen], before[~chosen])
    assert torch.equal(batch["labels"][chosen], before[chosen])
    assert not (chosen & (before >= 300)).any()
    total = chosen.sum().item()
    assert abs(total / (before < 300).sum().item() - 0.15) < 0.004  # standard error 0.0011
    ids, before = ids[chosen], before[chosen]
    assert abs((ids == 301).sum().item() / total - 0.8) < 0.013  # standard error 0.0033
    assert abs((ids == before).sum().item() / total - 0.1) < 0.011
    drawn = ids[(ids != 301) & (ids != before)]
    assert len(drawn.unique()) > 250
    assert drawn.max() < 300


@each("name", ["masked_lm", "span_corruption"])
@each("persistent", [False, True])
def test_no_two_epochs_workers_and_ranks_have_equal_masks(
    load: Load, tokenizer: SubwordTokenizer, name: str, persistent: bool
):
    """Static masks are silent: the loss of training falls as before."""
    module = load(name)
    if name == "masked_lm":
        collate = module.CollateMaskedLM(tokenizer, 301, 0.5)
    else:
        collate = module.CollateSpanCorruption(tokenizer, [400, 401, 402], 302, 0.5)

    def epochs(*seeds: int) -> list[list[str]]:
        loader = DataLoader(TEXTS * 4, batch_size=6, num_workers=2, collate_fn=collate, persistent_workers=persistent)
        found = []
        for seed in seeds:
            if seed >= 0:
                torch.manual_seed(seed)
            found.append([str(batch["labels"].tolist()) for batch in loader])
        return found

    ranks = [epochs(0, 1), epochs(1000, 1001)]
    assert len({batch for rank in ranks for epoch in rank for batch in epoch}) == 16
    assert len({batch for epoch in epochs(0, -1) for batch in epoch}) == 8  # one seed at the begin is enough
    assert persistent or epochs(1) == ranks[0][1:]


@each("density", [0.15, 0.5, 0.9])
@each("mean", [1, 3, 2.5])
def test_spans_are_labels(load: Load, tokenizer: SubwordTokenizer, density: float, mean: float):
    sentinels = [400 - i for i in range(9)]
    collate = load("span_corruption").CollateSpanCorruption(tokenizer, sentinels, 302, density, mean)
    ids, row_splits = tokenizer.encode(TEXTS)
    rows = [row for a, b in pairwise(row_splits.tolist()) if len(row := ids[a:b].tolist()) > 1]
    for _ in range(10):
        batch = collate(TEXTS)
        for row, inputs, labels in zip(rows, batch["input_ids"].tolist(), batch["labels"].tolist(), strict=True):
            inputs, labels = ([id for id in part if id not in (300, -100)] for part in (inputs, labels))
            assert (inputs.pop(), labels.pop()) == (302, 302)
            count = min(max(round(len(row) * density), 1), len(row) - 1)
            used = sentinels[: min(max(round(count / mean), 1), 9, len(row) - count)]
            assert [id for id in inputs if id in sentinels] == [id for id in labels if id in sentinels] == used
            assert len(labels) == count + len(used)
            parts: dict[int, list[int]] = {}
            for id in labels:
                part = parts.setdefault(id, []) if id in used else [*parts.values()][-1]
                part.extend([] if id in used else [id])
            assert all(parts.values())
            assert [token for id in inputs for token in parts.get(id, [id])] == row
            assert inputs[0] == row[0]


def test_divisions_are_equally_likely(load: Load):
    divide = load("span_corruption").divide
    torch.manual_seed(0)
    counts = Counter(tuple(divide(5, 3).tolist()) for _ in range(3000))
    assert set(counts) == {(1, 1, 3), (1, 3, 1), (3, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)}
    assert all(abs(count - 500) < 105 for count in counts.values())  # standard deviation 20
    assert divide(3, 1).tolist() == [3]
