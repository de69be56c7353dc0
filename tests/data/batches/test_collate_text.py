"""CollateText: rows of every kind, workers, and Hugging Face's Trainer."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support import subword_small
from support.cases import each
from support.subword_small import LINES
from torch import nn
from torch.utils.data import DataLoader

from torch_stringops import StringTensor, SubwordTokenizer
from torch_stringops.data import CollateText, ColumnDataset

LABELS = [3, 1, 0, 2, 1]


@pytest.fixture
def tokenizer() -> SubwordTokenizer:
    return subword_small.tokenizer()


def equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(found) == list(expected)
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype, name
        assert torch.equal(found[name], tensor), name


BATCHES: dict[str, Callable[[], Any]] = {
    "dicts": lambda: [{"label": b, "id": "x", "text": a} for a, b in zip(LINES, LABELS, strict=True)],
    "tuples": lambda: list(zip(LINES, LABELS, strict=True)),
    "tuples with more": lambda: [(a, b, None) for a, b in zip(LINES, LABELS, strict=True)],
    "numpy's numbers": lambda: list(zip(LINES, np.array(LABELS, dtype=np.int32), strict=True)),
    "tensors": lambda: list(zip(LINES, torch.tensor(LABELS), strict=True)),
    "columns": lambda: {"text": LINES, "label": LABELS},
    "a tuple of columns": lambda: (StringTensor.from_list(LINES), torch.tensor(LABELS)),
    "bytes": lambda: [(a.encode(), b) for a, b in zip(LINES, LABELS, strict=True)],
    "rows of a dataset": lambda: ColumnDataset(text=LINES, label=LABELS).__getitems__([*range(5)]),
    "rows of a dataset of tuples": lambda: ColumnDataset(LINES, LABELS).__getitems__([*range(5)]),
}


@each("kind", BATCHES)
def test_rows_of_every_kind(kind: str, tokenizer: SubwordTokenizer):
    equal(CollateText(tokenizer)(BATCHES[kind]()), tokenizer(LINES) | {"labels": torch.tensor(LABELS)})


@pytest.mark.parametrize("rows", [LINES, StringTensor.from_list(LINES)])
def test_rows_that_are_texts_have_no_labels(rows: Any, tokenizer: SubwordTokenizer):
    equal(CollateText(tokenizer)(rows), tokenizer(LINES))


def test_labels_are_left_out(tokenizer: SubwordTokenizer):
    for kind in ("dicts", "tuples", "columns"):
        equal(CollateText(tokenizer, label=None)(BATCHES[kind]()), tokenizer(LINES))


def test_names_of_columns(tokenizer: SubwordTokenizer):
    rows = [{"q": "to be", "a": "or not", "begin": 1, "end": 2}, {"q": "é", "a": "", "begin": 0, "end": 0}]
    collate = CollateText(tokenizer, "q", ["begin", "end"], text_pair="a")
    expected = tokenizer(["to be", "é"], ["or not", ""]) | {"begin": torch.tensor([1, 0]), "end": torch.tensor([2, 0])}
    equal(collate(rows), expected)
    equal(collate([tuple(row.values()) for row in rows]), expected)


@pytest.mark.parametrize(("labels", "expected"), [
    ([1.5, 2], torch.tensor([1.5, 2.0])),
    ([np.float64(1.5), np.float64(2)], torch.tensor([1.5, 2.0])),
    ([True, False], torch.tensor([1, 0])), ([[1, 0], [0, 1]], torch.tensor([[1, 0], [0, 1]])),
    ([[0.5], [1.0]], torch.tensor([[0.5], [1.0]])),
    ([torch.tensor([1.0]).double()] * 2, torch.tensor([[1.0], [1.0]]).double()),
])  # fmt: skip
def test_dtypes_of_labels(labels: list[Any], expected: torch.Tensor, tokenizer: SubwordTokenizer):
    found = CollateText(tokenizer)(list(zip(["a", "b"], labels, strict=True)))["labels"]
    assert found.dtype == expected.dtype
    assert torch.equal(found, expected)


@pytest.mark.parametrize(
    "options",
    [{"padding": False}, {"padding": "max_length", "max_length": 7}, {"max_length": 3, "pad_to_multiple_of": 4}],
)
def test_options(options: dict[str, Any], tokenizer: SubwordTokenizer):
    equal(CollateText(tokenizer, **options)(LINES), tokenizer(LINES, **options))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda collate: pickle.loads(pickle.dumps(collate))])
def test_copies(copied: Callable[[CollateText], CollateText], tokenizer: SubwordTokenizer):
    rows = BATCHES["dicts"]()
    equal(copied(CollateText(tokenizer, max_length=5))(rows), CollateText(tokenizer, max_length=5)(rows))


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("named", [False, True])
def test_workers(context: str, named: bool, tokenizer: SubwordTokenizer):
    rows: Any = BATCHES["tuples"]() * 4
    if named:
        rows = ColumnDataset(text=LINES * 4, label=LABELS * 4)
    collate = CollateText(tokenizer, max_length=6)
    workers = {"num_workers": 2, "multiprocessing_context": context}
    expected = list(DataLoader(rows, batch_size=3, collate_fn=collate))
    found = list(DataLoader(rows, batch_size=3, collate_fn=collate, **workers))
    assert len(found) == len(expected) == 7
    for one, other in zip(found, expected, strict=True):
        equal(one, other)


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ([], ValueError, "CollateText: expected a batch with rows"),
        (
            [{"label": 1}],
            ValueError,
            "CollateText: expected rows with 'text', got a row of 'label' (TrainingArguments need "
            "remove_unused_columns=False)",
        ),
        ([("a",)], ValueError, "CollateText: expected rows of 'text', 'label', got a tuple of 1"),
        ([3], TypeError, "CollateText: expected rows that are str, dicts or tuples, got int"),
        (
            [("a", "b")],
            TypeError,
            "CollateText: expected `labels` to be numbers, got 'b' (torch_stringops.nn.StringLookup turns strings "
            "into ids)",
        ),
    ],
)
def test_errors(batch: Any, error: type[Exception], message: str, tokenizer: SubwordTokenizer):
    with pytest.raises(error) as raised:
        CollateText(tokenizer)(batch)
    assert str(raised.value) == message


def test_a_tokenizer_of_another_kind():
    with pytest.raises(TypeError, match="CollateText: expected a SubwordTokenizer, got str"):
        CollateText("gpt2")  # type: ignore[arg-type]


class Model(nn.Module):
    """Takes the arguments of a model of `transformers`, and returns its loss and logits."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(size, 4, mode="mean")

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, labels: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        assert attention_mask.shape == input_ids.shape
        logits = self.embedding(input_ids)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


