"""Remote files: the same rows as of files of this machine, within a bound of the disk."""

import json
import pickle
import random
import threading
import time

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from support.remote_files import (
    READERS,
    all_rows,
    bytes_in,
    no_threads_left,
    open_files,
    rows_of,
    text_of,
    wait_until,
    write,
)
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops.data import load, read_csv, read_lines
from torch_stringops.data.streams import streaming_dataset
from torch_stringops.data.streams.shard import Limits

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.mark.parametrize("kind", READERS)
def test_remote_files_are_read_as_those_of_this_machine(memory, tmp_path, kind):
    paths = [write(tmp_path, kind, number) for number in range(5)]
    for path in paths:
        memory.pipe_file(f"/bucket/{path.name}", path.read_bytes())
    urls = [f"memory://bucket/{path.name}" for path in paths]
    want = all_rows(5)
    for given in (f"memory://bucket/*.{kind}", urls, [urls[0], *paths[1:]], [f"file://{tmp_path}/*.{kind}"]):
        column = READERS[kind](given, **({} if "txt" in kind else {"columns": "text"}))
        assert sorted(column[:].tolist()) == want
        dataset = open_stream(given, batch_size=37, shuffle=True)
        assert sorted(rows_of(dataset)) == want
        del dataset, column
    # The order is the same whatever names the files, and the state too.
    one, other = (open_stream(p, batch_size=7, shuffle=True) for p in (urls[::-1], f"memory://bucket/*.{kind}"))
    assert rows_of(one) == rows_of(other)
    other.load_state_dict(one.state_dict())
    assert one.state_dict()["files"][0] == [urls[0], paths[0].stat().st_size, 300]


