"""Batches of ColumnDataset for functions other than default_collate: lists of samples, as of any map-style dataset."""

import copy
import inspect
import operator
import pickle

import pytest
import torch
from support.cases import each
from torch.utils.data import DataLoader, Dataset, StackDataset, Subset, default_collate

import torch_stringops.data
from torch_stringops import StringTensor
from torch_stringops.data import ColumnDataset, collate_strings
from torch_stringops.data.batches.samples import Samples

TEXT = StringTensor.from_list([f"row {i} é" for i in range(20)])
COLUMNS = {"text": TEXT, "table": TEXT.reshape(10, 2).repeat(2, 1), "label": torch.arange(20)}
ORDER = [3, 17, 0, 5]


class OneByOne(Dataset):
    """The same samples from a dataset of torch, without batches."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, i):
        return self.dataset[i]


DATASETS = {"named": ColumnDataset(**COLUMNS), "tuples": ColumnDataset(*COLUMNS.values())}


def samples_of(kind):
    return DATASETS[kind].__getitems__(list(ORDER))


def plain_of(kind):
    return [DATASETS[kind][i] for i in ORDER]


def text_of(value):
    """Tensors have no truth, so that samples are compared as text."""
    return repr(value)


def first_then_all(batch):
    """The steps of transformers.default_data_collator, and types."""
    first = batch[0]
    keys = list(first) if isinstance(first, dict) else range(len(first))
    return (
        {k: [sample[k] for sample in batch] for k in keys},
        isinstance(batch, list),
        isinstance(first, (dict, tuple)),
    )


COLLATES = {
    "list": list,
    "identity": lambda batch: batch,
    "first_then_all": first_then_all,
    "zip": lambda batch: list(zip(*batch, strict=True)),
    "middle": lambda batch: (batch[-1], batch[1:3], len(batch), batch[0]),
    "pop": lambda batch: (batch.pop(), batch),
    "sorted": lambda batch: sorted(batch, key=repr),
    "concatenated": lambda batch: [operator.add(batch, [1]), operator.add([1], batch), [*batch, 1]],
    "pickled": lambda batch: pickle.loads(pickle.dumps(batch)),
    "first pickled": lambda batch: pickle.loads(pickle.dumps(batch[0])),
    "first copied": lambda batch: [copy.copy(batch[0]), copy.deepcopy(batch[0])],
    "deepcopy": copy.deepcopy,
    "of a list": lambda batch: default_collate(list(batch)),
    "of some": lambda batch: default_collate(batch[:2]),
    "of the first": lambda batch: default_collate([batch[0], batch[0]]),
    "collate_strings of a list": lambda batch: collate_strings([*batch]),
    "after a change": lambda batch: batch.reverse() or default_collate(batch),
}


@each("kind", DATASETS)
@each("collate", COLLATES)
def test_other_functions_get_what_they_get_of_any_dataset(kind, collate):
    for dataset, plain in (
        (DATASETS[kind], OneByOne(DATASETS[kind])),
        (Subset(DATASETS[kind], ORDER[::-1] * 5), Subset(OneByOne(DATASETS[kind]), ORDER[::-1] * 5)),
    ):
        got, want = (list(DataLoader(d, 3, sampler=ORDER, collate_fn=COLLATES[collate])) for d in (dataset, plain))
        assert text_of(got) == text_of(want)


@pytest.mark.parametrize("kind", DATASETS)
def test_workers_send_lists_of_samples(kind):
    loader = DataLoader(DATASETS[kind], 2, sampler=ORDER, num_workers=1, collate_fn=COLLATES["identity"])
    assert [type(batch) for batch in loader] == [list, list]
    assert text_of([sample for batch in loader for sample in batch]) == text_of(plain_of(kind))


@pytest.mark.parametrize("kind", DATASETS)
def test_the_first_sample_does_not_create_the_others(kind, monkeypatch):
    dataset = copy.copy(DATASETS[kind])
    rows = []
    monkeypatch.setattr(ColumnDataset, "__getitem__", lambda self, i: rows.append(i) or get(self, i))
    samples = Samples(dataset, ORDER)
    assert len(samples) == 4
    assert rows == []
    assert text_of(samples[0]) == text_of(plain_of(kind)[0])
    assert rows[:1] == [3]
    assert len(rows) == 1 + 4  # and those of `plain_of`
    assert type(samples[1]) in (dict, tuple)
    assert isinstance(samples[0], (dict, tuple))


get = ColumnDataset.__getitem__


@each("kind", DATASETS)
@each("name", [n for n in dir(list) if callable(getattr(list, n))])
def test_every_method_of_list(kind, name):
    """Each method that could see the positions in place of the samples does not."""
    inherited = {
        *("__class__", "__class_getitem__", "__delattr__", "__dir__", "__doc__", "__format__", "__getattribute__"),
        *("__getstate__", "__hash__", "__init__", "__init_subclass__", "__len__", "__new__", "__reduce__"),
        *("__setattr__", "__sizeof__", "__str__", "__subclasshook__"),
    }  # fmt: skip
    if name in inherited:
        return
    assert inspect.getattr_static(Samples, name) is not inspect.getattr_static(list, name)
    arguments = {
        1: [(), (0,), (2,), ([],)],
        2: [(0, "x")],
    }
    for given in [*arguments[1], *arguments[2], (slice(1, 3),), (slice(1, 3), ["x"])]:
        results = []
        for samples in (samples_of(kind), plain_of(kind)):
            try:
                found = getattr(samples, name)(*given)
                found = list(found) if name in ("__iter__", "__reversed__") else found
            except Exception as error:  # the same one
                found = type(error)
            results.append(text_of((found, list(samples))) if name != "__reduce_ex__" else None)
        assert results[0] == results[1], given


def test_datasets_of_torch_take_the_samples():
    stacked = StackDataset(a=DATASETS["named"], b=DATASETS["tuples"])
    batch = next(iter(DataLoader(stacked, 2)))
    assert batch["a"]["text"].tolist() == TEXT[:2].tolist()
    assert batch["b"][2].tolist() == [0, 1]


def test_positions_of_other_types():
    for positions in (tuple(ORDER), torch.tensor(ORDER), range(3)):
        samples = DATASETS["named"].__getitems__(positions)
        assert text_of(default_collate(samples)) == text_of(default_collate(list(samples)))


def test_a_dataset_that_changes_its_rows():
    class Doubled(ColumnDataset):
        def __getitem__(self, i):
            return {name: column * 2 for name, column in super().__getitem__(i).items()}

    for workers in (0, 1):
        batch = next(iter(DataLoader(Doubled(text=TEXT, label=torch.arange(20)), 2, num_workers=workers)))
        assert batch["text"].tolist() == [2 * s for s in TEXT[:2].tolist()]
        assert batch["label"].tolist() == [0, 2]


def test_changes_of_the_first_sample_are_kept():
    samples = samples_of("named")
    samples[0]["label"] = 99
    assert samples[0]["label"] == 99
    assert next(sample["label"] for sample in samples) == 99


@pytest.mark.parametrize("workers", [0, 1])
def test_a_dataset_whose_samples_are_of_another_type(workers):
    class Labels(ColumnDataset):
        def __getitem__(self, i):
            return super().__getitem__(i)["label"]

    dataset = Labels(text=TEXT, label=torch.arange(20))
    assert next(iter(DataLoader(dataset, 2, num_workers=workers))).tolist() == [0, 1]
    loader = DataLoader(dataset, 2, num_workers=workers, collate_fn=lambda batch: int(batch[0]) + int(batch[1]))
    assert next(iter(loader)) == 1


def test_code_that_reads_the_memory_of_the_list_sees_no_positions():
    assert torch.utils._pytree.tree_leaves(tuple(list.__iter__(samples_of("named")))) == [None] * 4


def test_no_batches_without_samples():
    with pytest.raises(IndexError):
        default_collate(DATASETS["named"].__getitems__([]))
    assert operator.eq(list(DATASETS["named"].__getitems__([])), [])


def test_no_private_frames():
    """What default_collate returns depends on its arguments alone."""
    for module in (torch_stringops.data.batches.column_dataset, torch_stringops.data.batches.samples):
        source = inspect.getsource(module)
        assert "_getframe" not in source
        assert "currentframe" not in source


@pytest.mark.check
def test_trainer_of_hugging_face(tmp_path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    vocabulary = {c: i for i, c in enumerate(["[PAD]", "[UNK]", *"row 0123456789é"])}
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = transformers.BertConfig(vocab_size=len(vocabulary), max_position_embeddings=16, **sizes)
    seen = []

    def collate(samples):
        assert isinstance(samples, list)
        texts = [sample["text"].item() for sample in samples]
        seen.extend(texts)
        ids = [[vocabulary.get(c, 1) for c in text] for text in texts]
        rows = [{"input_ids": row} for row in ids]
        longest = max(map(len, ids))
        padded = torch.tensor([row["input_ids"] + [0] * (longest - len(row["input_ids"])) for row in rows])
        return {"input_ids": padded, "labels": torch.stack([sample["label"] for sample in samples])}

    dataset = ColumnDataset(text=TEXT, label=torch.arange(20) % 2, weight=torch.rand(20))
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        per_device_train_batch_size=5,
        max_steps=4,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        remove_unused_columns=False,
        disable_tqdm=True,
    )
    model = transformers.BertForSequenceClassification(config)
    transformers.Trainer(model, arguments, train_dataset=dataset, data_collator=collate).train()
    assert sorted(seen)[:20] == sorted(TEXT.tolist())
    numbers = ColumnDataset(input_ids=torch.ones(20, 3, dtype=torch.int64), label=torch.arange(20) % 2)
    batch = transformers.default_data_collator(numbers.__getitems__([0, 3]))
    assert batch["labels"].tolist() == [0, 1]
    assert batch["input_ids"].shape == (2, 3)
