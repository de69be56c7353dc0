"""Parameters divided among the ranks by FSDP: torchrun --nproc-per-node 2 examples/loaders/fsdp.py "folder/*.txt"."""

import sys

import torch
import torch.distributed as dist
from model import Classifier, loss_of
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader

from torch_stringops.data import StreamingDataset


def main(paths: str) -> float:
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    model = fully_shard(Classifier(paths), mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    dataset = StreamingDataset(paths, batch_size=25, shuffle=True)  # divides the rows among the ranks
    for epoch in range(2):
        dataset.set_epoch(epoch)
        for text in DataLoader(dataset, batch_size=None, num_workers=1):
            optimizer.zero_grad()
            loss = loss_of(model(text), text)
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()
    return loss.item()


if __name__ == "__main__":
    print(f"loss {main(sys.argv[1]):.4f}")
