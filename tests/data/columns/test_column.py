"""StringColumn: chunks are indexed like one tensor of all strings, and read in pieces."""

import pickle
import time

import numpy as np
import pyarrow
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from torch.utils.data import DataLoader

from torch_stringops import StringTensor, Vocabulary, as_strings
from torch_stringops.data import ColumnDataset, StringColumn
from torch_stringops.data.columns import chunk_memory, column

WORDS = [f"word {i}" for i in range(23)]
# Empty chunks are first, last and in the middle.
SIZES = [0, 3, 0, 0, 5, 1, 2, 1, 4, 0, 1, 1, 0, 1, 0, 2, 0, 2, 0]


def in_chunks():
    return StringColumn(torch.split(as_strings(WORDS), SIZES))


def apart():
    """The strings of a chunk are not adjacent: the words of "a;b;" without the delimiters."""
    chunks = []
    for words in as_strings(WORDS).split_with_sizes(SIZES):
        lines = as_strings([w + ";" for w in words.tolist()])
        offsets = lines.offsets
        chunks.append(StringTensor(lines.data, torch.stack([offsets[:-1], offsets[1:] - 1], 1)))
    return StringColumn._of_ranges(chunks)


COLUMNS = {
    "adjacent": in_chunks,
    "apart": apart,
    "few": lambda: StringColumn(as_strings(WORDS).chunk(4)),
    "one": lambda: StringColumn([WORDS]),
}


@pytest.fixture(params=COLUMNS)
def strings(request):
    return COLUMNS[request.param]()


INDICES = [
    0, -1, slice(None), slice(2, 9), slice(3, 8), slice(8, 3), slice(None, None, 3), [22, 3, 3, 0], [-1, -23], [],
    torch.tensor([[1, 9], [8, 2]]), torch.tensor([4, 5], dtype=torch.int32), torch.arange(23) % 2 == 0,
    torch.zeros(23, dtype=torch.bool),
]  # fmt: skip


@each("index", INDICES)
def test_a_column_is_indexed_as_one_tensor(strings, index):
    got, want = strings[index], as_strings(WORDS)[index]
    assert isinstance(got, StringTensor)
    assert got.shape == want.shape
    assert got.tolist() == want.tolist()


@given(sizes=st.lists(st.integers(0, 3), max_size=12), data=st.data())
def test_any_chunks_and_any_positions(sizes, data):
    all_of_them = as_strings([str(i) for i in range(sum(sizes))])
    count = sum(sizes)
    at = data.draw(st.lists(st.integers(-count, count - 1), max_size=8)) if count else []
    chunks = torch.split(all_of_them, sizes) if sizes else []
    assert StringColumn(chunks)[at].tolist() == all_of_them[at].tolist()


@each("index", [23, -24, [0, 23], [-24], torch.tensor([23])])
def test_positions_out_of_bounds_are_rejected(strings, index):
    with pytest.raises(IndexError, match="out of bounds for dimension 0 with size 23"):
        strings[index]


def test_iteration_gives_pieces(strings, monkeypatch):
    assert [s for piece in strings for s in piece.tolist()] == WORDS
    monkeypatch.setattr(column, "PIECE_BYTES", 10)
    pieces = list(strings)
    assert len(pieces) > 10
    assert all(isinstance(piece, StringTensor) and len(piece) for piece in pieces)
    assert [s for piece in pieces for s in piece.tolist()] == WORDS
    assert Vocabulary.from_strings(strings).tokens.tolist()[2:] == WORDS
    assert strings.map(StringTensor.upper)[:].tolist() == [w.upper() for w in WORDS]


def test_a_slice_shares_memory_within_a_chunk():
    chunks = in_chunks()
    assert chunks[4:7].data.data_ptr() == chunks.chunks[4].data.data_ptr()


def test_a_pickle_has_equal_strings(strings):
    copy = pickle.loads(pickle.dumps(strings))
    assert copy[:].tolist() == WORDS
    assert copy.shape == (23,)


def test_a_column_of_a_dataset(strings):
    dataset = ColumnDataset(text=strings, n=torch.arange(23))
    batches = list(DataLoader(dataset, batch_size=6))
    assert [s for batch in batches for s in batch["text"].tolist()] == WORDS
    both = ColumnDataset(strings) + ColumnDataset(as_strings(WORDS[:2])) + ColumnDataset(apart())
    assert both.columns[0][:].tolist() == WORDS + WORDS[:2] + WORDS
    assert isinstance(ColumnDataset([as_strings(WORDS)]).columns[0], StringColumn)


