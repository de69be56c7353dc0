"""StreamingDataset with threads: the same batches in order, errors with their place, and no thread that is left."""

import gc
import signal
import subprocess
import sys
import threading
import time

import pyarrow
import pyarrow.parquet
import pytest
import torch
from support.streams import open_stream

from torch_stringops.data.streams import streaming_dataset
from torch_stringops.data.streams.parquet_shard import ParquetShard
from torch_stringops.data.streams.shard import Limits


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    for number in range(6):
        (folder / f"{number}.txt").write_text("".join(f"{number}/{i}\n" for i in range(700)))
    return folder


def dataset_of(folder, **options):
    return open_stream(str(folder / "*.txt"), **{"batch_size": 16, "shuffle": True, "buffer_rows": 500, **options})


def no_threads_left():
    deadline = time.monotonic() + 10
    while any(t.name.startswith("stringops-data") for t in threading.enumerate()):
        assert time.monotonic() < deadline, threading.enumerate()
        time.sleep(0.01)
    return True


@pytest.mark.parametrize(("threads", "prefetch"), [(1, 1), (2, 3), (4, 8), (7, 50)])
def test_the_same_batches_in_order(folder, threads, prefetch):
    want = [batch.upper().tolist() for batch in dataset_of(folder)]
    dataset = dataset_of(folder, transform=lambda s: s.upper(), threads=threads, prefetch=prefetch)
    iterator = iter(dataset)
    for step, batch in enumerate(want):
        assert next(iterator).tolist() == batch
        state = dataset.state_dict()  # not of what threads have made ahead
        assert (state["epoch"], state["step"]) == ((0, step + 1) if step + 1 < len(want) else (1, 0))
    assert next(iterator, None) is None
    assert no_threads_left()


def test_several_threads_make_batches_at_the_same_time(folder):
    together = threading.Barrier(3, timeout=30)

    def transform(batch):
        together.wait()  # passes only if three threads are here
        return batch

    dataset = dataset_of(folder, batch_size=100, transform=transform, threads=3)
    assert len(dataset) % 3 == 0
    assert sum(map(len, dataset)) == 4200


def test_at_most_prefetch_batches_are_ahead(folder):
    made = []
    dataset = dataset_of(folder, transform=lambda s: made.append(1), threads=2, prefetch=5)
    iterator = iter(dataset)
    for step in range(1, 20):
        next(iterator)
        time.sleep(0.01)
        assert len(made) <= step + 5
    iterator.close()
    assert no_threads_left()


@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("shuffle", [False, True])
def test_errors_have_the_file_and_the_row(folder, threads, shuffle):
    def transform(batch):
        if "3/77" in batch.tolist():
            raise KeyError("of the transform")
        return batch

    dataset = dataset_of(folder, shuffle=shuffle, transform=transform, threads=threads)
    got = []
    with pytest.raises(KeyError, match="of the transform") as caught:
        got.extend(dataset)
    failed = [step for step, batch in enumerate(dataset_of(folder, shuffle=shuffle)) if "3/77" in batch.tolist()]
    assert len(got) == failed[0]
    first = list(dataset_of(folder, shuffle=shuffle))[failed[0]][0].item()
    file, row = first.split("/")
    if sys.version_info >= (3, 11):
        (note,) = caught.value.__notes__
        assert note.startswith("StreamingDataset: in `transform`, of the batch from ")
        assert note.endswith(f"{file}.txt, row {int(row) + 1}")
    assert no_threads_left()
    # The position is that of the last batch that was returned.
    resumed = dataset_of(folder, shuffle=shuffle)
    resumed.load_state_dict(dataset.state_dict())
    assert next(iter(resumed))[0].item() == first


def test_reading_fails_in_its_place(folder, tmp_path):
    for path in folder.glob("*.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    dataset = open_stream(str(tmp_path / "*.txt"), batch_size=70, threads=2)
    (tmp_path / "4.txt").write_bytes(b"shorter\n")
    got = []
    with pytest.raises(OSError, match=r"4\.txt has changed since the dataset was created"):
        got.extend(dataset)
    assert len(got) == 40
    assert no_threads_left()


def test_iterators_that_are_left_end_their_threads(folder):
    for leave in ("close", "delete", "break"):
        dataset = dataset_of(folder, threads=3)
        iterator = iter(dataset)
        next(iterator)
        if leave == "close":
            iterator.close()
        elif leave == "delete":
            del iterator
            gc.collect()
        else:
            iterator.close()
            for _ in dataset:
                break
            gc.collect()
        assert no_threads_left()


PROGRAM = """
import sys, threading, time
from torch_stringops.data import StreamingDataset
dataset = StreamingDataset(sys.argv[1], batch_size=1, threads=2, transform=lambda s: time.sleep(0.5))
print("ready", flush=True)
try:
    for _ in dataset:
        pass
except KeyboardInterrupt:
    print("left", [t.name for t in threading.enumerate()], flush=True)
"""


def test_ctrl_c_leaves_no_thread(folder):
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder / "*.txt")], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, _ = child.communicate(timeout=60)
    assert out == "left ['MainThread']\n"
    assert child.returncode == 0
    assert time.monotonic() - start < 20


def test_batches_are_copied_to_a_device(folder):
    (batch, *_) = dataset_of(folder, device="cpu", transform=lambda s: {"text": s, "n": (torch.ones(2), 3)})
    assert batch["text"].device.type == "cpu"
    assert batch["n"][1] == 3
    (batch, *_) = dataset_of(folder, device="meta", threads=2, transform=lambda s: [s.length()])
    assert batch[0].device.type == "meta"
    with pytest.raises(TypeError, match="StreamingDataset: expected `transform` to be callable, got int"):
        dataset_of(folder, transform=3)


@pytest.mark.parametrize("threads", [0, 3])
def test_ranks_read_only_the_blocks_of_their_rows(tmp_path, monkeypatch, threads):
    table = pyarrow.table({"n": range(200)})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=10)
    monkeypatch.setattr(streaming_dataset, "_IN_ORDER", Limits(10, 2**19, in_order=True))
    read: list[int] = []
    before = ParquetShard.read
    monkeypatch.setattr(ParquetShard, "read", lambda shard, block: read.append(block) or before(shard, block))
    for rank in range(4):
        read.clear()
        dataset = open_stream(tmp_path / "a.parquet", batch_size=10, threads=threads, rank=rank, world_size=4)
        found = [n for batch in dataset for n in batch["n"].tolist()]
        assert found == [n for n in range(200) if n // 10 % 4 == rank]
        assert sorted(read) == list(range(rank, 20, 4))
    read.clear()
    dataset = open_stream(tmp_path / "a.parquet", batch_size=7, threads=threads, rank=2, world_size=3)
    assert sum(len(batch["n"]) for batch in dataset) == 67  # the first row follows the last one
    assert sorted(set(read)) == sorted(
        {n // 10 for first in range(14, 200, 21) for n in range(first, min(first + 7, 200))} | {0, 19}
    )
