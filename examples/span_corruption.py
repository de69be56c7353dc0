"""Batches of denoising, as T5 is trained: sentinels replace spans of tokens, which are the labels.

python examples/span_corruption.py tokenizer.json notes.txt --pad "<pad>" --end "</s>"
"""

import argparse
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from torch_stringops import SubwordTokenizer
from torch_stringops.data import read_lines


class CollateSpanCorruption:
    """Replaces spans of `mean` tokens on average, which are `density` of the tokens, each by the next sentinel.

    Texts of less than two tokens are left out. The spans are drawn by torch's generator of the process: masked_lm.py
    shows how to seed it in each epoch and rank.
    """

    def __init__(
        self, tokenizer: SubwordTokenizer, sentinels: list[int], end: int, density: float = 0.15, mean: float = 3.0
    ) -> None:
        self.tokenizer, self.sentinels, self.end = tokenizer, torch.tensor(sentinels), torch.tensor([end])
        self.density, self.mean = density, mean

    def __call__(self, texts: Any) -> dict[str, Tensor]:
        ids, row_splits = self.tokenizer.encode(texts, add_special_tokens=False)
        rows = [row for row in ids.tensor_split(row_splits[1:-1]) if len(row) > 1]
        spans = [self.spans(len(row)) for row in rows]
        inputs = [self.replace(row, is_span) for row, is_span in zip(rows, spans, strict=True)]
        labels = [self.replace(row, ~is_span) for row, is_span in zip(rows, spans, strict=True)]
        input_ids = pad_sequence(inputs, batch_first=True, padding_value=self.tokenizer.pad_id or 0)
        return {"input_ids": input_ids, "labels": pad_sequence(labels, batch_first=True, padding_value=-100)}

    def spans(self, length: int) -> Tensor:
        """Whether each token is in a span. A part that stays is before each span."""
        noise = min(max(round(length * self.density), 1), length - 1)
        count = min(max(round(noise / self.mean), 1), length - noise, len(self.sentinels))
        sizes = torch.stack([divide(length - noise, count), divide(noise, count)], 1).flatten()
        return (torch.arange(2 * count) % 2 == 1).repeat_interleave(sizes)

    def replace(self, row: Tensor, mask: Tensor) -> Tensor:
        """The row with a sentinel in the place of each run of the mask, and the token that ends it."""
        begins = mask & ~torch.cat([mask.new_zeros(1), mask[:-1]])
        sentinels = self.sentinels[(begins.cumsum(0) - 1).clamp(min=0)]
        return torch.cat([torch.where(begins, sentinels, row)[~mask | begins], self.end])


def divide(total: int, parts: int) -> Tensor:
    """The sizes of so many parts of at least one. All divisions are equally likely."""
    cuts = torch.randperm(total - 1)[: parts - 1].sort().values + 1
    return torch.diff(cuts, prepend=torch.zeros(1, dtype=torch.int64), append=torch.tensor([total]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("texts", type=Path, help="a file, whose lines are the texts")
    parser.add_argument("--pad", default="<pad>", help="the token that pads batches")
    parser.add_argument("--end", default="</s>", help="the token that ends inputs and labels")
    args = parser.parse_args()
    tokenizer = SubwordTokenizer.from_file(args.tokenizer, pad_token=args.pad)
    sentinels = [id for i in range(100) if (id := tokenizer.token_to_id(f"<extra_id_{i}>")) is not None]
    if not sentinels:
        parser.error(f"{args.tokenizer}: expected tokens <extra_id_0>, <extra_id_1>, ..., got none")
    collate = CollateSpanCorruption(tokenizer, sentinels, tokenizer.token_to_id(args.end) or 0)
    for batch in DataLoader(read_lines(args.texts), batch_size=8, collate_fn=collate):
        print(*(f"{name} {list(part.shape)}" for name, part in batch.items()))


if __name__ == "__main__":
    main()
