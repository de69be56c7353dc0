"""Columns in chunks: a ColumnDataset of a list of tensors gives the same rows as one of a single tensor."""

import time

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from torch.utils.data import ConcatDataset, DataLoader

from torch_stringops import StringTensor, as_strings
from torch_stringops.data import ColumnDataset

WORDS = [f"word {i}" for i in range(11)]
# Empty chunks first, last and in the middle.
SIZES = [0, 3, 0, 0, 5, 1, 2, 0]


def chunked(column):
    return list(torch.split(column, SIZES))


@pytest.fixture(params=["strings", "rows of strings", "numbers"])
def column(request):
    s = as_strings(WORDS)
    return {"strings": s, "rows of strings": torch.stack([s, s], 1), "numbers": torch.arange(11)}[request.param]


def rows(column, index):
    return ColumnDataset(column)[index][0].tolist()


INDICES = [
    0, -1, 10, slice(None), slice(2, 9), slice(3, 8), slice(8, 3), slice(-100, 100), slice(None, None, 3),
    slice(8, 3, 2), slice(0, 0), [3, 3, 0, 10], [-1, -11], [], torch.tensor([[1, 9], [8, 2]]),
    torch.tensor([4, 5], dtype=torch.int32), torch.arange(11) % 2 == 0, torch.zeros(11, dtype=torch.bool),
    torch.tensor(7),
]  # fmt: skip


@each("index", INDICES)
def test_chunks_are_indexed_as_one_tensor(column, index):
    if isinstance(index, torch.Tensor) and index.dim() == 2 and isinstance(column, StringTensor):
        assert rows(chunked(column), index) == column[index.flatten()].reshape(2, 2, *column.shape[1:]).tolist()
    assert rows(chunked(column), index) == rows(column, index)


@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=6), data=st.data())
def test_any_chunks_and_any_positions(sizes, data):
    column = as_strings([str(i) for i in range(sum(sizes))])
    at = data.draw(st.lists(st.integers(-sum(sizes), sum(sizes) - 1), max_size=8) if sum(sizes) else st.just([]))
    assert rows(list(torch.split(column, sizes)), at) == column[at].tolist()


@each("index", [11, -12, [0, 11], [-12], torch.tensor([11])])
def test_positions_out_of_bounds_are_rejected_as_for_one_tensor(column, index):
    with pytest.raises(IndexError, match="out of bounds for dimension 0 with size 11"):
        rows(chunked(column), index)


def test_a_negative_step_is_rejected_as_for_one_tensor(column):
    for whole in (column, chunked(column)):
        with pytest.raises(ValueError, match="step must be greater than zero"):
            rows(whole, slice(None, None, -1))


@pytest.mark.parametrize("index", [None, ..., True], ids=str)
def test_other_indices_are_type_errors(index):
    with pytest.raises(TypeError, match=r"expected an int, a slice, ints in a list or a tensor, or a mask, got "):
        rows(chunked(as_strings(WORDS)), index)


def test_a_mask_of_another_length_is_rejected(column):
    with pytest.raises(IndexError, match=r"(expected a mask of shape \[11\], got shape|The shape of the mask) \[3\]"):
        rows(chunked(column), torch.ones(3, dtype=torch.bool))


def test_a_slice_within_one_chunk_shares_its_memory():
    chunks = chunked(as_strings(WORDS))
    part = ColumnDataset(chunks)[4:7][0]
    assert part.data.data_ptr() == chunks[4].data.data_ptr()


def test_chunks_may_exceed_the_limit_of_one_tensor_together():
    # Two chunks over the same 1.5 GB: together more than 2**31 - 1 bytes.
    data = torch.zeros(1_500_000_000, dtype=torch.uint8)
    chunk = StringTensor(data, torch.tensor([0, 3, data.numel()], dtype=torch.int32))
    batch = ColumnDataset([chunk, chunk])[[0, 2]][0]
    assert batch.tolist() == ["\0\0\0"] * 2


def test_added_datasets_are_one_dataset_of_chunks():
    s = as_strings(WORDS)
    a = ColumnDataset(text=s[:4], label=torch.arange(4))
    b = ColumnDataset(label=torch.arange(4, 11), text=s[4:])
    both = a + b
    assert isinstance(both, ColumnDataset)
    batches = list(DataLoader(both + a, batch_size=6, num_workers=0))
    assert [t for batch in batches for t in batch["text"].tolist()] == WORDS + WORDS[:4]
    assert [n for batch in batches for n in batch["label"].tolist()] == [*range(11), *range(4)]


def test_other_datasets_are_concatenated_as_by_torch():
    a = ColumnDataset(text=as_strings(WORDS))
    assert isinstance(a + ColumnDataset(other=as_strings(WORDS)), ConcatDataset)


def test_columns_of_all_kinds_of_strings():
    dataset = ColumnDataset(text=["a", "b"], label=torch.arange(2))
    assert dataset[[1]]["text"].tolist() == ["b"]


ERRORS = [
    (
        [as_strings(["a"]), torch.arange(2)],
        TypeError,
        "expected `chunks[1]` to be a StringTensor, or strings in a list",
    ),
    ([torch.arange(2), as_strings(["a"])], TypeError, "expected StringTensors, got Tensor at position 0"),
    ([as_strings(["a"]), as_strings([["a"]])], ValueError, "expected chunks of rank 1, got shape [1, 1] at position 1"),
    ([as_strings("a")], ValueError, "zero-dimensional tensor (at position 0) cannot be concatenated"),
    (
        7,
        TypeError,
        "expected `values` to be a StringTensor, or strings in a list, a NumPy array or an Arrow column, got int",
    ),
]


@pytest.mark.parametrize(("column", "kind", "text"), ERRORS, ids=[e[2] for e in ERRORS])
def test_bad_columns_are_rejected_by_name(column, kind, text):
    with pytest.raises(kind) as caught:
        ColumnDataset(text=column)
    assert str(caught.value).startswith("ColumnDataset: column 'text': ")
    assert text in str(caught.value)


def test_a_batch_is_gathered_by_chunk_not_by_string():
    chunks = as_strings([str(i) for i in range(4000)]).chunk(4)
    both = ColumnDataset(list(chunks))
    apart = ConcatDataset([ColumnDataset(chunk) for chunk in chunks])

    def seconds(dataset):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            for _ in DataLoader(dataset, batch_size=1000):
                pass
            times.append(time.perf_counter() - start)
        return sorted(times)[2]

    seconds(both)
    assert 5 * seconds(both) < seconds(apart)
