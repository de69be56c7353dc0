"""Memory of a process and its two workers over an epoch of a DataLoader, by the kind of the dataset.

Each dataset is read in a process of its own: `python -m benchmarks.bench_epoch_memory KIND FILE`. Pages that processes
share count in parts (PSS). Pages of mapped files belong to the page cache, and are counted apart from memory that only
these processes can release.
"""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.bench_dataloader import ListDataset
from benchmarks.bench_files import text_file
from benchmarks.measure import Comparison, Figure
from benchmarks.rows import Context, Row

FILE_BYTES = 100_000_000
WORKERS, BATCH = 2, 1024
LIST, HUGGING_FACE = "list[str]", "datasets"


def hugging_face(path: str) -> Any:
    from datasets import load_dataset

    return load_dataset("text", data_files=path, split="train", cache_dir=path + ".cache", streaming=False)


def column(path: str) -> Any:
    from torch_stringops.data import ColumnDataset, read_lines

    return ColumnDataset(read_lines(path))


def loaded(path: str) -> Any:
    from torch_stringops.data import ColumnDataset, load

    return ColumnDataset(load(path + ".arrow"))


def streamed(path: str) -> Any:
    from torch_stringops.data import StreamingDataset

    return StreamingDataset(path, batch_size=BATCH, shuffle=True)


def strings(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return ListDataset(file.read().splitlines())


KINDS = {
    "ColumnDataset of read_lines": column,
    "ColumnDataset of load": loaded,
    "StreamingDataset": streamed,
    LIST: strings,
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
    import torch
    from torch.utils.data import DataLoader

    import torch_stringops.data  # noqa: F401

    torch.set_num_threads(1)

    def largest(dataset: Any) -> list[int]:
        batched = kind == "StreamingDataset" and dataset is not empty
        options: dict[str, Any] = {"batch_size": None} if batched else {"batch_size": BATCH, "shuffle": True}
        found = [0, 0]
        for number, _ in enumerate(DataLoader(dataset, num_workers=WORKERS, **options)):
            if number % 200 == 199 or dataset is empty:
                found = list(map(max, found, memory()))
        return found

    empty = ListDataset(["", ""])
    before = largest(empty)
    return [size - start for size, start in zip(largest(KINDS[kind](path)), before, strict=True)]


def figures(path: Path) -> list[Figure]:
    from torch_stringops.data import read_lines, save

    save(read_lines(path), f"{path}.arrow")
    found: list[Figure] = []
    sizes: dict[str, list[int]] = {}
    for kind in KINDS:
        command = [sys.executable, "-m", "benchmarks.bench_epoch_memory", kind, str(path)]
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


def build(context: Context) -> Comparison:
    corpus = context.corpus("W1")
    path = text_file(corpus, round(FILE_BYTES * context.scale))
    return Comparison(
        f"Memory (PSS) of a process and {WORKERS} workers over an epoch, shuffled, of {path.stat().st_size / 1e6:,.0f} "
        f"MB of lines. W1: {corpus.description}",
        figures=partial(figures, path),
        cpus=len(context.cpus),
    )


ROWS = [Row("dataloader/memory of an epoch", build)]

if __name__ == "__main__":
    print(json.dumps(epoch(sys.argv[1], sys.argv[2])))
