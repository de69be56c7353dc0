"""StreamingDataset on ranks of torch.distributed: equal files or an error, and steps that all ranks take."""

import socket

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from support.streams import open_stream
from torch import nn


def form_group(rank: int, port: int) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)


def compare(rank: int, port: int, folder: str) -> None:
    form_group(rank, port)
    for number, options in enumerate(
        [{"paths": ["a", "b"][rank]}, {"seed": rank, "shuffle": True}, {"batch_size": 2 + rank}]
    ):
        given = {"batch_size": 2, **options}
        dataset = open_stream(f"{folder}/{given.pop('paths', 'a')}/*.txt", **given)
        differs = ["files", "seed", "batch_size"][number]
        if rank == 1:
            dist.barrier()  # rank 0 comes first
            with pytest.raises(ValueError, match=f"expected the same `{differs}` on all ranks, got another on rank 1"):
                dataset.set_epoch(1) if number else next(iter(dataset))
        else:
            dataset.set_epoch(0)
            dist.barrier()
    # Equal settings are compared once, and given ranks not at all.
    dataset = open_stream(f"{folder}/a/*.txt", batch_size=2)
    assert [batch.tolist() for batch in dataset] == [[["0", "1"], ["2", "3"]][rank], [["4"], ["0"]][rank]]
    given = open_stream(f"{folder}/{'ab'[rank]}/*.txt", batch_size=2, rank=0, world_size=1)
    assert sum(map(len, given)) == 5
    dist.barrier()
    dist.destroy_process_group()


def train(rank: int, port: int, folder: str) -> None:
    form_group(rank, port)
    model = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    dataset = open_stream(f"{folder}/a/*.txt", batch_size=3)  # 5 rows: a step of 3 and 2, if not even
    steps = 0
    for _ in range(3):
        for batch in dataset:
            model(batch.to_number(dtype=torch.float32)[:, None]).sum().backward()
            steps += 1
    assert steps == 3
    dist.barrier()
    dist.destroy_process_group()


@pytest.mark.parametrize("run", [compare, train])
def test_two_ranks(tmp_path, run):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text("".join(f"{i}\n" for i in range(5)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.start_processes(run, (port, str(tmp_path)), 2, start_method="spawn")
