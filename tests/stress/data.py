"""StreamingDataset on random files, ranks, threads and workers, resumed and killed: every row once, in one order.

    stress data [--seconds S] [--seed N] [--kills N] [--tables N]

A round writes random files of one kind, of which Python's own readers give the rows. Then it reads an epoch in a chain of
runs, each with other numbers of ranks, threads, workers and rows of a batch, that is left at a random step and resumed from
its state. In some rounds, the files are on a server that fails. Rounds with a kill run a trainer in another process, which saves its state after each step, and is killed by
SIGKILL at a random time until an epoch is complete. At last, random tables are compared with those of `csv` and `json`.
"""

from __future__ import annotations

import collections
import csv
import glob
import gzip
import importlib.util
import itertools
import json
import lzma
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest.mock
from pathlib import Path
from typing import Any

import torch
from support import programs
from support.http_server import FileServer
from support.random_tables import compare
from support.streams import open_stream
from torch.utils.data import DataLoader

from torch_stringops.data import save
from torch_stringops.data.streams import streaming_dataset
from torch_stringops.data.streams.shard import Limits

KINDS = ["txt", "txt", "txt.gz", "txt.xz", "csv", "jsonl", "parquet", "arrow", "arrow.zstd", "saved"]
WORDS = ["", "a", "café", "日本", " ", "x" * 30, "tab\t", "'quoted'", "0"]


def draw_text(rng: random.Random, row: int, file: int) -> str:
    return f"{row} {file} " + rng.choice(WORDS) * rng.randrange(4)


def write_files(folder: Path, rng: random.Random) -> tuple[str, list[str]]:
    """Writes files of one kind. Returns their glob and the rows of all, in the order of the files."""
    kind = rng.choice(KINDS)
    counts = [rng.choice([0, 1, 2, rng.randrange(60), rng.randrange(600)]) for _ in range(rng.randrange(1, 8))]
    if not sum(counts):
        counts.append(3)
    rows: list[str] = []
    for number, count in enumerate(counts):
        texts = [draw_text(rng, len(rows) + i, number) for i in range(count)]
        rows += texts
        write_file(folder / f"{number:02}.{kind.split('.zstd')[0].replace('saved', 'arrow')}", kind, texts, rng)
    return str(folder / "[0-9]*"), rows


def write_file(path: Path, kind: str, texts: list[str], rng: random.Random) -> None:
    if kind.startswith("txt"):
        end = rng.choice(["\n", "\r\n", "\r"])
        text = "".join(t + end for t in texts)
        if texts and rng.random() < 0.3:
            text = text[: -len(end)]
        packed = {"txt": bytes, "txt.gz": gzip.compress, "txt.xz": lzma.compress}[kind]
        path.write_bytes(packed(text.encode()))
    elif kind == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["text", "n"], *([t, i] for i, t in enumerate(texts))])
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"text": t, "n": i, **lists(t)}) + "\n" for i, t in enumerate(texts)))
    elif kind == "saved":
        save(texts, path)
    else:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        found = [lists(t) for t in texts]
        columns = {
            "text": pa.array(texts, pa.string()),
            "n": pa.array(range(len(texts)), pa.int64()),
            "ids": pa.array([row["ids"] for row in found], pa.list_(pa.int32())),
            "words": pa.array([row["words"] for row in found], pa.large_list(pa.string())),
        }
        table = pa.table(columns)
        size = rng.randrange(1, 100)
        if kind == "parquet":
            parquet.write_table(table, path, row_group_size=size)
        else:
            options = pa.ipc.IpcWriteOptions(compression="zstd" if kind == "arrow.zstd" else None)
            with (
                pa.OSFile(str(path), "wb") as sink,
                pa.ipc.new_file(sink, table.schema, options=options) as writer,
            ):
                writer.write_table(table, size)


def lists(text: str) -> dict[str, list[Any]]:
    """Columns of lists of a row, of which some are empty."""
    return {"ids": list(text.encode())[5:], "words": text.split(" ")[3:]}


