"""Remote files in several processes, which share copies, wait, are killed or interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.remote_files import (
    FORK,
    all_rows,
    no_threads_left,
    rows_of,
    run_together,
    stream,
    text_of,
    wait_until,
    write,
)
from support.streams import open_stream

from torch_stringops.data import read_lines

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.mark.parametrize("fetch_ahead", [0, 4])
def test_processes_download_each_file_once(server, tmp_path, fetch_ahead):
    for number in range(6):
        server.files[f"{number}.txt"] = text_of(number)
    list(open_stream(f"{server.url}/0.txt", batch_size=100))  # the children inherit a used file system
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
        lambda r=r: stream("memory://b/*", tmp_path / "c", results, barrier, rank=r, fetch_ahead=2 * r, **options)
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
    assert left.stat().st_size < len(text_of(0))
    assert rows_of(open_stream(f"{server.url}/0.txt", batch_size=50, cache_dir=folder)) == [
        f"0/{row}" for row in range(300)
    ]
    assert not left.exists()
    # What is left of a file that no dataset needs is removed when room is made.
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
    list(open_stream(f"{server.url}/2.txt", batch_size=50, cache_dir=folder))
    assert not list(folder.glob(".*.partial"))


def test_copies_of_readers_are_removed_and_those_of_streams_stay(server, tmp_path):
    for number in range(3):
        server.files[f"{number}.txt"] = text_of(number)
    assert len(read_lines(f"{server.url}/*.txt")) == 900
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not (tmp_path / "caches").exists()
    for _ in range(2):
        assert len(rows_of(open_stream(f"{server.url}/*.txt", batch_size=50))) == 900
    assert {name: server.gets[name] for name in server.files} == dict.fromkeys(server.files, 2)
    assert len(list((tmp_path / "caches" / "torch_stringops").glob("*-*.txt"))) == 3
    # Room is made by the copies that were used least recently.
    size = 3 * len(text_of(0))
    list(open_stream(f"{server.url}/0.txt", batch_size=50))
    server.files["3.txt"] = text_of(3)
    list(open_stream(f"{server.url}/3.txt", batch_size=50, cache_bytes=size))
    left = sorted(path.name[-5:] for path in (tmp_path / "caches" / "torch_stringops").glob("*-*.txt"))
    assert left == ["0.txt", "2.txt", "3.txt"]


@pytest.mark.parametrize("threads", [0, 2])
def test_a_pass_that_is_left_ends_its_downloads(server, threads, tmp_path):
    for number in range(4):
        server.files[f"{number}.txt"] = text_of(number)
    size = len(text_of(0))
    dataset = open_stream(f"{server.url}/*.txt", batch_size=300, cache_bytes=3 * size, threads=threads)
    # A copy that the listing left is removed for the first file, unless the thread that fetches it ahead comes first.
    for copy in (tmp_path / "caches" / "torch_stringops").glob("*-*.txt"):
        copy.unlink()
    for name in ("1.txt", "2.txt"):
        server.faults[name] = ["stall"] * 10
    iterator = iter(dataset)
    next(iterator)
    wait_until(lambda: server.gets["1.txt"] > 1)
    start = time.monotonic()
    iterator.close()
    assert time.monotonic() - start < 5
    assert no_threads_left()
    assert not list(tmp_path.rglob("*.partial"))


PROGRAM = """
import sys, threading
from torch_stringops.data import StreamingDataset, StreamOptions
print("ready", flush=True)
try:
    StreamingDataset(sys.argv[1], batch_size=1, options=StreamOptions(cache_dir=sys.argv[2]))
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
        cwd=Path(__file__).parents[3],
    )
    wait_until(lambda: server.sent, 120)  # imports take long on a machine that is busy
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "ready\nleft []\n"
    assert not list((tmp_path / "c").glob(".*.partial"))


def test_a_program_that_ends_does_not_wait_for_downloads(server, tmp_path):
    for number in range(9):
        server.files[f"{number}.txt"] = text_of(number)
        server.faults[f"{number}.txt"] = ["stall"] * 9 if number else []
    urls = [f"{server.url}/{number}.txt" for number in range(9)]
    program = """
import sys, threading
from torch_stringops.data import read_lines
from torch_stringops.data.files import copies
files = copies.local_copies("read_lines", sys.argv[1:], None)
iterator = iter(files.__enter__())
assert next(iterator).read_bytes().startswith(b"0/0")
print("end", flush=True)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program, *urls],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert child.stdout.readline() == "end\n"
    start = time.monotonic()
    assert child.wait(60) == 0
    assert time.monotonic() - start < 20
