"""Batches that workers of DataLoader send: those that the dataset gives, whatever reads them before."""

import pytest
import torch
from torch.utils.data import DataLoader, Subset, default_collate

from torch_stringops import StringTensor
from torch_stringops.data import ColumnDataset, StringColumn

ORDER = torch.randperm(40, generator=torch.Generator().manual_seed(0)).tolist()


def read_in_worker(batch):
    """A collate function that reads the batch before it is sent."""
    rows = default_collate(batch)
    assert all(isinstance(rows[name], StringTensor) for name in ("text", "column", "table"))
    return {**rows, "upper": rows["text"].upper()}


@pytest.mark.parametrize("collate", [None, default_collate, read_in_worker])
@pytest.mark.parametrize("workers", [1, 2])
def test_batches_of_workers_are_those_of_the_process(workers, collate):
    text = StringTensor.from_list([f"row {i} é" for i in range(40)])
    columns = {
        "text": text,
        "column": StringColumn([text[:7], text[7:]]),
        "table": text.reshape(20, 2).repeat(2, 1),
        "row": torch.arange(40),
    }
    for dataset in (ColumnDataset(**columns), Subset(ColumnDataset(**columns), ORDER)):
        one, two = (
            list(DataLoader(dataset, 8, sampler=ORDER, num_workers=n, collate_fn=collate)) for n in (0, workers)
        )
        assert len(one) == len(two) == 5
        for a, b in zip(one, two, strict=True):
            assert a.keys() == b.keys()
            for name in a:
                assert type(a[name]) is type(b[name])
                assert torch.equal(a[name], b[name]), name


def test_a_column_that_was_replaced_is_not_read_again():
    dataset = ColumnDataset(StringTensor.from_list(["a", "b"]))
    assert dataset._rows([1])[0].tolist() == ["b"]
    dataset.columns[0] = StringTensor.from_list(["c", "d"])
    assert dataset._rows([-1])[0].tolist() == ["d"]


def test_positions_that_are_not_ints_are_rows_too():
    dataset = ColumnDataset(StringTensor.from_list(["a", "b"]), torch.tensor([3, 4]))
    for indices in ([True, False], torch.tensor([0]), (0,)):
        strings, numbers = dataset._rows(indices)
        assert (strings.tolist(), numbers.tolist()) == (["a"], [3])


def test_memory_that_moved_is_read_at_its_new_address():
    text = StringTensor.from_list(["a", "b"])
    dataset = ColumnDataset(text)
    for _ in range(2):
        (batch,) = dataset._rows([1])
        assert batch.tolist() == ["b"]
        text.share_memory_()


def test_a_position_out_of_bounds_in_a_worker():
    dataset = ColumnDataset(StringTensor.from_list(["a", "b"]))
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        list(DataLoader(dataset, 2, sampler=[0, 5], num_workers=1))