def texts_of(batch: Any) -> list[str]:
    """The texts of a batch; AssertionError if another column is not of the same rows."""
    found: list[str] = (batch["text"] if isinstance(batch, dict) else batch).tolist()
    for name, column in batch.items() if isinstance(batch, dict) else ():
        if name in ("ids", "words"):
            values, ends = column[0].tolist(), column[1].tolist()
            assert [values[a:b] for a, b in itertools.pairwise(ends)] == [lists(text)[name] for text in found]
        else:
            assert len(column) == len(found)
    return found


def draw_order(rng: random.Random, paths: str) -> dict[str, Any]:
    """Options that the order of rows depends on, and those with which `paths` are read."""
    is_text = any(path.endswith((".csv", ".jsonl")) for path in glob.glob(paths))
    return {
        "text": ["text"] if is_text else [],
        "shuffle": rng.random() < 0.7,
        "seed": rng.randrange(2**62),
        "buffer_rows": rng.choice([1, 5, 64, 300, 10**6]),
        "buffer_bytes": rng.choice([1, 500, 10**4, 10**8]),
    }


def read_epoch(paths: str, order: dict[str, Any], rng: random.Random, epoch: int) -> tuple[list[str], int]:
    """Rows of an epoch, read by a chain of runs, and their number."""
    found: list[str] = []
    state: dict[str, Any] | None = None
    runs = 0
    while True:
        runs += 1
        size, batch_size = rng.choice([1, 1, 2, 3, 8]), rng.choice([1, 3, 17, 100, 1000])
        steps = rng.choice([0, 1, 2, rng.randrange(30), 10**6])
        by_rank: list[list[list[str]]] = []
        left = 0
        for rank in range(size):
            dataset = open_stream(
                paths, batch_size=batch_size, even=False, rank=rank, world_size=size,
                threads=rng.choice([0, 0, 1, 3]), prefetch=rng.choice([1, 8]), **order,
            )  # fmt: skip
            if state is None:
                dataset.set_epoch(epoch)
            else:
                dataset.load_state_dict(state)
            workers = rng.choice([0] * 30 + [1, 2]) if size == 1 else 0
            source = DataLoader(dataset, batch_size=None, num_workers=workers) if workers else dataset
            iterator = iter(source)
            by_rank.append([texts_of(batch) for _, batch in zip(range(steps), iterator, strict=False)])
            del iterator, source
            left = max(left, len(by_rank[-1]))
            last = dataset.state_dict(steps)
        state = json.loads(json.dumps(last))
        for step in range(left):
            found += [row for rank in by_rank for row in (rank[step] if step < len(rank) else [])]
        if state["epoch"] != epoch or not state["files"]:  # a state after the last batch is of the next epoch
            return found, runs


TRAINER = """
import json, os, random, sys, time
from torch_stringops.data import StreamingDataset
sys.path.append(sys.argv[3])
from stress.data import texts_of
from support.streams import open_stream
options, folder = json.loads(sys.argv[1]), sys.argv[2]
dataset = open_stream(**options)
path = folder + "/trainer.json"
taken = []
if os.path.exists(path):
    saved = json.load(open(path))
    if saved["state"]["epoch"] > 0:
        sys.exit()
    dataset.load_state_dict(saved["state"])
    taken = saved["taken"]
for batch in dataset:
    taken += texts_of(batch)
    with open(path + ".new", "w") as file:
        json.dump({"state": dataset.state_dict(), "taken": taken}, file)
    os.replace(path + ".new", path)
    time.sleep(0.002)
"""


def killed_epoch(paths: str, order: dict[str, Any], rng: random.Random, folder: Path) -> tuple[list[str], int]:
    """Rows that a trainer has taken which is killed again and again, and the number of kills."""
    options = {"paths": paths, "batch_size": rng.choice([3, 20]), "threads": rng.choice([0, 2]), **order}
    command = [
        sys.executable, "-c", TRAINER, json.dumps(options), str(folder), str(Path(__file__).parents[1]),
    ]  # fmt: skip
    kills = 0
    while True:
        child = subprocess.Popen(command)
        deadline = time.monotonic() + 60
        while not (folder / "trainer.json").exists() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        # Kills become rarer, so that the epoch ends.
        try:
            status = child.wait(rng.random() * (0.3 + 0.5 * kills) + (2 if kills else 0))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            kills += 1
            continue
        assert status == 0, f"the trainer ended with {status}"
        return json.loads((folder / "trainer.json").read_text())["taken"], kills


