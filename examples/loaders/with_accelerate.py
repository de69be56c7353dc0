"""Accelerate: accelerate launch --cpu --num_processes 2 examples/loaders/with_accelerate.py "folder/*.txt"."""

import sys

import torch
from accelerate import Accelerator
from model import Classifier, loss_of
from torch.utils.data import DataLoader

from torch_stringops import distributed
from torch_stringops.data import ColumnDataset, read_lines


def main(paths: str) -> tuple[float, int]:
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True)
    model = Classifier(paths)
    loader = DataLoader(ColumnDataset(text=read_lines(paths)), batch_size=25, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), 0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(2):
        seen = 0
        for batch in loader:
            optimizer.zero_grad()
            loss = loss_of(model(batch["text"]), batch["text"])
            accelerator.backward(loss)
            optimizer.step()
            seen += sum(len(text) for text in distributed.all_gather(batch["text"]))
    return accelerator.gather(loss).mean().item(), seen


if __name__ == "__main__":
    print("loss {:.4f}, {} rows".format(*main(sys.argv[1])))
