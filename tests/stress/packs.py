"""Pack on 1, 2 and 4 ranks that are killed and go on, on other numbers of ranks: each block once, in one order.

    stress packs [--rounds N] [--seed N]

A round writes random documents, and reads two epochs of their blocks in this process. Then trainers read them, a process
for each rank, which take a step together; the first one saves its state after each. They are killed by SIGKILL at a random
time, and others go on, with another number of ranks and another batch size, from the state that is there.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import torch
from support import programs

from torch_stringops import SubwordTokenizer
from torch_stringops.pretrain import Pack, TokenDataset, write_tokens

EPOCHS = 2
RANKS = (1, 2, 4)
FORK = multiprocessing.get_context("fork")


def write_documents(folder: Path, rng: random.Random) -> TokenDataset:
    tokenizer = SubwordTokenizer.from_tiktoken({bytes([byte]): byte for byte in range(256)}, r"\S+|\s+")
    texts = ["".join(rng.choices("abcdefgh", k=rng.choice([0, 1, 5, 30, 200]))) for _ in range(rng.randrange(20, 200))]
    write_tokens(texts, tokenizer, folder, eos_id=0, shard_bytes=rng.choice([100, 1000, 10**6]), progress=False)
    return TokenDataset(folder)


def take_steps(rank: int, pack: Pack, barrier: Any, folder: Path) -> None:
    """A rank: writes the blocks of each step to a file, and rank 0 the state after it."""
    with (folder / f"{rank}.jsonl").open("w") as blocks:
        for epoch in range(pack.state_dict()["epoch"], EPOCHS):
            for batch in pack:
                blocks.write(json.dumps([epoch, batch["input_ids"].tolist()]) + "\n")
                blocks.flush()
                barrier.wait()  # as the collectives of a step
                if rank == 0:
                    (folder / "new").write_text(json.dumps(pack.state_dict()))
                    os.replace(folder / "new", folder / "state.json")
                barrier.wait()
                time.sleep(0.001)


def run(options: dict[str, Any], dataset: TokenDataset, state: Any, seconds: float, folder: Path) -> bool:
    """Runs trainers for some time. Returns whether they came to the end."""
    size = options["world_size"]
    barrier = FORK.Barrier(size)
    processes = []
    for rank in range(size):
        pack = Pack(dataset, rank=rank, **options)
        if state is not None:
            pack.load_state_dict(state)
        processes.append(FORK.Process(target=take_steps, args=(rank, pack, barrier, folder)))
    for process in processes:
        process.start()
    end = time.monotonic() + seconds
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
    for process in processes:
        process.kill()
        process.join()
    return all(process.exitcode == 0 for process in processes)


def check_round(seed: str) -> Counter[int]:
    """Returns how often each number of ranks was killed; raises AssertionError if a block is lost or elsewhere."""
    rng = random.Random(seed)
    kills: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as name:
        dataset = write_documents(Path(name) / "tokens", rng)
        shuffle, mode = rng.random() < 0.7, rng.choice(["concat", "best_fit"])
        order: dict[str, Any] = {
            "length": rng.choice([4, 16, 40]),
            "mode": mode,
            "shuffle": shuffle,
            "seed": 1,
        }
        alone = Pack(dataset, batch_size=1, rank=0, world_size=1, **order)
        want = [[batch["input_ids"].tolist()[0] for batch in alone] for _ in range(EPOCHS)]
        got: list[list[Any]] = [[] for _ in range(EPOCHS)]
        state, is_done, runs = None, False, 0
        while not is_done:
            folder = Path(name) / str(runs)
            folder.mkdir()
            size = rng.choice(RANKS)
            options = {**order, "batch_size": rng.choice([1, 2, 5]), "world_size": size}
            # Kills become rarer, so that the epochs end.
            is_done = run(options, dataset, state, rng.random() * 0.2 * (1 + runs), folder)
            kills[size] += not is_done
            runs += 1
            if not (folder / "state.json").exists():
                continue
            # What counts is what was done before the state that is there: a killed process may have written more.
            after = json.loads((folder / "state.json").read_text())
            alone.load_state_dict(after)
            left = sum(len(batch["input_ids"]) for batch in alone)  # in the epoch that the state is of
            done = len(want[0]) * (after["epoch"] + 1) - left
            logs = [
                [json.loads(line) for line in (folder / f"{r}.jsonl").read_text().split("\n")[:-1]] for r in range(size)
            ]
            for step in zip(*logs, strict=False):
                epoch = step[0][0]
                blocks = [block for _, rows in step for block in rows]
                before = sum(map(len, got))
                # The last step of an epoch repeats blocks, so that all ranks have as many.
                got[epoch] += blocks[: min(len(want[epoch]) - len(got[epoch]), done - before)]
            assert sum(map(len, got)) == done, f"round {seed}: {sum(map(len, got))} blocks before the state, not {done}"
            state = after
        assert got == want, f"round {seed}: blocks are not those of one process"
    return kills


def main() -> int:
    options = programs.options(__doc__, rounds=100, seed=0)
    torch.set_num_threads(1)
    kills: Counter[int] = Counter()
    for number in range(options.rounds):
        kills += check_round(f"{options.seed}.{number}")
    by_ranks = ", ".join(f"{kills[size]:,} on {size}" for size in RANKS)
    print(f"packs: {options.rounds:,} rounds, kills: {by_ranks} ranks; each block once and in its place")
    return 0
