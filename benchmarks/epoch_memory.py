"""Memory of a process and its two workers over an epoch of a DataLoader, by the kind of the dataset.

Each dataset is read in a process of its own: `python -m benchmarks.epoch_memory KIND FILE`. Pages that processes
share count in parts (PSS). Pages of mapped files belong to the page cache, and are counted apart from memory that only
these processes can release.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader

from benchmarks.measure import Figure
from torch_stringops import data

WORKERS, BATCH = 2, 1024
LIST, HUGGING_FACE = "list[str]", "datasets"


def hugging_face(path: str) -> Any:
    from datasets import load_dataset

    return load_dataset("text", data_files=path, split="train", cache_dir=path + ".cache", streaming=False)


KINDS: dict[str, Callable[[str], Any]] = {
    "ColumnDataset of read_lines": lambda path: data.ColumnDataset(data.read_lines(path)),
    "ColumnDataset of load": lambda path: data.ColumnDataset(data.load(path + ".arrow")),
    "StreamingDataset": lambda path: data.StreamingDataset(path, batch_size=BATCH, shuffle=True),
    LIST: lambda path: Path(path).read_text(encoding="utf-8").splitlines(),
    HUGGING_FACE: hugging_face,
}


def memory() -> list[int]:
    """PSS of this process and its children, in bytes: all of it, and what is not of files."""
    me = os.getpid()
    children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    total = [0, 0]
    for process in (me, *children):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]:
            name, size, _ = line.split()
            total[0] += int(size) * 1024 if name == "Pss:" else 0
            total[1] += int(size) * 1024 if name in ("Pss_Anon:", "Pss_Shmem:") else 0
    return total


def epoch(kind: str, path: str) -> list[int]:
    """The most that any moment of the epoch needs, in addition to a process and workers of an empty dataset."""
    torch.set_num_threads(1)

    def largest(dataset: Any) -> list[int]:
        batched = kind == "StreamingDataset" and dataset is not empty
        options: dict[str, Any] = {"batch_size": None} if batched else {"batch_size": BATCH, "shuffle": True}
        found = [0, 0]
        for number, _ in enumerate(DataLoader(dataset, num_workers=WORKERS, **options)):
            if number % 200 == 199 or dataset is empty:
                found = list(map(max, found, memory()))
        return found

    empty = ["", ""]
    before = largest(empty)
    return [size - start for size, start in zip(largest(KINDS[kind](path)), before, strict=True)]


def figures(path: Path) -> list[Figure]:
    data.save(data.read_lines(path), f"{path}.arrow")
    found: list[Figure] = []
    sizes: dict[str, list[int]] = {}
    for kind in KINDS:
        command = [sys.executable, "-m", "benchmarks.epoch_memory", kind, str(path)]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        if done.returncode and kind == HUGGING_FACE:
            continue  # it is not installed
        if done.returncode:
            raise RuntimeError(done.stderr)
        sizes[kind] = json.loads(done.stdout)
        total, own = (size / 1e6 for size in sizes[kind])
        found += [Figure(f"{kind}: MB", total), Figure(f"{kind}: MB that are not of files", own)]
    for kind in list(KINDS)[:3]:
        share = sizes[kind][1] / sizes[LIST][1]
        found.append(Figure(f"{kind} / {LIST}, of memory that is not of files", share, at_most=0.25))
    return found


if __name__ == "__main__":
    print(json.dumps(epoch(sys.argv[1], sys.argv[2])))
