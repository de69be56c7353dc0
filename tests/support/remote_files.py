"""Remote files of known rows, and processes that read them."""

import contextlib
import fcntl
import gzip
import json
import multiprocessing
import os
import threading
import time
from pathlib import Path

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import torch

from support.streams import open_stream
from torch_stringops.data import read_arrow, read_csv, read_jsonl, read_lines, read_parquet, save

FORK = multiprocessing.get_context("fork")


def text_of(number: int, rows: int = 300) -> bytes:
    return "".join(f"{number}/{row}\n" for row in range(rows)).encode()


def rows_of(batches) -> list[str]:
    return [row for b in batches for row in (b["text"] if isinstance(b, dict) else b).tolist()]


def all_rows(files: int, rows: int = 300) -> list[str]:
    return sorted(f"{number}/{row}" for number in range(files) for row in range(rows))


def bytes_in(folder: Path) -> int:
    """The bytes of copies and downloads at one time: not between the removal of one and the creation of another."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return sum(entry.stat().st_size for entry in os.scandir(folder))


def open_files() -> list[str]:
    """The names of the open files of this process. Those of removed files end in `(deleted)`."""
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return found


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
    "txt": read_lines, "txt.gz": read_lines, "csv": read_csv, "jsonl": read_jsonl, "parquet": read_parquet,
    "arrow": read_arrow,
}  # fmt: skip


def stream(url: str, folder: Path, results, barrier=None, **options) -> None:
    torch.set_num_threads(1)
    dataset = open_stream(url, batch_size=100, cache_dir=folder, **options)
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