def serve(server: FileServer, folder: Path, rng: random.Random) -> tuple[str, dict[str, Any]]:
    """Serves the files of a folder by a server that fails at random. Returns their glob, and options for them."""
    server.files = {path.name: path.read_bytes() for path in folder.glob("[0-9]*")}
    server.ranges = rng.random() < 0.7
    for name in server.files:
        faults = rng.choices([None, "drop", "half", 500, 503, "stall"], [30, 3, 3, 3, 3, 0.2], k=30)
        server.faults[name] = [*faults]
    largest = max(1, *map(len, server.files.values()))
    return f"{server.url}/[0-9]*", {
        "cache_dir": str(folder / "cache"),
        "cache_bytes": rng.choice([largest, 2 * largest, 100 * largest]),
        "fetch_ahead": rng.choice([0, 1, 16]),
        "timeout": 2.0,
        "retries": 30,
    }


def check_round(seed: str, kill: bool, server: FileServer | None = None) -> str:
    """Returns the kind of a round; raises AssertionError if a row is lost, repeated or in another place."""
    rng = random.Random(seed)
    limits = Limits(rng.choice([1, 7, 60, 2**16]), rng.choice([50, 2**19]), in_order=True)
    # The order without a shuffle does not depend on the size of blocks.
    with tempfile.TemporaryDirectory() as name, unittest.mock.patch.object(streaming_dataset, "_IN_ORDER", limits):
        folder = Path(name)
        paths, rows = write_files(folder, rng)
        order = draw_order(rng, paths)
        is_remote = server is not None and rng.random() < 0.3
        if server is not None and is_remote:
            paths, options = serve(server, folder, rng)
            order.update(options)
        epoch = 0 if kill else rng.choice([0, 1, 7])
        dataset = open_stream(paths, batch_size=50, **order)
        dataset.set_epoch(epoch)
        want = [row for batch in dataset for row in texts_of(batch)]
        assert sorted(want) == sorted(rows), f"round {seed}: an epoch is not the rows of the files"
        assert order["shuffle"] or want == rows, f"round {seed}: rows are not in order"
        if kill:
            got, runs = killed_epoch(paths, order, rng, folder)
        else:
            got, runs = read_epoch(paths, order, rng, epoch)
        place = next((i for i, pair in enumerate(zip(got, want, strict=False)) if pair[0] != pair[1]), len(got))
        assert got == want, (
            f"round {seed}: {runs} runs, {len(got)} rows of {len(want)}, the first that differs is {place}; "
            f"{len(set(got) ^ set(want))} rows are not in both"
        )
        where = " remote" if is_remote else ""
        return f"{'kills' if kill else 'resumes'}{where} {next(folder.rglob('00.*')).suffix}:{runs}"


def main() -> int:
    options = programs.options(__doc__, seconds=3600.0, seed=0, kills=20, tables=1000)
    torch.set_num_threads(1)
    done: collections.Counter[str] = collections.Counter()
    runs: collections.Counter[str] = collections.Counter()
    end = time.monotonic() + options.seconds
    number = 0
    # Without aiohttp, all files are of this machine.
    server = FileServer() if importlib.util.find_spec("aiohttp") else None
    while number < options.kills or time.monotonic() < end:
        what, _, count = check_round(f"{options.seed}.{number}", number < options.kills, server).partition(":")
        done[what] += 1
        runs[what] += int(count)
        number += 1
        if number % 100 == 0:
            print(f"{number:,} rounds, {sum(runs.values()):,} runs", flush=True)
    for what, rounds in sorted(done.items()):
        print(f"{what:20} {rounds:8,} rounds {runs[what]:10,}")
    print(f"data: {number:,} rounds, every row once and in its place")
    with tempfile.TemporaryDirectory() as folder:
        differences = compare(range(options.seed * 10**6, options.seed * 10**6 + options.tables), Path(folder))
    print("".join(f"{line}\n" for line in differences), end="")
    print(f"data: {options.tables:,} random tables, {len(differences)} differ from Python's")
    return int(bool(differences))
