"""StreamingDataset: every row exactly once, in one order for any workers and ranks, resumed at every position."""

import json
import pickle
from contextlib import contextmanager
from types import SimpleNamespace

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.cases import each
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops.data import save
from torch_stringops.data.columns import lines
from torch_stringops.data.streams import passes, stepped_dataset, streaming_dataset
from torch_stringops.data.streams.parquet_shard import ParquetShard
from torch_stringops.data.streams.shard import Limits

COUNTS = [5, 0, 9, 1, 17]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    for number, count in enumerate(COUNTS):
        (folder / f"{number}.txt").write_text("".join(f"{number}/{i}\n" for i in range(count)))
    return folder


ROWS = [f"{number}/{i}" for number, count in enumerate(COUNTS) for i in range(count)]


@contextmanager
def worker(number, count, seed=1000):
    """This process as a worker of DataLoader, whose workers have `seed` and the numbers after it."""
    info = SimpleNamespace(id=number, num_workers=count, seed=seed + number)
    with pytest.MonkeyPatch.context() as patch:
        for module in (stepped_dataset, passes):
            patch.setattr(module, "get_worker_info", lambda: info)
        yield


def batches(dataset, workers):
    """The batches in the order of DataLoader: workers take turns, until one of them is exhausted."""
    copies = [pickle.loads(pickle.dumps(dataset)) for _ in range(workers)]
    iterators = []
    for number, copy in enumerate(copies):
        with worker(number, workers):
            iterators.append(list(copy))
    return [
        iterators[i % workers][i // workers]
        for i in range(sum(map(len, iterators)))
        if i // workers < len(iterators[i % workers])
    ]


def ranks(folder, workers, size, state=None, epoch=0, **options):
    """The batches of each rank."""
    found = []
    for rank in range(size):
        dataset = open_stream(str(folder / "*.txt"), rank=rank, world_size=size, **options)
        if state is None:
            dataset.set_epoch(epoch)
        else:
            dataset.load_state_dict(state)
        found.append([batch.tolist() for batch in batches(dataset, workers)])
        assert len(found[-1]) == len(dataset)
    return found


def in_order(found):
    """The rows by step, and by rank within each."""
    steps = max(map(len, found))
    return [row for step in range(steps) for rank in found if step < len(rank) for row in rank[step]]


@each("shuffle", [False, True])
@each("size", [1, 2])
@each("workers", [1, 2, 4])
def test_every_row_once_in_the_same_order(folder, workers, size, shuffle):
    options = {"batch_size": 6 // size, "shuffle": shuffle, "buffer_rows": 10}
    found = ranks(folder, workers, size, **options)
    assert all(len(batch) == 6 // size for rank in found for batch in rank[:-1])
    assert len({len(rank) for rank in found}) == 1
    rows = in_order(found)
    assert sorted(rows) == sorted(ROWS)
    assert (rows == ROWS) == (not shuffle)
    assert rows == in_order(ranks(folder, 1, 1, **{**options, "batch_size": 6}))
    if shuffle:
        assert rows != in_order(ranks(folder, workers, size, epoch=1, **options))
        assert rows != in_order(ranks(folder, workers, size, seed=1, **options))


@pytest.mark.parametrize(("workers", "size"), [(1, 1), (2, 2), (4, 1)])
@pytest.mark.parametrize(("workers_after", "size_after"), [(1, 2), (4, 1)])
def test_resumed_at_every_position_with_other_workers_and_ranks(folder, workers, size, workers_after, size_after):
    options = {"shuffle": True, "buffer_rows": 7, "seed": 3}
    whole = ranks(folder, workers, size, batch_size=2, epoch=5, **options)
    want = in_order(whole)
    dataset = open_stream(str(folder / "*.txt"), batch_size=2, rank=0, world_size=size, **options)
    dataset.set_epoch(5)
    for step in range(len(whole[0])):
        state = json.loads(json.dumps(dataset.state_dict(step)))
        rest = ranks(folder, workers_after, size_after, state, batch_size=3, **options)
        assert in_order([rank[:step] for rank in whole]) + in_order(rest) == want


def test_the_state_of_an_iterator_and_of_workers(folder):
    """As StatefulDataLoader: each worker has a state of its own."""
    dataset = open_stream(str(folder / "*.txt"), batch_size=3, shuffle=True)
    want = [batch.tolist() for batch in dataset]
    assert dataset.state_dict()["epoch"] == 1
    dataset.set_epoch(0)
    iterator = iter(dataset)
    got = [next(iterator).tolist() for _ in range(4)]
    again = open_stream(str(folder / "*.txt"), batch_size=3, shuffle=True)
    again.load_state_dict(dataset.state_dict())
    iterator.close()
    assert got + [batch.tolist() for batch in again] == want
    again.set_epoch(0)
    for taken in range(5):
        parts = []
        for number in range(2):
            with worker(number, 2):
                own, other = (pickle.loads(pickle.dumps(again)) for _ in range(2))
                before = iter(own)
                first = [next(before).tolist() for _ in range((taken + 1 - number) // 2)]
                other.load_state_dict(own.state_dict())
                parts.append(first + [batch.tolist() for batch in other])
        assert [parts[i % 2][i // 2] for i in range(len(want))] == want


def test_an_epoch_that_was_resumed_is_followed_by_a_whole_one(folder):
    dataset = open_stream(str(folder / "*.txt"), batch_size=4)
    dataset.load_state_dict(dataset.state_dict(3))
    dataset.set_epoch(0)
    assert sum(map(len, dataset)) == len(ROWS) - 12
    dataset.set_epoch(1)
    assert sum(map(len, dataset)) == len(ROWS)


def test_incomplete_steps(folder):
    found = ranks(folder, 2, 3, batch_size=10, shuffle=True, even=False)
    assert [[len(batch) for batch in rank] for rank in found] == [[10, 1], [10, 1], [10]]
    found = ranks(folder, 2, 3, batch_size=10, shuffle=True)
    assert [[len(batch) for batch in rank] for rank in found] == [[10, 1]] * 3
    rows = in_order(found)
    assert sorted(rows[:32]) == sorted(ROWS)
    assert rows[32:] == rows[:1]  # the first row of the epoch, on the last rank
    dataset = open_stream(str(folder / "*.txt"), batch_size=10, shuffle=True, rank=0, world_size=3)
    assert dataset.repeated == 1
    found = ranks(folder, 2, 3, batch_size=5, drop_last=True)
    assert [[len(batch) for batch in rank] for rank in found] == [[5, 5]] * 3


def test_real_workers_over_two_epochs(folder):
    dataset = open_stream(str(folder / "*.txt"), batch_size=5, shuffle=True, buffer_rows=9)
    loader = DataLoader(dataset, batch_size=None, num_workers=2, persistent_workers=True)
    for epoch in range(2):
        dataset.set_epoch(epoch)
        rows = [row for batch in loader for row in batch.tolist()]
        assert rows == in_order(ranks(folder, 1, 1, epoch=epoch, batch_size=5, shuffle=True, buffer_rows=9))


def test_mapped_text_and_compressed_text(tmp_path, monkeypatch):
    import gzip

    monkeypatch.setattr(lines, "_SMALL_FILE", 0)
    (tmp_path / "a.txt").write_text("a\nb\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"c\n"))
    assert [batch.tolist() for batch in open_stream(str(tmp_path / "*"), batch_size=2)] == [
        ["a", "b"],
        ["c"],
    ]


def test_tables(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    for kind in ("csv", "parquet", "jsonl", "arrow"):
        for number in range(2):
            path = tmp_path / f"{number}.{kind}"
            rows = [{"text": f"{number}/{i}", "n": i} for i in range(5)]
            table = pa.Table.from_pylist(rows)
            if kind == "csv":
                path.write_text("text,n\n" + "".join(f"{r['text']},{r['n']}\n" for r in rows))
            elif kind == "jsonl":
                path.write_text("".join(json.dumps(r) + "\n" for r in rows))
            elif kind == "parquet":
                pyarrow.parquet.write_table(table, path)
            else:
                with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                    writer.write_table(table)
        dataset = open_stream(str(tmp_path / f"*.{kind}"), batch_size=4, shuffle=True)
        found = [(s, int(n)) for b in dataset for s, n in zip(b["text"].tolist(), b["n"], strict=True)]
        assert sorted(found) == [(f"{number}/{i}", i) for number in range(2) for i in range(5)]
        (only,) = open_stream(tmp_path / f"0.{kind}", batch_size=9, columns=["n"])
        assert torch.equal(only["n"], torch.arange(5))
    save(["a", "b"], tmp_path / "saved.arrow")
    (batch,) = open_stream(tmp_path / "saved.arrow", batch_size=2)
    assert batch["text"].tolist() == ["a", "b"]


def test_bad_arguments_and_files(folder, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a\n")
    with pytest.raises(ValueError, match="`rank` and `world_size` together"):
        open_stream(path, batch_size=1, rank=0)
    with pytest.raises(ValueError, match=r"expected `rank` within \[0, 1\], got 2"):
        open_stream(path, batch_size=1, rank=2, world_size=2)
    with pytest.raises(ValueError, match="expected `batch_size` >= 1"):
        open_stream(path, batch_size=0)
    dataset = open_stream(path, batch_size=1)
    with pytest.raises(ValueError, match="expected a state of 1 files, got 5"):
        dataset.load_state_dict(open_stream(str(folder / "*.txt"), batch_size=1).state_dict())
    path.write_text("a\nb\n")
    with pytest.raises(OSError, match=r"a.txt has changed since the dataset was created: its size"):
        list(dataset)
    (tmp_path / "b.csv").write_text("a\n")
    with pytest.raises(ValueError, match="files of text or files of tables, got both"):
        open_stream(str(tmp_path / "*"), batch_size=1)


def test_workers_that_are_not_forked_know_the_rank(folder, monkeypatch):
    """They get a pickle, and have no torch.distributed of their own."""
    dataset = open_stream(str(folder / "*.txt"), batch_size=100)
    group = SimpleNamespace(
        is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: 1, get_world_size=lambda: 2
    )
    monkeypatch.setattr(stepped_dataset, "dist", group)
    dataset._checked_ranks = True
    want = [batch.tolist() for batch in dataset]
    sent = pickle.dumps(dataset)
    monkeypatch.undo()
    copy = pickle.loads(sent)
    assert [len(batch) for batch in copy] == [len(ROWS)]  # another process, which is not a worker
    with worker(0, 1):
        assert [batch.tolist() for batch in copy] == want
    assert want == [ROWS[len(ROWS) // 2 :]]


@pytest.mark.parametrize("threads", [0, 2])
@pytest.mark.parametrize("part", [1, 7, 33])
def test_parts_of_row_groups(tmp_path, monkeypatch, part, threads):
    """In order, a row group is decoded in parts, of which a rank may need only some."""
    monkeypatch.setattr(streaming_dataset, "_IN_ORDER", Limits(part, 2**30, in_order=True))
    table = pyarrow.table({"n": range(200), "s": [f"row {i}" * (i % 3) for i in range(200)]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=60)
    for ranks in (1, 3):
        seen = []
        for rank in range(ranks):
            options = {"batch_size": 5, "threads": threads, "even": False, "rank": rank, "world_size": ranks}
            dataset = open_stream(tmp_path / "a.parquet", **options)
            for batch in dataset:
                rows = batch["n"].tolist()
                assert batch["s"].tolist() == [f"row {i}" * (i % 3) for i in rows]
                seen += rows
            dataset.load_state_dict({**dataset.state_dict(), "first": 90, "step": 0})
            for _ in range(2):  # a pass that is left and begun again
                iterator = iter(dataset)
                first = 90 + 5 * rank
                assert next(iterator)["n"].tolist() == [*range(first, first + 5)]
                iterator.close()
                dataset.load_state_dict({**dataset.state_dict(), "first": 90, "step": 0})
        assert sorted(seen) == [*range(200)]
        assert ranks > 1 or seen == [*range(200)]


@pytest.mark.parametrize("shuffle", [False, True])
def test_small_row_groups_are_read_together(tmp_path, monkeypatch, shuffle):
    words = pyarrow.array([[str(i)] * (i % 3) for i in range(300)])
    lists = pyarrow.ListArray.from_arrays(words.offsets, words.values.dictionary_encode())
    read: list[int] = []
    before = ParquetShard.read
    monkeypatch.setattr(ParquetShard, "read", lambda shard, block: read.append(block) or before(shard, block))
    for columns, blocks in [({"n": range(300), "s": ["x"] * 300}, 3), ({"n": range(300), "s": lists}, 300)]:
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet", row_group_size=1)
        monkeypatch.setattr(streaming_dataset, "_IN_ORDER", Limits(100, 2**19, in_order=True))
        options = {"shuffle": shuffle, "buffer_rows": 6400} if shuffle else {}
        batches = list(open_stream(tmp_path / "a.parquet", batch_size=7, **options))
        rows = [n for batch in batches for n in batch["n"].tolist()]
        assert sorted(rows) == [*range(300)]
        assert (rows == [*range(300)]) is not shuffle
        assert len(read) == blocks
        read.clear()