@pytest.mark.parametrize(("kind", "threads"), [("txt", 2), ("txt.gz", 0), ("parquet", 1)])
def test_every_row_once_within_the_bound(memory, tmp_path, kind, threads):
    """With room for 3 of 12 files, of which up to 12 are mixed: resumed at random steps, by other numbers of ranks."""
    paths = [write(tmp_path, kind, number) for number in range(12)]
    for path in paths:
        memory.pipe_file(f"/b/{path.name}", path.read_bytes())
    limit = 3 * max(path.stat().st_size for path in paths)
    folder = tmp_path / "cache"
    most, ended = [], threading.Event()
    folder.mkdir()

    def watch():
        while not ended.wait(0.001):
            most.append(bytes_in(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    options = {"shuffle": True, "buffer_rows": 500, "cache_dir": folder, "cache_bytes": limit}
    draw = random.Random(3)
    try:
        whole = rows_of(open_stream("memory://b/*", batch_size=50, threads=threads, **options))
        assert sorted(whole) == all_rows(12)
        found, state = [], None
        while len(found) < len(whole):
            size, steps, by_rank = draw.choice([1, 2]), draw.randrange(1, 9), []
            for rank in range(size):
                dataset = open_stream(
                    "memory://b/*",
                    batch_size=100, even=False, rank=rank, world_size=size, threads=threads, **options,
                )  # fmt: skip
                if state is not None:
                    dataset.load_state_dict(json.loads(json.dumps(state)))
                iterator = iter(dataset)
                by_rank.append([batch for batch, _ in zip(iterator, range(steps), strict=False)])
                last = dataset.state_dict(steps)
                iterator.close()
            state = last
            for step in range(steps):
                found += [row for rank in by_rank for row in rows_of(rank[step : step + 1])]
        assert found == whole
    finally:
        ended.set()
        watcher.join()
    assert max(most) <= limit
    assert no_threads_left()
    assert not list(folder.glob(".*.partial"))


def test_the_bound_holds_the_largest_file(memory):
    memory.pipe_file("/b/0.txt", text_of(0))
    memory.pipe_file("/b/1.txt", text_of(1, 3000))
    size = len(text_of(1, 3000))
    assert len(rows_of(open_stream("memory://b/*", batch_size=50, cache_bytes=size, threads=2))) == 3300
    with pytest.raises(
        ValueError, match=rf"expected `cache_bytes` to hold .*, memory://b/1\.txt, of {size} bytes, got {size - 1}"
    ):
        open_stream("memory://b/*", batch_size=50, cache_bytes=size - 1)


def test_files_are_fetched_ahead(server):
    for number in range(12):
        server.files[f"{number:02}.txt"] = text_of(number)
    size = sum(map(len, server.files.values()))
    dataset = open_stream(f"{server.url}/*.txt", batch_size=300, cache_bytes=size // 2, fetch_ahead=3)
    server.gets.clear()
    iterator = iter(dataset)
    next(iterator)
    wait_until(lambda: sum(server.gets.values()) >= 4)
    time.sleep(0.2)
    assert sorted(server.gets) == ["00.txt", "01.txt", "02.txt", "03.txt"]
    iterator.close()
    assert no_threads_left()
    dataset = open_stream(f"{server.url}/*.txt", batch_size=300, cache_bytes=size // 2, fetch_ahead=0)
    server.gets.clear()
    assert next(iter(dataset)).tolist()[0] == "0/0"
    assert sum(server.gets.values()) == 1


def test_metadata_of_parquet_is_read_by_ranges(server, tmp_path):
    table = pyarrow.table({"text": [f"{row} " + "x" * 900 for row in range(3000)]})
    for number in range(4):
        pyarrow.parquet.write_table(table, tmp_path / "a", row_group_size=500, compression="none", use_dictionary=False)
        server.files[f"{number}.parquet"] = (tmp_path / "a").read_bytes()
    total = sum(map(len, server.files.values()))
    server.faults["1.parquet"] = [503, "half"]
    dataset = open_stream(f"{server.url}/*.parquet", batch_size=500, cache_bytes=total // 2)
    assert server.gets["1.parquet"] == 3
    assert server.sent < total / 20
    assert dataset.rows == [3000] * 4
    assert len(rows_of(dataset)) == 12000
    assert server.sent < total * 1.05
    server.files["0.parquet"] = b"PAR1 damaged PAR1"
    with pytest.raises(ValueError, match="Parquet file size is 17 bytes"):
        open_stream(f"{server.url}/0.parquet", batch_size=500)


def test_a_copy_that_is_open_is_in_use(memory, tmp_path, monkeypatch):
    """A removed copy whose file is open would take room beyond the bound: here of a Parquet file, read in parts."""
    monkeypatch.setattr(streaming_dataset, "_IN_ORDER", Limits(10, 100, in_order=True))
    paths = [write(tmp_path, "parquet", number) for number in range(2)]
    for path in paths:
        memory.pipe_file(f"/p/{path.name}", path.read_bytes())
    options = {"cache_dir": tmp_path / "c", "cache_bytes": max(path.stat().st_size for path in paths)}
    first, second = (open_stream(f"memory://p/{path.name}", batch_size=7, **options) for path in paths)
    batches = iter(first)
    rows = rows_of([next(batches)])
    other = []
    for batch in second:  # needs the room of the copy that is open
        other += rows_of([batch])
        assert not [name for name in open_files() if "/c/" in name and name.endswith("(deleted)")]
    rows += rows_of(batches)
    assert rows + other == [f"{number}/{row}" for number in range(2) for row in range(300)]


def test_workers_of_dataloader(server):
    for number in range(4):
        server.files[f"{number}.txt"] = text_of(number)
    dataset = open_stream(f"{server.url}/*.txt", batch_size=50, shuffle=True, threads=1)
    want = rows_of(dataset)
    dataset.set_epoch(0)
    loader = DataLoader(dataset, batch_size=None, num_workers=2)
    assert rows_of(loader) == want
    sent = pickle.loads(pickle.dumps(dataset))
    sent.set_epoch(0)
    assert rows_of(sent) == want


def test_arguments(memory, tmp_path):
    memory.pipe_file("/b/0.txt", text_of(0))
    memory.pipe_file("/b/0.csv", b"text\na\n")
    url = "memory://b/0.txt"
    for options, text in [
        ({"timeout": 0}, "expected `timeout` to be a positive number of seconds, got 0"),
        ({"retries": -1}, "`retries`"),
        ({"fetch_ahead": -1}, "`fetch_ahead`"),
        ({"cache_bytes": 0}, "`cache_bytes`"),
    ]:
        with pytest.raises(ValueError, match=text):
            open_stream(url, batch_size=1, **options)
    with pytest.raises(TypeError, match="read_csv: expected `storage_options` to be a dict, got str"):
        read_csv("memory://b/0.csv", storage_options="x")
    with pytest.raises(ValueError, match="foo://a: expected a URL that fsspec opens"):
        read_lines("foo://a")
    with pytest.raises(FileNotFoundError, match=r"read_lines: no file matches memory://b/\*\.x"):
        read_lines("memory://b/*.x")
    with pytest.raises(IsADirectoryError, match=r"memory://b: expected a file, got a folder"):
        read_lines("memory://b")
    with pytest.raises(ValueError, match=r"load: memory://b/0\.txt: expected a path of this machine, got a URL"):
        load(url)
    with pytest.raises(ValueError, match=r"read_csv: memory://b/0\.csv: expected a column 'x'"):
        read_csv("memory://b/0.csv", columns="x")
    with pytest.raises(ValueError, match="expected files of text or files of tables, got both"):
        open_stream("memory://b/*", batch_size=1)
    with pytest.raises(ValueError, match="the name of the state"):
        open_stream(url, batch_size=1).load_state_dict(
            open_stream(write(tmp_path, "txt", 0), batch_size=1).state_dict()
        )
