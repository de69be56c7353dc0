"""The order of a shuffle: rows of all files are mixed, in memory that is bounded."""

import gzip

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from support.streams import open_stream

from torch_stringops.data.streams.row_order import RowOrder, Shuffle
from torch_stringops.data.streams.steps import Steps


def rows_of(dataset):
    return [row.split() for batch in dataset for row in batch.tolist()]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Ten files of one label each."""
    folder = tmp_path_factory.mktemp("labelled")
    for label in range(10):
        text = "".join(f"{label} {label * 20_000 + i}\n" for i in range(20_000))
        (folder / f"{label}.txt").write_text(text)
        (folder / f"{label}.txt.gz").write_bytes(gzip.compress(text.encode(), 1))
    return folder


@pytest.mark.parametrize("kind", ["*.txt", "*.gz"])
@pytest.mark.parametrize("buffer_rows", [2_000, 20_000])
def test_labels_of_a_batch(labelled, buffer_rows, kind):
    dataset = open_stream(str(labelled / kind), batch_size=100, shuffle=True, buffer_rows=buffer_rows)
    rows = rows_of(dataset)
    labels = [len({label for label, _ in rows[at : at + 100]}) for at in range(0, len(rows), 100)]
    assert np.mean(labels) >= 9.9  # of 10; 9.9997 if all rows were permuted
    order = np.array([int(number) for _, number in rows])
    assert np.array_equal(np.sort(order), np.arange(200_000))
    if kind == "*.gz":
        return  # rows of a file that is read from its beginning stay about where they were
    assert abs(np.corrcoef(order, np.arange(200_000))[0, 1]) < 0.05
    # Rows that were close are not: few of them follow each other.
    assert np.mean(np.abs(np.diff(order)) < 16) < 0.05


def test_the_buffer_is_bounded():
    rows = np.full(1000, 10)
    sizes = np.random.default_rng(0).integers(1, 500, 1000)
    for buffer_rows, buffer_bytes in [(200, 10**9), (10**9, 5000), (200, 5000), (5, 10**9), (10**9, 10**9)]:
        order = RowOrder(rows, sizes, np.zeros(1000, int), [False], Shuffle(0, buffer_rows, buffer_bytes), 0)
        assert np.array_equal(np.sort(order.blocks), np.arange(1000))
        counts = np.diff(order.starts)
        assert counts.sum() == order.size == 10_000
        for window, count in enumerate(counts):
            blocks = order.blocks_of(window)
            assert rows[blocks].sum() == count
            assert len(blocks) == 1 or (count <= buffer_rows and sizes[blocks].sum() <= buffer_bytes)
            assert np.array_equal(np.sort(order.rows_of(window)), np.arange(count))
        assert len(counts) == 1 or counts[-1] >= counts[-2] / 4


def test_blocks_of_files_that_are_read_in_order():
    draw = np.random.default_rng(1)
    lengths = draw.integers(0, 9, 50)
    files = np.repeat(np.arange(50), lengths)
    in_order = [bool(draw.integers(2)) for _ in lengths]
    order = RowOrder(np.ones(len(files), int), np.ones(len(files), int), files, in_order, Shuffle(3, 10, 10), 1)
    assert np.array_equal(np.sort(order.blocks), np.arange(len(files)))
    open_files, opened = set(), 0
    for file in np.flatnonzero(in_order):
        places = np.flatnonzero(files[order.blocks] == file)
        assert (np.diff(order.blocks[places]) == 1).all()
    for block in order.blocks:
        file = files[block]
        if in_order[file]:
            open_files.add(file)
            opened = max(opened, len(open_files))
            if block + 1 == len(files) or files[block + 1] != file:
                open_files.remove(file)
    assert 8 < opened <= 16


@pytest.mark.parametrize("last", ["even", "drop", "once"])
def test_steps_of_ranks(last):
    for rows in (0, 1, 3, 41, 64):
        for first in (0, 1, 40):
            for size in (1, 2, 4, 5):
                for batch_size in (1, 3, 8, 100):
                    ranks = [Steps(rows, first, batch_size, r, size, last) for r in range(size)]
                    found = [[s.of(i) for i in range(len(s))] for s in ranks]
                    sizes = [[sum(e - b for b, e in batch) for batch in batches] for batches in found]
                    taken = [i for batches in found for batch in batches for b, e in batch for i in range(b, e)]
                    assert all(0 < n <= batch_size for batches in sizes for n in batches)
                    assert all(0 <= i < rows for i in taken)
                    left = list(range(first, rows))
                    if last == "once":
                        assert sorted(taken) == left
                    elif last == "drop":
                        assert sorted(taken) == left[: len(left) // (batch_size * size) * batch_size * size]
                    if last != "once":
                        assert all(s == sizes[0] for s in sizes)
                    if last == "even":
                        assert set(left) <= set(taken)
                        assert len(taken) == len(left) + ranks[0].repeated
                        assert ranks[0].repeated < size


def test_uneven_ranks_take_as_many_steps(tmp_path):
    """41 rows on 4 ranks would be 2, 1, 1 and 1 batches: a rank would wait for the others for ever."""
    (tmp_path / "a.txt").write_text("".join(f"{i} {i}\n" for i in range(41)))
    found = []
    for rank in range(4):
        dataset = open_stream(tmp_path / "a.txt", batch_size=10, shuffle=True, rank=rank, world_size=4)
        assert dataset.repeated == 3
        found.append([len(batch) for batch in dataset])
    assert found == [[10, 1]] * 4


def test_an_order_is_kept(tmp_path):
    """Positions that were saved stay valid: the order for a seed does not change with versions."""
    for name, count in (("a", 6), ("b", 9)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name}{i}\n" for i in range(count)))
    dataset = open_stream(str(tmp_path / "*.txt"), batch_size=100, shuffle=True, seed=7, buffer_rows=8)
    assert [" ".join(batch.tolist()) for _ in range(2) for batch in dataset] == ORDER


ORDER = [
    "b0 b2 a1 b4 a3 a0 b7 b5 b3 a4 b8 b1 b6 a2 a5",
    "b8 b0 b2 b1 b5 a1 a0 a4 b4 a3 b6 a5 b7 b3 a2",
]


@pytest.mark.parametrize("shuffle", [False, True])
def test_small_batches_share_about_a_megabyte(tmp_path, shuffle):
    """They are slices of the rows of several, with offsets from 0 and no other bytes, also of numbers and lists."""
    texts = [f"{row} " + "x" * 200 for row in range(20_000)]
    lists = [[row] * (row % 3) for row in range(20_000)]
    table = pyarrow.table({"text": texts, "n": range(20_000), "list": lists})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=1000)
    (tmp_path / "a.txt").write_text("\n".join(texts))
    rows = []
    for batch in open_stream(tmp_path / "a.txt", batch_size=7, shuffle=shuffle):
        assert batch.offsets[[0, -1]].tolist() == [0, batch.data.numel()]
        assert batch.data.untyped_storage().nbytes() < 2**21
        rows += batch.tolist()
    assert rows == texts if not shuffle else sorted(rows) == sorted(texts)
    numbers = []
    for rank in range(2):
        for batch in open_stream(tmp_path / "a.parquet", batch_size=7, shuffle=shuffle, rank=rank, world_size=2):
            of_batch = batch["n"].tolist()
            values, row_splits = batch["list"]
            assert batch["text"].tolist() == [texts[number] for number in of_batch]
            assert [part.tolist() for part in values.tensor_split(row_splits[1:-1])] == [lists[n] for n in of_batch]
            numbers += of_batch
    assert sorted(numbers) == list(range(20_000))
