"""Remote files: the same rows as of files of this machine, whatever the network does, within a bound of the disk."""

import errno
import gc
import gzip
import json
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import fsspec
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch
from support.http_server import FileServer
from torch.utils.data import DataLoader

from torch_stringops.data import (
    Manifest,
    StreamingDataset,
    load,
    read_arrow,
    read_csv,
    read_jsonl,
    read_lines,
    read_parquet,
    save,
)
from torch_stringops.data import _cache as cache_module
from torch_stringops.data import _download as download_module

FORK = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path, monkeypatch):
    """The folders of temporary caches are in a folder of the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(download_module, "_FIRST_DELAY_S", 0.01)


@pytest.fixture
def memory():
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    yield fs
    fs.store.clear()


@pytest.fixture
def server():
    pytest.importorskip("aiohttp")
    server = FileServer()
    yield server
    server.close()


def text_of(number: int, rows: int = 300) -> bytes:
    return "".join(f"{number}/{row}\n" for row in range(rows)).encode()


def rows_of(batches) -> list[str]:
    return [row for b in batches for row in (b["text"] if isinstance(b, dict) else b).tolist()]


def all_rows(files: int, rows: int = 300) -> list[str]:
    return sorted(f"{number}/{row}" for number in range(files) for row in range(rows))


def bytes_in(folder: Path) -> int:
    """The bytes of copies and downloads at one time: not between the removal of one and the creation of another."""
    with cache_module._exclusive(folder / ".lock"):
        return sum(entry.stat().st_size for entry in os.scandir(folder))


def wait_until(condition, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def no_threads_left() -> bool:
    wait_until(lambda: not any(t.name.startswith("stringops-data") for t in threading.enumerate()))
    return True


def write(folder: Path, kind: str, number: int) -> Path:
    texts = [f"{number}/{row}" for row in range(300)]
    table = pyarrow.table({"text": texts})
    path = folder / f"{number:02}.{kind}"
    if kind == "txt":
        path.write_bytes(text_of(number))
    elif kind == "txt.gz":
        path.write_bytes(gzip.compress(text_of(number)))
    elif kind == "csv":
        pyarrow.csv.write_csv(table, path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    elif kind == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=70)
    else:
        save(texts, path)
    return path


READERS = {
    "txt": read_lines,
    "txt.gz": read_lines,
    "csv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "arrow": read_arrow,
}


@pytest.mark.parametrize("kind", READERS)
def test_remote_files_are_read_as_those_of_this_machine(memory, tmp_path, kind):
    paths = [write(tmp_path, kind, number) for number in range(5)]
    for path in paths:
        memory.pipe_file(f"/bucket/{path.name}", path.read_bytes())
    memory.pipe_file("/bucket/list", "\n".join(path.name for path in paths).encode())
    memory.pipe_file(
        "/other/list.json",
        json.dumps([{"path": f"../bucket/{p.name}", "size": p.stat().st_size} for p in paths]).encode(),
    )
    urls = [f"memory://bucket/{path.name}" for path in paths]
    want = all_rows(5)
    for given in (
        f"memory://bucket/*.{kind}",
        urls,
        [Manifest("memory://bucket/list")],
        Manifest("memory://other/list.json"),
        [urls[0], *paths[1:]],
        [f"file://{tmp_path}/*.{kind}"],
    ):
        column = READERS[kind](given, **({} if "txt" in kind else {"columns": "text"}))
        assert sorted(column[:].tolist()) == want
        dataset = StreamingDataset(given, batch_size=37, shuffle=True)
        assert sorted(rows_of(dataset)) == want
        del dataset, column
    # The order is the same whatever names the files, and the state too.
    one, other = (
        StreamingDataset(p, batch_size=7, shuffle=True) for p in (urls[::-1], f"memory://bucket/*.{kind}")
    )
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
        whole = rows_of(StreamingDataset("memory://b/*", batch_size=50, threads=threads, **options))
        assert sorted(whole) == all_rows(12)
        found, state = [], None
        while len(found) < len(whole):
            size, steps, by_rank = draw.choice([1, 2]), draw.randrange(1, 9), []
            for rank in range(size):
                dataset = StreamingDataset(
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
    assert len(rows_of(StreamingDataset("memory://b/*", batch_size=50, cache_bytes=size, threads=2))) == 3300
    with pytest.raises(
        ValueError,
        match=rf"expected `cache_bytes` to hold .*, memory://b/1\.txt, of {size} bytes, got {size - 1}",
    ):
        StreamingDataset("memory://b/*", batch_size=50, cache_bytes=size - 1)


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("fault", ["drop", 500, 503, 429, "half", "stall"])
def test_downloads_are_repeated(server, fault, ranges):
    server.ranges = ranges
    for number in range(3):
        server.files[f"{number}.txt"] = text_of(number)
    server.faults["1.txt"] = [fault, fault]
    timeout = 0.4 if fault == "stall" else 60
    dataset = StreamingDataset(f"{server.url}/*.txt", batch_size=100, timeout=timeout)
    assert rows_of(dataset) == [f"{n}/{row}" for n in range(3) for row in range(300)]
    assert server.gets["1.txt"] == 3 or (fault == "stall" and server.gets["1.txt"] > 3)
    # What has arrived is not asked for again, if the server knows ranges.
    assert server.sent == sum(map(len, server.files.values())) or not ranges


@pytest.mark.parametrize("fault", ["drop", 500, "half", "stall"])
def test_ranges_are_repeated(server, monkeypatch, fault):
    """As files of protocols other than HTTP are downloaded."""
    monkeypatch.setattr(download_module, "is_http", lambda url: False)
    for name in ("_FIRST_PART", "_SMALLEST_PART", "_LARGEST_PART"):
        monkeypatch.setattr(download_module, name, 500)
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = [None, fault, None, fault]
    dataset = StreamingDataset(
        f"{server.url}/0.txt", batch_size=100, timeout=0.4 if fault == "stall" else 60, fetch_ahead=0
    )
    assert rows_of(dataset) == [f"0/{row}" for row in range(300)]
    assert server.gets["0.txt"] >= 6  # 4 ranges, two of them twice


def test_file_systems_may_have_another_order_of_arguments(memory, monkeypatch):
    """That of S3 has a version before the range, and raises errors of a library of its own."""
    original = type(memory).cat_file

    class LibraryError(Exception):
        def __init__(self, status):
            self.response = {"ResponseMetadata": {"HTTPStatusCode": status}}

    def cat_file(fs, path, version_id=None, start=None, end=None):
        assert version_id is None
        if path.endswith("1.txt"):
            raise LibraryError(403)
        return original(fs, path, start, end)

    monkeypatch.setattr(type(memory), "cat_file", cat_file)
    memory.pipe_file("/b/0.txt", text_of(0))
    memory.pipe_file("/b/1.txt", text_of(1))
    assert len(read_lines("memory://b/0.txt")) == 300
    with pytest.raises(PermissionError, match=r"memory://b/1\.txt: access is denied \(HTTP 403\)"):
        read_lines("memory://b/1.txt")


def test_a_full_disk_is_an_error_that_names_the_folder(memory, tmp_path, monkeypatch):
    memory.pipe_file("/b/0.txt", text_of(0))
    asked = []

    def write(descriptor, raw, at):
        asked.append(len(raw))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download_module.os, "pwrite", write)
    with pytest.raises(OSError, match=rf"memory://b/0\.txt: cannot be kept in {tmp_path}/c: No space left"):
        StreamingDataset("memory://b/0.txt", batch_size=1, cache_dir=tmp_path / "c", fetch_ahead=0)
    assert asked == [1690]
    assert sorted(os.listdir(tmp_path / "c")) == [".lock"]


@pytest.mark.parametrize(
    ("status", "error", "text"),
    [
        (403, PermissionError, r"access is denied \(HTTP 403\) \(see `storage_options`\)"),
        (404, FileNotFoundError, "there is no such file"),
        (410, OSError, "HTTP 410"),
    ],
)
def test_errors_that_stay_are_raised_at_once(server, status, error, text):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = [status] * 100
    start = time.monotonic()
    with pytest.raises(error, match=rf"^StreamingDataset: {server.url}/0\.txt: {text}$"):
        StreamingDataset(f"{server.url}/0.txt", batch_size=1, fetch_ahead=0)
    assert server.gets["0.txt"] == 1
    assert time.monotonic() - start < 5
    server.faults.clear()
    with pytest.raises(FileNotFoundError, match=rf"^read_lines: {server.url}/9\.txt: there is no such file$"):
        read_lines([f"{server.url}/0.txt", f"{server.url}/9.txt"])


def test_failures_are_counted(server):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = [500] * 100
    with pytest.raises(OSError, match=r"0\.txt: cannot be read, after 3 attempts: HTTP 500"):
        StreamingDataset(f"{server.url}/0.txt", batch_size=1, retries=2, fetch_ahead=0)
    assert server.gets["0.txt"] == 3
    assert list(Path(cache_module.tempfile.gettempdir()).rglob("*.partial")) == []
    with pytest.raises(OSError, match=r"a\.txt: cannot be read, after 1 attempts: ClientConnectorError"):
        StreamingDataset("http://127.0.0.1:1/a.txt", batch_size=1, retries=0)


def test_a_server_without_sizes_needs_a_manifest(server, tmp_path):
    server.files["0.txt"] = text_of(0)
    server.has_sizes = False
    with pytest.raises(ValueError, match="the server does not tell the size"):
        read_lines(f"{server.url}/0.txt")
    manifest = tmp_path / "list"
    for change in (0, 7):
        entry = {"path": f"{server.url}/0.txt", "size": len(text_of(0)) + change}
        manifest.write_text(json.dumps([entry]))
        if not change:
            assert len(read_lines(Manifest(manifest))) == 300
    with pytest.raises(OSError, match="expected 1697 bytes, got 1690: it is truncated"):
        StreamingDataset(Manifest(manifest), batch_size=1, retries=1)


@pytest.mark.parametrize("change", ["content", "size"])
def test_a_file_that_has_changed_is_named(server, change):
    for number in range(3):
        server.files[f"{number}.txt"] = text_of(number)
    size = len(text_of(0))
    dataset = StreamingDataset(f"{server.url}/*.txt", batch_size=300, cache_bytes=size, fetch_ahead=0)
    server.files["1.txt"] = text_of(7) if change == "content" else text_of(1) + b"more\n"
    what = "another ETag" if change == "content" else f"expected {size} bytes, got {size + 5}"
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(OSError, match=rf"1\.txt has changed since it was listed: {what}"):
        next(iterator)
    # A copy of the earlier file is not taken for the new one.
    assert sorted(rows_of(StreamingDataset(f"{server.url}/*.txt", batch_size=50)))[-1] != "2/99" or (
        change == "size"
    )


def test_secrets_are_not_shown(server):
    token, user = "s3cr3t-t0ken", "al1ce:pa55word"
    server.files["0.txt"] = text_of(0)
    url = f"{server.url}/0.txt?sig={token}".replace("://", f"://{user}@")
    dataset = StreamingDataset(url, batch_size=300)
    texts = [repr(dataset.files), str(dataset.state_dict())]
    assert dataset.state_dict()["files"][0][0] == f"{server.url}/0.txt"
    # A token may differ when a run is resumed.
    other = StreamingDataset(url.replace(token, "another"), batch_size=300)
    other.load_state_dict(dataset.state_dict())
    once = {"batch_size": 1, "retries": 0, "fetch_ahead": 0}
    bad = [
        ([500], lambda: StreamingDataset(url + "1", **once)),
        ([403], lambda: StreamingDataset(url + "2", **once)),
        (["half"], lambda: StreamingDataset(url + "3", **once)),
        ([], lambda: StreamingDataset(url.replace("0.txt", "1.txt"), **once)),
        ([], lambda: read_lines(f"{server.url}/{token}?x={token}".replace(token, "x", 1))),
        ([], lambda: load(url)),
        ([], lambda: StreamingDataset(f"http://{user}@127.0.0.1:1/x?k={token}", **once)),
        ([], lambda: read_lines("ftp://127.0.0.1:1/x", storage_options={"password": token})),
        ([], lambda: read_lines("memory://x", storage_options={"nested": [{"key": token}], "sk": user})),
        ([], lambda: read_lines(f"foo://{user}@a/b?x={token}")),
    ]
    for faults, call in bad:
        server.faults["0.txt"] = faults
        with pytest.raises((OSError, ValueError)) as caught:
            call()
        error = caught.value
        while error is not None:
            texts += [str(error), repr(error), *getattr(error, "__notes__", [])]
            error = error.__context__
    assert len(texts) >= 2 + 2 * len(bad)
    for text in texts:
        assert token not in text
        assert "pa55word" not in text


def stream(url: str, folder: Path, results, barrier=None, **options) -> None:
    torch.set_num_threads(1)
    dataset = StreamingDataset(url, batch_size=100, cache_dir=folder, **options)
    rows = []
    for batch in dataset:
        rows += rows_of([batch])
        if barrier is not None:
            barrier.wait(60)  # as a collective of training does
    results.put(rows)


def run_together(targets, seconds: float = 60.0) -> list[int]:
    processes = [FORK.Process(target=target) for target in targets]
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join(seconds)
        return [process.exitcode for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.join()


@pytest.mark.parametrize("fetch_ahead", [0, 4])
def test_processes_download_each_file_once(server, tmp_path, fetch_ahead):
    for number in range(6):
        server.files[f"{number}.txt"] = text_of(number)
    list(StreamingDataset(f"{server.url}/0.txt", batch_size=100))  # the children inherit a used file system
    server.gets.clear()
    server.delay = 0.01
    results = FORK.Queue()
    options = {"shuffle": True, "fetch_ahead": fetch_ahead}
    run = [lambda: stream(f"{server.url}/*.txt", tmp_path / "c", results, **options)] * 3
    assert run_together(run) == [0, 0, 0]
    found = [results.get(timeout=10) for _ in range(3)]
    assert found[0] == found[1] == found[2]
    assert sorted(found[0]) == all_rows(6)
    assert {name: server.gets[name] for name in server.files} == dict.fromkeys(server.files, 1)


@pytest.mark.parametrize("kind", ["txt", "txt.gz"])
def test_processes_that_wait_for_each_other_do_not_wait_for_room(memory, tmp_path, kind):
    """Two ranks read with room for one file, in step. Compressed files stay open between reads."""
    for number in range(3):
        path = write(tmp_path, kind, number)
        memory.pipe_file(f"/b/{path.name}", path.read_bytes())
    limit = max(memory.size(name) for name in memory.ls("/b", detail=False))
    results, barrier = FORK.Queue(), FORK.Barrier(2)
    options = {"shuffle": True, "buffer_rows": 200, "cache_bytes": limit, "world_size": 2}
    run = [
        lambda r=r: stream(
            "memory://b/*", tmp_path / "c", results, barrier, rank=r, fetch_ahead=2 * r, **options
        )
        for r in range(2)
    ]
    assert run_together(run) == [0, 0]
    assert sorted(results.get(timeout=10) + results.get(timeout=10)) == all_rows(3)


def test_what_a_killed_download_leaves_is_not_used(server, tmp_path):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = ["stall"]
    folder = tmp_path / "c"
    child = FORK.Process(target=stream, args=(f"{server.url}/0.txt", folder, FORK.Queue()))
    child.start()
    wait_until(lambda: server.sent)
    time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    (left,) = folder.glob(".*.partial")
    assert left.stat().st_size == len(text_of(0))
    assert rows_of(StreamingDataset(f"{server.url}/0.txt", batch_size=50, cache_dir=folder)) == [
        f"0/{row}" for row in range(300)
    ]
    assert not left.exists()
    # Of another file, which is not needed any more, it is removed when room is made.
    server.files["1.txt"] = text_of(1)
    server.faults["1.txt"] = ["stall"]
    server.sent = 0
    child = FORK.Process(target=stream, args=(f"{server.url}/1.txt", folder, FORK.Queue()))
    child.start()
    wait_until(lambda: server.sent)
    time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    server.files["2.txt"] = text_of(2)
    list(StreamingDataset(f"{server.url}/2.txt", batch_size=50, cache_dir=folder))
    assert not list(folder.glob(".*.partial"))


def test_temporary_copies_are_removed(memory, tmp_path):
    for number in range(3):
        memory.pipe_file(f"/b/{number}.txt", text_of(number))
    parent = Path(cache_module.tempfile.gettempdir())
    dataset = StreamingDataset("memory://b/*", batch_size=50)
    (folder,) = parent.iterdir()
    assert len(list(folder.glob("*-*.txt"))) == 3
    again = StreamingDataset("memory://b/*", batch_size=50)
    assert [path.name for path in parent.iterdir()] == [folder.name]
    read_lines("memory://b/*")
    del dataset
    gc.collect()
    assert len(rows_of(again)) == 900
    del again
    gc.collect()
    assert list(parent.iterdir()) == []
    # What killed processes have left is removed by the next one.
    child = FORK.Process(
        target=lambda: (StreamingDataset("memory://b/1.txt", batch_size=1), os.kill(os.getpid(), 9))
    )
    child.start()
    child.join(60)
    assert len(list(parent.iterdir())) == 1
    read_lines("memory://b/0.txt")
    assert list(parent.iterdir()) == []


def test_files_are_fetched_ahead(server):
    for number in range(12):
        server.files[f"{number:02}.txt"] = text_of(number)
    size = sum(map(len, server.files.values()))
    dataset = StreamingDataset(f"{server.url}/*.txt", batch_size=300, cache_bytes=size // 2, fetch_ahead=3)
    server.gets.clear()
    iterator = iter(dataset)
    next(iterator)
    wait_until(lambda: sum(server.gets.values()) >= 4)
    time.sleep(0.2)
    assert sorted(server.gets) == ["00.txt", "01.txt", "02.txt", "03.txt"]
    iterator.close()
    assert no_threads_left()
    dataset = StreamingDataset(f"{server.url}/*.txt", batch_size=300, cache_bytes=size // 2, fetch_ahead=0)
    server.gets.clear()
    assert next(iter(dataset)).tolist()[0] == "0/0"
    assert sum(server.gets.values()) == 1


@pytest.mark.parametrize("threads", [0, 2])
def test_a_pass_that_is_left_ends_its_downloads(server, threads):
    for number in range(4):
        server.files[f"{number}.txt"] = text_of(number)
    size = len(text_of(0))
    dataset = StreamingDataset(f"{server.url}/*.txt", batch_size=300, cache_bytes=2 * size, threads=threads)
    for name in ("1.txt", "2.txt"):
        server.faults[name] = ["stall"] * 10
    iterator = iter(dataset)
    next(iterator)
    wait_until(lambda: server.gets["1.txt"] > 1)
    start = time.monotonic()
    iterator.close()
    assert time.monotonic() - start < 5
    assert no_threads_left()
    assert not list(Path(cache_module.tempfile.gettempdir()).rglob("*.partial"))


PROGRAM = """
import sys, threading
from torch_stringops.data import StreamingDataset
print("ready", flush=True)
try:
    StreamingDataset(sys.argv[1], batch_size=1, cache_dir=sys.argv[2])