def test_a_column_of_arrow_is_not_copied():
    array = pyarrow.array(WORDS)
    made = StringColumn.from_arrow(pyarrow.chunked_array([array, array[:2]]))
    assert made[:].tolist() == WORDS + WORDS[:2]
    assert made.chunks[0].data.data_ptr() == made.chunks[1].data.data_ptr() == array.buffers()[2].address
    assert StringColumn.from_arrow(array)[:].tolist() == WORDS


def test_an_empty_column():
    assert len(StringColumn()) == 0
    assert StringColumn()[:].shape == (0,)
    assert list(StringColumn()) == []
    assert repr(in_chunks()) == "StringColumn(23 strings in 19 chunks)"


@pytest.mark.parametrize(
    ("chunks", "kind", "text"),
    [
        (as_strings(["a"]), TypeError, "expected a list of chunks, got one tensor of strings"),
        ([as_strings(["a"]), as_strings("a")], ValueError, r"of rank 1, got shape \[\] at position 1"),
        ([[["a"]]], ValueError, r"expected chunks of rank 1, got shape \[1, 1\] at position 0"),
        (
            [pyarrow.array([["a"]])],
            TypeError,
            r"StringColumn: `chunks\[0\]`: expected strings, got a column of lists",
        ),
        ([3], TypeError, r"expected `chunks\[0\]` to be a StringTensor"),
    ],
)
def test_bad_chunks_are_rejected(chunks, kind, text):
    with pytest.raises(kind, match=text):
        StringColumn(chunks)


@pytest.mark.parametrize("chunks", [4, 200])
def test_a_batch_takes_about_as_long_as_from_one_tensor(chunks):
    whole = as_strings([str(i) for i in range(40_000)])
    parts = StringColumn([as_strings(chunk.tolist()) for chunk in whole.chunk(chunks)])
    at = torch.randint(0, 40_000, (64,))

    def seconds(strings):
        times = []
        for _ in range(200):
            start = time.perf_counter()
            strings[at]
            times.append(time.perf_counter() - start)
        return sorted(times)[100]

    assert parts[at].tolist() == whole[at].tolist()
    assert seconds(parts) < 3 * seconds(whole)


def move(tensor):
    tensor.share_memory_()


def reallocate(tensor):
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    storage.resize_(2 * size)
    storage.resize_(size)


@pytest.mark.parametrize("change", [move, reallocate])
@pytest.mark.parametrize("name", ["data", "offsets"])
def test_the_memory_of_a_chunk_may_move(change, name):
    parts = [as_strings([f"{i} {k}" * 50 for k in range(1000)]) for i in range(3)]
    column = StringColumn(parts)
    want = column[[0, 1500, 2999]].tolist()
    for part in parts:
        change(getattr(part, name))
    assert column[[0, 1500, 2999]].tolist() == want
    parts[1].data.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="the storage was resized"):
        column[[0, 1500]]


def test_chunks_whose_memory_is_not_read_by_address(monkeypatch):
    at = [22, -23, 5]
    want = [WORDS[i] for i in at]
    apart_in_memory = torch.stack([as_strings(["a", "b"]).offsets] * 2, 1)[:, 0]
    strided = StringTensor(as_strings(["a", "b"]).data, apart_in_memory)
    assert StringColumn([WORDS, strided])[[23, -1]].tolist() == ["a", "b"]
    monkeypatch.setattr(chunk_memory, "pointer_position", lambda: None)
    assert in_chunks()[at].tolist() == want
    with pytest.raises(IndexError, match="index 23 is out of bounds"):
        in_chunks()[[0, 23]]
    monkeypatch.undo()
    assert chunk_memory.pointer_position() is not None
    monkeypatch.setattr(column, "_MANY_STRINGS", 2)
    assert in_chunks()[at].tolist() == want


def test_a_batch_beyond_the_limit_of_a_tensor():
    data = torch.from_numpy(np.zeros(2**30, dtype=np.uint8))
    large = StringTensor(data, torch.tensor([0, 2**30], dtype=torch.int32))
    with pytest.raises(ValueError, match=r"the result needs at least 2147483649 bytes"):
        StringColumn([["a"], large])[[1, 0, 1]]
