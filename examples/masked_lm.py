"""Batches of a masked language model, such as BERT's, whose masks differ in every epoch, worker and rank.

python examples/masked_lm.py tokenizer.json notes.txt --pad "[PAD]" --mask "[MASK]"
"""

import argparse
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.data import read_lines


class CollateMaskedLM:
    """Chooses tokens as labels: the mask replaces 80 % of them, a random token 10 %, and 10 % stay.

    The choices are drawn by torch's generator of the process. `DataLoader` seeds that of each worker by a number that
    it draws in each epoch, and by the number of the worker. Ranks, and an epoch in which training resumes, need seeds
    of their own: see `main`.
    """

    def __init__(self, tokenizer: SubwordTokenizer, mask_id: int, probability: float = 0.15) -> None:
        self.tokenizer, self.mask_id, self.probability = tokenizer, mask_id, probability
        self.special = torch.tensor(sorted({*tokenizer.special_ids, tokenizer.pad_id or 0, mask_id}))
        ids = torch.arange(tokenizer.vocab_size)
        self.plain = ids[~torch.isin(ids, self.special)]

    def __call__(self, texts: Any) -> dict[str, Tensor]:
        batch = self.tokenizer(texts)
        ids = batch["input_ids"]
        chosen = (torch.rand(ids.shape) < self.probability) & ~torch.isin(ids, self.special)
        way = torch.rand(ids.shape)
        others = self.plain[torch.randint(len(self.plain), ids.shape)]
        inputs = torch.where(chosen & (way < 0.8), self.mask_id, ids)
        inputs = torch.where(chosen & (way >= 0.9), others, inputs)
        return batch | {"input_ids": inputs, "labels": torch.where(chosen, ids, -100)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("texts", type=Path, help="a file, whose lines are the texts")
    parser.add_argument("--pad", default="[PAD]", help="the token that pads batches")
    parser.add_argument("--mask", default="[MASK]", help="the token that replaces tokens")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rank", type=int, default=0, help="of this process; those of torch.distributed in training")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    tokenizer = SubwordTokenizer.from_file(args.tokenizer, pad_token=args.pad)
    collate = CollateMaskedLM(tokenizer, tokenizer.token_to_id(args.mask) or 0)
    loader = DataLoader(read_lines(args.texts), batch_size=8, collate_fn=collate, num_workers=args.workers)
    for epoch in range(args.epochs):
        torch.manual_seed(1000 * args.rank + epoch)  # by which an epoch that is resumed has the same masks
        labels = [batch["labels"] for batch in loader]
        print(f"epoch {epoch}: {sum(int((part >= 0).sum()) for part in labels)} labels in {len(labels)} batches")


if __name__ == "__main__":
    main()