except KeyboardInterrupt:
    print("left", [t.name for t in threading.enumerate() if "stringops" in t.name], flush=True)
"""


def test_ctrl_c_ends_a_download(server, tmp_path):
    server.files["0.txt"] = text_of(0)
    server.faults["0.txt"] = ["stall"] * 9
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, f"{server.url}/0.txt", str(tmp_path / "c")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    wait_until(lambda: server.sent)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "ready\nleft []\n"
    assert not list((tmp_path / "c").glob(".*.partial"))


def test_metadata_of_parquet_is_read_by_ranges(server, tmp_path):
    table = pyarrow.table({"text": [f"{row} " + "x" * 900 for row in range(3000)]})
    for number in range(4):
        pyarrow.parquet.write_table(
            table, tmp_path / "a", row_group_size=500, compression="none", use_dictionary=False
        )
        server.files[f"{number}.parquet"] = (tmp_path / "a").read_bytes()
    total = sum(map(len, server.files.values()))
    dataset = StreamingDataset(f"{server.url}/*.parquet", batch_size=500, cache_bytes=total // 2)
    assert server.sent < total / 20
    assert dataset.rows == [3000] * 4
    assert len(rows_of(dataset)) == 12000
    assert server.sent < total * 1.05
    server.files["0.parquet"] = b"PAR1 damaged PAR1"
    with pytest.raises(ValueError, match="Parquet file size is 17 bytes"):
        StreamingDataset(f"{server.url}/0.parquet", batch_size=500)


def test_workers_of_dataloader(server):
    for number in range(4):
        server.files[f"{number}.txt"] = text_of(number)
    dataset = StreamingDataset(f"{server.url}/*.txt", batch_size=50, shuffle=True, threads=1)
    want = rows_of(dataset)
    dataset.set_epoch(0)
    loader = DataLoader(dataset, batch_size=None, num_workers=2)
    assert rows_of(loader) == want
    sent = pickle.loads(pickle.dumps(dataset))
    sent.set_epoch(0)
    assert rows_of(sent) == want


def test_manifests(memory, tmp_path):
    for number in range(2):
        (tmp_path / f"{number} é.txt").write_bytes(text_of(number))
    memory.pipe_file("/b/2.txt", text_of(2))
    manifest = tmp_path / "list"

    def rows(text):
        manifest.write_text(text, encoding="utf-8")
        return sorted(read_lines(Manifest(manifest))[:].tolist())

    want = all_rows(3)
    assert rows(f"# files\n\n0 é.txt\r\n  {tmp_path}/1 é.txt\nmemory://b/2.txt") == want
    assert rows('["0 é.txt", {"path": "./1 é.txt", "size": 1690}, "memory://b/2.txt"]') == want
    for text, message in [
        ("0 é.txt\n# x\n0 é.txt\n", "expected each file once, got line 3 as line 1"),
        ('["memory://b/2.txt", "memory://b/2.txt"]', "expected each file once, got entry 2 as entry 1"),
        ('["0 é.txt", {"path": "0 é.txt", "bytes": 1}]', "entry 2: expected a path, or an object"),
        ('[{"path": "0 é.txt", "size": -1}]', "entry 1: expected `size` to be a number of bytes"),
        ('[\n"0 é.txt",,]', "line 2: expected a manifest in JSON"),
        ('[{"path": "0 é.txt", "size": 7}]', "expected the 7 bytes of the manifest, got 1690"),
        ('[{"path": "memory://b/2.txt", "size": 7}]', "expected the 7 bytes of the manifest, got 1690"),
        ("# nothing", "expected at least one path, got none"),
    ]:
        with pytest.raises(ValueError, match=message):
            rows(text)
    manifest.write_bytes(b"\xff\n")
    with pytest.raises(ValueError, match=f"read_lines: {manifest}: expected a manifest in UTF-8"):
        read_lines(Manifest(manifest))
    with pytest.raises(TypeError, match="Manifest: expected a path or a URL, got int"):
        Manifest(3)


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
            StreamingDataset(url, batch_size=1, **options)
    with pytest.raises(TypeError, match="read_csv: expected `storage_options` to be a dict, got str"):
        read_csv("memory://b/0.csv", storage_options="x")
    with pytest.raises(ValueError, match="foo://a: expected a URL that fsspec opens"):
        read_lines("foo://a")
    with pytest.raises(FileNotFoundError, match=r"read_lines: no file matches memory://b/\*\.x"):
        read_lines("memory://b/*.x")
    with pytest.raises(IsADirectoryError, match=r"memory://b: expected a file, got a folder"):
        read_lines("memory://b")
    with pytest.raises(
        ValueError, match=r"load: memory://b/0\.txt: expected a path of this machine, got a URL"
    ):
        load(url)
    with pytest.raises(ValueError, match=r"read_csv: memory://b/0\.csv: expected a column 'x'"):
        read_csv("memory://b/0.csv", columns="x")
    with pytest.raises(ValueError, match="expected files of text or files of tables, got both"):
        StreamingDataset("memory://b/*", batch_size=1)
    with pytest.raises(ValueError, match="the name of the state"):
        StreamingDataset(url, batch_size=1).load_state_dict(
            StreamingDataset(write(tmp_path, "txt", 0), batch_size=1).state_dict()
        )