@pytest.mark.check
@pytest.mark.parametrize("workers", [0, 1])
def test_trainer(workers: int, tokenizer: SubwordTokenizer, tmp_path: Path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    datasets = pytest.importorskip("datasets")
    torch.manual_seed(0)
    lines = [line or "empty" for line in LINES]
    rows = datasets.Dataset.from_dict({"text": lines, "label": [0, 1, 2, 3, 1], "id": ["x"] * 5})
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        per_device_train_batch_size=2,
        num_train_epochs=30,
        learning_rate=0.5,
        remove_unused_columns=False,
        report_to=[],
        dataloader_num_workers=workers,
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
    )
    trainer = transformers.Trainer(
        Model(len(tokenizer)), arguments, data_collator=CollateText(tokenizer), train_dataset=rows, eval_dataset=rows
    )
    before = trainer.evaluate()["eval_loss"]
    trainer.train()
    assert trainer.evaluate()["eval_loss"] < before / 4
    found = trainer.predict(rows)
    assert found.label_ids.tolist() == [0, 1, 2, 3, 1]
    assert found.predictions.argmax(1).tolist() == [0, 1, 2, 3, 1]


def test_labels_beyond_int64_are_refused(tokenizer):
    """NumPy takes them as unsigned numbers, which wrap around, or as floating-point ones."""
    for label in (2**63, 2**64, -(2**63) - 1, np.uint64(2**63)):
        with pytest.raises(ValueError, match="CollateText: expected `labels` to be integers within int64"):
            CollateText(tokenizer)([{"text": "a", "label": -1}, {"text": "b", "label": label}])
    for labels in ([2**63 - 1, -(2**63)], np.array([3, 2**63 - 1], np.uint64)):
        found = CollateText(tokenizer)({"text": ["a", "b"], "label": labels})["labels"]
        assert found.tolist() == list(labels)
