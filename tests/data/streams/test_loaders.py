"""The examples of training by DDP, FSDP, Lightning and Accelerate, with two processes over gloo each."""

import json
import os
import socket
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest
import torch
import torch.multiprocessing as mp

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "loaders"
RANKS = 2


def run(rank: int, name: str, port: int, folder: str) -> None:
    torch.set_num_threads(1)  # a forked child has no threads of its parent to wait for
    settings = {"RANK": rank, "WORLD_SIZE": RANKS, "LOCAL_RANK": rank, "MASTER_PORT": port}
    os.environ.update({key: str(value) for key, value in settings.items()}, MASTER_ADDR="127.0.0.1")
    sys.path.insert(0, str(EXAMPLES))
    found = import_module(name).main(f"{folder}/*.txt")
    Path(folder, f"{rank}.result").write_text(json.dumps(found))


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
@pytest.mark.parametrize("name", ["ddp", "fsdp", "with_accelerate", "with_lightning"])
def test_two_processes_learn_from_all_lines(tmp_path, name, monkeypatch):
    if name.startswith("with_"):
        pytest.importorskip(name.removeprefix("with_"))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import_module("model").write_lines(tmp_path)
    if name == "with_lightning":  # starts the processes by itself
        loss = import_module(name).main(
            f"{tmp_path}/*.txt", devices=RANKS, strategy="ddp_fork", enable_progress_bar=False
        )
        assert 0 < loss < 0.4
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Accelerate uses threads of OpenMP, which hang in a child that was forked after they ran.
    method = "spawn" if name == "with_accelerate" else "fork"
    processes = mp.start_processes(run, (name, port, str(tmp_path)), RANKS, join=False, start_method=method)
    deadline = time.monotonic() + 200
    try:
        while not processes.join(timeout=1):
            assert time.monotonic() < deadline, "the processes wait for each other"
    finally:
        for process in processes.processes:
            process.kill()
    found = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.result"))]
    assert len(found) == RANKS
    if name == "with_accelerate":
        assert [rows for _, rows in found] == [400] * RANKS
        found = [loss for loss, _ in found]
    assert all(0 < loss < 0.4 for loss in found)
